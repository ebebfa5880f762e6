/** Strings that get another key or file: in a push, and by `skep move`. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["lang/{locale}/**/*.json"] });
  app.write({
    "lang/en/auth.json": json({ failed: "Wrong.", nav: { home: "Home", out: "Log out" } }),
    "lang/en/same.json": json({ one: "Same", two: "Same" }),
  });
  await app.run("push");
  await app.translate("fr", { "auth.json": { failed: "Faux.", "nav.home": "Accueil" } });
});

const withoutCommit = (text: string): string => text.replaceAll(/ at [0-9a-f]{7}\./g, " at HEAD.");

describe("a push of renamed keys", () => {
  const renamed = json({ wrong: "Wrong.", nav: { home: "Home!", out: "Log out" } });

  it("moves their strings with the translations, and prints the count", async () => {
    app.write({ "lang/en/auth.json": renamed });
    const { code, stdout, stderr } = await app.run("push");
    expect({ code, stderr, stdout: withoutCommit(stdout) }).toEqual({
      code: 0,
      stderr: "",
      stdout:
        "lang/en/auth.json: 1 updated\n" +
        "web: 1 moved, 0 created, 1 updated, 0 deleted, 3 unchanged source strings, at HEAD.\n",
    });
    expect(await app.texts("fr")).toMatchObject({ "auth.json": { wrong: "Faux.", "nav.home": "Accueil" } });
  });

  it("lists them in a dry run, and in JSON", async () => {
    app.write({ "lang/en/auth.json": renamed });
    const { stdout } = await app.run("push", "--dry-run");
    expect(stdout).toContain("  auth.json:failed -> auth.json:wrong\n");
    expect(stdout).toContain("Dry run: nothing was written. web: 1 moved");
    const moves = [{ from: { file: "auth.json", key: "failed" }, to: { file: "auth.json", key: "wrong" } }];
    expect(JSON.parse((await app.run("push", "--json")).stdout)).toMatchObject({
      moves,
      result: { moved: 1 },
    });
  });

  it("deletes and creates strings with --no-detect-moves", async () => {
    app.write({ "lang/en/auth.json": renamed });
    const { stdout } = await app.run("push", "--no-detect-moves");
    expect(stdout).toContain("web: 1 created, 1 updated, 1 deleted, 3 unchanged");
    expect(await app.texts("fr")).toMatchObject({ "auth.json": { "nav.home": "Accueil" } });
  });

  it("lists ambiguous strings, and moves none of them", async () => {
    app.write({ "lang/en/same.json": json({ three: "Same", four: "Same" }) });
    const { stdout, stderr } = await app.run("push", "--dry-run");
    expect(stdout).toContain("web: 2 created, 0 updated, 2 deleted");
    expect(stderr).toContain(
      '"Same" may have been moved from same.json:one, same.json:two to same.json:three, same.json:four.\n',
    );
    expect(stderr).toContain("1 text of which more than one string went or came: none of these is moved.");
  });
});

describe("a push of a renamed file", () => {
  it("moves the file without --prune if all of its strings are in the new file", async () => {
    rmSync(join(app.folder, "lang/en/auth.json"));
    app.write({
      "lang/en/login.json": json({ failed: "Wrong!", nav: { home: "Home", out: "Log out" }, more: "More" }),
    });
    const { stdout, stderr } = await app.run("push");
    expect(withoutCommit(stdout)).toContain("web: 3 moved, 1 created, 1 updated, 0 deleted, 2 unchanged");
    expect(stderr).toBe("");
    const texts = await app.texts("fr");
    expect(texts).toMatchObject({ "login.json": { failed: "Faux.", "nav.home": "Accueil" } });
    expect(texts).not.toHaveProperty("auth.json");
  });

  it("keeps and lists the file if some of its strings are in no other file", async () => {
    rmSync(join(app.folder, "lang/en/auth.json"));
    app.write({ "lang/en/login.json": json({ failed: "Wrong.", nav: { home: "Home" } }) });
    const { stdout, stderr } = await app.run("push");
    expect(stdout).toContain("web: 2 created, 0 updated, 0 deleted");
    expect(stderr).toContain("auth.json: is in the Hive, but no pattern matches it");
  });

  it("moves what it can with --prune", async () => {
    rmSync(join(app.folder, "lang/en/auth.json"));
    app.write({ "lang/en/login.json": json({ failed: "Wrong.", nav: { home: "Home" } }) });
    const { stdout } = await app.run("push", "--prune");
    expect(stdout).toContain("web: 2 moved, 0 created, 0 updated, 1 deleted");
    expect(await app.texts("fr")).toMatchObject({ "login.json": { failed: "Faux.", "nav.home": "Accueil" } });
  });
});

describe("skep move", () => {
  it("moves a string, a group and a file of the Hive", async () => {
    const { code, stdout } = await app.run("move", "auth.json:failed", "login.json:wrong");
    expect({ code, stdout: withoutCommit(stdout) }).toEqual({
      code: 0,
      stdout: "web: 1 source string moved with 1 translation, at HEAD.\n",
    });
    await app.run("move", "auth.json:nav", "auth.json:menu");
    await app.run("move", "same.json", "other.json");
    expect(await app.texts("en")).toEqual({
      "auth.json": { "menu.home": "Home", "menu.out": "Log out" },
      "login.json": { wrong: "Wrong." },
      "other.json": { one: "Same", two: "Same" },
    });
    expect(await app.texts("fr")).toMatchObject({ "auth.json": { "menu.home": "Accueil" } });
  });

  it("lists what it would move in a dry run", async () => {
    const { stdout } = await app.run("move", "--dry-run", "auth.json:nav", "auth.json:menu");
    expect(withoutCommit(stdout)).toBe(
      "  auth.json:nav.home -> auth.json:menu.home\n  auth.json:nav.out -> auth.json:menu.out\n" +
        "Dry run: nothing was moved. web: 2 source strings moved with 1 translation, at HEAD.\n",
    );
    expect(await app.texts("en")).toHaveProperty(["auth.json", "nav.home"]);
  });

  it.each([
    [["auth.json:failed", "login.json"], 2, "Give either two files, or two keys with their files"],
    [["auth.json:no", "auth.json:yes"], 1, "auth.json has no key"],
    [["auth.json:failed", "auth.json:nav.home"], 1, "auth.json: nav.home exists"],
  ])("refuses %j", async (places, code, message) => {
    const ended = await app.run("move", ...places);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(message);
  });
});

const po = (...messages: readonly string[]): string =>
  [
    `msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n`,
    ...messages.map((id) => `${id}\nmsgstr ""\n`),
  ].join("\n");
const keyed = (...texts: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])));
const mail = "Your mesage has been sent to the address.";
const mended = "Your message has been sent to the address.";
const id = (text: string): string => `msgid "${text}"`;
const qt = (text: string, comment = "", numerus = ""): string =>
  `<?xml version="1.0"?><!DOCTYPE TS><TS version="2.1" language="en"><context><name>W</name><message${numerus}><source>${text}</source>` +
  `${comment}<translation${numerus === "" ? ' type="unfinished">' : "><numerusform></numerusform><numerusform></numerusform>"}` +
  `</translation></message></context></TS>\n`;
const angular = (hash: string, text: string): string =>
  `<?xml version="1.0"?><xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" datatype="plaintext" ` +
  `original="a"><body><trans-unit id="${hash}"><source>${text}</source></trans-unit></body></file></xliff>\n`;
const inContext = (text: string): string => `msgctxt "form"\nmsgid "${text}"`;

it.each([
  ["po", po(id(mail), id("Other")), po(id(mended), id("Other")), mail, mended],
  [
    "po",
    po(inContext(mail), inContext("Other")),
    po(inContext(mended), inContext("Other")),
    `form\u0004${mail}`,
    `form\u0004${mended}`,
  ],
  ["json", keyed(mail, "Other"), keyed(mended, "Other"), mail, mended],
  ["json", keyed(mail), keyed(mended), mail, mended],
  ["ts", qt(mail), qt(mended), `W\u0004${mail}`, `W\u0004${mended}`],
  [
    "ts",
    qt(mail, "<comment>a</comment>"),
    qt(mended, "<comment>a</comment>"),
    `W\u0004${mail}\u0004a`,
    `W\u0004${mended}\u0004a`,
  ],
  [
    "ts",
    qt(mail, "<comment>a</comment>"),
    qt(mended, "<comment>b</comment>"),
    `W\u0004${mail}\u0004a`,
    undefined,
  ],
  [
    "xlf",
    angular("4112457810929283412", mail),
    angular("7763018472918273641", mended),
    "4112457810929283412",
    "7763018472918273641",
  ],
  ["xlf", angular("mail.sent", mail), angular("mail.done", mended), "mail.sent", undefined],
  // Another context, another text, and two that are alike.
  ["po", po(inContext(mail)), po(id(mended)), `form\u0004${mail}`, undefined],
  ["json", keyed(mail), keyed("Nothing to see here"), mail, undefined],
  ["json", keyed(mail), keyed(mended, `${mended}!`), mail, undefined],
])(
  "a text that is its own key and was mended, in %s, keeps its translation as stale: %#",
  async (ending, before, after, key, expected) => {
    const app = await makeApp({ patterns: [`l/{locale}.${ending}`] });
    const name = `en.${ending}`;
    app.write({ [`l/${name}`]: before });
    expect(await app.run("push")).toMatchObject({ code: 0 });
    await app.translate("fr", { [name]: { [key]: "Texte" } });
    app.write({ [`l/${name}`]: after });
    expect(await app.run("push")).toMatchObject({ code: 0 });
    const { [name]: texts } = await app.texts("fr");
    expect(texts ?? {}).toEqual(expected === undefined ? {} : { [expected]: "Texte" });
    const stale = JSON.parse(
      (await app.run("untranslated", "fr", "--state", "stale", "--json")).stdout,
    ).texts;
    expect(stale.map((text: { key: string }) => text.key)).toEqual(expected === undefined ? [] : [expected]);
  },
);

const plural = (one: string, other: string): string =>
  `msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n` +
  `msgid "${one}"\nmsgid_plural "${other}"\nmsgstr[0] ""\nmsgstr[1] ""\n`;
const many = mended.replace("message", "messages");

it.each([
  ["both texts", "po", plural(mail, many.replace("ss", "s")), plural(mended, many), mail, mended],
  ["the msgid alone", "po", plural(mail, many), plural(mended, many), mail, mended],
  [
    "Qt's text",
    "ts",
    qt(mail, "", ' numerus="yes"'),
    qt(mended, "", ' numerus="yes"'),
    `W\u0004${mail}`,
    `W\u0004${mended}`,
  ],
  [
    "Qt's text with a comment",
    "ts",
    qt(mail, "<comment>a</comment>", ' numerus="yes"'),
    qt(mended, "<comment>a</comment>", ' numerus="yes"'),
    `W\u0004${mail}\u0004a`,
    `W\u0004${mended}\u0004a`,
  ],
])(
  "a plural that is its own key keeps all its forms where somebody mended %s",
  async (_, ending, before, after, key, expected) => {
    const app = await makeApp({ patterns: [`l/{locale}.${ending}`] });
    const name = `en.${ending}`;
    app.write({ [`l/${name}`]: before });
    expect(await app.run("push")).toMatchObject({ code: 0 });
    await app.translate("fr", {
      [name]: { [`${key}.one`]: "Un", [`${key}.many`]: "De", [`${key}.other`]: "Des" },
    });
    app.write({ [`l/${name}`]: after });
    expect(await app.run("push")).toMatchObject({ code: 0 });
    const { [name]: texts } = await app.texts("fr");
    expect(texts).toEqual({
      [`${expected}.one`]: "Un",
      [`${expected}.many`]: "De",
      [`${expected}.other`]: "Des",
    });
  },
);
