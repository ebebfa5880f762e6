/** The content of a Hive in a pseudo-locale, which is made from its source texts. */
import { pseudoKindOf, type PseudoKind } from "../../domain/export/pseudo-locales.ts";
import { pseudoText } from "../../domain/export/pseudo-text.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import type { FileName } from "../../domain/names.ts";
import type { Notes } from "../../domain/notes/note.ts";
import { keptKeys, noteRulesOf } from "../../domain/notes/note-tags.ts";
import { FileChecker } from "../../domain/plans/check-content.ts";
import type { HiveContent } from "../../domain/strings/hive-content.ts";
import { LocalePlurals } from "../../domain/strings/plural-rules.ts";
import { translatableTexts, type Texts } from "../../domain/strings/string-file.ts";
import { formatRulesOf } from "../../formats/held/format-rules.ts";
import { isStepDone, pause } from "../../slices.ts";

/**
 * The content with the texts of a pseudo-locale, one for each text that the locale needs. Strings that are not to be
 * translated have their source texts.
 * @returns the content as it is for any other locale.
 */
export async function pseudoContent(
  content: HiveContent,
  locale: Locale,
  notes: Notes,
): Promise<HiveContent> {
  const kind = pseudoKindOf(locale);
  if (kind === undefined) return content;
  const { settings } = content;
  const plurals = new LocalePlurals(locale.code, settings);
  const kept = keptKeys(notes, content);
  const checks = { settings, rulesOf: formatRulesOf, noteRules: noteRulesOf(notes) };
  const files = new Map<FileName, Texts>();
  for (const [file, strings] of content.source) {
    await pause();
    const checker = new FileChecker(checks, file, strings);
    const texts = new Map<string, string>();
    for (const [key, source] of translatableTexts(strings)) {
      if (isStepDone()) await pause();
      if (source === "" || !plurals.requires(strings, key)) continue;
      texts.set(
        key,
        kept.get(file)?.has(key) === true ? source : soundText(checker, kind, { locale, key, source }),
      );
    }
    files.set(file, texts);
  }
  return { ...content, translations: new Map([[locale.code, files]]) };
}

/** A text in which checks find no error, and which is not too long. */
function soundText(
  checker: FileChecker,
  kind: PseudoKind,
  { locale, key, source }: { readonly locale: Locale; readonly key: string; readonly source: string },
): string {
  return pseudoText(kind, checker.syntaxOf(key), source, (text) => {
    let hasFault = false;
    checker.check({ locale: locale.code, key }, text, ({ check, severity }) => {
      hasFault ||= severity === "error" || check === "length";
    });
    return !hasFault;
  });
}
