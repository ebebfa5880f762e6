/** One run of the installed git, and what ends it early. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { GitEnded, runGit } from "../../../src/git/process/installed-git.ts";
import { eventually } from "../../helpers/eventually.ts";
import { holdLimit } from "../../helpers/limits/held-limit.ts";
import { git } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

/** A git that runs as long as the shell that it starts. */
const running = (script: string): readonly string[] => ["-c", `alias.run=!${script}`, "run"];

/** Waits until such a script says that it runs, by a file in its repository. */
const begun = (folder: string) => eventually(() => expect(existsSync(join(folder, "begun"))).toBe(true));

async function repository(): Promise<string> {
  const folder = realFolder();
  await git(folder, "init", "--bare", "--quiet");
  return folder;
}

it("a git that fails gives its exit code and its complaint", async () => {
  const result = await runGit(await repository(), ["cat-file", "-e", "0".repeat(40)]);
  expect(result?.code).toBeGreaterThan(0);
  expect(await runGit(await repository(), ["no-such-command"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("'no-such-command' is not a git command"),
  });
});

it("a git that runs into its time limit is killed with everything it started, if it does not end when asked", async () => {
  const folder = await repository();
  const timeLimitMs = 54_000;
  const limit = holdLimit(timeLimitMs);
  const script = running("trap '' TERM; touch begun; sleep 600");
  const ending = runGit(folder, script, { leadsGroup: true, timeLimitMs });
  await begun(folder);
  await limit.pass();
  await expect(ending).rejects.toThrow(GitEnded);
  await expect(ending).rejects.toMatchObject({ isLate: true });
});

it("a git is ended by its caller's signal, and is not started after it", async () => {
  const caller = new AbortController();
  const folder = await repository();
  const script = running("touch begun; sleep 600");
  const ending = runGit(folder, script, { leadsGroup: true, signal: caller.signal });
  await begun(folder);
  caller.abort(new Error("gone"));
  await expect(ending).rejects.toMatchObject({
    isLate: false,
    message: expect.stringContaining("was ended"),
  });
  await expect(runGit(await repository(), ["version"], { signal: caller.signal })).rejects.toThrow("gone");
});
