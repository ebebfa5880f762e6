/** Programs that get a token of a person in the person's browser, also by the client of the Model Context Protocol's SDK. */
import { createHash, randomBytes } from "node:crypto";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { beforeEach, describe, expect, it } from "vitest";
import type { Ability } from "../../../src/domain/access/token.ts";
import { toTeamName } from "../../../src/domain/names.ts";
import { invitePerson } from "../../../src/service/people/invitations.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { oauthClient } from "../../helpers/people/oauth-client.ts";
import { changeStored, makePerson } from "../../helpers/people/people.ts";
import { ownerGrant } from "../../helpers/people/tokens.ts";
import { appOn, makeHive, makeToken, memoryStorage } from "../../helpers/storage.ts";
import { browse, host, type ConsoleBrowser, type Page } from "../console/browse.ts";

const publicUrl = `http://${host}`;
const redirect = "https://chat.example/callback";
const verifier = randomBytes(32).toString("base64url");
const challenge = createHash("sha256").update(verifier).digest("base64url");
let clock: { now: number };
let storage: Storage;
let ask: (path: string, init?: RequestInit) => Promise<Response>;

beforeEach(async () => {
  clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  storage = memoryStorage({ now: () => clock.now });
  await makeHive(storage, "web", { locales: ["fr"] });
  ask = askingAt({ publicUrl });
});

function askingAt(options: Parameters<typeof appOn>[1]): typeof ask {
  const { app } = appOn(storage, options);
  return async (path, init) => app.fetch(new Request(new URL(path, publicUrl), init));
}

/** A person who has signed in. */
async function signedIn(
  abilities: readonly Ability[] = ["read", "write", "approve"],
  at = publicUrl,
): Promise<ConsoleBrowser> {
  const person = await makePerson(storage, { id: "anna", name: "Anna", abilities });
  const { url } = await invitePerson(storage, ownerGrant(toTeamName("acme")), person.id, at);
  const browser = browse(storage, { publicUrl: at });
  const code = new URL(url).searchParams.get("code") ?? "";
  await browser.post("/invitation", { code, password: "twelve letters" });
  return browser;
}

async function json(response: Response) {
  const body = JSON.parse(await response.text());
  return { status: response.status, body };
}

function register(body: object, as = ask) {
  const headers = { "content-type": "application/json" };
  return as("/oauth/register", { method: "POST", headers, body: JSON.stringify(body) }).then(json);
}

async function registered(...redirects: readonly string[]): Promise<string> {
  const uris = redirects.length === 0 ? [redirect] : redirects;
  const { body } = await register({ client_name: "Chat", redirect_uris: uris });
  return body.client_id;
}

function take(fields: Record<string, string>, as = ask) {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ grant_type: "authorization_code", ...fields }).toString();
  return as("/oauth/token", { method: "POST", headers, body }).then(json);
}

function queryOf(client: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    response_type: "code",
    client_id: client,
    redirect_uri: redirect,
    state: "a b&c",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...more,
  };
}

function pageOf(query: Record<string, string>): string {
  return `/oauth/authorize?${new URLSearchParams(query).toString()}`;
}

/** Where a page sends the browser by itself. */
function goesTo({ headers }: Page): URL | undefined {
  const [, address] = /^0;url=(.*)$/.exec(headers.get("refresh") ?? "") ?? [];
  return address === undefined ? undefined : new URL(address);
}

/** Presses the button that allows what is chosen. */
async function allow(
  browser: ConsoleBrowser,
  query: Record<string, string>,
  chosen: readonly string[] = ["read", "write"],
): Promise<Page> {
  const fields = new URLSearchParams({ ...query, form_key: await browser.formKey() });
  for (const ability of chosen) fields.append("abilities", ability);
  return browser.send("/oauth/authorize/allow", fields);
}

/** A code that a person has allowed, with what its program sends for a token. */
async function allowed(browser: ConsoleBrowser, chosen?: readonly string[], more?: Record<string, string>) {
  const client = await registered();
  const code = goesTo(await allow(browser, queryOf(client, more), chosen))?.searchParams.get("code") ?? "";
  return { code, client_id: client, redirect_uri: redirect, code_verifier: verifier };
}

describe("a client of the Model Context Protocol", () => {
  it("registers itself, is allowed in the browser, and works in the name of the person", async () => {
    // The client sends a code over TLS alone.
    const secure = `https://${host}`;
    const at = askingAt({ publicUrl: secure });
    const browser = await signedIn(undefined, secure);
    let answer = new URLSearchParams();
    const { kept, authProvider } = oauthClient(redirect, async ({ pathname, search, searchParams }) => {
      const { text } = await browser.get(`${pathname}${search}`);
      expect(text).toContain("calls itself Chat");
      expect(text).toContain("chat.example");
      const to = goesTo(await allow(browser, Object.fromEntries(searchParams)));
      expect(to?.searchParams.get("iss")).toBe(secure);
      answer = to?.searchParams ?? answer;
    });
    const open = () =>
      new StreamableHTTPClientTransport(new URL(`${secure}/mcp`), {
        authProvider,
        fetch: async (url, init) => at(String(url), init),
      });
    const first = open();
    await expect(new Client({ name: "test", version: "1" }).connect(first)).rejects.toThrow(
      UnauthorizedError,
    );
    await first.finishAuth(answer);
    const connected = new Client({ name: "test", version: "1" });
    await connected.connect(open());
    const { content } = await connected.callTool({ name: "hives", arguments: {} });
    expect(JSON.stringify(content)).toContain("web");
    expect((await browser.get("/account")).text).toContain("Chat");
    await browser.submit("/account/tokens/revoke", { token: kept.tokens?.access_token.split("_")[1] ?? "" });
    await expect(connected.callTool({ name: "hives", arguments: {} })).rejects.toThrow();
  });
});

describe("the metadata", () => {
  it("names the addresses below the one of the server, and where to find them", async () => {
    const at = askingAt({ publicUrl: "https://example.org/skep" });
    const resource = { resource: "https://example.org/skep/mcp" };
    for (const path of ["", "/mcp"]) {
      const { body } = await json(await at(`/.well-known/oauth-protected-resource${path}`));
      expect(body).toMatchObject({ ...resource, authorization_servers: ["https://example.org/skep"] });
    }
    for (const name of ["oauth-authorization-server", "openid-configuration"]) {
      const { body } = await json(await at(`/.well-known/${name}`, { headers: { accept: "text/html" } }));
      expect(body).toMatchObject({
        issuer: "https://example.org/skep",
        token_endpoint: "https://example.org/skep/oauth/token",
        code_challenge_methods_supported: ["S256"],
        scopes_supported: ["read", "write", "approve"],
      });
    }
    const { status, headers } = await at("/mcp", { method: "POST" });
    expect([status, headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="skep", resource_metadata="https://example.org/skep/.well-known/oauth-protected-resource/mcp"',
    ]);
  });

  it.each([{}, { publicUrl, console: "off" as const }])("is not there with %j", async (options) => {
    const at = askingAt(options);
    const { status, body } = await json(await at("/.well-known/oauth-authorization-server"));
    expect([status, body.code]).toEqual([501, "not_implemented"]);
    expect((await register({ redirect_uris: [redirect] }, at)).status).toBe(501);
    expect((await at("/mcp", { method: "POST" })).headers.get("www-authenticate")).toBe(
      'Bearer realm="skep"',
    );
  });
});

describe("an address that a program registers", () => {
  it.each([
    [redirect, true],
    ["https://chat.example/callback?tenant=1", true],
    ["http://127.0.0.1:33418", true],
    ["http://localhost/cb", true],
    ["http://[::1]:1/", true],
    ["cursor://anysphere.cursor-mcp/oauth/callback", true],
    ["vscode://vscode.github-authentication/did-authenticate", true],
    ["http://chat.example/callback", false],
    ["http://localhost.chat.example/", false],
    ["http://localhost:80@chat.example/", false],
    ["https://user@chat.example/", false],
    ["https://chat.example/#fragment", false],
    ["https://chat.example/#", false],
    ["javascript:alert(1)", false],
    ["JavaScript:alert(1)", false],
    ["data:text/html,x", false],
    ["file:///etc/passwd", false],
    [" https://chat.example/", false],
    ["https://chat.example/\n", false],
    ["/callback", false],
    ["", false],
  ])("%j: %j", async (uri, isTaken) => {
    const { status, body } = await register({ client_name: "Chat", redirect_uris: [uri] });
    expect([status, body.error]).toEqual(isTaken ? [201, undefined] : [400, "invalid_redirect_uri"]);
  });

  it("is there, and of a bounded length with all others", async () => {
    expect((await register({ redirect_uris: [] })).body.error).toBe("invalid_redirect_uri");
    expect((await register({ redirect_uris: "x" })).body.error).toBe("invalid_client_metadata");
    expect((await register({})).body.error).toBe("invalid_client_metadata");
    for (const uris of [Array(11).fill(redirect), [`${redirect}?${"x".repeat(1_500)}`]])
      expect((await register({ redirect_uris: uris })).body.error).toBe("invalid_client_metadata");
    const headers = { "content-type": "application/json" };
    const large = { method: "POST", headers, body: JSON.stringify({ x: "y".repeat(20_000) }) };
    expect((await ask("/oauth/register", large)).status).toBe(413);
  });
});

describe("the page", () => {
  it("asks whoever is not signed in to sign in first, and leads back", async () => {
    const client = await registered();
    const { status, headers } = await browse(storage, { publicUrl }).get(pageOf(queryOf(client)));
    expect(status).toBe(303);
    const [, query] = (headers.get("location") ?? "").split("?");
    expect(`/${new URLSearchParams(query).get("to")}`).toBe(pageOf(queryOf(client)));
  });

  it("lets a program reach the window that it has opened, and no other site the windows of other pages", async () => {
    const browser = await signedIn();
    const policy = async (path: string) =>
      (await browser.get(path)).headers.get("cross-origin-opener-policy");
    expect(await policy(pageOf(queryOf(await registered())))).toBe(null);
    expect(await policy("/account")).toBe("same-origin");
  });

  it.each<[string, Record<string, string>]>([
    ["client_id", { client_id: "x" }],
    ["client_id", { client_id: "e30.x" }],
    ["redirect_uri", { redirect_uri: "https://evil.example/callback" }],
    ["redirect_uri", { redirect_uri: `${redirect}/more` }],
    ["redirect_uri", { redirect_uri: "" }],
    ["state", { state: "x".repeat(2_001) }],
  ])("sends the browser nowhere where %s is wrong: %j", async (_, wrong) => {
    const browser = await signedIn();
    const query = queryOf(await registered(), wrong);
    for (const page of [await browser.get(pageOf(query)), await allow(browser, query)]) {
      expect(page.status).toBe(422);
      expect(page.headers.get("refresh")).toBe(null);
      expect(page.html).not.toMatch(/(?:href|action)="[^"]*\/\/evil/);
    }
  });

  it.each<[string, Record<string, string>]>([
    ["unsupported_response_type", { response_type: "token" }],
    ["invalid_request", { code_challenge: "" }],
    ["invalid_request", { code_challenge: "short" }],
    ["invalid_request", { code_challenge_method: "plain" }],
    ["invalid_target", { resource: "https://other.example/mcp" }],
  ])("tells the program %s: %j", async (error, wrong) => {
    const browser = await signedIn();
    const query = queryOf(await registered(), wrong);
    for (const page of [await browser.get(pageOf(query)), await allow(browser, query)]) {
      const { origin, searchParams } = goesTo(page) ?? new URL("http://none");
      expect([origin, searchParams.get("error")]).toEqual(["https://chat.example", error]);
      expect([searchParams.get("state"), searchParams.get("code")]).toEqual(["a b&c", null]);
    }
  });

  it("tells the program that the person has refused", async () => {
    const browser = await signedIn();
    const page = await browser.submit("/oauth/authorize/refuse", queryOf(await registered()));
    expect(goesTo(page)?.searchParams.get("error")).toBe("access_denied");
  });

  it("goes to whatever port a program on the machine has now", async () => {
    const browser = await signedIn();
    const client = await registered("http://127.0.0.1:1/cb");
    for (const [uri, host_] of [
      ["http://127.0.0.1:49152/cb", "127.0.0.1:49152"],
      ["http://127.0.0.1/cb", "127.0.0.1"],
    ] as const)
      expect(goesTo(await allow(browser, queryOf(client, { redirect_uri: uri })))?.host).toBe(host_);
    for (const uri of ["http://localhost:1/cb", "http://127.0.0.1:1/other", "https://127.0.0.1:1/cb"])
      expect((await browser.get(pageOf(queryOf(client, { redirect_uri: uri })))).status).toBe(422);
  });

  it("shows a name as text, whatever it is", async () => {
    const browser = await signedIn();
    const { body } = await register({ client_name: "<b>Chat</b>\u202e\n", redirect_uris: [redirect] });
    const { html, text } = await browser.get(pageOf(queryOf(body.client_id)));
    expect(text).toContain("calls itself <b>Chat</b>");
    expect(html).not.toContain("<b>Chat</b>");
  });

  it("is for persons: a token, which may do less than its person, allows nothing", async () => {
    const browser = browse(storage, { publicUrl });
    await browser.signIn(await makeToken(storage, { abilities: ["admin"] }));
    const query = queryOf(await registered());
    expect((await browser.get(pageOf(query))).status).toBe(403);
    expect((await allow(browser, query)).status).toBe(403);
  });
});

describe("what a program may do", () => {
  it.each<[Ability[], string | undefined, string[], string | undefined]>([
    [["read", "write", "approve"], undefined, ["read", "write"], "read write"],
    [["read", "write", "approve"], "read write approve", ["read", "approve"], "read approve"],
    [["read", "write", "approve"], "read", ["read", "write"], "read"],
    [["read", "write", "approve"], "read admin", ["read", "admin"], "read"],
    [["read", "write", "approve"], "openid profile", ["read"], "read"],
    [["admin"], "read write approve", ["read", "write", "approve"], "read write approve"],
    [["read"], "read write", ["read", "write"], "read"],
    [["read", "write"], undefined, [], undefined],
    [["read"], "write", ["write"], undefined],
  ])("of %j, asked for %j, where %j is chosen: %j", async (own, scope, chosen, given) => {
    const browser = await signedIn(own);
    const fields = await allowed(browser, chosen, scope === undefined ? {} : { scope });
    const { body } = await take(fields);
    expect(body.scope).toBe(given);
  });

  it("is never more than the person may do by then", async () => {
    const browser = await signedIn();
    const fields = await allowed(browser, ["read", "write"]);
    const person = (await storage.registry.people()).find(({ id }) => id === "anna");
    if (person !== undefined) await changeStored(storage, { ...person, abilities: ["read"] });
    expect((await take(fields)).body.scope).toBe("read");
  });
});

describe("a code", () => {
  it("is good for one token, which ends as others of persons do", async () => {
    const fields = await allowed(await signedIn());
    const { status, body } = await take(fields);
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^skep_/),
        token_type: "Bearer",
        scope: "read write",
        expires_in: 90 * 24 * 60 * 60,
      },
    ]);
    const authorization = `Bearer ${body.access_token}`;
    expect((await ask("/api/me", { headers: { authorization } })).status).toBe(200);
    expect(await take(fields)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("is good for one of two that come at once, also at two servers", async () => {
    const fields = await allowed(await signedIn());
    const other = askingAt({ publicUrl });
    const answers = await Promise.all([take(fields), take(fields, other), take(fields)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  });

  it.each<[string, string, Record<string, string>]>([
    ["invalid_grant", "the code of nobody", { code: "x" }],
    ["invalid_grant", "another verifier", { code_verifier: "x".repeat(43) }],
    ["invalid_grant", "a short verifier", { code_verifier: "x" }],
    ["invalid_grant", "another address", { redirect_uri: `${redirect}/x` }],
    ["invalid_client", "no client", { client_id: "x" }],
    ["invalid_target", "another resource", { resource: "https://other.example" }],
    ["invalid_request", "nothing to prove it", { code_verifier: "" }],
    ["unsupported_grant_type", "another grant", { grant_type: "refresh_token" }],
  ])("gives %s for %s", async (error, _, wrong) => {
    const fields = await allowed(await signedIn());
    expect(await take({ ...fields, ...wrong })).toMatchObject({ status: 400, body: { error } });
  });

  it("is used up by a wrong guess, and is of one client", async () => {
    const browser = await signedIn();
    const fields = await allowed(browser);
    await take({ ...fields, code_verifier: "x".repeat(43) });
    expect((await take(fields)).body.error).toBe("invalid_grant");
    const more = await allowed(browser);
    expect((await take({ ...more, client_id: await registered("https://b.example") })).body.error).toBe(
      "invalid_grant",
    );
  });

  it("ends after a minute, and with the person", async () => {
    const browser = await signedIn();
    const late = await allowed(browser);
    clock.now += 60_000;
    expect((await take(late)).body.error).toBe("invalid_grant");
    const left = await allowed(browser);
    const manager = { authorization: `Bearer ${await makeToken(storage, { abilities: ["admin"] })}` };
    expect((await ask("/api/people/anna", { method: "DELETE", headers: manager })).status).toBe(200);
    expect((await take(left)).body.error).toBe("invalid_grant");
  });

  it("is audited as a way to sign in", async () => {
    const browser = await signedIn();
    await take(await allowed(browser));
    const manager = { authorization: `Bearer ${await makeToken(storage, { abilities: ["admin"] })}` };
    const { body } = await json(await ask("/api/audit?event=signed_in", { headers: manager }));
    expect(body.data).toContainEqual(expect.objectContaining({ person: "anna", method: "oauth" }));
  });
});
