/** `skep import --from`: exports of other tools come into a Hive once, whatever happens in between. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppOptions, type AppTree } from "../../../helpers/app-tree.ts";
import { exportsOfTools, type Export } from "../../../helpers/exports/tools.ts";
import { zipOf, zipOfTexts } from "../../../helpers/exports/zip.ts";
import { request } from "../../../helpers/process.ts";

let app: AppTree;

const open = async (options: Partial<AppOptions> = {}): Promise<AppTree> =>
  (app = await makeApp({
    patterns: ["{ path: 'i18n/{locale}.json' }"],
    abilities: ["read", "write", "approve"],
    ...options,
  }));

/** Writes an export below the app's folder. */
function put(files: Export["files"], as: "zip" | "folder" = "folder"): string {
  const path = join(app.folder, `export.${as}`);
  if (as === "zip") writeFileSync(path, zipOfTexts(files));
  for (const [name, content] of as === "zip" ? [] : Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

const from = (tool: string, path: string, ...flags: readonly string[]) =>
  app.run("import", "--from", tool, path, ...flags);
const ask = async (path: string) => (await request(app, app.token, "GET", `/api/hives/web${path}`)).json;
const head = async (): Promise<string> => (await ask("")).commit;
const waiting = async (): Promise<string[]> =>
  (await ask("/review")).data.map(
    (one: Record<string, string>) => `${one.file}:${one.key} ${one.translation}`,
  );

/** `file key: source | fr=text (state) | …` as it is in the Hive. */
function textsOf(strings: readonly string[]) {
  const source: Record<string, Record<string, string>> = {};
  const fr: Record<string, Record<string, string>> = {};
  for (const string of strings) {
    const [, file = "", key = "", text = ""] = /^(\S+) ([^:]+): ([^]*?)(?: \| |$)/.exec(string) ?? [];
    const name = key.replaceAll("|", "\u0004");
    if (text !== "undefined") (source[file] ??= {})[name] = text;
    const [, translation] = /\| fr=(.*) \(\w+\)/.exec(string) ?? [];
    fr[file] ??= {};
    if (translation !== undefined) (fr[file] ??= {})[name] = translation;
  }
  return { source, fr };
}

describe("brings in", () => {
  it.each(exportsOfTools.map((one, i) => [one.what, one, i % 2 === 0 ? "zip" : "folder"] as const))(
    "%s, once",
    async (_, made, kind) => {
      await open();
      const path = put(made.files, kind);
      const before = await head();
      const shown = await from(made.tool, path, "--dry-run");
      expect([shown.code, await head()]).toEqual([0, before]);
      const sent = await from(made.tool, path, "--yes", "--same-as-source");
      expect([sent.code, sent.stdout]).toEqual([0, expect.stringMatching(/\nSent to web\.\n$/)]);
      const expected = textsOf(made.strings);
      expect(await app.texts("en")).toEqual(expected.source);
      expect(await app.texts("fr")).toMatchObject(expected.fr);
      const after = await head();
      const again = await from(made.tool, path, "--yes", "--same-as-source");
      expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/\nNothing was sent\.\n$/)]);
      expect(await head()).toBe(after);
    },
  );
});

describe("what a tool says of texts", () => {
  const [backup] = exportsOfTools;

  it("comes along: states, notes, pictures and terms", async () => {
    await open();
    const path = put(backup?.files ?? {}, "zip");
    const { stdout, stderr } = await from("weblate", path, "--yes");
    expect(await waiting()).toEqual(["locales/en.json:menu.open Ouvrir", "locales/en.json:bye Au revoir"]);
    expect(stdout).toContain("  fr: 3 new, 0 changed, 0 as they are; 2 of these wait for a review");
    const { data: notes } = await ask("/notes");
    expect(notes.map((one: Record<string, unknown>) => [one.key, one.team])).toEqual([
      ["hello", { note: "A greeting", max_length: 12, tags: ["home"] }],
      ["menu.open", { note: "ann: Is it a button?" }],
      ["bye", { keep: true }],
    ]);
    expect((await ask("/pictures")).data).toMatchObject([
      { name: "home.png", strings: ["locales/en.json:hello"] },
    ]);
    expect((await ask("/glossary")).data).toMatchObject([
      { source: "Skep", keep: true },
      { source: "file", meaning: "A document", translations: { fr: { text: "fichier" } } },
      { source: "save", translations: { fr: { forbidden: ["sauver"] } } },
    ]);
    expect(stderr).toContain("left out: 1 suggestion: Skep keeps texts, and none beside them\n");
    expect(stderr).toContain("left out: 1 unit of the memory: Skep's memory is the texts of its Hives;");
  });

  it("is approved where all texts of a locale wait, by those who may", async () => {
    await open();
    await app.manage("PATCH", "/locales/fr", { review: "all" });
    const path = put(backup?.files ?? {});
    const { stdout } = await from("weblate", path, "--yes");
    expect(stdout).toContain("1 approved");
    expect(await waiting()).toHaveLength(2);
    await open({ abilities: ["read", "write"] });
    await app.manage("PATCH", "/locales/fr", { review: "all" });
    const mayNot = await from("weblate", put(backup?.files ?? {}), "--yes");
    expect(mayNot.stdout).toContain("1 not approved, as this token may not");
    expect(await waiting()).toHaveLength(3);
  });
});

describe("a Hive that has texts", () => {
  const files = {
    "export/en.json": JSON.stringify({ a: "A", b: "B", c: "C", d: "{n} D", e: "E" }),
    "export/fr.json": JSON.stringify({ a: "fa", b: "fb", c: "C", d: "sans", e: "fe" }),
    "export/xh.json": JSON.stringify({ a: "xa" }),
  };
  beforeEach(async () => {
    await open({ abilities: ["read", "write", "approve", "admin"] });
    await app.sync({ "en.json": { a: "A", b: "Other B", c: "C", d: "{n} D" } });
    await app.translate("fr", { "en.json": { a: "mine" } });
    await app.manage("PATCH", "", { checks: { level: "refuse", syntax: [{ files: "*", syntax: "icu" }] } });
  });

  it("keeps what it has, and says of each text that is not taken why", async () => {
    const path = put(files);
    const { code, stdout, stderr } = await from("tolgee", path, "--yes");
    expect(stderr.split("\n")).toEqual([
      "refused: fr: en.json: d: the checks refuse it: {n} of the source text is missing",
      "left out: 1 file: xh is no locale of the Hive; --create adds it",
      "  export/xh.json",
      "left out: 1 source text: the Hive has another one, which stays",
      "  en.json: b",
      "left out: 1 translation: the Hive has another translation; --overwrite replaces it",
      "  fr: en.json: a",
      "left out: 1 translation: its source text in the Hive is another; --changed-source sends it all the same",
      "  fr: en.json: b",
      "left out: 1 translation: it equals its source text; --same-as-source sends it",
      "  fr: en.json: c",
      "skep: 1 text refused: correct what is listed above.",
      "",
    ]);
    expect([code, stdout]).toEqual([
      1,
      "Taken from Tolgee:\n  1 source string that the Hive lacks\n  fr: 1 new, 0 changed, 0 as they are\nSent to web.\n",
    ]);
    expect(await app.texts("fr")).toEqual({ "en.json": { a: "mine", e: "fe" } });
    const again = await from("tolgee", path, "--yes");
    expect([again.code, again.stdout]).toEqual([1, expect.stringMatching(/Nothing was sent\.\n$/)]);
    expect((await from("tolgee", path, "--dry-run")).code).toBe(0);
  });

  it("takes more of it with flags", async () => {
    const path = put(files);
    const flags = ["--overwrite", "--changed-source", "--same-as-source", "--create"];
    const { stdout } = await from("tolgee", path, "--yes", ...flags);
    expect(stdout).toContain("1 new locale: xh");
    expect(await app.texts("fr")).toEqual({ "en.json": { a: "fa", b: "fb", c: "C", e: "fe" } });
    expect(await app.texts("xh")).toEqual({ "en.json": { a: "xa" } });
    expect((await from("tolgee", path, "--yes", ...flags)).stdout).toMatch(/Nothing was sent\.\n$/);
  });

  it("gets the rest where a run was cut off", async () => {
    const path = put({ ...files, "export/fr.json": JSON.stringify({ a: "fa", e: "fe" }) });
    await app.sync({ "en.json": { a: "A", b: "Other B", c: "C", d: "{n} D", e: "E" } });
    const { stdout } = await from("tolgee", path, "--yes");
    expect(stdout).toContain("fr: 1 new");
    expect(await app.texts("fr")).toEqual({ "en.json": { a: "mine", e: "fe" } });
  });

  it("is spared what it cannot store, and gets all else", async () => {
    const unit = (name: string, content: string) => ({
      name,
      translations: [
        { locale: "en", content: "E" },
        { locale: "fr", content },
      ],
    });
    const keys = [unit("e", "f\0"), unit("f\u0000", "x"), unit("g", "fg"), unit("k".repeat(5_000), "x")];
    const path = put({ "en.json": JSON.stringify(keys), "a:b/en.json": JSON.stringify([unit("h", "x")]) });
    const { stderr } = await from("phrase", path, "--yes");
    expect(stderr).toContain("1 translation: it must not contain a NUL character");
    expect(stderr).toContain("1 string: its key or text must not contain a NUL character");
    expect(stderr).toContain("1 string: its key or text is longer than 4096 bytes as a key");
    expect(stderr.length).toBeLessThan(2_000);
    expect(stderr).toContain("1 file: its name must not contain the character U+003A");
    expect(await app.texts("fr")).toEqual({ "en.json": { a: "mine", g: "fg" } });
  });

  it("is told what a strict move would lose, and gets nothing", async () => {
    const before = await head();
    expect((await from("tolgee", put(files), "--yes", "--strict")).code).toBe(3);
    expect(await head()).toBe(before);
  });

  it("takes drafts for what is missing from the memory, where that is asked for", async () => {
    const tmx = `<tmx version="1.4"><header srclang="en"/><body>
      <tu><tuv xml:lang="en"><seg>C</seg></tuv><tuv xml:lang="fr"><seg>fc</seg></tuv></tu>
      <tu><tuv xml:lang="en"><seg>{n} D</seg></tuv><tuv xml:lang="fr"><seg>{n} un</seg></tuv></tu>
      <tu><tuv xml:lang="en"><seg>{n} D</seg></tuv><tuv xml:lang="fr"><seg>{n} deux</seg></tuv></tu>
    </body></tmx>`;
    const path = put({ "memory.tmx": tmx });
    expect((await from("crowdin", path, "--yes")).stdout).toMatch(/Nothing was sent\.\n$/);
    await from("crowdin", path, "--yes", "--memory");
    expect(await waiting()).toEqual(["en.json:c fc"]);
  });
});

describe("terms", () => {
  const glossary = "term,description,fr\nfile,,fichier\nfile,A document,document\nfolder,A place,dossier\n";
  const terms = async (): Promise<string[]> =>
    (await ask("/glossary")).data.map(
      ({
        source,
        meaning,
        translations,
      }: {
        source: string;
        meaning?: string;
        translations: Record<string, { text: string }>;
      }) => `${source} (${meaning ?? ""}): ${translations.fr?.text}`,
    );

  it("find those that the Hive has, by what they mean, and change them once", async () => {
    await open();
    const path = put({ "glossary.csv": glossary });
    const present = [
      { source: "file", meaning: "A document", translations: { fr: { text: "pièce" } } },
      { source: "folder", meaning: "A place" },
    ];
    await request(app, app.token, "POST", "/api/hives/web/glossary", { terms: present });
    const { stdout, stderr } = await from("tolgee", path, "--yes");
    expect(stdout).toContain("1 changed");
    expect(stderr).toContain(
      "left out: 1 translation of a term: the Hive has another one; --overwrite replaces it\n  fr: file",
    );
    expect(stderr).toContain("left out: 1 term: another one of the export has its spelling\n  file");
    expect(await terms()).toEqual(["file (A document): pièce", "folder (A place): dossier"]);
    expect((await from("tolgee", path, "--yes")).stdout).toMatch(/Nothing was sent\.\n$/);
    await from("tolgee", path, "--yes", "--overwrite");
    expect(await terms()).toEqual(["file (A document): document", "folder (A place): dossier"]);
  });

  it("of one spelling and several meanings stay apart, however often they come", async () => {
    await open();
    const path = put({ "glossary.csv": glossary });
    for (const said of [/Sent to web\.\n$/, /Nothing was sent\.\n$/])
      expect((await from("tolgee", path, "--yes")).stdout).toMatch(said);
    expect((await terms()).toSorted()).toEqual([
      "file (): fichier",
      "file (A document): document",
      "folder (A place): dossier",
    ]);
  });
});

describe("is refused", () => {
  beforeEach(() => open());

  it.each([
    ["a tool that is not known", ["--from", "transifex", "x.zip"], 2],
    ["an export that is not there", ["--from", "weblate", "none.zip"], 2],
    ["a locale beside an export", ["--from", "weblate", "fr", "x.zip"], 2],
    ["nothing to import", ["fr"], 2],
    ["a flag that is for exports alone", ["fr", "fr.xlf", "--create"], 2],
  ])("%s", async (_, flags, code) => {
    expect((await app.run("import", ...flags)).code).toBe(code);
  });

  it("a ZIP file that is not safe, before anything is read of the Hive", async () => {
    const path = join(app.folder, "bad.zip");
    writeFileSync(path, zipOf([{ path: "../../en.json", content: "{}" }]));
    const { code, stderr } = await from("tolgee", path, "--yes");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("bad.zip: is no ZIP file that can be read: invalid relative path"),
    ]);
  });

  it("without a confirmation", async () => {
    const { code, stderr } = await from("tolgee", put({ "en.json": '{"a": "A"}' }));
    expect([code, stderr]).toEqual([2, expect.stringContaining("--yes")]);
  });
});
