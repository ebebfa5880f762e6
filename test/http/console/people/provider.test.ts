/** Signing in at an identity provider, as a browser does it. */
import { beforeEach, describe, expect, it } from "vitest";
import { toTeamName } from "../../../../src/domain/names.ts";
import { Provider } from "../../../../src/service/people/provider.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { clientId, madeProvider, type MadeProvider } from "../../../helpers/people/made-provider.ts";
import { realProvider } from "../../../helpers/people/real-provider.ts";
import { makeHive, makeToken, memoryStorage } from "../../../helpers/storage.ts";
import { browse, host, type ConsoleBrowser, type Page } from "../browse.ts";

const rules = {
  groups: [{ group: "translators", team: toTeamName("acme"), abilities: ["read"], hives: "all" }],
} as const;
const publicUrl = `https://${host}`;

let storage: Storage;
let made: MadeProvider;
let provider: Provider;
let browser: ConsoleBrowser;

beforeEach(async () => {
  storage = memoryStorage();
  await makeHive(storage, "web");
  made = await madeProvider();
  provider = new Provider({ ...made.options, rules, publicUrl });
  browser = open();
});

function open(at = provider): ConsoleBrowser {
  return browse(storage, { provider: at, publicUrl, signIn: new Set(["token", "oidc"]) });
}

/** Goes to the provider. @returns the address there. */
async function leave(from = browser, to = ""): Promise<string> {
  const { status, headers } = await from.get(`/sign-in/oidc?${new URLSearchParams({ to }).toString()}`);
  expect(status).toBe(303);
  return headers.get("location") ?? "";
}

const back = (query: string | URLSearchParams, to = browser): Promise<Page> =>
  to.get(`/sign-in/oidc/callback?${query.toString()}`);

describe("the sign-in page", () => {
  it("leads to the provider, and back to the page that was asked for", async () => {
    const page = await browser.get("/?to=hives%2Fweb");
    expect(page.html).toContain('href="./sign-in/oidc?to=hives%2Fweb"');
    expect(page.text).toContain("Sign in with Example");
    const url = await leave(browser, "hives/web?x=1");
    expect(url).toMatch(new RegExp(`^${made.issuer}/authorize\\?`));
    const done = await back(made.authorize(url));
    expect([done.status, done.headers.get("refresh")]).toEqual([200, "0; url=../../hives/web?x=1"]);
    expect(done.html).toContain('<a href="../../hives/web?x=1">');
    expect((await browser.get("/hives/web")).status).toBe(200);
  });

  it("may be at another server of the storage than the one that the provider leads back to", async () => {
    const other = open(new Provider({ ...made.options, rules, publicUrl }));
    const answer = made.authorize(await leave(browser, "hives/web"));
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    expect((await back(answer, other)).status).toBe(200);
    expect((await other.get("/hives/web")).status).toBe(200);
  });

  it("has no such link on a server without a provider, and nothing at the addresses", async () => {
    const without = browse(storage);
    expect((await without.get("/")).text).not.toContain("Sign in with Example");
    for (const path of ["/sign-in/oidc", "/sign-in/oidc/callback"]) {
      expect((await without.get(path)).status).toBe(404);
    }
  });

  it("has no token form where tokens are no way to sign in", async () => {
    const only = browse(storage, { provider, publicUrl, signIn: new Set(["oidc"]) });
    expect((await only.get("/")).html).not.toContain('name="token"');
    expect((await only.signIn(await makeToken(storage))).status).toBe(403);
  });
});

describe("cookies", () => {
  it("of the way last ten minutes, and come along from the provider; those of the session never do", async () => {
    const { headers } = await browser.get("/sign-in/oidc");
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-skep-oidc=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    const done = await back(made.authorize(headers.get("location") ?? ""));
    expect(done.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-skep=.*; Max-Age=86400; HttpOnly; SameSite=Strict; Secure$/),
      expect.stringMatching(/^__Host-skep-device=.*; SameSite=Strict; Secure$/),
      expect.stringMatching(/^__Host-skep-oidc=; .*Max-Age=0;/),
    ]);
    expect([...browser.cookies.keys()]).toEqual(["__Host-skep", "__Host-skep-device"]);
  });

  it("of the way hold nothing that the client's secret could be read from", async () => {
    await leave();
    const [content = ""] = (browser.cookies.get("__Host-skep-oidc") ?? "").split(".");
    expect(Buffer.from(content, "base64url").toString()).not.toContain(made.options.clientSecret);
  });

  it("are set where the provider sends the browser back, whatever address was opened", async () => {
    const { status, headers } = await browser.get("/sign-in/oidc?to=x", { host: "10.0.0.1:4488" });
    const there = `${publicUrl}/sign-in/oidc?to=x&there=yes`;
    expect([status, headers.get("location"), headers.getSetCookie()]).toEqual([303, there, []]);
    const hidden = await browser.get("/sign-in/oidc?to=x&there=yes", { host: "10.0.0.1:4488" });
    expect(hidden.headers.get("location")).toContain(made.issuer);
  });
});

describe("an open redirect", () => {
  it.each([
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "javascript:alert(1)",
    "..//evil.example",
    "hives/../..//evil.example",
    "\r\nset-cookie: a=b",
    "%0d%0aset-cookie: a=b",
    "x; url=https://evil.example",
  ])("is none: %j stays on this server", async (to) => {
    const done = await back(made.authorize(await leave(browser, to)));
    const refresh = done.headers.get("refresh") ?? "";
    expect(refresh).toMatch(/^0; url=\.\.\/\.\.\/[^;,\s]*$/);
    const target = new URL(refresh.replace("0; url=", ""), `${publicUrl}/sign-in/oidc/callback`);
    expect(target.origin).toBe(publicUrl);
    expect(done.headers.get("a")).toBeNull();
    expect(done.headers.getSetCookie()).toHaveLength(3);
  });

  it("is none in what the provider answers, either", async () => {
    const search = made.authorize(await leave());
    search.set("to", "https://evil.example");
    search.set("redirect_uri", "https://evil.example");
    expect((await back(search)).headers.get("refresh")).toBe("0; url=../../");
  });

  it("is none: an address that is too long for a cookie leads to the first page", async () => {
    const done = await back(made.authorize(await leave(browser, "x".repeat(5_000))));
    expect(done.headers.get("refresh")).toBe("0; url=../../");
  });
});

describe("an answer", () => {
  it("that is replayed is refused, and the form for tokens is there", async () => {
    const search = made.authorize(await leave());
    expect((await back(search)).status).toBe(200);
    const again = await back(search);
    expect([again.status, again.text]).toEqual([
      401,
      expect.stringContaining("did not begin in this browser"),
    ]);
    expect(again.html).toContain('name="token"');
  });

  it("that somebody else's browser was to get is refused", async () => {
    const stolen = made.authorize(await leave());
    const victim = open();
    expect((await back(stolen, victim)).status).toBe(401);
    await leave(victim);
    const { status, headers } = await back(stolen, victim);
    expect([status, headers.getSetCookie()]).toEqual([
      401,
      [expect.stringMatching(/^__Host-skep-oidc=; .*Max-Age=0;/)],
    ]);
    expect((await victim.get("/hives/web")).status).toBe(303);
  });

  it("that refuses is shown in the server's own words", async () => {
    const state = new URL(await leave()).searchParams.get("state") ?? "";
    const description = "<script>alert(1)</script> call 555";
    const denied = { state, error: "access_denied", error_description: description, iss: made.issuer };
    const { status, text, html } = await back(new URLSearchParams(denied));
    expect([status, text]).toEqual([401, expect.stringContaining("refused: access_denied.")]);
    expect(html).not.toContain("555");
  });

  it("of somebody without a group is refused with a 403", async () => {
    made.lies = { claims: (honest) => ({ ...honest, groups: [] }) };
    const { status, text } = await back(made.authorize(await leave()));
    expect([status, text]).toEqual([
      403,
      expect.stringContaining("None of your groups at Example gives you access here."),
    ]);
  });
});

it("a provider that is down is named with a 503, beside the form for tokens", async () => {
  made.lies = {
    answer: (_, response) => {
      response.writeHead(500).end();
      return true;
    },
  };
  const { status, text, html } = await browser.get("/sign-in/oidc");
  expect([status, text]).toEqual([503, expect.stringContaining("Example cannot be reached just now")]);
  expect(html).toContain('name="token"');
  expect((await browser.signIn(await makeToken(storage))).status).toBe(303);
});

describe("POST /sign-in/oidc/logout", () => {
  const events = { "http://schemas.openid.net/event/backchannel-logout": {} };

  async function logout(token: string): Promise<Page> {
    // The provider sends neither cookies nor an origin.
    const headers = { origin: "", accept: "*/*" };
    return open().post("/sign-in/oidc/logout", { logout_token: token }, headers);
  }

  it("ends sessions at their next request", async () => {
    await back(made.authorize(await leave()));
    expect((await browser.get("/hives/web")).status).toBe(200);
    const iat = Math.floor(Date.now() / 1000);
    const token = await made.sign({
      iss: made.issuer,
      aud: clientId,
      jti: "a",
      sub: "1",
      iat,
      exp: iat + 120,
      events,
    });
    const { status, headers } = await logout(token);
    expect([status, headers.get("cache-control")]).toEqual([200, expect.stringContaining("no-store")]);
    expect((await browser.get("/hives/web")).status).toBe(303);
  });

  it.each(["", "nonsense", "a.b.c"])("refuses %j with a 400", async (token) => {
    const { status, html } = await logout(token);
    expect([status, JSON.parse(html).error]).toEqual([400, "invalid_request"]);
  });

  it("refuses what is too large, and a server without a provider", async () => {
    expect((await logout("x".repeat(40_000))).status).toBe(413);
    const { status } = await browse(storage).post("/sign-in/oidc/logout", { logout_token: "x" });
    expect(status).toBe(404);
  });
});

it("at a certified provider, somebody signs in and out", async () => {
  const claims = () => ({ name: "Lea Dupont", preferred_username: "lea", groups: ["translators"] });
  const real = await realProvider({ claims, isInIdToken: true, publicUrl });
  browser = open(new Provider({ ...real.options, groups: "groups", rules }));
  const { search } = await real.visit(await leave());
  expect((await back(search.slice(1))).status).toBe(200);
  expect((await browser.get("/team")).text).toContain("Lea Dupont");
  const page = await browser.get("/");
  const formKey = /name="form_key" value="([^"]*)"/.exec(page.html)?.[1] ?? "";
  await browser.post("/sign-out", { form_key: formKey }, { origin: publicUrl });
  expect((await browser.get("/hives/web")).status).toBe(303);
});
