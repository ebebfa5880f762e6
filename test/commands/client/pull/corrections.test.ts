/** `skep pull` of translations that were corrected in the app's files. */
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../../helpers/app-tree.ts";
import { git } from "../../../helpers/process.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const path = "lang/fr/a.json";

let app: AppTree;

async function commit(): Promise<void> {
  await git(app.folder, "add", "lang");
  await git(app.folder, "commit", "-q", "--allow-empty", "-m", "x");
}

beforeEach(async () => {
  app = await makeApp({ patterns: ["lang/{locale}/*.json"] });
  app.write({ "lang/en/a.json": json({ a: "A" }) });
});

describe("with a pushed commit", () => {
  // The text of the file at the pushed commit, one that an earlier pull wrote, the file's, and the Hive's.
  it.each<{
    base?: string;
    pulled?: string;
    here?: string;
    hive?: string;
    result: Record<"plain" | "mine" | "theirs", string | undefined>;
    kept?: true;
  }>([
    { base: "X", here: "X", hive: "X", result: { plain: "X", mine: "X", theirs: "X" } },
    { base: "X", here: "X", hive: "Z", result: { plain: "Z", mine: "Z", theirs: "Z" } },
    { base: "X", here: "Y", hive: "X", result: { plain: "Y", mine: "Y", theirs: "X" }, kept: true },
    { base: "X", here: "Y", hive: "Z", result: { plain: "Y", mine: "Y", theirs: "Z" }, kept: true },
    { base: "X", here: "Z", hive: "Z", result: { plain: "Z", mine: "Z", theirs: "Z" } },
    { base: "X", pulled: "P", here: "P", hive: "Z", result: { plain: "Z", mine: "Z", theirs: "Z" } },
    {
      base: "X",
      pulled: "P",
      here: "Y",
      hive: "Z",
      result: { plain: "Y", mine: "Y", theirs: "Z" },
      kept: true,
    },
    { pulled: "P", here: "P", hive: "Z", result: { plain: "Z", mine: "Z", theirs: "Z" } },
    { here: "Y", hive: "Z", result: { plain: "Y", mine: "Y", theirs: "Z" }, kept: true },
    { base: "X", here: "", hive: "Z", result: { plain: "Z", mine: "Z", theirs: "Z" } },
    // A placeholder that a pull with --missing=source wrote.
    { here: "A", hive: "Z", result: { plain: "Z", mine: "Z", theirs: "Z" } },
    { base: "X", here: "Y", result: { plain: "Y", mine: "Y", theirs: "Y" } },
  ])(
    "$base, then $pulled, then $here here and $hive there",
    async ({ base, pulled, here, hive, result, kept }) => {
      const write = (text: string | undefined) =>
        text !== undefined && app.write({ [path]: json({ a: text }) });
      await git(app.folder, "init", "-q", "-b", "main");
      write(base);
      await commit();
      expect(await app.run("push")).toMatchObject({ code: 0 });
      if (hive !== undefined && base !== undefined) await app.translate("fr", { "a.json": { a: base } });
      if (pulled !== undefined) {
        await app.translate("fr", { "a.json": { a: pulled } });
        expect(await app.run("pull")).toMatchObject({ code: 0 });
        expect(app.read(path)).toBe(json({ a: pulled }));
      }
      if (hive !== undefined) await app.translate("fr", { "a.json": { a: hive } });
      for (const flag of ["plain", "mine", "theirs"] as const) {
        write(here);
        await commit();
        const { code, stderr } = await app.run("pull", ...(flag === "plain" ? [] : [`--${flag}`]));
        expect({ flag, code, text: JSON.parse(app.read(path)).a }).toEqual({
          flag,
          code: 0,
          text: result[flag],
        });
        const line = `${path}: a: corrected here, and kept: "${here}"; the Hive has "${hive}".\n`;
        if (kept === true && flag === "plain") expect(stderr).toContain(line);
        else expect(stderr).not.toMatch(/corrected/);
      }
      write(here);
      const { files } = JSON.parse((await app.run("pull", "--json", "--dry-run")).stdout);
      const listed = files.flatMap(({ corrected }: { corrected: unknown[] }) => corrected);
      expect(listed).toEqual(kept === true ? [{ key: "a", here, hive }] : []);
    },
  );

  it("sends what was kept by a push with --overwrite", async () => {
    await git(app.folder, "init", "-q", "-b", "main");
    app.write({ [path]: json({ a: "X" }) });
    await commit();
    await app.run("push", "--translations");
    app.write({ [path]: json({ a: "Y" }) });
    expect((await app.run("pull")).stderr).toContain("skep push --translations --overwrite sends");
    expect(await app.run("push", "--translations", "--overwrite")).toMatchObject({ code: 0 });
    expect(await app.texts("fr")).toEqual({ "a.json": { a: "Y" } });
    expect((await app.run("pull")).stderr).toBe("");
  });
});

it.each([
  ["outside of git", undefined],
  ["in git without a commit", "init"],
  ["without a push", "commit"],
])("says once that corrections are unknown: %s", async (_, state) => {
  await app.sync({ "a.json": { a: "A", b: "B", c: "C" } });
  app.write({ "lang/en/a.json": json({ a: "A", b: "B", c: "C" }), [path]: json({ a: "X", b: "Y", c: "P" }) });
  await app.translate("fr", { "a.json": { c: "P" } });
  if (state !== undefined) await git(app.folder, "init", "-q", "-b", "main");
  if (state === "commit") await commit();
  await app.translate("fr", { "a.json": { a: "Z", b: "Z", c: "Z" } });
  expect(await app.run("pull", "--mine")).toMatchObject({ code: 0, stderr: "" });
  expect(app.read(path)).toBe(json({ a: "X", b: "Y", c: "Z" }));
  expect(await app.run("pull")).toMatchObject({
    code: 0,
    stderr:
      "2 translations may have been corrected here, and the Hive has other texts, which are taken: " +
      "no pushed commit of the app is known. --mine keeps those of the files.\n",
  });
  expect(app.read(path)).toBe(json({ a: "Z", b: "Z", c: "Z" }));
});
