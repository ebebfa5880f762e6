/** The strings of a locale that need work. They are looked up file by file, and counted once for each version of a file. */
import type { LocaleCode, Locale } from "../../domain/hives/locale.ts";
import type { FileName } from "../../domain/names.ts";
import type { FileNotes, Notes } from "../../domain/notes/note.ts";
import { keptIn, noteRulesOf, type NoteRules } from "../../domain/notes/note-tags.ts";
import { pause } from "../../slices.ts";
import { translationsOf, type HiveContent } from "../../domain/strings/hive-content.ts";
import { LocalePlurals } from "../../domain/strings/plural-rules.ts";
import { noTexts, type StringFile } from "../../domain/strings/string-file.ts";
import {
  countStates,
  type QueueFile,
  type StateCounts,
  type Withheld,
  countWanted,
  formsOf,
  toBits,
  waitingAt,
  openStrings,
  seenTexts,
  statesOf,
} from "../../domain/work/queue.ts";
import { type IsAccepted, readAccepted } from "../../store/content/accepted-findings.ts";
import { failingIn } from "../../store/content/findings.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { StringAddress } from "../../domain/move.ts";
import type { SeenTexts } from "../../domain/work/work.ts";
import type { ClaimIndex } from "./claims.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";
import { inheritedFiles } from "../../domain/queries/inheritance.ts";
import { type Review } from "../../domain/sidecars/review.ts";
import type { ValueFiles } from "../../domain/sidecars/sidecar.ts";

const noNotes: FileNotes = new Map();

interface Counted {
  /** The values that the counts were made from. */
  readonly basis: readonly unknown[];
  readonly counts: StateCounts;
}

/** By source file, then by locale: most files stay the same from one commit to the next. */
const counted = moduleCache(new WeakCache<StringFile, Map<string, Counted>>());

const nothingWithheld: Withheld = new Set();
const noReviews = new Map<string, Review>();

/** What decides about the strings of a locale, beside its texts. */
interface QueueContext {
  readonly staleMarkers: ValueFiles<string> | undefined;
  readonly reviews: ValueFiles<Review> | undefined;
  readonly notes: Notes;
  readonly isAccepted: IsAccepted;
  /** The version of the accepted findings. */
  readonly accepted: string;
}

export class LocaleQueue {
  readonly content: HiveContent;
  readonly locale: Locale;
  readonly notes: Notes;
  readonly isAccepted: IsAccepted;
  readonly #context: QueueContext;
  readonly #noteRules: NoteRules;
  readonly #plurals: LocalePlurals;
  readonly #withFailing: boolean;
  readonly #files = new Map<FileName, QueueFile>();

  private constructor(content: HiveContent, locale: Locale, context: QueueContext, withFailing: boolean) {
    this.content = content;
    this.locale = locale;
    this.notes = context.notes;
    this.isAccepted = context.isAccepted;
    this.#context = context;
    this.#noteRules = noteRulesOf(context.notes);
    this.#plurals = new LocalePlurals(locale.code, content.settings);
    this.#withFailing = withFailing;
  }

  /**
   * Reads all that the queue of a locale is made from.
   * @param others locales whose translations are read, too.
   * @param withFailing whether to look for translations with errors; if not, no string is in the state `failing`.
   * @throws SkepError `content-invalid` when content or markers cannot be read.
   */
  static async open(
    snapshot: Snapshot,
    locale: Locale,
    { others = [], withFailing }: { readonly others?: readonly LocaleCode[]; readonly withFailing: boolean },
  ): Promise<LocaleQueue> {
    const codes = [locale.code];
    const [content, stale, reviews, isAccepted, { files: notes }] = await Promise.all([
      snapshot.content([...codes, ...others]),
      snapshot.values.stale.read(codes),
      snapshot.values.review.read(codes),
      readAccepted(snapshot, codes),
      snapshot.values.notes.readable(),
    ]);
    const accepted = snapshot.values.accepted.version(codes);
    const [staleMarkers, waiting] = [stale.get(locale.code), reviews.get(locale.code)];
    const context = { staleMarkers, reviews: waiting, notes, isAccepted, accepted };
    return new LocaleQueue(content, locale, context, withFailing);
  }

  /** A file of the Hive; undefined where there is none of this name. */
  async file(name: FileName): Promise<QueueFile | undefined> {
    const known = this.#files.get(name);
    const strings = this.content.source.get(name);
    if (known !== undefined || strings === undefined) return known;
    const failing = this.#withFailing
      ? await failingIn(this.content, this.locale, name, this.isAccepted, this.#noteRules)
      : undefined;
    const parts = this.#parts(name);
    const kept = keptIn(parts.notes, strings, this.#plurals);
    const file = { strings, plurals: this.#plurals, failing, kept, ...parts };
    this.#files.set(name, file);
    return file;
  }

  /** The strings of a file that are withheld from an owner who skipped them. */
  async withheldIn(name: FileName, held: ClaimIndex): Promise<Withheld> {
    const keys = held.skippedIn(name, () => this.content.source.get(name)?.texts.keys() ?? []);
    const file = keys.length > 0 ? await this.file(name) : undefined;
    if (file === undefined) return nothingWithheld;
    const isWithheld = (key: string): boolean => {
      const forms = formsOf(file, key);
      return forms !== undefined && held.isWithheld({ file: name, key }, () => seenTexts(file, forms));
    };
    return new Set(keys.filter(isWithheld));
  }

  /** How many strings of a file are wanted. @param withheld its strings that are in no state but `skipped`. */
  async countWanted(name: FileName, wanted: number, withheld: Withheld): Promise<number> {
    const count = countWanted(await this.counts(name), wanted);
    const file = withheld.size > 0 ? await this.file(name) : undefined;
    if (file === undefined) return count;
    const others = Array.from(withheld).filter((key) => (statesOf(file, key) & wanted) !== 0).length;
    return count - others + ((wanted & toBits(["skipped"])) === 0 ? 0 : withheld.size);
  }

  async counts(name: FileName): Promise<StateCounts> {
    const strings = this.content.source.get(name);
    if (strings === undefined) return new Map();
    const { settings } = this.content;
    const { inherited, ...parts } = this.#parts(name);
    const basis = [
      ...Object.values(parts),
      ...inherited,
      this.#context.accepted,
      settings.checks,
      settings.plurals,
    ];
    const all = counted.get(strings) ?? new Map<string, Counted>();
    counted.set(strings, all);
    const address = `${this.locale.code} ${this.#withFailing} ${name}`;
    const known = all.get(address);
    if (known?.basis.every((part, i) => part === basis[i]) === true) return known.counts;
    await pause();
    const file = await this.file(name);
    const counts: StateCounts = file === undefined ? new Map() : countStates(file);
    all.set(address, { basis, counts });
    return counts;
  }

  #parts(
    name: FileName,
  ): Pick<QueueFile, "texts" | "staleMarkers" | "reviews" | "notes"> &
    Required<Pick<QueueFile, "inherited">> {
    const { staleMarkers, reviews, notes } = this.#context;
    return {
      texts: translationsOf(this.content, this.locale.code).get(name) ?? noTexts,
      inherited: inheritedFiles(this.content, this.locale, name),
      staleMarkers: staleMarkers?.get(name) ?? noTexts,
      reviews: reviews?.get(name) ?? noReviews,
      notes: notes.get(name) ?? noNotes,
    };
  }
}

interface FreeString {
  readonly name: FileName;
  readonly file: QueueFile;
  readonly key: string;
  /** Its states as bits. */
  readonly states: number;
  readonly seen: () => SeenTexts;
}

/** Whether somebody wants a string of a file. @param states all that it is in, as bits. */
export type Matches = (file: QueueFile, key: string, states: number) => boolean;

/**
 * A filter that leaves out what is only to be reviewed and was written by the caller, where two people are needed: they
 * could not approve it.
 */
export function withoutOwn(
  { twoPeople }: Pick<Locale, "twoPeople">,
  writer: string | undefined,
  wanted: number,
  matches?: Matches,
): Matches | undefined {
  const review = toBits(["review"]);
  if (twoPeople !== true || (wanted & review) === 0) return matches;
  return (file, key, states) =>
    matches?.(file, key, states) !== false &&
    ((states & wanted) !== review ||
      formsOf(file, key)?.some((form) => waitingAt(file, form.key)?.by === writer) !== true);
}

/**
 * Goes through the strings of a queue that are in wanted states and that nobody holds. Files are read only until there are
 * enough strings; all others are counted.
 * @param matches a further filter. All files with wanted strings are read for it, since their counts do not regard it.
 * @param take takes a string. @returns whether it takes more.
 * @returns how many strings are wanted, including the claimed ones.
 */
export async function walkQueue(
  queue: LocaleQueue,
  held: ClaimIndex,
  names: readonly FileName[],
  wanted: number,
  matches: Matches | undefined,
  take: (string: FreeString) => boolean | Promise<boolean>,
): Promise<number> {
  let [total, takesMore] = [0, true];
  for (const name of names) {
    const withheld = await queue.withheldIn(name, held);
    const count = await queue.countWanted(name, wanted, withheld);
    if (matches === undefined) total += count;
    const file = count > 0 && (takesMore || matches !== undefined) ? await queue.file(name) : undefined;
    if (file === undefined) continue;
    for (const [key, states] of openStrings(file, withheld)) {
      if ((states & wanted) === 0 || matches?.(file, key, states) === false) continue;
      if (matches !== undefined) total++;
      else if (!takesMore) break;
      const address: StringAddress = { file: name, key };
      const seen = (): SeenTexts => seenTexts(file, formsOf(file, key) ?? []);
      if (!takesMore || held.claimed.has(address)) continue;
      takesMore = await take({ name, file, key, states, seen });
      await pause();
    }
    await pause();
  }
  return total;
}
