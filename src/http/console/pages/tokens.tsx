/** The tokens of a team: users create, limit and revoke tokens within the rights of their own. */
import type { Token } from "../../../domain/access/token.ts";
import { createOwnToken, listOwnTokens, revokeOwnToken } from "../../../service/admin/own-tokens.ts";
import type { Caller } from "../../../service/access.ts";
import { check } from "../../schemas/schemas.ts";
import { tokenBody, toTokenRequest } from "../../schemas/management-schemas.ts";
import { tokenCells, tokenColumns } from "../people/token-cells.tsx";
import { Command } from "../parts/command.tsx";
import { Listing } from "../parts/listing.tsx";
import { Confirm } from "../parts/post-form.tsx";
import { teamPage } from "../parts/navigation.ts";
import { PageForm, teamForm, type FormField, type TeamForm } from "../parts/page-form.tsx";
import { tokenFields, tokenIn } from "../people/rights-fields.ts";
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
        columns={tokenColumns}
        rows={tokens.map((token) => ({
          id: `token-${token.id}`,
          cells: tokenCells(request, token, uses.get(token.id)),
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

function fieldsOf(caller: Caller): readonly FormField[] {
  return tokenFields(caller, {
    name: "Of the person or program that will use it.",
    expires: "Empty for the end of your own token, if any.",
  });
}

const newToken: TeamForm = {
  path: "team/tokens",
  button: "Create",
  take: async ({ form, ...request }) => {
    const wanted = check(tokenBody, tokenIn(form), "form");
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
