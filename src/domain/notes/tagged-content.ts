/** The strings of a Hive that have some tags. */
import { filtered } from "../filtered.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import type { Steps } from "../steps.ts";
import { editTexts } from "../strings/group-edit.ts";
import { translationsOf, type HiveContent } from "../strings/hive-content.ts";
import { fromGroup, noTexts, type StringFile, type Texts } from "../strings/string-file.ts";
import { hasTag, notesAt, type WantedTags } from "./note-tags.ts";
import type { Notes } from "./note.ts";

/** The content of one locale without the strings that have none of some tags; files keep their names, also without a string. */
export function* taggedContent(
  content: HiveContent,
  locale: LocaleCode,
  notes: Notes,
  tags: WantedTags,
): Steps<HiveContent> {
  const source = new Map<FileName, StringFile>();
  const files = new Map<FileName, Texts>();
  for (const [file, strings] of content.source) {
    yield;
    const isTagged = (key: string): boolean => hasTag(notesAt(notes, content.source, { file, key }), tags);
    const left = fromGroup(editTexts(strings.group, (key, text) => (isTagged(key) ? text : undefined)));
    source.set(file, left);
    files.set(file, filtered(translationsOf(content, locale).get(file) ?? noTexts, isTagged));
  }
  return { ...content, source, translations: new Map([[locale, files]]) };
}
