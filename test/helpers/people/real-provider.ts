/** A certified identity provider, which says of people what well-known providers say of them. */
import { createServer } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import OidcProvider, { type Configuration } from "oidc-provider";
import { onTestFinished, vi } from "vitest";
import type { ProviderOptions } from "../../../src/service/people/provider.ts";
import { clientId, clientSecret, type Claims } from "./made-provider.ts";

export interface RealProvider {
  readonly options: Omit<ProviderOptions, "rules" | "groups">;
  /** Follows a browser through the provider. @returns where it comes back to. */
  readonly visit: (url: string, account?: string) => Promise<URL>;
  /** Tells all that somebody has signed out. @returns the logout tokens that were sent. */
  readonly logOut: (account: string) => Promise<readonly string[]>;
}

export interface RealOptions {
  /** What it says of an account. */
  readonly claims: (account: string) => Claims;
  /** Whether it says so in the ID token, or at userinfo alone. */
  readonly isInIdToken: boolean;
  readonly authentication?: "client_secret_basic" | "client_secret_post" | "none";
  readonly publicUrl: string;
  /** `127.0.0.1` makes it another site than a server at `localhost`. */
  readonly host?: string;
}

/** Starts a provider, which ends with the test. */
export async function realProvider(options: RealOptions): Promise<RealProvider> {
  // It warns of what a provider for production would have otherwise.
  for (const name of ["info", "warn"] as const) vi.spyOn(console, name).mockImplementation(() => {});
  const {
    claims,
    isInIdToken,
    publicUrl,
    authentication = "client_secret_basic",
    host = "localhost",
  } = options;
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const sent: string[] = [];
  const names = Object.keys(claims("anybody"));
  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        ...(authentication === "none" ? {} : { client_secret: clientSecret }),
        token_endpoint_auth_method: authentication,
        redirect_uris: [`${publicUrl}/sign-in/oidc/callback`],
        id_token_signed_response_alg: "ES256",
        backchannel_logout_uri: `${publicUrl}/sign-in/oidc/logout`,
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: "real", use: "sig", alg: "ES256" }] },
    cookies: { keys: ["a key"] },
    scopes: ["openid", "profile"],
    claims: { openid: ["sub"], profile: names },
    conformIdTokenClaims: !isInIdToken,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, account) => ({
      accountId: account,
      claims: () => ({ ...claims(account), sub: account }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session?.accountId ?? "" });
      grant.addOIDCScope("openid profile");
      await grant.save();
      return grant;
    },
    fetch: (_, init) => {
      const body = init?.body instanceof URLSearchParams ? init.body : new URLSearchParams();
      sent.push(body.get("logout_token") ?? "");
      return Promise.resolve(new Response(null, { status: 200 }));
    },
  };
  let account = "lea";
  const server = createServer((request, response) => {
    const isInteraction = request.url?.startsWith("/interaction/") === true;
    if (isInteraction)
      void provider.interactionFinished(request, response, { login: { accountId: account } });
    else void handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const issuer = `http://${host}:${typeof address === "object" ? address?.port : 0}`;
  const provider = new OidcProvider(issuer, configuration);
  const handle = provider.callback();
  const visit: RealProvider["visit"] = async (url, as = "lea") => {
    account = as;
    const cookies = new Map<string, string>();
    let next = new URL(url);
    while (next.origin === issuer) {
      const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(next, { redirect: "manual", headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get("location");
      if (location === null) throw new Error(`${next.pathname}: ${response.status} ${await response.text()}`);
      next = new URL(location, next);
    }
    return next;
  };
  return {
    options: {
      issuer,
      clientId,
      clientSecret: authentication === "none" ? undefined : clientSecret,
      name: "Example",
      scopes: "openid profile",
      publicUrl,
    },
    visit,
    logOut: async (of) => {
      const client = await provider.Client.find(clientId);
      // The types leave it out.
      if (typeof client?.backchannelLogout === "function") await client.backchannelLogout(of, "session");
      return sent;
    },
  };
}
