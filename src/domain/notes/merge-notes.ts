/** Merges the notes of two sides of a Hive's history. */
import type { AddressMap, StringAddress } from "../move.ts";
import type { AlignedSides } from "../moves/alignment.ts";
import type { Side, Sides } from "../sides.ts";
import type { TextAddress } from "../strings/hive-content.ts";
import { translatableTexts } from "../strings/string-file.ts";
import { movedValues } from "../sidecars/sidecar.ts";
import { isSame, isSameMember, noNotes, put } from "./note-changes.ts";
import { withoutNulls } from "../record.ts";
import { toStringNotes } from "./note-files.ts";
import { storedMembers, type Notes, type StoredMember, type TeamNote } from "./note.ts";
import { mergedThread, type Comment } from "./thread.ts";
import { type HiveState, notesIn } from "./hive-state.ts";

/** A member of the team's note that both sides changed, differently. */
interface MemberConflict extends StringAddress {
  readonly member: StoredMember;
}

/** The same, with the values of the member as texts. */
export interface NoteConflict extends MemberConflict, TextAddress {
  readonly reason: "note";
  readonly base: string | undefined;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
}

/** Who is right where both sides changed something. */
export interface NotePrecedence {
  /** What the app says; it is never a conflict. */
  readonly app: Side;
  /** What the team says; that is a conflict all the same. */
  readonly team: (at: MemberConflict) => Side;
  /** See {@link ThreadPrecedence.mayChange}. */
  readonly mayChangeComment?: (comment: Comment) => boolean;
  /** The side from which the notes of a string come as they are, as its text does. */
  readonly whole: AddressMap<Side>;
  /**
   * The source text of a string after the merge. Where both sides have changed it, the app says what the side says whose text
   * it is.
   */
  readonly textAfter?: (at: StringAddress) => string | undefined;
}

/**
 * Merges notes key by key and member by member, whose strings have the same names on all sides.
 * @param sideOf whose text a string has that both sides changed.
 * @param hasString whether a side has a string.
 * @returns the notes, and where both sides changed the same member of the team's.
 */
function mergedNotes(
  { ours, base, theirs }: Sides<Notes>,
  first: NotePrecedence,
  sideOf: (at: StringAddress) => Side | undefined,
  hasString: (side: Side, at: StringAddress) => boolean,
): { readonly notes: Notes; readonly conflicts: readonly MemberConflict[] } {
  const conflicts: MemberConflict[] = [];
  const after = new Map(ours);
  for (const file of new Set([...ours.keys(), ...base.keys(), ...theirs.keys()])) {
    const [from, to] = [base.get(file) ?? noNotes, theirs.get(file) ?? noNotes];
    const now = new Map(after.get(file));
    for (const key of new Set([...now.keys(), ...from.keys(), ...to.keys()])) {
      const [our, start, their] = [now.get(key), from.get(key), to.get(key)];
      const at = { file, key };
      const whole = first.whole.get(at);
      if (whole !== undefined) {
        put(now, key, whole === "ours" ? our : their);
        continue;
      }
      // A note goes with its string, which is not for notes to decide.
      const decided = sideOf(at);
      if ((start === their && decided === undefined) || !hasString("theirs", at)) continue;
      if (!hasString("ours", at)) {
        put(now, key, their);
        continue;
      }
      const isAppChanged = !isSame(start?.app, their?.app);
      const isAppTaken =
        decided === undefined
          ? isAppChanged && (first.app === "theirs" || isSame(our?.app, start?.app))
          : decided === "theirs";
      const team: TeamNote = { ...our?.team };
      const taken = storedMembers.filter((member) => {
        const [o, s, t] = [our?.team, start?.team, their?.team];
        if (isSameMember(member, s, t) || isSameMember(member, o, t)) return false;
        if (isSameMember(member, o, s)) return true;
        conflicts.push({ ...at, member });
        return first.team({ ...at, member }) === "theirs";
      });
      const merged = { ...team, ...pick(their?.team, taken) };
      const threads = { base: start?.thread, ours: our?.thread, theirs: their?.thread };
      // Who wrote a comment on both sides meant one of the two texts; a thread never holds up a merge.
      const precedence = { text: "ours", mayChange: first.mayChangeComment } as const;
      const notes = {
        app: isAppTaken ? their?.app : our?.app,
        team: withoutNulls(merged),
        thread: mergedThread(threads, precedence),
      };
      put(now, key, toStringNotes(notes));
    }
    after.set(file, now);
  }
  return { notes: after, conflicts };
}

function pick(note: TeamNote | undefined, taken: readonly StoredMember[]): TeamNote {
  return Object.fromEntries(taken.map((member) => [member, note?.[member]]));
}

/**
 * Merges notes by key and member; see {@link mergedNotes}.
 * @param aligned the sides with the same names for the same strings, by the moves of which notes get these names, too.
 */
export function mergeNotes(
  contents: Sides<HiveState>,
  aligned: AlignedSides,
  first: NotePrecedence,
): { readonly notes: Notes; readonly conflicts: readonly NoteConflict[] } {
  const sides = alignedNotes(contents, aligned);
  const textIn = (side: keyof Sides<unknown>, { file, key }: StringAddress): string | undefined =>
    translatableTexts(aligned[side].content.source.get(file)).get(key);
  const sideOf = (at: StringAddress): Side | undefined => {
    const [our, start, their] = [textIn("ours", at), textIn("base", at), textIn("theirs", at)];
    if (first.textAfter === undefined || our === start || their === start || our === their) return undefined;
    const text = first.textAfter(at);
    return text === our ? "ours" : text === their ? "theirs" : undefined;
  };
  const merged = mergedNotes(sides, first, sideOf, (side, at) => textIn(side, at) !== undefined);
  const locale = contents.ours.content.settings.sourceLocale.code;
  const conflicts = merged.conflicts.map(({ file, key, member }): NoteConflict => {
    const text = (side: Side | "base"): string | undefined =>
      memberText(sides[side].get(file)?.get(key)?.team, member);
    const texts = { base: text("base"), ours: text("ours"), theirs: text("theirs") };
    return { reason: "note", locale, file, key, member, ...texts };
  });
  return { notes: merged.notes, conflicts };
}

function alignedNotes(contents: Sides<HiveState>, aligned: AlignedSides): Sides<Notes> {
  const notesOf = (side: keyof Sides<unknown>): Notes =>
    movedValues(notesIn(contents[side]), aligned[side].addresses);
  return { ours: notesOf("ours"), base: notesOf("base"), theirs: notesOf("theirs") };
}

function memberText(note: TeamNote | undefined, member: StoredMember): string | undefined {
  const value = note?.[member];
  return typeof value === "object" ? JSON.stringify(value) : value?.toString();
}

/** A member of a note that was changed, with its values as texts. */
interface MemberChange {
  readonly member: StoredMember;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What differs between two states of a note about a string, that of the team or that of the app without its places. */
export function changedMembers(
  before: TeamNote | undefined,
  after: TeamNote | undefined,
): readonly MemberChange[] {
  if (before === after) return [];
  return storedMembers
    .filter((member) => !isSameMember(member, before, after))
    .map((member) => ({ member, before: memberText(before, member), after: memberText(after, member) }));
}
