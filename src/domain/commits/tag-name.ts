/** Names of tags: which ones git accepts, which ones Skep creates, and which ones cannot be stored together. */
import { invalid } from "../errors.ts";
import { fileNameProblem, foldCase, type Branded } from "../names.ts";

/** A name that git accepts below `refs/tags`; safe as a path, since no part of it begins with a dot. */
export type TagName = Branded<string, "TagName">;

/** The longest name of a tag. */
export const maxTagNameBytes = 255;

/** Whether git accepts a text as the name of a tag (`git check-ref-format`, and no leading `-` as `git tag` has it). */
export function isTagName(text: string): text is TagName {
  return (
    text !== "" &&
    text !== "@" &&
    !text.startsWith("-") &&
    !text.endsWith(".") &&
    text.isWellFormed() &&
    !/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{/.test(text) &&
    text.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock")) &&
    Buffer.byteLength(text) <= maxTagNameBytes
  );
}

/** Forms that the name of a tag must not have, because `at` or people would read it as something else. */
const otherForms: readonly (readonly [RegExp, string])[] = [
  [/^[0-9a-f]{7,40}$/i, "must not look like a commit (7 to 40 hexadecimal digits)"],
  [/^(?:main|head)$/i, "must not be the name of a branch"],
  [/^refs\//i, "must not begin with refs/"],
  [/^[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[T ].*)?$/i, "must not look like a date or time"],
];

/**
 * Parses the name of a new tag: git must accept it, every system must be able to store it as a file, and it must not have
 * another meaning for `at`.
 * @throws SkepError `invalid` on the field.
 */
export function toTagName(text: string, field = "name"): TagName {
  const problem = fileNameProblem(text) ?? otherForms.find(([pattern]) => pattern.test(text))?.[1];
  if (problem !== undefined) throw invalid(field, problem);
  if (!isTagName(text)) throw invalid(field, "must be a name that git accepts for a tag, such as v1.2");
  return text;
}

/**
 * Finds a tag beside which a new one cannot be stored: their names or folders differ only by case, or one needs a folder
 * where the other is a file.
 */
export function clashingTag(name: TagName, present: Iterable<TagName>): TagName | undefined {
  const own = pathsOf(name);
  for (const other of present) {
    for (const [fold, path] of pathsOf(other)) {
      const same = own.get(fold);
      if (same !== undefined && (same !== path || path === name || path === other)) return other;
    }
  }
  return undefined;
}

/** The folders of a name and the name itself, by their case-folded forms. */
function pathsOf(name: TagName): ReadonlyMap<string, string> {
  const parts = name.split("/");
  const paths = parts.map((_, i) => parts.slice(0, i + 1).join("/"));
  return new Map(paths.map((path) => [foldCase(path), path]));
}
