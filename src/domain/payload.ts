/** The `files` member of a request body, read into files of strings. */
import { Issues } from "./errors.ts";
import type { SourceFiles } from "./hive-content.ts";
import { fileNameProblem, isFileName, type FileName } from "./names.ts";
import { flatten, toStringFile, type StringFile, type Texts } from "./string-file.ts";
import { excerpt } from "./text.ts";

/** The members of a `files` object; `[]` stands for an empty one, because PHP encodes an empty array so. */
function membersOf(files: unknown, issues: Issues): readonly (readonly [name: string, content: unknown])[] {
  if (typeof files === "object" && files !== null) {
    const members = Object.entries(files);
    if (!Array.isArray(files) || members.length === 0) return members;
  }
  issues.add(
    "files",
    files === undefined ? "is required" : "must be an object of file names and their contents",
  );
  return [];
}

/**
 * Reads the files of a source import or sync.
 * @throws SkepError `invalid` naming every file name, key and text that cannot be stored.
 */
export function toSourceFiles(files: unknown): SourceFiles {
  const issues = new Issues();
  const read = new Map<FileName, StringFile>();
  for (const [name, content] of membersOf(files, issues)) {
    const place = `files.${excerpt(name)}`;
    const problem = fileNameProblem(name);
    if (problem !== undefined) issues.add(place, `the file name ${problem}`);
    const file = toStringFile(content, place, issues);
    if (isFileName(name)) read.set(name, file);
  }
  issues.throwIfAny();
  return read;
}

/**
 * Reads the files of a translation import: any names, and `null` for an empty text.
 * @throws SkepError `invalid` naming every key and text that cannot be read.
 */
export function toTranslationFiles(files: unknown): ReadonlyMap<string, Texts> {
  const issues = new Issues();
  const read = new Map<string, Texts>();
  for (const [name, content] of membersOf(files, issues)) {
    read.set(name, flatten(content, `files.${excerpt(name)}`, issues, { nullIsEmpty: true }));
  }
  issues.throwIfAny();
  return read;
}
