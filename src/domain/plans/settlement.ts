/** How the conflicts of a merge are settled: for one side, and some of them each for itself. */
import { groupBy } from "../group-by.ts";
import type { Side } from "../sides.ts";
import { addressOf } from "../strings/content-diff.ts";
import type { TextAddress } from "../strings/hive-content.ts";
import { withLineEnds } from "../text.ts";

/** Where a conflict is: at a text, or at a member of the note of a string. */
export interface ConflictPlace extends TextAddress {
  readonly member?: string;
}

/** What is taken in a conflict: the text of a side, or another one; one that a browser sent has no line ends of its own. */
export type Taken = Side | { readonly text: string; readonly isTyped?: boolean };

/** The settlement of one conflict, or of several at the same place. */
export interface Resolution extends ConflictPlace {
  readonly take: Taken;
}

/** What is known of one resolution. */
interface Given {
  readonly index: number;
  readonly take: Taken;
  isMet: boolean;
  problem?: string;
}

function takenOf(take: Taken, { ours, theirs }: Readonly<Partial<Record<Side, string>>>): Taken {
  if (typeof take === "string") return take;
  const sides = [ours, theirs].filter((text) => text !== undefined);
  const same =
    take.isTyped === true ? sides.find((text) => withLineEnds(take.text, [text]) === text) : take.text;
  if (same !== undefined && sides.includes(same)) return same === ours ? "ours" : "theirs";
  return take.isTyped === true ? { text: withLineEnds(take.text, sides) } : take;
}

/** Names a place of a conflict. */
export function placeOf(place: Omit<ConflictPlace, "file"> & { readonly file: string }): string {
  return `${addressOf(place)}\0${place.member ?? ""}`;
}

/** The settlements of one merge, which remembers what it was asked about: each plan needs its own. */
export class Settlement {
  /** The side that wins where nothing is said of a conflict by itself; undefined where such a one is not settled. */
  readonly winner: Side | undefined;
  readonly #given = new Map<string, Given>();
  readonly #repeated: { readonly index: number; readonly first: number }[] = [];

  constructor(winner?: Side, resolutions: readonly Resolution[] = []) {
    this.winner = winner;
    for (const [index, { take, ...place }] of resolutions.entries()) {
      const name = placeOf(place);
      const first = this.#given.get(name);
      if (first === undefined) this.#given.set(name, { index, take, isMet: false });
      else this.#repeated.push({ index, first: first.index });
    }
  }

  /**
   * Says that two conflicts are about one string, which has a place on each side: what is said of one of them is said of both,
   * as it would be there twice otherwise, or not at all.
   */
  join(one: ConflictPlace, other: ConflictPlace): void {
    const [name, otherName] = [placeOf(one), placeOf(other)];
    const [first, second] = [this.#given.get(name), this.#given.get(otherName)];
    if (first !== undefined && second !== undefined) {
      if (first.take !== second.take)
        second.problem ??= `is about the string of ${one.file}: ${one.key}: both have to be taken from the same side`;
    } else if (first !== undefined) this.#given.set(otherName, first);
    else if (second !== undefined) this.#given.set(name, second);
  }

  /** Whether some conflicts are settled each for itself. */
  get isByPlace(): boolean {
    return this.#given.size > 0;
  }

  /** Whether some of them are settled by a text of neither side. */
  get hasTexts(): boolean {
    return [...this.#given.values()].some(({ take }) => typeof take === "object");
  }

  /**
   * What is asked for at a place where there may be no conflict, because another one was settled so.
   * @param texts as of {@link taken}.
   */
  asked(place: ConflictPlace, texts: Readonly<Partial<Record<Side, string>>> = {}): Taken | undefined {
    const given = this.#given.get(placeOf(place));
    return given && takenOf(given.take, texts);
  }

  /** Whether a conflict is settled. */
  isSettled(place: ConflictPlace): boolean {
    return this.winner !== undefined || this.#given.has(placeOf(place));
  }

  /**
   * What is taken in a conflict; ours where it is not settled, since nothing is written then.
   * @param texts of the sides: another text that is the text of a side is taken from that, with all that goes with it.
   */
  taken(place: ConflictPlace, texts: Readonly<Record<Side, string | undefined>>): Taken {
    const given = this.#given.get(placeOf(place));
    if (given === undefined) return this.winner ?? "ours";
    given.isMet = true;
    return takenOf(given.take, texts);
  }

  /** The side that is taken in a conflict that no other text settles. A resolution by a text is a fault. */
  side(place: ConflictPlace): Side {
    const given = this.#given.get(placeOf(place));
    if (given === undefined) return this.winner ?? "ours";
    given.isMet = true;
    if (typeof given.take === "string") return given.take;
    given.problem ??= "a text cannot settle this conflict: take the one of main or of the branch";
    return "ours";
  }

  /** Says what is wrong with the resolution of a conflict. */
  refuse(place: ConflictPlace, problem: string): void {
    const given = this.#given.get(placeOf(place));
    if (given !== undefined) given.problem ??= problem;
  }

  /**
   * The resolutions that cannot be used, by their indexes, and why: once the plan is made.
   * @param find gives the conflicts that there are where none is settled: one that another resolution makes go away is none
   * that was asked about, and no fault.
   */
  async problems(
    find: () => Promise<readonly ConflictPlace[]>,
  ): Promise<readonly (readonly [index: number, problem: string])[]> {
    // One may be about several conflicts; see {@link join}.
    const given = groupBy([...this.#given], ([, one]) => one);
    const unmet = [...given.keys()].some(({ isMet }) => !isMet);
    const known = new Set(unmet ? (await find()).map(placeOf) : []);
    const isUnknown = ({ isMet }: Given, names: readonly (readonly [string, Given])[]): boolean =>
      !isMet && !names.some(([name]) => known.has(name));
    const unknown = [...given].flatMap(([one, names]) => (isUnknown(one, names) ? [one] : []));
    return [
      ...this.#repeated.map(
        ({ index, first }) => [index, `is about the conflict of number ${first}, too`] as const,
      ),
      ...unknown.map(({ index }) => [index, "there is no such conflict"] as const),
      ...[...given.keys()].flatMap(({ index, problem }) =>
        problem === undefined ? [] : [[index, problem] as const],
      ),
    ];
  }
}
