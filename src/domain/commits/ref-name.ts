/** Names of tags and branches: which ones git accepts, and which ones cannot be stored together. */
import { foldCase, fileNameProblem, type Branded } from "../names.ts";
import { invalid } from "../errors.ts";

/**
 * Whether git accepts a text as the name of a tag or a branch (`git check-ref-format`, and no leading `-` as `git tag`
 * and `git branch` have it).
 */
export function isRefName(text: string, maxBytes: number): boolean {
  return (
    text !== "" &&
    text !== "@" &&
    !text.startsWith("-") &&
    !text.endsWith(".") &&
    text.isWellFormed() &&
    !/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{/.test(text) &&
    text.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock")) &&
    Buffer.byteLength(text) <= maxBytes
  );
}

const otherForms: readonly (readonly [RegExp, string])[] = [
  [/^[0-9a-f]{7,40}$/i, "must not look like a commit (7 to 40 hexadecimal digits)"],
  [/^refs\//i, "must not begin with refs/"],
  [/^[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[T ].*)?$/i, "must not look like a date or time"],
];

/** The other meaning that a name has in `at` or for people, such as a date; undefined if it has none. */
export function otherMeaning(text: string): string | undefined {
  return otherForms.find(([pattern]) => pattern.test(text))?.[1];
}

/**
 * Finds an existing name that conflicts with a new one: the names or their folders differ only by case, or one name
 * needs a folder where the other is a file.
 */
export function clashingName<Name extends string>(name: Name, present: Iterable<Name>): Name | undefined {
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
function pathsOf(name: string): ReadonlyMap<string, string> {
  const parts = name.split("/");
  const paths = parts.map((_, i) => parts.slice(0, i + 1).join("/"));
  return new Map(paths.map((path) => [foldCase(path), path]));
}

/** A name that git accepts below `refs/tags`; safe as a path, since no part of it begins with a dot. */
export type TagName = Branded<string, "TagName">;

export const maxTagNameBytes = 255;

export function isTagName(text: string): text is TagName {
  return isRefName(text, maxTagNameBytes);
}

/**
 * Parses the name of a new tag: git must accept it, every system must be able to store it as a file, and it must not have
 * another meaning for `at`.
 * @throws SkepError `invalid` on `name`.
 */
export function toTagName(text: string): TagName {
  const isBranch = /^(?:main|head)$/i.test(text);
  const problem =
    fileNameProblem(text) ??
    otherMeaning(text) ??
    (isBranch ? "must not be the name of a branch" : undefined);
  if (problem !== undefined) throw invalid("name", problem);
  if (!isTagName(text)) throw invalid("name", "must be a name that git accepts for a tag, such as v1.2");
  return text;
}
