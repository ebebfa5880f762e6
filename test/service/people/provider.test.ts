/** What an identity provider must not be believed. */
import { createHmac } from "node:crypto";
import { exportSPKI, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { isFailure } from "../../../src/domain/errors.ts";
import { Provider, type ProviderIdentity } from "../../../src/service/people/provider.ts";
import {
  clientId,
  clientSecret,
  forged,
  madeProvider,
  type Lies,
  type MadeProvider,
} from "../../helpers/people/made-provider.ts";

/** Leaves out a claim. */
const without =
  (name: string): NonNullable<Lies["claims"]> =>
  (honest) =>
    Object.fromEntries(Object.entries(honest).filter(([key]) => key !== name));

const now = (): number => Math.floor(Date.now() / 1000);

/** Signs in at a provider with some lies. */
async function signIn(
  lies: Lies,
  change: (search: URLSearchParams) => void = () => {},
): Promise<ProviderIdentity> {
  const made = await madeProvider(lies);
  const provider = new Provider(made.options);
  const { url, request } = await provider.begin();
  const search = made.authorize(url);
  change(search);
  return provider.finish(search.toString(), request);
}

describe("an honest provider", () => {
  it("says who somebody is, and their groups", async () => {
    const identity = await signIn({ claims: (honest) => ({ ...honest, email: "lea@example.org" }) });
    expect(identity).toEqual({
      iss: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      sub: "1",
      name: "Lea",
      mail: "lea@example.org",
      username: undefined,
      groups: ["translators"],
    });
  });

  it("is asked with PKCE, a state and a nonce of their own each time", async () => {
    const made = await madeProvider();
    const provider = new Provider(made.options);
    const first = new URL((await provider.begin()).url).searchParams;
    const second = new URL((await provider.begin()).url).searchParams;
    expect(Object.fromEntries(first)).toMatchObject({
      response_type: "code",
      client_id: clientId,
      scope: "openid profile",
      redirect_uri: "http://localhost:4488/sign-in/oidc/callback",
      code_challenge_method: "S256",
    });
    for (const name of ["state", "nonce", "code_challenge"])
      expect(first.get(name)).not.toBe(second.get(name));
    expect(made.asked.get("/.well-known/openid-configuration")).toBe(1);
  });

  it("may name the groups at userinfo alone", async () => {
    const claims = without("groups");
    expect(await signIn({ claims, userinfo: { groups: ["a"] } })).toMatchObject({ groups: ["a"] });
    expect(await signIn({ claims })).toMatchObject({ groups: undefined });
  });

  it("has the last word on groups in the ID token", async () => {
    const claims = (honest: object) => ({ ...honest, groups: [] });
    expect(await signIn({ claims, userinfo: { groups: ["admins"] } })).toMatchObject({ groups: [] });
  });

  it("may have a clock that differs by almost a minute", async () => {
    const slow = (honest: object) => ({ ...honest, iat: now() - 350, exp: now() - 50 });
    const fast = (honest: object) => ({ ...honest, iat: now() + 50, exp: now() + 350 });
    for (const claims of [slow, fast]) expect(await signIn({ claims })).toMatchObject({ sub: "1" });
  });
});

describe("a sign-in is refused for", () => {
  const other = "https://other.example.org";

  it.each<[string, Lies]>([
    ["an ID token of another issuer", { claims: (honest) => ({ ...honest, iss: other }) }],
    ["an ID token for another audience", { claims: (honest) => ({ ...honest, aud: "other" }) }],
    [
      "an ID token for several audiences, and authorised for another",
      {
        claims: (honest) => ({ ...honest, aud: [clientId, "other"], azp: "other" }),
      },
    ],
    ["an ID token with another nonce", { claims: (honest) => ({ ...honest, nonce: "other" }) }],
    ["an ID token without a nonce", { claims: without("nonce") }],
    ["an ID token that has expired", { claims: (honest) => ({ ...honest, exp: now() - 70 }) }],
    ["an ID token that never expires", { claims: without("exp") }],
    ["an ID token from the future", { claims: (honest) => ({ ...honest, iat: now() + 70 }) }],
    ["an ID token that is not yet valid", { claims: (honest) => ({ ...honest, nbf: now() + 70 }) }],
    ["an ID token without a time", { claims: without("iat") }],
    ["an ID token without a subject", { claims: without("sub") }],
    ["an empty subject", { claims: (honest) => ({ ...honest, sub: "" }) }],
    ["an endless subject", { claims: (honest) => ({ ...honest, sub: "x".repeat(256) }) }],
    [
      "userinfo about another person",
      {
        claims: without("groups"),
        userinfo: { sub: "2", groups: ["admins"] },
      },
    ],
    ["a key that the provider does not name", { header: { kid: "other" } }],
  ])("%s", async (_, lies) => {
    await expect(signIn(lies)).rejects.toSatisfy((error) => isFailure(error, "unauthenticated"));
  });

  it("a signature by another key", async () => {
    const { privateKey } = await generateKeyPair("ES256");
    const sign: Lies["sign"] = (claims) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: "ES256", kid: "key-1" }).sign(privateKey);
    await expect(signIn({ sign })).rejects.toThrow("The sign-in was refused: ");
  });

  it("a signature of other claims", async () => {
    const made = await madeProvider();
    made.lies = {
      sign: async (claims) => {
        const [header, , signature] = (await made.sign(claims)).split(".");
        const payload = Buffer.from(JSON.stringify({ ...claims, groups: ["admins"] })).toString("base64url");
        return `${header}.${payload}.${signature}`;
      },
    };
    const provider = new Provider(made.options);
    const { url, request } = await provider.begin();
    await expect(provider.finish(made.authorize(url).toString(), request)).rejects.toThrow("refused");
  });

  it.each(["none", "None", "NONE"])("alg: %s, also where the provider claims to use it", async (alg) => {
    const sign: Lies["sign"] = async (claims) => forged({ alg }, claims);
    await expect(signIn({ sign })).rejects.toThrow("refused");
    const metadata: Lies["metadata"] = (honest) => ({
      ...honest,
      id_token_signing_alg_values_supported: ["ES256", alg],
    });
    await expect(signIn({ sign, metadata })).rejects.toThrow("refused");
  });

  it.each(["the client's secret", "the provider's public key"])("a signature made with %s", async (what) => {
    const made = await madeProvider();
    const pem = await exportSPKI(made.publicKey);
    made.lies = {
      metadata: (honest) => ({ ...honest, id_token_signing_alg_values_supported: ["ES256", "HS256"] }),
      sign: async (claims) => {
        const unsigned = forged({ alg: "HS256", kid: "key-1" }, claims).slice(0, -1);
        const secret = what.startsWith("the client") ? clientSecret : pem;
        return `${unsigned}.${createHmac("sha256", secret).update(unsigned).digest("base64url")}`;
      },
    };
    const provider = new Provider(made.options);
    const { url, request } = await provider.begin();
    await expect(provider.finish(made.authorize(url).toString(), request)).rejects.toThrow("refused");
  });

  it("an answer of a mixed-up provider", async () => {
    const change = (search: URLSearchParams): void => search.set("iss", other);
    await expect(signIn({}, change)).rejects.toThrow("refused");
  });

  it.each<[string, (search: URLSearchParams) => void]>([
    ["a state that another browser was given", (search) => search.set("state", "stolen")],
    ["no state", (search) => search.delete("state")],
    ["two states", (search) => search.append("state", "stolen")],
    ["no code", (search) => search.delete("code")],
    ["two codes", (search) => search.append("code", "code-0")],
    ["an unknown code", (search) => search.set("code", "other")],
    ["an ID token in the address", (search) => search.set("id_token", "a.b.c")],
  ])("%s", async (_, change) => {
    await expect(signIn({}, change)).rejects.toSatisfy((error) => isFailure(error, "unauthenticated"));
  });

  it("a code with the verifier of another browser", async () => {
    const made = await madeProvider();
    const provider = new Provider(made.options);
    const [own, stolen] = [await provider.begin(), await provider.begin()];
    const search = made.authorize(stolen.url);
    search.set("state", own.request.state);
    await expect(provider.finish(search.toString(), own.request)).rejects.toThrow("invalid_grant");
  });

  it("a request that began at another provider", async () => {
    const made = await madeProvider();
    const provider = new Provider(made.options);
    const { url, request } = await provider.begin();
    const search = made.authorize(url).toString();
    await expect(provider.finish(search, { ...request, issuer: other })).rejects.toThrow("was changed");
  });

  it("what the provider refuses, in its own words where they are a word", async () => {
    const denied = (error: string) => (search: URLSearchParams) => {
      search.delete("code");
      search.set("error", error);
      search.set("error_description", "<b>password=hunter2</b>");
    };
    await expect(signIn({}, denied("access_denied"))).rejects.toThrow("refused: access_denied.");
    const error: unknown = await signIn({}, denied("<script>")).catch((thrown: unknown) => thrown);
    expect(String(error)).not.toMatch(/script|hunter2/);
  });

  it("groups that Entra left out, by name", async () => {
    const claims: Lies["claims"] = (honest) => ({
      ...without("groups")(honest),
      _claim_names: { groups: "src1" },
      _claim_sources: { src1: { endpoint: "https://graph.example.org/groups" } },
    });
    const userinfo = { groups: ["admins"] };
    await expect(signIn({ claims, userinfo })).rejects.toSatisfy(
      (error) => isFailure(error, "forbidden") && error.message.includes("Example left out your groups"),
    );
  });
});

describe("a provider that is down", () => {
  const isBusy = (error: unknown): boolean =>
    isFailure(error, "busy") && error.message === "Example cannot be reached just now; try again soon.";
  const always =
    (status: number, body = ""): Lies["answer"] =>
    (_, response) => {
      response.writeHead(status, { "content-type": "application/json" }).end(body);
      return true;
    };

  it.each<[string, Lies]>([
    ["answers with an error", { answer: always(500) }],
    ["answers with nothing that means anything", { answer: always(200, "<html>") }],
    ["answers with an address elsewhere", { answer: always(302) }],
    ["answers with very much", { answer: always(200, " ".repeat(2 * 1024 * 1024)) }],
    ["calls itself something else", { metadata: (honest) => ({ ...honest, issuer: "http://localhost:1" }) }],
    ["names no keys", { metadata: without("jwks_uri") }],
    ["closes the connection", { answer: (_, response) => response.destroy().destroyed }],
  ])("%s", async (_, lies) => {
    await expect(signIn(lies)).rejects.toSatisfy(isBusy);
  });

  it("says nothing, for so long", async () => {
    const made = await madeProvider({ answer: () => true });
    const provider = new Provider(made.options, { timeoutMs: 20 });
    await expect(provider.begin()).rejects.toSatisfy(isBusy);
  });

  it("may be there again the next time", async () => {
    const made = await madeProvider({ answer: always(503) });
    const provider = new Provider(made.options);
    await expect(provider.begin()).rejects.toSatisfy(isBusy);
    made.lies = {};
    expect((await provider.begin()).url).toContain(made.issuer);
  });

  it("is down when it fails between the code and the tokens", async () => {
    const made = await madeProvider();
    const provider = new Provider(made.options);
    const { url, request } = await provider.begin();
    made.lies = { answer: always(502) };
    await expect(provider.finish(made.authorize(url).toString(), request)).rejects.toSatisfy(isBusy);
  });
});

describe("a logout token", () => {
  const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
  const honest = (made: MadeProvider) => ({
    iss: made.issuer,
    sub: "1",
    aud: clientId,
    iat: now(),
    exp: now() + 120,
    jti: "a",
    events,
  });

  it("says who has signed out, and when", async () => {
    const made = await madeProvider();
    const token = await made.sign(honest(made));
    expect(await new Provider(made.options).verifyLogout(token)).toEqual({
      iss: made.issuer,
      sub: "1",
      at: expect.closeTo(now(), -1),
    });
  });

  it.each<[string, Readonly<Record<string, unknown>>, object]>([
    ["the session at the provider alone", { sub: undefined, sid: "s" }, { session: "s" }],
    ["the person and the session", { sid: "s" }, { sub: "1", session: "s" }],
  ])("may name %s", async (_, claims, who) => {
    const made = await madeProvider();
    const token = await made.sign({ ...honest(made), ...claims });
    const at = expect.closeTo(now(), -1);
    expect(await new Provider(made.options).verifyLogout(token)).toEqual({ iss: made.issuer, at, ...who });
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["is of another issuer", { iss: "https://other.example.org" }],
    ["is for another audience", { aud: "other" }],
    ["has a nonce, as ID tokens have", { nonce: "n" }],
    ["has no event", { events: undefined }],
    ["has another event", { events: { "https://example.org/other": {} } }],
    [
      "has an event that is no object",
      { events: { "http://schemas.openid.net/event/backchannel-logout": true } },
    ],
    ["does not say who", { sub: undefined }],
    ["has an empty subject", { sub: "" }],
    ["has an empty session", { sid: "" }],
    ["has a session that is no text", { sid: 1 }],
    ["has no id", { jti: undefined }],
    ["has an empty id", { jti: "" }],
    ["never expires", { exp: undefined }],
    ["is from the future", { iat: now() + 3600 }],
    ["has no time", { iat: undefined }],
    ["has expired", { exp: now() - 70 }],
  ])("is refused that %s", async (_, lie) => {
    const made = await madeProvider();
    const token = await made.sign({ ...honest(made), ...lie });
    await expect(new Provider(made.options).verifyLogout(token)).rejects.toSatisfy((error) =>
      isFailure(error, "unauthenticated"),
    );
  });

  it("is refused that nobody signed, or another key did", async () => {
    const made = await madeProvider();
    const provider = new Provider(made.options);
    const { privateKey } = await generateKeyPair("ES256");
    const wrong = [
      forged({ alg: "none" }, honest(made)),
      forged({ alg: "ES256", kid: "key-1" }, honest(made), "AAAA"),
      await new SignJWT(honest(made)).setProtectedHeader({ alg: "ES256", kid: "key-1" }).sign(privateKey),
      await new SignJWT(honest(made))
        .setProtectedHeader({ alg: "HS256" })
        .sign(Buffer.from(clientSecret.padEnd(32))),
      "",
      "a.b.c",
    ];
    for (const token of wrong) {
      await expect(provider.verifyLogout(token)).rejects.toSatisfy((error) =>
        isFailure(error, "unauthenticated"),
      );
    }
  });
});
