/** `skep pull` into an app's tree from a server. */
import { chmodSync, cpSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../../helpers/app-tree.ts";
import { realFolder } from "../../../helpers/storage.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const english = { failed: "Wrong.", nav: { home: "Home", out: "Log out" } };

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["lang/{locale}/**/*.json"] });
  app.write({ "lang/en/auth.json": json(english), "lang/en/admin/menu.json": json({ save: "Save" }) });
  await app.sync({ "auth.json": english, "admin/menu.json": { save: "Save" } });
});

describe("a pull", () => {
  it("creates files with the translated texts, nested as their sources, and no empty files", async () => {
    await app.translate("fr", { "auth.json": { "nav.home": "Accueil", failed: "Faux." } });
    const { code, stdout, stderr } = await app.run("pull");
    expect({ code, stdout: stdout.replace(/at \w+/, "at HEAD"), stderr }).toEqual({
      code: 0,
      stdout: "lang/fr/auth.json: new file, 2 created\nweb: 1 file changed, 0 unchanged, at HEAD.\n",
      stderr: "",
    });
    expect(app.read("lang/fr/auth.json")).toBe(json({ failed: "Faux.", nav: { home: "Accueil" } }));
    expect(app.has("lang/fr/admin")).toBe(false);
    expect(app.has("lang/pt_BR")).toBe(false);
    expect(app.read("lang/en/auth.json")).toBe(json(english));
  });

  it.each([
    ["json", (keys: readonly string[]) => `{\n${keys.map((key) => `  "${key}": "T"`).join(",\n\n\n")}\n}\n`],
    [
      "php",
      (keys: readonly string[]) =>
        `<?php\n\nreturn [\n${keys.map((key) => `    '${key}' => 'T',\n`).join("\n\n")}];\n`,
    ],
    ["properties", (keys: readonly string[]) => keys.map((key) => `${key}=T\n`).join("\n\n")],
    ["yml", (keys: readonly string[]) => keys.map((key) => `${key}: T\n`).join("\n\n")],
    ["toml", (keys: readonly string[]) => keys.map((key) => `${key} = "T"\n`).join("\n\n")],
    ["ftl", (keys: readonly string[]) => keys.map((key) => `${key} = T\n`).join("\n\n")],
    ["strings", (keys: readonly string[]) => keys.map((key) => `"${key}" = "T";\n`).join("\n\n")],
  ])("creates %s files without the blank lines between texts that they lack", async (ending, fileOf) => {
    const { write, run, translate, read } = await makeApp({ patterns: [`l/{locale}/*.${ending}`] });
    write({ [`l/en/a.${ending}`]: fileOf(Array.from({ length: 40 }, (_, i) => `k${i}`)) });
    expect(await run("push")).toMatchObject({ code: 0 });
    await translate("fr", { [`a.${ending}`]: { k1: "T", k38: "T" } });
    expect(await run("pull")).toMatchObject({ code: 0 });
    const text = read(`l/fr/a.${ending}`);
    expect(text.match(/k\d+/g)).toEqual(["k1", "k38"]);
    expect(text).not.toMatch(/\n\n\n/);
  });

  it("writes a key that is a number beside its neighbours of the source file", async () => {
    const { write, run, translate, read } = await makeApp({ patterns: ["l/{locale}.properties"] });
    write({ "l/en.properties": "b = B\n404 = Gone\na = A\n", "l/fr.properties": "b = Bé\na = A\n" });
    expect(await run("push")).toMatchObject({ code: 0 });
    await translate("fr", { "en.properties": { a: "A", b: "Bé", 404: "Perdu" } });
    expect(await run("pull")).toMatchObject({ code: 0 });
    expect(read("l/fr.properties")).toBe("b = Bé\n404 = Perdu\na = A\n");
  });

  it("writes a key with the name of an inherited property, such as constructor", async () => {
    const texts = { failed: "Wrong.", ["__proto__"]: "P", constructor: "C" };
    app.write({ "lang/en/auth.json": json(texts) });
    await app.sync({ "auth.json": texts });
    await app.translate("fr", { "auth.json": texts });
    expect(await app.run("pull")).toMatchObject({ code: 0 });
    expect(app.read("lang/fr/auth.json")).toBe(json(texts));
  });

  describe("of some tags", () => {
    beforeEach(async () => {
      await app.run("note", "auth.json:nav.home", "--tag", "menu");
      await app.run("note", "auth.json:nav.out", "--tag", "menu,exit");
      await app.translate("fr", { "auth.json": { failed: "Faux.", "nav.out": "Sortir" } });
    });

    it("writes these alone, and leaves all other texts of the files as they are", async () => {
      const french = json({ own: "À moi", failed: "Mal.", nav: { home: "Maison", out: "Dehors" } });
      app.write({ "lang/fr/auth.json": french });
      await app.translate("fr", { "auth.json": { "nav.out": "Dehors" } });
      await app.translate("fr", { "auth.json": { "nav.out": "Sortir" } });
      const { code, stdout, stderr } = await app.run("pull", "--tag", "exit,other");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain("lang/fr/auth.json: 1 updated\n");
      expect(app.read("lang/fr/auth.json")).toBe(french.replace("Dehors", "Sortir"));
    });

    it("makes files with these alone, and fills gaps of these alone", async () => {
      await app.run("pull", "--tag", "menu", "--missing", "source", "--locale", "fr");
      expect(app.read("lang/fr/auth.json")).toBe(json({ nav: { home: "Home", out: "Sortir" } }));
      expect(app.has("lang/fr/admin")).toBe(false);
    });

    it("cannot remove others", async () => {
      expect(await app.run("pull", "--tag", "menu", "--prune")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("'--tag <tags>' cannot be used with option '--prune'"),
      });
    });
  });

  it("refuses an empty list of locales", async () => {
    expect(await app.run("pull", "--locale", "")).toMatchObject({ code: 2 });
  });

  it("gives new files and folders the permissions of their sources", async () => {
    await app.translate("fr", { "admin/menu.json": { save: "Enregistrer" } });
    chmodSync(join(app.folder, "lang/en/admin/menu.json"), 0o664);
    chmodSync(join(app.folder, "lang"), 0o755);
    await app.run("pull");
    expect(app.mode("lang/fr/admin/menu.json")).toBe(0o664);
    expect(app.mode("lang/fr/admin")).toBe(0o755);
  });

  it("changes only changed texts, and keeps the file's permissions and layout", async () => {
    const french = '{\r\n\t"failed": "Faux.",\r\n\t"nav": {"out":"Sortir", "home": "Maison"}, "n": 3\r\n}';
    app.write({ "lang/fr/auth.json": french });
    chmodSync(join(app.folder, "lang/fr/auth.json"), 0o600);
    await app.translate("fr", { "auth.json": { failed: "Faux.", nav: { home: "Accueil", out: "Sortir" } } });
    const { stdout } = await app.run("pull", "--verbose");
    expect(stdout).toContain("lang/fr/auth.json: 1 updated\n  ~ nav.home: [-Maison-]{+Accueil+}\n");
    expect(app.read("lang/fr/auth.json")).toBe(french.replace("Maison", "Accueil"));
    expect(app.mode("lang/fr/auth.json")).toBe(0o600);
  });

  it("puts a plural form that the source lacks behind its siblings", async () => {
    const source = { hi: "Hi", item_one: "item", item_other: "items", bye: "Bye" };
    app.write({ "lang/en/shop.json": json(source) });
    app.write({ "lang/fr/shop.json": json({ hi: "Salut", bye: "Au revoir" }) });
    await app.sync({ "shop.json": source });
    await app.translate("fr", {
      "shop.json": { bye: "Au revoir", item_one: "objet", item_many: "d’objets" },
    });
    await app.run("pull");
    expect(app.read("lang/fr/shop.json")).toBe(
      json({ hi: "Salut", item_one: "objet", item_many: "d’objets", bye: "Au revoir" }),
    );
  });

  it("touches nothing when nothing changed", async () => {
    await app.translate("fr", { "auth.json": { failed: "Faux." } });
    await app.run("pull");
    const before = statSync(join(app.folder, "lang/fr/auth.json"));
    const { code, stdout } = await app.run("pull");
    expect({ code, stdout: stdout.replace(/at \w+/, "at HEAD") }).toEqual({
      code: 0,
      stdout: "web: 0 files changed, 1 unchanged, at HEAD.\n",
    });
    expect(statSync(join(app.folder, "lang/fr/auth.json"))).toMatchObject({
      ino: before.ino,
      mtimeMs: before.mtimeMs,
    });
  });

  it("keeps and lists texts that only the local file has, and removes them with --prune", async () => {
    app.write({ "lang/fr/auth.json": json({ failed: "Faux.", nav: { home: "Maison", out: "Log out" } }) });
    await app.translate("fr", { "auth.json": { failed: "Faux." } });
    await app.translate("fr", { "auth.json": { failed: "Erreur." } });
    const kept = await app.run("pull");
    // A text that equals its source is nobody's translation.
    expect(kept.stderr).toBe("lang/fr/auth.json: only here, and kept: nav.home; --prune removes them.\n");
    expect(JSON.parse(app.read("lang/fr/auth.json"))).toEqual({
      failed: "Erreur.",
      nav: { home: "Maison", out: "Log out" },
    });
    await app.run("pull", "--prune");
    expect(JSON.parse(app.read("lang/fr/auth.json"))).toEqual({ failed: "Erreur.", nav: { out: "Log out" } });
  });

  describe("with --prune", () => {
    /** What a file has beside a translation of the Hive, and what becomes of it. */
    const kinds = {
      "a text that only the file has": { key: "own", text: "À moi", isKept: false },
      "a text of a source key that is not in the Hive": { key: "nav.out", text: "Sortir", isKept: false },
      "a text that equals its source text, which a push keeps back": {
        key: "nav.home",
        text: "Home",
        isKept: true,
      },
      "a text without a source key, whatever it is": { key: "gone", text: "Home", isKept: false },
      "an empty text": { key: "nav.out", text: "", isKept: true },
    };

    it.each(Object.entries(kinds))("%s: is removed only where it is listed", async (_, one) => {
      const { key, text, isKept } = one;
      const [group = "", name] = key.split(".");
      const more = name === undefined ? { [group]: text } : { [group]: { [name]: text } };
      const before = json({ failed: "Faux.", ...more });
      app.write({ "lang/fr/auth.json": before });
      await app.translate("fr", { "auth.json": { failed: "Faux." } });
      const listed = JSON.parse((await app.run("pull", "--json")).stdout).files[0].only_local;
      expect(listed).toEqual(isKept ? [] : [key]);
      const dry = await app.run("pull", "--prune", "--dry-run");
      const [line] = isKept ? [""] : [`lang/fr/auth.json: removed, because only this file has it: ${key}.\n`];
      expect(dry.stderr).toBe(line);
      expect(app.read("lang/fr/auth.json")).toBe(before);
      const { stdout } = await app.run("pull", "--prune", "--json");
      expect(JSON.parse(stdout).files[0].removed).toEqual(listed);
      expect(app.read("lang/fr/auth.json")).toBe(isKept ? before : json({ failed: "Faux." }));
    });

    it("changes nothing right after a push", async () => {
      const before = json({ failed: "Faux.", nav: { home: "Home", out: "" } });
      app.write({ "lang/fr/auth.json": before });
      await app.run("push", "--translations");
      expect(await app.run("pull", "--prune")).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^web: 0 files changed, 1 unchanged/),
      });
      expect(app.read("lang/fr/auth.json")).toBe(before);
    });
  });

  describe("of renamed keys", () => {
    const rename = async (files: Readonly<Record<string, string>>): Promise<void> => {
      app.write({ "lang/fr/auth.json": json({ failed: "Faux.", own: "Faux." }) });
      await app.run("push", "--translations");
      app.write(files);
      await app.run("push");
    };

    it("leaves no former key behind, and no other text", async () => {
      const { failed, ...rest } = english;
      await rename({ "lang/en/auth.json": json({ wrong: failed, ...rest }) });
      const pulled = await app.run("pull", "--locale", "fr");
      expect(pulled.stderr).toBe(
        "lang/fr/auth.json: removed, because the text has another key now: failed.\n" +
          "lang/fr/auth.json: only here, and kept: own; --prune removes them.\n",
      );
      expect(app.read("lang/fr/auth.json")).toBe(json({ own: "Faux.", wrong: "Faux." }));
    });

    it("leaves no former key behind in another file", async () => {
      const { failed, ...rest } = english;
      await rename({
        "lang/en/auth.json": json(rest),
        "lang/en/admin/menu.json": json({ save: "Save", failed }),
      });
      await app.run("pull", "--locale", "fr");
      expect(app.read("lang/fr/auth.json")).toBe(json({ own: "Faux." }));
      expect(app.read("lang/fr/admin/menu.json")).toBe(json({ failed: "Faux." }));
    });
  });

  it("lists keys once for all files that lack the same ones", async () => {
    const two = await makeApp({ patterns: ["locales/{locale}.json"], locales: ["de", "fr"] });
    two.write({ "locales/en.json": json({ a: "A" }) });
    await two.run("push");
    two.write({ "locales/de.json": json({ b: "Bee" }), "locales/fr.json": json({ b: "Bé" }) });
    expect((await two.run("pull")).stderr).toBe(
      "locales/de.json, locales/fr.json: only here, and kept: b; --prune removes them.\n",
    );
    expect((await two.run("push", "--translations")).stderr).toBe(
      "de, fr: no source string for en.json: b.\n",
    );
  });

  it("lists the keys of a few files, and counts those of many others", async () => {
    const names = Array.from({ length: 8 }, (_, i) => `f${i}.json`);
    for (const [i, name] of names.entries())
      app.write({
        [`lang/en/${name}`]: json({ a: "A" }),
        [`lang/fr/${name}`]: json({ [`own${i}`]: "X", more: "Y" }),
      });
    await app.sync(Object.fromEntries(names.map((name) => [name, { a: "A" }])));
    const lines = async (...flags: readonly string[]): Promise<readonly string[]> =>
      (await app.run("pull", ...flags)).stderr.trimEnd().split("\n");
    const few = await lines();
    expect([few.length, few.at(0), few.at(-1)]).toEqual([
      6,
      "lang/fr/f0.json: only here, and kept: own0, more; --prune removes them.",
      "3 others: only here, and kept: 6 keys; --prune removes them. --verbose lists all.",
    ]);
    expect(await lines("--verbose")).toHaveLength(8);
  });

  it("fills gaps with source texts with --missing=source, and removes them without it", async () => {
    app.write({ "lang/fr/auth.json": json({ nav: { home: "Maison" } }) });
    await app.translate("fr", { "auth.json": { failed: "Faux." } });
    await app.run("pull", "--missing=source");
    // What somebody translated here and did not push is no gap.
    expect(JSON.parse(app.read("lang/fr/auth.json"))).toEqual({
      failed: "Faux.",
      nav: { home: "Maison", out: "Log out" },
    });
    expect(JSON.parse(app.read("lang/fr/admin/menu.json"))).toEqual({ save: "Save" });
    // A later push does not send what a pull has filled in.
    await app.run("push", "--translations=fr");
    expect(await app.texts("fr")).toEqual({
      "admin/menu.json": {},
      "auth.json": { failed: "Faux.", "nav.home": "Maison" },
    });
  });

  it("fills the plural forms that only the target language has, and does not send them", async () => {
    const plural = await makeApp({ patterns: ["locales/{locale}.json"], locales: ["ru", "ja"] });
    const source = { item_one: "{n} item", item_other: "{n} items", last: "Last" };
    plural.write({ "locales/en.json": json(source) });
    await plural.run("push");
    await plural.translate("ru", { "en.json": { item_one: "{n} вещь" } });
    await plural.run("pull", "--missing=source");
    expect(plural.read("locales/ru.json")).toBe(
      json({
        item_one: "{n} вещь",
        item_other: "{n} items",
        item_few: "{n} items",
        item_many: "{n} items",
        last: "Last",
      }),
    );
    expect(Object.keys(JSON.parse(plural.read("locales/ja.json")))).toEqual(Object.keys(source));
    await plural.run("push", "--translations");
    expect(await plural.texts("ru")).toEqual({ "en.json": { item_one: "{n} вещь" } });
    const { files } = JSON.parse((await plural.run("status", "--json")).stdout);
    expect(files[0]).toMatchObject({ locale: "ru", local: { ahead: 0, behind: 0, different: 0 } });
    expect(await plural.run("pull")).toMatchObject({ stderr: "" });
  });

  it("pulls some locales, or an earlier state", async () => {
    await app.translate("fr", { "auth.json": { failed: "Faux." } });
    await app.translate("pt-BR", { "auth.json": { failed: "Errado." } });
    await fetch(`${app.url}/api/hives/web/tags`, {
      method: "POST",
      headers: { authorization: `Bearer ${app.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "v1" }),
    });
    await app.translate("fr", { "auth.json": { failed: "Erreur." } });
    await app.run("pull", "--at", "v1", "--locale", "pt-BR", "--locale", "fr");
    expect(app.read("lang/fr/auth.json")).toBe(json({ failed: "Faux." }));
    expect(app.read("lang/pt_BR/auth.json")).toBe(json({ failed: "Errado." }));
    await app.run("pull", "--locale=fr");
    expect(app.read("lang/fr/auth.json")).toBe(json({ failed: "Erreur." }));
    const unknown = await app.run("pull", "--at", "v9");
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect((await app.run("pull", "--locale=de")).code).toBe(2);
    expect((await app.run("pull", "--locale=en")).stderr).toContain("en is the source locale of the Hive");
  });

  it("writes nothing in a dry run", async () => {
    await app.translate("fr", { "auth.json": { failed: "Faux." } });
    const { stdout } = await app.run("pull", "--dry-run", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      dry_run: true,
      files: [{ path: "lang/fr/auth.json", change: "created", changes: [{ key: "failed", after: "Faux." }] }],
    });
    expect(app.has("lang/fr")).toBe(false);
  });

  it("lists files of the Hive without a source file here", async () => {
    await app.sync({ "new.json": { a: "A" } });
    expect((await app.run("pull")).stderr).toBe("new.json: is in the Hive, but has no source file here.\n");
  });
});

it.each(["push", "status", "diff"])("%s says that a pull was interrupted", async (command) => {
  app.write({ ".skep-pull-999999999-x.json": '{"state":"preparing","files":[],"folders":[]}' });
  const { code, stderr } = await app.run(command);
  expect(code).toBe(0);
  expect(stderr.match(/A pull was interrupted here, or is under way/g)).toHaveLength(1);
  expect(app.has(".skep-pull-999999999-x.json")).toBe(true);
});

describe("a pull that cannot be made", () => {
  it("does not write through a symbolic link", async () => {
    await app.translate("fr", { "auth.json": { failed: "Faux." } });
    const outside = realFolder();
    symlinkSync(outside, join(app.folder, "lang/fr"));
    const { code, stderr } = await app.run("pull");
    expect(code).toBe(2);
    expect(stderr).toContain("lang/fr: is a symbolic link");
    expect(readdirSync(outside)).toEqual([]);
  });

  it("does not replace a file that is a symbolic link", async () => {
    await app.translate("fr", { "auth.json": { failed: "Faux." } });
    const outside = join(realFolder(), "secret.json");
    writeFileSync(outside, json({}));
    app.write({ "lang/fr/x.txt": "" });
    symlinkSync(outside, join(app.folder, "lang/fr/auth.json"));
    expect((await app.run("pull")).code).toBe(2);
  });
});

it("a Laravel tree comes back as it was, and one text changes one line", async () => {
  const laravel = await makeApp({
    patterns: ["lang/{locale}/**/*.php", "lang/{locale}.json"],
    locales: ["fr"],
  });
  cpSync(new URL("../../../fixtures/laravel/lang", import.meta.url), join(laravel.folder, "lang"), {
    recursive: true,
  });
  const paths = ["lang/fr/auth.php", "lang/fr/admin/calendar.php", "lang/fr.json"];
  const before = paths.map(laravel.read);
  expect(await laravel.run("push", "--translations", "--same-as-source")).toMatchObject({ code: 0 });
  const pulled = await laravel.run("pull");
  expect(pulled).toMatchObject({ code: 0 });
  expect(paths.map(laravel.read)).toEqual(before);
  await laravel.translate("fr", { "auth.php": { failed: "L'échec." } });
  await laravel.run("pull");
  const lines = laravel.read("lang/fr/auth.php").split("\n");
  const old = (before[0] ?? "").split("\n");
  expect(lines.filter((line, i) => line !== old[i])).toHaveLength(1);
});

describe("files without a source file", () => {
  it("are listed by a pull, and removed with --prune in the same step as its writes", async () => {
    const left = await makeApp({
      patterns: ["lang/{locale}/*.json"],
      locales: ["fr", "it"],
      settings: "exclude: [lang/en/mine.json]\n",
    });
    left.write({
      "lang/en/new.json": json({ a: "A" }),
      "lang/en/mine.json": json({ a: "A" }),
      "lang/fr/old.json": json({ a: "vieux" }),
      "lang/fr/mine.json": json({ a: "à moi" }),
      "lang/it/old.json": json({ a: "vecchio" }),
    });
    symlinkSync("new.json", join(left.folder, "lang/en/linked.json"));
    left.write({ "lang/fr/linked.json": json({ a: "lié" }) });
    await left.sync({ "new.json": { a: "A" } });
    await left.translate("fr", { "new.json": { a: "neuf" } });
    const named = await left.run("pull", "--locale", "fr");
    expect(named.stderr).toContain("lang/fr/old.json: has no source file; --prune removes it.");
    expect(named.stderr).not.toMatch(/lang\/(it|fr\/mine|fr\/linked)/);
    expect((await left.run("pull", "--prune", "--dry-run")).stdout).toContain("lang/fr/old.json: removed");
    expect(left.has("lang/fr/old.json")).toBe(true);
    const pruned = await left.run("pull", "--prune", "--locale", "fr");
    expect(pruned).toMatchObject({ code: 0, stdout: expect.stringContaining("lang/fr/old.json: removed") });
    const there = ["fr/new", "fr/old", "fr/mine", "fr/linked", "it/old"];
    expect(there.filter((path) => left.has(`lang/${path}.json`))).toEqual([
      "fr/new",
      "fr/mine",
      "fr/linked",
      "it/old",
    ]);
  });
});

describe("a pull of approved texts", () => {
  it("writes the text that was approved last where one waits, and none that never was", async () => {
    await app.translate("fr", { "auth.json": { failed: "Faux." } });
    await app.manage("PATCH", "/locales/fr", { review: "all", two_people: true });
    await app.translate("fr", { "auth.json": { failed: "Modèle", "nav.home": "Neuf" } });
    expect(await app.run("pull", "--approved")).toMatchObject({ code: 0 });
    expect(app.read("lang/fr/auth.json")).toBe(json({ failed: "Faux." }));
    await app.run("pull");
    expect(app.read("lang/fr/auth.json")).toBe(json({ failed: "Modèle", nav: { home: "Neuf" } }));
  });
});
