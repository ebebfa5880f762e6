/**
 * Programs get a token of a person in the person's browser (OAuth 2.1: code and PKCE), as clients of the Model Context
 * Protocol do: a program registers itself (RFC 7591), the person sees in the console who asks and what for, and the
 * program takes a personal token for the code that the browser brings it.
 */
import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { abilities, type Ability } from "../../domain/access/token.ts";
import { cleanLine } from "../../domain/commits/commit-message.ts";
import { failure, invalid } from "../../domain/errors.ts";
import { codeLifetimeMs, type AuthorizationCode } from "../../store/settings/program-codes.ts";
import { hashToken, type TeamGrant } from "../access.ts";
import { isEqual, signValue, verifiedValue } from "../signed-values.ts";
import type { AccessStorage } from "../storage.ts";
import { requireSelf } from "./devices.ts";
import { makeProgramToken } from "./program-token.ts";

/** What a program may be refused for, in the words of the standards. */
export type OauthError =
  | "invalid_client_metadata"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "access_denied";

/** Why a program gets nothing. */
export interface OauthRefusal {
  readonly error: OauthError;
  /** For those who make the program. */
  readonly message: string;
}

/**
 * The name by which programs know this server: its address as people open it.
 * @param publicUrl undefined also where it has no pages.
 * @throws SkepError `not-implemented` where nobody can allow a program.
 */
export function issuerOf(publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  throw failure(
    "not-implemented",
    "This server was started without --public-url or its console, so nobody can allow a program: use a token.",
  );
}

/** What programs may ask for: nothing that manages a team. */
export const scopes = abilities.filter((ability) => ability !== "admin");
/** What a program may do that does not say it. */
const usualScope: readonly Ability[] = ["read", "write"];

const maxNameLength = 100;
const maxRedirects = 10;
/** How many characters the addresses of a client may have together: its id holds them. */
const maxRedirectLength = 1_500;
/** What a person's browser must carry back to the program. */
const maxStateLength = 2_000;
/** How many codes may wait for their programs. */
const maxOpen = 1_000;
/** A client's id has no end: it is nothing that gives access. */
const never = Date.parse("9999-01-01");

const clientForm = z.object({ name: z.string(), redirects: z.array(z.string()).readonly() });

/** A program that has registered itself. Nothing of what it says is checked. */
export type OauthClient = Readonly<z.infer<typeof clientForm>>;

/** Schemes of addresses that do something other than opening a program. */
const harmful = /^(?:javascript|data|vbscript|file|blob|about|view-source|ftp|wss?):/i;
const loopback = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/i;

/** Whether a browser may be sent to an address with a code: over TLS, to this machine, or to a program by its scheme. */
function isRedirect(text: string): boolean {
  if (!URL.canParse(text) || harmful.test(text) || /[\s\p{Cc}]/u.test(text)) return false;
  const { protocol, hash, username, password } = new URL(text);
  if (hash !== "" || text.endsWith("#") || username !== "" || password !== "") return false;
  return protocol !== "http:" || loopback.test(text);
}

/**
 * Registers a program, which is not remembered: its id says what it has registered, and is signed.
 * @param request as it came.
 */
export async function registerClient(
  storage: AccessStorage,
  request: { readonly name: string; readonly redirects: readonly string[] },
): Promise<{ readonly id: string; readonly client: OauthClient } | OauthRefusal> {
  const { redirects } = request;
  const wrong = redirects.find((redirect) => !isRedirect(redirect));
  if (wrong !== undefined || redirects.length === 0) {
    const message = `Each of redirect_uris must begin with https://, with http:// and this machine, or with the scheme of a program.`;
    return { error: "invalid_redirect_uri", message };
  }
  if (redirects.length > maxRedirects || redirects.join("").length > maxRedirectLength) {
    const message = `There may be ${maxRedirects} redirect_uris with ${maxRedirectLength} characters together.`;
    return { error: "invalid_client_metadata", message };
  }
  const client = { name: cleanLine(request.name, maxNameLength), redirects };
  const key = await storage.sessionKey.readOrCreate();
  return { id: signValue(key, "oauth-client", client, never), client };
}

function clientIn({ sessionKey, now }: AccessStorage, id: string | undefined): OauthClient | undefined {
  return clientForm.safeParse(verifiedValue(sessionKey.read(), "oauth-client", id, now())).data;
}

function withoutPort(address: string): string {
  return loopback.test(address) ? address.replace(/^(http:\/\/[^/?]*?):\d+(?=[/?]|$)/i, "$1") : address;
}

/** Whether a client has registered an address; programs on a machine choose their port anew each time (RFC 8252, 7.3). */
function hasRegistered({ redirects }: OauthClient, asked: string): boolean {
  return isRedirect(asked) && redirects.some((one) => withoutPort(one) === withoutPort(asked));
}

/** The parameters with which a program sends a browser to the console, as they came. */
export type AuthorizationQuery = Readonly<Record<string, unknown>>;

/** What a program asks a person for. */
export interface AuthorizationRequest {
  readonly client: OauthClient;
  readonly clientId: string;
  readonly redirect: string;
  readonly challenge: string;
  /** What it asks to be allowed, in the order of {@link scopes}. */
  readonly abilities: readonly Ability[];
  /** The address to which the browser goes with a code, or with a refusal. */
  readonly answerTo: (answer: Readonly<Record<string, string>>) => string;
}

/**
 * Reads what a program asks for.
 * @param issuer the address of the server as people open it.
 * @returns the address of a refusal where only the program is at fault.
 * @throws SkepError `invalid` on `client_id` or `redirect_uri`: the browser must not be sent anywhere.
 */
export function readAuthorization(
  storage: AccessStorage,
  query: AuthorizationQuery,
  issuer: string,
): AuthorizationRequest | { readonly refusedAt: string } {
  const given = (name: string): string | undefined => {
    const value = query[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const [clientId = "", redirect = ""] = [given("client_id"), given("redirect_uri")];
  const client = clientIn(storage, clientId);
  if (client === undefined) throw invalid("client_id", "is no program that has registered with this server");
  if (!hasRegistered(client, redirect))
    throw invalid("redirect_uri", "is no address that the program has registered");
  const state = given("state");
  const answerTo: AuthorizationRequest["answerTo"] = (answer) => {
    const address = new URL(redirect);
    const all = { ...answer, ...(state !== undefined && { state }), iss: issuer };
    for (const [name, value] of Object.entries(all)) address.searchParams.set(name, value);
    return address.href;
  };
  const refuse = (error: OauthError, message: string) => ({
    refusedAt: answerTo({ error, error_description: message }),
  });
  if (state !== undefined && state.length > maxStateLength)
    throw invalid("state", `must be at most ${maxStateLength} characters`);
  if (given("response_type") !== "code")
    return refuse("unsupported_response_type", "response_type must be code");
  const challenge = given("code_challenge");
  if (given("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge ?? ""))
    return refuse("invalid_request", "code_challenge must be there, and its method S256");
  if (!isTarget(given("resource"), issuer)) return refuse("invalid_target", `resource must be ${issuer}/mcp`);
  const asked = new Set(given("scope")?.split(" ") ?? usualScope);
  const wanted = scopes.filter((ability) => asked.has(ability));
  return {
    client,
    clientId,
    redirect,
    challenge: challenge ?? "",
    abilities: wanted.length === 0 ? usualScope : wanted,
    answerTo,
  };
}

/** Whether a token is asked for to be used here (RFC 8707). */
function isTarget(resource: string | undefined, issuer: string): boolean {
  return resource === undefined || [`${issuer}/mcp`, issuer, `${issuer}/`].includes(resource);
}

/**
 * Allows a program what a person has chosen of what it asks for.
 * @returns the code that the browser carries to it, which is good for one minute and one token.
 * @throws SkepError `forbidden` for a caller that is a token; `invalid` on `abilities` when there are none.
 */
export async function allowProgram(
  storage: AccessStorage,
  grant: TeamGrant,
  { client, clientId, redirect, challenge, abilities: asked }: AuthorizationRequest,
  chosen: readonly string[],
): Promise<string> {
  const person = requireSelf(grant);
  const allowed = asked.filter((ability) => chosen.includes(ability));
  if (allowed.length === 0) throw invalid("abilities", "must be at least one");
  const code = randomBytes(32).toString("base64url");
  const stored: AuthorizationCode = {
    code: hashToken(code),
    person,
    name: client.name,
    client: hashToken(clientId),
    redirect,
    challenge,
    abilities: allowed,
    ends: storage.now() + codeLifetimeMs,
  };
  // The oldest makes room: its program has to ask once more.
  await storage.authorizationCodes.update((before) => [...before.slice(1 - maxOpen), stored]);
  return code;
}

/** What a program sends for its token, as it came. */
export interface CodeExchange {
  readonly code: string;
  readonly clientId: string;
  readonly redirect: string;
  readonly verifier: string;
  readonly resource: string | undefined;
  /** The address of the program. */
  readonly from: string | undefined;
}

/** The token of a program. */
export interface ProgramToken {
  readonly token: string;
  readonly abilities: readonly Ability[];
  /** In seconds; undefined where it has no end. */
  readonly expiresIn: number | undefined;
}

/**
 * Gives a program its token for a code.
 * @throws SkepError as {@link makeProgramToken}.
 */
export async function exchangeCode(
  storage: AccessStorage,
  { code, clientId, redirect, verifier, resource, from }: CodeExchange,
  issuer: string,
): Promise<ProgramToken | OauthRefusal> {
  if (clientIn(storage, clientId) === undefined)
    return { error: "invalid_client", message: "client_id is no program that has registered." };
  if (!isTarget(resource, issuer))
    return { error: "invalid_target", message: `resource must be ${issuer}/mcp.` };
  const hash = hashToken(code);
  // It leaves whatever follows: of two who come with it, and of a wrong guess, nobody can try again.
  const taken = await storage.authorizationCodes.take(hash);
  const isOwn =
    taken !== undefined &&
    taken.client === hashToken(clientId) &&
    taken.redirect === redirect &&
    /^[\w.~-]{43,128}$/.test(verifier) &&
    isEqual(createHash("sha256").update(verifier).digest("base64url"), taken.challenge);
  const made =
    isOwn &&
    (await makeProgramToken(storage, {
      person: taken.person,
      name: taken.name,
      abilities: taken.abilities,
      client: from,
      method: "oauth",
    }));
  if (made === false || made === undefined)
    return { error: "invalid_grant", message: "This code has ended, was used, or is of another program." };
  const { expires, abilities: may } = made.stored;
  const left = expires === undefined ? undefined : Date.parse(expires) - storage.now();
  return { token: made.token, abilities: may, expiresIn: left && Math.floor(left / 1000) };
}
