/** Takes in what came through `git push`: one commit of Skep's that merges the pushed ones, and is told key by key. */
import { subjectWithCounts, type ChangeMetadata } from "../../domain/commits/commit-message.ts";
import { failure, isFailure, Issues, type TextFault } from "../../domain/errors.ts";
import { groupBy } from "../../domain/group-by.ts";
import { readmePath } from "../../domain/hives/hive-readme.ts";
import { localesOf, shownCodes } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import type { AmbiguousMove } from "../../domain/moves/detection.ts";
import { findClashes, type FileName, type Oid } from "../../domain/names.ts";
import { planMerge } from "../../domain/plans/merge.ts";
import type { NotedContent } from "../../domain/notes/merge-notes.ts";
import { pushConflict } from "../../domain/pushes/push-conflict.ts";
import { readPushedContent, type PushedContent } from "../../domain/pushes/pushed-content.ts";
import { addFindings, checkPushedFile } from "../../domain/pushes/pushed-file.ts";
import { scanJson } from "../../domain/json.ts";
import { fileIn, filesOf, type Tree } from "../../git/objects/tree.ts";
import { inSlices } from "../../slices.ts";
import { blobPath, fileOfPath, localeFolder } from "../../store/content/locale-files.ts";
import { notesPath } from "../../store/content/stored-notes.ts";
import { Snapshot } from "../../store/content/snapshot.ts";
import type { RevisionStore } from "../../store/history/revision-store.ts";
import type { PushedObjects } from "../../store/hives/pushed-objects.ts";
import type { FileLimits, PushedCommits } from "../../store/hives/pushed-commits.ts";
import { commitUnderTeamLock, type CommitResult, type Planner, type WriteContext } from "../write-context.ts";
import { readMarked } from "./stale-markers.ts";
import { changedNoteFiles, readNotesOfPush, type ChangedNoteFile } from "./pushed-notes.ts";
import type { Storage } from "../storage.ts";

export interface PushOrder {
  /** Where the branch was when the client looked; undefined for one that is to be made. */
  readonly before: Oid | undefined;
  /** The commit that was pushed. */
  readonly tip: Oid;
  /** The locales that the caller may change; undefined for all. */
  readonly locales: readonly LocaleCode[] | undefined;
  readonly limits: FileLimits;
}

export interface PushCounts {
  /** New commits that came with it. */
  readonly commits: number;
  /** Texts of all locales. */
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** Source strings. */
  readonly moved: number;
  readonly ambiguous: readonly AmbiguousMove[];
}

/** A change of a file of a locale, by the last commit of a push. */
interface ChangedFile {
  readonly locale: LocaleCode;
  readonly file: FileName;
  /** What it was before, and what it is now; undefined where it is not there. */
  readonly before: Oid | undefined;
  readonly blob: Oid | undefined;
}

/**
 * Checks a push, and commits it as a merge: its first parent is what the branch was at, its second what was pushed. What
 * others have changed since the client looked is merged with it.
 * @returns undefined counts for what the branch has already.
 * @throws SkepError `invalid` with what is wrong with its files, when it deletes too much, or changes what others have
 * changed meanwhile; `quota` as for an import; what {@link PushedObjects.check} throws.
 */
export async function acceptPush(
  storage: Storage,
  branch: HiveBranch,
  pushed: PushedObjects,
  { before, tip, locales, limits }: PushOrder,
  context: WriteContext,
): Promise<CommitResult<PushCounts | undefined>> {
  const { hives } = storage;
  // A new branch begins where its commits leave main.
  const now = await hives.at(before === undefined ? slugOf(branch) : branch).snapshot();
  const { settings } = now;
  const commits = await pushed.check({
    tip,
    locales: new Set<string>(localesOf(settings).map(({ code }) => code)),
    sourceLocale: settings.sourceLocale.code,
    limits,
  });
  const made = before === undefined && hives.at(slugOf(branch)).branches.ref(branchNameOf(branch)).find();
  // The same push may have come twice.
  if (made && (await hives.at(branch).revisions.graph.reaches(made, tip))) {
    return { result: undefined, commit: made };
  }
  const start = await baseOf(hives.at(branch).revisions, now.commit.oid, commits, before);
  const read = async (oid: Oid): Promise<Snapshot> => {
    const known = { previous: now, settings: now.storedSettings, lazy: true };
    return Snapshot.read(pushed.repo, await pushed.repo.readCommit(oid), known);
  };
  if (before === undefined && tip === start) return createBranchAt(storage, branch, tip, context);
  const base = start === now.commit.oid ? now : await read(start);
  const last = await read(tip);
  const changed = changedFiles(base, last);
  const changedNotes = changedNoteFiles(base, last);
  checkAllowed(changed, changedNotes, { base, last }, locales);
  await checkGrowth(pushed, [...changed, ...changedNotes], limits.values);
  const from = await readMarked(base);
  const files = await last.content("all");
  await checkFiles(pushed, changed, { from, last, content: files });
  const content = await inSlices(readPushedContent(from, files));
  const beside = { base: from.notes ?? new Map(), content: files, moves: content.moves };
  const notes = await readNotesOfPush(pushed.repo, changedNotes, beside);
  const withNotes = { ...content, theirs: { ...content.theirs, notes } };
  const plan = {
    revisions: hives.at(branch).revisions,
    from,
    content: withNotes,
    changed,
    base,
    last,
    commits,
    tip,
  };
  const creates = before === undefined ? { from: start, limit: storage.limits.maxBranches } : undefined;
  const commitPush: Planner<PushCounts | undefined> = async (snapshot) => {
    if (await hives.at(branch).revisions.graph.reaches(snapshot.commit.oid, tip))
      return { result: undefined };
    return planPush(snapshot, plan, () => pushed.migrate(commits.objects));
  };
  try {
    return await commitUnderTeamLock(storage, branch, context, "in-order", commitPush, creates);
  } catch (error) {
    if (isFailure(error, "check-failed")) await throwLocated(pushed, changed, last, error.data.findings);
    throw error;
  }
}

/** Tells the findings of a refused push by lines of its files. @throws SkepError `invalid`. */
async function throwLocated(
  { repo }: PushedObjects,
  changed: readonly ChangedFile[],
  { settings }: Snapshot,
  findings: readonly TextFault[],
): Promise<void> {
  const issues = new Issues();
  const shown = shownCodes(settings);
  for (const [name, found] of groupBy(findings, ({ locale, file }) => `${locale} ${file}`)) {
    const change = changed.find((one) => name === `${shown(one.locale)} ${one.file}`);
    const path = change === undefined ? name : blobPath(change.locale, change.file);
    const bytes = change?.blob === undefined ? Buffer.of() : await repo.readBlob(change.blob, path);
    addFindings({ path, bytes }, found, issues);
  }
  issues.throwIfAny();
}

/** Makes a branch that has nothing new. @throws as {@link Branches.create}; SkepError `conflict` for main. */
async function createBranchAt(
  { writer, limits }: Storage,
  branch: HiveBranch,
  next: Oid,
  context: WriteContext,
): Promise<CommitResult<undefined>> {
  await writer.changeBranches(slugOf(branch), context, (branches, lock) =>
    branches.create(branchNameOf(branch), { next, lock }, limits.maxBranches),
  );
  return { result: undefined, commit: next };
}

/**
 * The newest commit of the branch that a push builds on.
 * @throws SkepError `conflict` when that is none, or older than where the branch was when the client looked, which would be
 * a forced push; and when the source locale was another there.
 */
async function baseOf(
  revisions: RevisionStore,
  tip: Oid,
  { below }: PushedCommits,
  before: Oid | undefined,
): Promise<Oid> {
  const firstParents = await revisions.graph.firstParents(tip);
  const reachable = await revisions.graph.reachable(below, "all");
  const at = firstParents.findLastIndex(({ oid }) => reachable.has(oid));
  const base = firstParents[at]?.oid;
  const isForward = before === undefined || firstParents.slice(0, at + 1).some(({ oid }) => oid === before);
  if (base === undefined || !isForward) {
    throw failure("conflict", "This push is not based on the branch as it is: run git pull, and push again.");
  }
  const [then, now] = await Promise.all([base, tip].map((oid) => revisions.settings(oid)));
  if (base === tip || then?.sourceLocale.code === now?.sourceLocale.code) return base;
  throw failure("conflict", "The Hive has another source locale by now: run git pull, and push again.");
}

/** The files of locales that differ between two commits. */
function changedFiles(base: Snapshot, last: Snapshot): readonly ChangedFile[] {
  return localesOf(last.settings).flatMap(({ code: locale }) => {
    const before = blobsOf(base.tree, locale);
    const after = blobsOf(last.tree, locale);
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((file) => {
      const change = { locale, file, before: before.get(file), blob: after.get(file) };
      return change.blob === change.before ? [] : [change];
    });
  });
}

function blobsOf(tree: Tree, locale: LocaleCode): ReadonlyMap<FileName, Oid> {
  const blobs = new Map<FileName, Oid>();
  for (const { path, oid } of filesOf(localeFolder(tree, locale))) {
    const file = fileOfPath(path);
    if (file !== undefined) blobs.set(file, oid);
  }
  return blobs;
}

/**
 * Checks all that a push changes, wherever its commits have it from, against what the caller may change.
 * @throws SkepError `invalid` with the paths.
 */
function checkAllowed(
  changed: readonly ChangedFile[],
  notes: readonly ChangedNoteFile[],
  { base, last }: Pick<PushPlan, "base" | "last">,
  allowed: PushOrder["locales"],
): void {
  if (allowed === undefined) return;
  const issues = new Issues();
  for (const { locale, file } of changed) {
    if (allowed.includes(locale)) continue;
    issues.add(blobPath(locale, file), "belongs to a locale that this token may not change");
  }
  for (const { file } of notes) issues.add(notesPath(file), "may not be changed with this token");
  if (fileIn(base.tree, readmePath) !== fileIn(last.tree, readmePath)) {
    issues.add(readmePath, "may not be changed with this token");
  }
  issues.throwIfAny();
}

/**
 * Checks that a push brings no more values than a request. A file comes as a whole, so what it held before does not count.
 * @throws SkepError `too-large`.
 */
async function checkGrowth(
  { repo }: PushedObjects,
  changed: readonly Pick<ChangedFile, "before" | "blob">[],
  most: number,
): Promise<void> {
  const countIn = async (which: "before" | "blob"): Promise<number> => {
    let count = 0;
    for (const { [which]: oid } of changed)
      if (oid !== undefined) count += scanJson(await repo.readBlob(oid, "a file")).values;
    return count;
  };
  const now = await countIn("blob");
  if (now <= most || now - (await countIn("before")) <= most) return;
  throw failure("too-large", `This push brings more than ${most} values; push it in several parts.`);
}

interface CheckedAgainst {
  readonly from: NotedContent;
  readonly last: Snapshot;
  readonly content: NotedContent["content"];
}

/** @throws SkepError `invalid` with what is wrong. */
async function checkFiles(
  { repo }: PushedObjects,
  changed: readonly ChangedFile[],
  { from, last, content }: CheckedAgainst,
): Promise<void> {
  const { sourceLocale, plurals } = last.settings;
  const issues = new Issues();
  const names = content.source.keys();
  const added = new Set([...content.source.keys()].filter((file) => !from.content.source.has(file)));
  for (const { file, problem } of findClashes(names, added)) {
    issues.add(blobPath(sourceLocale.code, file), problem);
  }
  for (const { locale, file, blob } of changed) {
    if (blob === undefined) continue;
    const path = blobPath(locale, file);
    const bytes = await repo.readBlob(blob, path);
    const before = from.content.translations.get(locale)?.get(file);
    const beside = { sourceLocale: sourceLocale.code, plurals, source: content.source.get(file) };
    await inSlices(checkPushedFile({ path, locale, file, bytes, before }, beside, issues));
  }
  issues.throwIfAny();
}

interface PushPlan extends Pick<CheckedAgainst, "from" | "last"> {
  readonly revisions: RevisionStore;
  readonly content: PushedContent;
  readonly changed: readonly ChangedFile[];
  readonly base: Snapshot;
  readonly commits: PushedCommits;
  readonly tip: Oid;
}

async function planPush(
  now: Snapshot,
  { revisions, from, content, changed, base, last, commits, tip }: PushPlan,
  migrate: () => Promise<void>,
) {
  const ours = await readMarked(now);
  const { theirs, moves: inTheirs, ambiguous } = content;
  const inOurs = await revisions.moves.between(base.commit.oid, now.commit.oid);
  const merged = await inSlices(
    planMerge({ base: from, ours, theirs, moves: { inOurs, inTheirs } }, undefined),
  );
  // Here nobody has seen a preview of what goes with deleted strings.
  const conflicts = [...merged.conflicts, ...merged.orphaned];
  if (conflicts.length > 0) throw pushConflict(conflicts, now.settings);
  const { writes, staleMarkers, changes, moves } = merged;
  const count = (kind: string): number => changes.filter(({ change }) => change === kind).length;
  const counts: PushCounts = {
    commits: commits.count,
    created: count("created"),
    updated: count("updated"),
    deleted: count("deleted") + count("cleared"),
    moved: moves.length,
    ambiguous,
  };
  const files = new Map<string, Oid | undefined>();
  // What differs in its form alone is taken as it was pushed, as long as nobody has changed anything meanwhile.
  if (now.tree.oid === base.tree.oid) {
    for (const { locale, file, blob } of changed) files.set(blobPath(locale, file), blob);
  }
  const readme = mergedReadme(now.tree, base.tree, last.tree);
  if (readme !== undefined) files.set(readmePath, readme.blob);
  return {
    result: counts,
    strings: { ...merged.counts, ifMeant: "have the limit raised: skep hive update --max-deletions" },
    changes,
    moves,
    notes: () => merged.notes,
    pictures: { change: () => merged.pictures },
    change: {
      metadata: pushMetadata(counts),
      writes,
      staleMarkers,
      parents: [tip],
      quarantined: { files, migrate },
    },
  };
}

/** The README of a push that changes it. @throws SkepError `conflict` when others have changed it meanwhile. */
function mergedReadme(now: Tree, base: Tree, last: Tree): { readonly blob: Oid | undefined } | undefined {
  const [present, before, blob] = [now, base, last].map((tree) => fileIn(tree, readmePath));
  if (blob === before || blob === present) return undefined;
  if (present === before) return { blob };
  throw failure("conflict", `${readmePath} was changed meanwhile: run git pull, and push again.`);
}

function pushMetadata({ commits, created, updated, deleted, moved }: PushCounts): ChangeMetadata {
  return {
    subject: subjectWithCounts("Push", { created, updated, deleted, moved }, "no text changed"),
    operation: "push",
    counts: { Commits: commits, Created: created, Updated: updated, Deleted: deleted, Moved: moved },
  };
}
