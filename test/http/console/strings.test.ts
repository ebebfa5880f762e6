/** The list of strings, the page of one string, and changes of translations in place. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { eventually } from "../../helpers/eventually.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { type Call } from "../../helpers/storage.ts";
import {
  actionOf,
  browse,
  editorIn,
  hiddenIn,
  prepareBrowser,
  signedIn,
  type ConsoleBrowser,
  type Fields,
  type Page,
} from "./browse.ts";

let storage: Storage;
let call: Call;
let token: string;
let browser: ConsoleBrowser;
const { head, post, put, fill, translate, exported, history } = hiveAt(() => call);

const options = { locales: ["fr", "ar"], token: { name: "Lead" } };
const prepared = prepareBrowser(options, async (web) => {
  ({ call } = web);
  await post({ "auth.php": { failed: "Wrong password.", out: "Log out", "": "no key", "..": "dots" } });
  await fill("fr", { "auth.php": { failed: "Mot de passe faux.", out: "Sortir" } });
  await post({ "auth.php": { failed: "Your password is wrong." } });
});
beforeEach(async () => {
  ({ storage, token, call, browser } = await prepared());
});

const strings = "/hives/web/strings";
const failed = `${strings}/auth.php/failed`;

/** Sends the first form of a page that edits a translation into a locale, with further fields. */
async function edit(path: string, { locale = "fr", ...fields }: Fields): Promise<Page> {
  const form = editorIn(await browser.get(path), path, locale);
  return browser.post(form.path, { ...form.fields, change: "save", without_text: "yes", ...fields });
}

const french = async (): Promise<unknown> =>
  JSON.parse((await exported("locale=fr&names=hive")).json.files["auth.php"]);

describe("the list of strings", () => {
  it("shows source and translation, their state, and the changed source of a stale one", async () => {
    const { text, html } = await browser.get(strings);
    expect(text).toContain("4 strings");
    expect(html).toContain('<span class="mark small stale">stale</span>');
    expect(html).toMatch(/<del>Wrong<\/del>|<del>[^<]*Wrong/);
    expect(html).toContain('lang="fr"');
  });

  it("filters by words, state, file, and changes since a commit", async () => {
    const found = async (query: string): Promise<string> => (await browser.get(`${strings}?${query}`)).text;
    expect(await found("q=SORTIR")).toContain("1 string found out auth.php");
    expect(await found("state=stale")).toContain("1 string found failed");
    expect(await found("locale=ar&state=missing")).toContain("4 strings found");
    expect(await found("file=nope")).toContain("No string found");
    const [, before] = (await history()).json.data;
    expect(await found(`since=${before.commit}`)).toContain("1 string found failed");
  });

  it("shows each filter as a chip that leads to the list without it", async () => {
    const { html, text } = await browser.get(
      `${strings}?locale=fr&q=o&state=stale&file=auth&exact=true&page=1`,
    );
    expect(text).toContain("State: stale ×");
    expect(text).toContain("File: auth ×");
    expect(text).toContain("Exactly ×");
    const chips = Array.from(html.matchAll(/<a class="chip" href="([^"]*)"/g), ([, href = ""]) =>
      href.replaceAll("&amp;", "&"),
    );
    expect(chips.map((href) => href.replace(/.*\?/, ""))).toEqual([
      "q=o&locale=fr&file=auth&exact=true",
      "q=o&locale=fr&state=stale&exact=true",
      "q=o&locale=fr&state=stale&file=auth",
    ]);
    const wrong = await browser.get(`${strings}?since=soon`);
    expect(wrong.html).toMatch(/<details class="further" open/);
  });

  const byModel = () =>
    translate("fr", { "auth.php": { out: "Quitter" } }, { headers: { "x-commit-origin": "model" } });
  const mark = ">by a model</a>";

  it("marks texts of models, and on the page of a string those of persons, too", async () => {
    await byModel();
    await edit(failed, { locale: "fr", text: "Votre mot de passe" });
    await eventually(async () => expect((await browser.get(strings)).html).toContain(mark));
    expect((await browser.get(strings)).text).not.toContain("by a person");
    await eventually(async () => expect((await browser.get(failed)).text).toContain("by a person"));
  });

  it("filters by who or what wrote the texts, in one locale, in all, or in the source", async () => {
    await byModel();
    await post({ "auth.php": { added: "Added" } }, { headers: { "x-commit-origin": "script" } });
    const found = async (query: string): Promise<string> => (await browser.get(`${strings}?${query}`)).text;
    expect(await found("locale=fr&origin=model")).toContain("1 string found out auth.php");
    expect(await found("locale=fr&origin=model&q=failed")).toContain("No string found");
    expect(await found("locale=*&origin=model")).toContain("1 string found");
    expect(await found("locale=ar&origin=model")).toContain("No string found");
    expect(await found("locale=en&origin=script")).toContain("1 string found added");
    expect((await browser.get(`${strings}?origin=robot`)).status).toBe(422);
    const [, href = ""] =
      /href="([^"]*)">by a model/.exec((await browser.get(`${strings}?locale=fr&origin=model`)).html) ?? [];
    expect(href.replaceAll("&amp;", "&")).toContain("strings?locale=fr&origin=model");
  });

  it("does not wait long for who wrote texts, and shows it the next time", async () => {
    await byModel();
    let go = (): void => {};
    const slow = new Promise<void>((resolve) => (go = resolve));
    const { origins } = storage.hives.at(toHiveSlug("web")).revisions;
    const at = origins.at.bind(origins);
    const finding = vi.spyOn(origins, "at").mockImplementation(async (query) => {
      await slow;
      return at(query);
    });
    expect((await browser.get(strings)).html).not.toContain(mark);
    expect((await browser.get(strings)).html).not.toContain(mark);
    expect(finding).toHaveBeenCalledTimes(1);
    go();
    await eventually(async () => expect((await browser.get(strings)).html).toContain(mark));
    finding.mockRestore();
  });

  it("leads through the strings that its filters find, from one page to the next", async () => {
    await post({ "b.php": { x: "X", failed_one: "{count} try", failed_other: "{count} tries" } });
    const linksOf = ({ html }: Page, what: RegExp): readonly string[] =>
      Array.from(html.matchAll(what), ([, href = ""]) => href.replaceAll("&amp;", "&"));
    const list = await browser.get(`${strings}?q=failed&locale=ar`);
    const [first = ""] = linksOf(list, /href="([^"]*strings[^"]*)" title="failed"/g);
    const rel = (page: Page) =>
      ["prev", "next"].map((name) => linksOf(page, new RegExp(`<a href="([^"]*)" rel="${name}"`, "g"))[0]);
    const page = await browser.get(first);
    const [before, next = ""] = rel(page);
    expect([before, next]).toEqual([undefined, expect.stringContaining("/b.php/failed_one")]);
    const [previous, after] = rel(await browser.get(next));
    // The forms of one plural string are on one page.
    expect([previous, after]).toEqual([expect.stringContaining("/auth.php/failed?"), undefined]);
    expect(linksOf(page, /<a href="([^"]*strings\?[^"]*q=failed[^"]*)"/g)).not.toEqual([]);
    // A text that the filter does not find any more still has its place among those that it finds.
    const missing = JSON.stringify({ state: "missing", locale: "fr" });
    const beside = await browser.get(`${failed}?locale=fr&back=${encodeURIComponent(missing)}`);
    expect(rel(beside)).toEqual([undefined, expect.stringContaining("back=")]);
    const unusable = JSON.stringify({ since: "no-such-tag", locale: "fr" });
    expect((await browser.get(`${failed}?back=${encodeURIComponent(unusable)}`)).status).toBe(200);
  });

  it("comes back to a later page with its filters, after a text was saved there", async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, `Text ${i}`]));
    await post({ "m.php": many });
    const saved = await edit(`${strings}?locale=fr&state=missing&page=2`, { text: "Texte" });
    expect(saved.headers.get("location")).toMatch(/state=missing/);
    expect(saved.headers.get("location")).toMatch(/page=2/);
  });

  it("says beside the filter that the Hive does not have a locale", async () => {
    const { status, text, html } = await browser.get(`${strings}?locale=xx`);
    expect([status, text.split("is no choice here").length]).toEqual([422, 2]);
    expect(html).not.toContain('<ol class="strings">');
  });

  it("leads back from an error to its Hive", async () => {
    const { status, html } = await browser.get(`${strings}/auth.php/nope`);
    expect([status, html]).toEqual([404, expect.stringContaining('hives/web"><bdi>web</bdi></a>')]);
    expect((await browser.get("/hives/nope/strings")).html).not.toContain('hives/nope"');
  });

  it("marks matches in keys and texts", async () => {
    expect((await browser.get(`${strings}?q=SORTIR`)).html).toContain("<mark>Sortir</mark>");
    expect((await browser.get(`${strings}?q=faILed`)).html).toContain("<mark>failed</mark>");
    expect((await browser.get(strings)).html).not.toContain("<mark>");
  });

  it("isolates arguments in texts from right to left, wherever these are shown", async () => {
    const send = (path: string, body: object) => call("POST", `/api/hives/web${path}`, { body });
    // Marked as an argument, or isolated where the page does not know how arguments are written.
    const isolated = /<(?:bdi dir="ltr"|code class="argument" dir="ltr" translate="no")>\{first_name\}/;
    await send("/strings", { files: { "a.json": { hi: "Hi {first_name}!", only: "{first_name}" } } });
    for (const text of ["مرحبا {name}!", "مرحبا {first_name}!"])
      await send("/translations/ar", {
        files: { "a.json": { hi: text, only: "{first_name}" } },
        overwrite_strategy: "overwrite",
      });
    const [{ commit }] = (await history()).json.data;
    for (const path of [
      "/strings?file=a.json&locale=ar",
      "/strings/a.json/hi?locale=ar",
      // The language decides where the text itself has no letters.
      "/strings/a.json/only?locale=ar",
      "/translate/ar?at=a.json:only",
      "/history",
      `/history/${commit}`,
    ])
      expect([path, (await browser.get(`/hives/web${path}`)).html]).toEqual([
        path,
        expect.stringMatching(isolated),
      ]);
    const changed = (await browser.get(`/hives/web/history/${commit}`)).html;
    expect(changed).toContain(`<del><bdi dir="ltr">{name}</bdi></del>`);
    const found = (await browser.get("/hives/web/strings?file=a.json&locale=ar&q=name}!")).html;
    expect(found).toContain('<bdi dir="ltr">{first_<mark>name}</mark></bdi><mark>!</mark>');
    // Texts from left to right need none.
    expect((await browser.get("/hives/web/strings?file=a.json&locale=en")).html).not.toContain("<bdi dir");
  });

  it("offers to undo what was saved, on the page and the branch where it was", async () => {
    const undoOn = async ({ headers, status }: Page): Promise<string> => {
      expect(status).toBe(303);
      const { pathname, search } = new URL(headers.get("location") ?? "", "http://x/hives/web/translate/fr");
      const { html } = await browser.get(pathname + search);
      const [, href = ""] = /id="notice" role="status">[^<]+<a href="([^"]*)">Undo<\/a>/.exec(html) ?? [];
      // It is said once.
      expect((await browser.get(pathname + search)).html).not.toContain('id="notice"');
      return href === "" ? "" : new URL(href.replaceAll("&amp;", "&"), `http://x${pathname}`).href.slice(8);
    };
    const last = async (query = ""): Promise<string> =>
      (await call("GET", `/api/hives/web/history${query}`)).json.data[0].commit;
    const saved = await undoOn(await edit(failed, { locale: "fr", text: "Erreur" }));
    expect(saved).toBe(`/hives/web/history/${await last()}/undo`);
    expect((await browser.get(saved)).text).toContain("1 text would be as before that commit");
    await call("POST", "/api/hives/web/branches", { body: { name: "next" } });
    const onBranch = `${failed}?branch=next`;
    const there = await edit(onBranch, { locale: "fr", text: "Faute" });
    expect(await undoOn(there)).toBe(`/hives/web/history/${await last("?branch=next")}/undo?branch=next`);
    // Nothing was saved, so that there is nothing to undo.
    expect(await undoOn(await edit(failed, { locale: "fr", text: "Erreur" }))).toBe("");
  });

  it("cuts long keys in the middle in lists, where all of them is the name of the link", async () => {
    const end = "card_declined";
    const long = `checkout.payment.errors.of_the_provider.${end}`;
    // Of these, an end of twelve units would be half a letter.
    const others = [`${"a".repeat(30)}😀${"z".repeat(11)}`, `${"a".repeat(30)}e\u0301${"z".repeat(11)}`];
    const keys = [long, ...others];
    await post({ "a.json": Object.fromEntries(keys.map((key) => [key, "Text"])) });
    const [{ commit }] = (await history()).json.data;
    const places = [
      "strings?file=a.json",
      "strings?locale=*&file=a.json",
      "translate/fr?file=a.json",
      `history/${commit}`,
    ];
    for (const place of places) {
      const { html } = await browser.get(`/hives/web/${place}`);
      for (const key of keys) {
        const link = new RegExp(`<a class="key" href="[^"]*" title="${key}" aria-label="${key}">(.*?)</a>`);
        const shown = link.exec(html)?.[1] ?? "";
        expect([place, shown.replaceAll(/<[^>]*>/g, "")]).toEqual([place, key]);
        const parts = Array.from(shown.matchAll(/<span>(.*?)<\/span>/gsu), ([, part = ""]) => part);
        expect([
          place,
          parts.length,
          parts.every((part) => /^\P{M}/u.test(part) && part.isWellFormed()),
        ]).toEqual([place, 2, true]);
      }
    }
    const marked = (await browser.get("/hives/web/strings?file=a.json&q=r.card_dec")).html;
    expect(marked).toContain("<mark>r.c</mark></span><span><mark>ard_dec</mark>lined</span>");
  });

  it("finds by a part of a file's name, whatever kind of blanks a text has, and in all locales", async () => {
    await post({ "admin/menu.php": { open: "Open" } });
    await fill("ar", { "admin/menu.php": { open: "İki\u00a0kelime" } });
    const found = async (query: string): Promise<string> => (await browser.get(`${strings}?${query}`)).text;
    expect(await found("file=MENU")).toContain("1 string found open admin/menu.php");
    expect(await found("locale=ar&q=iki+kelime")).toContain("1 string found open");
    expect(await found("locale=ar&exact=true&q=iki+kelime")).toContain("No string found");
    const nothing = await browser.get(`${strings}?locale=fr&q=kelime`);
    expect(nothing.text).toContain("No string found Search all locales");
    expect(nothing.html).toContain("strings?q=kelime&amp;locale=*");
    expect(await found("locale=*&q=kelime")).toContain("1 string found open admin/menu.php Open Arabic");
    expect(await found("locale=*&state=missing&file=menu")).toContain("French missing Translate open");
  });

  it("shows the error of a filter beside its field, and keeps the input", async () => {
    for (const [query, field] of [
      ["state=odd", "state"],
      ["since=nothing", "since"],
      ["since=2026-13-01", "since"],
    ] as const) {
      const { status, html } = await browser.get(`${strings}?q=out&${query}`);
      expect([query, status]).toEqual([query, 422]);
      expect(html).toMatch(
        new RegExp(`aria-invalid="true"[^]*<p class="problem" id="problem-filter-${field}"><bdi>`),
      );
      expect(html).toMatch(/name="q"[^>]* value="out"/);
      expect(html).toContain('<div id="found">');
    }
    expect((await browser.get(`${strings}?nope=1`)).text).toContain("this page does not know: nope=1");
  });

  it("cuts long texts, and has their forms on the pages of their strings", async () => {
    const long = (word: string): string => `${word} `.repeat(3_000);
    const texts = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, long(`w${i}`)]));
    for (const path of ["strings", "translations/fr"])
      await call("POST", `/api/hives/web/${path}`, { body: { files: { "long.json": texts } } });
    const list = await browser.get(`${strings}?file=long.json`);
    expect(list.html.length).toBeLessThan(400_000);
    expect(list.text).toMatch(/w0 … [\d,]+ more characters … Show all/);
    const [, to = ""] = /<a class="editing" href="([^"]*)"/.exec(list.html) ?? [];
    const address = to.replaceAll("&amp;", "&").replace(/^(\.\.\/)+/, "/");
    const own = await browser.get(address);
    expect(own.html).toContain(`\n${long("w0")}</textarea>`);
    expect((await browser.get(`${strings}/long.json/k0`)).html).toContain(long("w0").trim());
    const { headers } = await edit(address, { text: "Court" });
    expect(headers.get("location")).toMatch(/strings\?(?=.*file=long\.json)(?=.*locale=fr)/);
  });

  it("has no form for texts that are too long for a browser", async () => {
    const text = "x".repeat(120_000);
    await post({ "long.json": { k: text } });
    const { html } = await browser.get(`${strings}/long.json/k?locale=fr`);
    expect(html).not.toMatch(/<details class="editing" id="edit-[^"]*-fr"/);
    expect(html).toContain("too long to be changed here");
    expect(html.length).toBeLessThan(150_000);
  });

  it("shows right-to-left languages in their direction, whatever a text begins with", async () => {
    await fill("ar", { "auth.php": { failed: "{{name}} خاطئة" } });
    expect((await browser.get(`${strings}?locale=ar`)).html).toContain(
      '<span class="text" dir="rtl" lang="ar"><bdi dir="ltr">{{name}}</bdi> خاطئة</span>',
    );
    expect((await browser.get(`${strings}?locale=fr`)).html).toContain('dir="auto" lang="fr"');
  });

  it("can show only the source", async () => {
    const { html } = await browser.get(`${strings}?locale=en`);
    expect(html).not.toContain("Sortir");
  });

  it("offers no changes to a token that may only read", async () => {
    const reader = await signedIn(storage, { abilities: ["read"] });
    expect((await reader.get(strings)).html).not.toContain("<textarea");
  });
});

describe("the page of one string", () => {
  it("has all locales, and the history with word differences", async () => {
    const { text } = await browser.get(failed);
    expect(text).toContain("Your password is wrong.");
    expect(text).toContain("French fr stale Mot de passe faux.");
    expect(text).toContain("Arabic ar missing");
    expect(text).toContain("Import fr translations");
  });

  it("groups the plural forms of a locale, and shows forms in one text one by one", async () => {
    const texts = { item_one: "{{n}} item", item_other: "{{n}} items", left: "{count} day|{count} days" };
    await post({ "cart.json": texts });
    // The list says why it has more strings than the Hive.
    const own = Object.keys(texts).length + 4;
    expect((await browser.get(`${strings}?locale=fr`)).text).toContain(
      `${own + 1} strings, of which 1 needs no translation`,
    );
    const { text, html } = await browser.get(`${strings}/cart.json/item_many`);
    expect(text).toMatch(/one {{n}} item other {{n}} items .*Translations French fr one missing/);
    expect(text).toMatch(/French fr many not needed .* French fr other missing.* Arabic ar zero missing/);
    expect(html).toContain("<strong>many</strong>");
    expect((await browser.get(`${strings}/cart.json/left`)).text).toContain(
      "{count} day {count} days Add a note",
    );
    // The strings before and behind it are other strings than its forms.
    expect(text).toMatch(/← \.\.\s?left →/);
  });

  it("has an address for keys that a path cannot contain", async () => {
    const { html } = await browser.get(strings);
    const links = Array.from(
      html.matchAll(/href="[./]*(hives\/web\/strings\/auth\.php[^"]*)"/g),
      ([, to = ""]) => to,
    );
    expect(links).toHaveLength(4);
    for (const to of links) expect((await browser.get(`/${to.replaceAll("&amp;", "&")}`)).status).toBe(200);
  });

  it("is not found for an unknown string", async () => {
    const { status, text } = await browser.get(`${strings}/auth.php/nope`);
    expect([status, text]).toEqual([404, expect.stringContaining("in another branch. Search for it")]);
    expect((await browser.get(`${strings}/nope.php/failed`)).status).toBe(404);
  });

  it("of a removed string shows the commit that removed it, and of a renamed one where it is", async () => {
    const sync = (texts: object, query = "") => put({ "gone.php": texts }, { query });
    await sync({ old: "An old text", stays: "It stays" });
    await sync({ stays: "It stays" });
    const removed = await browser.get(`${strings}/gone.php/old`);
    expect([removed.status, removed.text]).toEqual([404, expect.stringMatching(/An old text.*Its history/)]);
    await sync({ renamed: "It stays" }, "detect_moves=true");
    await sync({ again: "It stays" }, "detect_moves=true");
    const { status, html } = await browser.get(`${strings}/gone.php/stays`);
    expect([status, html]).toEqual([404, expect.stringContaining('strings/gone.php/again"')]);
  });
});

describe("a change of a translation", () => {
  it("is one commit with the person's message, and leads back to the page", async () => {
    const { status, headers } = await edit(failed, {
      text: "Mot de passe erroné.\r\n",
      message: "Duden",
    });
    expect([status, headers.get("location")]).toEqual([303, expect.stringMatching(/auth\.php\/failed$/)]);
    expect(await french()).toMatchObject({ failed: "Mot de passe erroné.\n" });
    const [commit] = (await history()).json.data;
    expect(commit).toMatchObject({ message: "Duden", operation: "work" });
    expect((await browser.get(failed)).text).toContain("French fr translated");
  });

  it("made in the list returns to the same part of the list", async () => {
    const { headers } = await edit(`${strings}?state=stale&q=pass`, { change: "confirm" });
    expect(headers.get("location")).toMatch(/strings\?(?=.*state=stale)(?=.*q=pass)/);
    expect((await browser.get(`${strings}?state=stale`)).text).toContain("No string found");
  });

  it("can remove a translation", async () => {
    await edit(failed, { change: "remove" });
    expect((await browser.get(failed)).text).toContain("French fr missing");
  });

  it("does not replace a text that the user has not seen, and keeps the user's text", async () => {
    const { path, fields } = editorIn(await browser.get(failed), failed, "fr");
    const save = (text: string) => browser.post(path, { ...fields, change: "save", text });
    for (const body of [
      { files: { "auth.php": { failed: "Anders" } }, overwrite_strategy: "overwrite" },
      { files: { "auth.php": { failed: "Mot de passe faux." } }, overwrite_strategy: "overwrite" },
    ]) {
      await call("POST", "/api/hives/web/translations/fr", { body });
      if (body.files["auth.php"].failed !== "Anders") continue;
      const refused = await save("Meins <b>");
      expect(refused.status).toBe(409);
      expect(refused.html).toContain("Meins &lt;b&gt;");
      expect(refused.text).toContain("Anders");
    }
    await post({ "auth.php": { failed: "Another." } });
    expect((await save("Meins")).status).toBe(409);
    expect(await french()).toMatchObject({ failed: "Mot de passe faux." });
  });

  it("shows both texts and their difference in a conflict, and returns to the list", async () => {
    const list = `${strings}?q=pass`;
    const form = editorIn(await browser.get(list), list, "fr");
    await translate("fr", { "auth.php": { failed: "Mot de passe incorrect." } });
    const typed = { change: "save", text: "Mot de passe erroné." };
    const refused = await browser.post(form.path, { ...form.fields, ...typed });
    expect(refused.text).toContain("Theirs, as it is now Mot de passe incorrect. Yours Mot de passe erroné.");
    expect(refused.html).toContain("Mot de passe <del>incorrect</del><ins>erroné</ins>.");
    expect(refused.html).toContain("Replace theirs");
    const again = editorIn(refused, form.path, "fr");
    const { headers } = await browser.post(again.path, { ...again.fields, ...typed });
    expect(headers.get("location")).toMatch(/strings\?.*q=pass/);
    expect(await french()).toMatchObject({ failed: "Mot de passe erroné." });
  });

  const say = (text: string) => translate("fr", { "auth.php": { out: text } });

  it("keeps line ends, and makes no commit without a change", async () => {
    const out = `${strings}/auth.php/out`;
    for (const end of ["\r\n", "\r", "\n", "\n\r\n"]) {
      await say(`eins${end}zwei`);
      const before = await head();
      const typed = `eins${end}zwei`.replaceAll(/\r\n?|\n/g, "\r\n");
      await edit(out, { text: typed });
      expect((await browser.get(out)).text).toContain("Nothing was saved: it was so already.");
      expect((await browser.get(out)).text).not.toContain("Nothing was saved");
      expect(await head()).toBe(before);
      await edit(out, { text: "eins\r\ndrei" });
      expect(await french()).toMatchObject({ out: `eins${end.replace("\n\r\n", "\n")}drei` });
      expect((await browser.get(out)).text).toContain("Saved as a commit");
    }
  });

  it("uses the line ends of the source if there is no translation", async () => {
    await post({ "auth.php": { two: "a\r\nb" } });
    await edit(`${strings}/auth.php/two`, { text: "c\r\nd" });
    expect(await french()).toMatchObject({ two: "c\r\nd" });
  });

  it("without a difference confirms a stale text, and does not conflict with the same text of another user", async () => {
    const { path, fields } = editorIn(await browser.get(failed), failed, "fr");
    const save = (text: string) => browser.post(path, { ...fields, change: "save", text });
    await save("Mot de passe faux.");
    expect((await browser.get(failed)).text).toContain("French fr translated");
    await translate("fr", { "auth.php": { failed: "Erreur." } });
    expect((await save("Erreur.")).status).toBe(303);
  });

  it("can restore an earlier text exactly, also after its string was renamed", async () => {
    const former = "eins\r\nzwei ";
    await say(former);
    await say("drei");
    const moves = [{ from: { file: "auth.php", key: "out" }, to: { file: "auth.php", key: "leave" } }];
    expect((await call("POST", "/api/hives/web/keys/move", { body: { moves } })).status).toBe(200);
    const leave = `${strings}/auth.php/leave`;
    const page = await browser.get(leave);
    const form = page.html
      .split("<form")
      .filter((one) => one.includes('value="restore"'))
      .map(hiddenIn);
    // The one that is there has no button; of the two before, the last comes first.
    expect(form).toHaveLength(2);
    expect((await browser.post(leave, { ...form[0], change: "restore" })).status).toBe(303);
    expect(await french()).toMatchObject({ leave: former });
    expect((await browser.post(leave, { ...form[0], change: "restore" })).status).toBe(303);
    expect((await browser.get(leave)).text).toContain("Nothing was saved");
    expect((await browser.post(leave, { ...form[1], change: "restore" })).status).toBe(409);
    expect((await browser.post(leave, { ...form[0], key: "nope", change: "restore" })).status).toBe(422);
  });

  it("of a plural string is made in the first of its rows, or on the page of any of its forms", async () => {
    const texts = { n_one: "{n} day", n_other: "{n} days" };
    await post({ "n.json": texts });
    const list = `${strings}?file=n.json&locale=fr`;
    const { html } = await browser.get(list);
    const editors = html.split('class="edit"').slice(1);
    expect(
      editors.map((form) => [...form.matchAll(/name="form" value="(\w+)"/g)].map(([, form]) => form)),
    ).toEqual([["one", "other"]]);
    const { path, fields } = editorIn(await browser.get(list), list, "fr");
    const both = new URLSearchParams({ ...fields, change: "save" });
    both.delete("form");
    for (const [form, text] of [
      ["one", "{n} jour"],
      ["other", "{n} jours"],
    ] as const) {
      both.append("form", form);
      both.append("text", text);
    }
    expect((await browser.send(path, both)).headers.get("location")).toContain("file=n.json");
    const stored = async () => JSON.parse((await exported("locale=fr&names=hive")).json.files["n.json"]);
    expect(await stored()).toEqual({ n_one: "{n} jour", n_other: "{n} jours" });
    // French has the form for millions, but needs it nowhere.
    const many = `${strings}/n.json/n_many`;
    const form = editorIn(await browser.get(many), many, "fr");
    const millions = { ...form.fields, change: "save", form: "many", text: "{n} de jours" };
    expect((await browser.post(form.path, millions)).status).toBe(303);
    expect(await stored()).toMatchObject({ n_many: "{n} de jours" });
  });

  it("that is empty is refused with advice", async () => {
    const { status, text } = await edit(failed, { text: "" });
    expect([status, text]).toEqual([422, expect.stringContaining("remove the present one")]);
  });

  it("is refused without the right to write, and without the session's key", async () => {
    const { path, fields } = editorIn(await browser.get(failed), failed, "fr");
    const sent: Fields = { ...fields, change: "remove", without_text: "yes" };
    expect((await browser.post(path, { ...sent, form_key: "x" })).status).toBe(403);
    const reader = await signedIn(storage, { abilities: ["read"] });
    const { form_key: _, ...own } = sent;
    expect((await reader.submit(path, own)).status).toBe(403);
    expect(await french()).toMatchObject({ failed: "Mot de passe faux." });
  });

  it("is offered only for the locales that the token may write, and the list shows the first of them", async () => {
    const translator = await signedIn(storage, { locales: ["ar"] });
    expect((await translator.get(failed)).html.match(/name="locale" value="[^"]+"/g)).toEqual([
      'name="locale" value="ar"',
    ]);
    expect((await translator.get(strings)).html).toContain('name="locale" value="ar"');
    const { text, html } = await translator.get(`${strings}?locale=fr`);
    expect(text).toContain("You may translate into other languages, but not into French.");
    expect(html).not.toContain("<textarea");
    const { path, fields } = editorIn(await browser.get(failed), failed, "fr");
    const { form_key: _, ...own } = fields;
    expect((await translator.submit(path, { ...own, change: "remove", without_text: "yes" })).status).toBe(
      403,
    );
  });

  it("of a locale that the Hive lacks is refused", async () => {
    const { fields } = editorIn(await browser.get(failed), failed, "fr");
    const sent = { ...fields, change: "save", text: "a" };
    expect((await browser.post("/hives/web/translate/xx", sent)).status).toBe(404);
    expect(storage.hives.folderOf(toHiveSlug("web"))).toContain("web");
  });
});

describe("a translation that waits for a review", () => {
  const waiting = `${strings}?locale=fr&state=waiting`;

  beforeEach(async () => {
    await translate(
      "fr",
      { "auth.php": { out: "Ende\r\nzwei" } },
      { headers: { "x-commit-origin": "model" } },
    );
    browser = await signedIn(storage, { abilities: ["read", "approve"] });
  });

  /** The form on a page with the button of a decision. */
  const decision = async (page: string, change: string) => {
    const forms = (await browser.get(page)).html.split("<form");
    const form = forms.find((one) => one.includes(`name="change" value="${change}"`)) ?? "";
    return { path: actionOf(form, page), fields: { ...hiddenIn(form), change } };
  };
  const decide = async (page: string, change: string, fields: Fields = {}) => {
    const form = await decision(page, change);
    return browser.post(form.path, { ...form.fields, ...fields });
  };

  it("is found, counted and marked, beside the text that was approved last", async () => {
    expect((await browser.get("/hives/web")).html).toContain("state=waiting");
    const { text, html } = await browser.get(waiting);
    expect(text).toContain("1 string found");
    expect(html).toContain('<span class="mark small waiting">');
    expect(html).toMatch(/<del>Sortir/);
    expect((await browser.get(`${strings}?locale=fr&state=stale`)).text).not.toContain(
      "waiting for a review",
    );
  });

  it("is approved from a list, and is no more in it", async () => {
    const { status, headers } = await decide(waiting, "approve");
    expect([status, headers.get("location")]).toEqual([303, `../../..${waiting}`]);
    const { text } = await browser.get(waiting);
    expect(text).toContain("Approved by a commit");
    expect(text).toContain("No string found");
  });

  it("is rejected from its page, with a reason", async () => {
    const page = `${strings}/auth.php/out`;
    expect((await decide(page, "reject", { reason: "" })).status).toBe(422);
    expect((await decide(page, "reject", { change: "neither" })).status).toBe(422);
    const rejected = await decide(page, "reject", { reason: "Wrong tone" });
    expect([rejected.status, rejected.headers.get("location")]).toEqual([303, `../../..${page}`]);
    expect(await french()).toMatchObject({ out: "Sortir" });
    expect((await browser.get(page)).text).toContain("Wrong tone");
  });

  it("is not approved once it is another text than was shown", async () => {
    const { path, fields } = await decision(waiting, "approve");
    await translate("fr", { "auth.php": { out: "Fin" } }, { headers: { "x-commit-origin": "model" } });
    const { status, text } = await browser.post(path, fields);
    expect([status, text]).toEqual([409, expect.stringContaining("has been changed since you saw it")]);
    expect((await browser.get(waiting)).text).toContain("1 string found");
    expect((await browser.post(path, { ...fields, seen: "old" })).status).toBe(422);
  });

  it("is decided with others that are selected in the list, as one commit, and what changed meanwhile is left out", async () => {
    const lead = await signedIn(storage, { abilities: ["read", "write", "approve"] });
    const list = `${strings}?locale=fr&file=auth.php`;
    const { html } = await lead.get(list);
    const form = html.split("<form").find((one) => one.includes('id="bulk"')) ?? "";
    const [path, fields] = [actionOf(form, list), hiddenIn(form)];
    const listed: readonly { readonly key: string }[] = JSON.parse(fields["listed"] ?? "");
    const select = (change: string, keys: readonly string[], more: Fields = {}) => {
      const sent = new URLSearchParams({ ...fields, ...more, change });
      for (const key of keys) sent.append("selected", String(listed.findIndex((one) => one.key === key)));
      return lead.send(path, sent);
    };
    const nothing = await select("approve-listed", []);
    expect([nothing.status, nothing.text]).toEqual([409, expect.stringContaining("no text was selected")]);
    expect((await select("reject-listed", ["out"])).status).toBe(422);
    await select("approve-listed", ["out"]);
    expect((await lead.get(list)).text).toContain("Approved by a commit");
    // The text that was confirmed is another one by now, and the last two have none.
    await translate("fr", { "auth.php": { failed: "Anders" } });
    await select("remove-listed", ["failed", "out"]);
    expect((await lead.get(list)).text).toContain("1 of them was changed since you saw it");
    expect(await french()).toEqual({ failed: "Anders" });
    const own = await signedIn(storage, { abilities: ["read"] });
    expect((await own.get(list)).html).not.toContain('name="selected"');
  });

  it("has no buttons for a token that may not approve", async () => {
    browser = browse(storage);
    await browser.signIn(token);
    const { html } = await browser.get(waiting);
    expect(html).toContain("waiting for a review");
    expect(html).not.toContain('value="approve"');
    const sent = { file: "auth.php", key: "out", at: "out", seen: "{}", change: "approve" };
    expect((await browser.submit("/hives/web/translate/fr", sent)).status).toBe(403);
  });
});

it.each([
  ["the page of a string", "/hives/web/strings/menu.po/menu%7COpen", "<h1"],
  ["the history of a key", "/hives/web/history?file=menu.po&key=menu%7COpen", "1 commit"],
  ["the history of a key in any file", "/hives/web/history?key=menu%7COpen", "1 commit"],
  ["the page of work", "/hives/web/translate/fr?at=menu.po%3Amenu%7COpen", "Open the menu"],
])("%s is found by a key as it is shown", async (_, path, expected) => {
  await post({ "menu.po": { "menu\u0004Open": "Open the menu", "menu\u0004Close": "Close" } });
  const { status, html } = await browser.get(path);
  expect([status, html]).toEqual([200, expect.stringContaining(expected)]);
});
