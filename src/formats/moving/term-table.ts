/** Glossaries as tables, in the words that other tools have for their columns. */
import { emptyRecord } from "../../domain/record.ts";
import { readTable } from "../exchange/csv-table.ts";
import type { ExchangeTerm, ExchangeTranslation } from "../exchange/exchange-term.ts";
import type { MovingContext } from "./context.ts";
import type { Moved } from "./moved.ts";

/** The columns that are no languages, without blanks and marks: `Case sensitive`, `case_sensitive`, `casesensitive`. */
const columns = {
  term: "term",
  source: "term",
  description: "meaning",
  definition: "meaning",
  meaning: "meaning",
  explanation: "meaning",
  partofspeech: "part",
  pos: "part",
  casesensitive: "case",
  translatable: "translatable",
  nontranslatable: "kept",
  untranslatable: "kept",
  donottranslate: "kept",
  forbidden: "forbidden",
} as const;
type Column = (typeof columns)[keyof typeof columns];

/** Why a term is left out that nobody should write. */
export const forbiddenTerm = "it is forbidden itself: a glossary of Skep forbids translations of a term";

function columnOf(name: string): Column | undefined {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  return Object.entries(columns).find(([known]) => known === plain)?.[1];
}

/** What a table is by its first line: the column that has its terms, or texts of one language with their source texts. */
export function tableKind(bytes: Uint8Array): { readonly termColumn?: string; readonly hasUnits: boolean } {
  const [first = ""] = new TextDecoder().decode(bytes.subarray(0, 4096)).split(/\r?\n/, 1);
  const names = first.split(/[,;\t]/).map((name) => name.replace(/^"(.*)"$/, "$1").trim());
  const hasUnits = ["source", "target"].every((column) => names.includes(column));
  return { termColumn: hasUnits ? undefined : names.find((name) => columnOf(name) === "term"), hasUnits };
}

/**
 * Reads a glossary as Tolgee, Lokalise, Phrase, Crowdin and Weblate write it: a term a row, its translations in columns named
 * by their languages.
 * @param place the path of the file, for what is left out.
 * @throws FormatError when it is no CSV.
 */
export function readTermTable(bytes: Uint8Array, context: MovingContext, place: string, into: Moved): void {
  const { header, rows } = readTable(bytes, [tableKind(bytes).termColumn ?? "term"]);
  const locales = header.flatMap((name) => {
    const code = context.localeOf(name.trim());
    return code === undefined || columnOf(name) !== undefined ? [] : [{ name, code }];
  });
  const named = new Map<Column, string>();
  for (const name of header) {
    const column = columnOf(name);
    if (column !== undefined && !named.has(column)) named.set(column, name);
  }
  for (const { valueOf, line } of rows) {
    const at = `${place}:${line}`;
    const value = (column: Column): string | undefined => valueOf(named.get(column) ?? "")?.trim();
    const own = locales.find(({ code }) => code === context.source);
    const source = (own && valueOf(own.name)) ?? value("term");
    if (source === undefined) {
      into.leave("term", "it has no spelling in the source language", at);
      continue;
    }
    if (isYes(value("forbidden"))) {
      into.leave("term", forbiddenTerm, at);
      continue;
    }
    const translations = emptyRecord<ExchangeTranslation>();
    for (const { name, code } of locales) {
      const text = valueOf(name)?.trim();
      if (text && code !== context.source) translations[code] = { text };
    }
    const isKept = isYes(value("kept")) || isNo(value("translatable"));
    into.terms.push(
      termOf({ source, meaning: value("meaning"), part: value("part"), isKept, translations }, value("case")),
    );
  }
}

function termOf(
  {
    source,
    meaning,
    part,
    isKept,
    translations,
  }: {
    readonly source: string;
    readonly meaning: string | undefined;
    readonly part: string | undefined;
    readonly isKept: boolean;
    readonly translations: Readonly<Record<string, ExchangeTranslation>>;
  },
  caseSensitive: string | undefined,
): ExchangeTerm {
  return {
    source: source.trim(),
    ...(meaning && { meaning }),
    ...(part && { part_of_speech: part }),
    ...(isYes(caseSensitive) && { case: true }),
    // What stays as it is has no translation.
    ...(isKept ? { keep: true, translations: {} } : { translations }),
  };
}

function isYes(text = ""): boolean {
  return /^(?:yes|true|1|y)$/i.test(text);
}

function isNo(text = ""): boolean {
  return /^(?:no|false|0|n)$/i.test(text);
}
