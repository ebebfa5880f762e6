/** A client of the Model Context Protocol's SDK that asks a person for a token, and keeps what it gets in memory. */
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/**
 * Makes one that calls itself Chat.
 * @param redirect where the browser brings the answer.
 * @param open opens an address in the browser of the person.
 */
export function oauthClient(redirect: string, open: (address: URL) => void | Promise<void>) {
  const kept: {
    client?: StoredOAuthClientInformation;
    tokens?: StoredOAuthTokens;
    discovery?: OAuthDiscoveryState;
    verifier: string;
  } = { verifier: "" };
  const authProvider: OAuthClientProvider = {
    redirectUrl: redirect,
    clientMetadata: { client_name: "Chat", redirect_uris: [redirect] },
    clientInformation: () => kept.client,
    saveClientInformation: (saved) => void (kept.client = saved),
    tokens: () => kept.tokens,
    saveTokens: (saved) => void (kept.tokens = saved),
    saveCodeVerifier: (saved) => void (kept.verifier = saved),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (saved) => void (kept.discovery = saved),
    discoveryState: () => kept.discovery,
    redirectToAuthorization: open,
  };
  return { kept, authProvider };
}
