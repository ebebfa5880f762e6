/** Creates, lists, deletes and restores branches of a Hive. */
import { createHash } from "node:crypto";
import {
  isBranchName,
  mainBranch,
  toBranchName,
  unknownBranch,
  type BranchName,
} from "../../domain/commits/branch-name.ts";
import type { Author } from "../../domain/commits/commit-message.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { hasExpired, keptUntil } from "../../domain/deletion-time.ts";
import { invalid } from "../../domain/errors.ts";
import { localesOf } from "../../domain/hives/hive-settings.ts";
import { codeOf } from "../../domain/hives/locale.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import { compareBytes } from "../../domain/text.ts";
import type { WriteContext } from "../../store/hives/write-context.ts";
import type { Versioned } from "./queries.ts";
import type { ContentStorage, OperationsStorage, Storage, StorageBase } from "../storage.ts";

export interface BranchRequest {
  readonly name: string;
  /** A revision; HEAD of main when undefined. */
  readonly from?: string;
}

export interface Branch {
  readonly name: BranchName;
  readonly commit: Oid;
  /** The merge base with main; undefined when they have no common commit. */
  readonly base: Oid | undefined;
  /** How many commits only the branch has, and only main. */
  readonly ahead: number;
  readonly behind: number;
  /** How many texts differ from the base, by the locale's code; locales without any are left out. */
  readonly changedKeys: ReadonlyMap<string, number>;
  /** When the last commit was made, in seconds since 1970, and by whom. */
  readonly time: number;
  readonly author: Author;
}

/**
 * Creates a branch. No object is written.
 * @throws SkepError `invalid` on `name` or `from`; `conflict` when the name is taken or cannot be stored beside another;
 * `quota` when the Hive has as many branches as it may.
 */
export async function createBranch(
  storage: ContentStorage,
  slug: HiveSlug,
  request: BranchRequest,
  context: WriteContext,
): Promise<Branch> {
  const { hives, writer, limits } = storage;
  const name = toBranchName(request.name);
  // Before the lock is taken, because it may read the history.
  const from = request.from === undefined ? undefined : await resolve(storage, slug, request.from);
  const described = from && (await describe(storage, slug, name, from, hives.at(slug).head()));
  return writer.changeBranches(slug, context, async (branches, lock) => {
    const main = hives.at(slug).head();
    const next = from ?? main;
    // Read first: once the branch is there, nothing may fail.
    const branch = described ?? (await describe(storage, slug, name, next, main));
    await branches.create(name, { next, lock }, limits.maxBranches);
    return branch;
  });
}

async function resolve({ hives }: StorageBase, slug: HiveSlug, from: string): Promise<Oid> {
  const lookup = { tip: hives.at(slug).head() };
  return (await hives.at(slug).revisions.resolve(toRevision(from, "from"), "from", lookup)).commit;
}

/** The branches of a Hive besides main with their commits, by name in byte order. */
async function branchTips(
  { hives }: StorageBase,
  slug: HiveSlug,
): Promise<readonly (readonly [BranchName, Oid])[]> {
  const tips = [...(await hives.at(slug).branches.list())].filter(([name]) => name !== mainBranch);
  return tips.toSorted(([a], [b]) => compareBytes(a, b));
}

/** The names of the branches of a Hive besides main, in byte order. */
export async function branchNames(storage: StorageBase, slug: HiveSlug): Promise<readonly BranchName[]> {
  return (await branchTips(storage, slug)).map(([name]) => name);
}

/** The branches of a Hive besides main, by name in byte order. */
export async function listBranches(
  storage: StorageBase,
  slug: HiveSlug,
  { signal, ...paging }: OffsetLimit & { readonly signal?: AbortSignal },
): Promise<Versioned<Page<Branch>>> {
  const main = storage.hives.at(slug).head();
  const all = await branchTips(storage, slug);
  const read = async (): Promise<Page<Branch>> => {
    const branches: Branch[] = [];
    const { entries, total } = pageOf(all, paging);
    for (const [name, commit] of entries) {
      branches.push(await describe(storage, slug, name, commit, main, signal));
    }
    return { entries: branches, total };
  };
  return { commit: main, version: versionOf([main, all]), read };
}

/** One branch. @throws SkepError `not-found` when there is none of that name. */
export function showBranch(
  storage: StorageBase,
  slug: HiveSlug,
  text: string,
  signal?: AbortSignal,
): Versioned<Branch> {
  const { hives } = storage;
  const name = toKnownBranch(text);
  const main = hives.at(slug).head();
  const commit = hives.at({ slug, branch: name }).head();
  const read = (): Promise<Branch> => describe(storage, slug, name, commit, main, signal);
  return { commit, version: versionOf([main, name, commit]), read };
}

/** A version of a result: a hash of what it is made from. */
export function versionOf(basis: unknown): string {
  return createHash("sha1").update(JSON.stringify(basis)).digest("hex");
}

/**
 * Deletes a branch, which can be restored for a while.
 * @returns until when, in milliseconds since 1970.
 * @throws SkepError `not-found` when there is none of that name; `invalid` on `name` for main; `quota` when there are too
 * many deleted ones.
 */
export function deleteBranch(
  storage: ContentStorage & OperationsStorage,
  slug: HiveSlug,
  text: string,
  context: WriteContext,
): Promise<number> {
  if (text === mainBranch) throw invalid("branch", "main cannot be deleted");
  const place = { slug, branch: toKnownBranch(text) };
  const { hives, writer, limits, now } = storage;
  return writer.changeBranches(place, context, async (branches, lock) => {
    const deleted = await storage.lifecycle.timeOfDeletion(place);
    const options = { deleted, now: now(), limit: limits.maxBranches, lock };
    await branches.delete(place.branch, hives.at(place).head(), options);
    return keptUntil(deleted);
  });
}

/** A deleted branch that can be restored. Times are in milliseconds since 1970. */
export interface RestorableBranch {
  readonly name: BranchName;
  readonly deleted: number;
  readonly until: number;
}

/** The deleted branches that {@link restoreBranch} restores, the last deleted one first. */
export async function restorableBranches(
  { hives, now }: StorageBase,
  slug: HiveSlug,
): Promise<readonly RestorableBranch[]> {
  const kept = (await hives.at(slug).branches.deleted()).filter(({ deleted }) => !hasExpired(deleted, now()));
  // Of several of one name, the last one is restored.
  return kept
    .filter(({ name }, i) => kept.findIndex((other) => other.name === name) === i)
    .map(({ name, deleted }) => ({ name, deleted, until: keptUntil(deleted) }));
}

/**
 * Restores the branch of a name that was deleted last.
 * @throws SkepError `not-found` when none is left; as {@link createBranch}.
 */
export async function restoreBranch(
  storage: ContentStorage,
  slug: HiveSlug,
  text: string,
  context: WriteContext,
): Promise<Branch> {
  const name = toKnownBranch(text);
  const { hives, writer, limits, now } = storage;
  const before = await hives.at(slug).branches.lastDeleted(name, now());
  const described = await describe(storage, slug, name, before.commit, hives.at(slug).head());
  return writer.changeBranches(slug, context, async (branches, lock) => {
    const deleted = await branches.lastDeleted(name, now());
    const isSame = deleted.commit === before.commit;
    const branch = isSame
      ? described
      : await describe(storage, slug, name, deleted.commit, hives.at(slug).head());
    await branches.restore(deleted, { limit: limits.maxBranches, lock });
    return branch;
  });
}

/** The name of a branch that may exist. @throws SkepError `not-found` for what cannot be a name. */
export function toKnownBranch(text: string): BranchName {
  if (!isBranchName(text)) throw unknownBranch(text);
  return text;
}

async function describe(
  { hives }: StorageBase,
  slug: HiveSlug,
  name: BranchName,
  commit: Oid,
  main: Oid,
  signal?: AbortSignal,
): Promise<Branch> {
  const revisions = hives.at(slug).revisions;
  const { time, author } = await revisions.history.readCommit(commit);
  // A new branch does not need the history to be read.
  const compared =
    commit === main
      ? { base: main, ahead: 0, behind: 0 }
      : await revisions.graph.compare(commit, main, signal);
  const changed =
    compared.ahead === 0
      ? new Map<string, number>()
      : await changedKeys({ hives }, slug, { from: compared.base, to: commit }, signal);
  return { name, commit, ...compared, changedKeys: changed, time, author };
}

/** How many texts of each locale differ between two commits, by the codes that the locales have now. */
export async function changedKeys(
  { hives }: Pick<Storage, "hives">,
  slug: HiveSlug,
  commits: { readonly from: Oid | undefined; readonly to: Oid },
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const { settings } = await hives.at(slug).settings();
  const { history } = hives.at(slug).revisions;
  const counts = await history.countChanges(commits, settings.sourceLocale.code, signal);
  return new Map(
    localesOf(settings).flatMap((locale) => {
      const count = counts.get(locale.code);
      return count === undefined ? [] : [[codeOf(locale), count]];
    }),
  );
}
