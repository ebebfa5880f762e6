/**
 * What programs ask for a token in the standards' way, without the REST interface: metadata (RFC 8414, RFC 9728),
 * registration (RFC 7591) and the exchange of a code. The page on which a person allows one belongs to the console.
 */
import type { H3Event } from "h3";
import { z } from "zod";
import { isFailure } from "../../domain/errors.ts";
import {
  exchangeCode,
  issuerOf,
  registerClient,
  scopes,
  type OauthRefusal,
} from "../../service/people/oauth.ts";
import type { Shared } from "../pipeline/shared.ts";
import { noShare, parseBody, readFormBody, readJsonBody } from "../requests/body.ts";
import { clientOf } from "../requests/client-address.ts";
import { respondJson } from "../responses/respond.ts";

/** An endpoint beside the REST interface. @throws SkepError */
interface Endpoint {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly handle: (event: H3Event, shared: Shared) => Promise<Response>;
}

/** The most bytes and values of a body from somebody unknown. */
const maxBytes = 16_384;
const maxValues = 200;

const resourceMetadata = "/.well-known/oauth-protected-resource";
/** The second one is where programs look, too, for a server below a path, whose proxy forwards nothing else. */
const serverMetadata = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

/** The address of the server, where it has pages on which a person can allow a program. */
function addressOf({ options: { publicUrl, console: pages } }: Shared): string | undefined {
  return pages === "off" ? undefined : publicUrl;
}

/** The challenge of a request without a token, by which a program finds out where to get one; undefined where it gets none. */
export function oauthChallenge(shared: Shared): string | undefined {
  const address = addressOf(shared);
  return address && `Bearer realm="skep", resource_metadata="${address}${resourceMetadata}/mcp"`;
}

async function respondResource(_: H3Event, shared: Shared): Promise<Response> {
  const issuer = issuerOf(addressOf(shared));
  return respondJson({
    resource: `${issuer}/mcp`,
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
    resource_name: "Skep",
  });
}

async function respondServer(_: H3Event, shared: Shared): Promise<Response> {
  const issuer = issuerOf(addressOf(shared));
  return respondJson({
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    scopes_supported: scopes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code"],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  });
}

const registration = z.object({
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()),
});

async function register(event: H3Event, shared: Shared): Promise<Response> {
  issuerOf(addressOf(shared));
  const { storage } = shared.options;
  const body = await parseBody(await readJsonBody(event, maxBytes, noShare), maxValues);
  const { data } = registration.safeParse(body);
  if (data === undefined)
    return refuse({
      error: "invalid_client_metadata",
      message: "redirect_uris must be a list of addresses.",
    });
  const made = await registerClient(storage, {
    name: data.client_name ?? "",
    redirects: data.redirect_uris,
  });
  if ("error" in made) return refuse(made);
  const { id, client } = made;
  const answer = {
    client_id: id,
    client_id_issued_at: Math.floor(storage.now() / 1000),
    client_name: client.name,
    redirect_uris: client.redirects,
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  return respondJson(answer, { status: 201, headers: [["cache-control", "no-store"]] });
}

async function exchange(event: H3Event, shared: Shared): Promise<Response> {
  const issuer = issuerOf(addressOf(shared));
  const { storage, trustProxy } = shared.options;
  const fields = new URLSearchParams((await readFormBody(event, maxBytes, noShare)).toString("utf8"));
  const field = (name: string): string => fields.get(name) ?? "";
  if (field("grant_type") !== "authorization_code")
    return refuse({ error: "unsupported_grant_type", message: "grant_type must be authorization_code." });
  const missing = ["code", "client_id", "redirect_uri", "code_verifier"].find((name) => field(name) === "");
  if (missing !== undefined) return refuse({ error: "invalid_request", message: `${missing} is missing.` });
  const exchanged = {
    code: field("code"),
    clientId: field("client_id"),
    redirect: field("redirect_uri"),
    verifier: field("code_verifier"),
    resource: fields.get("resource") ?? undefined,
    from: clientOf(event.runtime?.node?.req, trustProxy),
  };
  try {
    const made = await exchangeCode(storage, exchanged, issuer);
    if ("error" in made) return refuse(made);
    const { token, abilities, expiresIn } = made;
    const answer = {
      access_token: token,
      token_type: "Bearer",
      scope: abilities.join(" "),
      ...(expiresIn !== undefined && { expires_in: expiresIn }),
    };
    return respondJson(answer, { headers: [["cache-control", "no-store"]] });
  } catch (error) {
    // Of a person who has too many tokens; programs know no other word for it.
    if (isFailure(error, "quota")) return refuse({ error: "invalid_grant", message: error.message });
    throw error;
  }
}

function refuse({ error, message }: OauthRefusal): Response {
  const headers: [string, string][] = [["cache-control", "no-store"]];
  return respondJson({ error, error_description: message }, { status: 400, headers });
}

export const oauthEndpoints: readonly Endpoint[] = [
  ...[resourceMetadata, `${resourceMetadata}/mcp`].map((path): Endpoint => ({
    method: "GET",
    path,
    handle: respondResource,
  })),
  ...serverMetadata.map((path): Endpoint => ({ method: "GET", path, handle: respondServer })),
  { method: "POST", path: "/oauth/register", handle: register },
  { method: "POST", path: "/oauth/token", handle: exchange },
];
