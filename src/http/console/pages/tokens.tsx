/** The tokens of a team: users create, limit and revoke tokens within the rights of their own. */
import { abilities, allows, hasExpired, reachedOf, type Token } from "../../../domain/access/token.ts";
import { createOwnToken, listOwnTokens, revokeOwnToken } from "../../../service/admin/own-tokens.ts";
import type { Caller } from "../../../service/access.ts";
import { check } from "../../schemas/schemas.ts";
import { tokenBody, toTokenRequest } from "../../schemas/management-schemas.ts";
import { Command } from "../parts/command.tsx";
import { Listing } from "../parts/listing.tsx";
import { Confirm } from "../parts/post-form.tsx";
import { teamPage } from "../parts/navigation.ts";
import { PageForm, teamForm, type FormField, type TeamForm } from "../parts/page-form.tsx";
import { Code, Name } from "../parts/text.tsx";
import { Day, Time } from "../parts/time.tsx";
import type { FormState } from "../requests/form-state.ts";
import { manageTeam } from "../requests/manage.ts";
import type { FormOf, PageResult, PageRoute, SignedInRequest, View } from "../requests/page.ts";

async function show(request: SignedInRequest, submitted?: FormState, made?: string): Promise<View> {
  const { storage, session, isCopy } = request;
  manageTeam(request, false);
  const tokens = await listOwnTokens(storage, session.caller);
  const uses = await storage.tokenUse.read();
  const page = teamPage(
    request,
    "Tokens",
    <>
      {made !== undefined && <Command label="The new token" lines={[made]} />}
      <Listing
        columns={["Token", "May", "Hives", "Made", "Last used", "Ends"]}
        rows={tokens.map((token) => ({
          id: `token-${token.id}`,
          cells: cellsOf(request, token, uses.get(token.id)),
          action: isCopy ? undefined : <Revoke request={request} token={token} />,
        }))}
      />
      {!isCopy && (
        <>
          <h2>New token</h2>
          <PageForm of={newToken} request={request} submitted={submitted} fields={fieldsOf(session.caller)} />
        </>
      )}
    </>,
  );
  const notice = "Created. Copy the token now: it is never shown again.";
  return made === undefined ? page : { ...page, notice };
}

function cellsOf({ storage }: SignedInRequest, token: Token, used: string | undefined) {
  const { id, name, hives, locales, created, expires } = token;
  return [
    <>
      {name !== undefined && <Name name={name} />} <Code name={id} />
    </>,
    `${token.abilities.join(", ")}${locales === undefined ? "" : ` into ${locales.join(", ")} alone`}`,
    hives === "all" ? "all" : <Name name={hives.join(", ")} />,
    <Time seconds={Date.parse(created) / 1000} />,
    used === undefined ? "never seen" : <Day seconds={Date.parse(used) / 1000} />,
    expires === undefined ? (
      "never"
    ) : (
      <>
        {hasExpired(token, storage.now()) && "ended "}
        <Day seconds={Date.parse(expires) / 1000} />
      </>
    ),
  ];
}

function Revoke({
  request: { session, link },
  token: { id, name = id },
}: {
  readonly request: SignedInRequest;
  readonly token: Token;
}) {
  return (
    <Confirm
      session={session}
      to={link(["team", "tokens", "revoke"])}
      label="Revoke…"
      what={name}
      button={`Revoke ${name}`}
      fields={{ token: id }}
    >
      <p>
        Nobody can use it any more, and it cannot be brought back.
        {id === session.caller.principal.token && " You are signed in with it, so your session ends, too."}
      </p>
    </Confirm>
  );
}

function fieldsOf({ principal: token, team }: Caller): FormField[] {
  return [
    { name: "name", label: "Name", hint: "Of the person or program that will use it." },
    {
      kind: "many",
      name: "abilities",
      label: "It may",
      options: abilities.filter((ability) => allows(token, ability)),
      chosen: ["read"],
    },
    {
      kind: "many",
      name: "hives",
      label: "In these Hives",
      options: reachedOf(token, team.hives),
      hint: "With none, in all that your own token reaches.",
    },
    {
      name: "locales",
      label: "Write translations into these locales alone",
      placeholder: "fr, pt-BR",
      hint: "Empty for all.",
    },
    {
      kind: "one",
      name: "review",
      label: "Its translations wait for a review",
      options: [
        ["", token.review === "always" ? "always, as those of your own token" : "if a model has made them"],
        ["always", "always"],
        ...(token.review === "always" ? [] : [["never", "never"] as const]),
      ],
    },
    { name: "expires", label: "Ends on", type: "date", hint: "Empty for the end of your own token, if any." },
  ];
}

const newToken: TeamForm = {
  path: "team/tokens",
  button: "Create",
  take: async ({ form, ...request }) => {
    const hives = form.all("hives");
    const expires = form.word("expires");
    const body = {
      name: form.word("name"),
      abilities: form.all("abilities"),
      hives: hives.length === 0 ? undefined : hives,
      locales: form.words("locales"),
      review: form.word("review"),
      expires: expires && `${expires}T23:59:59Z`,
    };
    const wanted = check(tokenBody, body, "form");
    const { grant } = manageTeam(request, false);
    const { token } = await createOwnToken(request.storage, grant, toTokenRequest(wanted));
    return show(request, undefined, token);
  },
};

async function revoke({ form, ...request }: FormOf<SignedInRequest>): Promise<PageResult> {
  const { grant } = manageTeam(request, false);
  await revokeOwnToken(request.storage, grant, form.text("token"));
  return { to: request.link(["team", "tokens"]), notice: "revoked" };
}

const path = "/team/tokens";

export const tokenPages: readonly PageRoute[] = [
  { kind: "signed-in", path, handler: (request) => show(request) },
  teamForm(newToken, show),
  { kind: "signed-in-form", path: `${path}/revoke`, handler: revoke },
];
