/** An identity provider that says whatever a test wants: one that is honest where nothing else is asked for. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from "jose";
import { onTestFinished } from "vitest";
import type { ProviderOptions } from "../../../src/service/people/provider.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** What the provider says and does other than an honest one. */
export interface Lies {
  /** What it says of itself. */
  readonly metadata?: (honest: Claims) => Claims;
  /** What it says of somebody in the ID token, and under the header of that. */
  readonly claims?: (honest: Claims) => Claims;
  readonly header?: { readonly alg?: string; readonly kid?: string };
  /** Makes an ID token of claims, instead of signing it. */
  readonly sign?: (claims: Claims) => Promise<string>;
  readonly userinfo?: Claims;
  /** Answers a request itself. @returns whether it did. */
  readonly answer?: (path: string, response: ServerResponse) => boolean;
}

export interface MadeProvider {
  readonly options: ProviderOptions;
  readonly issuer: string;
  /** How often each path was asked for. */
  readonly asked: Map<string, number>;
  readonly publicKey: CryptoKey;
  /** Signs a token as the provider does. */
  readonly sign: (claims: Claims, header?: Lies["header"]) => Promise<string>;
  /** Lets somebody sign in. @param url as a browser was sent to it. @returns the query with which it comes back. */
  readonly authorize: (url: string) => URLSearchParams;
  lies: Lies;
}

export const clientId = "skep";
export const clientSecret = "a secret";
export const publicUrl = "http://localhost:4488";
const kid = "key-1";

/** Starts a provider, which ends with the test. */
export async function madeProvider(lies: Lies = {}): Promise<MadeProvider> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const codes = new Map<string, URLSearchParams>();
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      response.statusCode = 400;
      response.end(JSON.stringify({ error: "invalid_grant", error_description: String(error) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const issuer = `http://localhost:${typeof address === "object" ? address?.port : 0}`;
  const sign = (claims: Claims, header: Lies["header"] = {}): Promise<string> =>
    new SignJWT({ ...claims } satisfies JWTPayload)
      .setProtectedHeader({ alg: "ES256", kid, ...header })
      .sign(privateKey);
  const made: MadeProvider = {
    issuer,
    asked,
    publicKey,
    sign,
    lies,
    options: {
      issuer,
      clientId,
      clientSecret,
      name: "Example",
      scopes: "openid profile",
      groups: "groups",
      rules: { groups: [] },
      publicUrl,
    },
    authorize: (url) => {
      const { searchParams } = new URL(url);
      const code = `code-${codes.size}`;
      codes.set(code, searchParams);
      return new URLSearchParams({ code, state: searchParams.get("state") ?? "", iss: issuer });
    },
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", issuer);
    asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
    if (made.lies.answer?.(pathname, response) === true) return;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(await bodyOf(pathname, request)));
  }

  async function bodyOf(pathname: string, request: IncomingMessage): Promise<unknown> {
    if (pathname === "/.well-known/openid-configuration") {
      const honest = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ["code"],
        id_token_signing_alg_values_supported: ["ES256"],
      };
      return made.lies.metadata?.(honest) ?? honest;
    }
    if (pathname === "/jwks") return { keys: [{ ...(await exportJWK(publicKey)), kid, use: "sig" }] };
    if (pathname === "/userinfo") return { sub: "1", ...made.lies.userinfo };
    const body = new URLSearchParams(await read(request));
    const asked = codes.get(body.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    if (asked?.get("code_challenge") !== challenge) throw new Error("another verifier");
    const now = Math.floor(Date.now() / 1000);
    const honest = {
      iss: issuer,
      sub: "1",
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: asked.get("nonce"),
      groups: ["translators"],
      name: "Lea",
    };
    const claims = made.lies.claims?.(honest) ?? honest;
    const idToken = await (made.lies.sign?.(claims) ?? sign(claims, made.lies.header));
    return { access_token: "access", token_type: "Bearer", id_token: idToken };
  }
  return made;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** A token with whatever header, and no signature or one that nobody made. */
export function forged(header: Claims, claims: Claims, signature = ""): string {
  const parts = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  return `${parts.join(".")}.${signature}`;
}
