/** Selects strings by the tags of their notes. */
import { invalid } from "../errors.ts";
import { isTag, noteLimits, shownNote, type StringNotes } from "./note.ts";

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
