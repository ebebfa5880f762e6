/** Where the identity provider says that somebody has signed out there: back-channel logout. */
import type { H3Event } from "h3";
import { failure, isFailure } from "../../../domain/errors.ts";
import { signOutAtProvider } from "../../../service/people/provider-sign-in.ts";
import type { Shared } from "../../pipeline/shared.ts";
import { noShare, readFormBody } from "../../requests/body.ts";
import { respondJson } from "../../responses/respond.ts";

export const providerLogoutPath = "/sign-in/oidc/logout";

const maxBytes = 32 * 1024;

/**
 * Ends the sessions of whoever has signed out. The token is the only proof; a wrong one gets a 400, as the specification
 * has it.
 * @throws SkepError `not-found` where nobody signs in at a provider; `busy` when the provider does not answer.
 */
export async function handleProviderLogout(
  event: H3Event,
  { options: { storage, provider } }: Pick<Shared, "options">,
): Promise<Response> {
  if (provider === undefined) throw failure("not-found", "Nobody signs in at an identity provider here.");
  const body = await readFormBody(event, maxBytes, noShare);
  try {
    await signOutAtProvider(
      storage,
      provider,
      new URLSearchParams(body.toString("utf8")).get("logout_token") ?? "",
    );
  } catch (error) {
    if (!isFailure(error, "unauthenticated")) throw error;
    return respondJson({ error: "invalid_request", error_description: error.message }, { status: 400 });
  }
  return respondJson({});
}
