/** Files that people import in the console, without its scripts. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../../src/service/storage.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call } from "../../../helpers/storage.ts";
import { formIn, prepareBrowser, signedIn, type ConsoleBrowser, type Fields, type Page } from "../browse.ts";

const hive = "/api/hives/web";
const at = "/hives/web/import";
const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;
const { post, fill } = hiveAt(() => call);

const prepared = prepareBrowser(
  { token: { abilities: ["admin"] }, locales: ["fr", "de"], storage: { now: () => clock.now } },
  async (web) => {
    ({ call } = web);
    const source = { nav: { home: "Home" }, hello: "Hello {{name}}", bye: "Bye" };
    await post({ "en.json": source });
    await fill("fr", { "en.json": { bye: "Salut" } });
  },
);
beforeEach(async () => {
  ({ storage, call, browser } = await prepared());
});

const exported = async (locale: string): Promise<Readonly<Record<string, unknown>>> => {
  const { json } = await call("GET", `${hive}/export?locale=${locale}&shape=nested&names=hive`);
  return Object.fromEntries(
    Object.entries<string>(json.files).map(([name, text]) => [name, JSON.parse(text)]),
  );
};

type File = readonly [name: string, content: string | Uint8Array];
const json = (name: string, content: unknown): File => [name, JSON.stringify(content)];
const source = { mode: "import", conflict_strategy: "keep" };
const french = { locale: "fr", overwrite_strategy: "skip" };

/** Sends a file, and opens its preview. */
async function previewOf(
  kind: string,
  fields: Fields,
  file: File,
  by = browser,
): Promise<Page & { readonly path: string }> {
  const sent = await by.upload(`${at}/${kind}`, fields, { upload: file });
  expect([sent.status, sent.text]).toEqual([303, ""]);
  const path = new URL(sent.headers.get("location") ?? "", `http://x${at}/${kind}`).pathname;
  return { ...(await by.get(path)), path };
}

const apply = (preview: Page & { readonly path: string }): Promise<Page> => {
  const { path, fields } = formIn(preview, preview.path, 'name="plan"');
  return browser.post(path, fields);
};

it("a file is read in the format that the Hive knows of its namesake, unless its own name says another", async () => {
  const formats = [{ files: "messages.xml", format: "xliff" }];
  await call("PATCH", hive, { body: { checks: { formats } } });
  const xliff = (state: string): string =>
    `<xliff version="1.2"><file source-language="en" target-language="fr" original="a"><body><trans-unit id="a"><source>One</source>${state}</trans-unit></body></file></xliff>`;
  const shown = await previewOf("source", source, ["messages.xml", xliff("")]);
  expect(shown.html).toContain(">One</span>");
  await apply(shown);
  const target = xliff("<target>Un</target>");
  for (const file of ["messages.fr.xml", "messages.xlf"]) {
    const preview = await previewOf("translations", { ...french, name: "messages.xml" }, [file, target]);
    expect(preview.html, file).toContain(">Un</span>");
  }
});

describe("source strings", () => {
  it("say where no text would change: nothing would, or other parts of the files", async () => {
    const same = { nav: { home: "Home" }, hello: "Hello {{name}}", bye: "Bye" };
    const nothing = await previewOf("source", source, json("en.json", same));
    expect(nothing.text).toContain("Nothing would change.");
    expect(nothing.html).not.toContain('name="plan"');
    const arb = (description: string): File =>
      json("app_en.arb", { "@@locale": "en", title: "Title", "@title": { description } });
    expect((await apply(await previewOf("source", source, arb("Of a book")))).status).toBe(303);
    const noted = await previewOf("source", source, arb("Of a film"));
    expect(noted.text).toContain("No text would change, but other parts of the files would");
    expect((await apply(noted)).status).toBe(303);
  });

  it("are imported without a loss of what is said about strings that the file lacks", async () => {
    const said = { "en.json": { bye: { note: "At the door" }, hello: { note: "To a person" } } };
    expect((await call("POST", `${hive}/strings`, { body: { files: {}, notes: said } })).status).toBe(200);
    expect((await apply(await previewOf("source", source, json("en.json", { hello: "Hi" })))).status).toBe(
      303,
    );
    const notes = (await call("GET", `${hive}/notes`)).json.data;
    expect(notes.map(({ key, app }: Record<string, unknown>) => [key, app])).toEqual([
      ["bye", { note: "At the door" }],
    ]);
  });

  it("are imported after a preview, which others stay out of", async () => {
    const preview = await previewOf(
      "source",
      source,
      json("en.json", { nav: { home: "Start", away: "Away" } }),
    );
    expect(preview.text).toContain("en.json as the source strings of en.json");
    expect(preview.text).toContain("Strings added: 1 Source texts changed: 1");
    expect(preview.text).not.toContain("removed: ");
    const made = await apply(preview);
    expect([made.status, made.headers.get("location")]).toEqual([303, expect.stringContaining("/history/")]);
    expect((await exported("en"))["en.json"]).toMatchObject({
      nav: { home: "Start", away: "Away" },
      bye: "Bye",
    });
    expect((await browser.get(preview.path)).headers.get("location")).toBe("../../../hives/web/import");
  });

  it("are synced: what the file lacks goes, or moves, with its translations", async () => {
    const sync = { ...source, mode: "sync" };
    const content = { nav: { home: "Home" }, farewell: "Bye", new: "New" };
    const preview = await previewOf("source", sync, json("en.json", content));
    expect(preview.text).toContain("Strings added: 1 Strings removed: 1 Strings renamed or moved: 1");
    expect(preview.text).toContain("bye en.json → farewell en.json");
    expect((await apply(preview)).status).toBe(303);
    expect(await exported("en")).toEqual({ "en.json": content });
    expect(await exported("fr")).toEqual({ "en.json": { farewell: "Salut" } });
  });

  it.each([
    ["app.yaml", "nav:\n  home: Home # Above\n  size: 3\n", "", "app.yaml", { nav: { home: "Home" } }],
    ["messages.po", 'msgid "Hi"\nmsgstr "Hi"\n', "", "messages.po", { Hi: "Hi" }],
    ["texts.txt", "a=A\n", "properties", "a.properties", { a: "A" }],
  ])("are read in the format of the file: %s", async (file, content, format, name, texts) => {
    const named: Fields = name === file ? {} : { name };
    const preview = await previewOf("source", { ...source, ...named, format }, [file, content]);
    if (content.includes("size"))
      expect(preview.text).toContain("Values that are no texts, and are left out: 1");
    await apply(preview);
    expect((await exported("en"))[name]).toEqual(texts);
  });
});

describe("translations", () => {
  it("are imported into the file that is meant, and say what is not taken", async () => {
    const content = { nav: { home: "Accueil" }, hello: "Hello {{name}}", bye: "Adieu", gone: "Parti" };
    const preview = await previewOf("translations", french, json("fr.json", content));
    expect(preview.text).toContain("fr.json as the translations of en.json into fr");
    expect(preview.text).toContain("Translations added: 1");
    expect(preview.text).toMatch(/Keys that no string has: 1\s+gone/);
    expect(preview.text).toMatch(/Texts that stay as they are: 1\s+bye/);
    await apply(preview);
    expect(await exported("fr")).toEqual({ "en.json": { nav: { home: "Accueil" }, bye: "Salut" } });
  });

  it("replace others, and equal source texts, where that is asked for", async () => {
    const all = { locale: "fr", overwrite_strategy: "overwrite", same_as_source: "true" };
    const preview = await previewOf(
      "translations",
      all,
      json("fr.json", { bye: "Adieu", nav: { home: "Home" } }),
    );
    expect(preview.text).toContain("Translations added: 1 Translations changed: 1");
    await apply(preview);
    expect(await exported("fr")).toEqual({ "en.json": { nav: { home: "Home" }, bye: "Adieu" } });
  });

  it("that would break the app are listed, and imported all the same where that is asked for", async () => {
    await call("PATCH", hive, { body: { checks: { level: "refuse" } } });
    const preview = await previewOf("translations", french, json("fr.json", { hello: "Salut {{nom}}" }));
    expect([preview.status, preview.text]).toEqual([
      422,
      expect.stringContaining("Some texts would break the app"),
    ]);
    expect(preview.html).not.toContain('name="plan"');
    const path = `${preview.path}?checks=warn`;
    const allowed = await browser.get(path);
    expect(allowed.text).toContain("Findings of checks: ");
    expect((await apply({ ...allowed, path })).status).toBe(303);
    expect(await exported("fr")).toEqual({ "en.json": { hello: "Salut {{nom}}", bye: "Salut" } });
  });
});

describe("a file that cannot be imported", () => {
  it.each([
    ["source", source, json("en.json", { a: "\0" }), "upload", "NUL"],
    ["source", source, ["en.json", "{\n  nope"], "upload", "line 2"],
    ["source", source, ["en.weird", "x"], "format", "stands for no format"],
    ["source", { ...source, name: "/x" }, json("en.json", { a: "A" }), "name", "must"],
    ["translations", french, ["fr.po", ""], "name", "choose one"],
    ["translations", { ...french, name: "no.json" }, json("fr.json", {}), "name", "no such file"],
    ["translations", { ...french, locale: "xx" }, json("fr.json", {}), "locale", "xx"],
  ] as const)("says so at its field: %s %j %j", async (kind, fields, file, field, problem) => {
    const { status, html } = await browser.upload(`${at}/${kind}`, fields, { upload: file });
    const [, said] = new RegExp(`id="problem-import/${kind}-${field}">(.*?)</p>`).exec(html) ?? [];
    expect([status, said]).toEqual([422, expect.stringContaining(problem)]);
  });

  it("is no file", async () => {
    for (const sent of [
      await browser.submit(`${at}/source`, source),
      await browser.upload(`${at}/source`, source, { upload: ["", ""] }),
    ])
      expect([sent.status, sent.text]).toEqual([422, expect.stringContaining("choose a file")]);
  });

  it("has come to do something else, and is previewed again", async () => {
    const preview = await previewOf("source", { ...source, mode: "sync" }, json("en.json", { bye: "Bye" }));
    await post({ "en.json": { more: "More" } });
    const again = await apply(preview);
    expect([again.status, again.text]).toEqual([
      409,
      expect.stringContaining("The Hive has changed meanwhile"),
    ]);
    expect(again.text).toContain("Strings removed: 3");
    expect((await apply({ ...again, path: preview.path })).status).toBe(303);
  });
});

describe("a file that waits", () => {
  it("waits for fifteen minutes", async () => {
    const { path } = await previewOf("source", source, json("en.json", { a: "A" }));
    clock.now += 14 * 60_000;
    expect((await browser.get(path)).status).toBe(200);
    clock.now += 60_000;
    const gone = await browser.get(path);
    expect([gone.status, gone.headers.get("location")]).toEqual([303, "../../../hives/web/import"]);
    expect((await browser.get(at)).text).toContain("The file waits no more.");
  });

  it("is one of four, and its owner's alone", async () => {
    const waiting: string[] = [];
    for (const name of ["a", "b", "c", "d", "e"])
      waiting.push((await previewOf("source", source, json(`${name}.json`, { a: "A" }))).path);
    const statuses = async (by: ConsoleBrowser) =>
      Promise.all(waiting.map(async (path) => (await by.get(path)).status));
    expect(await statuses(browser)).toEqual([303, 200, 200, 200, 200]);
    const other = await signedIn(storage, { abilities: ["admin"] });
    expect(await statuses(other)).toEqual([303, 303, 303, 303, 303]);
    const { path, fields } = formIn(await browser.get(waiting[4] ?? ""), waiting[4] ?? "", 'name="plan"');
    const key = await other.formKey();
    expect((await other.post(path, { ...fields, form_key: key })).headers.get("location")).toContain(
      "/import",
    );
    expect(await exported("en")).not.toHaveProperty("e.json");
  });
});

it("offers what one may write", async () => {
  const limited = await signedIn(storage, { locales: ["de"] });
  const page = await limited.get(at);
  expect(page.html).not.toContain('action="../../hives/web/import/source"');
  expect(page.text).toContain("German (de)");
  expect(page.text).not.toContain("French (fr)");
  const refused = await limited.upload(`${at}/translations`, french, {
    upload: json("fr.json", { hello: "Tchao {{name}}" }),
  });
  expect(refused.status).toBe(403);
  const reader = await signedIn(storage, { abilities: ["read"] });
  expect((await reader.get(at)).status).toBe(403);
});

it("takes no more bytes than a request of the API", async () => {
  const large = "x".repeat(17 * 1024 * 1024);
  expect((await browser.upload(`${at}/source`, source, { upload: ["en.json", large] })).status).toBe(413);
  // Other forms have no place for files.
  expect((await browser.upload("/hives/web/source/add", {}, { text: ["x", "x"] })).status).toBe(415);
});
