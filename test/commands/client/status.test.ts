/** `skep status` and `skep diff`: the app's files beside the Hive. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HiveApi } from "../../../src/client/api/hive-api.ts";
import { runCommand } from "../../../src/commands/program.ts";
import type { Output } from "../../../src/commands/program/output.ts";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { realFolder } from "../../helpers/storage.ts";

const english = { home: "Home", bye: "Bye", hi: "Hi", new: "New" };
let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["locales/{locale}.json"], settings: "source: en\n" });
  app.write({ "locales/en.json": JSON.stringify(english) });
  await app.sync({ "en.json": english });
  await app.translate("fr", { "en.json": { home: "Accueil", bye: "Salut", hi: "Allô" } });
});

afterEach(() => void vi.unstubAllEnvs());

async function json(command: string, ...args: readonly string[]) {
  const { stdout } = await app.run(command, "--json", ...args);
  return JSON.parse(stdout);
}

describe("skep status", () => {
  it("shows the progress of a file, and texts that only one side has or that differ", async () => {
    // `new` is a gap that was filled with the source text, and `home` is empty: neither is a translation.
    app.write({ "locales/fr.json": JSON.stringify({ home: "", bye: "Ciao", new: "New", own: "À moi" }) });
    const { files, locales, source } = await json("status");
    expect(files[0]).toEqual({
      locale: "fr",
      file: "en.json",
      path: "locales/fr.json",
      percent: 75,
      missing: 1,
      stale: 0,
      failing: 0,
      same_as_source: 1,
      local: { ahead: 1, behind: 2, different: 1 },
    });
    expect(files[1]).toMatchObject({ locale: "pt_BR", percent: 0, missing: 4, local: null });
    expect(locales[0]).toEqual({
      locale: "fr",
      percent: 75,
      missing: 1,
      stale: 0,
      failing: 0,
      same_as_source: 1,
    });
    expect(source).toEqual([
      { file: "en.json", path: "locales/en.json", local: { ahead: 0, behind: 0, different: 0 } },
    ]);
  });

  it("says which missing texts the app has as they are in the source, and lets no gate pass for them", async () => {
    const french = { home: "Accueil", bye: "Bye", hi: "", new: "New" };
    app.write({ "locales/fr.json": JSON.stringify(french), "locales/pt_BR.json": '{"hi": "Hi"}' });
    const { stdout, stderr, code } = await app.run("status", "--fail-on-missing");
    expect(code).toBe(3);
    expect(stdout.split("\n")).toEqual([
      "37 % translated; 1 missing in fr, 4 missing in pt_BR; 1 file differs.",
      "fr      75 %  1 missing (1 here as in the source)",
      "pt_BR    0 %  4 missing (1 here as in the source)",
      "  locales/fr.json  2 behind",
      "",
    ]);
    expect(stderr).toContain(
      "2 missing texts are here the same as the source, and kept in the app: skep push --translations --same-as-source sends what is a translation all the same.",
    );
    await app.run("push", "--translations", "--same-as-source");
    expect((await json("status")).locales).toMatchObject([
      { locale: "fr", missing: 0, same_as_source: 0 },
      { locale: "pt_BR", missing: 3, same_as_source: 0 },
    ]);
  });

  it("begins with the answer for people, and names source strings that were not pushed and files without a pattern", async () => {
    app.write({ "locales/en.json": JSON.stringify({ ...english, home: "Start", more: "More" }) });
    await app.sync({ "mail.json": { subject: "Hello" } });
    const { code, stdout, stderr } = await app.run("status", "--locale", "fr");
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "60 % translated; 2 missing in fr; 3 files differ.",
        "fr   60 %  2 missing",
        "  locales/en.json  1 ahead, 1 different source strings",
        "  mail.json        in the Hive, but no pattern matches it",
        "  locales/fr.json  no file here",
        "",
      ].join("\n"),
    );
    expect(stderr).toBe("skep diff shows what differs.\n");
  });

  it("says in one line that all is done, and names files that only the Hive has texts for", async () => {
    await app.translate("fr", { "en.json": english });
    const pulled = "100 % translated; files as in the Hive.\nfr  100 %\n";
    expect((await app.run("status", "--locale", "fr")).stdout).toContain("; 1 file differs.\n");
    await app.run("pull", "--locale", "fr");
    expect(await app.run("status", "--locale", "fr")).toEqual({ code: 0, stdout: pulled, stderr: "" });
    // A pull would write no file.
    const { stdout } = await app.run("status", "--locale", "pt_BR");
    expect(stdout.split("\n")[0]).toBe("0 % translated; 4 missing in pt_BR; files as in the Hive.");
  });

  it("counts the locales where there are many, and has bars on a terminal", async () => {
    for (const code of ["de", "es"]) await app.manage("POST", "/locales", { code });
    await app.sync({ "en.json": { ...english, home: "Home page" } });
    app.write({ "locales/en.json": JSON.stringify({ ...english, home: "Home page" }) });
    vi.stubEnv("SKEP_TOKEN", app.token);
    let stdout = "";
    const to: Output = {
      stdout: { isTTY: true, columns: 40, write: (text) => (stdout += text) },
      stderr: { write: () => undefined },
    };
    await runCommand(["status", "--config", join(app.folder, "skep.yaml")], to);
    expect(stdout.split("\n")).toEqual([
      "12 % translated; 13 missing and 1 stale in 4 locales; 1 file differs.",
      "fr     █████░░░░░   50 %  1 missing and…",
      "pt_BR  ░░░░░░░░░░    0 %  4 missing",
      "de     ░░░░░░░░░░    0 %  4 missing",
      "es     ░░░░░░░░░░    0 %  4 missing",
      "  locales/fr.json  no file here",
      "",
    ]);
  });

  it.each([
    [["--fail-on-missing", "--locale", "fr"], "fr: 1 missing"],
    [["--fail-on-stale"], "fr: 1 stale"],
    [["--min", "95", "--locale", "fr"], "fr: 50 % of 95 % translated"],
    [["--min", "1"], "pt_BR: 0 % of 1 % translated"],
  ])("exits with 3 and gives the reason if it fails %j", async (args, reason) => {
    await app.sync({ "en.json": { ...english, home: "Home page" } });
    const { code, stderr, stdout } = await app.run("status", ...args);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^\d+ % translated; 1 missing and 1 stale in fr/);
    expect(stderr).toContain(`Not translated as required: ${reason}`);
  });

  it("counts several files without a list of their missing texts, and lists stale ones only where there are some", async () => {
    const list = vi.spyOn(HiveApi.prototype, "untranslated");
    const mail = { subject: "Hello", n_one: "{{count}} mail", n_other: "{{count}} mails", empty: "" };
    app.write({ "locales/mail/en.json": JSON.stringify(mail) });
    await app.sync({ "mail.json": mail });
    await app.translate("pt_BR", { "mail.json": { subject: "Olá" } });
    const counted = async () =>
      (await json("status")).files.map((file: object) => Object.values(file).slice(0, 6));
    expect(await counted()).toEqual([
      ["fr", "en.json", "locales/fr.json", 75, 1, 0],
      ["fr", "mail.json", null, 0, 3, 0],
      ["pt_BR", "en.json", "locales/pt_BR.json", 0, 4, 0],
      ["pt_BR", "mail.json", null, 33, 2, 0],
    ]);
    expect(list).not.toHaveBeenCalled();
    await app.sync({ "mail.json": { ...mail, subject: "Hello there" } });
    expect((await counted())[3]).toEqual(["pt_BR", "mail.json", null, 0, 2, 1]);
    expect(list.mock.calls).toEqual([["pt_BR", { states: "stale" }]]);
  });

  it("lists missing texts if the server expects other plural forms than the client", async () => {
    const list = vi.spyOn(HiveApi.prototype, "untranslated");
    await app.manage("POST", "/locales", { code: "pl" });
    await app.manage("PATCH", "", { plurals: "none" });
    await app.sync({ "mail.json": { n_one: "a", n_other: "b" } });
    await app.translate("pl", { "mail.json": { n_one: "jeden" } });
    const { files } = await json("status", "--locale", "pl");
    expect(files.map(({ missing }: { missing: number }) => missing)).toEqual([4, 1]);
    expect(list.mock.calls).toEqual([["pl", { states: "missing" }]]);
  });

  it("passes checks that are met", async () => {
    await app.translate("fr", { "en.json": { new: "Nouveau" } });
    const args = ["--fail-on-missing", "--fail-on-stale", "--min", "100", "--locale", "fr"];
    expect(await app.run("status", ...args)).toMatchObject({ code: 0 });
  });

  it("fails its checks if nothing was pushed", async () => {
    await app.sync({ "en.json": {} });
    const { code, stderr } = await app.run("status", "--fail-on-missing");
    expect(code).toBe(3);
    expect(stderr).toContain("web has no source strings");
  });

  it.each([
    ["101", "at most 100"],
    ["most", "whole number"],
  ])("refuses --min %s", async (text, problem) => {
    expect(await app.run("status", "--min", text)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(problem),
    });
  });

  it("shows a table in the job summary of GitHub Actions, and its error as an annotation", async () => {
    const summary = join(realFolder(), "summary");
    vi.stubEnv("GITHUB_STEP_SUMMARY", summary);
    vi.stubEnv("GITHUB_ACTIONS", "true");
    const { stderr } = await app.run("status", "--fail-on-missing", "--locale", "fr");
    expect(stderr).toContain("::error::Not translated as required: fr: 1 missing.");
    expect(readFileSync(summary, "utf8")).toBe(
      [
        "### Translations of web",
        "",
        "fr 75 % (1 missing)",
        "",
        "- Not as required: fr: 1 missing",
        "",
        "| LOCALE | TRANSLATED | MISSING | STALE | FAILING | FILE | LOCAL |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| fr | 75 % | 1 |  |  | locales/fr.json | no file here |",
        "",
        "",
      ].join("\n"),
    );
  });

  it("writes nothing", async () => {
    const before = [await app.texts("en"), await app.texts("fr")];
    await app.run("status");
    await app.run("diff");
    expect([await app.texts("en"), await app.texts("fr")]).toEqual(before);
    expect(app.has("locales/fr.json")).toBe(false);
  });
});

describe("skep diff", () => {
  it("shows key by key what a push and a pull would change", async () => {
    app.write({
      "locales/en.json": JSON.stringify({ home: "Home page", hi: "Hi", new: "New", more: "More" }),
      "locales/fr.json": JSON.stringify({ home: "Maison", own: "À moi" }),
    });
    const { code, stdout } = await app.run("diff", "--locale", "fr");
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "push locales/en.json: 1 created, 1 updated, 1 deleted",
        "  ~ home: Home{+ page+}",
        "  + more: {+More+}",
        "  - bye: [-Bye-]",
        "pull locales/fr.json: 2 created, 1 updated",
        "  ~ home: [-Maison-]{+Accueil+}",
        "  + bye: {+Salut+}",
        "  + hi: {+Allô+}",
        "",
      ].join("\n"),
    );
  });

  it("says that nothing differs, and has the exit codes of git diff", async () => {
    expect(await app.run("diff", "--exit-code", "--locale", "fr")).toMatchObject({ code: 1 });
    await app.run("pull");
    const { code, stdout } = await app.run("diff", "--exit-code");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "The files and web are the same.\n" });
    expect(await json("diff")).toEqual({
      hive: "web",
      branch: null,
      push: [],
      pull: [],
      unmatched: [],
      faults: [],
    });
  });
});

it("shows no progress in a Hive without strings", async () => {
  const empty = await makeApp({ patterns: ["lang/{locale}.json"], locales: ["fr"] });
  empty.write({ "lang/en.json": '{"a":"A"}' });
  const { stdout } = await empty.run("status");
  expect(stdout).toBe("Nothing to translate; 1 file differs.\nfr\n  lang/en.json  1 ahead source strings\n");
  expect(stdout).not.toContain("100 %");
  const report = JSON.parse((await empty.run("status", "--json")).stdout);
  expect(report.locales).toEqual([
    { locale: "fr", percent: null, missing: 0, stale: 0, failing: 0, same_as_source: 0 },
  ]);
  expect((await empty.run("status", "--min", "1")).code).toBe(3);
});
