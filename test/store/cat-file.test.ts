/** Readers of packs share few processes. */
import { execFileSync } from "node:child_process";
import { expect, it, onTestFinished, vi } from "vitest";
import { isOid, type Oid } from "../../src/domain/names.ts";
import { CatFile } from "../../src/store/cat-file.ts";
import { realFolder } from "../helpers/storage.ts";

function repositoryWithBlob(): { readonly gitdir: string; readonly blob: Oid } {
  const gitdir = realFolder();
  const git = (input: string, ...args: readonly string[]): string =>
    execFileSync("git", ["--git-dir", gitdir, ...args], { encoding: "utf8", input }).trim();
  git("", "init", "-q", "--bare");
  const blob = git("text", "hash-object", "-w", "--stdin");
  if (!isOid(blob)) throw new Error(`git hash-object gave ${blob}`);
  return { gitdir, blob };
}

it("a process that nobody asks anything makes way for another repository's at once", async () => {
  const { gitdir, blob } = repositoryWithBlob();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const read = async (): Promise<string | undefined> => (await new CatFile(gitdir).read(blob))?.type;
  expect(await Promise.all(Array.from({ length: 4 }, read))).toEqual(Array(4).fill("blob"));
  const others = Promise.all([read(), read()]);
  vi.advanceTimersByTime(20);
  expect(await others).toEqual(["blob", "blob"]);
}, 10_000);
