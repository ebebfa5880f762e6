/** The page of work: one string after the other, without a script. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../src/service/storage.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { makeToken, type Call, type WebOptions } from "../../helpers/storage.ts";
import {
  browse,
  editorIn,
  formIn,
  prepareBrowser,
  signedIn,
  unescaped,
  workFields,
  type ConsoleBrowser,
  type Fields,
  type Page,
} from "./browse.ts";

const api = "/api/hives/web";
const desk = "/hives/web/translate/fr";

let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;
const { fill, post, put, exported, history } = hiveAt(() => call);

const options: WebOptions = {
  locales: ["fr", "de", "pl"],
  token: { name: "Marie", abilities: ["admin"] },
};
const prepared = prepareBrowser(options, async (web) => {
  const files = {
    "a.json": { open: "Open the file {{name}}", close: "Close", bye: "Bye" },
    "b.json": { n_one: "{{count}} item", n_other: "{{count}} items" },
  };
  await web.post(files);
});
beforeEach(async () => {
  ({ storage, call, browser } = await prepared());
});

/** Sends the form of a page, with other texts. */
async function send(page: Page, texts: readonly string[], fields: Fields, path = desk): Promise<Page> {
  const all = workFields(page).filter(([name]) => name !== "text");
  const body = new URLSearchParams([...all, ...texts.map((text): [string, string] => ["text", text])]);
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return browser.send(path, body);
}

const shown = ({ html }: Page): string | undefined => /data-draft="([^"]*)"/.exec(html)?.[1];
const translations = async (locale = "fr") => (await exported(`locale=${locale}`)).json.files;
const go = ({ headers }: Page): Promise<Page> =>
  browser.get(new URL(headers.get("location") ?? "", `http://x${desk}`).href.slice(8));

describe("the page of work", () => {
  it("shows a string with all that is known about it", async () => {
    const terms = [
      { source: "file", meaning: "on <i>a disk</i>", translations: { fr: { text: "fichier" } } },
    ];
    await call("POST", `${api}/glossary`, { body: { terms } });
    await call("PUT", `${api}/style/fr`, { body: { text: "Vouvoyez." } });
    const notes = { open: { note: "A <b>button</b>", max_length: 30, tags: ["menu"] } };
    await call("PATCH", `${api}/notes`, { body: { files: { "a.json": notes } } });
    await fill("de", { "a.json": { open: "Die Datei {{name}} öffnen" } });
    await post({ "c.json": { again: "Open the file {{name}}" } });
    await fill("fr", { "c.json": { again: "Ouvrir {{name}}" } });
    const page = await browser.get(desk);
    expect([page.status, shown(page)]).toEqual([200, "a.json:open"]);
    for (const text of [
      "4 left",
      "Open the file {{name}}",
      "0 of 30 characters",
      "A <b>button</b>",
      "menu",
      "Memory Ouvrir {{name}} 100 %",
      "file · on <i>a disk</i> · fichier",
      "Style of French Vouvoyez.",
      "German Die Datei {{name}} öffnen",
      "Next Close Bye",
    ])
      expect(page.text).toContain(text);
    expect(page.html).toContain('<code class="argument" dir="ltr" translate="no">{{name}}</code>');
    expect(page.html).not.toMatch(/<b>|<i>/);
    const polish = await browser.get("/hives/web/translate/pl?at=b.json:n_one");
    expect(shown(polish)).toBe("b.json:n_other");
    expect(polish.text).toContain("few, such as 2");
    expect(polish.html.match(/<textarea[^>]* name="text"[^>]* data-form=/g)).toHaveLength(3);
  });

  it("shows a term for another form of it, and finds nothing missing then", async () => {
    const terms = [{ source: "item", translations: { fr: { text: "article", forbidden: ["objet"] } } }];
    await call("POST", `${api}/glossary`, { body: { terms } });
    const files = { "b.json": { n_one: "{{count}} article", n_other: "{{count}} objets" } };
    await fill("fr", files);
    const page = await browser.get(`${desk}?at=b.json:n_other`);
    expect(page.text).toContain("item · article");
    expect(page.html).toMatch(/class="term"[^>]*>items</);
    const { json } = await call("GET", `${api}/checks?locale=fr`);
    expect(json.data).toEqual([]);
  });

  it("shows what the app and the team say between the source text and its field, but the question above and in its thread", async () => {
    const notes = { "b.json": { n_one: { note: "From the app" } } };
    await post({ "b.json": { n_one: "{{count}} item" } }, { body: { notes } });
    const team = { n_one: { note: "From the team", ask: "Which item?" } };
    await call("PATCH", `${api}/notes`, { body: { files: { "b.json": team } } });
    const { html, text } = await browser.get("/hives/web/translate/pl?at=b.json:n_one");
    expect(text).toContain("Note From the team From the app");
    const [note = ""] = /<section class="note".*?<\/section>/s.exec(html) ?? [];
    expect([note.includes("From the team"), note.includes("Which item?")]).toEqual([true, false]);
    const order = ["<form", "Which item?", 'class="source lead"', "From the team", "<textarea"];
    const places = order.map((part) => html.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(html.match(/From the team/g)).toHaveLength(1);
  });

  it("describes each field by its source text, which can be scrolled by keyboard where it is long", async () => {
    await put({ "a.json": { short: "Open", long: "Open the file. ".repeat(100) } });
    for (const [key, isScrolled] of [
      ["short", false],
      ["long", true],
    ] as const) {
      const { html } = await browser.get(`${desk}?at=${encodeURIComponent(`a.json:${key}`)}`);
      const [source = ""] = /<p class="source lead"[^>]*>/.exec(html) ?? [];
      const [field = ""] = /<textarea id="work-[^>]*>/.exec(html) ?? [];
      const [, id = ""] = / id="([^"]*)"/.exec(source) ?? [];
      expect(id).not.toBe("");
      expect(/aria-describedby="([^"]*)"/.exec(field)?.[1]?.split(" ")).toContain(id);
      expect([key, source.includes('tabindex="0"')]).toEqual([key, isScrolled]);
    }
  });

  it("claims what it shows, one string for each session", async () => {
    const first = await browser.get(desk);
    expect(shown(await browser.get(desk))).toBe(shown(first));
    const other = await signedIn(storage, { name: "Luc" });
    const theirs = await other.get(desk);
    expect(shown(theirs)).toBe("a.json:close");
    expect(theirs.text).toMatch(/Others work on Marie open, 10 min/);
    expect((await call("GET", `${api}/work`)).json.data).toHaveLength(2);
    // Nobody is kept from a string by name.
    expect(shown(await other.get(`${desk}?at=a.json:open`))).toBe("a.json:open");
    expect(shown(await browser.get("/hives/web/translate/de"))).toBe("a.json:open");
    expect((await call("GET", `${api}/work`)).json.data).toHaveLength(1);
  });

  it("ends a claim of one's own, and for an admin any, with the filters kept", async () => {
    await browser.get(desk);
    const other = await signedIn(storage, { name: "Luc" });
    const admin = await signedIn(storage, { name: "Kim", abilities: ["admin"] });
    expect((await other.get(`${desk}?want=missing`)).html).not.toContain("/fr/claims");
    const page = `${desk}?want=missing`;
    const { path, fields } = formIn(await admin.get(page), page, "/fr/claims");
    expect((await other.post(path, { ...fields, form_key: await other.formKey() })).status).toBe(404);
    const ended = await admin.post(path, fields);
    expect([ended.status, ended.headers.get("location")]).toEqual([
      303,
      "../../../../hives/web/translate/fr?want=missing",
    ]);
    const { json } = await call("GET", `${api}/work`);
    expect(json.data.map(({ by }: { by: string }) => by)).not.toContain("Marie");
  });

  it("saves as a commit of a person, and goes on behind the string with the same filters", async () => {
    const path = `${desk}?file=a&at=a.json:close`;
    const page = await browser.get(path);
    const saved = await send(page, ["Fermer"], { change: "next" }, path);
    expect([saved.status, saved.headers.get("location")]).toEqual([
      303,
      "../../../hives/web/translate/fr?file=a&after=a.json%3Aclose",
    ]);
    expect(await translations()).toMatchObject({ "a.json": expect.stringContaining('"close": "Fermer"') });
    expect((await history("per_page=1")).json.data[0].origin).toMatchObject({
      kind: "person",
    });
    const next = await go(saved);
    expect(shown(next)).toBe("a.json:bye");
    expect(next.text).toContain("Saved as a commit");
    expect(next.html).toMatch(/href="[^"]*at=a.json%3Aclose" rel="prev"/);
    const last = await go(await send(next, ["Salut"], { change: "next" }, path));
    expect(shown(last)).toBe("a.json:open");
    const stays = await go(await send(last, ["Ouvrir {{name}}"], { change: "save" }, path));
    expect(shown(stays)).toBe("a.json:open");
    expect((await browser.get(`${desk}?file=a`)).text).toContain(
      "Nothing is left of what these filters select.",
    );
  });

  it.each([
    ["the page of work", desk],
    ["a list", "/hives/web/strings?locale=fr"],
    ["the page of a string", "/hives/web/strings/a.json/close"],
  ])("says that a text waits for a review where it does, from %s", async (_, path) => {
    const save = async (text: string): Promise<string> => {
      const form = path === desk ? undefined : editorIn(await browser.get(path), path, "fr");
      const saved =
        form === undefined
          ? await send(await browser.get(`${desk}?at=a.json:close`), [text], { change: "save" })
          : await browser.submit(form.path, { ...form.fields, text, change: "save" });
      expect(saved.status).toBe(303);
      return (await go(saved)).text;
    };
    expect(await save("Clore")).not.toContain("waits for a review. Undo");
    await call("PATCH", `${api}/locales/fr`, { body: { review: "all" } });
    expect(await save("Fermer")).toContain(
      "Saved as a commit, which you can undo. The text waits for a review. Undo",
    );
    // The last approved text needs no review.
    expect(await save("Clore")).toContain("Saved as a commit, which you can undo. Undo");
  });

  it("takes single forms of a plural, and keeps the line ends of texts", async () => {
    const address = "/hives/web/translate/pl?at=b.json:n_other";
    const saved = await send(
      await browser.get(address),
      ["{{count}} rzecz", "", "{{count}} rzeczy"],
      { change: "next" },
      address,
    );
    expect(saved.status).toBe(303);
    expect((await go(saved)).text).toContain("A plural form has no text yet.");
    const begun = await browser.get(address);
    expect(begun.text).toContain("Plural forms without a text: few");
    const fields = [...begun.html.matchAll(/<textarea[^>]*data-form="(\w+)"[^>]*>/g)];
    expect(fields.filter(([field]) => field.includes("autofocus")).map(([, form]) => form)).toEqual(["few"]);
    const { "b.json": file } = await translations("pl");
    expect(JSON.parse(file)).toEqual({ n_one: "{{count}} rzecz", n_many: "{{count}} rzeczy" });
    await post({ "c.json": { lines: "One\r\nTwo" } });
    const lines = await browser.get(`${desk}?at=c.json:lines`);
    await send(lines, ["Un\r\nDeux"], { change: "next" });
    expect(JSON.parse((await translations())["c.json"])).toEqual({ lines: "Un\r\nDeux" });
  });

  it("skips, and asks a question, which answers in the notes", async () => {
    const skipped = await go(await send(await browser.get(desk), [""], { change: "skip" }));
    expect(shown(skipped)).toBe("a.json:close");
    const empty = await send(skipped, ["Fer"], { change: "ask", question: " " });
    expect([empty.status, empty.text]).toEqual([422, expect.stringContaining("must not be empty")]);
    expect(empty.html).toContain("\nFer</textarea>");
    const asked = await go(
      await send(skipped, [""], { change: "ask", question: "Verb or <b>adjective</b>?" }),
    );
    expect([shown(asked), asked.text]).toEqual([
      "a.json:bye",
      expect.stringContaining("waits for an answer"),
    ]);
    expect((await call("GET", `${api}/notes?key=close`)).json.data[0].team).toEqual({
      ask: "Verb or <b>adjective</b>?",
    });
    const waiting = await browser.get(`${desk}?want=asked`);
    expect([shown(waiting), waiting.text]).toEqual([
      "a.json:close",
      expect.stringContaining("Asked: Verb or <b>adjective</b>?"),
    ]);
    expect(shown(await browser.get(desk))).toBe("a.json:bye");
  });

  it("shows a hidden string again, from the notice and from the filter", async () => {
    const missing = `${desk}?want=missing`;
    const hide = async () => go(await send(await browser.get(missing), [""], { change: "skip" }, missing));
    const hidden = await hide();
    expect([shown(hidden), hidden.text]).toEqual(["a.json:close", expect.stringContaining("Hidden: ")]);
    expect(hidden.text).toContain("3 left");
    const undo = unescaped(/id="notice".*?<a href="([^"]*)">Undo/s.exec(hidden.html)?.[1] ?? "");
    expect(undo).toBe("../../../hives/web/translate/fr?want=missing&at=a.json%3Aopen");
    for (const path of [undo.replace(/^(\.\.\/)*/, "/"), `${desk}?want=skipped`]) {
      const page = await browser.get(path);
      expect(shown(page)).toBe("a.json:open");
      expect(page.html).toContain('<span class="mark small">hidden</span>');
      expect(page.html).not.toContain('value="skip"');
      const again = await go(await send(page, [""], { change: "unskip" }));
      expect([shown(again), again.text]).toEqual(["a.json:open", expect.stringContaining("is shown again")]);
      expect(again.html).toContain('value="skip"');
      expect(again.html).not.toContain('value="unskip"');
      expect(shown(await browser.get(desk))).toBe("a.json:open");
      expect((await browser.get(`${desk}?want=skipped`)).text).toContain("Nothing");
      expect((await send(page, [""], { change: "unskip" })).status).toBe(303);
      await hide();
    }
  });

  it("shows both texts of a conflict, and replaces theirs when asked again", async () => {
    const page = await browser.get(`${desk}?at=a.json:close`);
    await fill("fr", { "a.json": { close: "Clore" } });
    const refused = await send(page, ["Fermer"], { change: "next" });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Theirs, as it is now Clore Yours Fermer");
    expect(refused.text).toMatch(/Replace theirs and next.*Replace theirs/);
    expect(refused.html).not.toMatch(/value="save"[^>]*>Save/);
    expect(workFields(refused)).toContainEqual(["text", "Fermer"]);
    expect((await send(refused, ["Fermer"], { change: "next" })).status).toBe(303);
    const old = await browser.get(`${desk}?at=a.json:bye`);
    await post({ "a.json": { bye: "Good bye" } });
    const late = await send(old, ["Salut"], { change: "next" });
    expect([late.status, late.text]).toEqual([
      409,
      expect.stringContaining("The source text has been changed"),
    ]);
    expect(late.text).toContain("Good bye");
  });

  it("refuses a text that would break the app, unless that is wanted", async () => {
    const page = await browser.get(desk);
    const refused = await send(page, ["Ouvrir {{nom}}"], { change: "next" });
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining("{{nom}} is not in the source text"),
    ]);
    expect(workFields(refused)).toContainEqual(["text", "Ouvrir {{nom}}"]);
    expect(refused.html).toContain('name="checks"');
    expect((await send(refused, ["Ouvrir {{nom}}"], { change: "next", checks: "warn" })).status).toBe(303);
    const failing = await browser.get(`${desk}?want=failing`);
    expect([shown(failing), failing.text]).toEqual(["a.json:open", expect.stringContaining("1 left")]);
    expect((await send(failing, [""], { change: "next" })).status).toBe(422);
    expect((await send(await browser.get(desk), ["", ""], { change: "next" })).status).toBe(422);
  });

  it.each([
    ["skip", {}],
    ["unskip", {}],
    ["ask", { question: "Where?" }],
    ["reject", { reason: "Too familiar" }],
  ])("keeps a text that %s would lose, until that is wanted", async (change, own: Fields) => {
    await call("PATCH", `${api}/locales/fr`, { body: { review: "all" } });
    await fill("fr", { "a.json": { close: "Clore" } });
    const page = await browser.get(`${desk}?at=a.json:close`);
    if (change === "unskip") await send(page, ["Clore"], { change: "skip" });
    const refused = await send(page, ["Fermer"], { change, ...own });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("would be lost")]);
    expect(workFields(refused)).toContainEqual(["text", "Fermer"]);
    expect(refused.html).toContain('name="without_text"');
    const answer = { change, ...own, without_text: "yes" };
    expect((await send(refused, ["Fermer"], answer)).status).toBe(303);
    expect((await send(await browser.get(`${desk}?at=a.json:bye`), [""], { change: "skip" })).status).toBe(
      303,
    );
  });

  it("puts a text of the memory into the field without a script, and keeps what was seen", async () => {
    const page = await browser.get(`${desk}?at=a.json:close`);
    await fill("fr", { "a.json": { close: "Clore" } });
    const taken = await send(page, [""], { take: "Fermer <x>" });
    expect([taken.status, taken.html]).toEqual([
      200,
      expect.stringContaining("\nFermer &lt;x&gt;</textarea>"),
    ]);
    expect((await send(taken, ["Fermer"], { change: "next" })).status).toBe(409);
  });
});

it("three texts of the memory are in sight, and the keys of the others go on from there", async () => {
  const same = Object.fromEntries(["a", "b", "c", "d", "e"].map((key) => [key, "Close"]));
  await post({ "c.json": same });
  const texts = { a: "Fermer", b: "Clore", c: "Quitter", d: "Terminer", e: "Finir" };
  await fill("fr", { "c.json": texts });
  const { html } = await browser.get(`${desk}?at=a.json:close`);
  const [seen = "", folded = ""] = html.split('<details class="more-hits">');
  const keysIn = (part: string) =>
    Array.from(part.matchAll(/name="take"[^>]*data-key="(\d)"/g), ([, key]) => key);
  expect([keysIn(seen), keysIn(folded)]).toEqual([
    ["1", "2", "3"],
    ["4", "5"],
  ]);
  expect(folded).toContain("<summary>2 more</summary>");
});

describe("texts that wait for a review", () => {
  beforeEach(async () => {
    await call("PATCH", `${api}/locales/fr`, { body: { review: "all" } });
    const texts = { open: "Ouvrir {{name}}", close: "Fermer", bye: "Salut" };
    await fill("fr", { "a.json": texts });
  });

  it("are approved, changed and approved, or rejected with a reason", async () => {
    const address = `${desk}?want=review`;
    const first = await browser.get(address);
    expect(shown(first)).toBe("a.json:open");
    const second = await go(await send(first, ["Ouvrir {{name}}"], { change: "approve" }, address));
    expect(shown(second)).toBe("a.json:close");
    const third = await go(await send(second, ["Clore"], { change: "approve" }, address));
    expect([shown(third), (await send(third, ["Salut"], { change: "reject" }, address)).status]).toEqual([
      "a.json:bye",
      422,
    ]);
    const done = await go(
      await send(third, ["Salut"], { change: "reject", reason: "Too familiar" }, address),
    );
    expect(done.text).toContain("Nothing is left");
    expect(JSON.parse((await translations())["a.json"])).toEqual({ open: "Ouvrir {{name}}", close: "Clore" });
    expect((await call("GET", `${api}/review?locale=fr`)).json.data).toEqual([]);
    expect((await browser.get(`${desk}?at=a.json:bye`)).text).toContain("Rejected: Too familiar");
  });

  it("are approved together by one press and one commit", async () => {
    const address = `${desk}?want=review`;
    const page = await browser.get(address);
    const listed = unescaped(/name="listed" value="([^"]*)"/.exec(page.html)?.[1] ?? "");
    expect(page.text).toContain("Close Fermer");
    const body = new URLSearchParams({ form_key: await browser.formKey(), change: "approve-listed", listed });
    expect((await go(await browser.send(address, body))).text).toContain("no text was selected");
    for (const i of [0, 1]) body.append("selected", String(i));
    expect((await go(await browser.send(address, body))).text).toContain("Approved by a commit");
    expect((await call("GET", `${api}/review?locale=fr`)).json.data).toMatchObject([{ key: "open" }]);
    expect((await history("per_page=1")).json.data[0]).toMatchObject({
      subject: expect.stringContaining("2 approved"),
    });
  });
});

describe("the address of the page of work", () => {
  it("filters by state, words, file and tag, and names what is wrong beside its field", async () => {
    await call("PATCH", `${api}/notes`, { body: { files: { "a.json": { bye: { tags: ["end"] } } } } });
    expect((await browser.get(`${desk}?tag=end`)).text).toContain("1 left");
    expect(shown(await browser.get(`${desk}?q=CLOSE`))).toBe("a.json:close");
    expect(shown(await browser.get(`${desk}?file=b`))).toBe("b.json:n_other");
    const wrong = await browser.get(`${desk}?want=everything&q=x`);
    expect(wrong.status).toBe(422);
    expect(wrong.html).toMatch(/id="problem-filter-want"><bdi>What the address asks for is no choice here/);
    expect(wrong.html).toContain('value="x"');
    expect((await browser.get(`${desk}?tag=,`)).status).toBe(422);
    expect((await browser.get(`${desk}?beside=nope`)).status).toBe(422);
  });

  it("is not found for locales and strings that there are not, nor for the source", async () => {
    for (const path of [
      "/hives/web/translate/it",
      "/hives/web/translate/en",
      `${desk}?at=a.json:nope`,
      `${desk}?at=`,
    ])
      expect([path, (await browser.get(path)).status]).toEqual([path, path.endsWith("=") ? 200 : 404]);
  });

  it("names each string, even if its key is empty or its text is blank", async () => {
    await post({ "c.json": { "": "Nothing", blank: "   " } });
    const { html: queue } = await browser.get(`${desk}?file=c.json`);
    expect(queue).toMatch(/at=c\.json%3Ablank"[^>]*>.*?<bdi>blank<\/bdi>/);
    const { html: list } = await browser.get("/hives/web/strings?locale=fr&file=c.json");
    expect(list).toMatch(/key=empty"[^>]*><code><span class="nothing">\(empty key\)/);
  });

  it("shows a new session the string of its address, even while the last session of the token holds it", async () => {
    const token = await makeToken(storage, { name: "Luc" });
    const [before, after] = [browse(storage), browse(storage)];
    await before.signIn(token);
    await after.signIn(token);
    const held = shown(await before.get(desk)) ?? "";
    expect(shown(await after.get(desk))).not.toBe(held);
    expect(shown(await after.get(`${desk}?at=${encodeURIComponent(held)}`))).toBe(held);
  });

  it("is forbidden to tokens that may do nothing there, and leads to the locales that they may translate into", async () => {
    for (const limits of [{ abilities: ["read"] }, { locales: ["de"] }] as const) {
      const limited = await signedIn(storage, limits);
      const { status, text, html } = await limited.get(desk);
      expect([status, text]).toEqual([403, expect.stringContaining("You may not translate into French.")]);
      expect(html.includes("translate/de")).toBe("locales" in limits);
    }
    const reviewer = await signedIn(storage, { abilities: ["read", "approve"] });
    expect((await reviewer.get(desk)).text).toContain("Nothing is left");
  });
});
