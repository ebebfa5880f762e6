/** Reads the commits of a push from quarantine, and checks each before it can be seen. */
import { isUtf8 } from "node:buffer";
import { skepCommitter } from "../../domain/commits/commit-message.ts";
import { failure, Issues } from "../../domain/errors.ts";
import { readmePath } from "../../domain/hives/hive-readme.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { Oid } from "../../domain/names.ts";
import { readPushedFile, readPushedNotes } from "../../domain/pushes/pushed-file.ts";
import { counted } from "../../domain/text.ts";
import { UnreadablePath, BareRepo } from "../../git/bare-repo.ts";
import { headerLines } from "../../git/objects/commit-text.ts";
import { parseCommit, type CommitInfo } from "../../git/objects/git-object.ts";
import {
  type Unpacked,
  migrateObjects,
  inQuarantine,
  quarantinePath,
  type PushedPack,
  type QuarantineOptions,
} from "../../git/packs/quarantine.ts";
import { checkObjectSize } from "../../git/serve/check-pack.ts";
import { localesFolder } from "../content/locale-files.ts";
import { notesKind } from "../../domain/notes/notes-kind.ts";
import { PushedTrees, type ChangedBlob } from "./pushed-tree.ts";

export interface PushCheck extends Unpacked {
  /** Reads as {@link Unpacked.reader} does. */
  readonly repo: BareRepo;
  readonly tip: Oid;
  readonly locales: ReadonlySet<string>;
  readonly sourceLocale: LocaleCode;
  readonly limits: FileLimits;
  readonly signal: AbortSignal;
}

export interface FileLimits {
  readonly bytes: number;
  /** How many values, keys and groups it may hold. */
  readonly values: number;
}

/** The commits of a push that may become visible. */
export interface PushedCommits {
  readonly count: number;
  /** The commits below the new ones, which are visible already. */
  readonly below: readonly Oid[];
  /** The objects that the push needs, to be migrated out of quarantine. */
  readonly objects: readonly Oid[];
}

/** How many new commits one push may have, and how many parents each. */
const maxCommits = 1_000;
const maxParents = 8;
const maxReadmeBytes = 65_536;
/** After so many issues, no more files are read. */
const enoughIssues = 50;

/**
 * Checks all commits of a push that no ref reaches yet.
 * @throws SkepError `invalid` with all issues; `too-large`; `malformed` when an object that they need was not sent; the
 * signal's reason.
 */
async function checkPushedCommits(check: PushCheck): Promise<PushedCommits> {
  try {
    return await new CommitCheck(check).run();
  } catch (error) {
    if (!(error instanceof UnreadablePath)) throw error;
    throw failure("malformed", `This push cannot be read: ${error.message}.`, { cause: error });
  }
}

class CommitCheck {
  readonly #check: PushCheck;
  #issues = new Issues();
  readonly #commits = new Map<Oid, CommitInfo>();
  readonly #below = new Set<Oid>();
  readonly #readable = new Set<string>();

  constructor(check: PushCheck) {
    this.#check = check;
  }

  async run(): Promise<PushedCommits> {
    const { sent } = this.#check;
    for (const [oid, { type, size }] of sent) {
      if (type === "commit" || type === "tree" || type === "tag") checkObjectSize(type, size, oid);
    }
    await this.#readCommits();
    const { changed, objects: needed } = await this.#compareTrees();
    for (const one of changed) await this.#checkBlob(one);
    this.#issues.throwIfAny();
    const objects = new Set([...this.#commits.keys(), ...needed].filter((oid) => sent.has(oid)));
    return { count: this.#commits.size, below: [...this.#below], objects: [...objects] };
  }

  /**
   * Reads the new commits, and finds the visible commits below them. A client may also send commits that are visible.
   */
  async #readCommits(): Promise<void> {
    const { repo, sent, tip, visibleCommits, signal } = this.#check;
    const read = new Map<Oid, PushedCommit>();
    const named = new Set([tip]);
    // Iterating over a set includes what is added meanwhile.
    for (const oid of named) {
      signal.throwIfAborted();
      if (sent.get(oid)?.type !== "commit") continue;
      const commit = await repo.readAs(oid, "commit", (content) => parsePushedCommit(oid, content));
      read.set(oid, commit);
      for (const parent of commit.parents.slice(0, maxParents)) named.add(parent);
    }
    const visible = await visibleCommits(named);
    const found = new Set([tip]);
    for (const oid of found) {
      if (visible.has(oid)) {
        this.#below.add(oid);
        continue;
      }
      const commit = read.get(oid);
      if (commit === undefined) throw notSent();
      this.#commits.set(oid, commit);
      if (this.#commits.size > maxCommits) {
        throw failure("too-large", `A push may have no more than ${counted(maxCommits, "new commit")}.`);
      }
      for (const problem of commit.problems) this.#issues.add(`commit ${oid.slice(0, 10)}`, problem);
      for (const parent of commit.parents.slice(0, maxParents)) found.add(parent);
    }
    this.#issues.throwIfAny();
  }

  async #compareTrees(): Promise<
    Pick<PushedTrees, "objects"> & { readonly changed: readonly ChangedBlob[] }
  > {
    const { repo, sent, locales, signal, hiddenObjects } = this.#check;
    const treeOf = new Map(Array.from(this.#commits, ([oid, { tree }]) => [oid, tree]));
    const visible = new Set<Oid>();
    for (const oid of this.#below) {
      const { tree } = await repo.readCommit(oid);
      treeOf.set(oid, tree);
      visible.add(tree);
    }
    for (;;) {
      const trees = new PushedTrees({ repo, sent, visible, locales, issues: (this.#issues = new Issues()) });
      const changed: ChangedBlob[] = [];
      for (const { tree, parents } of this.#commits.values()) {
        signal.throwIfAborted();
        const before = parents.flatMap((oid) => treeOf.get(oid) ?? []);
        for (const one of await trees.check(tree, before)) changed.push(one);
      }
      const { objects, unknown } = trees;
      if (unknown.size === 0) return { objects, changed };
      if ((await hiddenObjects(unknown)).size > 0) throw notSent();
      for (const oid of unknown) visible.add(oid);
    }
  }

  /** Each file must be readable. Whether it is canonical matters only in the last commit, and is checked there. */
  async #checkBlob({ path, oid }: ChangedBlob): Promise<void> {
    const { repo, sent, sourceLocale, limits } = this.#check;
    const isSource = path.startsWith(`${localesFolder}/${sourceLocale}/`);
    const isNotes = path.startsWith(`${notesKind.folder}/`);
    const kind = path === readmePath ? "readme" : isNotes ? "notes" : isSource ? "source" : "translations";
    if (this.#readable.has(`${kind} ${oid}`) || this.#issues.count >= enoughIssues) return;
    this.#readable.add(`${kind} ${oid}`);
    const most = kind === "readme" ? maxReadmeBytes : limits.bytes;
    if ((sent.get(oid)?.size ?? 0) > most) {
      this.#issues.add(path, `is larger than ${most} bytes`);
      return;
    }
    const bytes = await repo.readBlob(oid, path);
    if (kind === "notes") await readPushedNotes({ path, bytes }, this.#issues, limits.values);
    else if (kind !== "readme") await readPushedFile({ path, bytes }, isSource, this.#issues, limits.values);
    else if (!isPlainText(bytes)) this.#issues.add(readmePath, "is not plain text in UTF-8");
  }
}

function isPlainText(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !/(?![\t\n\r])\p{Cc}/u.test(Buffer.from(bytes).toString("utf8"));
}

/** A commit, and the problems that make Skep refuse it if it is new. */
interface PushedCommit extends CommitInfo {
  readonly problems: readonly string[];
}

function parsePushedCommit(oid: Oid, content: Uint8Array): PushedCommit {
  const commit = parseCommit(oid, content);
  const problems: string[] = [];
  if (commit.parents.length === 0) problems.push("has no parent: it begins another history");
  if (commit.parents.length > maxParents) problems.push(`has more than ${maxParents} parents`);
  const lines = headerLines(content).map((line) => line.toLowerCase());
  // Another reader may take less of a line for the address, or another line.
  const committers = lines.filter((line) => line.startsWith("committer "));
  if (committers.join().replaceAll(/\s/g, "").includes(skepCommitter.email)) {
    problems.push("names Skep as its committer");
  }
  const isEncoded = lines.some((line) => /^encoding(?! utf-?8$)/.test(line));
  if (isEncoded || !isUtf8(content)) problems.push("is not in UTF-8; see git config i18n.commitEncoding");
  return { ...commit, problems };
}

function notSent(): Error {
  return failure(
    "malformed",
    "This push needs objects that it does not have and that this Hive does not show.",
  );
}

export interface PushedObjects {
  /** Reads them, and the objects of the Hive. */
  readonly repo: BareRepo;
  /** See {@link checkPushedCommits}. */
  readonly check: (check: Omit<PushCheck, "repo" | "signal" | keyof Unpacked>) => Promise<PushedCommits>;
  /** See {@link migrateObjects}. */
  readonly migrate: (oids: readonly Oid[]) => Promise<void>;
}

/**
 * Puts a pushed pack into quarantine while a function runs. The caller holds the Hive's lock for pushes; the lock for
 * commits is another one, and may only be taken inside it.
 * @param into.repo receives the objects that are migrated out of quarantine.
 * @throws as {@link inQuarantine}.
 */
export function receivePush<T>(
  { repo: target, ...into }: QuarantineOptions & { readonly repo: BareRepo },
  pack: PushedPack,
  run: (pushed: PushedObjects) => Promise<T>,
): Promise<T> {
  return inQuarantine(into, pack, (unpacked) => {
    const repo = new BareRepo(into.fs, quarantinePath(into.gitdir), unpacked.reader);
    return run({
      repo,
      check: (check) => checkPushedCommits({ ...check, ...unpacked, repo, signal: pack.signal }),
      migrate: (oids) => migrateObjects(unpacked, oids, (objects) => target.writeObjects(objects)),
    });
  });
}
