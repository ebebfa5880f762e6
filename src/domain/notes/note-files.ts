/** Notes as JSON: the files of a Hive, and the members of requests. */
import type { z } from "zod";
import { Issues } from "../errors.ts";
import { isStepDone, pause } from "../../slices.ts";
import { membersOf } from "../strings/payload.ts";
import { excerpt } from "../text.ts";
import { excessOf, stringNotesSchema } from "./note-schema.ts";
import {
  members,
  withoutUndefined,
  type AppNote,
  type FileNotes,
  type StringNotes,
  type TeamNote,
} from "./note.ts";

/** Something about keys, by the file names and keys of a caller. */
export type ByKey<T> = ReadonlyMap<string, ReadonlyMap<string, T>>;

/**
 * Reads what a request says about keys, file by file.
 * @param member of the body that it is, for messages.
 * @throws SkepError `invalid` naming each place at fault.
 */
export async function toNotes<Schema extends z.ZodType>(
  files: unknown,
  member: string,
  schema: Schema,
): Promise<ByKey<z.output<Schema>>> {
  const issues = new Issues();
  const read = new Map<string, ReadonlyMap<string, z.output<Schema>>>();
  for (const [file, keys] of membersOf(files, issues, member)) {
    read.set(file, await readKeys(keys, `${member}.${excerpt(file)}`, schema, issues));
    // Faults beyond those that are told are not looked for: each of them takes long.
    if (issues.count >= Issues.limit) break;
  }
  issues.throwIfAny();
  return read;
}

/** Reads a stored file of notes. */
export function parseNoteFile(value: unknown, issues: Issues, path = "notes"): Promise<FileNotes> {
  return readKeys(value, path, stringNotesSchema, issues);
}

async function readKeys<Schema extends z.ZodType>(
  keys: unknown,
  place: string,
  schema: Schema,
  issues: Issues,
): Promise<ReadonlyMap<string, z.output<Schema>>> {
  await pause();
  const read = new Map<string, z.output<Schema>>();
  const isEmptyList = Array.isArray(keys) && keys.length === 0;
  if (typeof keys !== "object" || keys === null || (Array.isArray(keys) && !isEmptyList)) {
    issues.add(place, "must be an object of keys and their notes");
    return read;
  }
  for (const [key, note] of Object.entries(keys)) {
    if (isStepDone()) await pause();
    const at = `${place}.${excerpt(key)}`;
    const excess = excessOf(note);
    const result = excess === undefined ? schema.safeParse(note) : undefined;
    if (result?.success === true) read.set(key, result.data);
    if (excess !== undefined) issues.add(`${at}.${excess[0]}`, excess[1]);
    for (const issue of result?.error?.issues ?? []) {
      const path = [at, ...issue.path].join(".");
      if (issue.code === "unrecognized_keys") {
        for (const name of issue.keys)
          issues.add(`${path}.${excerpt(name)}`, "is not a member that can be set");
      } else issues.add(excerpt(path, 400), issue.message);
    }
    if (issues.count >= Issues.limit) break;
  }
  return read;
}

/** A note with its members in the order in which they are stored. */
export function inOrder(note: TeamNote): TeamNote {
  const named = Object.entries(note.arguments ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { type, example, description }]) => [name, { type, example, description }]);
  const args = note.arguments && Object.fromEntries(named);
  return Object.fromEntries(members.map((member) => [member, member === "arguments" ? args : note[member]]));
}

/** A string's notes without members that are undefined; undefined where nothing is left. */
export function toStringNotes(app: AppNote | undefined, team: TeamNote | undefined): StringNotes | undefined {
  const [ownApp, ownTeam] = [app, team].map((note) => note && withoutUndefined(note));
  if (ownApp === undefined) return ownTeam && { team: ownTeam };
  return ownTeam === undefined ? { app: ownApp } : { app: ownApp, team: ownTeam };
}
