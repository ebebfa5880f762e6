/** The files of terms and styles, as a change of a Hive writes them. */
import { invalid } from "../domain/errors.ts";
import { maxGlossaryBytes, type Glossary } from "../domain/glossary/term.ts";
import type { LocaleCode } from "../domain/hives/locale.ts";
import { formatGlossary, glossaryPath } from "../store/content/glossary-file.ts";
import { stylePath } from "../store/content/stored-glossary.ts";
import type { HiveChange } from "../store/hives/hive-commit.ts";

/** The file of some terms. @throws SkepError `invalid` on `terms` when it would be too large. */
export function glossaryText(terms: Glossary): NonNullable<HiveChange["texts"]> {
  if (terms.length === 0) return new Map([[glossaryPath, undefined]]);
  const text = formatGlossary(terms);
  if (Buffer.byteLength(text) > maxGlossaryBytes) {
    throw invalid("terms", `the glossary would be larger than ${maxGlossaryBytes / 1_048_576} MiB`);
  }
  return new Map([[glossaryPath, text]]);
}

/** The file of a style. */
export function styleText(locale: LocaleCode, text: string): NonNullable<HiveChange["texts"]> {
  return new Map([[stylePath(locale), text === "" ? undefined : `${text}\n`]]);
}
