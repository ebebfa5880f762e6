/** `skep log`, `show` and `undo`, at a server and on a storage. */
import { describe, expect, it } from "vitest";
import { placed, places } from "../../helpers/process.ts";

/** A storage with a Hive of three commits and a branch with one more, and how a command works on it. */
async function filled(place: (typeof places)[number]) {
  const { run, send } = await placed(place);
  await send("POST", "/strings", { files: { "a.php": { a: "One" } } });
  await send("POST", "/tags", { name: "v1" });
  await send("POST", "/strings", { files: { "a.php": { a: "Two" } } });
  await send("POST", "/branches", { name: "next" });
  await send("POST", "/strings?branch=next", { files: { "a.php": { b: "New" } } });
  const log = async (...args: readonly string[]) => {
    const { stdout } = await run("log", "web", "--json", ...args);
    const commits: readonly { commit: string; subject: string; author: { name: string } }[] =
      JSON.parse(stdout);
    return commits;
  };
  return { run, log };
}

describe.each(places)("the history of a Hive on a %s", (place) => {
  it("is listed, also of a branch, of a key and since a tag", async () => {
    const { run, log } = await filled(place);
    const all = await log();
    expect(all.map(({ subject }) => subject.replace(/:.*/, ""))).toEqual([
      "Import source strings",
      "Import source strings",
      "Create Hive web with the locales en, fr",
    ]);
    expect(await log("--limit", "1")).toEqual(all.slice(0, 1));
    expect(await log("--since", "v1")).toEqual(all.slice(0, 1));
    expect(await log("--branch", "next", "--since", "main")).toHaveLength(1);
    const ofKey = await run("log", "web", "--key", "a", "--limit", "1");
    expect(ofKey).toMatchObject({
      stdout: expect.stringContaining("[-One-]{+Two+}"),
      stderr: "Showed 1 of 2 commits; --limit shows more.\n",
    });
    expect((await run("log", "web", "--since", "v9")).stderr).toMatch(/^skep: --since: .*v9/);
    expect(await run("log", "web", "--until", "2000-01-01")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "No commit matches.\n",
    });
  });

  it("shows what one commit changed", async () => {
    const { run } = await filled(place);
    for (const revision of ["HEAD", "main"])
      expect((await run("show", "web", revision)).stdout).toContain("[-One-]{+Two+}");
    expect((await run("show", "web", "HEAD", "--branch", "next")).stdout).toContain("{+New+}");
    const { commit, data } = JSON.parse((await run("show", "web", "v1", "--json")).stdout);
    expect(commit.subject).toBe("Import source strings: 1 created");
    expect(data).toEqual([{ locale: "en", file: "a.php", key: "a", before: null, after: "One" }]);
    expect(await run("show", "web", "0".repeat(40))).toMatchObject({ code: 5, stdout: "" });
  });

  it("is taken back, after a dry run", async () => {
    const { run, log } = await filled(place);
    const [last] = await log();
    const undo = ["undo", "web", last?.commit ?? ""];
    const dry = await run(...undo, "--dry-run");
    expect(dry.stdout).toBe(
      "Dry run: nothing was written. Restored 0 texts, updated 1, deleted 0, skipped 0.\n",
    );
    expect(await log()).toHaveLength(3);
    expect((await run(...undo)).stdout).toBe("Restored 0 texts, updated 1, deleted 0, skipped 0.\n");
    const [undone, ...others] = await log();
    expect(others).toHaveLength(3);
    expect(undone?.author.name === "skep cli").toBe(place === "storage");
    const again = await run("undo", "web", "HEAD", "--json");
    expect(JSON.parse(again.stdout)).toEqual({ restored: 0, updated: 1, deleted: 0, skipped: 0 });
    const first = others.at(-1)?.commit ?? "";
    expect(await run("undo", "web", first)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^skep: <commit>: .* is the first commit/),
    });
  });
});
