/** Accepts a `git push`: makes a commit that merges the pushed commits, with counts of the changed keys. */
import { subjectWithCounts, type ChangeMetadata } from "../../domain/commits/commit-message.ts";
import { failure, isFailure, Issues, type TextFault } from "../../domain/errors.ts";
import { groupBy } from "../../domain/group-by.ts";
import { readmePath } from "../../domain/hives/hive-readme.ts";
import { localesOf, shownCodes } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import type { AmbiguousMove } from "../../domain/moves/detection.ts";
import { findClashes, type Oid } from "../../domain/names.ts";
import { Settlement } from "../../domain/plans/settlement.ts";
import { planMerge } from "../../domain/plans/merge.ts";
import { type HiveState, valuesIn, notesIn } from "../../domain/notes/hive-state.ts";
import { readPushedContent, type PushedContent, pushConflict } from "../../domain/pushes/pushed-content.ts";
import {
  addFindings,
  checkPushedFile,
  checkPushedNotes,
  readPushedNotes,
} from "../../domain/pushes/pushed-file.ts";
import { scanJson } from "../../domain/json.ts";
import { fileIn, type Tree, emptyTree, folderAt } from "../../git/objects/tree.ts";
import { blobPath, localeFolder, changedBlobs, type BlobChange } from "../../store/content/locale-files.ts";
import { Snapshot } from "../../store/content/snapshot.ts";
import type { RevisionStore } from "../../store/history/revision-store.ts";
import type { FileLimits, PushedCommits, PushedObjects } from "../../store/hives/pushed-commits.ts";
import type { CommitResult, Planner, WriteContext } from "../../store/hives/write-context.ts";
import type { ContentStorage } from "../storage.ts";
import type { FileChange } from "../../store/history/file-changes.ts";
import type { Move, TranslationMoves } from "../../domain/move.ts";
import type { FileNotes, Notes } from "../../domain/notes/note.ts";
import type { HiveContent } from "../../domain/strings/hive-content.ts";
import type { BareRepo } from "../../git/bare-repo.ts";
import { notesKind } from "../../domain/notes/notes-kind.ts";
import { movedValues, valuesPath } from "../../domain/sidecars/sidecar.ts";
import { translationMovesOf } from "../../domain/moves/moved-content.ts";

export interface PushOrder {
  /** The commit of the branch when the client looked; undefined for a branch to create. */
  readonly before: Oid | undefined;
  readonly tip: Oid;
  /** The locales that the caller may change; undefined for all. */
  readonly locales: readonly LocaleCode[] | undefined;
  readonly limits: FileLimits;
}

export interface PushCounts {
  readonly commits: number;
  /** Texts of all locales. */
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly moved: number;
  readonly ambiguous: readonly AmbiguousMove[];
}

/**
 * Checks a push, and commits it as a merge: its first parent is the HEAD of the branch, its second the pushed commit. Changes
 * that others have made since the client looked are merged with it.
 * @returns undefined counts for commits that the branch has already.
 * @throws SkepError `invalid` with the issues of its files, when it deletes too much, or changes texts that others have
 * changed meanwhile; `quota` as for an import; as {@link PushedObjects.check}.
 */
export async function acceptPush(
  storage: ContentStorage,
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
  // A repeated push: the branch has its commits already.
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
  const changedNotes = changedBlobs(noteFolderOf(base), noteFolderOf(last));
  checkAllowed(changed, changedNotes, { base, last }, locales);
  await checkGrowth(pushed, [...changed, ...changedNotes], limits.values);
  const from = await base.state();
  const files = await last.content("all");
  await checkFiles(pushed, changed, { from, last, content: files });
  const content = await readPushedContent(from, files);
  const ofNotes = { base: notesIn(from), content: files, moves: content.moves };
  const notes = await readNotesOfPush(pushed.repo, changedNotes, ofNotes);
  const source = new Map([[settings.sourceLocale.code, notes]]);
  const theirs = { ...content.theirs, values: valuesIn(content.theirs).with(notesKind, source) };
  const withNotes = { ...content, theirs };
  const { revisions } = hives.at(branch);
  const plan = { revisions, from, content: withNotes, changed, base, last, commits, tip };
  const creates = before === undefined ? { from: start, limit: storage.limits.maxBranches } : undefined;
  const commitPush: Planner<PushCounts | undefined> = async (snapshot) => {
    if (await revisions.graph.reaches(snapshot.commit.oid, tip)) return { result: undefined };
    return planPush(snapshot, plan, () => pushed.migrate(commits.objects));
  };
  try {
    return await storage.writer.commitUnderTeamLock(branch, context, "in-order", commitPush, creates);
  } catch (error) {
    if (isFailure(error, "check-failed")) await throwLocated(pushed, changed, last, error.data.findings);
    throw error;
  }
}

/** Throws the findings of a refused push with the lines of its files. @throws SkepError `invalid`. */
async function throwLocated(
  { repo }: PushedObjects,
  changed: readonly FileChange[],
  { settings }: Snapshot,
  findings: readonly TextFault[],
): Promise<void> {
  const issues = new Issues();
  const shown = shownCodes(settings);
  for (const [name, found] of groupBy(findings, ({ locale, file }) => `${locale} ${file}`)) {
    const change = changed.find((one) => name === `${shown(one.locale)} ${one.file}`);
    const path = change === undefined ? name : blobPath(change.locale, change.file);
    const bytes = change?.after === undefined ? Buffer.of() : await repo.readBlob(change.after, path);
    addFindings({ path, bytes }, found, issues);
  }
  issues.throwIfAny();
}

/** Creates a branch without new commits. @throws as {@link Branches.create}; SkepError `conflict` for main. */
async function createBranchAt(
  { writer, limits }: ContentStorage,
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
 * @throws SkepError `conflict` when there is none, or it is older than the branch was when the client looked, which would be
 * a forced push; and when the source locale was another one at that commit.
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
function changedFiles(base: Snapshot, last: Snapshot): readonly FileChange[] {
  return localesOf(last.settings).flatMap(({ code: locale }) => {
    const changes = changedBlobs(localeFolder(base.tree, locale), localeFolder(last.tree, locale));
    return changes.map(({ file, before, after }) => ({ locale, file, before, after }));
  });
}

/**
 * Checks all files that a push changes, also by merges of other branches, against the rights of the caller.
 * @throws SkepError `invalid` with the paths.
 */
function checkAllowed(
  changed: readonly FileChange[],
  notes: readonly BlobChange[],
  { base, last }: Pick<PushPlan, "base" | "last">,
  allowed: PushOrder["locales"],
): void {
  if (allowed === undefined) return;
  const issues = new Issues();
  for (const { locale, file } of changed) {
    if (allowed.includes(locale)) continue;
    issues.add(blobPath(locale, file), "belongs to a locale that this token may not change");
  }
  for (const { file } of notes)
    issues.add(
      valuesPath(notesKind, base.settings.sourceLocale.code, file),
      "may not be changed with this token",
    );
  if (fileIn(base.tree, readmePath) !== fileIn(last.tree, readmePath)) {
    issues.add(readmePath, "may not be changed with this token");
  }
  issues.throwIfAny();
}

/**
 * Checks that a push adds no more values than a request. Files are pushed as a whole, so their earlier values do not count.
 * @throws SkepError `too-large`.
 */
async function checkGrowth(
  { repo }: PushedObjects,
  changed: readonly BlobChange[],
  most: number,
): Promise<void> {
  const countIn = async (which: "before" | "after"): Promise<number> => {
    let count = 0;
    for (const { [which]: oid } of changed)
      if (oid !== undefined) count += scanJson(await repo.readBlob(oid, "a file")).values;
    return count;
  };
  const now = await countIn("after");
  if (now <= most || now - (await countIn("before")) <= most) return;
  throw failure("too-large", `This push brings more than ${most} values; push it in several parts.`);
}

interface CheckedAgainst {
  readonly from: HiveState;
  readonly last: Snapshot;
  readonly content: HiveState["content"];
}

/** Checks the files that a push changes. @throws SkepError `invalid` with all issues. */
async function checkFiles(
  { repo }: PushedObjects,
  changed: readonly FileChange[],
  { from, last, content }: CheckedAgainst,
): Promise<void> {
  const { settings } = last;
  const sourceLocale = settings.sourceLocale.code;
  const issues = new Issues();
  const names = content.source.keys();
  const added = new Set([...content.source.keys()].filter((file) => !from.content.source.has(file)));
  for (const { file, problem } of findClashes(names, added)) {
    issues.add(blobPath(sourceLocale, file), problem);
  }
  for (const { locale, file, after } of changed) {
    if (after === undefined) continue;
    const path = blobPath(locale, file);
    const bytes = await repo.readBlob(after, path);
    const before = from.content.translations.get(locale)?.get(file);
    const context = { settings, source: content.source.get(file) };
    await checkPushedFile({ path, locale, file, bytes, before }, context, issues);
  }
  issues.throwIfAny();
}

interface PushPlan extends Pick<CheckedAgainst, "from" | "last"> {
  readonly revisions: RevisionStore;
  readonly content: PushedContent;
  readonly changed: readonly FileChange[];
  readonly base: Snapshot;
  readonly commits: PushedCommits;
  readonly tip: Oid;
}

async function planPush(
  now: Snapshot,
  { revisions, from, content, changed, base, last, commits, tip }: PushPlan,
  migrate: () => Promise<void>,
) {
  const ours = await now.state();
  const { theirs, moves: inTheirs, ambiguous } = content;
  const inOurs = await revisions.moves.between(base.commit.oid, now.commit.oid);
  const merged = await planMerge({ base: from, ours, theirs, moves: { inOurs, inTheirs } }, new Settlement());
  // A push has no preview of the translations that are deleted with their strings.
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
  // Files that differ only in their form are taken as pushed, unless somebody has changed the branch meanwhile.
  if (now.tree.oid === base.tree.oid) {
    for (const { locale, file, after } of changed) files.set(blobPath(locale, file), after);
  }
  const readme = mergedReadme(now.tree, base.tree, last.tree);
  if (readme !== undefined) files.set(readmePath, readme.blob);
  return {
    result: counts,
    strings: { ...merged.counts, ifMeant: "have the limit raised: skep hive edit --max-deletions" },
    changes,
    moves,
    values: merged.values,
    pictures: { change: () => merged.pictures },
    change: {
      metadata: pushMetadata(counts),
      writes,
      values: staleMarkers,
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
    counts: { commits, created, updated, deleted, moved },
  };
}

function noteFolderOf({ tree }: Snapshot): Tree {
  return folderAt(tree, [notesKind.folder]) ?? emptyTree;
}

/** Moves of notes, which plural forms that only translations have do not have. */
function movesOfStrings(moves: readonly Move[]): TranslationMoves {
  return translationMovesOf(new Map(), moves);
}

interface NotesContext {
  readonly base: Notes;
  /** The texts that it leaves, and where it has moved strings. */
  readonly content: Pick<HiveContent, "settings" | "source">;
  readonly moves: readonly Move[];
}

/**
 * The notes after a push; notes of moved strings have their new addresses.
 * @throws SkepError `invalid` with the issues of its files.
 */
async function readNotesOfPush(
  repo: BareRepo,
  changed: readonly BlobChange[],
  { base, content, moves }: NotesContext,
): Promise<Notes> {
  const issues = new Issues();
  const locale = content.settings.sourceLocale.code;
  const moved = movedValues(base, movesOfStrings(moves));
  const pushed = new Map(base);
  for (const { file, after: blob } of changed) {
    const path = valuesPath(notesKind, locale, file);
    const bytes = blob === undefined ? Buffer.of() : await repo.readBlob(blob, path);
    const notes: FileNotes | undefined =
      blob === undefined ? new Map() : await readPushedNotes({ path, bytes }, issues);
    if (notes === undefined) continue;
    const before = [base, moved].map((all) => all.get(file) ?? new Map());
    checkPushedNotes({ path, bytes }, notes, { before, source: content.source.get(file) }, issues);
    pushed.set(file, notes);
  }
  issues.throwIfAny();
  const open = moves.filter(({ to }) => pushed.get(to.file)?.has(to.key) !== true);
  return movedValues(pushed, movesOfStrings(open));
}
