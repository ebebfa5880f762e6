/** Pushes that are made without git, and sent without a socket. */
import nodeFs from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { toBranchName } from "../../../src/domain/commits/branch-name.ts";
import type { Author } from "../../../src/domain/commits/commit-message.ts";
import { toHiveSlug, type Oid } from "../../../src/domain/names.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import {
  parseTree,
  toCommit,
  toGitObject,
  type GitObject,
  type RawTreeEntry,
} from "../../../src/git/objects/git-object.ts";
import { changeTree } from "../../../src/git/objects/tree.ts";
import { updateHive } from "../../../src/service/admin/hives.ts";
import { openLocalStorage, type Storage } from "../../../src/service/storage.ts";
import { appOn, byCommand, harness, makeHive, makeToken, realFolder } from "../storage.ts";
import { hiddenText, wayToFile, type PushBase } from "./hostile-change.ts";
import { packObjects } from "./packs.ts";
import { pushOf } from "./pushes.ts";

const anna: Author = { name: "Anna", email: "anna@example.org" };

export interface NewCommit {
  /** The branch as it will be called, such as `refs/heads/feature`. */
  readonly ref: string;
  /** The commit that it is based on. */
  readonly parent: Oid;
  /** Where the branch is said to be; its parent by default. */
  readonly before?: Oid;
  /** Texts by path; undefined to remove the file. */
  readonly files: Readonly<Record<string, string | undefined>>;
}

/** The objects of a commit that changes some files; the commit is the last one. */
async function objectsByHand(
  repo: BareRepo,
  parent: Oid,
  files: NewCommit["files"],
): Promise<readonly [commit: Oid, objects: readonly GitObject[]]> {
  const { tree, time } = await repo.readCommit(parent);
  const blobs: GitObject[] = [];
  const paths = new Map<string, Oid | undefined>();
  for (const [path, text] of Object.entries(files)) {
    const blob = text === undefined ? undefined : toGitObject("blob", text);
    if (blob !== undefined) blobs.push(blob);
    paths.set(path, blob?.oid);
  }
  const changed = changeTree(await repo.readTree(tree), paths);
  const who = { author: anna, committer: anna, time, message: "By hand\n" };
  const commit = toCommit({ tree: changed.tree.oid, parents: [parent], ...who });
  return [commit.oid, [...blobs, ...changed.objects, commit]];
}

/** What git would send to bring a branch to a new commit that changes some files. */
export async function makePush(repo: BareRepo, { ref, parent, before, files }: NewCommit): Promise<Buffer> {
  const [after, objects] = await objectsByHand(repo, parent, files);
  return pushOf([{ ...(before && { before }), after, ref }], packObjects(objects));
}

/** Changes some files of a branch by a commit past Skep, as who has access to the repository can. */
export async function commitByHand(
  gitdir: string,
  files: NewCommit["files"],
  branch = "main",
): Promise<void> {
  const repo = new BareRepo(new DurableFs(nodeFs), gitdir);
  const ref = repo.branches.ref(toBranchName(branch));
  const expected = ref.read();
  const [next, objects] = await objectsByHand(repo, expected, files);
  await repo.writeObjects(objects);
  await ref.update({ expected, next });
}

/** Sends pushes to the Hive `web` of a storage. */
export function pusherOn(
  storage: Storage,
  token: string,
  options: Parameters<typeof appOn>[1] = {},
): { readonly send: (body: Uint8Array) => Promise<Response>; readonly logged: readonly unknown[] } {
  const { app, logged } = appOn(storage, options);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/x-git-receive-pack-request",
    host: "localhost",
  };
  const address = "http://localhost/hives/web.git/git-receive-pack";
  const send = async (body: Uint8Array): Promise<Response> =>
    app.fetch(new Request(address, { method: "POST", headers, body: Buffer.from(body) }));
  return { send, logged };
}

/** A Hive on the disk that takes pushes, and what they are made from. */
export async function setUpHostile() {
  const folder = realFolder();
  const storage = openLocalStorage(folder);
  await makeHive(storage, "web", { locales: ["fr", "de"] });
  await updateHive(storage, toHiveSlug("web"), { push: "all" }, byCommand);
  const token = await makeToken(storage);
  const { call } = harness(storage, token);
  const files = { "app.json": { title: "Hello" } };
  expect((await call("PUT", "/api/hives/web/strings", { body: { files } })).status).toBe(200);
  const texts = { files: { "app.json": { title: "Bonjour" } } };
  expect((await call("POST", "/api/hives/web/translations/fr", { body: texts })).status).toBe(200);
  const repo = join(folder, "hives/web.git");
  return { storage, repo, token, base: await baseOf(repo) };
}

/** What pushes are made from, and a file that no ref reaches. */
async function baseOf(gitdir: string): Promise<PushBase> {
  const repo = new BareRepo(new DurableFs(nodeFs), gitdir);
  const hidden = toGitObject("blob", hiddenText);
  await repo.writeObjects([hidden]);
  const main = repo.main.read();
  let { tree } = await repo.readCommit(main);
  const folders: (readonly RawTreeEntry[])[] = [];
  for (const name of [...wayToFile, undefined]) {
    const entries = await repo.readAs(tree, "tree", parseTree);
    folders.push(entries);
    tree = entries.find((entry) => entry.name === name)?.oid ?? tree;
  }
  return { main, hidden: hidden.oid, folders };
}
