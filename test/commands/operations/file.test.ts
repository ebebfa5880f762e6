/** `skep file`, whose files are named by the query. */
import { describe, expect, it } from "vitest";
import { placed, places } from "../../helpers/process.ts";

/** A storage with a Hive of two files, and how a command works on it. */
async function filled(place: (typeof places)[number]) {
  const { run, send, on } = await placed(place, ["admin"]);
  const files = { "admin/menu.php": { a: "A", b: "B" }, "a.php": { a: "A", b: "B" } };
  await send("POST", "/strings", { files });
  await send("POST", "/translations/fr", { files: { "a.php": { a: "x" } } });
  await send("PATCH", "", { max_deletions: 1 });
  return { run: (...args: readonly string[]) => run("file", ...args), on };
}

describe.each(places)("files of a Hive on a %s", (place) => {
  it("are deleted when that is confirmed", async () => {
    const { run, on } = await filled(place);
    const asked = await run("delete", "web", "a.php");
    expect([asked.code, asked.stderr]).toEqual([
      2,
      `skep: Delete the file a.php${on}? Add --yes to do it.\n`,
    ]);
    const deleted = await run("delete", "web", "a.php", "--max-deletions", "2", "--yes");
    expect(deleted.stdout).toBe(
      `Deleted the file a.php${on}. Strings deleted with it: 2; translations: 1.\n`,
    );
    const again = await run("remove", "web", "a.php", "--yes");
    expect([again.code, again.stderr]).toEqual([5, 'skep: This Hive has no file "a.php".\n']);
    expect((await run("remove", "web", "admin/menu.php")).code).toBe(2);
  });

  it("are kept where they have more strings than a token may delete, which is no limit for the owner", async () => {
    const { run } = await filled(place);
    const limited = await run("delete", "web", "admin/menu.php", "--max-deletions", "1", "--yes");
    expect([limited.code, limited.stderr]).toEqual([2, expect.stringMatching(/^skep: --max-deletions: /)]);
    const usual = await run("delete", "web", "admin/menu.php", "--yes", "--json");
    if (place === "server") expect(usual.code).toBe(2);
    else expect(JSON.parse(usual.stdout)).toEqual({ deleted: 2, translations_deleted: 0 });
  });

  it("are looked for in the Hive that is named", async () => {
    const { run } = await filled(place);
    expect((await run("delete", "nope", "a.php", "--yes")).code).toBe(5);
    expect((await run("delete", "web")).stderr).toContain("missing required argument 'file'");
  });
});
