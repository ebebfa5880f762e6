/** The pages' texts: none is in the code, and a Hive can hold the file with all of them. */
import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript-5";
import { describe, expect, it } from "vitest";
import { pageLanguages } from "../../../../src/http/console/texts/catalogues.ts";
import { makeApp } from "../../../helpers/app-tree.ts";

const sources = new URL("../../../../src/", import.meta.url).pathname;
const folder = `${sources}http/console/`;
const file = readFileSync(`${folder}texts/en.json`, "utf8");
const texts: Readonly<Record<string, string>> = JSON.parse(file);

/** Attributes and members whose values people read. */
const shown = /^(label|title|hint|button|all|alt|aria-label|problem|reason)$/;

/** All nodes of the code in a folder. */
function* nodesIn(root: string): Generator<ts.Node> {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(name)) continue;
    const code = ts.createSourceFile(name, readFileSync(root + name, "utf8"), ts.ScriptTarget.Latest, true);
    const waiting: ts.Node[] = [code];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      yield node;
      node.forEachChild((child) => void waiting.push(child));
    }
  }
}

/** Those of the pages. */
const nodes = [...nodesIn(folder)];
/** Those of the operations, whose forms name texts. */
const declared = [...nodesIn(`${sources}api/`)];

function placeOf(node: ts.Node): string {
  const code = node.getSourceFile();
  return `${code.fileName}:${code.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText()}`;
}

/** The node whose value a string may become. */
function userOf(node: ts.Node): ts.Node {
  const { parent } = node;
  const passesOn =
    (ts.isConditionalExpression(parent) && parent.condition !== node) ||
    (ts.isBinaryExpression(parent) && /^(&&|\|\||\?\?|\+)$/.test(parent.operatorToken.getText())) ||
    ts.isParenthesizedExpression(parent) ||
    ts.isTemplateSpan(parent) ||
    ts.isTemplateExpression(parent) ||
    (ts.isJsxExpression(parent) && ts.isJsxAttribute(parent.parent));
  return passesOn ? userOf(parent) : parent;
}

function isShown(node: ts.Node): boolean {
  if (ts.isJsxText(node)) return !/^<(code|kbd)/.test(node.parent.getText());
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return false;
  const user = userOf(node);
  if (ts.isJsxExpression(user)) return !/^<(code|kbd)/.test(user.parent.getText());
  // The name of an option, behind its value.
  if (ts.isArrayLiteralExpression(user)) return ts.isArrowFunction(user.parent) && user.elements[1] === node;
  const isNamed = ts.isJsxAttribute(user) || ts.isPropertyAssignment(user);
  return isNamed && user.name !== node && shown.test(user.name.getText());
}

/** What a literal says by itself, without its placeholders; nothing if it is the key of a text. */
function wordsOf(node: ts.Node): string {
  const text = ts.isJsxText(node) ? node.text : node.getText().slice(1, -1);
  return text in texts ? "" : text.replaceAll(/\$\{[^]*?\}/g, "");
}

describe("the texts of the pages", () => {
  it("are all in their file", () => {
    const left = nodes.filter((node) => isShown(node) && /\p{L}{2}/u.test(wordsOf(node)));
    expect(left.map(placeOf)).toEqual([]);
  });

  it("are all used, with the values of their placeholders", () => {
    const [keys, groups] = [new Set<string>(), new Set(["script"])];
    const wrong: string[] = [];
    for (const node of [...declared, ...nodes]) {
      if (ts.isStringLiteralLike(node)) keys.add(node.text);
      if (ts.isTemplateExpression(node)) groups.add(node.head.text.replace(/\..*/, ""));
      if (!ts.isCallExpression(node)) continue;
      const [first, values] = node.arguments;
      if (first === undefined || !ts.isStringLiteral(first)) continue;
      const called = node.expression.getText();
      if (/^texts?In$/.test(called)) groups.add(first.text);
      if (called !== "t") continue;
      const text = texts[first.text] ?? texts[`${first.text}_other`] ?? "";
      const given = values !== undefined && ts.isObjectLiteralExpression(values) ? values.properties : [];
      const names = given.map(({ name }) => name?.getText() ?? "");
      if (placeholders(text) !== names.toSorted().join()) wrong.push(placeOf(node));
    }
    expect(wrong).toEqual([]);
    // What is said about a field has the names of its form and of the field; the values of options may be the domain's.
    const isOfField = (key: string): boolean => {
      const [group = "", ...names] = key.split(".");
      const own = group === "option" ? names.slice(0, -1) : names;
      return /^(field|hint|option)$/.test(group) && own.every((name) => keys.has(name));
    };
    const isUsed = (key: string): boolean =>
      keys.has(key.replace(/_(one|other)$/, "")) ||
      keys.has(key) ||
      isOfField(key) ||
      groups.has(key.replace(/\..*/, ""));
    expect(Object.keys(texts).filter((key) => !isUsed(key))).toEqual([]);
  });

  it("name the operations of all commits", () => {
    const operations = [...nodesIn(`${sources}service/`), ...nodesIn(`${sources}store/`)].flatMap((node) => {
      if (!ts.isPropertyAssignment(node) || node.name.getText() !== "operation") return [];
      const { initializer } = node;
      const values = ts.isConditionalExpression(initializer)
        ? [initializer.whenTrue, initializer.whenFalse]
        : [initializer];
      return values.filter((value) => ts.isStringLiteral(value)).map(({ text }) => text);
    });
    expect(new Set(operations).size).toBeGreaterThan(20);
    // A tag is no commit of a Hive.
    expect(operations.filter((one) => one !== "tag" && !(`operation.${one}` in texts))).toEqual([]);
  });

  it("can be kept in a Hive, with their plurals", async () => {
    const app = await makeApp({ patterns: ["texts/{locale}.json"], locales: ["pl"] });
    app.write({ "texts/en.json": file });
    expect(await app.run("push")).toMatchObject({ code: 0 });
    expect((await app.texts("en"))["en.json"]).toEqual(texts);
    const left = await app.run("untranslated", "pl");
    expect(left.stdout).toContain("count.texts_few");
  });
});

/** The texts of one language, without what may differ: the categories of plurals. */
const plural = /_(zero|one|two|few|many|other)$/;

describe.each(pageLanguages.filter(({ code }) => code !== "en"))("the catalogue of $name", ({ code }) => {
  const own: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(`${folder}texts/${code}.json`, "utf8"),
  );

  it("has all texts in the order of the English ones, with the plurals of the language", () => {
    const categories = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
    const needed = new Set<string>(categories);
    // Counts of a million are no texts of pages: `other` serves for them.
    if (code !== "ar") needed.delete("many");
    const order = ["zero", "one", "two", "few", "many", "other"].filter((one) => needed.has(one));
    const expected = Object.keys(texts).flatMap((key) => {
      const base = key.replace(plural, "");
      if (base === key || !(`${base}_other` in texts)) return [key];
      return key.endsWith("_other") ? order.map((category) => `${base}_${category}`) : [];
    });
    expect(Object.keys(own)).toEqual(expected);
  });

  it("has the placeholders of the English texts", () => {
    const differing = Object.entries(own).filter(([key, text]) => {
      const source = texts[key] ?? texts[key.replace(plural, "_other")] ?? "";
      // The forms for one and two may say the number as a word.
      const mayLack = /_(zero|one|two)$/.test(key) ? "count" : "";
      const of = (one: string): string =>
        placeholders(one)
          .replace(mayLack, "")
          .replace(/^,|,$|,(?=,)/g, "");
      return of(text) !== of(source);
    });
    expect(differing).toEqual([]);
  });

  it("has no text of another script, no blanks at the ends and no empty text", () => {
    const wrong = Object.entries(own).filter(([, text]) => text.trim() !== text || text === "");
    const sources = new Set(
      Object.entries(texts).flatMap(([key, text]) => (text.trim() !== text ? [key] : [])),
    );
    expect(wrong.filter(([key]) => !sources.has(key))).toEqual([]);
  });
});

it("the catalogues pass the checks of an app's translations", async () => {
  const app = await makeApp({
    patterns: ["texts/{locale}.json"],
    locales: pageLanguages.slice(1).map(({ code }) => code),
    settings: "source: en\n",
  });
  for (const { code } of pageLanguages)
    app.write({ [`texts/${code}.json`]: readFileSync(`${folder}texts/${code}.json`, "utf8") });
  expect(await app.run("check")).toMatchObject({ code: 0 });
});

function placeholders(text: string): string {
  return [...new Set(Array.from(text.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name))].toSorted().join();
}
