/** What the pages show. */
import { hash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { changeLocale, removeLocale } from "../../../src/service/admin/locales.ts";
import { addMirror, pushNow } from "../../../src/service/admin/mirrors.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { browse, formIn, hiddenIn, prepareBrowser, signedIn, type ConsoleBrowser } from "./browse.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { appOn, byCommand, makeHive, makeToken, type Call } from "../../helpers/storage.ts";

let disk: Disk;
let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;
const { head, post, translate, fill, history, exported } = hiveAt(() => call);

/** Makes a Hive with three commits: an import, French, and a change of a source text. */
const options = { locales: ["fr", "pt-BR=pt_BR"], token: { name: "Lead" } };
const prepared = prepareBrowser(options, async (web) => {
  const send = (method: string, path: string, body: object, message: string): unknown =>
    web.call(method, `/api/hives/web${path}`, {
      body,
      headers: { "x-commit-message": message, "x-commit-ref": "https://ci.example.org/runs/42" },
    });
  await send(
    "POST",
    "/strings",
    { files: { "auth.php": { failed: "Wrong password.", out: "Log out" } } },
    "a",
  );
  await send("POST", "/translations/fr", { files: { "auth.php": { failed: "Mot de passe faux." } } }, "b");
  await send("POST", "/strings", { files: { "auth.php": { failed: "Your password is wrong." } } }, "Kinder");
});
beforeEach(async () => {
  ({ disk, storage, call, browser } = await prepared());
});

it("a page says who is signed in, and names its landmarks apart", async () => {
  const { text, html } = await browser.get("/team");
  expect(text).toMatch(/You are signed in with the token Lead [a-z0-9]+\./);
  const landmarks = Array.from(html.matchAll(/<nav[^>]*aria-label="([^"]*)"/g), ([, name]) => name);
  expect(new Set(landmarks).size).toBe(landmarks.length);
});

describe("the choice of colours", () => {
  it("is kept in the browser, leads back to the page, and is taken back", async () => {
    const page = "/hives/web/strings?locale=fr";
    const system = await browser.get(page);
    expect(system.html).toContain('<html lang="en">');
    const [, to = ""] = /action="[^"]*\/theme".*?name="to" value="([^"]*)"/s.exec(system.html) ?? [];
    const chosen = await browser.submit("/theme", { theme: "dark", to: to.replaceAll("&amp;", "&") });
    expect([chosen.status, chosen.headers.get("location")]).toEqual([303, `./${page.slice(1)}`]);
    const { html } = await browser.get(page);
    expect(html).toContain('<html lang="en" data-theme="dark">');
    expect(html).toContain('<meta name="color-scheme" content="dark"/>');
    expect(html).toMatch(/value="dark"[^>]*aria-pressed="true"/);
    await browser.submit("/theme", { theme: "system", to: "" });
    expect((await browser.get(page)).html).not.toContain("data-theme");
  });

  it("needs no session, and takes nothing else: neither other colours nor another server", async () => {
    const stranger = browse(storage);
    await stranger.get("/");
    const chosen = await stranger.post("/theme", { theme: "light", to: "//evil.example/x" });
    // A page of this server, which has none there.
    expect(chosen.headers.get("location")).toBe("./evil.example/x");
    expect((await stranger.get("/")).html).toContain('data-theme="light"');
    expect((await stranger.post("/theme", { theme: "pink", to: "" })).status).toBe(422);
    stranger.cookies.set("skep-theme", '"><script>');
    expect((await stranger.get("/")).html).not.toContain("data-theme");
  });
});

describe("the list of Hives", () => {
  it("has each Hive's progress in figures, and as the name of its bar", async () => {
    const { text, html } = await browser.get("/");
    expect(text).toContain("web 0% 0 translated 1 stale 3 missing 2 strings 2 locales");
    expect(html).toContain('aria-label="0 of 4 strings translated, 1 stale, 3 missing"');
  });

  it("counts a translation as done that neither waits for a review nor is stale, in whole numbers", async () => {
    const french = {
      files: { "auth.php": { failed: "Faux.", out: "Sortir" } },
      overwrite_strategy: "overwrite",
    };
    await call("POST", "/api/hives/web/translations/fr", { body: french });
    expect((await browser.get("/hives/web")).text).toMatch(/French fr 100% /);
    const headers = { "x-commit-origin": "model" };
    const made = { ...french, files: { "auth.php": { out: "Dehors" } } };
    await call("POST", "/api/hives/web/translations/fr", { body: made, headers });
    expect((await browser.get("/hives/web")).text).toMatch(/French fr (?:\S+ )*?50% /);
    expect((await browser.get("/")).text).toContain("web 25% ");
  });

  it("leads on from a Hive without strings or languages", async () => {
    await makeHive(storage, "new", { locales: [] });
    await makeHive(storage, "empty", { locales: ["fr"] });
    expect((await browser.get("/")).text).toContain("empty nothing to translate");
    const empty = await browser.get("/hives/empty");
    expect(empty.text).toMatch(/French fr (?:Translate into French )?– 0/);
    const overview = await browser.get("/hives/new");
    expect(overview.text).toContain("no language to translate into yet");
    expect((await browser.get("/hives/new/strings")).text).toContain(
      "This Hive has no strings yet. They come",
    );
    expect(overview.html).not.toContain("Add a language");
    const admin = await signedIn(storage, { abilities: ["admin"] });
    expect((await admin.get("/hives/new")).html).toMatch(
      /<a class="button primary" href="[^"]*\/settings\/languages">Add a language/,
    );
    expect((await admin.get("/hives/new/settings/files")).text).toContain("Files come with the first push");
  });

  it("says which Hive cannot be read, and shows the others", async () => {
    await makeHive(storage, "broken");
    const head = `${storage.folder}/hives/broken.git/refs/heads/main`;
    await disk.promises.unlink(head);
    const file = await disk.promises.open(head, "wx");
    await file.writeFile(Buffer.from("nonsense\n"));
    await file.close();
    const { status, text } = await browser.get("/");
    expect([status, text]).toEqual([200, expect.stringMatching(/web 0%.* broken .*main/)]);
    const page = await browser.get("/hives/broken");
    expect([page.status, page.text]).toEqual([503, expect.stringContaining("Not possible just now")]);
  });

  it("says that figures are being counted, and its script requests them again", async () => {
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    const first = await browser.get("/");
    clock.mockRestore();
    expect(first.html).toContain('<li class="card" data-counting="">');
    expect(first.text).toContain("web counting … 2 strings 2 locales");
    expect((await browser.get("/")).text).toContain("web 0% 0 translated");
  });

  it("formats numbers and days as in the reader's country, if it writes the language of the page", async () => {
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 2000 });
    const read = async (language: string): Promise<string> =>
      (await browser.get("/team", { "accept-language": language })).text;
    expect(await read("en-CH;q=0.9, pl")).toMatch(/of at most 2['’]000/);
    expect(await read("en-ZA")).toMatch(/of at most 2\s000/);
    for (const language of ["xx-nonsense!", "*", "", "en", "pl"])
      expect(await read(language)).toContain("2,000");
    const history = async (language: string): Promise<string> =>
      (await browser.get("/hives/web/history", { "accept-language": language })).text;
    expect(await history("en-US")).toMatch(/[A-Z][a-z]{2} \d+, 2\d{3}/);
    expect(await history("pl")).toMatch(/\d+ [A-Z][a-z]{2,3} 2\d{3}/);
  });

  it("shows that the quota is nearly used up, to tokens that may know it", async () => {
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 2 });
    expect((await browser.get("/")).text).toContain("The team has 2 source strings, of at most 2.");
    const limited = await signedIn(storage, { hives: ["web"] });
    expect((await limited.get("/")).text).not.toContain("of at most");
  });

  it("says that the last push to a mirror failed, without its address", async () => {
    await addMirror(storage, toHiveSlug("web"), toMirrorUrl("https://git.example.org/secret-name.git"));
    await pushNow(storage, toHiveSlug("web"), new AbortController().signal);
    const { text, html } = await browser.get("/");
    expect(text).toContain("A mirror is not up to date");
    expect(html).not.toContain("secret-name");
  });

  it("has pages, and finds Hives by a part of their slugs and names, once they fill a page", async () => {
    expect((await browser.get("/")).text).not.toContain("Search in names");
    for (let i = 0; i < 31; i++) await makeHive(storage, `more-${i}`, { locales: [] });
    const { html, text } = await browser.get("/");
    expect(html).toContain('href="./?page=2"');
    expect((await browser.get("/?page=2")).text).toContain("more-30");
    expect((await browser.get("/?page=x")).status).toBe(422);
    expect(text).toContain("Search in names and slugs");
    const found = (await browser.get("/?search=RE-30")).text;
    expect([found.includes("more-30"), found.includes("more-3 ")]).toEqual([true, false]);
    const headers = { authorization: `Bearer ${await makeToken(storage, { abilities: ["admin"] })}` };
    await call("PATCH", "/api/hives/web", { body: { name: "The Shop" }, headers });
    expect((await browser.get("/?search=shop")).text).toContain("The Shop");
    expect((await browser.get("/?search=nothing")).text).toContain("No Hive found");
  });
});

it("the history tells what became of a single text, and by whom; of several it has the counts", async () => {
  const files = (texts: object): object => ({ files: { "b.json": texts }, overwrite_strategy: "overwrite" });
  const steps: readonly (readonly [method: string, path: string, body: object, told: string])[] = [
    ["POST", "/strings", files({ k: "Key" }), "Lead added k"],
    ["POST", "/translations/fr", files({ k: "Clé" }), "Lead translated k into French"],
    ["POST", "/translations/pt_BR", files({ k: "Chave" }), "Lead translated k into Brazilian Portuguese"],
    ["POST", "/translations/fr", files({ k: "La clé" }), "Lead changed k in French"],
    ["POST", "/strings", files({ k: "The key" }), "Lead changed the source text of k"],
    ["DELETE", "/translations/fr", { files: { "b.json": ["k"] } }, "Lead removed k in French"],
    ["POST", "/strings", files({ l: "a", m: "b" }), "Import source strings: 2 created"],
    ["PUT", "/strings?max_deletions=9", files({ l: "a", m: "b" }), "Lead removed k"],
    [
      "PUT",
      "/strings?detect_moves=true",
      files({ l2: "a", m: "b", n: "N" }),
      "Sync source strings: 1 moved, 1 created",
    ],
  ];
  for (const [method, path, body, told] of steps) {
    expect((await call(method, `/api/hives/web${path}`, { body })).status, told).toBe(200);
    expect((await browser.get("/hives/web/history")).text, told).toContain(` ${told} `);
  }
});

describe("the page of a Hive", () => {
  it("has locales with figures, the last changes, tags, and lines with the Hive's own values", async () => {
    await call("POST", "/api/hives/web/tags", { body: { name: "v1" } });
    const { text, html } = await browser.get("/hives/web");
    expect(text).toContain("French fr Translate into French 0% 1 1");
    expect(text).toContain("Brazilian Portuguese pt_BR Translate into Brazilian Portuguese 0% 0 2");
    expect(html).toContain(
      '<a class="mark stale" href="../hives/web/strings?locale=fr&amp;state=stale" aria-label="1 stale in French">',
    );
    // What a single key says now is told with it, and the reason for it first.
    expect(text).toMatch(/Kinder Import source strings: 1 updated Lead .* failed en WrongYour password/);
    expect(text).toContain("Tags All tags v1");
    expect(text).toContain("skep init --server http://skep.example --hive web");
    expect(html).toContain(`href="../hives/web/history/${await head()}"`);
  });

  it("answers an address that nothing is at, that cannot be decoded, or that takes forms, with a page", async () => {
    for (const [status, path, method = "GET"] of [
      [404, "/hives/nope"],
      [404, "/hives/web/nope"],
      [404, "/nope"],
      [400, "/hives/web/strings/100%/x"],
      [400, "/%E0%A4%A"],
      [405, "/sign-out"],
      [405, "/hives/web", "PUT"],
      [405, "/hives/nope/strings", "DELETE"],
    ] as const) {
      const answer = await browser.get(path, {}, method);
      const type = answer.headers.get("content-type");
      expect([path, answer.status, type]).toEqual([path, status, "text/html; charset=utf-8"]);
      expect(answer.html).toContain("<h1>");
      if (status === 404) expect(answer.html).toContain("Sign out");
    }
  });

  it("names itself and its Hive in the title", async () => {
    for (const [path, title] of [
      ["/", "Hives · Skep"],
      ["/hives/web", "web · Skep"],
      ["/hives/web/strings", "Strings · web · Skep"],
      ["/hives/web/strings/auth.php/failed", "failed · web · Skep"],
      ["/hives/web/history", "History · web · Skep"],
      ["/hives/web/compare", "Compare · web · Skep"],
      ["/team", "acme · Skep"],
    ] as const)
      expect((await browser.get(path)).html).toContain(`<title>${title}</title>`);
  });

  it("call a Hive by its name wherever they name it, also on an error page", async () => {
    await call("PATCH", "/api/hives/web", {
      body: { name: "Web shop" },
      token: await makeToken(storage, { abilities: ["admin"] }),
    });
    const crumb = (html: string): string => /<nav class="breadcrumb".*?<\/nav>/s.exec(html)?.[0] ?? "";
    for (const path of ["", "/strings", "/strings/auth.php/failed", "/history", "/tags", "/commits/nope"]) {
      const { html } = await browser.get(`/hives/web${path}`);
      expect(html).toMatch(/<title>(.* · )?Web shop · Skep<\/title>/);
      expect(crumb(html)).toContain("<bdi>Web shop</bdi>");
      expect(crumb(html)).not.toContain("<bdi>web</bdi>");
    }
  });

  it("leads from the address of the sign-in form to the form", async () => {
    const { status, headers } = await browser.get("/sign-in");
    expect([status, headers.get("location")]).toEqual([303, "./"]);
  });

  it("shows markup among Arabic letters from left to right", async () => {
    await post({ "a.json": { a: '<a href="/x">سلام</a> &amp;', b: "<b>Peace</b>" } });
    const { html } = await browser.get("/hives/web/strings?file=a.json");
    for (const part of ["&lt;a href=&quot;/x&quot;&gt;", "&lt;/a&gt;", "&amp;amp;"])
      expect(html).toContain(`<bdi dir="ltr">${part}</bdi>`);
    expect(html).toContain("&lt;b&gt;Peace&lt;/b&gt;");
  });

  it("says that there is nothing of a name to list changes since", async () => {
    for (const since of ["banana", "x y", "2020-01-01", "2026-13-45"]) {
      const { text } = await browser.get(`/hives/web/strings?since=${encodeURIComponent(since)}`);
      expect(text).toContain("This Hive has no such tag, commit or date. A date looks like 2026-01-31.");
      expect(text).not.toMatch(/(?<!Changed )since:|ISO 8601|that a branch/);
    }
  });

  it("an address with a trailing slash redirects to the address without it", async () => {
    const { status, headers } = await browser.get("/hives/web/?branch=x");
    expect([status, headers.get("location")]).toEqual([308, "../web?branch=x"]);
  });

  it("shows a branch, and its links stay on the branch", async () => {
    await call("POST", "/api/hives/web/branches", { body: { name: "feature/login" } });
    await post({ "new.php": { a: "b" } }, { query: "branch=feature%2Flogin" });
    const { text, html } = await browser.get("/hives/web?branch=feature%2Flogin");
    expect(text).toContain("3 strings in English");
    expect(html).toContain('href="../hives/web/history?branch=feature%2Flogin"');
    expect((await browser.get("/")).text).toContain("2 locales 1 branch changed");
    expect((await browser.get("/hives/web")).text).toContain("2 strings in English");
    expect((await browser.get("/hives/web?branch=nope")).status).toBe(404);
  });
});

describe("the history", () => {
  it("names locales by the codes that they have now", async () => {
    const page = async () => (await browser.get("/hives/web/history")).html;
    expect(await page()).toContain("strings?locale=fr");
    const { customCode } = toLocale("fr=fr_FR");
    await changeLocale(storage, toHiveSlug("web"), "fr", { customCode }, byCommand);
    expect(await page()).toContain("strings?locale=fr_FR");
  });

  it("is listed, and filtered like over the API; empty fields do not count", async () => {
    expect((await browser.get("/hives/web/history")).text).toContain("4 commits");
    const found = await browser.get("/hives/web/history?locale=fr&operation=&file=&key=&since=&until=");
    expect(found.text).toMatch(/1 commit found .* Import fr translations: 1 created/);
    const wrong = await browser.get("/hives/web/history?locale=xx&since=soon");
    expect([wrong.status, wrong.html]).toEqual([
      422,
      expect.stringContaining('id="problem-filter-since"><bdi>'),
    ]);
    expect(wrong.html).toContain('name="since"');
    const imports = await browser.get("/hives/web/history?operation=import");
    expect(imports.html).toContain('<option value="import" selected="">import of source strings</option>');
  });

  it("a commit is shown key by key with word differences, its reference as a link", async () => {
    const { html, text } = await browser.get(`/hives/web/history/${await head()}`);
    expect(text).toContain("Kinder What Import source strings: 1 updated By Lead When");
    expect(text).toContain("Kind import of source strings");
    expect(text).not.toMatch(/Token|import-translations|keep/);
    expect(html).toContain("<del>Wrong</del><ins>Your</ins> password<ins> is wrong</ins>.");
    expect(html).toContain('<a href="https://ci.example.org/runs/42" rel="noreferrer nofollow"');
    expect(text).toContain("Undo this commit");
  });

  it.each([
    ["a confirmation", "POST", "/stale/confirm", { locale: "fr", file: "auth.php", keys: ["failed"] }],
    ["a note", "PATCH", "/notes", { files: { "auth.php": { out: { note: "A verb" } } } }],
    ["a comment", "POST", "/comments", { file: "auth.php", key: "out", text: "Which out?" }],
    ["terms", "POST", "/glossary", { terms: [{ source: "out" }] }],
  ] as const)("a commit of %s, which changes no text, can be undone", async (_, method, path, body) => {
    expect((await call(method, `/api/hives/web${path}`, { body })).status).toBeLessThan(300);
    const commit = `/hives/web/history/${await head()}`;
    const shown = await browser.get(commit);
    expect(shown.text).toMatch(/No text was changed|Texts? changed: 0/);
    expect(shown.text).toContain("Undo this commit");
    const { html } = await browser.get(`${commit}/undo`);
    expect((await browser.submit(`${commit}/undo`, hiddenIn(html))).status).toBe(303);
    expect((await browser.get(`${commit}/undo`)).html).not.toContain('name="on_conflict"');
  });

  it.each<[what: string, change: () => Promise<unknown>]>([
    ["another", () => changeLocale(storage, toHiveSlug("web"), "pt-BR", { inherits: "fr" }, byCommand)],
    ["a removed", () => removeLocale(storage, toHiveSlug("web"), "pt-BR", byCommand)],
  ])("a commit of settings alone offers no undo: %s locale", async (_, change) => {
    await change();
    const { text } = await browser.get(`/hives/web/history/${await head()}`);
    expect(text).not.toContain("Undo this commit");
  });

  it("groups consecutive commits with the same description into one line that opens", async () => {
    for (let i = 0; i < 4; i++) await post({ "auth.php": { out: `Out ${i}` } });
    const { text, html } = await browser.get("/hives/web/history");
    expect(text).toContain("4 × Import source strings: 1 updated Lead, ");
    expect(html.match(/<details>/g)).toHaveLength(1);
    expect(text).toMatch(/out en Log outOut 0/);
  });

  it("shows the text of a commit of work, and counts what such commits did together", async () => {
    const done = (...items: object[]) =>
      call("POST", "/api/hives/web/work/done", { body: { locale: "fr", items } });
    const sources: Record<string, string> = { out: "Log out", failed: "Your password is wrong." };
    const item = (key: string, before: string | null, text: string) => ({
      file: "auth.php",
      key,
      expected: { source: { other: sources[key] }, translation: { other: before } },
      forms: { other: text },
    });
    expect((await done(item("out", null, "Sortir"))).status).toBe(200);
    expect((await browser.get("/hives/web/history")).html).toContain(
      '<ins class="whole"><span class="text" dir="auto" lang="fr">Sortir</span></ins>',
    );
    await done(item("out", "Sortir", "Quitter"), item("failed", "Mot de passe faux.", "Faux"));
    await done(item("failed", "Faux", "Mot de passe faux"));
    expect((await browser.get("/hives/web/history")).text).toContain("3 × Work on fr: 4 saved in all Lead,");
  });

  it("cuts long texts", async () => {
    const texts = (word: string): object =>
      Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`k${i}`, `${word}${i} `.repeat(1_500)]));
    for (const word of ["one", "two"]) await post({ "long.json": texts(word) });
    const [now, before] = (await history()).json.data;
    const range = `${before.commit}...${now.commit}`;
    for (const path of [`history/${now.commit}`, `history/${now.commit}/undo`, `compare/${range}`]) {
      const { status, html } = await browser.get(`/hives/web/${path}`);
      expect([path, status, html.length < 600_000]).toEqual([path, 200, true]);
    }
  });

  it("a reference that is no URL is no link", async () => {
    await post({ "a.php": { a: "b" } }, { headers: { "x-commit-ref": "javascript:alert(1)" } });
    const { html } = await browser.get(`/hives/web/history/${await head()}`);
    expect(html).toContain("javascript:alert(1)");
    expect(html).not.toContain('href="javascript:');
  });
});

describe("undo of an origin", () => {
  const french = async (): Promise<Readonly<Record<string, string>>> => {
    const { files } = (await exported("locale=fr")).json;
    return Object.assign({}, ...Object.values<string>(files).map((text) => JSON.parse(text)));
  };
  const byModel = (texts: object) =>
    translate("fr", { "auth.php": texts }, { headers: { "x-commit-origin": "model" } });

  it("is offered where the history is of that origin alone, previewed, and made as one commit", async () => {
    await post({ "auth.php": { one: "One", two: "Two", three: "Three" } });
    await byModel({ one: "Un" });
    await byModel({ two: "Deux", three: "Trois" });
    await translate("fr", { "auth.php": { three: "3" } });
    const listed = await browser.get("/hives/web/history?origin=model&since=2020-01-01");
    expect(listed.html).toMatch(/href="[^"]*\/hives\/web\/undo\?origin=model&amp;since=2020-01-01"/);
    for (const other of ["", "?origin=model&locale=fr", "?origin=script&file=x"])
      expect((await browser.get(`/hives/web/history${other}`)).html).not.toContain("/undo?origin");
    for (const since of ["", "&since=2020-01-01"]) {
      const preview = await browser.get(`/hives/web/undo?origin=model${since}`);
      expect(preview.text).toContain("2 texts would be as before, by a new commit.");
      expect(preview.text).toContain("1 changed since would stay as they are.");
      expect(preview.html).toMatch(/<del class="whole">.*?Deux<\/span><\/del>/s);
    }
    const path = "/hives/web/undo";
    const { fields } = formIn(await browser.get(`${path}?origin=model`), path, 'name="head"');
    const done = await browser.post(path, { ...fields, message: "It was the wrong model" });
    expect([done.status, done.headers.get("location")]).toEqual([
      303,
      `../../hives/web/history/${await head()}`,
    ]);
    expect((await browser.get(`/hives/web/history/${await head()}`)).text).toContain("Undone by this");
    expect(await french()).toMatchObject({ three: "3" });
    expect(await french()).not.toHaveProperty("one");
    expect((await browser.get(`${path}?origin=model`)).text).toContain("Nothing would change.");
  });

  it("is of the texts since a day or a revision, as the history lists them, and refused as REST refuses it", async () => {
    const path = "/hives/web/undo";
    const before = await head();
    await post({ "auth.php": { one: "One" } });
    await byModel({ one: "Un" });
    const now = await head();
    for (const [since, text] of [
      [before, "1 text would be as before"],
      [now, "Nothing would change"],
      [new Date().toISOString().slice(0, 10), "1 text would be as before"],
      ["2999-01-01", "Nothing would change"],
    ])
      expect((await browser.get(`${path}?origin=model&since=${since}`)).text).toContain(text);
    expect((await browser.get(`${path}?origin=model&since=nothing`)).status).toBe(422);
    expect((await browser.get(`${path}?origin=nobody`)).status).toBe(422);
    const { fields } = formIn(await browser.get(`${path}?origin=model`), path, 'name="head"');
    await byModel({ one: "Une" });
    expect((await browser.post(path, fields)).status).toBe(412);
    const limited = await signedIn(storage, { locales: ["de"] });
    expect((await limited.submit(path, { origin: "model" })).status).toBe(403);
    const reader = await signedIn(storage, { abilities: ["read"] });
    expect((await reader.get(`${path}?origin=model`)).status).toBe(403);
    expect((await reader.get("/hives/web/history?origin=model")).html).not.toContain("/undo?origin");
  });
});

describe("undo", () => {
  const path = async (): Promise<string> => `/hives/web/history/${await head()}/undo`;

  it("is previewed, and made with the person's message as one commit", async () => {
    const address = await path();
    const preview = await browser.get(address);
    expect(preview.text).toContain("1 text would be as before that commit");
    expect(preview.html).toContain("<del>Your</del><ins>Wrong</ins> password<del> is wrong</del>.");
    const fields = { ...hiddenIn(preview.html), message: "It was right before" };
    const done = await browser.post(address, fields);
    const commit = await head();
    expect([done.status, done.headers.get("location")]).toEqual([
      303,
      `../../../../hives/web/history/${commit}`,
    ]);
    const { text } = await browser.get(`/hives/web/history/${commit}`);
    expect(text).toContain("It was right before");
    expect(text).toContain("Undone by this commit");
  });

  it("is refused if the Hive has changed since the preview", async () => {
    const address = await path();
    const { html } = await browser.get(address);
    await post({ "b.php": { a: "b" } });
    const last = await head();
    const { status, text } = await browser.post(address, hiddenIn(html));
    expect([status, text]).toEqual([412, expect.stringContaining("Changed meanwhile")]);
    expect(await head()).toBe(last);
  });

  it("shows texts that changed since, and offers to undo the others if there are any", async () => {
    const write = (texts: object) => post({ "auth.php": texts });
    const alone = await path();
    await write({ failed: "No.", out: "Leave" });
    const { status, text, html } = await browser.get(alone);
    expect([status, text]).toEqual([200, expect.stringContaining("A text has been changed since")]);
    expect(text).toContain("which you can use again");
    expect(html).not.toContain("undo?on_conflict=skip");
    const both = await path();
    await write({ failed: "Not at all." });
    expect((await browser.get(both)).html).toContain("undo?on_conflict=skip");
    expect((await browser.get(`${both}?on_conflict=skip`)).text).toContain("1 changed since would stay");
  });

  it("is refused to a token that can only read", async () => {
    const reader = await signedIn(storage, { abilities: ["read"] });
    const address = await path();
    expect((await reader.get(address.replace("/undo", ""))).text).not.toContain("Undo this commit");
    expect((await reader.get(address)).status).toBe(403);
    const last = await head();
    expect((await reader.submit(address)).status).toBe(403);
    expect(await head()).toBe(last);
  });
});

describe("the files of pages", () => {
  /** What a browser without a cache loads for a page, compressed. */
  async function loaded(path: string): Promise<number> {
    const { html } = await browser.get(path);
    const assets = Array.from(
      html.matchAll(/(?:href|src)="[./]*(\/assets\/[^"]+)"/g),
      ([, name = ""]) => name,
    );
    expect(new Set(assets).size).toBe(3);
    let bytes = 0;
    for (const one of [path, ...new Set(assets)]) {
      const { headers } = await browser.get(one, { "accept-encoding": "gzip" });
      bytes += Number(headers.get("content-length"));
      if (one !== path) expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    }
    expect(bytes).toBeGreaterThan(3_000);
    return bytes;
  }

  it("take less than 50 KB with the first page, and with a full list of strings and their forms", async () => {
    expect(await loaded("/")).toBeLessThan(50_000);
    const texts = (salt: string): object =>
      Object.fromEntries(
        Array.from({ length: 60 }, (_, n) => [`page.key_${n}`, hash("sha256", `${salt} ${n}`, "base64")]),
      );
    await post({ "more.json": texts("en") });
    await fill("fr", { "more.json": texts("fr") });
    const path = "/hives/web/strings?file=more.json";
    expect((await browser.get(path)).html.match(/<textarea[^>]* name="text"/g)).toHaveLength(50);
    expect(await loaded(path)).toBeLessThan(50_000);
  });

  it("have at most 40 KB of script on every page, as it runs", async () => {
    const { html } = await browser.get("/");
    const scripts = Array.from(
      html.matchAll(/<script[^>]* src="[./]*(\/assets\/[^"]+)"/g),
      ([, name = ""]) => name,
    );
    expect(scripts).toHaveLength(1);
    const { html: script } = await browser.get(scripts[0] ?? "");
    expect(script.length).toBeGreaterThan(10_000);
    expect(script.length).toBeLessThan(40_000);
  });

  it("a page is the same compressed", async () => {
    const { app } = appOn(storage);
    const ask = (encoding: string): Promise<Response> | Response =>
      app.fetch(
        new Request("http://x/", {
          headers: { host: "x", accept: "text/html", "accept-encoding": encoding },
        }),
      );
    const packed = await ask("gzip");
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    const plain = await (await ask("identity")).text();
    expect(gunzipSync(await packed.arrayBuffer()).toString()).toBe(plain);
  });
});
