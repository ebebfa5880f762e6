/** Finds who wrote the translations that others have replaced since, from the changes of a branch in their order. */
import type { LocaleCode } from "../hives/locale.ts";
import { AddressMap, type Move, type StringAddress } from "../move.ts";
import type { Oid } from "../names.ts";

/** How a commit changed a translation; undefined for none. */
export interface TextChange extends StringAddress {
  readonly locale: LocaleCode;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What one commit changed. */
export interface ChangeStep {
  readonly commit: Oid;
  /** In seconds since 1970. */
  readonly time: number;
  /** The id of the person who made it, if one did. */
  readonly person: string | undefined;
  readonly operation: string | undefined;
  readonly moves: readonly Move[];
  readonly changes: readonly TextChange[];
}

/** A translation of somebody that somebody else has replaced, or taken away. */
export interface ReplacedText extends TextChange, Pick<ChangeStep, "commit" | "time"> {
  readonly kind: "rejected" | "changed";
  /** The id of the person who had written it. */
  readonly writer: string;
}

/** Operations that bring texts back, or from another branch: whoever does it has not written them. */
const bringsBack = new Set(["reject", "undo", "merge"]);
/** Operations that take away a whole language at once, which is no answer to anybody's text. */
const takesAll = new Set(["remove-locale"]);

/** The persons who wrote the texts that a translation had, by these. */
type Writers = Map<string, string>;

/**
 * The translations that persons wrote and others replaced. Who wrote a text is known from the steps alone, so that nobody is
 * told of a text from before them.
 * @param steps the oldest first.
 * @returns the newest first.
 */
export function replacedTexts(steps: readonly ChangeStep[]): readonly ReplacedText[] {
  const locales = new Map<LocaleCode, AddressMap<Writers>>();
  const found: ReplacedText[] = [];
  for (const step of steps) {
    const { moves, changes, commit, time, person, operation = "" } = step;
    if (moves.length > 0) for (const written of locales.values()) follow(moves, written);
    const isMoved = movedIn(moves);
    for (const change of changes) {
      const { locale, before, after } = change;
      const written = locales.get(locale) ?? new AddressMap<Writers>();
      locales.set(locale, written);
      const writers: Writers = written.get(change) ?? new Map<string, string>();
      written.set(change, writers);
      const writer = before === undefined ? undefined : writers.get(before);
      const isTold = writer !== person && !isMoved.has(change) && !takesAll.has(operation);
      if (writer !== undefined && isTold) {
        const kind = operation === "reject" ? "rejected" : "changed";
        found.push({ ...change, kind, commit, time, writer });
      }
      if (after === undefined || bringsBack.has(operation)) continue;
      // Whoever moves a string has not written its text.
      if (isMoved.has(change) && writers.has(after)) continue;
      if (person === undefined) writers.delete(after);
      else writers.set(after, person);
    }
  }
  return found.toReversed();
}

/** The addresses at which moves took or put strings. */
function movedIn(moves: readonly Move[]): AddressMap<true> {
  const moved = new AddressMap<true>();
  for (const { from, to } of moves) moved.set(from, true).set(to, true);
  return moved;
}

/** Takes what is known of strings to where they were moved. */
function follow(moves: readonly Move[], written: AddressMap<Writers>): void {
  const taken = moves.map(({ from }) => written.get(from));
  for (const { from } of moves) written.delete(from);
  for (const [i, { to }] of moves.entries()) {
    const writers = taken[i];
    if (writers !== undefined) written.set(to, writers);
  }
}
