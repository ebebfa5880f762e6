/** What a change of texts and the values beside them write together: the values that follow, reviews and pictures. */
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { Move } from "../../domain/move.ts";
import { translationMovesOf } from "../../domain/moves/moved-content.ts";
import type { FileName } from "../../domain/names.ts";
import { sidecars } from "../../domain/plans/sidecars.ts";
import { reviewKind } from "../../domain/sidecars/review.ts";
import {
  countingValues,
  differingKeys,
  isTrivialChange,
  movedInLocales,
  type LocaleValues,
  type Sidecar,
  type ValueChange,
  type ValueFiles,
  type ValueWrite,
} from "../../domain/sidecars/sidecar.ts";
import { staleKind } from "../../domain/sidecars/stale.ts";
import {
  sourceWrites,
  translationsOf,
  withWrites,
  type FileWrite,
  type HiveContent,
} from "../../domain/strings/hive-content.ts";
import { noTexts, translatableTexts } from "../../domain/strings/string-file.ts";
import type { UnreadablePath } from "../../git/bare-repo.ts";
import { pause } from "../../slices.ts";
import type { ChangeMetadata } from "../../domain/commits/commit-message.ts";
import { reviewWrites, type ReviewChange } from "../../domain/review/review.ts";
import type { Snapshot } from "../content/snapshot.ts";
import { changedPictures } from "../content/stored-pictures.ts";
import { writesOnly, type HiveChange } from "./hive-commit.ts";
import { speakerOf, type WriteContext, type WritePlan } from "./write-context.ts";

/**
 * Kinds that follow texts by rules of their own: plans give the source texts of stale translations, as these are a part of
 * what they decide, and who has to be reviewed depends on the writer.
 */
const ruled = new Set<Sidecar<unknown>>([staleKind, reviewKind]);

/**
 * A planned change with all values that follow it: those that its plan gives as a whole stay as they are.
 * @param planned what the plan says beside the change.
 * @returns undefined where it would change values alone, none of which is worth a commit.
 * @throws SkepError `content-invalid` when values of a kind that is not optional cannot be read.
 */
export async function withFollowingValues(
  snapshot: Snapshot,
  { moves = [], values: changes = [], pictures: changePictures, ...planned }: WritePlan<unknown>,
  change: HiveChange<ChangeMetadata>,
  context: Pick<WriteContext, "caller" | "metadata">,
): Promise<HiveChange<ChangeMetadata> | undefined> {
  const { writes = [], values: given = [] } = change;
  const following = await followingValues(snapshot, { moves, writes }, changes);
  const pictures = await changedPictures(snapshot, moves, changePictures, writes);
  const markers = given.filter((write): write is ValueWrite<string> => write.kind === staleKind);
  const review = await reviewsOf(snapshot, { moves, writes, markers }, planned, context);
  const isGiven = new Set(given.map(({ kind }) => kind));
  const followed = [...following.writes, ...review].filter(({ kind }) => !isGiven.has(kind));
  const whole = { pictures, ...change, values: [...given, ...followed] };
  const isTrivial = changes.length > 0 && following.isTrivial && writesOnly(following.writes, whole);
  return isTrivial ? undefined : whole;
}

/** How many of the texts that a planned change writes or confirms wait for a review after it. */
export function waitingOf(
  { values = [] }: Pick<HiveChange<unknown>, "values">,
  { changes = [], confirmed = [] }: Pick<WritePlan<unknown>, "changes" | "confirmed">,
): number {
  const reviews = values.filter(({ kind }) => kind === reviewKind);
  if (reviews.length === 0) return 0;
  const waiting = new Map(reviews.map((one) => [`${one.locale}/${one.file}`, one.values]));
  return [...changes, ...confirmed].filter(({ locale, file, key }) =>
    waiting.get(`${locale}/${file}`)?.has(key),
  ).length;
}

/** What a change does to the texts that values lie beside. */
interface TextChange {
  readonly moves: readonly Move[];
  readonly writes: readonly FileWrite[];
}

interface FollowingValues {
  readonly writes: readonly ValueWrite[];
  /** Whether none of them is worth a commit of its own. */
  readonly isTrivial: boolean;
}

/**
 * The values that follow a change: they move with their strings, are changed as the plan says, and go when they count no
 * more. A file that cannot be read stays as it is.
 * @param changes what the plan makes of them.
 * @throws SkepError `content-invalid` when values of a kind that is not optional cannot be read.
 */
async function followingValues(
  snapshot: Snapshot,
  change: TextChange,
  changes: readonly ValueChange[],
): Promise<FollowingValues> {
  const writes: ValueWrite[] = [];
  let isTrivial = true;
  for (const kind of sidecars) {
    const own = changes.find((one) => one.kind === kind);
    if (own === undefined && (ruled.has(kind) || !isTouched(snapshot, kind, change))) continue;
    const followed = await followedBy(snapshot, kind, change, own);
    writes.push(...followed.writes);
    isTrivial &&= followed.isTrivial;
  }
  return { writes, isTrivial };
}

function isTouched({ settings }: Snapshot, { countsByText }: Sidecar<unknown>, change: TextChange): boolean {
  const { moves, writes } = change;
  return (
    moves.length > 0 || writes.some(({ locale }) => countsByText || locale === settings.sourceLocale.code)
  );
}

async function followedBy<V>(
  snapshot: Snapshot,
  kind: Sidecar<V>,
  { moves, writes }: TextChange,
  own: ValueChange<V> | undefined,
): Promise<FollowingValues> {
  const { settings, index } = snapshot;
  const { before, unreadable } = await readAll(snapshot, kind);
  const moved = movedInLocales(before, translationMovesOf(index.source, moves));
  const after = own === undefined ? moved : own.change(moved);
  const isEmpty = [before, after].every((all) => [...all.values()].every(({ size }) => size === 0));
  if (isEmpty) return { writes: [], isTrivial: true };
  const content = await contentBeside(snapshot, kind, after, writes);
  const sources = sourceWrites(settings, writes);
  const isWritten = (locale: LocaleCode, file: FileName): boolean =>
    sources.has(file) ||
    (kind.countsByText && writes.some((write) => write.locale === locale && write.file === file));
  const changed: ValueWrite<V>[] = [];
  let isTrivial = true;
  for (const [locale, files] of after) {
    const was = before.get(locale) ?? new Map();
    for (const file of new Set([...was.keys(), ...files.keys()])) {
      const [former, present] = [was.get(file), files.get(file)];
      if (unreadable(locale, file) || (former === present && !isWritten(locale, file))) continue;
      await pause();
      const source = translatableTexts(content.source.get(file));
      const texts = translationsOf(content, locale).get(file) ?? noTexts;
      const values = countingValues(kind, present, source, texts);
      if (differingKeys<V>(kind, former, values).length === 0) continue;
      isTrivial &&= isTrivialChange<V>(kind, former, values);
      changed.push({ kind, locale, file, values });
    }
  }
  return { writes: changed, isTrivial };
}

interface ReadValues<V> {
  /** By target locale; by the source locale for values of strings. */
  readonly before: LocaleValues<V>;
  readonly unreadable: (locale: LocaleCode, file: FileName) => boolean;
}

async function readAll<V>({ settings, values }: Snapshot, kind: Sidecar<V>): Promise<ReadValues<V>> {
  const stored = values.of(kind);
  const locales = kind.by === "string" ? [settings.sourceLocale] : settings.targetLocales;
  const before = new Map<LocaleCode, ValueFiles<V>>();
  const unreadable = new Map<LocaleCode, ReadonlyMap<FileName, UnreadablePath>>();
  for (const { code } of locales) {
    if (!kind.isOptional) before.set(code, await stored.files(code));
    else {
      const read = await stored.readable(code);
      // Where it is not known which files there are, none is written.
      if (read.unreadable === undefined) continue;
      before.set(code, read.files);
      unreadable.set(code, read.unreadable);
    }
  }
  return { before, unreadable: (locale, file) => unreadable.get(locale)?.has(file) === true };
}

/** The content after a change, with the translations that values of a kind depend on. */
async function contentBeside<V>(
  snapshot: Snapshot,
  { countsByText }: Sidecar<V>,
  values: LocaleValues<V>,
  writes: readonly FileWrite[],
): Promise<HiveContent> {
  const codes = [...values].flatMap(([code, { size }]) => (countsByText && size > 0 ? [code] : []));
  const content = await snapshot.content(codes);
  const source = content.settings.sourceLocale.code;
  const known = new Set<LocaleCode>([source, ...codes]);
  return withWrites(
    content,
    writes.filter(({ locale }) => known.has(locale)),
  );
}

/**
 * The reviews that a planned change writes; see {@link reviewWrites}. No content is read where no text waits and no text of
 * the change has to wait.
 * @throws SkepError `content-invalid` when reviews cannot be read.
 */
async function reviewsOf(
  snapshot: Snapshot,
  { moves, writes, markers }: TextChange & Pick<ReviewChange, "markers">,
  { reviews: given, confirmed = [] }: Pick<WritePlan<unknown>, "reviews" | "confirmed">,
  { caller, metadata }: Pick<WriteContext, "caller" | "metadata">,
): Promise<readonly ValueWrite[]> {
  const { targetLocales } = snapshot.settings;
  const touched = new Set([...writes, ...confirmed].map(({ locale }) => locale));
  for (const code of given?.locales ?? []) touched.add(code);
  const sources = sourceWrites(snapshot.settings, writes);
  const isMarked = (code: LocaleCode): boolean => markers.some(({ locale }) => locale === code);
  const looked = targetLocales
    .map(({ code }) => code)
    .filter((code) => touched.has(code) || sources.size > 0 || isMarked(code));
  const rule = caller.review ?? (metadata.origin?.kind === "model" ? "always" : "never");
  const by = speakerOf(metadata);
  const writer: ReviewChange["writer"] = ({ review: all }) =>
    rule === "always" || all === "all" ? by : undefined;
  const stored = await snapshot.values.review.read(looked);
  // Where no text changes, a review does if its text is made for another source text from now on.
  const isFollowing = (code: LocaleCode): boolean => {
    const marked = markers.flatMap(({ locale, file }) => (locale === code ? [file] : []));
    return [...sources.keys(), ...marked].some((file) => (stored.get(code)?.get(file)?.size ?? 0) > 0);
  };
  const codes = looked.filter((code) => touched.has(code) || isFollowing(code));
  const reviews = new Map([...stored].filter(([code]) => codes.includes(code)));
  const isNothing = [...reviews.values()].every(({ size }) => size === 0) && (given?.isEmpty ?? true);
  if (isNothing && !targetLocales.some((locale) => reviews.has(locale.code) && writer(locale) !== undefined))
    return [];
  const content = await snapshot.content(codes);
  const translationMoves = translationMovesOf(content.source, moves);
  const stale = await snapshot.values.stale.read(codes);
  const change = { translationMoves, writes, given, confirmed, markers, writer };
  return reviewWrites(content, { reviews, stale }, change);
}
