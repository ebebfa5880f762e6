/** Signing in and out, and where that leads. */
import { beforeEach, describe, expect, it } from "vitest";
import { endSessions, resumeSession, startSession } from "../../../src/service/sessions.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { browse, host } from "./browse.ts";
import { appOn, makeHive, makeToken, memoryStorage } from "../../helpers/storage.ts";

let storage: Storage;
let token: string;

beforeEach(async () => {
  storage = memoryStorage();
  await makeHive(storage, "web");
  token = await makeToken(storage, { name: "Lead" });
});

describe("signing out", () => {
  it("ends the session on every server, and no other of its token", async () => {
    const [here, other] = [browse(storage), browse(storage)];
    for (const browser of [here, other]) await browser.signIn(token);
    const kept = new Map(here.cookies);
    await here.submit("/sign-out");
    const thief = browse(storage);
    for (const [name, value] of kept) thief.cookies.set(name, value);
    expect((await thief.get("/hives/web")).status).toBe(303);
    expect((await other.get("/hives/web")).status).toBe(200);
  });

  it("records at most 200 sessions in the token's file; after more, all sessions end", async () => {
    const { value } = await startSession(storage, token);
    const [own] = await storage.registry.tokens();
    if (own === undefined) throw new Error("no token");
    const endedSessions = Array.from({ length: 200 }, (_, i) => ({ id: `${i}`, ends: 2 ** 40 }));
    await storage.lockTeam(own.team, (lock) => storage.registry.saveToken({ ...own, endedSessions }, lock));
    const session = await resumeSession(storage, value);
    if (session !== undefined) await endSessions(storage, session, "this");
    const stored = await storage.registry.token(own.id);
    expect(stored).toMatchObject({ sessionEpoch: 1 });
    expect(stored?.endedSessions).toBeUndefined();
  });
});

describe("a form of a session that has ended", () => {
  const form = {
    change: "save",
    locale: "fr",
    seen: "",
    text: "Un texte\nlong, écrit <à la main>",
    message: "Why",
  };

  it("is refused with a page that has what was written, unless another site sent it", async () => {
    const stranger = await browse(storage).post("/hives/web/translate/fr", form);
    expect(stranger.status).toBe(401);
    expect(stranger.text).toContain("Your session has ended, so nothing was done.");
    expect(stranger.html).toContain("Un texte\nlong, écrit &lt;à la main&gt;</textarea>");
    expect(stranger.html).toContain("\nWhy</textarea>");
    const foreign = await browse(storage).post("/hives/web/translate/fr", form, {
      origin: "https://elsewhere.example",
    });
    expect([foreign.status, foreign.text.includes("Un texte")]).toEqual([403, false]);
  });
});

describe("what was written into a form of a session that has ended", () => {
  it.each([
    ["tags", { name: "v1.2", at: "feature/login", message: "First" }],
    ["glossary", { source: "hive", meaning: "A store", forbidden: "nest\nswarm" }],
    ["strings/a.json/hello", { note: "A greeting", tags: "menu, top" }],
  ])("is on the page that refuses it, for %s", async (path, fields: Record<string, string>) => {
    const address = `/hives/web/${path}`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ files: { "a.json": { hello: "Hello" } } });
    const { app } = appOn(storage);
    await app.fetch(new Request("http://x/api/hives/web/strings", { method: "POST", headers, body }));
    const browser = browse(storage);
    await browser.signIn(token);
    const { html } = await browser.get(address);
    const [name = ""] = Object.keys(fields);
    const [, written = ""] = new RegExp(`name="written" value="([^"]*\\b${name}\\b[^"]*)"`).exec(html) ?? [];
    const refused = await browse(storage).post(address, { written, match: "word", ...fields });
    expect(refused.status).toBe(401);
    const kept = Array.from(refused.html.matchAll(/<textarea[^>]*>\n([^<]*)</g), ([, text]) => text);
    expect(kept).toEqual(Object.values(fields));
  });
});

describe("signing in", () => {
  it("shows the team's Hives, and signing out ends that", async () => {
    const browser = browse(storage);
    const asked = await browser.get("/");
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining("Sign in Token")]);
    const signedIn = await browser.signIn(` ${token}\n`);
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, "./"]);
    expect((await browser.get("/")).text).toContain("Hives web");
    const out = await browser.submit("/sign-out");
    expect([out.status, [...browser.cookies.keys()]]).toEqual([303, ["skep-device"]]);
    expect((await browser.get("/")).text).toContain("Sign in Token");
  });

  it("the cookie is for this host only, and no script or other site can use it", async () => {
    const { headers } = await browse(storage).signIn(token);
    expect(headers.getSetCookie()[0]).toMatch(
      /^skep=[\w.-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
  });

  it("over TLS, the cookie has the prefix __Host- and is sent only over TLS", async () => {
    const browser = browse(storage);
    const { headers } = await browser.post("/sign-in", { token }, { origin: `https://${host}` });
    for (const cookie of headers.getSetCookie())
      expect(cookie).toMatch(/^__Host-skep(?:-device)?=[\w.-]+; Path=\/; .*; Secure$/);
    const page = await browser.get("/hives/web");
    expect(page.text).toContain(`git clone https://${host}/hives/web.git`);
  });

  it.each([
    [`http://${host}/skep`, `http://${host}/skep`],
    [`http://${host}`, `http://${host}`],
    // Opened at another address than people use, below which nothing is known of a prefix.
    ["http://skep.example.org/skep", `http://${host}`],
  ])("with --public-url %s, commands name the server %s", async (publicUrl, shown) => {
    const browser = browse(storage, { publicUrl });
    await browser.signIn(token);
    expect((await browser.get("/hives/web")).text).toContain(`git clone ${shown}/hives/web.git`);
  });

  it("a session ends with its token's expiry", async () => {
    const short = await makeToken(storage, { lifetimeMs: 3_600_000 });
    const { headers } = await browse(storage).signIn(short);
    const [, seconds] = /Max-Age=(\d+)/.exec(headers.get("set-cookie") ?? "") ?? [];
    expect(Number(seconds)).toBeGreaterThan(3_000);
    expect(Number(seconds)).toBeLessThanOrEqual(3_600);
  });

  it.each([
    ["no token", "hello", "This is not a token of this server."],
    ["an unknown token", `skep_abcdefghijkl_${"x".repeat(32)}`, "This is not a token of this server."],
  ])("%s is refused with a message", async (_, wrong, problem) => {
    const browser = browse(storage);
    const { status, text, headers } = await browser.signIn(wrong);
    expect([status, text, headers.get("set-cookie")]).toEqual([401, expect.stringContaining(problem), null]);
  });

  it("a token that cannot read is refused", async () => {
    const writer = await makeToken(storage, { abilities: ["write"] });
    const { status, text } = await browse(storage).signIn(writer);
    expect([status, text]).toEqual([401, expect.stringContaining("cannot read")]);
  });

  it("a visitor without a session signs in and returns to the page", async () => {
    const browser = browse(storage);
    const { status, headers } = await browser.get("/hives/web/history?page=2&q=a%20b");
    const location = headers.get("location") ?? "";
    expect([status, location]).toEqual([303, "../../?to=hives%2Fweb%2Fhistory%3Fpage%3D2%26q%3Da%2520b"]);
    const to = new URL(location, "http://x/hives/web/history").searchParams.get("to") ?? "";
    const back = await browser.post("/sign-in", { token, to });
    expect(back.headers.get("location")).toBe("./hives/web/history?page=2&q=a%20b");
    expect((await browser.get("/?to=hives%2Fweb")).headers.get("location")).toBe("./hives/web");
  });
});

it("an empty storage shows the first steps", async () => {
  const { status, text } = await browse(memoryStorage()).get("/");
  expect([status, text]).toEqual([200, expect.stringContaining("skep team create acme")]);
});

describe("GET / for a program", () => {
  it.each([undefined, "application/json", "*/*"])(
    "accepting %s gets the server's name and version",
    async (accept) => {
      const { headers, html } = await browse(storage).get("/", { accept: accept ?? "" });
      expect([headers.get("content-type"), JSON.parse(html)]).toEqual([
        "application/json",
        { name: "skep", version: expect.stringMatching(/^\d/), docs: "/docs", openapi: "/openapi.json" },
      ]);
    },
  );

  it("is the only response without the console", async () => {
    const browser = browse(storage, { console: "off" });
    expect(JSON.parse((await browser.get("/")).html)).toMatchObject({ name: "skep" });
    for (const path of ["/hives", "/assets/console.css"]) {
      expect((await browser.get(path)).headers.get("content-type")).toBe("application/json");
    }
    expect((await browser.signIn(token)).status).toBe(404);
  });
});
