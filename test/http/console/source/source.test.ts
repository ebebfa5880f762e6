/** Source strings in the console, without its scripts: added, changed, renamed and removed after a preview. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../../src/service/storage.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call } from "../../../helpers/storage.ts";
import { formIn, prepareBrowser, signedIn, type ConsoleBrowser, type Fields, type Page } from "../browse.ts";

const hive = "/api/hives/web";
const at = "/hives/web/source";
let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;
const { post, fill } = hiveAt(() => call);

const prepared = prepareBrowser({ token: { abilities: ["admin"] }, locales: ["fr", "de"] }, async (web) => {
  ({ call } = web);
  const source = { nav: { home: "Home" }, hello: "Hello {{name}}", bye: "Bye" };
  const plural = { item_one: "{{count}} item", item_other: "{{count}} items" };
  await post({ "a.json": source, "c.json": plural });
  const files = { "a.json": { nav: { home: "Accueil" }, bye: "Salut" } };
  await fill("fr", files);
});
beforeEach(async () => {
  ({ storage, call, browser } = await prepared());
});

const exported = async (locale: string): Promise<Readonly<Record<string, unknown>>> => {
  const { json } = await call("GET", `${hive}/export?locale=${locale}&shape=nested&names=hive`);
  return Object.fromEntries(
    Object.entries<string>(json.files).map(([name, text]) => [name, JSON.parse(text)]),
  );
};

/** Sends the form of a preview, as its button does. */
const apply = (preview: Page, path: string): Promise<Page> => {
  const { path: to, fields } = formIn(preview, path, 'name="plan"');
  return browser.post(to, fields);
};

/** Previews an edit, and makes it. */
async function edit(kind: string, fields: Fields): Promise<Page> {
  const preview = await browser.submit(`${at}/${kind}`, fields);
  expect([preview.status, preview.text]).toEqual([200, expect.stringContaining("What it would change")]);
  return apply(preview, `${at}/${kind}`);
}

describe("a source string", () => {
  it("is added after a preview, in the groups of its file", async () => {
    const form = await browser.get(`${at}/add?file=a.json`);
    expect(form.html).toContain('value="a.json"');
    const preview = await browser.submit(`${at}/add`, { file: "a.json", key: "nav.away", text: "Away" });
    expect([preview.status, preview.text]).toEqual([200, expect.stringContaining("Strings added: 1")]);
    expect(await exported("en")).toMatchObject({ "a.json": { nav: { home: "Home" } } });
    const made = await apply(preview, `${at}/add`);
    expect([made.status, made.headers.get("location")]).toEqual([
      303,
      "../../../hives/web/strings/a.json/nav.away",
    ]);
    expect(await exported("en")).toMatchObject({ "a.json": { nav: { home: "Home", away: "Away" } } });
  });

  it("is changed, and its translations stay as stale ones or go", async () => {
    const form = await browser.get(`${at}/change?file=a.json&key=bye`);
    expect(form.text).toContain("Translations: 1");
    expect(form.html).toContain('name="text.bye"');
    const fields = { file: "a.json", key: "bye", "text.bye": "Goodbye" };
    await edit("change", { ...fields, conflict_strategy: "keep" });
    expect((await exported("fr"))["a.json"]).toMatchObject({ bye: "Salut" });
    const clear = { ...fields, "text.bye": "Farewell", conflict_strategy: "clear" };
    const preview = await browser.submit(`${at}/change`, clear);
    expect(preview.text).toContain("Source texts changed: 1 Translations removed: 1");
    await apply(preview, `${at}/change`);
    expect((await exported("fr"))["a.json"]).toEqual({ nav: { home: "Accueil" } });
    expect((await exported("en"))["a.json"]).toMatchObject({ bye: "Farewell" });
  });

  it("is changed with all forms of its plural", async () => {
    const { html } = await browser.get(`${at}/change?file=c.json&key=item_other`);
    expect(Array.from(html.matchAll(/name="(text\.[^"]*)"/g), ([, name]) => name)).toEqual([
      "text.item_one",
      "text.item_other",
    ]);
    await edit("change", {
      file: "c.json",
      key: "item_other",
      "text.item_one": "{{count}} thing",
      "text.item_other": "{{count}} things",
      conflict_strategy: "keep",
    });
    expect((await exported("en"))["c.json"]).toEqual({
      item_one: "{{count}} thing",
      item_other: "{{count}} things",
    });
  });

  it("is renamed with its translations", async () => {
    const form = await browser.get(`${at}/move?file=a.json&key=nav.home`);
    expect(form.html).toContain('name="from_key" value="nav.home"');
    const from = { from_file: "a.json", from_key: "nav.home" };
    const preview = await browser.submit(`${at}/move`, { ...from, file: "b.json", key: "start" });
    expect(preview.text).toContain("Strings renamed or moved: 1");
    expect(preview.text).toContain("nav.home a.json → start b.json");
    const made = await apply(preview, `${at}/move`);
    expect(made.headers.get("location")).toBe("../../../hives/web/strings/b.json/start");
    expect((await exported("fr"))["b.json"]).toEqual({ start: "Accueil" });
  });

  it("is removed with its translations, which an undo brings back", async () => {
    const preview = await browser.get(`${at}/remove?file=a.json&key=bye`);
    expect(preview.text).toContain("Strings removed: 1 Translations removed: 1");
    const made = await apply(preview, `${at}/remove`);
    expect(made.headers.get("location")).toBe("../../../hives/web/strings");
    expect((await exported("en"))["a.json"]).toEqual({ nav: { home: "Home" }, hello: "Hello {{name}}" });
    const list = await browser.get("/hives/web/strings");
    expect(list.html).toMatch(/href="[^"]*\/undo"/);
  });
});

describe("what was changed since the preview", () => {
  it("is applied where it does the same, whatever else was written", async () => {
    const preview = await browser.get(`${at}/remove?file=a.json&key=hello`);
    await post({ "d.json": { other: "Other" } });
    expect((await apply(preview, `${at}/remove`)).status).toBe(303);
    expect(await exported("en")).toMatchObject({ "d.json": { other: "Other" } });
  });

  it("is previewed again where it would do something else", async () => {
    const preview = await browser.get(`${at}/remove?file=a.json&key=hello`);
    const files = { "a.json": { hello: "Bonjour {{name}}" } };
    await fill("fr", files);
    const again = await apply(preview, `${at}/remove`);
    expect([again.status, again.text]).toEqual([
      409,
      expect.stringContaining("The Hive has changed meanwhile"),
    ]);
    expect(again.text).toContain("Translations removed: 1");
    expect((await exported("fr"))["a.json"]).toMatchObject({ hello: "Bonjour {{name}}" });
    expect((await apply(again, `${at}/remove`)).status).toBe(303);
  });
});

describe("an edit that cannot be made", () => {
  it.each([
    ["add", { file: "a.json", key: "bye", text: "x" }, "problem-source/add-key", "is there already"],
    ["add", { file: "/a", key: "x", text: "x" }, "problem-source/add-file", "must"],
    [
      "move",
      { from_file: "a.json", from_key: "bye", file: "a.json", key: "hello" },
      "problem-source/move-key",
      "exists",
    ],
    [
      "move",
      { from_file: "a.json", from_key: "bye", file: "../x", key: "y" },
      "problem-source/move-file",
      "must",
    ],
  ])("says so at its field, with what was written: %s %j", async (kind, fields, id, problem) => {
    const { status, html } = await browser.submit(`${at}/${kind}`, fields);
    expect(status).toBe(422);
    const [, shown = ""] = new RegExp(`id="${id}">(.*?)</p>`).exec(html) ?? [];
    expect(shown).toContain(problem);
    expect(html).toContain(`value="${fields.key}"`);
  });

  it("says so for a string that is gone", async () => {
    expect((await browser.get(`${at}/change?file=a.json&key=gone`)).status).toBe(404);
    const gone = { file: "a.json", key: "gone", "text.gone": "x", conflict_strategy: "keep" };
    expect((await browser.submit(`${at}/change`, gone)).status).toBe(404);
  });

  it("lists what checks refuse, and may be made all the same", async () => {
    const syntax = [{ files: "plain.txt", syntax: "none" }];
    await call("PATCH", hive, { body: { checks: { level: "refuse", syntax } } });
    await post({ "plain.txt": { hi: "Hi {{name}}" } });
    const files = { "plain.txt": { hi: "Salut {{nom}}" } };
    await fill("fr", files);
    const fields = { from_file: "plain.txt", from_key: "hi", file: "a.json", key: "hi" };
    const refused = await browser.submit(`${at}/move`, fields);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("Findings of checks: ")]);
    expect(refused.text).toContain("{{nom}}");
    expect((await edit("move", { ...fields, checks: "true" })).status).toBe(303);
  });
});

it("is for those who may write in all languages", async () => {
  const limited = await signedIn(storage, { locales: ["fr"] });
  const fields = { file: "a.json", key: "new", text: "x" };
  expect((await limited.submit(`${at}/add`, fields)).status).toBe(403);
  const reader = await signedIn(storage, { abilities: ["read"] });
  expect((await reader.get(`${at}/add`)).status).toBe(403);
  for (const other of [limited, reader])
    for (const page of ["/hives/web/strings", "/hives/web/strings/a.json/bye"])
      expect((await other.get(page)).html).not.toContain("/source/");
  for (const page of ["/hives/web/strings", "/hives/web/strings/a.json/bye"])
    expect((await browser.get(page)).html).toContain("source/");
});
