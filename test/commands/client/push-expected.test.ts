/** `skep push --translations --expected`: replaces translations that nobody else has changed. */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { git } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const push = ["--translations", "--expected", "HEAD"];

let app: AppTree;
/** The repository of the app, from the first test. */
let committed: string | undefined;

beforeEach(async () => {
  app = await makeApp({ patterns: ["lang/{locale}/*.json"] });
  app.write({
    "lang/en/a.json": json({ a: "A", b: "B", c: "C", d: "D" }),
    "lang/fr/a.json": json({ a: "un", b: "deux", gone: "x" }),
  });
  await app.run("push", "--translations");
  if (committed === undefined) {
    await git(app.folder, "init", "-q", "-b", "main");
    await git(app.folder, "add", "lang");
    await git(app.folder, "commit", "-q", "-m", "x");
    cpSync(join(app.folder, ".git"), (committed = realFolder()), { recursive: true });
  } else cpSync(committed, join(app.folder, ".git"), { recursive: true });
});

it("sends changes since the commit, and keeps changes of others", async () => {
  await app.translate("fr", { "a.json": { b: "theirs", d: "quatre" } });
  app.write({ "lang/fr/a.json": json({ a: "UN", b: "deux", c: "trois", d: "quatre", gone: "y" }) });
  const dry = await app.run("push", ...push, "--dry-run");
  expect(dry.stdout).toContain("fr: 1 created, 1 updated, 1 skipped");
  const { code, stdout, stderr } = await app.run("push", ...push);
  expect(code).toBe(0);
  expect(stdout).toContain("fr: 1 created, 1 updated, 1 skipped");
  expect(stderr).toContain("fr: no source string for a.json: gone.");
  expect(await app.texts("fr")).toEqual({ "a.json": { a: "UN", b: "theirs", c: "trois", d: "quatre" } });
});

it("shows both texts of a conflict, and sends nothing of the locale", async () => {
  await app.translate("fr", { "a.json": { b: "theirs", c: "drei" } });
  app.write({ "lang/fr/a.json": json({ a: "UN", b: "mine", c: "trois" }) });
  for (const more of [[], ["--dry-run"], ["--strict"]]) {
    expect(await app.run("push", ...push, ...more)).toEqual({
      code: 4,
      stdout: "",
      stderr:
        'skep: a.json: b: "mine" here, "theirs" in the Hive\nskep: a.json: c: "trois" here, "drei" in the Hive\n' +
        "skep: fr: 2 translations changed both here and in the Hive, so none was sent. Pull, settle them, and push again.\n",
    });
  }
  expect(await app.texts("fr")).toEqual({ "a.json": { a: "un", b: "theirs", c: "drei" } });
});

it.each<[string, string | undefined]>([
  ["removed", json({ b: "deux" })],
  ["emptied", json({ a: "", b: "deux" })],
  ["the only ones of a file that is gone", undefined],
])("sends translations that are %s, also without another change", async (_, file) => {
  await app.translate("fr", { "a.json": { c: "theirs" } });
  if (file === undefined) rmSync(join(app.folder, "lang/fr/a.json"));
  else app.write({ "lang/fr/a.json": file });
  const count = file === undefined ? 2 : 1;
  const dry = await app.run("push", ...push, "--dry-run");
  expect(dry.stdout).toContain(`fr: 0 created, 0 updated, ${count} removed, 0 skipped`);
  expect(await app.texts("fr")).toEqual({ "a.json": { a: "un", b: "deux", c: "theirs" } });
  const { code, stdout } = await app.run("push", ...push);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${count} removed`)]);
  const left = file === undefined ? { c: "theirs" } : { b: "deux", c: "theirs" };
  expect(await app.texts("fr")).toEqual({ "a.json": left });
  expect((await app.run("push", ...push)).stdout).not.toContain("removed");
});

it("removes and sends in one command, and leaves translations of deleted strings to the sync", async () => {
  app.write({ "lang/en/a.json": json({ a: "A", c: "C" }), "lang/fr/a.json": json({ c: "trois" }) });
  expect((await app.run("push", ...push, "--dry-run")).stdout).toContain(
    "fr: 1 created, 0 updated, 1 removed",
  );
  expect((await app.run("push", ...push)).stdout).toContain("fr: 1 created, 0 updated, 1 removed");
  expect(await app.texts("fr")).toEqual({ "a.json": { c: "trois" } });
});

it("removes no translation that others changed, and shows both texts", async () => {
  await app.translate("fr", { "a.json": { a: "theirs" } });
  app.write({ "lang/fr/a.json": json({ b: "DEUX" }) });
  expect(await app.run("push", ...push)).toEqual({
    code: 4,
    stdout: "",
    stderr:
      'skep: a.json: a: none here, "theirs" in the Hive\n' +
      "skep: fr: 1 translation changed both here and in the Hive, so none was sent. Pull, settle them, and push again.\n",
  });
  expect(await app.texts("fr")).toEqual({ "a.json": { a: "theirs", b: "deux" } });
});

it("is refused without translations, and for a commit that git does not know", async () => {
  expect(await app.run("push", "--expected", "HEAD")).toMatchObject({ code: 2 });
  const { code, stderr } = await app.run("push", "--translations", "--expected", "nope");
  expect([code, stderr]).toEqual([2, expect.stringContaining('--expected: git knows no commit "nope"')]);
});
