/** Finds the strings of a file that need work in a locale. A plural string is one item with all its forms. */
import { ownMember } from "../record.ts";
import { isUnsent } from "../notes/note-tags.ts";
import type { FileNotes, StringNotes } from "../notes/note.ts";
import { isAbout, isOpen, withholdsIn, type Thread } from "../notes/thread.ts";
import { waitingFor, type Review } from "../sidecars/review.ts";
import { pluralCategories } from "../strings/plural-forms.ts";
import { translatableTexts } from "../strings/string-file.ts";
import { isIn, isMissing, statesOfText, textState, type FileInLocale } from "../queries/text-states.ts";
import { plainForm, workStates, type Seen, type SeenTexts, type WorkForm, type WorkState } from "./work.ts";

/** A file of a Hive in one locale, with the notes of its strings. */
export interface QueueFile extends FileInLocale {
  readonly notes: FileNotes;
}

/** A text of a string that the locale may have. */
export interface FormText {
  readonly form: string;
  readonly key: string;
  readonly source: string;
  readonly isRequired: boolean;
  readonly example: number | undefined;
}

/** A set of states as bits, in the order of {@link workStates}. */
export type StateBits = number;

function bit(state: WorkState): StateBits {
  return 1 << workStates.indexOf(state);
}

const [missing, stale, failing, review, asked, skipped] = [
  bit("missing"),
  bit("stale"),
  bit("failing"),
  bit("review"),
  bit("asked"),
  bit("skipped"),
];

/** States as bits of a number. */
export function toBits(states: Iterable<WorkState>): StateBits {
  let bits = 0;
  for (const state of states) bits |= bit(state);
  return bits;
}

/** The first of the states of a string that is wanted, in the order in which work is handed out. */
export function firstState(bits: StateBits, wanted: StateBits): WorkState | undefined {
  return workStates.find((state) => (bits & wanted & bit(state)) !== 0);
}

/** The forms of the string with the key of an item; undefined where there is none. */
export function formsOf(
  { strings, plurals }: Pick<QueueFile, "strings" | "plurals">,
  key: string,
): readonly FormText[] | undefined {
  const source = strings.texts.get(key);
  if (source === undefined) return undefined;
  const form = plurals.formOf(strings, key);
  if (form === undefined)
    return [{ form: plainForm, key, source, isRequired: plurals.requires(strings, key), example: undefined }];
  if (form.category !== plainForm) return undefined;
  const texts = translatableTexts(strings);
  return pluralCategories.flatMap((category): readonly FormText[] => {
    const own = `${form.string.stem}${category}`;
    const text = texts.get(own);
    if (text === undefined || !plurals.accepts(strings, own)) return [];
    const example = plurals.exampleOf({ string: form.string, category });
    return [{ form: category, key: own, source: text, isRequired: plurals.requires(strings, own), example }];
  });
}

/** The notes of an item: of the form `other`, or else of the last form that has some. */
export function notesOf({ notes }: Pick<QueueFile, "notes">, forms: readonly FormText[]): StringNotes {
  if (notes.size === 0) return {};
  const [found] = forms.toReversed().flatMap(({ key }) => notes.get(key) ?? []);
  return found ?? {};
}

/** Whether a note says that a string is never sent to engines. */
export function isKeptFromEngines(
  { notes }: Pick<QueueFile, "notes">,
  forms: readonly Pick<FormText, "key">[],
): boolean {
  return forms.some(({ key }) => isUnsent(notes.get(key) ?? {}));
}

/** The threads of a string, in the notes of its forms. */
function threadsOf(
  { notes }: Pick<QueueFile, "notes">,
  forms: readonly Pick<FormText, "key">[],
): readonly Thread[] {
  if (notes.size === 0) return [];
  return forms.flatMap(({ key }) => {
    const thread = notes.get(key)?.thread;
    return thread === undefined ? [] : [thread];
  });
}

/** The oldest open question about a string in the locale, or in all: first those that withhold it. */
export function questionIn(
  file: Pick<QueueFile, "notes" | "plurals">,
  forms: readonly Pick<FormText, "key">[],
): string | undefined {
  const { locale } = file.plurals;
  const open = threadsOf(file, forms).flatMap((all) =>
    all.filter((one) => isOpen(one) && isAbout(one, locale)),
  );
  return (open.find(({ withholds }) => withholds === true) ?? open[0])?.text;
}

/** The states of one form of a string. */
export function stateOfForm(
  file: QueueFile,
  { key, source, isRequired }: Pick<FormText, "key" | "source" | "isRequired">,
): StateBits {
  const states = statesOfText(file, key, source, { isRequired });
  let bits = 0;
  if (isMissing(states)) bits |= missing;
  if (isIn(states, textState.needed | textState.stale)) bits |= stale;
  if (isIn(states, textState.failing)) bits |= failing;
  if (isIn(states, textState.waiting)) bits |= review;
  return bits;
}

/** The review that a text waits for; undefined where it does not wait. */
export function waitingAt(
  { texts, reviews }: Pick<QueueFile, "texts" | "reviews">,
  key: string,
): Review | undefined {
  return waitingFor(reviews.get(key), texts.get(key));
}

/** The forms that an item shows: the forms that the locale needs, and others that need work. */
export function shownForms(file: QueueFile, forms: readonly FormText[]): readonly FormText[] {
  return forms.filter((form) => form.isRequired || stateOfForm(file, form) !== 0);
}

/** The keys of strings that are withheld from whoever has skipped them. */
export type Withheld = ReadonlySet<string>;

/**
 * The states of the string with the key of an item; 0 where it needs no work, or there is no such string.
 * @param withheld strings of the file that are `skipped`, and in no other state.
 */
export function statesOf(file: QueueFile, key: string, withheld?: Withheld): StateBits {
  if (withheld?.has(key) === true) return skipped;
  const forms = formsOf(file, key);
  if (forms === undefined) return 0;
  if (threadsOf(file, forms).some((thread) => withholdsIn(thread, file.plurals.locale))) return asked;
  let bits = 0;
  for (const form of forms) bits |= stateOfForm(file, form);
  return bits;
}

/**
 * The strings of a file that need work, by the keys of their items, in the order of the source.
 * @param withheld as for {@link statesOf}; these are given even where they need no work.
 */
export function* openStrings(
  file: QueueFile,
  withheld?: Withheld,
): Generator<readonly [key: string, states: StateBits]> {
  const { strings, plurals, notes } = file;
  const text = { key: "", source: "", isRequired: true };
  for (const [key, source] of strings.texts) {
    const form = strings.plurals === undefined ? undefined : plurals.formOf(strings, key);
    let item = key;
    let states = 0;
    if (form === undefined) {
      // Most strings are plain texts: one object is reused for all of them.
      text.key = key;
      text.source = source;
      if (withheld?.has(key) === true) states = skipped;
      else states = withholdsIn(notes.get(key)?.thread, plurals.locale) ? asked : stateOfForm(file, text);
    } else if (form.string.own[0] === key) {
      item = `${form.string.stem}${plainForm}`;
      states = statesOf(file, item, withheld);
    }
    if (states !== 0) yield [item, states];
  }
}

/** How many strings of a file are in each set of states. */
export type StateCounts = ReadonlyMap<StateBits, number>;

/** How many strings of a file have each combination of states. */
export function countStates(file: QueueFile): StateCounts {
  const counts = new Map<StateBits, number>();
  for (const [, states] of openStrings(file)) counts.set(states, (counts.get(states) ?? 0) + 1);
  return counts;
}

/** How many strings have at least one of the wanted states. */
export function countWanted(counts: StateCounts, wanted: StateBits): number {
  let count = 0;
  for (const [states, strings] of counts) if ((states & wanted) !== 0) count += strings;
  return count;
}

/** Forms with their translations. A text that is not to be translated is not stale. */
export function workForms(file: FileInLocale, forms: readonly FormText[]): readonly WorkForm[] {
  return forms.map(({ form, key, source, example, isRequired }) => {
    const isStale =
      isIn(statesOfText(file, key, source, { isRequired }), textState.stale) && !file.kept.has(key);
    const former = isStale ? file.staleMarkers.get(key) : undefined;
    return { form, key, source, example, translation: file.texts.get(key), formerSource: former };
  });
}

/** What is needed to answer a string in a locale without having claimed it. */
export interface AnswerableString {
  /** The key by which an answer names it: of the form `other`. */
  readonly item: string;
  /** Its plural forms; none for a plain text. */
  readonly forms: readonly WorkForm[];
  readonly expected: SeenTexts;
}

/**
 * A string in a locale, as it can be answered.
 * @param key of any of its forms, which is among the shown ones even where the locale does not need it.
 */
export function answerable(file: FileInLocale, key: string): AnswerableString {
  const plural = file.plurals.formOf(file.strings, key);
  const item = plural === undefined ? key : `${plural.string.stem}${plainForm}`;
  const all = formsOf(file, item) ?? [];
  const shown = all.filter((form) => form.isRequired || file.texts.has(form.key) || form.key === key);
  return { item, forms: plural === undefined ? [] : workForms(file, shown), expected: seenTexts(file, all) };
}

/** What was seen, by its texts. A form that is not among these had the source text of `other`, and no translation. */
export function seenAs({ source, translation }: SeenTexts): Seen {
  return {
    isSource: (form, text) => (ownMember(source, form) ?? ownMember(source, plainForm)) === text,
    isTranslation: (form, text) => (ownMember(translation, form) ?? undefined) === text,
  };
}

/** The texts that an item shows: of the forms that the locale needs, and of others that have a translation. */
export function seenTexts({ texts }: Pick<QueueFile, "texts">, forms: readonly FormText[]): SeenTexts {
  const seen = forms.filter(({ key, isRequired }) => isRequired || texts.has(key));
  return {
    source: Object.fromEntries(seen.map(({ form, source }) => [form, source])),
    translation: Object.fromEntries(seen.map(({ form, key }) => [form, texts.get(key) ?? null])),
  };
}
