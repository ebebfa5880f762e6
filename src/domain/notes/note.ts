/**
 * Notes say what a text is for: to whoever translates it. The names of their members are those of the stored files and of
 * the API.
 */

import type { FileName } from "../names.ts";
import type { LengthUnit } from "../checks/length.ts";
import { unprintable } from "../text.ts";
import type { Thread } from "./thread.ts";

export interface ArgumentNote {
  readonly type?: string;
  readonly example?: string;
  readonly description?: string;
}

/** What an app's files say about a string. */
export interface AppNote {
  readonly note?: string;
  readonly max_length?: number;
  /** `characters` when undefined. */
  readonly max_length_unit?: LengthUnit;
  readonly tags?: readonly string[];
  /** Places in the app's code, such as `src/login.ts:12`. */
  readonly where?: readonly string[];
  /** The text is not to be translated. */
  readonly keep?: true;
  readonly arguments?: Readonly<Record<string, ArgumentNote>>;
}

/** What people say about a string in the Hive; no push of an app touches it. */
export interface TeamNote extends AppNote {
  /** The oldest open question of the thread. It is not stored with the note. */
  readonly ask?: string;
  /** `false`: the text is never sent to an engine. */
  readonly machine?: false;
}

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
export type TeamNoteChange = { readonly [Name in keyof TeamNote]: TeamNote[Name] | null };

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

/** The limits of a note; lengths are in code points. */
export const noteLimits = {
  /** Of `note`, and of `ask`. */
  note: 2000,
  maxLength: 1_000_000,
  tags: 20,
  tag: 50,
  where: 20,
  place: 500,
  arguments: 50,
  argumentName: 100,
  argument: 500,
} as const;

/** Whether a text is one line, without characters that a terminal or a viewer interprets instead of showing. */
export function isLine(text: string): boolean {
  return text.search(unprintable) === -1;
}

/** Whether a text of a tag's length can be a tag: several tags are separated by commas. */
export function isTag(text: string): boolean {
  return isLine(text) && !text.includes(",") && text.trim() === text && text !== "";
}

/** A note without members that are undefined; undefined where nothing is left. */
export function withoutUndefined<T extends object>(note: T): T | undefined {
  const left = { ...note };
  for (const name in left) if (left[name] === undefined) delete left[name];
  return Object.keys(left).length === 0 ? undefined : left;
}
