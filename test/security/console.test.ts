/** Attacks on the console: each is one that a browser would carry out if a page let it. */
import { beforeEach, describe, expect, it } from "vitest";
import { isOverTls } from "../../src/http/console/requests/cookies.ts";
import { toTokenId } from "../../src/domain/names.ts";
import { networks } from "../../src/config/kinds.ts";
import { openStorage, type Storage } from "../../src/service/storage.ts";
import { revokeToken } from "../helpers/people/tokens.ts";
import type { Disk } from "../../src/disk/disk.ts";
import { browse, host, type ConsoleBrowser } from "../http/console/browse.ts";
import { hiveAt } from "../helpers/http/hive-api.ts";
import { makeHive, makeToken, memoryFolder, type Call, setUpWeb } from "../helpers/storage.ts";

let disk: Disk;
let folder: string;
let storage: Storage;
let token: string;
let call: Call;
let browser: ConsoleBrowser;
let now: number;
const { post, history } = hiveAt(() => call);

const markup = `"><img src=x onerror=alert(1)><script>alert(2)</script>'`;
const override = "user\u202egnp.exe";

beforeEach(async () => {
  now = Date.parse("2026-01-01T00:00:00Z");
  ({ disk, folder, storage, token, call } = await setUpWeb({
    locales: ["fr"],
    storage: { now: () => now },
    token: { name: `Lead ${markup} ${override}`, abilities: ["admin"] },
  }));
  browser = browse(storage);
});

const idOf = (whole: string): string => whole.split("_")[1] ?? "";

describe("stored markup", () => {
  /** Stores the text wherever a caller may store one, and gives the addresses of the pages that show it. */
  const store = async (text: string): Promise<readonly string[]> => {
    // What no file's name may have.
    const file = `a${text.replaceAll(/[<>"'/|:*?\\\u202e]/g, "")}.json`;
    await call("PATCH", "/api/hives/web", { body: { name: text.replaceAll("\u202e", "") } });
    const headers = {
      "x-commit-message": Buffer.from(text).toString("latin1"),
      "x-commit-ref": "https://x/",
    };
    const sent = {
      body: { files: { [file]: { [text]: text } } },
      headers,
    };
    const made = await call("POST", "/api/hives/web/strings", sent);
    expect(made.status).toBe(200);
    const { data } = (await history("per_page=2")).json;
    const [{ commit }, { commit: first }] = data;
    await call("POST", "/api/hives/web/branches", { body: { name: "b" } });
    const inBranch = { ...sent, body: { files: { [file]: { [`${text}2`]: text } } } };
    await call("POST", "/api/hives/web/strings?branch=b", inBranch);
    const [named, key] = [encodeURIComponent(file), encodeURIComponent(text)];
    return [
      "/",
      "/team",
      "/hives/web",
      "/hives/web/history",
      `/hives/web/history/${commit}`,
      `/hives/web/history/${commit}/undo`,
      "/hives/web/strings",
      `/hives/web/strings?q=${key}`,
      `/hives/web/strings/${named}/${key}`,
      `/hives/web/compare/${first}...${commit}`,
      "/hives/web/branches/b",
      "/hives/web/branches/b/merge",
    ];
  };

  it("is text in names, keys, texts, file names and messages", async () => {
    await browser.signIn(token);
    for (const path of await store(markup)) {
      const { status, html, text } = await browser.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(html).not.toMatch(/<img src=x|<script>/);
      expect(html.match(/<script/g)).toHaveLength(1);
      expect([path, text]).toEqual([path, expect.stringContaining("<script>alert(2)</script>")]);
    }
  });

  it("is text in what a request says: parameters, addresses, forms", async () => {
    await browser.signIn(token);
    const asked = encodeURIComponent(markup);
    for (const path of [`/?to=${asked}`, `/hives/web/history?key=${asked}`, `/hives/${asked}`, `/${asked}`]) {
      for (const one of [browser, browse(storage)]) {
        expect((await one.get(path)).html).not.toContain("<img src=x");
      }
    }
    expect((await browse(storage).post("/sign-in", { token: markup, to: markup })).html).not.toContain(
      "<img src=x",
    );
  });

  it("cannot turn the direction of what follows: such characters are shown by their numbers", async () => {
    await browser.signIn(token);
    for (const path of await store(override)) {
      const { html, text } = await browser.get(path);
      // Fields hold what is typed into them, and end with themselves; no browser shows what the checks are given.
      expect(html.replaceAll(/ (value|data-check|data-draft)="[^"]*"/g, "")).not.toContain("\u202e");
      // Commits' messages have lost such characters when they are stored.
      if (path.includes("/history/")) expect(text).toContain("userU+202Egnp.exe");
    }
  });
});

describe("a page in another site's hands", () => {
  it("is shown in no frame, runs no script but the server's, and sends forms to nobody else", async () => {
    const all = [await browser.get("/"), await browser.signIn("x"), await browser.get("/nope")];
    await browser.signIn(token);
    all.push(await browser.get("/"), await browser.get("/nope"), await browser.get("/hives/web?x[=1"));
    for (const { headers } of all.filter(({ status }) => status !== 303)) {
      const policy = headers.get("content-security-policy")?.split("; ");
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "form-action 'self'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
        ]),
      );
      expect(policy?.join()).not.toContain("unsafe");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  it("has no style and no script in its markup, which the policy would refuse", async () => {
    await browser.signIn(token);
    const { html } = await browser.get("/hives/web");
    expect(html).not.toMatch(/ style=| on[a-z]+=|<style/);
  });
});

describe("a form of another site", () => {
  const undo = async (): Promise<string> => {
    await post({ "a.json": { a: "b" } });
    const { data } = (await history("per_page=1")).json;
    return `/hives/web/history/${data[0].commit}/undo`;
  };

  it.each([
    ["says so by Origin", { origin: "https://evil.example" }],
    ["hides its origin", { origin: "null" }],
    ["says so by Sec-Fetch-Site", { "sec-fetch-site": "cross-site" }],
    ["is on another host of the same site", { "sec-fetch-site": "same-site" }],
    ["has the port of another server", { origin: `http://${host}:81` }],
  ])("is refused that %s, with the right key too, and for signing in", async (_, headers) => {
    await browser.signIn(token);
    const path = await undo();
    const { head } = (await call("GET", "/api/hives/web")).json;
    const fields = { form_key: await browser.formKey(), on_conflict: "fail" };
    expect((await browser.post(path, fields, headers)).status).toBe(403);
    expect((await call("GET", "/api/hives/web")).json.head).toBe(head);
    expect((await browse(storage).post("/sign-in", { token }, headers)).headers.get("set-cookie")).toBeNull();
  });

  it("is refused without the key of the session, or with that of another one", async () => {
    await browser.signIn(token);
    const path = await undo();
    const other = browse(storage);
    await other.signIn(token);
    for (const key of ["", "x", await other.formKey()]) {
      const { status, text } = await browser.post(path, { form_key: key, on_conflict: "fail" });
      expect([status, text]).toEqual([403, expect.stringContaining("nothing was done")]);
    }
    expect((await call("GET", "/api/hives/web/strings")).json.meta.total).toBe(1);
  });

  it("cannot be of another kind, by which no browser says where it comes from", async () => {
    await browser.signIn(token);
    const json = { "content-type": "text/plain", accept: "*/*" };
    expect((await browser.post(await undo(), { form_key: "x" }, json)).status).toBeGreaterThanOrEqual(400);
  });
});

describe("a session", () => {
  it("ends at the next request after its token is revoked", async () => {
    await browser.signIn(token);
    expect((await browser.get("/hives/web")).status).toBe(200);
    await revokeToken(storage, toTokenId(idOf(token)));
    expect((await browser.get("/hives/web")).headers.get("location")).toBe("../?to=hives%2Fweb");
    expect((await browser.get("/")).text).toContain("Sign in");
  });

  it("ends everywhere at the next request after somebody signs out everywhere, and the token stays valid", async () => {
    const [here, elsewhere] = [browse(storage), browse(openStorage({ folder, disk, now: () => now }))];
    for (const one of [here, elsewhere]) await one.signIn(token);
    await here.post("/sign-out", { form_key: await here.formKey(), everywhere: "yes" });
    expect([...here.cookies.keys()]).toEqual(["skep-device"]);
    expect((await elsewhere.get("/team")).status).toBe(303);
    await elsewhere.signIn(token);
    expect((await elsewhere.get("/team")).status).toBe(200);
    await elsewhere.post("/sign-out", { form_key: await elsewhere.formKey(), everywhere: "yes" });
    expect((await call("GET", "/api/hives")).status).toBe(200);
  });

  it("holds on another server of the storage, and ends there with the token, too", async () => {
    await browser.signIn(token);
    const second = browse(openStorage({ folder, disk, now: () => now }));
    for (const [name, value] of browser.cookies) second.cookies.set(name, value);
    expect((await second.get("/hives/web")).status).toBe(200);
    await revokeToken(storage, toTokenId(idOf(token)));
    expect((await second.get("/hives/web")).status).toBe(303);
  });

  it("is not one of another storage, and ends when the storage's key is removed", async () => {
    await browser.signIn(token);
    const elsewhere = openStorage({ folder: memoryFolder("elsewhere"), disk });
    await makeHive(elsewhere, "web");
    const stranger = browse(elsewhere);
    await stranger.signIn(await makeToken(elsewhere));
    stranger.cookies.clear();
    for (const [name, value] of browser.cookies) stranger.cookies.set(name, value);
    expect((await stranger.get("/hives/web")).status).toBe(303);
    await disk.promises.unlink(`${folder}/session-key`);
    expect((await browser.get("/hives/web")).status).toBe(303);
  });

  it("ends after a week", async () => {
    await browser.signIn(token);
    now += 7 * 86_400_000 - 1_000;
    expect((await browser.get("/hives/web")).status).toBe(200);
    now += 2_000;
    expect((await browser.get("/hives/web")).status).toBe(303);
  });

  it("does not contain its token, and no change of it is taken", async () => {
    await browser.signIn(token);
    const value = browser.cookies.get("skep") ?? "";
    expect(value).not.toContain(token.split("_")[2] ?? "");
    const other = await makeToken(storage);
    const [id = "", ends = "", ...rest] = value.split(".");
    const forged = [
      [idOf(other), ends, ...rest].join("."),
      [id, "zzzzzzz", ...rest].join("."),
      `${value.slice(0, -1)}${value.endsWith("A") ? "B" : "A"}`,
      [id, ends, rest[0], ""].join("."),
      "",
      token,
    ];
    for (const cookie of forged) {
      browser.cookies.set("skep", cookie);
      expect([cookie, (await browser.get("/hives/web")).status]).toEqual([cookie, 303]);
    }
  });

  it("sees and changes no more than its token may", async () => {
    await makeHive(storage, "theirs", { team: "rival" });
    await makeHive(storage, "app");
    await browser.signIn(await makeToken(storage, { hives: ["web"], abilities: ["read"] }));
    expect((await browser.get("/")).text).not.toContain("app");
    for (const slug of ["app", "theirs", "none"]) {
      const { status, text } = await browser.get(`/hives/${slug}`);
      expect([status, text.replace(slug, "")]).toEqual([404, expect.stringContaining("no such Hive")]);
    }
  });
});

describe("signing in", () => {
  it.each([
    "//evil.example/x",
    "https://evil.example",
    "\\\\evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "..//evil.example",
    "\thttps://evil.example",
  ])("leads to no other server by to=%s", async (to) => {
    const { headers } = await browser.post("/sign-in", { token, to });
    const location = headers.get("location") ?? "";
    expect(new URL(location, `http://${host}/sign-in`).host).toBe(host);
    expect(location).toMatch(/^\.\//);
  });

  it("leaves no token in the log, in an answer or in an address", async () => {
    const pages = [await browser.signIn(token), await browser.signIn(`${token}x`), await browser.get("/")];
    const { headers } = pages[0] ?? {};
    for (const text of [
      ...pages.map(({ html }) => html),
      JSON.stringify([...(headers ?? [])]),
      JSON.stringify(browser.logged),
    ])
      expect(text).not.toContain(token.split("_")[2] ?? token);
  });

  it("takes no large form of an unknown caller", async () => {
    expect((await browser.post("/sign-in", { token: "x".repeat(20_000) })).status).toBe(413);
  });
});

describe("the cookie over TLS", () => {
  const trusted = networks("10.0.0.1");
  const over = (remoteAddress: string, headers: Record<string, string>): boolean => {
    const req = new Request("http://x/", { headers });
    const node = { req: { socket: { remoteAddress }, headers } };
    return isOverTls({ req, runtime: { node } } as never, trusted);
  };

  it("is sent where a trusted proxy says so, or the browser itself", () => {
    expect(over("10.0.0.1", { "x-forwarded-proto": "https" })).toBe(true);
    expect(over("10.0.0.1", { "x-forwarded-proto": "http", origin: "https://x" })).toBe(true);
    expect(over("10.0.0.1", { "x-forwarded-proto": "http", origin: "http://x" })).toBe(false);
    expect(over("10.0.0.2", { "x-forwarded-proto": "https" })).toBe(false);
    // The last entry is what the trusted proxy itself added.
    expect(over("10.0.0.1", { "x-forwarded-proto": "https, http" })).toBe(false);
  });
});

it("a cookie that others may have set is not taken where the connection is over TLS", async () => {
  await browser.signIn(token);
  const value = browser.cookies.get("skep") ?? "";
  browser.cookies.set("__Host-skep", "planted");
  const { status } = await browser.get("/hives/web");
  expect([status, value === ""]).toEqual([303, false]);
});
