/** Strings of a Hive as engines get them. */
import type { StringFile } from "../../domain/strings/string-file.ts";
import type { WorkForm, WorkItem } from "../../domain/work/work.ts";
import type { EngineItem } from "./translate-items.ts";

/**
 * A string with all that is known of it: what an item of work has.
 * @param strings its source file.
 * @param forms those that are to be translated.
 * @param refused what was wrong with the last answer, if there was one.
 */
export function engineItem(
  item: WorkItem,
  strings: Pick<StringFile, "texts">,
  forms: readonly WorkForm[],
  refused?: object,
): EngineItem {
  const { key, syntax, note, maxLength, maxLengthUnit, tags, rejected, otherLocales } = item;
  const translation = Object.fromEntries(
    forms.flatMap(({ form, translation: text }) => (text === undefined ? [] : [[form, text]])),
  );
  const context = {
    key,
    note,
    arguments: item.arguments,
    max_length: maxLength,
    max_length_unit: maxLengthUnit,
    tags,
    translation,
    rejected,
    refused,
    terms: item.terms.map(({ partOfSpeech: part_of_speech, ...term }) => ({ ...term, part_of_speech })),
    memory: item.memory.map(({ source, text, score }) => ({ source, text, score })),
    neighbours: item.neighbours,
    other_locales: otherLocales,
  };
  return {
    syntax,
    context: withoutNothing(context),
    forms: forms.map(({ form, key: own, source, example }) => ({
      form,
      source,
      example,
      isOwn: strings.texts.has(own),
    })),
  };
}

/** A context without members that say nothing. */
function withoutNothing(context: object): EngineItem["context"] {
  return Object.fromEntries(Object.entries(context).filter(([, value]) => !isNothing(value)));
}

function isNothing(value: unknown): boolean {
  return (
    value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0)
  );
}
