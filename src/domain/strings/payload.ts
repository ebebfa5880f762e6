/** Parses the `files` member of request bodies. */
import { Issues } from "../errors.ts";
import type { SourceFiles } from "./hive-content.ts";
import { fileNameProblem, isFileName, maxFileNameBytes, type FileName } from "../names.ts";
import { pause } from "../../slices.ts";
import {
  flatten,
  KeyBudget,
  maxDepth,
  maxKeyBytes,
  notText,
  toStringFile,
  type StringFile,
  type Texts,
} from "./string-file.ts";
import { excerpt } from "../text.ts";

/** The most files in a request, because a file costs far more than its bytes. */
const maxFiles = 10_000;

/** The members of a `files` object; `[]` stands for an empty object, because PHP encodes empty arrays so. */
export function membersOf(
  files: unknown,
  issues: Issues,
  member = "files",
): readonly (readonly [name: string, content: unknown])[] {
  if (files === undefined) {
    issues.add(member, "is required");
    return [];
  }
  const names = typeof files === "object" && files !== null ? Object.keys(files) : undefined;
  if (names === undefined || (Array.isArray(files) && names.length > 0)) {
    issues.add(member, "must be an object of file names and their contents");
    return [];
  }
  if (names.length > maxFiles) {
    issues.add(member, `has ${names.length} files; at most ${maxFiles} can be sent in one request`);
    return [];
  }
  return Object.entries(Object(files));
}

/**
 * Reads the files of a source import or sync.
 * @throws SkepError `invalid` naming every file name, key and text that cannot be stored.
 */
export async function toSourceFiles(files: unknown): Promise<SourceFiles> {
  const issues = new Issues();
  const budget = new KeyBudget();
  const read = new Map<FileName, StringFile>();
  for (const [name, content] of membersOf(files, issues)) {
    await pause();
    const place = `files.${excerpt(name)}`;
    const problem = fileNameProblem(name);
    if (problem !== undefined) issues.add(place, `the file name ${problem}`);
    const file = toStringFile(content, place, issues, { budget });
    if (isFileName(name)) read.set(name, file);
  }
  issues.throwIfAny(adviceOn(issues));
  return read;
}

/**
 * Reads the files of a translation import: any names, and `null` for an empty text.
 * @param member of the body that they are, for messages.
 * @throws SkepError `invalid` naming every key and text that cannot be read.
 */
export async function toTranslationFiles(
  files: unknown,
  member: "files" | "expected" = "files",
): Promise<ReadonlyMap<string, Texts>> {
  const issues = new Issues();
  const budget = new KeyBudget();
  const read = new Map<string, Texts>();
  for (const [name, content] of membersOf(files, issues, member)) {
    await pause();
    const place = `${member}.${excerpt(name)}`;
    // In an export of all locales, a key stands behind the name of its file, and nested one level deeper.
    const longest = maxKeyBytes + maxFileNameBytes + 1;
    const options = { nullIsEmpty: true, budget, deepest: maxDepth + 1, longest };
    const { texts } = flatten(content, place, issues, options);
    read.set(name, texts);
  }
  issues.throwIfAny(member === "files" ? adviceOn(issues) : undefined);
  return read;
}

/**
 * Reads the files of a removal of translations: any names, each with a list of keys.
 * @throws SkepError `invalid` naming every file whose keys cannot be read.
 */
export function toKeyLists(files: unknown): ReadonlyMap<string, readonly string[]> {
  const issues = new Issues();
  const read = new Map<string, readonly string[]>();
  for (const [name, keys] of membersOf(files, issues)) {
    if (Array.isArray(keys) && keys.every((key): key is string => typeof key === "string"))
      read.set(name, keys);
    else issues.add(`files.${excerpt(name)}`, "must be a list of keys");
  }
  issues.throwIfAny();
  return read;
}

function adviceOn(issues: Issues): string | undefined {
  return issues.says(notText) ? "?leaves=skip leaves out what is not text" : undefined;
}
