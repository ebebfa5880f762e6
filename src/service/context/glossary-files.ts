/** The glossary of a Hive as a file, and the terms of one. */
import { codeOf } from "../../domain/hives/locale.ts";
import { localesOf, shownCodes, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import { termAnswer } from "../../domain/glossary/term-schema.ts";
import type { Term } from "../../domain/glossary/term.ts";
import { encode } from "../../domain/json-codec.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { TermLocales } from "../../formats/exchange/exchange-term.ts";
import { termFormats, writeTermFile, type TermFormat } from "../../formats/exchange/term-file.ts";
import { readTermUpload, type UploadedFile } from "../source/read-upload.ts";
import type { StorageBase } from "../storage.ts";
import { listTerms } from "./glossary.ts";

/** The formats of files of terms. */
export const glossaryFormats = termFormats;

/** A term whose translations have the codes that the Hive shows. */
export function withShownCodes({ translations, ...given }: Term, settings: HiveSettings) {
  const shown = shownCodes(settings);
  const byCode = Array.from(translations, ([code, translation]) => [shown(code), translation] as const);
  return { ...given, translations: new Map(byCode) };
}

/** All terms of a Hive as a file. */
export async function glossaryFile(
  storage: StorageBase,
  slug: HiveSlug,
  format: TermFormat,
): Promise<string> {
  const { entries, settings } = await (await listTerms(storage, slug, { offset: 0, limit: Infinity })).read();
  const terms = entries.map((term) => encode(termAnswer, withShownCodes(term, settings)));
  return writeTermFile(terms, format, codesOf(settings));
}

/**
 * Reads a file of terms for a Hive, unchecked. What the Hive has no locale for is left out.
 * @throws SkepError `invalid` on `upload`.
 */
export async function termsOfFile({ hives }: StorageBase, slug: HiveSlug, file: UploadedFile) {
  const { settings } = await hives.at(slug).snapshot();
  return readTermUpload(file, codesOf(settings));
}

/** As files name the locales. */
function codesOf(settings: HiveSettings): TermLocales {
  const [source = "", ...targets] = localesOf(settings).map(codeOf);
  return { source, targets };
}
