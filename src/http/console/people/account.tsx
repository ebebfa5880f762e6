/** The account of whoever is signed in: their sessions, and tokens of their own. */
import type { Child } from "hono/jsx";
import {
  createPersonalToken,
  endOwnSession,
  listOwnSessions,
  listPersonalTokens,
  revokePersonalToken,
} from "../../../service/people/own.ts";
import { tokenForm, toTokenRequest } from "../../../api/tokens.ts";
import { personalTokenBody } from "../../routes/people/me.ts";
import { formBody, formFields, rightsOffersOf } from "../parts/member-fields.ts";
import { check } from "../../schemas/schemas.ts";
import { Command, Time, Code, Name } from "../parts/text.tsx";
import { Listing } from "../parts/navigation.tsx";
import { PageForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import { Confirm, PostForm, SignOutEverywhere, Unseen } from "../parts/post-form.tsx";
import { mailForm, mailPart } from "./mail.tsx";
import { ownSignInPart, passkeyForm, passwordForm, removal } from "./own-sign-in.tsx";
import { changeOneself } from "../../../service/mail/own-mail.ts";
import { tokenCells, tokenColumns } from "./rights.tsx";
import { languageCookie } from "../requests/cookies.ts";
import { chosenLanguage, type FormState } from "../requests/form.ts";
import { afterSignIn } from "../requests/links.ts";
import type { PageResult, PageRoute, TeamRequest, View, TeamFormRequest } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

async function show(request: TeamRequest, submitted?: FormState, made?: string): Promise<View> {
  const { session } = request;
  const { person, name = "", token } = session.caller.principal;
  const tokens = person === undefined ? undefined : await tokensPart(request, submitted);
  const mail = person === undefined ? undefined : await mailPart(request, submitted);
  const signIn = await ownSignInPart(request, submitted);
  const who =
    person === undefined ? (
      <p>
        {t("account.you_are_signed", {
          name: <Name name={name} />,
          token: <Code name={token ?? ""} />,
          team: <a href={request.link(["team"])}>{session.caller.team.name}</a>,
        })}
      </p>
    ) : (
      <p>
        {t("account.you_are_your_user_name", { name: <Name name={name} />, person: <Code name={person} /> })}
      </p>
    );
  return {
    title: t("account.your_account"),
    above: [],
    usesPasskeys: signIn?.usesPasskeys,
    headers: signIn?.headers,
    notice: made === undefined ? undefined : t("common.created_copy_the_token_now"),
    body: (
      <>
        {made !== undefined && <Command label={t("common.the_new_token")} lines={[made]} />}
        {who}
        {person !== undefined && (
          <>
            {mail}
            {signIn?.part}
            <Sessions request={request} />
            {tokens}
          </>
        )}
      </>
    ),
  };
}

function Sessions({ request }: { request: TeamRequest }) {
  const { storage, session, link } = request;
  const sessions = listOwnSessions(storage, request.grant).toReversed();
  return (
    <>
      <h2>{t("account.your_sessions")}</h2>
      <Listing
        columns={["browser", "began", "how"]}
        rows={sessions.map(({ id, browser, began, method }) => ({
          cells: [
            <>
              <Name name={browser === "" ? t("account.unknown_browser") : browser} />
              {id === session.id && ` ${t("account.this_session")}`}
            </>,
            <Time seconds={Date.parse(began) / 1000} />,
            t(`sign-in-way.${method}`),
          ],
          action: (
            <PostForm to={link(["account", "sessions", "end"])} hidden={{ session: id }}>
              <button>
                {t("account.end")} <Unseen name={browser} />
              </button>
            </PostForm>
          ),
        }))}
      />
      <SignOutEverywhere />
    </>
  );
}

async function tokensPart(request: TeamRequest, submitted: FormState | undefined): Promise<Child> {
  const { storage } = request;
  const tokens = await listPersonalTokens(storage, request.grant);
  const uses = await storage.tokenUse.read();
  return (
    <>
      <h2>{t("account.your_tokens")}</h2>
      <p>{t("account.programs_use_a_token")}</p>
      {tokens.length > 0 && (
        <Listing
          columns={tokenColumns}
          rows={tokens.map((token) => ({
            cells: tokenCells(request, { ...token, person: undefined }, uses.get(token.id)),
            action: (
              <Confirm
                of="account/tokens/revoke"
                label={t("common.revoke")}
                what={token.name ?? token.id}
                button={t("common.revoke_2", { name: token.name ?? token.id })}
                hidden={{ token: token.id }}
              />
            ),
          }))}
        />
      )}
      <h3>{t("common.new_token")}</h3>
      <PageForm
        of={newToken}
        submitted={submitted}
        fields={formFields(personalTokenBody, tokenForm, {
          path: newToken.path,
          offers: await rightsOffersOf(request),
        })}
      />
    </>
  );
}

const newToken: TeamForm = {
  path: "account/tokens",
  button: "common.create",
  take: async (request) => {
    const body = formBody(personalTokenBody, tokenForm, request.form);
    const wanted = check(personalTokenBody, body, "form");
    const { token } = await createPersonalToken(request.storage, request.grant, toTokenRequest(wanted));
    return show(request, undefined, token);
  },
};

async function revoke({ storage, grant, link, form }: TeamFormRequest): Promise<PageResult> {
  await revokePersonalToken(storage, grant, form.text("token"));
  return { to: link(["account"]), notice: "revoked" };
}

async function endSession({ storage, grant, link, form }: TeamFormRequest): Promise<PageResult> {
  await endOwnSession(storage, grant, form.text("session"));
  return { to: link(["account"]), notice: "session-ended" };
}

/**
 * Keeps the choice of the language of pages and mails, and leads back to the page. A choice that was made in this browser
 * before signing in must not outlive it.
 */
async function chooseOwnLanguage(request: TeamFormRequest): Promise<PageResult> {
  const { storage, grant, access, form, link, isSecure } = request;
  const language = chosenLanguage(form) ?? null;
  await changeOneself(storage, grant, { language }, access.mailing);
  return { to: afterSignIn(form.text("to"), link([])), cookies: [languageCookie(undefined, isSecure)] };
}

export const accountPages: readonly PageRoute[] = [
  { kind: "team", path: "/account", handler: (request) => show(request) },
  teamForm(newToken, show),
  teamForm(mailForm, show),
  teamForm(passwordForm, show),
  teamForm(passkeyForm, show),
  teamForm(removal, show),
  { kind: "team-form", path: "/account/language", handler: chooseOwnLanguage },
  { kind: "team-form", path: "/account/tokens/revoke", handler: revoke },
  { kind: "team-form", path: "/account/sessions/end", handler: endSession },
];
