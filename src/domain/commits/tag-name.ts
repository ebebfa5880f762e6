/** Names of tags. */
import { invalid } from "../errors.ts";
import { fileNameProblem, type Branded } from "../names.ts";
import { isRefName, otherMeaning } from "./ref-name.ts";

/** A name that git accepts below `refs/tags`; safe as a path, since no part of it begins with a dot. */
export type TagName = Branded<string, "TagName">;

/** The longest name of a tag. */
export const maxTagNameBytes = 255;

/** Whether git accepts a text as the name of a tag. */
export function isTagName(text: string): text is TagName {
  return isRefName(text, maxTagNameBytes);
}

/**
 * Parses the name of a new tag: git must accept it, every system must be able to store it as a file, and it must not have
 * another meaning for `at`.
 * @throws SkepError `invalid` on the field.
 */
export function toTagName(text: string, field = "name"): TagName {
  const isBranch = /^(?:main|head)$/i.test(text);
  const problem =
    fileNameProblem(text) ??
    otherMeaning(text) ??
    (isBranch ? "must not be the name of a branch" : undefined);
  if (problem !== undefined) throw invalid(field, problem);
  if (!isTagName(text)) throw invalid(field, "must be a name that git accepts for a tag, such as v1.2");
  return text;
}
