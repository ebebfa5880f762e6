/** The texts of the pages by their keys, and numbers and times in the first language that the browser accepts. The texts lie in one JSON file, as the texts of an app do, so that a Hive can hold them. Plurals have the endings `_one` and `_other`. */
import type { Child } from "hono/jsx";
import english from "./en.json" with { type: "json" };
import { AsyncLocalStorage } from "node:async_hooks";

type Stored = keyof typeof english;
type Plural<Key> = Key extends `${infer Base}_one` ? Base : never;

/** A key of the file, without the ending of a plural. */
export type TextKey = Exclude<Stored, `${Plural<Stored>}_${"one" | "other"}`> | Plural<Stored>;

const texts: Readonly<Record<string, string>> = english;
const plurals = new Intl.PluralRules("en");

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
  return key in texts;
}

/** A text by a name that comes from elsewhere. @returns undefined where there is none of the name. */
export function textIn(group: Group, name: string): string | undefined {
  return texts[`${group}.${name}`];
}

/** The same of a text that may have plural forms for a number. */
export function countedIn(group: Group, name: string, count: number): string | undefined {
  return stored(`${group}.${name}`, count)?.replace("{count}", figure(count));
}

/** The texts of a group by their names in it, in the order of the file. */
export function textsIn(group: Group): readonly (readonly [name: string, text: string])[] {
  return Object.entries(texts).flatMap(([key, text]) =>
    key.startsWith(`${group}.`) ? [[key.slice(group.length + 1), text] as const] : [],
  );
}

interface Formats {
  readonly number: Intl.NumberFormat;
  readonly day: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
}

const languages = new AsyncLocalStorage<string>();
/** Formats by language, because creating one takes longer than using it a hundred times. */
const formats = new Map<string, Formats>();
const maxFormats = 200;
const fallback = "en-GB";

/** Runs a function that renders a page in the reader's language. @param accepted the header `Accept-Language`. */
export function forReader<T>(accepted: string | null, run: () => T): T {
  return languages.run(languageIn(accepted ?? ""), run);
}

function languageIn(accepted: string): string {
  const [first = ""] = accepted.slice(0, 200).split(/[,;]/);
  try {
    return Intl.NumberFormat.supportedLocalesOf(first.trim())[0] ?? fallback;
  } catch {
    return fallback;
  }
}

function formatsNow(): Formats {
  const language = languages.getStore() ?? fallback;
  const kept = formats.get(language);
  if (kept !== undefined) return kept;
  const made = {
    number: new Intl.NumberFormat(language),
    day: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }),
    time: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
  };
  if (formats.size >= maxFormats) formats.clear();
  formats.set(language, made);
  return made;
}

/** A number as the reader writes it. */
export function figure(n: number): string {
  return formatsNow().number.format(n);
}

/** A time in UTC as the reader writes it. */
export function formatTime(time: Date): string {
  return `${formatsNow().time.format(time)} UTC`;
}

/** A day in UTC as the reader writes it. */
export function formatDay(time: Date): string {
  return formatsNow().day.format(time);
}
