/** Reads the commits of a push from quarantine, and checks each before it can be seen. */
import { skepCommitter } from "../../domain/commits/commit-message.ts";
import { failure, Issues } from "../../domain/errors.ts";
import { readmePath } from "../../domain/hives/hive-readme.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { Oid } from "../../domain/names.ts";
import { readPushedFile } from "../../domain/pushes/pushed-file.ts";
import { counted } from "../../domain/text.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import { parseFullCommit, type FullCommit } from "../../git/objects/commit-text.ts";
import { findUnreachable } from "../../git/serve/reachable.ts";
import { inSlices } from "../../slices.ts";
import { localesFolder } from "../content/locale-files.ts";
import { PushedTrees, type ChangedBlob, type PushScope } from "./pushed-tree.ts";

/** What is asked of the commits of a push. */
export interface PushCheck {
  readonly gitdir: string;
  /** Reads the objects in quarantine, and those of the repository. */
  readonly repo: BareRepo;
  /** The objects that the client has sent. */
  readonly sent: ReadonlySet<Oid>;
  /** Objects of the repository that some of them are sent as differences to. */
  readonly bases: ReadonlySet<Oid>;
  /** See {@link Unpacked}. */
  readonly newCommits: (tip: Oid, limit: number) => Promise<readonly Oid[]>;
  /** The last pushed commit. */
  readonly tip: Oid;
  readonly scope: PushScope;
  readonly sourceLocale: LocaleCode;
  readonly signal: AbortSignal;
}

/** The commits of a push that may become visible. */
export interface PushedCommits {
  /** How many new commits there are. */
  readonly count: number;
  /** The commits below the new ones, which are visible already. */
  readonly below: readonly Oid[];
  /** The objects that the push needs and that have to be adopted. */
  readonly objects: readonly Oid[];
}

/** How many new commits one push may have, and how many parents each. */
const maxCommits = 1_000;
const maxParents = 8;
const maxReadmeBytes = 65_536;
/** How many of the files that are found wrong are read, before the rest is left alone. */
const enoughIssues = 50;

/**
 * Checks all commits of a push that no ref reaches yet.
 * @throws SkepError `invalid` with what is wrong in them; `malformed` when something that they need was not sent; the signal's reason.
 */
export async function checkPushedCommits(check: PushCheck): Promise<PushedCommits> {
  try {
    return await new CommitCheck(check).run();
  } catch (error) {
    if (!(error instanceof UnreadablePath)) throw error;
    throw failure("malformed", `This push cannot be read: ${error.message}.`, { cause: error });
  }
}

class CommitCheck {
  readonly #check: PushCheck;
  readonly #issues = new Issues();
  readonly #trees: PushedTrees;
  readonly #commits = new Map<Oid, FullCommit>();
  /** The commits below the new ones. */
  readonly #below = new Set<Oid>();
  readonly #readable = new Set<string>();

  constructor(check: PushCheck) {
    this.#check = check;
    this.#trees = new PushedTrees(check.repo, check.scope, this.#issues);
  }

  async run(): Promise<PushedCommits> {
    const { sent, bases } = this.#check;
    await this.#readCommits();
    for (const commit of this.#commits.values()) {
      this.#check.signal.throwIfAborted();
      const parents = await Promise.all(commit.parents.map((oid) => this.#treeOf(oid)));
      for (const changed of await this.#trees.check(commit.tree, parents)) await this.#checkBlob(changed);
    }
    this.#issues.throwIfAny();
    const needed = [...this.#trees.objects];
    await this.#requireVisible(new Set([...bases, ...needed.filter((oid) => !sent.has(oid))]));
    const objects = [...this.#commits.keys(), ...needed].filter((oid) => sent.has(oid));
    return { count: this.#commits.size, below: [...this.#below], objects: [...new Set(objects)] };
  }

  /** Reads the new commits, and finds what lies below them. A client may send what the Hive shows already. */
  async #readCommits(): Promise<void> {
    const { repo, sent, tip, newCommits } = this.#check;
    const found = new Set(await newCommits(tip, maxCommits + 1));
    if (found.size > maxCommits) {
      throw failure("too-large", `A push may have no more than ${counted(maxCommits, "new commit")}.`);
    }
    if (found.size === 0) this.#below.add(tip);
    for (const oid of found) {
      if (!sent.has(oid)) throw notSent();
      const commit = await repo.readAs(oid, "commit", parseFullCommit);
      const { parents, committer } = commit;
      const name = `commit ${oid.slice(0, 10)}`;
      if (parents.length === 0) this.#issues.add(name, "has no parent: it begins another history");
      if (parents.length > maxParents) this.#issues.add(name, `has more than ${maxParents} parents`);
      if (committer.email === skepCommitter.email) this.#issues.add(name, "names Skep as its committer");
      this.#commits.set(oid, commit);
      for (const parent of parents) if (!found.has(parent)) this.#below.add(parent);
    }
    this.#issues.throwIfAny();
  }

  /** Objects that are named and were not sent must not be found out by naming them, nor copied from. */
  async #requireVisible(oids: ReadonlySet<Oid>): Promise<void> {
    const { gitdir, signal } = this.#check;
    const missing = await findUnreachable(gitdir, oids, signal);
    if (missing === undefined || missing.size > 0) throw notSent();
  }

  async #treeOf(oid: Oid): Promise<Oid> {
    return (this.#commits.get(oid) ?? (await this.#check.repo.readCommit(oid))).tree;
  }

  /** Each file must be one that can be read; whether it is canonical matters in the last commit alone. */
  async #checkBlob({ path, oid }: ChangedBlob): Promise<void> {
    const { repo, sourceLocale } = this.#check;
    const isSource = path.startsWith(`${localesFolder}/${sourceLocale}/`);
    const kind = path === readmePath ? "readme" : isSource ? "source" : "translations";
    if (this.#readable.has(`${kind} ${oid}`) || this.#issues.count >= enoughIssues) return;
    this.#readable.add(`${kind} ${oid}`);
    const bytes = await repo.readBlob(oid, path);
    if (kind === "readme") this.#checkReadme(bytes);
    else await inSlices(readPushedFile({ path, bytes }, isSource, this.#issues), this.#check.signal);
  }

  #checkReadme(bytes: Uint8Array): void {
    if (bytes.byteLength > maxReadmeBytes) {
      this.#issues.add(readmePath, `is larger than ${maxReadmeBytes} bytes`);
    } else if (!isPlainText(bytes)) {
      this.#issues.add(readmePath, "is not plain text in UTF-8");
    }
  }
}

function isPlainText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return !/(?![\t\n\r])\p{Cc}/u.test(text);
  } catch {
    return false;
  }
}

function notSent(): Error {
  return failure(
    "malformed",
    "This push needs objects that it does not have and that this Hive does not show.",
  );
}
