/** Undoes one commit by a new commit. */
import { isDeepStrictEqual } from "node:util";
import { orInvalid } from "../../store/history/revision-store.ts";
import { branchNameOf, slugOf, type HiveBranch, isMain } from "../../domain/commits/branch-name.ts";
import { AddressMap, reversed, type Move, type StringAddress } from "../../domain/move.ts";
import type { SideMoves } from "../../domain/moves/alignment.ts";
import { subjectWithCounts, type ChangeMetadata } from "../../domain/commits/commit-message.ts";
import { invalid, type SkepError } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { excerpt } from "../../domain/text.ts";
import { differenceConflict } from "../../domain/plans/difference.ts";
import { beforeOfPart, planUndo, type UndoCounts, type UndonePart } from "../../domain/plans/undo.ts";
import type { GraphCommit } from "../../store/history/commit-walk.ts";
import { differingNames } from "../../git/objects/tree.ts";
import { settingsPath, type Snapshot } from "../../store/content/snapshot.ts";
import type { Hive } from "../../store/hives/hive.ts";
import { sidecars } from "../../domain/plans/sidecars.ts";
import { speakerOf, type CommitResult, type WriteContext } from "../../store/hives/write-context.ts";
import type { Comment } from "../../domain/notes/thread.ts";
import { teamOf } from "../access.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import { planGlossaryUndo } from "../../domain/glossary/glossary-plan.ts";
import { localesOf, targetLocale } from "../../domain/hives/hive-settings.ts";
import { pluralCategories } from "../../domain/strings/plural-forms.ts";
import { isStoredLocaleCode, type LocaleCode } from "../../domain/hives/locale.ts";
import { glossaryPath, styleFolder, stylePath } from "../../store/content/stored-glossary.ts";
import { glossaryText, styleText } from "../terms.ts";
import { staleKind } from "../../domain/sidecars/stale.ts";
import { reviewKind } from "../../domain/sidecars/review.ts";
import { valuesIn, type HiveState } from "../../domain/notes/hive-state.ts";
import type { Sidecar } from "../../domain/sidecars/sidecar.ts";

export interface UndoRequest {
  readonly commit: string;
  /** Whether a change that cannot be undone makes the request fail, or is skipped. */
  readonly onConflict: "fail" | "skip";
  /** One string, or one translation of it. */
  readonly only?: StringAddress & { readonly locale?: string };
}

/**
 * Undoes the changes of keys that one commit made, as one commit; a merge is compared with its first parent. Stale markers,
 * accepted findings and notes follow. Settings stay, except the syntax that the commit recorded.
 * @throws SkepError `invalid` on `max_deletions`, or on `commit` when it is not on the branch, is the first, has nothing to
 * undo, or would bring back more terms than there may be, or on `key` when `only` is of a string that it moved; `text-conflict` when a change cannot be taken back and none is to
 * be skipped; `quota` as for an import.
 */
export async function undoCommit(
  storage: ContentStorage,
  branch: HiveBranch,
  { commit, onConflict, only }: UndoRequest,
  context: WriteContext,
): Promise<CommitResult<UndoCounts>> {
  await teamOf(storage, slugOf(branch), context);
  const hive = storage.hives.at(branch);
  // Before the locks are taken, because looking up an abbreviated commit may read the whole history.
  const oid = await findCommit(storage, branch, commit);
  return storage.writer.commitUnderTeamLock(branch, context, "in-order", async (snapshot) => {
    const { before, after, moves: undone } = await readChange(hive, snapshot, oid, branch);
    const ours = await snapshot.state();
    if (only !== undefined && placesOf(undone.inTheirs).has(only))
      throw invalid("key", "was moved by that commit: undo the commit as a whole, or move the string back");
    const [all, base] = await readOld(() => Promise.all([before.state(), after.state()]));
    const theirs = only === undefined ? all : beforeOfPart(base, all, partOf(ours, only, branch));
    const glossary =
      isMain(branch) && only === undefined
        ? await readOld(() => undoGlossary(snapshot, before, after))
        : unchanged;
    const hasValues = changesValues(base, theirs) || !isDeepStrictEqual(base.pictures, theirs.pictures);
    const hasMore = glossary.isChanged || hasValues;
    const moved = only === undefined ? undone : { ...undone, inTheirs: [] };
    const plan = await planUndo({ ours, base, theirs, moves: moved }, hasMore, commentsOf(context));
    const { writes, staleMarkers, reviews, changes, beside, moves } = plan;
    const counts = sum(plan.counts, glossary);
    const conflicts = [...plan.conflicts, ...glossary.conflicts];
    const { settings } = ours.content;
    if (conflicts.length > 0 && onConflict === "fail") {
      const problem = "Changed since that commit, so nothing was undone";
      throw differenceConflict(conflicts, settings, problem, "undo_conflict");
    }
    const hasTexts = writes.length + staleMarkers.length + glossary.texts.size > 0;
    if (!hasTexts && reviews.isEmpty && !hasValues) return { result: counts };
    // The syntax that the commit recorded is removed with its files, unless somebody has changed it since.
    const checks = isMain(branch) ? theirs.content.settings.checks : settings.checks;
    const isAsLeft = isDeepStrictEqual(base.content.settings.checks, settings.checks);
    const isRestored = isAsLeft && !isDeepStrictEqual(checks, settings.checks);
    const strings = { created: 0, updated: 0, deleted: 0, cleared: 0 };
    for (const { locale, change } of changes) if (locale === settings.sourceLocale.code) strings[change]++;
    const whole = undoMetadata(oid, counts, onConflict, writes.length > 0);
    // A commit that is undone in part does not count as undone.
    const one = only?.locale === undefined ? "string" : "translation";
    const part = { subject: `Undo ${oid.slice(0, 10)} for one ${one}`, undoes: undefined };
    const metadata = only === undefined ? whole : { ...whole, ...part };
    return {
      result: counts,
      change: {
        metadata,
        writes,
        values: staleMarkers,
        texts: glossary.isChanged ? glossary.texts : undefined,
        settings: isRestored ? { ...settings, checks } : undefined,
      },
      strings,
      changes,
      beside,
      moves,
      values: plan.values,
      reviews,
      pictures: { change: () => plan.pictures },
    };
  });
}

function partOf(
  { content }: HiveState,
  only: NonNullable<UndoRequest["only"]>,
  branch: HiveBranch,
): UndonePart {
  const { locale, ...string } = only;
  if (locale === undefined) return string;
  return { ...string, locale: targetLocale(content.settings, locale, slugOf(branch)).code };
}

/** Whether the file of a conflict holds terms or a style, and no strings. */
export function isOfGlossary(file: string): boolean {
  return file === glossaryPath || file.startsWith(`${styleFolder}/`);
}

/** Which comments a caller may take back: their own, and those of others only where they may delete these. */
function commentsOf({ metadata, caller }: WriteContext): ((comment: Comment) => boolean) | undefined {
  const { team, moderates = false } = caller;
  const by = speakerOf(metadata);
  return team === undefined || moderates ? undefined : (comment) => comment.by === by;
}

/** Whether a commit changed values of kinds that go back by themselves; markers go back with their texts. */
function changesValues(before: HiveState, after: HiveState): boolean {
  const markers = new Set<Sidecar<unknown>>([staleKind, reviewKind]);
  return sidecars.some((kind) => !markers.has(kind) && valuesIn(before).differs(kind, valuesIn(after)));
}

const unchanged: UndoneGlossary = {
  isChanged: false,
  texts: new Map(),
  counts: { restored: 0, updated: 0, deleted: 0 },
  conflicts: [],
};

function sum(strings: UndoCounts, { counts, conflicts }: UndoneGlossary): UndoCounts {
  return {
    ...strings,
    restored: strings.restored + counts.restored,
    updated: strings.updated + counts.updated,
    deleted: strings.deleted + counts.deleted,
    skipped: strings.skipped + conflicts.length,
  };
}

function notOn(branch: string, commit: string): SkepError {
  return invalid("commit", `${commit} is not a commit of this Hive's branch ${branch}`, {
    publicCode: "unknown_revision",
  });
}

async function findCommit({ hives }: StorageBase, branch: HiveBranch, text: string): Promise<Oid> {
  const name = text.toLowerCase();
  if (!/^[0-9a-f]{7,40}$/.test(name)) {
    throw invalid("commit", `"${excerpt(text)}" is not a commit: 7 to 40 hexadecimal digits`);
  }
  const reachable = await hives.at(branch).revisions.graph.reachable([hives.at(branch).head()], "all");
  const [found, other] = reachable.startingWith(name);
  if (found === undefined) throw notOn(branchNameOf(branch), name);
  if (other !== undefined)
    throw invalid("commit", `${name} is the beginning of several commits; give more digits`);
  return found.oid;
}

/** A commit to be undone: the Hive before and after it, its moves, and those since. */
interface CommitChange {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** From the Hive after it to the present, and back to the Hive before it. */
  readonly moves: SideMoves;
}

const formEnding = new RegExp(`(?:${pluralCategories.join("|")})$`);

/** The places where strings were or came to by moves, with those of all plural forms that translations may have. */
function placesOf(moves: readonly Move[]): AddressMap<true> {
  const places = new AddressMap<true>();
  for (const { file, key } of moves.flatMap(({ from, to }) => [from, to])) {
    places.set({ file, key }, true);
    if (!formEnding.test(key)) continue;
    const stem = key.replace(formEnding, "");
    for (const category of pluralCategories) places.set({ file, key: stem + category }, true);
  }
  return places;
}

/**
 * The places from and to which a commit moved strings: what it changed there is undone with the whole commit alone.
 */
export async function movedPlaces(
  { hives }: StorageBase,
  branch: HiveBranch,
  oid: Oid,
): Promise<AddressMap<true>> {
  const hive = hives.at(branch);
  const tip = hive.head();
  const [commit] = (await hive.revisions.graph.reachable([tip], "all")).startingWith(oid);
  return placesOf(commit === undefined ? [] : await movesOf(hive, commit, tip));
}

/** The moves of a commit; none of one that only says so itself. */
async function movesOf({ revisions }: Hive, commit: GraphCommit, tip: Oid): Promise<readonly Move[]> {
  return (await revisions.isTrusted(commit.oid, { tip })) ? revisions.moves.of(commit) : [];
}

/** Reads content of an earlier commit: its faults are faults of the request, not of the Hive's present content. */
const readOld = <T>(read: () => Promise<T>): Promise<T> => orInvalid("commit", read, "cannot be undone: ");

/** Reads a commit that the branch still reaches, and its first parent. */
async function readChange(hive: Hive, now: Snapshot, oid: Oid, branch: HiveBranch): Promise<CommitChange> {
  const { revisions } = hive;
  const [commit] = (await revisions.graph.reachable([now.commit.oid], "all")).startingWith(oid);
  if (commit === undefined) throw notOn(branchNameOf(branch), oid);
  const [parent] = commit.parents;
  if (parent === undefined) throw invalid("commit", `${oid} is the first commit: there is nothing before it`);
  // Changes of settings are a part of main's commits, but not of a branch's, which has the settings of main.
  const snapshotAt = (at: Oid): Promise<Snapshot> =>
    isMain(branch)
      ? revisions.snapshotAt(at, "commit", now)
      : readOld(() => hive.snapshotForDiff(at, [parent, oid]));
  const [before, after] = [await snapshotAt(parent), await snapshotAt(oid)];
  const changed = differingNames(before.tree, after.tree);
  if (changed.size === 1 && changed.has(settingsPath))
    throw invalid("commit", `${oid} changed only settings, which are never undone: change them again`);
  return {
    before,
    after,
    moves: {
      inOurs: await revisions.moves.since(oid, now.commit.oid),
      inTheirs: reversed(await movesOf(hive, commit, now.commit.oid)),
    },
  };
}

function undoMetadata(
  oid: Oid,
  counts: UndoCounts,
  strategy: UndoRequest["onConflict"],
  hasWrites: boolean,
): ChangeMetadata {
  const { restored, updated, deleted, skipped, moved = 0, confirmations = 0, approvals = 0 } = counts;
  return {
    subject: subjectWithCounts(
      `Undo ${oid.slice(0, 10)}`,
      {
        moved,
        restored,
        updated,
        deleted,
        skipped,
        "confirmations taken back": confirmations,
        "approvals taken back": approvals,
      },
      hasWrites ? "order changed" : "no text changed",
    ),
    operation: "undo",
    strategy,
    undoes: oid,
    counts: { ...counts },
  };
}

interface UndoneGlossary {
  readonly isChanged: boolean;
  readonly texts: ReadonlyMap<string, string | undefined>;
  readonly counts: Pick<UndoCounts, "restored" | "updated" | "deleted">;
  /** Terms, by their ids, and styles that have changed since. */
  readonly conflicts: readonly { readonly locale: LocaleCode; readonly file: string; readonly key: string }[];
}

/**
 * Plans to take back what a commit changed, term by term and style by style.
 * @param ours the Hive as it is now. @param before as it was before the commit. @param after as the commit left it.
 * @throws SkepError `content-invalid`.
 */
async function undoGlossary(ours: Snapshot, before: Snapshot, after: Snapshot): Promise<UndoneGlossary> {
  const texts = new Map<string, string | undefined>();
  const counts = { restored: 0, updated: 0, deleted: 0 };
  const conflicts: UndoneGlossary["conflicts"][number][] = [];
  const { settings } = ours;
  let isChanged = before.glossary.version !== after.glossary.version;
  if (isChanged) {
    const [now, left, was] = await Promise.all([ours, after, before].map(({ glossary }) => glossary.terms()));
    const undo = planGlossaryUndo(now ?? [], left ?? [], was ?? []);
    for (const name of ["restored", "updated", "deleted"] as const) counts[name] += undo[name];
    for (const key of undo.conflicts)
      conflicts.push({ locale: settings.sourceLocale.code, file: glossaryPath, key });
    if (undo.terms !== now)
      for (const [path, text] of glossaryText(undo.terms, "commit")) texts.set(path, text);
  }
  const isOfHive = (locale: LocaleCode): boolean => localesOf(settings).some(({ code }) => code === locale);
  for (const locale of new Set([...before.glossary.styles, ...after.glossary.styles])) {
    if (!isStoredLocaleCode(locale)) continue;
    if (before.glossary.styleVersion(locale) === after.glossary.styleVersion(locale)) continue;
    isChanged = true;
    const [now, left, was] = [ours, after, before].map(({ glossary }) => glossary.styleVersion(locale));
    if (now === was) continue;
    // A locale takes its style along; the style alone would be of no locale.
    if (now !== left || (was !== "" && !isOfHive(locale))) {
      conflicts.push({ locale, file: stylePath(locale), key: "" });
      continue;
    }
    counts[was === "" ? "deleted" : now === "" ? "restored" : "updated"]++;
    for (const [path, text] of styleText(locale, await before.glossary.style(locale))) texts.set(path, text);
  }
  return { isChanged, texts, counts, conflicts };
}
