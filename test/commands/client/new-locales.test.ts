/** Locales that the app has files of and the Hive lacks: they are named, and a push can add them. */
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";

const files = {
  "lang/en.json": '{"a":"A"}',
  "lang/fr.json": '{"a":"fr"}',
  "lang/pt_BR.json": '{"a":"pt"}',
  "lang/de.json": '{"a":"de"}',
};
const patterns = ["lang/{locale}.json"];

describe("locales that the Hive lacks", () => {
  let app: AppTree;

  beforeEach(async () => {
    app = await makeApp({ patterns, locales: ["fr"] });
    app.write(files);
  });

  it("are named by a push of translations with the commands that add them", async () => {
    const { code, stderr } = await app.run("push", "--translations");
    expect(code).toBe(0);
    expect(stderr).toContain("web lacks 2 locales that have files here, which are not sent.");
    const lines = Array.from(stderr.matchAll(/^ {2}skep (locale create .*)$/gm), ([, line = ""]) => line);
    expect(lines).toEqual(["locale create web de", "locale create web pt-BR --custom-code pt_BR"]);
    for (const line of lines) {
      const [code, , customCode] = line.split(" ").slice(3);
      await app.manage("POST", "/locales", { code, custom_code: customCode });
    }
    const again = await app.run("push", "--translations");
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(await app.texts("pt-BR")).toEqual({ "en.json": { a: "pt" } });
    expect(await app.texts("de")).toEqual({ "en.json": { a: "de" } });
  });

  it("are named by the first push, and later by pushes of translations alone", async () => {
    expect((await app.run("push")).stderr).toContain("web lacks 2 locales");
    expect((await app.run("push")).stderr).toBe("");
    expect((await app.run("push", "--translations")).stderr).toContain("web lacks 2 locales");
  });

  it("need a token with the ability admin", async () => {
    const { code, stderr } = await app.run("push", "--translations", "--create");
    expect(code).toBe(5);
    expect(stderr).toContain("admin");
    expect(await app.texts("en")).toEqual({});
  });
});

it("names the Hive's code for a locale, and the setting that connects both codes", async () => {
  const app = await makeApp({ patterns, locales: ["pt-BR", "fr"] });
  app.write({ ...files, "lang/de.json": "" });
  const { stderr } = await app.run("push", "--translations=fr");
  expect(stderr).toContain(
    "lang/{locale}.json: files of pt_BR are not sent, because web calls this locale pt-BR: put locales: { pt-BR: pt_BR } beside the path.",
  );
});

describe("a push with --create", () => {
  it("adds the locales of the tree, by files and by settings, and sends their translations", async () => {
    const app = await makeApp({
      patterns: ["{path: 'lang/{locale}.json', locales: {he: iw}}"],
      locales: ["fr"],
      abilities: ["read", "write", "admin"],
    });
    app.write({ ...files, "lang/iw.json": '{"a":"he"}' });
    const dry = await app.run("push", "--translations", "--create", "--dry-run");
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Would add 3 locales: he, de, pt_BR."),
    });
    const { code, stdout } = await app.run("push", "--translations", "--create");
    expect(stdout).toContain("Added 3 locales: he, de, pt_BR.");
    expect(code).toBe(0);
    expect(await app.texts("he")).toEqual({ "en.json": { a: "he" } });
    expect(await app.texts("pt_BR")).toEqual({ "en.json": { a: "pt" } });
  });

  it("creates the Hive with all locales after all files were read", async () => {
    const app = await makeApp({ patterns, settings: "source: en\n", abilities: ["read", "write", "admin"] });
    app.write({ ...files, "lang/de.json": "{" });
    const args = ["--hive", "new", "--translations", "--create"];
    const dry = await app.run("push", "--dry-run", ...args);
    expect(dry.code).toBe(1);
    expect(dry.stdout).toContain("new: 1 created, 0 updated, 0 deleted, 0 unchanged source strings.\n");
    expect(dry.stdout).toContain("pt_BR: 1 created, 0 updated, 0 skipped, 0 unknown translations.\n");
    expect(dry.stdout).toContain("Would create the Hive new.\nWould add 3 locales: de, fr, pt_BR.\n");
    expect(await app.run("push", "--strict", ...args)).toMatchObject({ code: 1, stdout: "" });
    expect((await app.run("status", "--hive", "new")).code).toBe(5);
    const { code, stdout, stderr } = await app.run("push", ...args);
    expect(stdout).toMatch(/^Created the Hive new\.\n/);
    expect(stdout).toContain("pt_BR: 1 created");
    expect(stderr).toContain("nothing of de was sent");
    expect(code).toBe(1);
    const status = await app.run("status", "--hive", "new", "--json");
    expect(JSON.parse(status.stdout).locales.map(({ locale }: { locale: string }) => locale)).toEqual([
      "de",
      "fr",
      "pt_BR",
    ]);
  });
});

it("two codes of one language are pushed and pulled, the second one as that of its main region", async () => {
  const app = await makeApp({
    patterns: ["{ path: 'lang/{locale}.json', locales: { fil-PH: tl } }"],
    locales: ["fil", "fil-PH"],
  });
  const files = { "lang/en.json": '{"a":"A"}', "lang/fil.json": '{"a":"F"}', "lang/tl.json": '{"a":"T"}' };
  app.write(files);
  expect(await app.run("push", "--translations")).toMatchObject({ code: 0 });
  expect([await app.texts("fil"), await app.texts("fil-PH")]).toEqual([
    { "en.json": { a: "F" } },
    { "en.json": { a: "T" } },
  ]);
  expect((await app.run("pull")).stdout).toContain("0 files changed, 2 unchanged");
});
