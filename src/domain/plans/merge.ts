/** Merges by key: what one side of a Hive's history changed since a common base is applied to the other. */
import { invalid } from "../errors.ts";
import type { Notes } from "../notes/note.ts";
import type { AddressMap, Move, StringAddress } from "../move.ts";
import { alignMoves, type AlignedSides } from "../moves/alignment.ts";
import { lastWriteWins, type MovedContent } from "../moves/moved-content.ts";
import { addressOf } from "../strings/content-diff.ts";
import type { KeyChange, Plan } from "../strings/hive-content.ts";
import type { GivenReviews } from "../review/review.ts";
import { reviewKind } from "../sidecars/review.ts";
import {
  mergedInLocales,
  stringValuesChange,
  type Sidecar,
  type ValueChange,
  type ValueWrite,
} from "../sidecars/sidecar.ts";
import { staleKind } from "../sidecars/stale.ts";
import type { Side, Sides } from "../sides.ts";
import { notesKind } from "../notes/notes-kind.ts";
import { updateStaleMarkers } from "../strings/stale.ts";
import { fileProblem } from "../strings/string-file.ts";
import { contentWrites } from "../strings/translation-writes.ts";
import { mergeNotes, type NotePrecedence } from "../notes/merge-notes.ts";
import { valuesIn, type HiveState } from "../notes/hive-state.ts";
import { mergePictures } from "../pictures/picture-strings.ts";
import type { Pictures } from "../pictures/picture.ts";
import { changesBeside, type ChangeBeside } from "./changes-beside.ts";
import { mergeSource, type MergeConflict, type MergedSource } from "./merge-source.ts";
import {
  mergeTranslations,
  noMoves,
  type MergeContents,
  type MergedTranslations,
} from "./merge-translations.ts";
import type { HiveSettings } from "../hives/hive-settings.ts";
import { placeOf, Settlement } from "./settlement.ts";

/** What changes on our side: source strings, translations, and what is not taken. */
export interface MergeCounts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** Strings that get the place which the other side gave them. */
  readonly moved: number;
  readonly translationsCreated: number;
  readonly translationsUpdated: number;
  /** Also those that go with their source strings. */
  readonly translationsDeleted: number;
  readonly confirmed: number;
  /** Conflicts that were settled. */
  readonly settled: number;
  /** Translations of the other side that have no locale or no source string any more. */
  readonly dropped: number;
}

export interface MergePlan extends Plan<MergeCounts> {
  readonly staleMarkers: readonly ValueWrite<string>[];
  readonly reviews: GivenReviews;
  /** The keys that both sides changed, differently, whether they are settled or not. */
  readonly conflicts: readonly MergeConflict[];
  /**
   * Translations that one side changed, and that have no locale or no source string after the merge. A merge of branches
   * drops them.
   */
  readonly orphaned: readonly MergeConflict[];
  readonly values: readonly ValueChange[];
  readonly pictures: Pictures;
  /** Finds out what changes beside the texts. */
  readonly beside: () => Promise<readonly ChangeBeside[]>;
  /** The moves that are made on our side; `changes` and `conflicts` have the names after them. */
  readonly moves: readonly Move[];
}

/** What a merge changes on our side, before the files are made. */
export interface MergedKeys {
  readonly source: MergedSource;
  readonly translations: MergedTranslations;
  readonly conflicts: readonly MergeConflict[];
  /** See {@link MergePlan.orphaned}. */
  readonly orphaned: readonly MergeConflict[];
  readonly ours: MovedContent;
  readonly aligned: AlignedSides;
}

/**
 * Merges key by key: the change of either side is taken; the same change on both sides is nothing; different ones are a
 * conflict. What was moved on one side and changed on the other is both.
 * @param settlement what is taken in conflicts.
 * @throws SkepError `invalid` on `branch` when the source locale of one content is another.
 */
async function mergeKeys(contents: MergeContents, settlement: Settlement): Promise<MergedKeys> {
  const locale = contents.ours.content.settings.sourceLocale.code;
  const { base, theirs } = contents;
  if ([base, theirs].some(({ content }) => content.settings.sourceLocale.code !== locale)) {
    throw invalid("branch", "cannot be merged: it is from when the Hive had another source locale");
  }
  // Conflicts that are settled each for itself have to be those that are found where none is settled.
  const prefer = settlement.isByPlace ? undefined : settlement.winner;
  const aligned = await alignMoves(contents, contents.moves ?? noMoves, prefer);
  for (const { from, to } of aligned.movedByBoth) settlement.join({ locale, ...from }, { locale, ...to });
  const source = await mergeSource(aligned, settlement);
  const translations = await mergeTranslations(aligned, source, settlement);
  return {
    source,
    translations,
    conflicts: [...settledMoves(contents, aligned, source), ...source.conflicts, ...translations.conflicts],
    orphaned: [...translations.orphaned, ...lostSince(aligned)],
    ours: aligned.ours,
    aligned,
  };
}

/** Translations that one side has changed, and that the moves of the other one leave without a place. */
function lostSince({ base, ...sides }: AlignedSides): readonly MergeConflict[] {
  const earlier = new Map(base.lost.map((change) => [addressOf(change), change.before]));
  return (["ours", "theirs"] as const).flatMap((side) =>
    sides[side].lost.flatMap((change) => {
      const { locale, file, key, before: text } = change;
      const start = earlier.get(addressOf(change));
      if (text === start) return [];
      const texts = { base: start, ours: undefined, theirs: undefined, [side]: text };
      return [{ reason: "deleted" as const, locale, file, key, ...texts }];
    }),
  );
}

/** The conflicts about strings that both sides moved, and differently, where they got the place of one side. */
function settledMoves(
  contents: MergeContents,
  { movedByBoth, blocked }: AlignedSides,
  { conflicts }: MergedSource,
): readonly MergeConflict[] {
  const known = new Set(conflicts.map(placeOf));
  const locale = contents.ours.content.settings.sourceLocale.code;
  const textAt = (side: keyof Sides<unknown>, { file, key }: StringAddress): string | undefined =>
    contents[side].content.source.get(file)?.texts.get(key);
  return movedByBoth
    .flatMap(({ from, to }) => (blocked.has(to) ? [] : [from, to]))
    .filter((at) => !known.has(placeOf({ locale, ...at })))
    .map((at) => {
      const [base, ours, theirs] = [textAt("base", at), textAt("ours", at), textAt("theirs", at)];
      return { reason: "moved", locale, file: at.file, key: at.key, base, ours, theirs };
    });
}

/**
 * Plans a merge of the other side into ours; see {@link mergeKeys}. Files keep our order and shape, and new keys stand
 * where the other side has them; a file that only the other side changed becomes as it is there. Translations whose source
 * text changes by the merge become stale, unless they were made for it.
 * @param settlement a plan with conflicts that it does not settle is not to be carried out.
 * @throws SkepError `invalid` on `branch` as `mergeKeys` does, and when a file would hold more than a file may.
 */
export async function planMerge(contents: MergeContents, settlement: Settlement): Promise<MergePlan> {
  const { source, translations, orphaned, ours, aligned, ...keys } = await mergeKeys(contents, settlement);
  const sourceCode = contents.ours.content.settings.sourceLocale.code;
  const notes = mergeNotes(contents, aligned, {
    app: "theirs",
    team: (at) => settlement.side({ locale: sourceCode, ...at }),
    whole: source.resolved,
    textAfter: ({ file, key }) =>
      (source.files.has(file) ? source.files.get(file) : ours.content.source.get(file))?.texts.get(key),
  });
  const conflicts = [...keys.conflicts, ...notes.conflicts];
  const { content: now, markers, moves, lost } = ours;
  const locale = now.settings.sourceLocale.code;
  const merged = await contentWrites(now, source.files, translations.changes);
  const writes = lastWriteWins(ours.writes, merged);
  for (const write of writes) {
    const problem = write.locale === locale && write.content && fileProblem(write.content);
    if (typeof problem === "string") throw invalid("branch", `cannot be merged: ${write.file} ${problem}`);
  }
  const changes = [...source.changes, ...translations.changes];
  const { confirmed, outdated } = translations;
  const followed = { changes: [...changes, ...confirmed, ...outdated], writes: merged };
  const staleMarkers = await updateStaleMarkers(now, markers, followed, translations.translatedFrom);
  return {
    counts: {
      created: countOf(source.changes, "created"),
      updated: countOf(source.changes, "updated"),
      deleted: countOf(source.changes, "deleted"),
      moved: moves.length,
      translationsCreated: countOf(translations.changes, "created"),
      translationsUpdated: countOf(translations.changes, "updated"),
      translationsDeleted: countOf(translations.changes, "deleted", "cleared") + lost.length,
      confirmed: confirmed.length,
      settled: conflicts.filter((one) => settlement.isSettled(one)).length,
      dropped: orphaned.filter(({ theirs }) => theirs !== undefined).length,
    },
    writes,
    staleMarkers: lastWriteWins(ours.staleMarkers, staleMarkers),
    reviews: translations.reviews,
    changes: [...lost, ...changes],
    conflicts,
    orphaned,
    ...(await mergeBeside(contents, { source, translations, aligned }, notes.notes)),
    moves,
  };
}

/** What a merge makes of the values beside texts, and what changes by that. @param notes the notes after the merge. */
async function mergeBeside(
  contents: MergeContents,
  { source, translations, aligned }: Pick<MergedKeys, "source" | "translations" | "aligned">,
  notes: Notes,
): Promise<Pick<MergePlan, "values" | "pictures" | "beside">> {
  const whole = source.resolved;
  const values = mergedChanges(contents, aligned, { notes, whole });
  const pictures = await mergePictures(contents, aligned, whole);
  const changes = [...source.changes, ...translations.changes];
  const after = { translations, notes, values, pictures, changes, files: source.files };
  return { values, pictures, beside: () => changesBeside(contents.ours, aligned, after) };
}

/** Kinds that are merged otherwise: a translation with its markers as a whole, notes by their members. */
const mergedOtherwise = new Set<Sidecar<unknown>>([staleKind, reviewKind, notesKind]);

/**
 * What the merge of two sides makes of values beside the texts: see {@link mergedInLocales}.
 * @param aligned the sides with the same names for the same strings.
 * @param merged the notes after the merge, and the side from which all that belongs to a string comes.
 */
export function mergedChanges(
  { base, theirs }: Pick<Sides<HiveState>, "base" | "theirs">,
  aligned: AlignedSides,
  { notes, whole }: { readonly notes: Notes; readonly whole: AddressMap<Side> },
): readonly ValueChange[] {
  const [from, to] = [valuesIn(base), valuesIn(theirs)];
  const kinds = new Set([...from.kinds, ...to.kinds]);
  const [left, changed] = [from.moved(aligned.base.addresses), to.moved(aligned.theirs.addresses)];
  const merged = [...kinds].flatMap((kind): readonly ValueChange[] => {
    if (mergedOtherwise.has(kind)) return [];
    const sides = { base: left.of(kind), theirs: changed.of(kind) };
    return [{ kind, change: (ours) => mergedInLocales(kind, { ours, ...sides }, whole) }];
  });
  return [...merged, stringValuesChange(notesKind, () => notes)];
}

function countOf(changes: readonly KeyChange[], ...kinds: readonly KeyChange["change"][]): number {
  return changes.filter(({ change }) => kinds.includes(change)).length;
}

/**
 * A change of one key by a branch, or of what lies beside it; `moved` is a string that has another place. All changes of a
 * moved string have its new place.
 */
export interface BranchChange extends Omit<KeyChange, "change" | "file"> {
  readonly file: string;
  readonly change: KeyChange["change"] | "moved" | ChangeBeside["change"];
  readonly member?: string;
  readonly from?: StringAddress;
  readonly conflict?: MergeConflict;
}

/**
 * The changes of the other side of a merge: source strings first, then translations locale by locale, then what
 * lies beside them. Those in locales that our side does not have are left out.
 */
export async function listBranchChanges(contents: MergeContents): Promise<readonly BranchChange[]> {
  const { settings } = contents.ours.content;
  const [base, theirs] = [withSettings(contents.base, settings), withSettings(contents.theirs, settings)];
  const present = { ...contents, base, theirs };
  const keys = await mergeKeys(present, new Settlement());
  const first: NotePrecedence = { app: "theirs", team: () => "ours", whole: keys.source.resolved };
  const inNotes = mergeNotes(present, keys.aligned, first).conflicts;
  const conflicts = new Map([...keys.conflicts, ...inNotes].map((one) => [placeOf(one), one]));
  // A merge into the base changes exactly what the other side changed.
  const moves = { inOurs: [], inTheirs: contents.moves?.inTheirs ?? [] };
  const sides = { base, ours: base, theirs, moves };
  const { source, translations, ours, aligned } = await mergeKeys(sides, new Settlement());
  const listed: BranchChange[] = [];
  function list<T>(some: readonly T[], toChange: (one: T) => BranchChange): void {
    for (const one of some) {
      const change = toChange(one);
      const conflict = conflicts.get(placeOf(change));
      listed.push(conflict === undefined ? change : { ...change, conflict });
    }
  }
  const locale = settings.sourceLocale.code;
  list(ours.moves, ({ from, to: { file, key } }) => ({
    change: "moved",
    locale,
    file,
    key,
    from,
  }));
  for (const changes of [source.changes, ours.lost, translations.changes]) {
    list(changes, (change) => change);
  }
  const notes = mergeNotes(sides, aligned, { ...first, whole: source.resolved }).notes;
  const { beside } = await mergeBeside(sides, { source, translations, aligned }, notes);
  for (const change of await beside()) {
    if (withConflicts.has(change.change)) list([change], (one) => one);
    else listed.push(change);
  }
  return listed;
}

/** Changes beside a text that are in conflict where the other side has changed the text or the same member of the note. */
const withConflicts = new Set<BranchChange["change"]>([
  "confirmed",
  "outdated",
  "approved",
  "waiting",
  "note",
]);

function withSettings(side: HiveState, settings: HiveSettings): HiveState {
  return { ...side, content: { ...side.content, settings } };
}
