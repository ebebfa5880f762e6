/** Notes as JSON: the files of a Hive, and the members of requests. */
import type { z } from "zod";
import { Issues } from "../errors.ts";
import { isStepDone, pause } from "../../slices.ts";
import { membersOf } from "../strings/payload.ts";
import { excerpt } from "../text.ts";
import { excessOf, storedNotesSchema } from "./note-schema.ts";
import { members, withoutUndefined, type FileNotes, type StringNotes, type TeamNote } from "./note.ts";
import { commentInOrder, noThread, openQuestion, withEarlierQuestion } from "./thread.ts";

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
export async function parseNoteFile(value: unknown, issues: Issues, path = "notes"): Promise<FileNotes> {
  const read = await readKeys(value, path, storedNotesSchema, issues);
  const notes = new Map<string, StringNotes>();
  for (const [key, stored] of read) notes.set(key, fromStored(stored));
  return notes;
}

/** Notes as they were stored. */
export function fromStored({ app, team }: z.output<typeof storedNotesSchema>): StringNotes {
  const { thread = noThread, ask, ...note } = team ?? {};
  return toStringNotes({ app, team: note, thread: withEarlierQuestion(thread, ask) }) ?? {};
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

/**
 * A string's notes without members that are undefined; undefined where nothing is left.
 * @param thread gives the question of the team's note.
 */
export function toStringNotes({ app, team, thread }: StringNotes): StringNotes | undefined {
  const ask = openQuestion(thread)?.text;
  return withoutUndefined({
    app: app && withoutUndefined(app),
    team: withoutUndefined({ ...team, ask }),
    thread: thread === undefined || thread.length === 0 ? undefined : thread,
  });
}

/** A string's notes as they are stored. */
export function toStoredNotes({ app, team, thread }: StringNotes): object {
  const stored = { ...(team && inOrder({ ...team, ask: undefined })), thread: thread?.map(commentInOrder) };
  return { app: app && inOrder(app), team: withoutUndefined(stored) };
}
