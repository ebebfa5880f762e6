/** A round trip to translators: `skep untranslated` sends out, `skep import` takes back. */
import { readCsv } from "../../../src/formats/exchange/csv.ts";
import { readXliff } from "../../../src/formats/exchange/xliff-read.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import type { Output } from "../../../src/commands/program/output.ts";
import { runCommand } from "../../../src/commands/program.ts";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { realFolder } from "../../helpers/storage.ts";

const english = {
  home: "Home",
  bye: "Bye, <b>you</b> & all",
  item_one: "{{count}} item",
  item_other: "{{count}} items",
};
let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["locales/{locale}.json"], locales: ["fr", "ru", "pt-BR=pt_BR"] });
  app.write({ "locales/en.json": JSON.stringify(english) });
  await app.sync({ "en.json": english });
});

/** A file outside the app's tree. */
function file(name: string, content: string): string {
  const path = join(realFolder(), name);
  writeFileSync(path, content);
  return path;
}

const csv = (...rows: readonly string[]): string =>
  file("back.csv", ["file,key,source,translation,state,note", ...rows, ""].join("\r\n"));

describe("skep untranslated", () => {
  it("lists missing and stale texts, including the plural forms of the language", async () => {
    await app.translate("ru", { "en.json": { home: "Дом", bye: "Пока" } });
    await app.sync({ "en.json": { ...english, home: "Home page" } });
    const { code, stdout, stderr } = await app.run("untranslated", "ru");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "4 texts to translate into ru.\n" });
    expect(stdout).toContain("FILE     KEY        STATE    SOURCE\n");
    expect(stdout).toContain("en.json  home       stale    Home page\n");
    expect(stdout).toContain("en.json  item_few   missing  {{count}} items\n");
    const stale = await app.run("untranslated", "ru", "--state", "stale", "--json");
    expect(JSON.parse(stale.stdout).texts).toMatchObject([{ key: "home", old_source_value: "Home" }]);
    const sent = await app.run("untranslated", "ru", "--csv", "--state", "stale");
    expect(sent.stdout).toContain("en.json,home,Home page,Дом,stale,The translation was made for: Home\r\n");
  });

  it("says when nothing is left, and prints valid documents", async () => {
    await app.translate("fr", { "en.json": english });
    for (const flags of [[], ["--csv"], ["--xliff"], ["--xliff=2.1"]]) {
      const { code, stdout, stderr } = await app.run("untranslated", "fr", ...flags);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "No text is missing or stale in fr.\n" });
      if (flags.length === 0) expect(stdout).toBe("");
      else if (flags[0] === "--csv") expect(readCsv(Buffer.from(stdout)).units).toEqual([]);
      else expect(readXliff(Buffer.from(stdout))).toMatchObject({ units: [], targetLocale: "fr" });
    }
  });

  it.each([
    [["xx"], "xx is not a target locale of the Hive; those are fr, ru, pt_BR."],
    [["fr", "--csv", "--xliff"], "cannot be used with"],
    [["fr", "--xliff=3"], "Allowed choices are 1.2, 2.1"],
  ])("refuses %j", async (args, problem) => {
    expect(await app.run("untranslated", ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(problem),
    });
  });
});

describe("line ends", () => {
  // The source text, the translation as a program saved it, and the translation that the Hive gets.
  it.each([
    ["one\ntwo", "un\r\ndeux", "un\ndeux"],
    ["one\ntwo", "un\ndeux", "un\ndeux"],
    ["one\ntwo", "un\rdeux", "un\ndeux"],
    ["one\r\ntwo", "un\ndeux", "un\r\ndeux"],
    ["one\r\ntwo", "un\r\ndeux", "un\r\ndeux"],
    ["one two", "un\r\ndeux", "un\ndeux"],
    ["one\r\ntwo\nthree", "un\r\ndeux\ntrois", "un\r\ndeux\ntrois"],
  ])("of a source text %j make %j %j", async (text, saved, expected) => {
    await app.sync({ "en.json": { home: text } });
    const saveAs = saved.match(/\r\n?|\n/)?.[0] ?? "";
    const isMixed = new Set(saved.match(/\r\n?|\n/g)).size > 1;
    const source = isMixed ? text : text.replaceAll(/\r\n?|\n/g, saveAs);
    for (const path of [
      csv(`en.json,home,"${source}","${saved}",missing,`),
      file("back.json", JSON.stringify({ home: saved })),
    ]) {
      expect(await app.run("import", "fr", path, "--yes")).toMatchObject({ code: 0 });
      expect(await app.texts("fr")).toEqual({ "en.json": { home: expected } });
    }
  });
});

describe("a round trip", () => {
  it.each([
    ["fr.csv", ["--csv"]],
    ["fr.xlf", ["--xliff"]],
    ["fr.xliff", ["--xliff=2.1"]],
  ])("of %s returns every text to its key", async (name, flags) => {
    const { stdout } = await app.run("untranslated", "fr", ...flags);
    // The translator fills in each text.
    const filled =
      name === "fr.csv"
        ? stdout.replaceAll(/,([^,\r]*|".*"),,missing,/g, ",$1,Ceci,missing,")
        : stdout.replaceAll(/<target([^>]*)(?:\/>|><\/target>)/g, "<target$1>Ceci</target>");
    const { code, stdout: said } = await app.run("import", "fr", file(name, filled), "--yes", "--strict");
    expect(said).toContain("4 new, 0 changed, 0 as they are, 0 without translation, 0 not sent.");
    expect(code).toBe(0);
    expect(await app.texts("fr")).toEqual({
      "en.json": { home: "Ceci", bye: "Ceci", item_one: "Ceci", item_other: "Ceci" },
    });
    // Done again, it changes nothing.
    const again = await app.run("import", "fr", file(name, filled), "--yes");
    expect(again.stdout).toContain("0 new, 0 changed, 4 as they are");
  });
});

describe("skep import", () => {
  it("names every text that it does not send, with the reason", async () => {
    await app.translate("fr", { "en.json": { home: "Maison" } });
    const path = csv(
      "en.json,home,Home,Accueil,,",
      "en.json,bye,Bye,Salut,,",
      "en.json,item_one,{{count}} item,{{count}} item,,",
      "en.json,item_other,{{count}} items,{{count}} objets,,",
      "en.json,nope,No,Non,,",
      "mail.json,home,Home,Accueil,,",
    );
    const { code, stdout, stderr } = await app.run("import", "fr", path, "--yes");
    expect(code).toBe(0);
    expect(stderr).toContain("not sent: en.json: home: the Hive has another translation by now");
    expect(stderr).toContain("not sent: en.json: bye: its source text has changed since");
    expect(stderr).toContain("not sent: en.json: item_one: it equals its source text");
    expect(stderr).toContain("not sent: en.json: nope: the Hive has no such key");
    expect(stderr).toContain("not sent: mail.json: home: the Hive has no such file");
    expect(stdout).toContain("Sent 1 translation into fr");
    expect(await app.texts("fr")).toEqual({
      "en.json": { home: "Maison", item_other: "{{count}} objets" },
    });
    const all = ["--overwrite", "--changed-source", "--same-as-source"];
    await app.run("import", "fr", path, "--yes", ...all);
    expect(await app.texts("fr")).toEqual({
      "en.json": {
        home: "Accueil",
        bye: "Salut",
        item_one: "{{count}} item",
        item_other: "{{count}} objets",
      },
    });
  });

  it("replaces a stale translation, which is not stale then", async () => {
    await app.translate("fr", { "en.json": { home: "Maison" } });
    await app.sync({ "en.json": { ...english, home: "Home page" } });
    const { stdout } = await app.run(
      "import",
      "fr",
      csv("en.json,home,Home page,Page d'accueil,stale,"),
      "--yes",
    );
    expect(stdout).toContain("0 new, 1 changed");
    const { stdout: left } = await app.run("untranslated", "fr", "--state", "stale", "--json");
    expect(JSON.parse(left).texts).toEqual([]);
  });

  it("sends nothing with --strict if a key is unknown, and exits with 3", async () => {
    const path = csv("en.json,home,Home,Accueil,,", "en.json,nope,No,Non,,");
    expect(await app.run("import", "fr", path, "--yes", "--strict")).toMatchObject({ code: 3 });
    expect(await app.texts("fr")).toEqual({ "en.json": {} });
  });

  it("shows the changes, and sends nothing without --yes", async () => {
    const path = csv("en.json,home,Home,Accueil,,");
    expect(await app.run("import", "fr", path)).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("+ en.json: home: {+Accueil+}"),
      stderr: expect.stringContaining("give --yes"),
    });
    expect(await app.run("import", "fr", path, "--dry-run")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Nothing was sent."),
    });
    expect(await app.texts("fr")).toEqual({ "en.json": {} });
  });

  it.each([
    ["y", { home: "Accueil" }],
    ["n", {}],
  ])("asks on a terminal and accepts %s", async (answer, texts) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    let stderr = "";
    const write = (text: string): void => {
      stderr += text;
      if (text.endsWith(": ")) stdin.write(`${answer}\n`);
    };
    const output: Output = { stdin, stdout: { write: () => {} }, stderr: { isTTY: true, write } };
    const token = file("token", app.token);
    const where = ["--config", join(app.folder, "skep.yaml"), "--token-file", token];
    await runCommand(["import", "fr", csv("en.json,home,Home,Accueil,,"), ...where], output);
    expect(stderr).toContain("Send 1 translation into fr? (y/N): ");
    expect(await app.texts("fr")).toEqual({ "en.json": texts });
  });

  it("accepts a file of the app's formats, at its path in the app or anywhere", async () => {
    const content = JSON.stringify({ home: "Accueil", bye: "", item_one: "{{count}} objet" });
    app.write({ "locales/fr.json": content });
    await app.run("import", "fr", join(app.folder, "locales/fr.json"), "--yes");
    expect(await app.texts("fr")).toEqual({ "en.json": { home: "Accueil", item_one: "{{count}} objet" } });
    await app.run("import", "pt-BR", file("texts.json", JSON.stringify({ home: "Início" })), "--yes");
    expect(await app.texts("pt_BR")).toEqual({ "en.json": { home: "Início" } });
  });

  it("asks for --as if several files of the Hive match", async () => {
    await app.sync({ "mail.json": { subject: "Hello" } });
    const path = file("texts.json", JSON.stringify({ subject: "Bonjour" }));
    expect(await app.run("import", "fr", path, "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--as names one of"),
    });
    expect(await app.run("import", "fr", path, "--yes", "--as", "mail.json")).toMatchObject({ code: 0 });
    expect(await app.run("import", "fr", path, "--yes", "--as", "nope.json")).toMatchObject({ code: 2 });
  });

  it.each([
    [
      "de.xlf",
      '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="en.json" source-language="en" target-language="de" datatype="plaintext"><body><trans-unit id="home"><source>Home</source><target>Heim</target></trans-unit></body></file></xliff>',
      2,
      "not into fr",
    ],
    ["broken.xlf", "<xliff>", 1, "broken.xlf:1"],
    ["texts.doc", "", 2, "its ending stands for no format"],
  ])("refuses %s and sends nothing", async (name, content, code, problem) => {
    const ended = await app.run("import", "fr", file(name, content), "--yes");
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(problem) });
    expect(await app.texts("fr")).toEqual({ "en.json": {} });
  });

  it("refuses a missing file", async () => {
    expect(await app.run("import", "fr", "/nowhere/fr.csv", "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("/nowhere/fr.csv: cannot be read"),
    });
  });
});
