/** `skep translate`, with commands that answer well and badly. */
import { beforeEach, describe, expect, it } from "vitest";
import { HiveApi } from "../../../src/client/api/hive-api.ts";
import { HttpClient } from "../../../src/client/api/http.ts";
import { transportFor } from "../../../src/client/api/transport.ts";
import { translate, type TranslateReport } from "../../../src/client/translate/translate.ts";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { request } from "../../helpers/process.ts";

const source = {
  "a.json": { hello: "Hello {name}", bye: "Bye", open: "Open" },
  "b.json": { z: "Z" },
};
let app: AppTree;

beforeEach(async () => {
  app = await makeApp({
    patterns: ["{ path: 'lang/{locale}.json' }"],
    locales: ["fr"],
    abilities: ["read", "write", "approve"],
  });
  await app.sync(source);
});

/** A script that answers each line by an expression over `item`, and prints whatever else is told. */
function model(answer: string, more = ""): string {
  app.write({
    "model.mjs": `import { readFileSync } from "node:fs";
const items = readFileSync(0, "utf8").trim().split("\\n").map((line) => JSON.parse(line));
const forms = (item, change) => Object.fromEntries(item.forms.map(({ form, source }) => [form, change(source)]));
${more}
for (const item of items.reverse()) {
  const answer = ${answer};
  if (answer !== undefined) console.log(JSON.stringify({ file: item.file, key: item.key, ...answer }));
}
`,
  });
  return `"${process.execPath}" ${app.folder}/model.mjs`;
}

const run = (command: string, ...flags: readonly string[]) =>
  app.run("translate", "fr", "--with", command, ...flags);
const call = async (path: string) => (await request(app, app.token, "GET", `/api/hives/web${path}`)).json;
const claims = async () => (await call("/work")).data;

describe("skep translate", () => {
  it("has a command translate what is missing, and says so in the history", async () => {
    await app.translate("fr", { "a.json": { open: "Ouvrir" } });
    const command = model("{ forms: forms(item, (text) => `[${item.locale}] ${text}`) }");
    const { code, stdout, stderr } = await run(command, "--model", "my-model", "--batch", "2");
    expect([code, stdout, stderr]).toEqual([0, "fr: 3 saved.\n", ""]);
    expect(await app.texts("fr")).toEqual({
      "a.json": { hello: "[fr] Hello {name}", bye: "[fr] Bye", open: "Ouvrir" },
      "b.json": { z: "[fr] Z" },
    });
    const [last, one] = (await call("/history?origin=model")).data;
    expect([last.origin, one.origin.name]).toEqual([
      { kind: "model", name: "my-model", prompt: null },
      "my-model",
    ]);
    expect(await claims()).toEqual([]);
    // Nothing is left: the command is not even started.
    expect((await run("exit 1")).stdout).toBe("fr: 0 saved.\n");
  });

  it("warns of noise and of strings that it did not give, and takes the first answer", async () => {
    const command = model(
      "{ forms: forms(item, (text) => text) }",
      `console.log("thinking"); console.log('{"file":"a.json","key":"nope","forms":{"other":"x"}}');
       for (const { file, key, forms: [{ source }] } of items) console.log(JSON.stringify({ file, key, forms: { other: "first " + source } }));`,
    );
    const { code, stdout, stderr } = await run(command);
    expect([code, stdout]).toEqual([0, "fr: 4 saved.\n"]);
    expect((await app.texts("fr"))["b.json"]).toEqual({ z: "first Z" });
    expect(stderr).toContain('line "thinking" is no answer: it names no file and key');
    expect(stderr).toContain("is about a string that it was not given");
    expect(stderr).toContain("1 more lines of the command are passed over.");
  });

  it("gives refused strings back once, with the reasons and what was answered", async () => {
    const wrong = "forms(item, (text) => text.replace('{name}', '{you}'))";
    const better = `item.refused?.code === "check_failed" && item.refused.forms.other === "Hello {you}" && item.refused.findings.length > 0`;
    const learning = await run(model(`{ forms: ${better} ? forms(item, (text) => text) : ${wrong} }`));
    expect([learning.code, learning.stdout]).toEqual([0, "fr: 4 saved.\n"]);
    await app.sync({ ...source, "a.json": { ...source["a.json"], other: "Other {name}" } });
    const stubborn = await run(model(`{ forms: ${wrong} }`), "--json");
    expect([stubborn.code, JSON.parse(stubborn.stdout)]).toEqual([
      3,
      expect.objectContaining({
        counts: {},
        refused: [{ file: "a.json", key: "other", message: expect.stringContaining("{you}") }],
        unanswered: [],
      }),
    ]);
    expect(await claims()).toEqual([]);
  });

  it("saves what a command answered before it failed, and goes on the next time", async () => {
    const half = model(
      `item.file === "b.json" ? { forms: forms(item, (text) => text) } : undefined`,
      "process.exitCode = 4",
    );
    const failed = await run(half);
    expect([failed.code, failed.stdout]).toEqual([1, "fr: 1 saved, 3 without an answer.\n"]);
    expect(failed.stderr).toContain("model.mjs ended with exit code 4.");
    expect([await app.texts("fr"), await claims()]).toMatchObject([{ "b.json": { z: "Z" } }, []]);
    const silent = await run("cat >/dev/null");
    expect([silent.code, silent.stdout]).toEqual([3, "fr: 0 saved, 3 without an answer.\n"]);
    const rest = await run(model("{ forms: forms(item, (text) => text) }"));
    expect([rest.code, rest.stdout]).toEqual([0, "fr: 3 saved.\n"]);
  });

  it("takes questions and skipped strings", async () => {
    const answer = `item.key === "bye" ? { ask: "A noun?" } : { skip: "too hard" }`;
    const { code, stdout } = await run(model(answer));
    expect([code, stdout]).toEqual([0, "fr: 0 saved, 3 skipped, 1 asked.\n"]);
    expect((await run("exit 1")).code).toBe(0);
  });

  it("has a command look at what waits, with --review", async () => {
    await app.manage("PATCH", "/locales/fr", { review: "all" });
    await app.translate("fr", { "a.json": { bye: "Au revoir", open: "Ouvert" } });
    const answer = `item.key === "open" ? { reject: "Not a verb" } : { approve: true }`;
    const { code, stdout } = await run(model(answer), "--review");
    expect([code, stdout]).toEqual([0, "fr: 0 saved, 1 approved, 1 rejected.\n"]);
    expect([await app.texts("fr"), (await call("/review")).data]).toMatchObject([
      { "a.json": { bye: "Au revoir" } },
      [],
    ]);
  });

  it("counts what there is to do, and starts and claims nothing, with --dry-run", async () => {
    await app.translate("fr", { "a.json": { hello: "Salut {nom}" } });
    const { code, stdout } = await run("exit 1", "--dry-run");
    expect([code, stdout]).toEqual([0, "Dry run: 4 texts to do in fr.\n"]);
    expect((await run("exit 1", "--dry-run", "--review", "--json")).stdout).toContain('"texts": 0');
    expect(await claims()).toEqual([]);
  });

  it.each([
    // The team has no engine.
    [[], 1],
    [["--engine", "nope"], 1],
    [["--with", "true", "--engine", "nope"], 2],
    [["--want", "review"], 2],
    [["--model", "m"], 2],
    [["--with", "true", "--batch", "201"], 2],
    [["--with", "true", "--max-items", "0"], 2],
    [["--with", "true", "--hive", "nope"], 5],
  ])("ends with an exit code for wrong arguments: %j", async (flags, code) => {
    expect((await app.run("translate", "fr", ...flags)).code).toBe(code);
  });

  it("refuses a locale that the Hive does not have", async () => {
    expect((await app.run("translate", "xx", "--with", "true")).code).toBe(1);
  });
});

describe("the work of a command", () => {
  const open = async (): Promise<HiveApi> => {
    const transport = await transportFor({});
    return new HiveApi(new HttpClient({ server: app.url, token: app.token, transport }), "web");
  };

  /** Works with a function in place of a command; `sizes` is how many strings each run had. */
  async function work(
    answer: (item: { file: string; key: string }, run: number) => object | undefined,
    {
      before = async () => {},
      ...options
    }: { before?: () => Promise<void>; batch?: number; maxItems?: number } = {},
  ): Promise<{ readonly report: TranslateReport; readonly sizes: readonly number[] }> {
    const sizes: number[] = [];
    const all = { locale: "fr", sourceLocale: "en", want: ["missing"], batch: 25, maxItems: Infinity };
    const report = await translate(
      await open(),
      { ...all, model: "m", claimSeconds: 600, ...options },
      {
        warn: () => {},
        progress: () => {},
        run: async (lines) => {
          sizes.push(lines.length);
          await before();
          const items = lines.map((line): { file: string; key: string } => JSON.parse(line));
          return {
            failure: undefined,
            lines: items.flatMap(({ file, key }) => {
              const given = answer({ file, key }, sizes.length);
              return given === undefined ? [] : [JSON.stringify({ file, key, ...given })];
            }),
          };
        },
      },
    );
    return { report, sizes };
  }

  const right = ({ key }: { key: string }) => ({ forms: { other: key === "hello" ? "{name}" : "x" } });

  it("leaves the texts of somebody who was faster, and of changed source texts", async () => {
    let isFirst = true;
    const { report } = await work(right, {
      before: async () => {
        if (!isFirst) return;
        isFirst = false;
        await app.translate("fr", { "a.json": { bye: "theirs" } });
        await app.sync({ ...source, "b.json": { z: "Another" } });
      },
    });
    expect(report.counts).toEqual({ conflict: 1, source_changed: 1, saved: 3 });
    expect([report.refused, report.unanswered]).toEqual([[], []]);
    expect(await app.texts("fr")).toMatchObject({ "a.json": { bye: "theirs" }, "b.json": { z: "x" } });
  });

  it("stops at the budget", async () => {
    const { report, sizes } = await work(right, { batch: 2, maxItems: 3 });
    expect([sizes, report.counts, report.left]).toEqual([[2, 1], { saved: 3 }, 1]);
  });

  it("asks nobody twice who does not answer, and ends", async () => {
    const { report, sizes } = await work(() => undefined, { batch: 2 });
    expect([sizes, report.unanswered.length, report.counts]).toEqual([[2, 2], 4, {}]);
    expect(await claims()).toEqual([]);
  });

  it("runs refused strings alone once more", async () => {
    const { report, sizes } = await work((item, n) =>
      item.key === "hello" && n === 1 ? { forms: { other: "{nom}" } } : right(item),
    );
    expect([sizes, report.counts, report.refused]).toEqual([[4, 1], { saved: 4 }, []]);
  });

  it("takes malformed answers for none", async () => {
    const bad = [{ forms: {} }, { forms: { other: 1 } }, { reject: " " }, { skip: "x".repeat(1001) }];
    let next = 0;
    const { report } = await work(() => bad[next++]);
    expect([report.unanswered.length, report.refused]).toEqual([4, []]);
  });
});
