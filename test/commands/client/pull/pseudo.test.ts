/** `skep pull --pseudo`: writes the files of pseudo-locales, which no command takes for those of a locale. */
import { beforeEach, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../../helpers/app-tree.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const xml = (...lines: readonly string[]) =>
  `<resources>\n${lines.map((line) => `  ${line}\n`).join("")}</resources>\n`;

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({
    patterns: [
      "lang/{locale}.json",
      "{ name: s.xml, path: 'res/values-{locale}/s.xml', source: res/values/s.xml }",
    ],
  });
  app.write({
    "lang/en.json": json({ failed: "Wrong.", home: "Home" }),
    "lang/pt_BR.json": json({ home: "Início" }),
    "res/values/s.xml": xml(`<string name="hi">Hi %1$s</string>`),
  });
  expect(await app.run("push", "--translations")).toMatchObject({ code: 0 });
});

it("writes them in the app's formats and by its codes, beside the locales", async () => {
  await app.translate("fr", { "en.json": { home: "Accueil" } });
  const { code, stdout, stderr } = await app.run(
    "pull",
    "--pseudo",
    "--missing",
    "source",
    "--locale",
    "pt_BR",
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("lang/en_XA.json: new file, 2 created\n");
  expect(app.has("lang/fr.json")).toBe(false);
  expect(JSON.parse(app.read("lang/en_XA.json"))).toEqual({ failed: "⟦Ŵŕŕöññĝ.⟧", home: "⟦Ĥööɱéé⟧" });
  expect(JSON.parse(app.read("lang/ar_XB.json")).home).toBe("\u200f\u202eHome\u202c\u200f");
  expect(app.read("res/values-en-rXA/s.xml")).toBe(xml(`<string name="hi">⟦Ĥîî %1$s⟧</string>`));
  expect((await app.run("pull", "--pseudo")).stdout).toContain("lang/fr.json: new file");
  expect((await app.run("pull", "--pseudo")).stdout).toContain("web: 0 files changed");
});

it("replaces whatever their files had, and removes what the source has no more", async () => {
  app.write({ "lang/en_XA.json": json({ home: "own", old: "old" }) });
  expect(await app.run("pull", "--pseudo", "--mine")).toMatchObject({ code: 0 });
  expect(Object.keys(JSON.parse(app.read("lang/en_XA.json")))).toEqual(["failed", "home"]);
});

it.each([["push", "--create", "--translations"], ["status"], ["check", "--source-locale", "en"], ["diff"]])(
  "is no locale to skep %s",
  async (command, ...args) => {
    const before = await app.run(command, ...args);
    expect(before).toMatchObject({ code: 0 });
    expect(await app.run("pull", "--pseudo")).toMatchObject({ code: 0 });
    expect(await app.run(command, ...args)).toEqual(before);
  },
);

it("is pulled as a locale where the Hive has one of its code", async () => {
  await app.manage("POST", "/locales", { code: "en-XA" });
  await app.translate("en-XA", { "en.json": { home: "Own" } });
  expect(await app.run("pull", "--pseudo")).toMatchObject({ code: 0 });
  expect(JSON.parse(app.read("lang/en_XA.json"))).toEqual({ home: "Own" });
  expect(app.has("lang/ar_XB.json")).toBe(true);
});
