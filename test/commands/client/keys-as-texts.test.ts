/** Laravel's JSON, whose keys are the texts: the source file need not have them. */
import { expect, it } from "vitest";
import { proposePatterns } from "../../../src/client/propose.ts";
import { wholeSource } from "../../../src/client/texts.ts";
import { git } from "../../helpers/process.ts";
import { makeApp } from "../../helpers/app-tree.ts";
import { realFolder } from "../../helpers/storage.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const pattern = "{ path: 'lang/{locale}.json', format: laravel-json }";
const english = '{\n    "Total": "Sum"\n}\n';
const french = '{\n    "Sign in": "Se connecter",\n    "Total": "Total dû"\n}\n';

it("a text that the source file lacks is a string of its own, and files come back as they were", async () => {
  const app = await makeApp({ patterns: [pattern] });
  app.write({ "lang/en.json": english, "lang/fr.json": french });
  expect(await app.run("push", "--translations", "--strict")).toMatchObject({ code: 0 });
  expect(await app.texts("en")).toEqual({ "en.json": { Total: "Sum", "Sign in": "Sign in" } });
  expect(await app.texts("fr")).toEqual({ "en.json": { "Sign in": "Se connecter", Total: "Total dû" } });
  expect((await app.run("pull", "--prune")).stdout).toContain("0 files changed");
  expect([app.read("lang/en.json"), app.read("lang/fr.json")]).toEqual([english, french]);
  await app.translate("pt-BR", { "en.json": { "Sign in": "Entrar" } });
  expect(await app.run("pull")).toMatchObject({ code: 0 });
  expect(JSON.parse(app.read("lang/pt_BR.json"))).toEqual({ "Sign in": "Entrar" });
  const again = await app.run("push", "--translations", "--strict", "--json");
  expect(JSON.parse(again.stdout).result).toMatchObject({ created: 0, updated: 0, deleted: 0 });
});

it("a text that is a number has the place that it has in the files", async () => {
  const app = await makeApp({ patterns: [pattern] });
  const inFrench = '{\n    "b": "Bé",\n    "404": "Perdu",\n    "a": "A",\n    "7": "Sept"\n}\n';
  app.write({ "lang/en.json": '{ "b": "B", "404": "Gone" }\n', "lang/fr.json": inFrench });
  expect(await app.run("push", "--translations", "--strict")).toMatchObject({ code: 0 });
  app.write({ "lang/pt_BR.json": '{\n    "b": "Bê",\n    "a": "Á"\n}\n' });
  await app.translate("pt-BR", { "en.json": { b: "Bê", 404: "Perdido", a: "Á", 7: "Sete" } });
  expect(await app.run("pull")).toMatchObject({ code: 0 });
  expect(app.read("lang/pt_BR.json").match(/"(?:\w+)":/g)).toEqual(['"b":', '"404":', '"a":', '"7":']);
});

it("a locale that is not sent, or that the Hive lacks, keeps its texts' strings", async () => {
  const app = await makeApp({ patterns: [pattern] });
  app.write({ "lang/en.json": "{}\n", "lang/fr.json": french, "lang/it.json": '{ "Sign out": "Esci" }\n' });
  const strings = { "en.json": { "Sign in": "Sign in", Total: "Total", "Sign out": "Sign out" } };
  for (const args of [[], ["--translations=pt_BR"]]) {
    expect(await app.run("push", ...args)).toMatchObject({ code: 0 });
    expect(await app.texts("en")).toEqual(strings);
  }
  app.write({ "lang/it.json": "{ broken" });
  expect(await app.run("push")).toMatchObject({ code: 1 });
  expect(await app.texts("en")).toEqual(strings);
});

it("a branch adds and removes them by what its files had", async () => {
  const app = await makeApp({ patterns: [pattern] });
  app.write({ "lang/en.json": english, "lang/fr.json": french });
  await git(app.folder, "init", "-q", "-b", "main");
  await git(app.folder, "add", ".");
  await git(app.folder, "commit", "-q", "-m", "x");
  await app.run("push", "--translations");
  app.write({ "lang/fr.json": '{\n    "Sign out": "Se déconnecter",\n    "Total": "Total dû"\n}\n' });
  const pushed = await app.run("push", "--base", "HEAD", "--json");
  expect(JSON.parse(pushed.stdout).result).toMatchObject({ created: 1, deleted: 1, updated: 0 });
});

it("a translation of a text that the source file lacks is checked", async () => {
  const app = await makeApp({ patterns: [pattern], settings: "source: en\n" });
  app.write({ "lang/en.json": english, "lang/fr.json": '{ "Hello {name}": "Bonjour {nom}" }\n' });
  expect(await app.run("check")).toMatchObject({
    code: 3,
    stdout: expect.stringContaining("lang/fr.json:1: error argument-extra: fr, Hello {name}: {nom}"),
  });
});

it("a text that is too long for a key stays in the files, and is named once", async () => {
  const app = await makeApp({ patterns: [pattern], settings: "source: en\n" });
  const licence = "All rights. ".repeat(400);
  const [inEnglish, inFrench] = [english, french].map((file) =>
    file.replace("{", `{\n    "${licence}": "L",`),
  );
  app.write({ "lang/en.json": inEnglish ?? "", "lang/fr.json": inFrench ?? "" });
  const pushed = await app.run("push", "--translations", "--strict");
  expect([pushed.code, pushed.stderr.match(/longer than/g)]).toEqual([0, ["longer than"]]);
  expect(pushed.stderr).toMatch(/lang\/en\.json:2: the key All rights\..* stays in the file/);
  expect(await app.texts("fr")).toEqual({ "en.json": { "Sign in": "Se connecter", Total: "Total dû" } });
  await app.translate("fr", { "en.json": { Total: "Somme" } });
  expect(await app.run("pull", "--prune")).toMatchObject({ code: 0 });
  expect(app.read("lang/fr.json")).toBe(inFrench?.replace("Total dû", "Somme"));
  const checked = await app.run("check");
  expect([checked.code, checked.stderr.match(/longer than/g)]).toEqual([0, ["longer than"]]);
});

it("names are names, whatever they are", async () => {
  const names = [["__proto__", "a", "g", "g.b", ""], ["Sign in.", "a"], ["Sign in."]];
  const others = names.map((_, i) => ({ path: `${i}.json`, absolute: `/${i}.json`, code: "fr" }));
  const content = { a: "A", g: { b: "B" } };
  const whole = await wholeSource({ others }, content, ({ path }) => {
    const own = names[Number(path.replace(".json", ""))];
    return own && new Map(own.map((name) => [name, ""]));
  });
  expect(Object.entries(whole)).toEqual([
    ["a", "A"],
    ["g", { b: "B" }],
    ["__proto__", "__proto__"],
    ["Sign in.", "Sign in."],
  ]);
});

it("init says what to do without a source file", async () => {
  const folder = realFolder();
  mkdirSync(join(folder, "lang"));
  writeFileSync(join(folder, "lang/fr.json"), french);
  writeFileSync(join(folder, "lang/de.json"), '{ "Sign in": "Anmelden" }');
  const { withoutSource } = await proposePatterns(folder, "en");
  expect(withoutSource).toEqual([
    { path: "lang/{locale}.json", reason: expect.stringContaining("{} in lang/en.json is enough") },
  ]);
});
