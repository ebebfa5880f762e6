/** The one form in which each file of a Hive is stored, so that a commit changes no line whose text it does not change. */
import { translationFile } from "./group-edit.ts";
import { filtered } from "../filtered.ts";
import { formatGroup, type StringFile } from "./string-file.ts";

/** The canonical text of a source file; undefined for one without texts, which is not stored. */
export function canonicalSource(file: StringFile): string | undefined {
  return file.texts.size === 0 ? undefined : formatGroup(file.group);
}

/**
 * The canonical text of a translation file: the shape and order of its source file, without empty texts and without those
 * that have no source string; undefined when nothing is left.
 */
export function canonicalTranslations(file: StringFile, source: StringFile | undefined): string | undefined {
  const stored = translationFile(
    source,
    filtered(file.texts, (_, text) => text !== ""),
  );
  return stored && formatGroup(stored.group);
}
