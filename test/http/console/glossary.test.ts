/** The pages about terms and styles. */
import { beforeEach, describe, expect, it } from "vitest";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import type { Call } from "../../helpers/storage.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { prepareBrowser, signedIn, type ConsoleBrowser } from "./browse.ts";

const api = "/api/hives/web";
const page = "/hives/web/glossary";
let browser: ConsoleBrowser;
let call: Call;
let storage: Storage;
const { post, fill, history } = hiveAt(() => call);

const prepared = prepareBrowser({ locales: ["fr", "pt-BR=pt_BR"], token: { abilities: ["admin"] } });
beforeEach(async () => {
  ({ call, storage, browser } = await prepared());
});

const terms = async () => (await call("GET", `${api}/glossary`)).json.data;
const file = {
  locale: "fr",
  source: "file",
  text: "fichier",
  accepted: "document\ndossier",
  forbidden: "archive",
  match: "word",
};

describe("the page of the glossary", () => {
  it("adds terms, lists and searches them, and changes one with the values that it has", async () => {
    expect((await browser.get(page)).text).toContain("There is no term yet");
    const added = await browser.submit(page, { ...file, meaning: "a document", keep: "" });
    expect([added.status, added.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/\/hives\/web\/glossary\?locale=fr$/),
    ]);
    const [term] = await terms();
    expect(term).toMatchObject({
      source: "file",
      meaning: "a document",
      translations: { fr: { text: "fichier", accepted: ["document", "dossier"], forbidden: ["archive"] } },
    });
    const listed = await browser.get(`${page}?locale=fr`);
    for (const text of ["fichier", "also document, dossier", "not archive", "a document"])
      expect(listed.text).toContain(text);
    expect((await browser.get(`${page}?search=FICH`)).html).toContain("<mark>fich</mark>ier");
    expect((await browser.get(`${page}?search=zzz`)).text).toContain("No term contains that");
    const twice = await browser.submit(page, { ...file, meaning: "a document" });
    expect([twice.status, twice.text]).toEqual([
      422,
      expect.stringContaining("is there already with this meaning"),
    ]);
    const form = await browser.get(`${page}?locale=fr&edit=${term.id}`);
    expect(form.html).toMatch(/name="source"[^>]*value="file"/);
    expect(form.html).toContain("document\ndossier</textarea>");
    await browser.submit(page, {
      ...file,
      edit: term.id,
      text: "Fichier",
      accepted: "",
      forbidden: "",
      case: "true",
      match: "prefix",
    });
    expect(await terms()).toEqual([
      expect.objectContaining({
        id: term.id,
        meaning: null,
        case: true,
        match: "prefix",
        translations: { fr: { text: "Fichier", accepted: [], forbidden: [], keep: false } },
      }),
    ]);
  });

  it("keeps the translations into other languages, and removes a term with all of them", async () => {
    await browser.submit(page, file);
    const [{ id }] = await terms();
    await browser.submit(page, { locale: "pt_BR", edit: id, source: "file", text: "arquivo", match: "word" });
    expect(Object.keys((await terms())[0].translations)).toEqual(["fr", "pt_BR"]);
    expect((await browser.submit(`${page}/remove`, { id, locale: "fr" })).status).toBe(303);
    expect(await terms()).toEqual([]);
    expect((await browser.submit(`${page}/remove`, { id, locale: "fr" })).status).toBe(404);
  });

  it("offers the undo of a removal, which brings the term back", async () => {
    await browser.submit(page, file);
    const [{ id }] = await terms();
    await browser.submit(`${page}/remove`, { id, locale: "fr" });
    const [{ commit }] = (await history()).json.data;
    const shown = await browser.get(`/hives/web/history/${commit}`);
    expect(shown.text).toContain("removal of a term");
    expect(shown.text).toContain("Undo this commit");
    const preview = await browser.get(`/hives/web/history/${commit}/undo`);
    expect(preview.text).toContain("the glossary would be as before");
    const undone = await browser.submit(`/hives/web/history/${commit}/undo`, {
      on_conflict: "fail",
      head: commit,
    });
    expect(undone.status).toBe(303);
    expect(await terms()).toMatchObject([{ id, source: "file" }]);
  });

  it("offers the undo of the other terms of an import where one has changed since", async () => {
    const send = async (...sent: readonly object[]) =>
      (await call("POST", `${api}/glossary`, { body: { terms: sent } })).headers.get("x-skep-commit") ?? "";
    const commit = await send({ source: "wine" }, { source: "beer" });
    const [{ id }] = await terms();
    await send({ id, source: "water" });
    const undo = `/hives/web/history/${commit}/undo`;
    const shown = await browser.get(undo);
    expect(shown.text).toContain("Undo the rest");
    expect(shown.html).toMatch(/<a href="[^"]*glossary">Glossary<\/a>/);
    const rest = await browser.get(`${undo}?on_conflict=skip`);
    expect(rest.text).toContain("the glossary would be as before");
    const [{ commit: head }] = (await history()).json.data;
    expect((await browser.submit(undo, { on_conflict: "skip", head })).status).toBe(303);
    expect(await terms()).toMatchObject([{ id, source: "water" }]);
    // Nothing of it is left to undo.
    const none = await browser.get(`${undo}?on_conflict=skip`);
    expect(none.text).toContain("Nothing would change");
    expect(none.html).not.toContain(`name="on_conflict"`);
  });

  it("names what is wrong beside its field, with what was written", async () => {
    const wrong = await browser.submit(page, { ...file, source: "a\u202Eb", accepted: "x".repeat(201) });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain("must not contain control or format characters");
    expect(wrong.text).toContain("must be at most 200 characters");
    expect(wrong.html).toContain(`${"x".repeat(201)}</textarea>`);
    expect(wrong.html).toMatch(/name="text"[^>]*value="fichier"/);
    expect((await browser.submit(page, { ...file, forbidden: "fichier" })).text).toContain(
      "forbids what it accepts",
    );
    expect(await terms()).toEqual([]);
  });

  it("shows markup as text", async () => {
    await browser.submit(page, { ...file, source: "<script>alert(1)</script>", meaning: "<b>" });
    const { html } = await browser.get(page);
    expect(html).not.toContain("<script>alert");
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  it("sets the style of a language", async () => {
    expect(
      (await browser.submit(`${page}/style`, { locale: "fr", text: "Vous.\n\nPas de <b>." })).status,
    ).toBe(303);
    expect((await browser.get(`${page}?locale=fr`)).html).toContain("Pas de &lt;b&gt;.</textarea>");
    const long = await browser.submit(`${page}/style`, { locale: "fr", text: "x".repeat(4001) });
    expect([long.status, long.text]).toEqual([
      422,
      expect.stringContaining("must be at most 4000 characters"),
    ]);
  });

  it("has no forms for those who may only read", async () => {
    await browser.submit(page, file);
    await browser.submit(`${page}/style`, { locale: "fr", text: "Vous." });
    const reader = await signedIn(storage, { abilities: ["read"] });
    const { html, text } = await reader.get(page);
    expect(text).toContain("fichier");
    expect(text).toContain("Vous.");
    expect(html).not.toContain("Add a term");
    expect((await reader.submit(page, file)).status).toBe(403);
  });
});

describe("the page of a string", () => {
  it("lists the terms of its source text, with their meanings, translations and the style where it is written", async () => {
    await post({ "a.json": { open: "Open the file {file}" } });
    await fill("fr", { "a.json": { open: "Ouvrir {file}" } });
    await browser.submit(page, { ...file, meaning: "a document" });
    await call("PUT", `${api}/style/fr`, { body: { text: "Vous." } });
    const closed = await browser.get("/hives/web/strings/a.json/open");
    for (const text of [
      "a document",
      "not archive",
      '"file" → "fichier" or "document" or "dossier" is missing',
    ])
      expect(closed.text).toContain(text);
    expect(closed.text).not.toContain("Vous.");
    expect((await browser.get("/hives/web/strings/a.json/open?locale=fr")).text).toContain("Vous.");
    const list = await browser.get("/hives/web/strings?locale=fr");
    expect(list.text).toContain('"file" → "fichier" or "document" or "dossier" is missing');
  });

  it("marks terms, each a link to what is said of it, and arguments in its source text", async () => {
    const fr = { text: "fichier", forbidden: ["<i>archive</i>"] };
    const pt = { text: "arquivo" };
    await call("POST", `${api}/glossary`, {
      body: { terms: [{ source: "file", meaning: "<b>on a disk</b>", translations: { fr, pt_BR: pt } }] },
    });
    const texts = { open: "Open <b>the file</b> {{name}}", n_one: "a file", n_other: "{{count}} files" };
    await post({ "b.json": texts });
    const { html, text } = await browser.get("/hives/web/strings/b.json/open");
    const id = /<a class="term" href="#(term-[a-z0-9]+)">file<\/a>/.exec(html)?.[1];
    expect(html).toContain(`<li id="${id}"`);
    expect(html).toContain('<code class="argument" dir="ltr" translate="no">{{name}}</code>');
    expect(text).toContain("Open <b>the file</b> {{name}}");
    expect(text).toContain("file · <b>on a disk</b>");
    expect(text).toContain("not <i>archive</i>");
    expect(html).not.toMatch(/<b>|<i>/);
    expect((await browser.get("/hives/web/strings/b.json/n_other")).html).toMatch(/class="term"[^>]*>file</);
    const list = await browser.get("/hives/web/strings?locale=fr&file=b.json");
    expect(list.html).toContain('<span class="term">file</span>');
  });

  it("lists those of another Hive, which the settings choose", async () => {
    await call("POST", "/api/hives", { body: { slug: "brand", locales: ["fr"] } });
    await call("POST", "/api/hives/brand/glossary", {
      body: { terms: [{ source: "file", meaning: "of the brand" }] },
    });
    await post({ "a.json": { open: "Open the file" } });
    const path = "/hives/web/settings/general";
    const { html } = await browser.get(path);
    expect(html).toContain('name="glossary"');
    const settings = { change: "web", members: "glossary" };
    expect((await browser.submit(path, { ...settings, glossary: "nope" })).text).toContain(
      "the team has no Hive",
    );
    expect((await browser.submit(path, { ...settings, glossary: "brand" })).status).toBe(303);
    expect((await browser.get("/hives/web/strings/a.json/open")).text).toContain("of the brand");
    expect((await browser.get(page)).text).toContain("the terms of brand count");
    await browser.submit(path, { ...settings, glossary: "" });
    expect((await call("GET", api)).json.glossary).toBeNull();
  });
});

describe("a language that inherits", () => {
  const words = "Click the file";
  beforeEach(async () => {
    await call("POST", `${api}/locales`, { body: { code: "fr-CA" } });
    await call("PATCH", `${api}/locales/fr-CA`, { body: { inherits: "fr" } });
    await post({ "a.json": { a: words } });
    const fr = { text: "fichier", forbidden: ["archive"] };
    const own = { fr: { text: "cliquer" }, "fr-CA": { text: "appuyer" } };
    const all = [
      { source: "file", translations: { fr } },
      { source: "click", translations: own },
    ];
    await call("POST", `${api}/glossary`, { body: { terms: all } });
    await call("PUT", `${api}/style/fr`, { body: { text: "Vous." } });
  });

  it.each([
    ["the glossary", `${page}?locale=fr-CA`],
    ["the page of a string", "/hives/web/strings/a.json/a?locale=fr-CA"],
    ["the list of strings", "/hives/web/strings?locale=fr-CA"],
    ["the page of work", "/hives/web/translate/fr-CA"],
  ])("has the terms on %s that it inherits, marked as such, where it has none", async (_, path) => {
    const { text } = await browser.get(path);
    expect(text).toMatch(/file(?: ·)? fichier · not archive inherited from French/);
    expect(text).toMatch(/click(?: ·)? appuyer (?!inherited)/i);
  });

  it("has the style that it inherits as long as it has none", async () => {
    const of = "the style of French counts";
    const reader = await signedIn(storage, { abilities: ["read"] });
    for (const by of [browser, reader])
      expect((await by.get(`${page}?locale=fr-CA`)).text).toMatch(new RegExp(`${of}\\. Vous\\.`));
    expect((await browser.get(`${page}?locale=fr`)).text).not.toContain(of);
    await browser.submit(`${page}/style`, { locale: "fr-CA", text: "Tu." });
    expect((await reader.get(`${page}?locale=fr-CA`)).text).not.toContain(of);
  });
});
