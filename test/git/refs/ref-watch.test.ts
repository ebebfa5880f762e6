import { execFileSync } from "node:child_process";
import nodeFs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { RefWatch } from "../../../src/git/refs/ref-watch.ts";
import { eventually } from "../../helpers/eventually.ts";
import { realFolder } from "../../helpers/storage.ts";

/** Asks until the watch says that nothing has changed: stats of the last moments are not trusted. */
const settled = (watch: RefWatch): Promise<void> =>
  eventually(async () => expect(await watch.hasChanged()).toBe(false));

it("a move of any ref by git is noticed, and afterwards there is nothing to notice", async () => {
  const gitdir = join(realFolder(), "web.git");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", gitdir, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
  const watch = new RefWatch(new DurableFs(nodeFs), gitdir);
  await settled(watch);

  execFileSync("git", ["init", "-q", "--bare", "-b", "main", gitdir]);
  const tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
  execFileSync("git", ["-C", gitdir, "hash-object", "-t", "tree", "-w", "--stdin"], { input: "" });
  const commitOf = (message: string): string =>
    git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit-tree", "-m", message, tree);
  const [one, two] = [commitOf("one"), commitOf("two")];
  expect(await watch.hasChanged()).toBe(true);
  await settled(watch);

  const moves: readonly (readonly string[])[] = [
    ["update-ref", "refs/heads/main", one],
    ["update-ref", "refs/heads/main", two],
    ["update-ref", "refs/heads/deep/er/branch", one],
    ["update-ref", "refs/heads/deep/er/branch", two],
    ["update-ref", "refs/heads/deep/er/other", two],
    ["tag", "v1", one],
    ["pack-refs", "--all"],
    ["update-ref", "refs/heads/deep/er/branch", one],
    ["update-ref", "-d", "refs/heads/deep/er/branch"],
    ["update-ref", "-d", "refs/tags/v1"],
  ];
  for (const move of moves) {
    git(...move);
    expect(await watch.hasChanged(), move.join(" ")).toBe(true);
    await settled(watch);
  }
  nodeFs.rmSync(gitdir, { recursive: true });
  expect(await watch.hasChanged()).toBe(true);
  await settled(watch);
});
