/** The account of whoever is signed in: their sessions, and tokens of their own. */
import type { Child } from "hono/jsx";
import type { SessionMethod } from "../../../domain/access/person.ts";
import { authorizeTeam, type TeamGrant } from "../../../service/access.ts";
import {
  createPersonalToken,
  endOwnSession,
  listOwnSessions,
  listPersonalTokens,
  revokePersonalToken,
} from "../../../service/people/own.ts";
import { toTokenRequest } from "../../schemas/management-schemas.ts";
import { personalTokenBody } from "../../schemas/people/people-schemas.ts";
import { check } from "../../schemas/schemas.ts";
import { Command } from "../parts/command.tsx";
import { Listing } from "../parts/listing.tsx";
import { PageForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import { Confirm, HiddenFields, PostForm } from "../parts/post-form.tsx";
import { tokenFields, tokenIn } from "./rights-fields.ts";
import { Code, Name } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import type { FormState } from "../requests/form-state.ts";
import type { FormOf, PageResult, PageRoute, SignedInRequest, View } from "../requests/page.ts";
import { tokenCells, tokenColumns } from "./token-cells.tsx";

const methods: Readonly<Record<SessionMethod, string>> = {
  password: "with your password",
  passkey: "with a passkey",
  oidc: "at your identity provider",
  invitation: "with an invitation",
};

function grantOf({ session }: Pick<SignedInRequest, "session">): TeamGrant {
  return authorizeTeam(session.caller, "read", false);
}

async function show(request: SignedInRequest, submitted?: FormState, made?: string): Promise<View> {
  const { session } = request;
  const { person, name = "", token } = session.caller.principal;
  const tokens = person === undefined ? undefined : await tokensPart(request, submitted);
  const who =
    person === undefined ? (
      <p>
        You are signed in with the token <Name name={name} /> <Code name={token ?? ""} />, which belongs to no
        person.
      </p>
    ) : (
      <p>
        You are <Name name={name} />. Your user name is <Code name={person} />.
      </p>
    );
  return {
    title: "Your account",
    above: [],
    notice: made === undefined ? undefined : "Created. Copy the token now: it is never shown again.",
    body: (
      <>
        {made !== undefined && <Command label="The new token" lines={[made]} />}
        {who}
        {person !== undefined && (
          <>
            <Sessions request={request} />
            {tokens}
          </>
        )}
      </>
    ),
  };
}

function Sessions({ request }: { readonly request: SignedInRequest }) {
  const { storage, session, link } = request;
  const sessions = listOwnSessions(storage, grantOf(request)).toReversed();
  return (
    <>
      <h2>Your sessions</h2>
      <Listing
        columns={["Browser", "Began", "How"]}
        rows={sessions.map(({ id, browser, began, method }) => ({
          cells: [
            <>
              <Name name={browser === "" ? "unknown" : browser} />
              {id === session.id && " (this one)"}
            </>,
            <Time seconds={Date.parse(began) / 1000} />,
            methods[method],
          ],
          action: (
            <PostForm session={session} to={link(["account", "sessions", "end"])}>
              <HiddenFields fields={{ session: id }} />
              <button>
                End{" "}
                <span class="visually-hidden">
                  <Name name={browser} />
                </span>
              </button>
            </PostForm>
          ),
        }))}
      />
      <PostForm session={session} to={link(["sign-out"])}>
        <button name="everywhere" value="yes">
          Sign out everywhere
        </button>
      </PostForm>
    </>
  );
}

async function tokensPart(request: SignedInRequest, submitted: FormState | undefined): Promise<Child> {
  const { storage, session, link } = request;
  const tokens = await listPersonalTokens(storage, grantOf(request));
  const uses = await storage.tokenUse.read();
  return (
    <>
      <h2>Your tokens</h2>
      <p>
        Programs use a token to work in your name, and the history names you. A token never has more rights
        than you, and stops working if you are disabled or removed.
      </p>
      {tokens.length > 0 && (
        <Listing
          columns={tokenColumns}
          rows={tokens.map((token) => ({
            cells: tokenCells(request, { ...token, person: undefined }, uses.get(token.id)),
            action: (
              <Confirm
                session={session}
                to={link(["account", "tokens", "revoke"])}
                label="Revoke…"
                what={token.name ?? token.id}
                button={`Revoke ${token.name ?? token.id}`}
                fields={{ token: token.id }}
              >
                <p>Programs that use it stop working. You cannot undo this.</p>
              </Confirm>
            ),
          }))}
        />
      )}
      <h3>New token</h3>
      <PageForm
        of={newToken}
        request={request}
        submitted={submitted}
        fields={tokenFields(session.caller, {
          name: "The program or the machine that will use it.",
          expires: "Empty for 90 days from now.",
        })}
      />
    </>
  );
}

const newToken: TeamForm = {
  path: "account/tokens",
  button: "Create",
  take: async ({ form, ...request }) => {
    const wanted = check(personalTokenBody, tokenIn(form), "form");
    const { token } = await createPersonalToken(request.storage, grantOf(request), toTokenRequest(wanted));
    return show(request, undefined, token);
  },
};

async function revoke({ form, ...request }: FormOf<SignedInRequest>): Promise<PageResult> {
  await revokePersonalToken(request.storage, grantOf(request), form.text("token"));
  return { to: request.link(["account"]), notice: "revoked" };
}

async function endSession({ form, ...request }: FormOf<SignedInRequest>): Promise<PageResult> {
  await endOwnSession(request.storage, grantOf(request), form.text("session"));
  return { to: request.link(["account"]), notice: "session-ended" };
}

export const accountPages: readonly PageRoute[] = [
  { kind: "signed-in", path: "/account", handler: (request) => show(request) },
  teamForm(newToken, show),
  { kind: "signed-in-form", path: "/account/tokens/revoke", handler: revoke },
  { kind: "signed-in-form", path: "/account/sessions/end", handler: endSession },
];
