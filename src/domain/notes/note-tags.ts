/** Selects strings by their notes: by tags, or those that are to be translated. */
import { invalid } from "../errors.ts";
import type { StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";
import type { SourceFiles } from "../strings/hive-content.ts";
import { isTag, noteLimits, shownNote, type Notes, type StringNotes } from "./note.ts";

/** The tags of which a string is to have one. */
export type WantedTags = readonly string[];

/**
 * Reads tags that are separated by commas.
 * @throws SkepError `invalid` on `tag` where one of them cannot be a tag.
 */
export function toWantedTags(text: string, field = "tag"): WantedTags {
  const tags = text.split(",").map((tag) => tag.trim());
  if (tags.length > noteLimits.tags) throw invalid(field, `must be at most ${noteLimits.tags} tags`);
  if (!tags.every((tag) => isTag(tag) && tag.length <= 2 * noteLimits.tag))
    throw invalid(field, "must be one or more tags, separated by commas");
  return [...new Set(tags)];
}

/** Whether a string has one of some tags, of the app or the team. */
export function hasTag(notes: StringNotes | undefined, wanted: WantedTags): boolean {
  return notes !== undefined && shownNote(notes).tags?.some((tag) => wanted.includes(tag)) === true;
}

/**
 * The notes of a string. A plural form that only translations have, for which nobody can say something, has those of the
 * form `other`, whose text is its source text.
 */
export function notesAt(
  notes: Notes,
  source: SourceFiles,
  { file, key }: StringAddress,
): StringNotes | undefined {
  const here = notes.get(file);
  if (here === undefined || here.size === 0) return undefined;
  const plurals = source.get(file)?.plurals;
  if (plurals?.isAdded(key) !== true) return here.get(key);
  return here.get(key) ?? here.get(`${plurals.formOf(key)?.string.stem}other`);
}

/** By file, the keys that are not to be translated. */
export type KeptKeys = ReadonlyMap<FileName, ReadonlySet<string>>;

/** The strings that are not to be translated, with all their plural forms. */
export function keptKeys(notes: Notes, source: SourceFiles): KeptKeys {
  const kept = new Map<FileName, Set<string>>();
  for (const [file, keys] of notes) {
    const own = new Set<string>();
    const plurals = source.get(file)?.plurals;
    for (const [key, { app, team }] of keys) {
      if ((team?.keep ?? app?.keep) !== true) continue;
      own.add(key);
      const form = key.endsWith("other") ? plurals?.formOf(key) : undefined;
      if (form?.category === "other") for (const added of form.string.added) own.add(added);
    }
    if (own.size > 0) kept.set(file, own);
  }
  return kept;
}
