/**
 * An identity provider, by OpenID Connect: the code flow with PKCE, and back-channel logout. The libraries are loaded, and
 * the provider is asked for its settings, when somebody first signs in.
 */
import type * as OpenIdClient from "openid-client";
import type { JWTPayload } from "jose";
import {
  groupsIn,
  hasGroupOverage,
  type IdentityClaims,
  type ProviderRules,
} from "../../domain/access/provider-rules.ts";
import { onDemand } from "../../on-demand.ts";
import { failure, SkepError } from "../../domain/errors.ts";
import { toOneLine } from "../../domain/redact.ts";

export interface ProviderOptions {
  /** Exactly as the provider names itself. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a client without one, which PKCE alone protects. */
  readonly clientSecret?: string;
  /** The name that people see. */
  readonly name: string;
  /** Separated by spaces; `openid` is one of them. */
  readonly scopes: string;
  /** The path of the groups in claims; see {@link groupsIn}. */
  readonly groups: string;
  readonly rules: ProviderRules;
  /** The address of this server, without a slash at its end. */
  readonly publicUrl: string;
}

/** Values of an authorization request that its response must match. A signed cookie of the browser keeps them. */
export interface AuthorizationRequest {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who somebody is, as the provider says. */
export interface ProviderIdentity {
  readonly iss: string;
  readonly sub: string;
  /** For display only: people are recognised by `iss` and `sub`. */
  readonly name?: string;
  readonly mail?: string;
  readonly username?: string;
  /** Undefined where neither the ID token nor userinfo has the claim that names groups. */
  readonly groups?: readonly string[];
  /** The session at the provider, if it names it: a logout token may name it alone. */
  readonly session?: string;
}

/** Who signed out at the provider, and when. At least one of `sub` and `session` is there. */
export interface ProviderLogout {
  readonly iss: string;
  readonly sub?: string;
  /** The session at the provider that has ended; undefined for all of `sub`. */
  readonly session?: string;
  /** In seconds since 1970. */
  readonly at: number;
}

const loadClient = onDemand(() => import("openid-client"));
const loadJose = onDemand(() => import("jose"));

/** How far clocks may differ, in seconds. */
const clockToleranceSeconds = 60;
/** The most time for a sign-in's requests together, and for each of them. */
const defaultTimeoutMs = 11_000;
const requestMs = 8_000;
/** How long the provider's metadata is cached. */
const metadataMs = 60 * 60 * 1000;
const retryAfter = 30;

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";
/** Algorithms with a public key: the secret of the client signs nothing. */
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** The provider's metadata, ready for use. */
interface Discovered {
  readonly config: OpenIdClient.Configuration;
  /** Verifies the signature, issuer, audience and times of a logout token. @throws for a wrong one. */
  readonly verifyToken: (token: string) => Promise<JWTPayload>;
}

interface ProviderContext {
  /** Gives the time in milliseconds since 1970. */
  readonly now?: () => number;
  /** The most time for a sign-in's requests together. */
  readonly timeoutMs?: number;
  /** Gets the reason for the log. People who sign in do not see it. */
  readonly onUnavailable?: (reason: string) => void;
}

export class Provider {
  readonly options: ProviderOptions;
  readonly #now: () => number;
  readonly #timeoutMs: number;
  readonly #onUnavailable: (reason: string) => void;
  #discovered: { readonly until: number; readonly loaded: Promise<Discovered> } | undefined;

  constructor(
    options: ProviderOptions,
    { now = Date.now, timeoutMs = defaultTimeoutMs, onUnavailable = () => {} }: ProviderContext = {},
  ) {
    this.options = options;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
    this.#onUnavailable = onUnavailable;
  }

  /** The address to which the provider sends browsers back. */
  get callbackUrl(): string {
    return `${this.options.publicUrl}/sign-in/oidc/callback`;
  }

  /**
   * Begins a sign-in.
   * @returns the address at the provider, and the values that the response must match.
   * @throws SkepError `busy` when the provider does not answer.
   */
  begin(): Promise<{ readonly url: string; readonly request: AuthorizationRequest }> {
    return this.#withClient(async ({ config }, client) => {
      const request: AuthorizationRequest = {
        issuer: this.options.issuer,
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: this.callbackUrl,
        scope: this.options.scopes,
        state: request.state,
        nonce: request.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(request.verifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, request };
    });
  }

  /**
   * Ends a sign-in: exchanges the code for claims about somebody.
   * @param search the query of the authorization response.
   * @throws SkepError `unauthenticated` when anything in it cannot be trusted; `forbidden` when the provider left out
   * groups; `busy` when the provider does not answer.
   */
  finish(search: string, request: AuthorizationRequest): Promise<ProviderIdentity> {
    return this.#withClient(async ({ config }, client) => {
      if (request.issuer !== this.options.issuer) throw refusal("the provider was changed meanwhile");
      const answer = new URL(this.callbackUrl);
      answer.search = search;
      const tokens = await client.authorizationCodeGrant(config, answer, {
        expectedState: request.state,
        expectedNonce: request.nonce,
        pkceCodeVerifier: request.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw refusal("there is no ID token");
      if (this.#isInFuture(claims.iat)) throw refusal("the ID token is from the future");
      if (claims.sub === "") throw refusal("the subject is empty");
      if (claims.sub.length > 255) throw refusal("the subject is too long");
      const more =
        this.#groupsIn(claims) === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
      const info: IdentityClaims = more
        ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
        : {};
      const text = (name: string): string | undefined => textIn(claims, name) ?? textIn(info, name);
      return {
        iss: claims.iss,
        sub: claims.sub,
        name: text("name") ?? text("preferred_username"),
        mail: text("email"),
        username: text("preferred_username"),
        groups: this.#groupsIn(claims) ?? this.#groupsIn(info),
        session: isText(claims.sid) ? claims.sid : undefined,
      };
    });
  }

  #groupsIn(claims: IdentityClaims): readonly string[] | undefined {
    const { groups, name } = this.options;
    if (hasGroupOverage(claims, groups)) {
      const advice =
        "Let it send only the groups that are assigned to this application, or use roles of the application";
      throw failure("forbidden", `${name} left out your groups, because there are too many. ${advice}.`);
    }
    return groupsIn(claims, groups);
  }

  /**
   * Verifies a logout token, which the provider itself sends, as OpenID Connect Back-Channel Logout 1.0 has it in 2.4 and
   * 2.6. A token that comes again ends no further session, so that its `jti` need not be remembered.
   * @throws SkepError `unauthenticated` when it cannot be trusted; `busy` when the provider does not answer.
   */
  verifyLogout(token: string): Promise<ProviderLogout> {
    return this.#withClient(async ({ verifyToken }) => {
      const { iss, sub, sid, iat, exp, jti, nonce, events } = await verifyToken(token);
      const event: unknown =
        typeof events === "object" && events !== null ? Reflect.get(events, logoutEvent) : undefined;
      if (typeof event !== "object" || event === null) throw refusal("it is no logout token");
      // An ID token is not one, though the same key signs both.
      if (nonce !== undefined) throw refusal("a logout token has no nonce");
      for (const [name, claim] of Object.entries({ sub, sid, jti })) {
        if (claim !== undefined && !isText(claim)) throw refusal(`the logout token has no valid ${name}`);
      }
      if (iss === undefined || (sub === undefined && sid === undefined))
        throw refusal("the logout token does not say who");
      if (jti === undefined) throw refusal("the logout token has no jti");
      if (exp === undefined) throw refusal("the logout token does not expire");
      if (iat === undefined || this.#isInFuture(iat)) throw refusal("the logout token is from the future");
      return { iss, sub, session: isText(sid) ? sid : undefined, at: iat };
    });
  }

  #isInFuture(seconds: number): boolean {
    return seconds > this.#now() / 1000 + clockToleranceSeconds;
  }

  /** Runs a function with the provider's metadata. @throws SkepError in place of the libraries' errors. */
  async #withClient<T>(use: (discovered: Discovered, client: typeof OpenIdClient) => Promise<T>): Promise<T> {
    const client = await loadClient();
    let timer;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new ProviderUnavailable("it did not answer in time")), this.#timeoutMs);
    });
    try {
      return await Promise.race([this.#load(client).then((discovered) => use(discovered, client)), late]);
    } catch (cause) {
      if (cause instanceof SkepError) throw cause;
      if (isUnavailable(cause)) throw this.#unavailable(cause);
      throw refusal(reasonOf(cause), cause);
    } finally {
      clearTimeout(timer);
    }
  }

  #unavailable(cause: unknown): SkepError {
    this.#onUnavailable(reasonOf(cause));
    const message = `${this.options.name} cannot be reached just now; try again soon.`;
    return new SkepError("busy", message, { retryAfter }, { cause });
  }

  #load(client: typeof OpenIdClient): Promise<Discovered> {
    const now = this.#now();
    if (this.#discovered === undefined || this.#discovered.until <= now) {
      const loaded = this.#discover(client).catch((cause: unknown) => {
        this.#discovered = undefined;
        throw cause instanceof SkepError ? cause : this.#unavailable(cause);
      });
      this.#discovered = { until: now + metadataMs, loaded };
    }
    return this.#discovered.loaded;
  }

  async #discover(client: typeof OpenIdClient): Promise<Discovered> {
    const { issuer, clientId, clientSecret } = this.options;
    const isPlain = issuer.startsWith("http:");
    const authentication: OpenIdClient.ClientAuth = (server, ...rest) => {
      if (clientSecret === undefined) return client.None()(server, ...rest);
      const ways = server.token_endpoint_auth_methods_supported;
      const isPost = ways?.includes("client_secret_post") === true;
      return (isPost ? client.ClientSecretPost : client.ClientSecretBasic)(clientSecret)(server, ...rest);
    };
    const config = await client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: clockToleranceSeconds },
      authentication,
      {
        // The signature of an ID token is checked although it comes over TLS from the provider.
        execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
        timeout: requestMs / 1000,
        [client.customFetch]: (url, { body, ...options }) =>
          fetchLimited(url, { ...options, body: body ?? null }),
      },
    );
    const { jwks_uri: keysAt } = config.serverMetadata();
    const jose = await loadJose();
    if (keysAt === undefined) throw new Error("the provider names no keys");
    const keys = jose.createRemoteJWKSet(new URL(keysAt), {
      timeoutDuration: requestMs,
      [jose.customFetch]: (url, options) => fetchLimited(url, options),
    });
    const verifyToken = async (token: string): Promise<JWTPayload> => {
      const rules = { issuer, audience: clientId, algorithms, clockTolerance: clockToleranceSeconds };
      return (await jose.jwtVerify(token, keys, rules)).payload;
    };
    return { config, verifyToken };
  }
}

function refusal(reason: string, cause?: unknown): SkepError {
  return failure("unauthenticated", `The sign-in was refused: ${reason}.`, { cause });
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function textIn(claims: IdentityClaims, name: string): string | undefined {
  const value = claims[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

const maxResponseBytes = 1024 * 1024;

/** The provider did not respond, or with an error of its server. */
class ProviderUnavailable extends Error {}

/** Sends a request to the provider, and reads its response up to a limit. @throws ProviderUnavailable */
async function fetchLimited(url: string, options: RequestInit): Promise<Response> {
  let response;
  try {
    response = await fetch(url, { ...options, redirect: "manual" });
    if (response.status >= 500) throw new Error(`it answered with ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > maxResponseBytes) throw new Error("its answer is too long");
      chunks.push(chunk);
    }
    const { status, headers } = response;
    return new Response([204, 304].includes(status) ? null : Buffer.concat(chunks), { status, headers });
  } catch (cause) {
    await response?.body?.cancel().catch(() => undefined);
    throw new ProviderUnavailable(cause instanceof Error ? cause.message : "it did not answer", { cause });
  }
}

/** Whether an error, or one that caused it, is a {@link ProviderUnavailable}. */
function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderUnavailable) return true;
  }
  return false;
}

/** The messages of an error and its causes, for the log. They name claims, and not their values. */
function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code: unknown = Reflect.get(cause, "error");
    messages.push(typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : cause.message);
  }
  return toOneLine([[...new Set(messages)].join(": ")]).slice(0, 200);
}
