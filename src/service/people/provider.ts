/**
 * An identity provider, by OpenID Connect: the code flow with PKCE, and back-channel logout. The libraries are loaded, and
 * the provider is asked for its settings, when somebody first signs in.
 */
import type * as OpenIdClient from "openid-client";
import type { JWTPayload } from "jose";
import {
  groupsIn,
  hasGroupOverage,
  type Claims,
  type ProviderRules,
} from "../../domain/access/provider-rules.ts";
import { failure, SkepError } from "../../domain/errors.ts";
import { toOneLine } from "../../domain/redact.ts";

export interface ProviderOptions {
  /** Exactly as the provider names itself. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a client without one, which PKCE alone protects. */
  readonly clientSecret?: string;
  /** What people call it. */
  readonly name: string;
  /** Separated by spaces; `openid` is one of them. */
  readonly scopes: string;
  /** Where groups stand; see {@link groupsIn}. */
  readonly groups: string;
  readonly rules: ProviderRules;
  /** The address of this server, without a slash at its end. */
  readonly publicUrl: string;
}

/** What a browser keeps while somebody signs in at the provider. */
export interface Way {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who somebody is, as the provider says. */
export interface ProviderIdentity {
  readonly iss: string;
  readonly sub: string;
  /** What they are called, to be shown: never to recognise them. */
  readonly name?: string;
  readonly mail?: string;
  readonly username?: string;
  readonly groups: readonly string[];
}

/** How far clocks may differ, in seconds. */
const toleranceSeconds = 60;
/** How long everything that the provider is asked for takes at most, and each request. */
const usualPatienceMs = 11_000;
const requestMs = 8_000;
/** How long what the provider says of itself is kept. */
const settingsMs = 60 * 60 * 1000;
/** The largest answer of the provider. */
const maxAnswerBytes = 1024 * 1024;
const retryAfter = 30;

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";
/** Algorithms with a public key: the secret of the client signs nothing. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** The provider did not answer, or not in a way that means anything. */
class ProviderDown extends Error {}

interface Settings {
  readonly config: OpenIdClient.Configuration;
  /** Verifies a logout token. @throws what is wrong with it. */
  readonly verifyLogout: (token: string) => Promise<JWTPayload>;
}

/** What a provider works with besides its options. */
interface ProviderSurroundings {
  /** Gives the time in milliseconds since 1970. */
  readonly now?: () => number;
  /** How long a sign-in waits for the provider at most. */
  readonly patienceMs?: number;
  /** Told why the provider could not be used, which people who sign in are not. */
  readonly wasDown?: (reason: string) => void;
}

export class Provider {
  readonly options: ProviderOptions;
  readonly #now: () => number;
  readonly #patienceMs: number;
  readonly #wasDown: (reason: string) => void;
  #settings: { readonly until: number; readonly loaded: Promise<Settings> } | undefined;

  constructor(
    options: ProviderOptions,
    { now = Date.now, patienceMs = usualPatienceMs, wasDown = () => {} }: ProviderSurroundings = {},
  ) {
    this.options = options;
    this.#now = now;
    this.#patienceMs = patienceMs;
    this.#wasDown = wasDown;
  }

  /** The address to which the provider sends browsers back. */
  get callbackUrl(): string {
    return `${this.options.publicUrl}/sign-in/oidc/callback`;
  }

  /**
   * Begins a sign-in.
   * @returns the address at the provider, and what the browser has to bring back.
   * @throws SkepError `busy` when the provider does not answer.
   */
  begin(): Promise<{ readonly url: string; readonly way: Way }> {
    return this.#asking(async ({ config }, client) => {
      const way: Way = {
        issuer: this.options.issuer,
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: this.callbackUrl,
        scope: this.options.scopes,
        state: way.state,
        nonce: way.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(way.verifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, way };
    });
  }

  /**
   * Ends a sign-in: exchanges the code for statements about somebody.
   * @param search the query with which the browser came back.
   * @throws SkepError `unauthenticated` when anything in it cannot be trusted; `forbidden` when the provider left out
   * groups; `busy` when the provider does not answer.
   */
  finish(search: string, way: Way): Promise<ProviderIdentity> {
    return this.#asking(async ({ config }, client) => {
      if (way.issuer !== this.options.issuer) throw distrusted("the provider was changed meanwhile");
      const answer = new URL(this.callbackUrl);
      answer.search = search;
      const tokens = await client.authorizationCodeGrant(config, answer, {
        expectedState: way.state,
        expectedNonce: way.nonce,
        pkceCodeVerifier: way.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw distrusted("there is no ID token");
      if (claims.iat > this.#now() / 1000 + toleranceSeconds)
        throw distrusted("the ID token is from the future");
      if (claims.sub.length > 255) throw distrusted("the subject is too long");
      const more =
        this.#groupsIn(claims) === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
      const info: Claims = more ? await client.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
      const text = (name: string): string | undefined => textIn(claims, name) ?? textIn(info, name);
      return {
        iss: claims.iss,
        sub: claims.sub,
        name: text("name") ?? text("preferred_username"),
        mail: text("email"),
        username: text("preferred_username"),
        groups: this.#groupsIn(claims) ?? this.#groupsIn(info) ?? [],
      };
    });
  }

  #groupsIn(claims: Claims): readonly string[] | undefined {
    const { groups, name } = this.options;
    if (hasGroupOverage(claims, groups)) {
      const advice =
        "Let it send only the groups that are assigned to this application, or use roles of the application";
      throw failure("forbidden", `${name} left out your groups, because there are too many. ${advice}.`);
    }
    return groupsIn(claims, groups);
  }

  /**
   * Checks a logout token, which the provider itself sends.
   * @returns who signed out, and when, in seconds since 1970.
   * @throws SkepError `unauthenticated` when it cannot be trusted; `busy` when the provider does not answer.
   */
  loggedOut(token: string): Promise<{ readonly iss: string; readonly sub: string; readonly at: number }> {
    return this.#asking(async ({ verifyLogout }) => {
      const { iss, sub, iat, nonce, events } = await verifyLogout(token);
      const event: unknown =
        typeof events === "object" && events !== null ? Reflect.get(events, logoutEvent) : undefined;
      if (typeof event !== "object" || event === null) throw distrusted("it is no logout token");
      // An ID token is not one, though the same key signs both.
      if (nonce !== undefined) throw distrusted("a logout token has no nonce");
      if (iss === undefined || sub === undefined) throw distrusted("the logout token does not say who");
      if (iat === undefined || iat > this.#now() / 1000 + toleranceSeconds) {
        throw distrusted("the logout token is from the future");
      }
      return { iss, sub, at: iat };
    });
  }

  /** Asks the provider for something. @throws SkepError in place of what the libraries throw. */
  async #asking<T>(ask: (settings: Settings, client: typeof OpenIdClient) => Promise<T>): Promise<T> {
    const client = await import("openid-client");
    let timer;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new ProviderDown("it did not answer in time")), this.#patienceMs);
    });
    try {
      return await Promise.race([this.#load(client).then((settings) => ask(settings, client)), late]);
    } catch (cause) {
      if (cause instanceof SkepError) throw cause;
      if (isDown(cause)) throw this.#down(cause);
      throw distrusted(reasonOf(cause), cause);
    } finally {
      clearTimeout(timer);
    }
  }

  #down(cause: unknown): SkepError {
    this.#wasDown(reasonOf(cause));
    const message = `${this.options.name} cannot be reached just now; try again soon.`;
    return new SkepError("busy", message, { retryAfter }, { cause });
  }

  #load(client: typeof OpenIdClient): Promise<Settings> {
    const now = this.#now();
    if (this.#settings === undefined || this.#settings.until <= now) {
      const loaded = this.#discover(client).catch((cause: unknown) => {
        this.#settings = undefined;
        // Whatever is wrong with it, nobody can sign in.
        throw cause instanceof SkepError ? cause : this.#down(cause);
      });
      this.#settings = { until: now + settingsMs, loaded };
    }
    return this.#settings.loaded;
  }

  async #discover(client: typeof OpenIdClient): Promise<Settings> {
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
      { [client.clockTolerance]: toleranceSeconds },
      authentication,
      {
        // The signature of an ID token is checked although it comes over TLS from the provider.
        execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
        timeout: requestMs / 1000,
        [client.customFetch]: (url, { body, ...options }) =>
          fetchFrom(url, { ...options, body: body ?? null }),
      },
    );
    const { jwks_uri: keysAt } = config.serverMetadata();
    const jose = await import("jose");
    if (keysAt === undefined) throw new Error("the provider names no keys");
    const keys = jose.createRemoteJWKSet(new URL(keysAt), {
      timeoutDuration: requestMs,
      [jose.customFetch]: (url, options) => fetchFrom(url, options),
    });
    const verifyLogout = async (token: string): Promise<JWTPayload> => {
      const rules = { issuer, audience: clientId, algorithms, clockTolerance: toleranceSeconds };
      return (await jose.jwtVerify(token, keys, rules)).payload;
    };
    return { config, verifyLogout };
  }
}

/** Asks the provider, and reads its answer, which may not be of any length. */
async function fetchFrom(url: string, options: RequestInit): Promise<Response> {
  let response;
  try {
    response = await fetch(url, { ...options, redirect: "manual" });
    if (response.status >= 500) throw new Error(`it answered with ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > maxAnswerBytes) throw new Error("its answer is too long");
      chunks.push(chunk);
    }
    const { status, headers } = response;
    return new Response([204, 304].includes(status) ? null : Buffer.concat(chunks), { status, headers });
  } catch (cause) {
    await response?.body?.cancel().catch(() => undefined);
    throw new ProviderDown(cause instanceof Error ? cause.message : "it did not answer", { cause });
  }
}

function isDown(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderDown) return true;
  }
  return false;
}

/** What is wrong, for the log: the messages of an error and its causes, which name claims and not their values. */
function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code: unknown = Reflect.get(cause, "error");
    messages.push(typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : cause.message);
  }
  return toOneLine([[...new Set(messages)].join(": ")]).slice(0, 200);
}

function distrusted(reason: string, cause?: unknown): SkepError {
  return failure("unauthenticated", `The sign-in was refused: ${reason}.`, { cause });
}

function textIn(claims: Claims, name: string): string | undefined {
  const value = claims[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
