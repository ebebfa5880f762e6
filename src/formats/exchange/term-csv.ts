/** Glossaries as CSV: a term each line, with columns for its locales such as `fr`, `fr:accepted` and `fr:forbidden`. */
import { emptyRecord } from "../../domain/record.ts";
import { FormatError } from "../format.ts";
import { readTable, writeTable } from "./csv-table.ts";
import type { ExchangeTerm, ExchangeTranslation } from "./exchange-term.ts";

/** Columns of terms besides `source` and the columns of locales; they are written where a term needs them. */
const members = ["part_of_speech", "meaning", "match", "case", "keep"] as const;
type Member = (typeof members)[number];
const parts = ["accepted", "forbidden", "keep"] as const;
type Part = (typeof parts)[number];

/** Writes terms as CSV. @param locales the codes of the columns. */
export function writeTermsCsv(terms: readonly ExchangeTerm[], locales: readonly string[]): string {
  const used = members.filter((name) => terms.some((term) => memberOf(term, name) !== ""));
  const partColumns = locales.flatMap((locale) =>
    parts
      .filter((part) => part !== "keep" || terms.some((term) => term.translations[locale]?.keep === true))
      .map((part) => ({ locale, part })),
  );
  const header = [
    "source",
    ...locales,
    ...partColumns.map(({ locale, part }) => `${locale}:${part}`),
    ...used,
  ];
  const records = terms.map((term) => [
    term.source,
    ...locales.map((locale) => term.translations[locale]?.text ?? ""),
    ...partColumns.map(({ locale, part }) => partOf(term.translations[locale], part)),
    ...used.map((name) => memberOf(term, name)),
  ]);
  return writeTable([header, ...records]);
}

function memberOf(term: ExchangeTerm, name: Member): string {
  const value = term[name];
  if (typeof value === "boolean") return value ? "true" : "";
  return name === "match" && value === "word" ? "" : (value ?? "");
}

function partOf(translation: ExchangeTranslation | undefined, part: Part): string {
  if (part === "keep") return translation?.keep === true ? "true" : "";
  return (translation?.[part] ?? [])
    .map((spelling) => spelling.replaceAll(/[\\|]/g, String.raw`\$&`))
    .join("|");
}

/**
 * Reads terms from CSV as spreadsheets write it. An empty cell says nothing.
 * @throws FormatError when it is no CSV, has no column `source`, or one of which the name tells nothing.
 */
export function readTermsCsv(bytes: Uint8Array): readonly ExchangeTerm[] {
  const { header, rows } = readTable(bytes, ["source"]);
  const columns = header.flatMap(columnOf);
  return Array.from(rows, ({ valueOf, line }): ExchangeTerm => {
    const source = valueOf("source");
    if (source === undefined) throw new FormatError("has no source", line);
    const translations = emptyRecord<ExchangeTranslation>();
    for (const { name, locale, part } of columns) {
      const value = valueOf(name);
      if (value === undefined) continue;
      const own = part === "text" ? value : part === "keep" ? toFlag(value, name, line) : toSpellings(value);
      translations[locale] = { ...translations[locale], [part]: own };
    }
    const flag = (name: Member): boolean | undefined => {
      const value = valueOf(name);
      return value === undefined ? undefined : toFlag(value, name, line);
    };
    const [partOfSpeech, meaning, match] = [valueOf("part_of_speech"), valueOf("meaning"), valueOf("match")];
    const flags = { case: flag("case"), keep: flag("keep") };
    return { source, part_of_speech: partOfSpeech, meaning, match, ...flags, translations };
  });
}

/** What the column of a locale is about; none for the members of terms. */
function columnOf(name: string): readonly { name: string; locale: string; part: Part | "text" }[] {
  if (name === "" || name === "source" || members.some((known) => known === name)) return [];
  const [, locale = name, given] = /^(.*):([^:]*)$/.exec(name) ?? [];
  const part = given === undefined ? "text" : parts.find((known) => known === given);
  if (part !== undefined) return [{ name, locale, part }];
  throw new FormatError(`has a column ${name}, which is none of a glossary's`, 1);
}

function toFlag(value: string, name: string, line: number): boolean {
  const text = value.trim().toLowerCase();
  if (["true", "1", "yes"].includes(text)) return true;
  if (["false", "0", "no"].includes(text)) return false;
  throw new FormatError(`has ${JSON.stringify(value)} in the column ${name}: true or false`, line);
}

/** Spellings with `|` between them, each of which may be escaped by a backslash. */
function toSpellings(value: string): readonly string[] {
  const all = Array.from(value.matchAll(/(?:\\.|[^\\|])+/gs), ([one]) =>
    one.replaceAll(/\\(.)/gs, "$1").trim(),
  );
  return all.filter((spelling) => spelling !== "");
}
