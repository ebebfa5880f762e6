/** Pushes that are made without git, and sent without a socket. */
import type { Author } from "../../../src/domain/commits/commit-message.ts";
import type { Oid } from "../../../src/domain/names.ts";
import type { BareRepo } from "../../../src/git/bare-repo.ts";
import { toCommit, toGitObject } from "../../../src/git/objects/git-object.ts";
import { changeTree } from "../../../src/git/objects/tree.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { appOn } from "../storage.ts";
import { packObjects } from "./packs.ts";
import { pushOf } from "./pushes.ts";

const anna: Author = { name: "Anna", email: "anna@example.org" };

export interface NewCommit {
  /** The branch as it will be called, such as `refs/heads/feature`. */
  readonly ref: string;
  /** The commit that it is based on. */
  readonly parent: Oid;
  /** Where the branch is said to be; its parent by default. */
  readonly before?: Oid | undefined;
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** What git would send to bring a branch to a new commit that changes some files. */
export async function makePush(repo: BareRepo, { ref, parent, before, files }: NewCommit): Promise<Buffer> {
  const { tree, time } = await repo.readCommit(parent);
  const blobs = Object.entries(files).map(([path, text]) => [path, toGitObject("blob", text)] as const);
  const paths = new Map(blobs.map(([path, { oid }]) => [path, oid]));
  const changed = changeTree(await repo.readTree(tree), paths);
  const who = { author: anna, committer: anna, time, message: "By hand\n" };
  const commit = toCommit({ tree: changed.tree.oid, parents: [parent], ...who });
  const objects = [...blobs.map(([, blob]) => blob), ...changed.objects, commit];
  return pushOf([{ ...(before && { before }), after: commit.oid, ref }], packObjects(objects));
}

/** Sends pushes to the Hive `web` of a storage. */
export function pusherOn(
  storage: Storage,
  token: string,
): { readonly send: (body: Uint8Array) => Promise<Response>; readonly logged: readonly unknown[] } {
  const { app, logged } = appOn(storage);
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
