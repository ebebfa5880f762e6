/** The installed git as a stream, which ends with whoever reads it. */
import { expect, it } from "vitest";
import { streamGit } from "../../../src/git/process/git-stream.ts";
import { git } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

it("a stream of git's output ends when the signal fires, however much there is", async () => {
  const folder = realFolder();
  await git(folder, "init", "--bare", "--quiet");
  const lines = Array<string>(200_000).fill("0".repeat(40));
  const caller = new AbortController();
  const output = await streamGit(folder, ["cat-file", "--batch-check"], lines, caller.signal);
  let pieces = 0;
  const reading = (async () => {
    for await (const _ of output ?? []) if (++pieces === 2) caller.abort(new Error("gone"));
  })();
  await expect(reading).rejects.toThrow("gone");
  await expect(streamGit(folder, ["rev-list", "--all"], [], caller.signal)).rejects.toThrow("gone");
});
