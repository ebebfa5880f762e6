/** Names of tags: what git accepts, what Skep gives out, and which two cannot lie beside each other. */
import { invalid } from "../errors.ts";
import { fileNameProblem, foldCase, type Branded } from "../names.ts";

/** A name that git accepts below `refs/tags`; safe as a path, since no part of it begins with a dot. */
export type TagName = Branded<string, "TagName">;

/** How long the name of a tag may be. */
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

/** What a name of a tag must not look like, because `at` would read it as something else or people would. */
const otherForms: readonly (readonly [RegExp, string])[] = [
  [/^[0-9a-f]{7,40}$/i, "must not look like a commit (7 to 40 hexadecimal digits)"],
  [/^(?:main|head)$/i, "must not be the name of a branch"],
  [/^refs\//i, "must not begin with refs/"],
  [/^[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[T ].*)?$/i, "must not look like a date or time"],
];

/**
 * Parses the name of a tag to be made: one that git accepts, that every system can store as a file, and that is no
 * other form of `at`.
 * @throws SkepError `invalid` on the field.
 */
export function toTagName(text: string, field = "name"): TagName {
  const problem = fileNameProblem(text) ?? otherForms.find(([pattern]) => pattern.test(text))?.[1];
  if (problem !== undefined) throw invalid(field, problem);
  if (!isTagName(text)) throw invalid(field, "must be a name that git accepts for a tag, such as v1.2");
  return text;
}

/**
 * The tag that keeps a new one from being stored: the same but for case, a file where the new one needs a folder, or
 * the other way round; or one whose folder differs from the new one's only by case.
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

/** The folders of a name and the name itself, by how a system without regard to case sees them. */
function pathsOf(name: TagName): ReadonlyMap<string, string> {
  const parts = name.split("/");
  const paths = parts.map((_, i) => parts.slice(0, i + 1).join("/"));
  return new Map(paths.map((path) => [foldCase(path), path]));
}
