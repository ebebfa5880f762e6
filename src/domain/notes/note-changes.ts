/** Changes of notes: by an app's push, by people, by moves of strings, and by merges. */
import { filtered } from "../filtered.ts";
import type { StringAddress, TranslationMoves } from "../move.ts";
import { isFileName } from "../names.ts";
import { inOrder, toStringNotes, type ByKey } from "./note-files.ts";
import {
  members,
  type AppNote,
  type FileNotes,
  type Member,
  type Notes,
  type StringNotes,
  type TeamNote,
  type TeamNoteChange,
} from "./note.ts";
import { withoutNulls } from "../record.ts";
import { movedValues, type ValueFiles } from "../sidecars/sidecar.ts";
import type { SourceFiles } from "../strings/hive-content.ts";
import { isSameThread, withOpenQuestion, withQuestion, type Voice } from "./thread.ts";

export const noNotes: FileNotes = new Map();

/** Whether two notes of a team say the same in one member. */
export function isSameMember(member: Member, a: TeamNote | undefined, b: TeamNote | undefined): boolean {
  if (a?.[member] === b?.[member]) return true;
  const texts = [a, b].map((note) => JSON.stringify(inOrder({ [member]: note?.[member] })));
  return texts[0] === texts[1];
}

/** Whether two notes say the same, whatever the order of their members. */
export function isSame(a: TeamNote | undefined, b: TeamNote | undefined): boolean {
  return a === b || JSON.stringify(a && inOrder(a)) === JSON.stringify(b && inOrder(b));
}

/** Whether the notes of two strings say the same, of the app and of the team. */
export function isSameNotes(a: StringNotes | undefined, b: StringNotes | undefined): boolean {
  if (a === b) return true;
  return isSame(a?.app, b?.app) && isSame(a?.team, b?.team) && isSameThread(a?.thread, b?.thread);
}

/** The notes of a string without positions in the app's code. */
export function withoutPlaces(notes: StringNotes | undefined): StringNotes | undefined {
  if (notes?.app?.where === undefined) return notes;
  return toStringNotes({ ...notes, app: { ...notes.app, where: undefined } });
}

/** What the app's files say, without the notes of the team. */
export function appNotesOf(notes: Notes): ByKey<AppNote> {
  return new Map(
    Array.from(notes, ([file, keys]) => [
      file,
      new Map(Array.from(keys).flatMap(([key, { app }]) => (app === undefined ? [] : [[key, app]]))),
    ]),
  );
}

/** Where strings of files that were sent, and of their base, are now. */
export interface FollowedMoves {
  readonly base: TranslationMoves;
  readonly theirs: TranslationMoves;
}

interface SentNotes {
  readonly moves?: FollowedMoves | undefined;
  readonly within?: SourceFiles | undefined;
}

/** Those of files that a Hive can have. */
function filesOf<V>(all: ByKey<V>): ValueFiles<V> {
  return new Map([...all].flatMap(([file, keys]) => (isFileName(file) ? [[file, keys] as const] : [])));
}

/**
 * Notes after a push of an app: those of each named file are what the app says now.
 * @param base what the app's files said when those of the push were made; only what they changed since is taken from them.
 * @param more.moves where the strings of the push and of its base are now.
 * @param more.within the files of the push, where what is said about strings that they lack stays.
 */
export function withAppNotes(
  notes: Notes,
  sent: ByKey<AppNote>,
  base: ByKey<AppNote> | undefined,
  { moves, within }: SentNotes = {},
): Notes {
  if (base !== undefined && moves !== undefined) {
    const named = filtered(base, (file) => sent.has(file));
    const [said, from] = [movedValues(filesOf(sent), moves.theirs), movedValues(filesOf(named), moves.base)];
    return withAppNotes(notes, said, from);
  }
  const after = new Map(notes);
  for (const [file, said] of sent) {
    if (!isFileName(file)) continue;
    const now = new Map(after.get(file));
    const from = base?.get(file);
    for (const key of new Set([...now.keys(), ...said.keys()])) {
      const app = said.get(key);
      if (app === undefined && within !== undefined && within.get(file)?.texts.has(key) !== true) continue;
      if (base !== undefined && isSame(app, from?.get(key))) continue;
      put(now, key, toStringNotes({ ...now.get(key), app }));
    }
    after.set(file, now);
  }
  return after;
}

/** Sets the notes of a key, or removes them where they are undefined. */
export function put(notes: Map<string, StringNotes>, key: string, note: StringNotes | undefined): void {
  if (note === undefined) notes.delete(key);
  else notes.set(key, note);
}

export interface NoteCounts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly unknown: number;
}

export interface TeamChanges {
  readonly files: ByKey<TeamNoteChange>;
  /** What the members must be before; a member that is missing may be anything. */
  readonly expected?: ByKey<TeamNoteChange>;
}

export interface ChangedTeamNotes {
  readonly counts: NoteCounts;
  readonly notes: Notes;
  readonly conflicts: readonly StringAddress[];
}

/**
 * Changes the team's notes, member by member.
 * @param voice whose the questions are.
 * @throws SkepError `quota` as {@link withComment} does.
 */
export function withTeamNotes(
  notes: Notes,
  { files, expected = new Map() }: TeamChanges,
  hasString: (at: StringAddress) => boolean,
  voice: Voice,
): ChangedTeamNotes {
  const counts = { created: 0, updated: 0, deleted: 0, unchanged: 0, unknown: 0 };
  const conflicts: StringAddress[] = [];
  for (const [file, keys] of expected) {
    for (const [key, wanted] of keys) {
      if (!isFileName(file)) continue;
      const team = notes.get(file)?.get(key)?.team;
      const expectedMembers = members.filter((member) => wanted[member] !== undefined);
      const isMet = expectedMembers.every((member) => isSameMember(member, team, withoutNulls(wanted)));
      if (!isMet) conflicts.push({ file, key });
    }
  }
  const after = new Map(notes);
  for (const [file, keys] of files) {
    const now = new Map(isFileName(file) ? after.get(file) : undefined);
    for (const [key, change] of keys) {
      if (!isFileName(file) || !hasString({ file, key })) {
        counts.unknown++;
        continue;
      }
      const before = now.get(key);
      const changed = withTeamNote(before, change, voice);
      put(now, key, changed);
      counts[toChange(before, changed)]++;
    }
    if (isFileName(file)) after.set(file, now);
  }
  return { counts, notes: after, conflicts };
}

function withTeamNote(
  before: StringNotes | undefined,
  { ask, ...change }: TeamNoteChange,
  voice: Voice,
): StringNotes | undefined {
  const thread =
    ask === undefined ? before?.thread : withOpenQuestion(before?.thread, ask ?? undefined, voice);
  return toStringNotes({ ...before, team: withoutNulls({ ...before?.team, ...change }), thread });
}

/** Notes with questions of somebody who may write. @throws SkepError `quota` as {@link withComment} does. */
export function withQuestions(notes: Notes, questions: ByKey<string>, voice: Voice): Notes {
  const after = new Map(notes);
  for (const [file, keys] of questions) {
    if (!isFileName(file)) continue;
    const now = new Map(after.get(file));
    for (const [key, text] of keys) {
      const before = now.get(key);
      put(now, key, toStringNotes({ ...before, thread: withQuestion(before?.thread, text, voice) }));
    }
    after.set(file, now);
  }
  return after;
}

function toChange(
  before: StringNotes | undefined,
  after: StringNotes | undefined,
): Exclude<keyof NoteCounts, "unknown"> {
  if (isSameNotes(before, after)) return "unchanged";
  if (before?.team === undefined) return "created";
  return after?.team === undefined ? "deleted" : "updated";
}
