/** `skep untranslated`: lists missing and stale texts, for people and as files for translators. */
import { noteLines } from "../../domain/notes/note-lines.ts";
import type { ExchangeUnit } from "../../formats/exchange/unit.ts";
import { toStringNotes } from "../api/string-answers.ts";
import type { UntranslatedText } from "../api/translations-api.ts";
import { chooseLocales, type HiveReport, type Project } from "../project.ts";

export interface UntranslatedReport extends HiveReport {
  readonly commit: string;
  readonly sourceLocale: string;
  readonly locale: string;
  readonly texts: readonly UntranslatedText[];
}

/**
 * Lists what is missing or stale in a locale.
 * @param states `missing`, `stale` or both, separated by commas.
 * @param tag only texts with one of these tags, separated by commas.
 */
export async function listUntranslated(
  project: Project,
  wanted: string,
  states: string,
  tag?: string,
): Promise<UntranslatedReport> {
  const { hive } = project;
  const locales = await hive.locales();
  const [locale] = chooseLocales(locales, [wanted]);
  const { data, commit } = await hive.untranslated(locale?.code ?? wanted, { states, tag, withNotes: true });
  return {
    ...project.hiveAndBranch,
    commit,
    sourceLocale: locales.source.canonical,
    locale: locale?.canonical ?? wanted,
    texts: data,
  };
}

/** The texts for translators; for a stale translation also the source text for which it was made. */
export function toUnits(texts: readonly UntranslatedText[]): readonly ExchangeUnit[] {
  return texts.map(
    ({ file, key, source_value: source, state, translation, old_source_value: old, notes }) => ({
      file,
      key,
      source,
      translation: translation ?? undefined,
      state: state === "stale" ? "stale" : "missing",
      notes: [
        ...(notes ? noteLines(toStringNotes(notes)) : []),
        ...(old === null ? [] : [`The translation was made for: ${old}`]),
      ],
      where: notes?.team?.where ?? notes?.app?.where,
    }),
  );
}
