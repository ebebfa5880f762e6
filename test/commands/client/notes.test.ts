/** Notes of an app's files in a push, and `skep note`. */
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { git, request } from "../../helpers/process.ts";

const arb = (description: string, more: object = {}): string =>
  JSON.stringify({ "@@locale": "en", open: "Open", "@open": { description }, close: "Close", ...more });

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["lib/app_{locale}.arb"], locales: ["fr"] });
  app.write({ "lib/app_en.arb": arb("A verb") });
  await app.run("push");
});

const notes = async () =>
  (await request({ url: app.url }, app.token, "GET", "/api/hives/web/notes")).json.data.map(
    ({ key, app: said, team }: { key: string; app: unknown; team: unknown }) => [key, said, team],
  );

describe("a push", () => {
  it("sends what the files say, and that they say it no more", async () => {
    expect(await notes()).toEqual([["open", { note: "A verb" }, null]]);
    app.write({ "lib/app_en.arb": arb("A verb", { "@close": { description: "x".repeat(3000) } }) });
    expect(await app.run("push")).toMatchObject({ code: 0 });
    const [, [key, said]] = await notes();
    expect([key, said.note.length, said.note.at(-1)]).toEqual(["close", 2000, "…"]);
    app.write({ "lib/app_en.arb": JSON.stringify({ open: "Open", close: "Close" }) });
    await app.run("push");
    expect(await notes()).toEqual([]);
  });

  it("of changes since a commit sends what the files say otherwise since then, also where no text changed", async () => {
    const commit = async (text: string) => {
      app.write({ "lib/app_en.arb": text });
      await git(app.folder, "add", ".");
      await git(app.folder, "commit", "-qm", "x");
    };
    await git(app.folder, "init", "-q", "-b", "main");
    await commit(arb("A verb"));
    await app.run("push");
    await git(app.folder, "switch", "-q", "-c", "one");
    await commit(arb("A verb", { "@close": { description: "Of one" } }));
    await git(app.folder, "switch", "-q", "-c", "two", "main");
    await commit(arb("A verb, said two", { extra: "Extra" }));
    expect(await app.run("push", "--base", "main")).toMatchObject({ code: 0 });
    await git(app.folder, "switch", "-q", "one");
    expect(await app.run("push", "--base", "main")).toMatchObject({ code: 0 });
    expect(await notes()).toEqual([
      ["open", { note: "A verb, said two" }, null],
      ["close", { note: "Of one" }, null],
    ]);
    expect((await app.texts("en"))["app_en.arb"]).toMatchObject({
      extra: "Extra",
    });
  });

  it("leaves what the team says, which a pull never writes", async () => {
    await app.run("note", "app_en.arb:open", "Ours");
    await app.translate("fr", { "app_en.arb": { open: "Ouvrir" } });
    await app.run("push");
    await app.run("pull");
    expect(app.read("lib/app_fr.arb")).not.toContain("Ours");
    expect((await notes())[0]).toEqual(["open", { note: "A verb" }, { note: "Ours" }]);
  });
});

describe("skep note", () => {
  const file = "app_en.arb";

  it("sets what it names, and shows it where it names nothing", async () => {
    const set = [
      "note",
      `${file}:open`,
      "On the button",
      "--max-length",
      "12",
      "--max-length-unit",
      "columns",
      "--tag",
      "menu,start",
      "--keep",
    ];
    const [command = "", ...args] = set;
    expect(await app.run(command, ...args)).toMatchObject({ code: 0 });
    expect(await app.run("note", `${file}:open`, "--ask", "Which button?", "--no-keep")).toMatchObject({
      code: 0,
    });
    expect(await app.run("note", `${file}:open`)).toMatchObject({
      code: 0,
      stdout:
        `${file}: open\n  team note: On the button\n  team ask: Which button?\n  team max_length: 12\n` +
        "  team max_length_unit: columns\n  team tags: menu, start\n  app note: A verb\n",
    });
    await app.run("note", `${file}:open`, "", "--max-length", "0", "--tag", "", "--ask", "");
    expect((await notes())[0]).toEqual(["open", { note: "A verb" }, null]);
    const { stdout } = await app.run("note", `${file}:close`, "--json");
    expect(JSON.parse(stdout)).toEqual({ hive: "web", branch: null, file, key: "close", is_changed: false });
  });

  it.each([
    [1, [`${file}:nope`], "web has no string nope in app_en.arb"],
    [1, [`${file}:nope`, "x"], "web has no string nope in app_en.arb"],
    [2, [file], "Give a key with its file"],
    [2, [`${file}:open`, "--max-length", "x"], "It must be a whole number"],
    [2, [`${file}:open`, "--max-length-unit", "x"], "Allowed choices are characters, columns"],
  ] as const)("ends with %i for %j", async (code, args, problem) => {
    const ended = await app.run("note", ...args);
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(problem)]);
  });
});

describe("what goes out to translators", () => {
  beforeEach(async () => {
    const about = { description: "A verb", placeholders: {}, "x-maxLength": 9 };
    app.write({ "lib/app_en.arb": arb("", { "@open": about }) });
    await app.run("push");
    await app.run("note", "app_en.arb:open", "=Ours\n<b>", "--tag", "menu");
  });

  it("has the notes, the team's first", async () => {
    const csv = await app.run("untranslated", "fr", "--csv");
    expect(csv.stdout).toContain(
      `app_en.arb,open,Open,,missing,"'=Ours\n<b>\nA verb\nAt most 9 characters."\r\n`,
    );
    const xliff = await app.run("untranslated", "fr", "--xliff", "--tag", "menu");
    expect(xliff.stdout).toContain("<note>=Ours\n&lt;b&gt;</note>\n        <note>A verb</note>");
    expect(xliff.stdout).not.toContain("Close");
    const po = await app.run("untranslated", "fr", "--po");
    expect(po.stdout).toContain(
      '#. =Ours\n#. <b>\n#. A verb\n#. At most 9 characters.\nmsgctxt "app_en.arb: open"\nmsgid "Open"\nmsgstr ""\n',
    );
  });

  it("leaves out what is to be kept, which a pull that fills gaps writes all the same", async () => {
    await app.run("note", "app_en.arb:open", "--keep");
    await app.translate("fr", { "app_en.arb": { close: "Fermer" } });
    expect((await app.run("untranslated", "fr", "--json")).stdout).toContain('"texts": []');
    await app.run("pull", "--missing", "source");
    expect(JSON.parse(app.read("lib/app_fr.arb"))).toMatchObject({ open: "Open", close: "Fermer" });
  });
});

describe("skep note list", () => {
  it("lists the notes of the app and of the team", async () => {
    const { data } = (await request({ url: app.url }, app.token, "GET", "/api/hives/web/notes")).json;
    const [{ file }] = data;
    const { code, stdout } = await app.run("note list");
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^FILE +KEY +NOTE +QUESTION +TAGS\n\S+ +open +A verb\n$/),
    ]);
    await app.run("note edit", `${file}:close`, "Of a window", "--ask", "Why?", "--tag", "menu,dialog");
    expect((await app.run("note list", "--tag", "menu")).stdout).toMatch(
      /^\S+ +close +Of a window +Why\? +menu, dialog$/m,
    );
    const json = JSON.parse((await app.run("note list", "--file", file, "--json")).stdout);
    expect(json).toEqual(
      (await request({ url: app.url }, app.token, "GET", "/api/hives/web/notes")).json.data,
    );
  });

  it("a change needs something to change, and skep note alone shows its help", async () => {
    expect(await app.run("note edit", "app.arb:close")).toMatchObject({
      code: 2,
      stderr: "skep: Give a text, or a flag with what is to change.\n",
    });
    for (const name of ["note", "style"])
      expect(await app.run(name)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: skep /) });
  });
});
