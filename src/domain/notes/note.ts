/**
 * Notes say what a text is for: to whoever translates it. The names of their members are those of the stored files and of
 * the API.
 */

import type { z } from "zod";
import type { Immutable } from "../json-codec.ts";
import type { FileName } from "../names.ts";
import { isLine, isTag, noteLimits } from "./note-limits.ts";
import type {
  appNoteSchema,
  argumentNoteSchema,
  teamNoteChangeSchema,
  teamNoteSchema,
} from "./note-schema.ts";
import type { Thread } from "./thread.ts";

export { isLine, isTag, noteLimits };

export type ArgumentNote = Immutable<z.output<typeof argumentNoteSchema>>;
/** What an app's files say about a string. */
export type AppNote = Immutable<z.output<typeof appNoteSchema>>;
/** What people say about a string in the Hive; no push of an app touches it. */
export type TeamNote = Immutable<z.output<typeof teamNoteSchema>>;

export type Member = keyof TeamNote;
/** A member that is stored with the note. */
export type StoredMember = Exclude<Member, "ask">;

/** In the order in which they are stored. */
export const members: readonly Member[] = [
  "note",
  "ask",
  "max_length",
  "max_length_unit",
  "tags",
  "where",
  "keep",
  "machine",
  "arguments",
];

/** The members that are stored with a note. */
export const storedMembers: readonly StoredMember[] = members.filter((member) => member !== "ask");

/** Members of a team's note; `null` removes one, and one that is undefined stays as it is. */
export type TeamNoteChange = Immutable<z.output<typeof teamNoteChangeSchema>>;

export interface StringNotes {
  readonly app?: AppNote;
  readonly team?: TeamNote;
  /** What people say about the string, one after the other. Lists of notes leave it out. */
  readonly thread?: Thread;
}

export type FileNotes = ReadonlyMap<string, StringNotes>;

export type Notes = ReadonlyMap<FileName, FileNotes>;

/** The notes of a string as one: what the team says counts before what the app says, and the tags of both count. */
export function shownNote({ app, team }: StringNotes): TeamNote {
  const tags = [...new Set([...(team?.tags ?? []), ...(app?.tags ?? [])])];
  return { ...app, ...team, ...(tags.length === 0 ? {} : { tags }) };
}

/** The notes of a string as lists have them: without its thread, whose oldest open question is in the note. */
export function listedNotes(notes: StringNotes | undefined): StringNotes | undefined {
  if (notes?.thread === undefined) return notes;
  const { app, team } = notes;
  return app === undefined && team === undefined ? undefined : { app, team };
}

/** A note without members that are undefined; undefined where nothing is left. */
export function withoutUndefined<T extends object>(note: T): T | undefined {
  const left = { ...note };
  for (const name in left) if (left[name] === undefined) delete left[name];
  return Object.keys(left).length === 0 ? undefined : left;
}
