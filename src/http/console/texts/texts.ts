/** The texts of the pages by their keys, and numbers, times and names of languages, all in the language of the reader. */
import type { Child } from "hono/jsx";
import { AsyncLocalStorage } from "node:async_hooks";
import {
  acceptedLanguages,
  catalogueOf,
  languageFor,
  sourceCatalogue,
  type Catalogue,
  type PageLanguage,
} from "./catalogues.ts";
import english from "./en.json" with { type: "json" };

type Stored = keyof typeof english;
type Plural<Key> = Key extends `${infer Base}_one` ? Base : never;

/** A key of the file, without the ending of a plural. */
export type TextKey = Exclude<Stored, `${Plural<Stored>}_${"one" | "other"}`> | Plural<Stored>;

/** What the texts of a page depend on. */
interface Reader {
  readonly catalogue: Catalogue;
  readonly formats: Formats;
}

const readers = new AsyncLocalStorage<Reader>();

function reader(): Reader {
  return readers.getStore() ?? (sourceReader ??= { catalogue: sourceCatalogue, formats: formatsOf("en-GB") });
}

let sourceReader: Reader | undefined;

/**
 * A text of the pages.
 * @param params the values of its placeholders such as `{name}`; `count` selects the form of a plural. Numbers are
 *   formatted for the reader.
 * @returns parts for JSX where a value is an element.
 */
export function t(key: TextKey, params?: Readonly<Record<string, string | number>>): string;
export function t(key: TextKey, params: Readonly<Record<string, Child>>): Child[];
export function t(key: TextKey, params: Readonly<Record<string, Child>> = {}): Child {
  const { count } = params;
  const text = stored(key, Number(count)) ?? key;
  const parts = text.split(/\{(\w+)\}/).map((part, i) => (i % 2 === 0 ? part : shown(params[part])));
  return parts.every((part) => typeof part === "string") ? parts.join("") : parts;
}

/** A text, or its plural form for a number. */
function stored(key: string, count: number): string | undefined {
  const { texts, plurals } = reader().catalogue;
  return (
    texts[key] ?? texts[`${key}_${plurals.select(count)}`] ?? texts[`${key}_other`] ?? sourceText(key, count)
  );
}

/** What an incomplete catalogue lacks. */
function sourceText(key: string, count: number): string | undefined {
  const { texts, plurals } = sourceCatalogue;
  return texts[key] ?? texts[`${key}_${plurals.select(count)}`];
}

function shown(value: Child): Child {
  return typeof value === "number" ? figure(value) : value;
}

type Group = TextKey extends infer Key ? (Key extends `${infer Name}.${string}` ? Name : never) : never;

/** The names of the texts in a group. */
export type NameIn<Of extends string> = TextKey extends infer Key
  ? Key extends `${Of}.${infer Name}`
    ? Name
    : never
  : never;

/** The name of a text about the form that was just sent. */
export type NoticeName = NameIn<"notice">;

/** The key of a text that is declared elsewhere. @throws Error where there is none of it. */
export function textKey(key: string): TextKey {
  if (!isTextKey(key)) throw new Error(`there is no text ${key}`);
  return key;
}

function isTextKey(key: string): key is TextKey {
  return key in english;
}

/** A text by a name that comes from elsewhere. @returns undefined where there is none of the name. */
export function textIn(group: Group, name: string): string | undefined {
  const key = `${group}.${name}`;
  return reader().catalogue.texts[key] ?? sourceCatalogue.texts[key];
}

/** The same of a text that may have plural forms for a number. */
export function countedIn(group: Group, name: string, count: number): string | undefined {
  return stored(`${group}.${name}`, count)?.replace("{count}", figure(count));
}

/** The texts of a group by their names in it, in the order of the file. */
export function textsIn(group: Group): readonly (readonly [name: string, text: string])[] {
  return Object.keys(english).flatMap((key) => {
    const name = key.slice(group.length + 1);
    return key.startsWith(`${group}.`) ? [[name, textIn(group, name) ?? name] as const] : [];
  });
}

interface Formats {
  readonly number: Intl.NumberFormat;
  readonly day: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
  readonly languages: Intl.DisplayNames;
  readonly order: Intl.Collator;
}

/** Formats by language, because creating one takes longer than using it a hundred times. */
const formats = new Map<string, Formats>();
const maxFormats = 200;

/** @param code of BCP 47, as the reader's machine knows it. */
function formatsOf(code: string): Formats {
  const kept = formats.get(code);
  if (kept !== undefined) return kept;
  const made = {
    number: new Intl.NumberFormat(code),
    day: new Intl.DateTimeFormat(code, { dateStyle: "medium", timeZone: "UTC" }),
    time: new Intl.DateTimeFormat(code, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
    languages: new Intl.DisplayNames(code, { type: "language" }),
    order: new Intl.Collator(code),
  };
  if (formats.size >= maxFormats) formats.clear();
  formats.set(code, made);
  return made;
}

/** The formats of a page: those of the reader's country where the browser names it beside the language of the page. */
function formatsFor({ code }: PageLanguage, accepted: readonly string[]): Formats {
  const own =
    accepted.find((other) => other.toLowerCase().startsWith(`${code}-`)) ?? (code === "en" ? "en-GB" : code);
  try {
    return formatsOf(Intl.NumberFormat.supportedLocalesOf(own)[0] ?? "en-GB");
  } catch {
    return formatsOf("en-GB");
  }
}

/**
 * Runs a function that renders a page in the reader's language.
 * @param of.chosen the code of the language that the reader has chosen.
 * @param of.accepted the header `Accept-Language`.
 */
export async function forReader<T>(
  of: { readonly chosen: string | undefined; readonly accepted: string | null },
  run: () => Promise<T>,
): Promise<T> {
  const accepted = acceptedLanguages(of.accepted);
  const language = languageFor(of.chosen, accepted);
  const catalogue = await catalogueOf(language);
  return readers.run({ catalogue, formats: formatsFor(language, accepted) }, run);
}

/** The language of the page. */
export function pageLanguageNow(): PageLanguage {
  return reader().catalogue.language;
}

/** What the reader's language puts between the members of a list. */
export function comma(): string {
  return pageLanguageNow().comma ?? ", ";
}

/** Whether the page is in the language of messages that do not come from a catalogue. */
export function isInEnglish(): boolean {
  return pageLanguageNow().code === sourceCatalogue.language.code;
}

/** A number as the reader writes it. */
export function figure(n: number): string {
  return reader().formats.number.format(n);
}

/** A time in UTC as the reader writes it. */
export function formatTime(time: Date): string {
  return `${reader().formats.time.format(time)} UTC`;
}

/** A day in UTC as the reader writes it. */
export function formatDay(time: Date): string {
  return reader().formats.day.format(time);
}

/** The name of a language as the reader calls it. */
export function languageName({ code }: { readonly code: string }): string {
  try {
    return reader().formats.languages.of(code) ?? code;
  } catch {
    // The code is from another version of Node, and unknown in this one.
    return code;
  }
}

/** Orders names as the reader looks for them, for `sort`. */
export function compareNames(a: string, b: string): number {
  return reader().formats.order.compare(a, b);
}
