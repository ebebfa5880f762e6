/** Plans an undo: reverts one commit's changes of keys that have not been changed since. */
import { invalid } from "../errors.ts";
import { translationsOf, type HiveContent, type KeyChange, type Plan } from "../strings/hive-content.ts";
import { isStepDone, pause } from "../../slices.ts";
import { GivenReviews, reviewAt } from "../review/review.ts";
import { reviewKind } from "../sidecars/review.ts";
import { staleKind } from "../sidecars/stale.ts";
import { isSameValue, SidecarValues, type ValueChange, type ValueWrite } from "../sidecars/sidecar.ts";
import { diffTexts } from "../strings/text-diff.ts";
import {
  fileProblem,
  noTexts,
  sameGroup,
  translatableTexts,
  type StringFile,
} from "../strings/string-file.ts";
import { AddressMap, type Move, type StringAddress } from "../move.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { Side } from "../sides.ts";
import type { FileName } from "../names.ts";
import { changeOf, translationAt } from "../strings/content-diff.ts";
import { alignMoves, type AlignedSides, type Difference } from "../moves/alignment.ts";
import { lastWriteWins } from "../moves/moved-content.ts";
import { applyDifference, withBlockedForms, withChanges } from "./difference.ts";
import { mergeNotes } from "../notes/merge-notes.ts";
import { withValues, type HiveState } from "../notes/hive-state.ts";
import type { Comment } from "../notes/thread.ts";
import { mergePictures } from "../pictures/picture-strings.ts";
import type { Pictures } from "../pictures/picture.ts";
import { changesBeside, type ChangeBeside, type MergedValues } from "./changes-beside.ts";
import { mergedChanges } from "./merge.ts";
import { noMoves, type MergeContents, cellsOf, differingMarkers, isSameCell } from "./merge-translations.ts";
import {
  translatedFromAt,
  updateStaleMarkers,
  type ContentChange,
  type TranslatedFrom,
} from "../strings/stale.ts";

export interface UndoCounts {
  readonly restored: number;
  /** Updated texts that get their earlier text again. */
  readonly updated: number;
  /** Created texts that are removed again. */
  readonly deleted: number;
  readonly skipped: number;
  /** Moved source strings that are where they were before; undefined where the commit moved none. */
  readonly moved?: number;
  /** Translations whose confirmation is taken back; undefined where there is none. */
  readonly confirmations?: number;
  /** Translations whose approval is taken back; undefined where there is none. */
  readonly approvals?: number;
}

export interface UndoPlan extends Plan<UndoCounts> {
  readonly staleMarkers: readonly ValueWrite<string>[];
  readonly reviews: GivenReviews;
  /** Changes of the commit that cannot be taken back, because their keys have changed since. */
  readonly conflicts: readonly KeyChange[];
  /** The moves back, which are made; undefined where neither the commit nor a later one has moved anything. */
  readonly moves: readonly Move[] | undefined;
  readonly values: readonly ValueChange[];
  readonly pictures: Pictures;
  /** Finds out what changes beside the texts. */
  readonly beside: () => Promise<readonly ChangeBeside[]>;
}

/**
 * Plans to take back what a commit changed, key by key, and the order and shape of files: the commit's difference
 * backwards, applied to the present content; see {@link applyDifference}. Its moves are taken back as moves, and what was
 * moved since is undone where it is now. Notes go back member by member. Stale markers follow; see {@link planUndoMarkers}.
 * @param contents the Hive as it is now (`ours`), as the commit left it (`base`), and before it (`theirs`).
 * @param hasMore whether the commit changed something else that is taken back, too.
 * @param mayChangeComment whether a comment may be taken back; without it, each.
 * @throws SkepError `invalid` on `commit` when it changed no key, no confirmation and no file's shape, when it changed
 * shapes alone and none of these files is as it left them, when the source locale was another, or when a file would hold
 * more than a file may.
 */
export async function planUndo(
  { moves, ...contents }: MergeContents,
  hasMore = false,
  mayChangeComment?: (comment: Comment) => boolean,
): Promise<UndoPlan> {
  const { ours, base, theirs } = contents;
  const source = ours.content.settings.sourceLocale.code;
  if ([base, theirs].some(({ content }) => content.settings.sourceLocale.code !== source)) {
    throw invalid("commit", "is from when the Hive had another source locale, or changed it");
  }
  const aligned = await alignMoves(contents, moves ?? noMoves);
  const applied = await applyDifference(aligned);
  const held = withBlockedForms(aligned);
  const moved = aligned.ours;
  const files = new Map(applied.files);
  for (const { locale, file, content } of moved.writes) {
    if (locale === source && !files.has(file)) files.set(file, content);
  }
  for (const [file, content] of files) {
    const problem = content && fileProblem(content);
    if (problem !== undefined) throw invalid("commit", `cannot be undone: ${file} ${problem}`);
  }
  const { staleMarkers, translations, reviews, approvals, ...marked } = await planUndoMarkers(
    held,
    applied,
    (file) => (files.has(file) ? files.get(file) : moved.content.source.get(file)),
  );
  const confirmations = translations.confirmed.length + translations.outdated.length;
  const whole = unchangeable(held);
  const notes = mergeNotes(contents, aligned, { app: "ours", team: () => "ours", mayChangeComment, whole });
  const inNotes = notes.conflicts.map(({ locale, file, key }): KeyChange => ({
    change: "updated",
    locale,
    file,
    key,
  }));
  const conflicts = [...applied.conflicts, ...marked.conflicts, ...inNotes];
  const changes = [...moved.lost, ...applied.changes].map(toDeletion);
  const isNothing = changes.length + confirmations + approvals + conflicts.length === 0 && files.size === 0;
  if (isNothing && !hasMore) {
    const hasMoved = moves !== undefined && moves.inTheirs.length > 0;
    throw invalid("commit", nothingToUndo(theirs.content, base.content, hasMoved));
  }
  const values = mergedChanges(contents, aligned, { notes: notes.notes, whole });
  const pictures = await mergePictures(contents, aligned, whole);
  const after = { translations, notes: notes.notes, values, pictures, changes, files };
  return {
    counts: {
      ...countsOf(changes, conflicts.length),
      moved: moves !== undefined && moves.inTheirs.length > 0 ? moved.moves.length : undefined,
      confirmations: confirmations || undefined,
      approvals: approvals || undefined,
    },
    writes: lastWriteWins(moved.writes, applied.writes),
    changes,
    staleMarkers: lastWriteWins(moved.staleMarkers, staleMarkers),
    reviews,
    conflicts,
    moves: moves !== undefined && moves.inOurs.length + moves.inTheirs.length > 0 ? moved.moves : undefined,
    values,
    pictures,
    beside: () => changesBeside(ours, aligned, after),
  };
}

/** The strings of which nothing is taken back, as other strings are at their places now. */
function unchangeable({ blocked }: AlignedSides): AddressMap<Side> {
  const strings = new AddressMap<Side>();
  for (const file of blocked.files)
    for (const key of blocked.of(file).keys()) strings.set({ file, key }, "ours");
  return strings;
}

function nothingToUndo(before: HiveContent, after: HiveContent, hasMoved: boolean): string {
  if (hasMoved) return "moved strings that are back where they were";
  for (const [file, left] of after.source) {
    const former = before.source.get(file);
    if (former === undefined || sameGroup(former.group, left.group)) continue;
    return "changed only the order or nesting of files, and these have changed again since";
  }
  // Also those without a source string, which git users may have added.
  for (const locale of new Set([...before.translations.keys(), ...after.translations.keys()])) {
    const was = translationsOf(before, locale);
    const is = translationsOf(after, locale);
    for (const file of new Set([...was.keys(), ...is.keys()])) {
      const diffs = diffTexts(was.get(file) ?? noTexts, is.get(file) ?? noTexts);
      if (diffs.length > 0)
        return "changed only translations that have no source string, which count as not there";
    }
  }
  return "changed no source string and no translation";
}

/** A translation that goes is `deleted` by an undo, whether or not its source string goes. */
function toDeletion(change: KeyChange): KeyChange {
  return change.change === "cleared" ? { ...change, change: "deleted" } : change;
}

function countsOf(taken: readonly KeyChange[], skipped: number): UndoCounts {
  const counts = { created: 0, updated: 0, deleted: 0, cleared: 0 };
  for (const { change } of taken) {
    counts[change]++;
  }
  return { restored: counts.created, updated: counts.updated, deleted: counts.deleted, skipped };
}

/** A string, or one translation of it. */
export interface UndonePart extends StringAddress {
  readonly locale?: LocaleCode;
}

/**
 * The content before a commit, as if it had changed one string alone, or one translation: this is stale then where the
 * commit has changed the source text, too, which stays.
 */
export function beforeOfPart(after: HiveState, before: HiveState, at: UndonePart): HiveState {
  const { file, key } = at;
  const [left, former] = [after.content.source.get(file), before.content.source.get(file)];
  const diff = { key, before: left?.texts.get(key), after: former?.texts.get(key) };
  const source = new Map(after.content.source);
  if (diff.before !== diff.after && at.locale === undefined) {
    const locale = after.content.settings.sourceLocale.code;
    const content = withChanges(left, former, [changeOf(diff, { locale, file }, "deleted")]);
    if (content === undefined) source.delete(file);
    else source.set(file, content);
  }
  let values = (after.values?.kinds ?? []).reduce(
    (all, kind) => all.with(kind, inLocales(all.of(kind), before.values?.of(kind) ?? new Map(), at)),
    after.values ?? new SidecarValues(),
  );
  const { locale } = at;
  if (locale !== undefined && after.values !== undefined) {
    const text = before.content.translations.get(locale)?.get(file)?.get(key);
    const madeFor = translatedFromAt(before, locale, at);
    const isStale = text !== undefined && madeFor !== translatableTexts(left).get(key);
    const marker = isStale && madeFor !== undefined ? [[key, madeFor] as const] : [];
    const marked = new Map([[locale, new Map([[file, new Map(marker)]])]]);
    values = values.with(staleKind, inLocales(values.of(staleKind), marked, at));
  }
  const translations = inLocales(after.content.translations, before.content.translations, at);
  return {
    ...after,
    content: { ...after.content, source, translations },
    ...withValues(values),
  };
}

type ByFile<T> = ReadonlyMap<FileName, ReadonlyMap<string, T>>;
type ByLocale<T> = ReadonlyMap<LocaleCode, ByFile<T>>;

/** What is known of strings, where one string, or one translation, has been replaced. */
function inLocales<T>(one: ByLocale<T>, other: ByLocale<T>, { file, key, locale }: UndonePart): ByLocale<T> {
  return new Map(
    Array.from(new Set([...one.keys(), ...other.keys()]), (code) => {
      if (locale !== undefined && code !== locale) return [code, one.get(code) ?? new Map()];
      const keys = new Map(one.get(code)?.get(file));
      const given = other.get(code)?.get(file)?.get(key);
      if (given === undefined) keys.delete(key);
      else keys.set(key, given);
      return [code, new Map(one.get(code)).set(file, keys)];
    }),
  );
}

interface UndoneMarkers {
  readonly staleMarkers: readonly ValueWrite<string>[];
  /** Translations whose text stays, and whose confirmation or approval is taken back; their texts are equal. */
  readonly translations: MergedValues["translations"];
  /** The markers of reviews that texts get back. */
  readonly reviews: GivenReviews;
  /** How many texts stay, and wait again, or wait no more. */
  readonly approvals: number;
  /** Confirmations and approvals that cannot be taken back. */
  readonly conflicts: readonly KeyChange[];
}

/**
 * Plans the markers of an undo. A text that comes back, or whose confirmation is taken back, is marked with the source
 * text that it was made for before the commit, and waits for a review if it did then. Confirmations and approvals are taken
 * back only if the translation has not changed since.
 * @param plan what the undo does to texts.
 * @param sourceAfter the source files after it.
 */
async function planUndoMarkers(
  contents: Difference,
  { changes, writes }: ContentChange,
  sourceAfter: (file: FileName) => StringFile | undefined,
): Promise<UndoneMarkers> {
  const { ours, theirs } = contents;
  const { made, reviews, ...back } = await confirmationsBack(contents, sourceAfter);
  for (const change of changes) {
    if (isStepDone()) await pause();
    const review = reviewAt(theirs, change.locale, change);
    // A text that changes has none if it is given none.
    if (review !== undefined) reviews.set(change, review);
  }
  const translatedFrom: TranslatedFrom = (locale, file, key, translation) =>
    translationAt(theirs.content, locale, file, key) === translation
      ? translatedFromAt(theirs, locale, { file, key })
      : undefined;
  const followed = { changes: [...changes, ...made], writes };
  const staleMarkers = await updateStaleMarkers(ours.content, ours.markers, followed, translatedFrom);
  return { staleMarkers, reviews, ...back };
}

/** The confirmations and approvals that a commit made: those that can be taken back, and those that cannot. */
async function confirmationsBack(
  { ours, base, theirs, blocked }: Difference,
  sourceAfter: (file: FileName) => StringFile | undefined,
): Promise<Omit<UndoneMarkers, "staleMarkers"> & { readonly made: readonly KeyChange[] }> {
  const reviews = new GivenReviews();
  let approvals = 0;
  const made: KeyChange[] = [];
  const conflicts: KeyChange[] = [];
  const translations: Record<keyof MergedValues["translations"], KeyChange[]> = {
    confirmed: [],
    outdated: [],
    approved: [],
    waiting: [],
  };
  for (const { code: locale } of ours.content.settings.targetLocales) {
    const marked = [base, theirs].flatMap((side) => [side.markers.get(locale), side.reviews?.get(locale)]);
    for (const file of new Set(marked.flatMap((files) => Array.from(files?.keys() ?? [])))) {
      await pause();
      const differing = differingMarkers({ base, theirs }, locale, file);
      const before = cellsOf(theirs, locale, file);
      const left = cellsOf(base, locale, file);
      const present = cellsOf(ours, locale, file);
      for (const key of new Set(differing)) {
        if (isStepDone()) await pause();
        const from = left(key);
        const { text } = from;
        if (text === undefined) continue;
        const [to, now] = [before(key), present(key)];
        if (text !== to.text || isSameCell(from, to) || isSameCell(now, to)) continue;
        const change = changeOf({ key, before: text, after: text }, { locale, file }, "cleared");
        if (!isSameCell(now, from) || blocked?.has({ file, key }) === true) conflicts.push(change);
        else {
          if (from.translatedFrom !== to.translatedFrom) {
            made.push(change);
            const isCurrent = to.translatedFrom === translatableTexts(sourceAfter(file)).get(key);
            (isCurrent ? translations.confirmed : translations.outdated).push(change);
          } else (to.review === undefined ? translations.approved : translations.waiting).push(change);
          if (!isSameValue(reviewKind, from.review, to.review)) approvals++;
          reviews.set(change, to.review);
        }
      }
    }
  }
  return { made, translations, conflicts, reviews, approvals };
}
