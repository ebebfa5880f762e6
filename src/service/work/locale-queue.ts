/** The strings of a locale with which something is to be done: looked up file by file, and counted once for each state of it. */
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import type { FileName } from "../../domain/names.ts";
import type { FileNotes, Notes } from "../../domain/notes/note.ts";
import type { Steps } from "../../domain/steps.ts";
import type { MarkerFiles } from "../../domain/strings/stale.ts";
import { translationsOf, type HiveContent } from "../../domain/strings/hive-content.ts";
import { LocalePlurals } from "../../domain/strings/plural-rules.ts";
import { noTexts, type StringFile } from "../../domain/strings/string-file.ts";
import { countStates, type QueueFile, type StateCounts } from "../../domain/work/queue.ts";
import { acceptedIn, type IsAccepted } from "../../store/content/accepted-findings.ts";
import { failingIn } from "../../store/content/findings.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";

const noNotes: FileNotes = new Map();

interface Counted {
  /** What the counts follow from. */
  readonly basis: readonly unknown[];
  readonly counts: StateCounts;
}

/** By source file, then by locale: most files stay the same from one commit to the next. */
const counted = new WeakMap<StringFile, Map<string, Counted>>();

/** What is stored beside the texts of a locale. */
interface Beside {
  readonly staleMarkers: MarkerFiles | undefined;
  readonly reviews: MarkerFiles | undefined;
  readonly notes: Notes;
  readonly isAccepted: IsAccepted;
  /** As long as it is the same, so is what was accepted. */
  readonly accepted: string;
}

export class LocaleQueue {
  readonly content: HiveContent;
  readonly locale: Locale;
  readonly notes: Notes;
  readonly isAccepted: IsAccepted;
  readonly #beside: Beside;
  readonly #plurals: LocalePlurals;
  readonly #withFailing: boolean;
  readonly #files = new Map<FileName, QueueFile>();

  private constructor(content: HiveContent, locale: Locale, beside: Beside, withFailing: boolean) {
    this.content = content;
    this.locale = locale;
    this.notes = beside.notes;
    this.isAccepted = beside.isAccepted;
    this.#beside = beside;
    this.#plurals = new LocalePlurals(locale.code, content.settings.plurals);
    this.#withFailing = withFailing;
  }

  /**
   * Reads what the queue of a locale follows from.
   * @param others locales whose translations are read, too.
   * @param withFailing whether translations with errors are looked for; without that, no string fails.
   * @throws SkepError `content-invalid` when content or markers cannot be read.
   */
  static async open(
    snapshot: Snapshot,
    locale: Locale,
    { others = [], withFailing }: { readonly others?: readonly LocaleCode[]; readonly withFailing: boolean },
  ): Promise<LocaleQueue> {
    const codes = [locale.code];
    const [content, stale, reviews, isAccepted, { notes }] = await Promise.all([
      snapshot.content([...codes, ...others]),
      snapshot.staleMarkers.read(codes),
      snapshot.review.read(codes),
      acceptedIn(snapshot, codes),
      snapshot.notes.readable(),
    ]);
    const accepted = snapshot.accepted.version(codes);
    const [staleMarkers, waiting] = [stale.get(locale.code), reviews.get(locale.code)];
    const beside = { staleMarkers, reviews: waiting, notes, isAccepted, accepted };
    return new LocaleQueue(content, locale, beside, withFailing);
  }

  /** A file of the Hive; undefined where there is none of this name. */
  *file(name: FileName): Steps<QueueFile | undefined> {
    const known = this.#files.get(name);
    const strings = this.content.source.get(name);
    if (known !== undefined || strings === undefined) return known;
    const failing = this.#withFailing
      ? yield* failingIn(this.content, this.locale, name, this.isAccepted)
      : undefined;
    const file = { strings, plurals: this.#plurals, failing, ...this.#parts(name) };
    this.#files.set(name, file);
    return file;
  }

  /** How many strings of a file are in each set of states. */
  *counts(name: FileName): Steps<StateCounts> {
    const strings = this.content.source.get(name);
    if (strings === undefined) return new Map();
    const { settings } = this.content;
    const parts = Object.values(this.#parts(name));
    const basis = [...parts, this.#beside.accepted, settings.checks, settings.plurals];
    const all = counted.get(strings) ?? new Map<string, Counted>();
    counted.set(strings, all);
    const address = `${this.locale.code} ${this.#withFailing} ${name}`;
    const known = all.get(address);
    if (known?.basis.every((part, i) => part === basis[i]) === true) return known.counts;
    yield;
    const file = yield* this.file(name);
    const counts: StateCounts = file === undefined ? new Map() : countStates(file);
    all.set(address, { basis, counts });
    return counts;
  }

  #parts(name: FileName): Pick<QueueFile, "texts" | "staleMarkers" | "reviews" | "notes"> {
    const { staleMarkers, reviews, notes } = this.#beside;
    return {
      texts: translationsOf(this.content, this.locale.code).get(name) ?? noTexts,
      staleMarkers: staleMarkers?.get(name) ?? noTexts,
      reviews: reviews?.get(name) ?? noTexts,
      notes: notes.get(name) ?? noNotes,
    };
  }
}
