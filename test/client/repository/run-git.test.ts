import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readBlobs } from "../../../src/client/repository/commits.ts";
import { runGit } from "../../../src/client/repository/run-git.ts";
import { git } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

/** A repository that lacks a file of its commit, and a program that leaves a mark. */
async function prepared() {
  const folder = realFolder();
  const [mark, program] = [join(folder, "mark"), join(folder, "program")];
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  writeFileSync(join(folder, "app.json"), "{}\n");
  await git(folder, "init", "-q");
  await git(folder, "add", "app.json");
  await git(folder, "commit", "-q", "-m", "x");
  const blob = (await git(folder, "rev-parse", "HEAD:app.json")).trim();
  rmSync(join(folder, ".git/objects", blob.slice(0, 2)), { recursive: true });
  return { folder, mark, program, blob };
}

const promisor = (url: string): readonly (readonly [string, string])[] => [
  ["core.repositoryFormatVersion", "1"],
  ["extensions.partialClone", "origin"],
  ["remote.origin.promisor", "true"],
  ["remote.origin.url", url],
];

describe("git in an app's folder", () => {
  it.each<[string, (program: string) => readonly (readonly [string, string])[]]>([
    [
      "a remote that is a command",
      (program) => [...promisor(`ext::${program}`), ["protocol.ext.allow", "always"]],
    ],
    [
      "a command for ssh",
      (program) => [
        ...promisor("ssh://localhost/x"),
        ["core.sshCommand", program],
        ["protocol.allow", "always"],
      ],
    ],
    [
      "a command of the other side",
      (program) => [
        ...promisor("file:///x"),
        ["remote.origin.uploadpack", program],
        ["protocol.allow", "always"],
      ],
    ],
    ["a monitor of files", (program) => [["core.fsmonitor", program]]],
  ])("runs nothing that the repository names as %s", async (_, settings) => {
    const { folder, mark, program, blob } = await prepared();
    for (const [name, value] of settings(program)) await git(folder, "config", name, value);
    await expect(readBlobs(folder, [blob])).rejects.toThrow(/git cat-file/);
    await runGit(folder, ["status", "--porcelain"]).catch(() => "");
    expect(existsSync(mark)).toBe(false);
  });

  it("says what to do where a clone lacks files", async () => {
    const { folder, blob } = await prepared();
    for (const [name, value] of promisor("https://localhost/x")) await git(folder, "config", name, value);
    await expect(readBlobs(folder, [blob])).rejects.toThrow("git fetch --refetch --no-filter");
  });
});
