/** Readers of packs share few processes. */
import { execFileSync } from "node:child_process";
import nodeFs, { chmodSync, writeFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { BareRepo, UnreadablePath } from "../../../src/git/bare-repo.ts";
import { looseObjectPath } from "../../../src/git/objects/loose.ts";
import { isOid, type Oid } from "../../../src/domain/names.ts";
import type * as catFile from "../../../src/git/process/cat-file.ts";
import { eventually } from "../../helpers/eventually.ts";
import { importOwn } from "../../helpers/own-module.ts";
import { realFolder } from "../../helpers/storage.ts";

const { CatFile } = await importOwn<typeof catFile>(import.meta.url, "../../../src/git/process/cat-file.ts");

function repositoryWithBlob(): { readonly gitdir: string; readonly blob: Oid } {
  const gitdir = realFolder();
  const git = (input: string, ...args: readonly string[]): string =>
    execFileSync("git", ["--git-dir", gitdir, ...args], { encoding: "utf8", input }).trim();
  git("", "init", "-q", "--bare");
  const blob = git("text", "hash-object", "-w", "--stdin");
  if (!isOid(blob)) throw new Error(`git hash-object gave ${blob}`);
  return { gitdir, blob };
}

it("an open cat-file process is asked for loose objects, and for none that it cannot read", async () => {
  const { gitdir, blob } = repositoryWithBlob();
  const asked: Oid[] = [];
  const reader = new CatFile(gitdir);
  const packs = {
    read: (oid: Oid) => (asked.push(oid), reader.read(oid)),
    get isOpen() {
      return reader.isOpen;
    },
    release: () => reader.release(),
  };
  const repo = new BareRepo(new DurableFs(nodeFs), gitdir, packs);
  expect(Buffer.from(await repo.readBlob(blob, "a file")).toString()).toBe("text");
  expect(asked).toEqual([]);

  await reader.read(blob);
  expect(Buffer.from(await repo.readBlob(blob, "a file")).toString()).toBe("text");
  expect(asked).toEqual([blob]);

  const path = looseObjectPath(gitdir, blob);
  chmodSync(path, 0o600);
  writeFileSync(path, "damaged");
  await expect(repo.readBlob(blob, "a file")).rejects.toBeInstanceOf(UnreadablePath);
  repo.releasePacks();
  await eventually(() => expect(reader.isOpen).toBe(false));
});

it("an idle cat-file process makes way for another repository's", async () => {
  const { gitdir, blob } = repositoryWithBlob();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const readers = Array.from({ length: 12 }, () => new CatFile(gitdir));
  const read = (some: typeof readers) =>
    Promise.all(some.map(async (reader) => (await reader.read(blob))?.type));
  const [first, second, third] = [readers.slice(0, 4), readers.slice(4, 8), readers.slice(8)];
  const blobs = Array(4).fill("blob");
  expect(await read(first)).toEqual(blobs);

  // It may be between two questions, unless its reading has come to its end.
  const next = read(second);
  vi.advanceTimersByTime(100);
  expect(await next).toEqual(blobs);
  for (const reader of second) reader.release();
  expect(await read(third)).toEqual(blobs);
});
