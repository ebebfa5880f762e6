/** Builds the items that are handed out: a string with all that is known about it. */
import { defaultChecks, syntaxOf } from "../checks/check-settings.ts";
import { maxCheckedLength } from "../checks/check-text.ts";
import { isFault } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { syntaxes } from "../checks/syntaxes.ts";
import { isKept, localeOfTerm } from "../glossary/term.ts";
import { shownTermsIn } from "../glossary/expected-terms.ts";
import type { TermIndex } from "../glossary/term-index.ts";
import type { HiveSettings } from "../hives/hive-settings.ts";
import { codeOf, type Locale } from "../hives/locale.ts";
import type { StringAddress } from "../move.ts";
import type { FindFormatRules } from "../files/file-formats.ts";
import type { FileName } from "../names.ts";
import { syntaxByNotes, type NoteRules } from "../notes/note-tags.ts";
import { shownNote, type ArgumentNote } from "../notes/note.ts";
import { FileChecker, type CheckedTexts, type LocatedFinding } from "../plans/check-content.ts";
import { emptyRecord, ownMember } from "../record.ts";
import type { TranslationFiles } from "../strings/hive-content.ts";
import {
  firstState,
  formsOf,
  notesOf,
  questionIn,
  seenTexts,
  shownForms,
  statesOf,
  toBits,
  workForms,
  type FormText,
  type QueueFile,
} from "./queue.ts";
import {
  workStates,
  type WorkArgument,
  type WorkItem,
  type WorkNeighbour,
  type WorkState,
  type WorkTerm,
} from "./work.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";

export interface ItemContext {
  readonly settings: HiveSettings;
  readonly locale: Locale;
  readonly others: readonly { readonly locale: Locale; readonly files: TranslationFiles }[];
  readonly terms: TermIndex | undefined;
  readonly noteRules: NoteRules;
  readonly rulesOf: FindFormatRules;
  readonly isAccepted: (found: Pick<LocatedFinding, "locale" | "check">, texts: CheckedTexts) => boolean;
  readonly picturesOf: (at: StringAddress) => Promise<readonly string[]>;
  /** Why the text of a form was rejected, if the rejection put the stored text back. */
  readonly rejectionOf: (at: StringAddress, text: string | undefined) => string | undefined;
}

/** How many strings before and behind an item are shown, and how much of their texts. */
const neighboursShown = 2;
const maxNeighbour = 300;

/**
 * Builds the item with a key, without hits of the memory, which take longer to find.
 * @param state of the states that it is in, the one that it gets; the first one where it is undefined.
 * @returns undefined where there is no such string.
 */
export async function buildItem(
  context: ItemContext,
  name: FileName,
  file: QueueFile,
  key: string,
  state: WorkState | undefined = firstState(statesOf(file, key), toBits(workStates)),
): Promise<WorkItem | undefined> {
  const { settings, others, rejectionOf, picturesOf } = context;
  const all = formsOf(file, key);
  if (all === undefined) return undefined;
  const forms = shownForms(file, all);
  const note = shownNote(notesOf(file, all));
  const ofFile = syntaxOf(settings.checks ?? defaultChecks, name, file.strings);
  const syntax = syntaxByNotes(notesOf(file, all), ofFile);
  const source = file.strings.texts.get(key) ?? "";
  const otherLocales = emptyRecord<string>();
  for (const other of others) {
    const text = other.files.get(name)?.get(key);
    if (text !== undefined) otherLocales[codeOf(other.locale)] = text;
  }
  const pictures = new Set<string>();
  for (const form of all)
    for (const hash of await picturesOf({ file: name, key: form.key })) pictures.add(hash);
  const [rejected] = forms.flatMap(
    (form) => rejectionOf({ file: name, key: form.key }, file.texts.get(form.key)) ?? [],
  );
  return {
    file: name,
    key,
    state: state ?? "missing",
    forms: workForms(file, forms),
    syntax,
    arguments: argumentsOf(syntax, source, note.arguments),
    note: note.note,
    ask: questionIn(file, all),
    rejected,
    maxLength: note.max_length,
    maxLengthUnit: note.max_length === undefined ? undefined : (note.max_length_unit ?? "characters"),
    tags: note.tags ?? [],
    pictures: [...pictures],
    where: note.where ?? [],
    neighbours: neighboursOf(file, all),
    otherLocales,
    memory: [],
    terms: termsOf(context, syntax, source),
    findings: findingsOf(context, name, file)(all),
    expected: seenTexts(file, all),
  };
}

function argumentsOf(
  syntax: SyntaxName,
  source: string,
  said: Readonly<Record<string, ArgumentNote>> = {},
): readonly WorkArgument[] {
  const kinds = new Map<string, string | undefined>();
  const parsed = source.length > maxCheckedLength ? undefined : syntaxes[syntax].parse(source);
  if (parsed !== undefined && !isFault(parsed)) {
    for (const { name, kind } of [...(parsed.choices ?? []), ...parsed.arguments])
      if (!kinds.has(name)) kinds.set(name, kind);
  }
  for (const name of Object.keys(said)) if (!kinds.has(name)) kinds.set(name, undefined);
  return Array.from(kinds, ([name, kind]) => ({ name, kind, ...ownMember(said, name) }));
}

function termsOf(
  { terms, locale, settings }: ItemContext,
  syntax: SyntaxName,
  source: string,
): readonly WorkTerm[] {
  const found = terms === undefined ? [] : shownTermsIn(terms, syntax, source);
  const distinct = new Set(found.flatMap((one) => one.terms));
  return Array.from(distinct, (term) => {
    const { code } = localeOfTerm(term, locale, settings);
    const { text, accepted = [], forbidden = [] } = term.translations.get(code) ?? {};
    return {
      source: term.source,
      meaning: term.meaning,
      partOfSpeech: term.partOfSpeech,
      translation: text,
      accepted,
      forbidden,
      keep: isKept(term, code),
    };
  });
}

/** Makes a function that checks texts of a file. It leaves out accepted findings. */
export function findingsOf(
  {
    settings,
    locale: { code },
    terms,
    noteRules,
    isAccepted,
    rulesOf,
  }: Pick<ItemContext, "settings" | "locale" | "terms" | "noteRules" | "isAccepted" | "rulesOf">,
  name: FileName,
  file: Pick<QueueFile, "strings" | "texts">,
): (
  forms: readonly Pick<FormText, "key">[],
  texts?: ReadonlyMap<string, string>,
) => readonly LocatedFinding[] {
  if ((settings.checks ?? defaultChecks).level === "off") return () => [];
  const checker = new FileChecker({ settings, rulesOf, terms, noteRules, isAccepted }, name, file.strings);
  return (forms, texts = file.texts) => {
    const findings: LocatedFinding[] = [];
    for (const { key } of forms) {
      const text = texts.get(key);
      if (text !== undefined) checker.check({ locale: code, key }, text, (found) => findings.push(found));
    }
    return findings;
  };
}

/** The places of the keys of a file, found once for all items of it. */
const keyLists = moduleCache(
  new WeakCache<QueueFile, { readonly keys: readonly string[]; readonly places: Map<string, number> }>(),
);

/** The strings before and behind an item. A plural string counts once. */
function neighboursOf(file: QueueFile, forms: readonly FormText[]): readonly WorkNeighbour[] {
  const { strings, plurals, texts } = file;
  const known = keyLists.get(file) ?? { keys: [...strings.texts.keys()], places: new Map<string, number>() };
  if (known.places.size === 0) for (const [i, key] of known.keys.entries()) known.places.set(key, i);
  keyLists.set(file, known);
  const places = forms.flatMap(({ key }) => known.places.get(key) ?? []);
  const own = new Set(forms.map(({ key }) => key));
  const beside = (from: number, step: 1 | -1): readonly string[] => {
    const found = new Set<string>();
    for (let at = from + step; found.size < neighboursShown; at += step) {
      const key = known.keys[at];
      if (key === undefined) break;
      const form = plurals.formOf(strings, key);
      if (!own.has(key)) found.add(form === undefined ? key : `${form.string.stem}other`);
    }
    return [...found];
  };
  const before = beside(Math.min(...places), -1).toReversed();
  return [...before, ...beside(Math.max(...places), 1)].map((key) => ({
    key,
    source: cut(strings.texts.get(key) ?? ""),
    translation: texts.has(key) ? cut(texts.get(key) ?? "") : undefined,
  }));
}

function cut(text: string): string {
  return text.length <= maxNeighbour ? text : `${text.slice(0, maxNeighbour).toWellFormed()}…`;
}

/** Estimates how many tokens of a model a text takes: about four bytes each. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
