/** The moves of two sides that can be made together, and the places where the others leave strings that differ. */
import { isStepDone, pause } from "../../slices.ts";
import { append } from "../group-by.ts";
import { AddressMap, type Move, type StringAddress } from "../move.ts";
import { findClashes, type FileName } from "../names.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { Side, Sides } from "../sides.ts";
import { SidecarValues } from "../sidecars/sidecar.ts";
import { reviewKind } from "../sidecars/review.ts";
import { staleKind } from "../sidecars/stale.ts";
import { translationAt } from "../strings/content-diff.ts";
import type { SourceFiles } from "../strings/hive-content.ts";
import type { ContentWithMarkers } from "../strings/stale.ts";

/** The content of one side, with the values beside its texts as far as they are known. */
export interface AlignedContent extends ContentWithMarkers {
  readonly values?: SidecarValues;
}

const sides = ["ours", "base", "theirs"] as const;

/** What is done about one string: its move on each of the sides. */
export interface Alignment extends Partial<Sides<Move>> {
  /** The side that has it no more: no other string may be at its new place there. */
  readonly goneFrom?: Side;
  /** All places that it has on any of the sides. */
  readonly ends: readonly StringAddress[];
  /** The sides that have moved it. */
  readonly movedBy: readonly Side[];
}

/** The alignments that can be made together, and those that cannot. */
export interface Separated {
  readonly active: readonly Alignment[];
  readonly dropped: readonly Alignment[];
  /** Those of `dropped` that would create a file which cannot be stored beside another one. */
  readonly inClashingFiles: ReadonlySet<Alignment>;
}

/** Whether a side has a source string. */
export function hasString(contents: Sides<ContentWithMarkers>) {
  return (side: keyof Sides<unknown>, { file, key }: StringAddress): boolean =>
    contents[side].content.source.get(file)?.texts.has(key) === true;
}

function addressMaps<T>(): Sides<AddressMap<T>> {
  return { ours: new AddressMap(), base: new AddressMap(), theirs: new AddressMap() };
}

/** The alignments that can be made together: each new place is free, or another move frees it. */
export function withoutClashes(contents: Sides<ContentWithMarkers>, wanted: readonly Alignment[]): Separated {
  const has = hasString(contents);
  const dropped = new Set<Alignment>();
  const inClashingFiles = new Set<Alignment>();
  const leaving = addressMaps<true>();
  const arriving = addressMaps<Alignment>();
  const waiting: Alignment[] = [];
  const newPlace = (one: Alignment, side: keyof Sides<unknown>): StringAddress | undefined =>
    (side === one.goneFrom ? one.base : one[side])?.to;
  for (const one of wanted) {
    for (const side of sides) {
      const move = one[side];
      if (move !== undefined) leaving[side].set(move.from, true);
      const to = newPlace(one, side);
      if (to === undefined) continue;
      if (arriving[side].has(to)) waiting.push(one);
      else arriving[side].set(to, one);
    }
  }
  function drop(): void {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (dropped.has(one)) continue;
      dropped.add(one);
      for (const side of sides) {
        const move = one[side];
        if (move === undefined) continue;
        // Its string stays, so no other string may take its place.
        const other = arriving[side].get(move.from);
        if (other !== undefined) waiting.push(other);
      }
    }
  }
  for (const one of wanted) {
    for (const side of sides) {
      const to = newPlace(one, side);
      if (to !== undefined && !leaving[side].has(to) && has(side, to)) waiting.push(one);
    }
  }
  drop();
  for (;;) {
    const clashing = newFileClashes(
      contents.ours.content.source,
      wanted.flatMap((one) => (one.ours === undefined || dropped.has(one) ? [] : [one.ours])),
    );
    if (clashing.size === 0) break;
    for (const one of wanted) {
      if (one.ours === undefined || !clashing.has(one.ours.to.file) || dropped.has(one)) continue;
      inClashingFiles.add(one);
      waiting.push(one);
    }
    drop();
  }
  return { active: wanted.filter((one) => !dropped.has(one)), dropped: [...dropped], inClashingFiles };
}

/** The files that moves would create, and that cannot be stored beside others. */
function newFileClashes(source: SourceFiles, moves: readonly Move[]): ReadonlySet<FileName> {
  const added = new Set(moves.map(({ to }) => to.file).filter((file) => !source.has(file)));
  if (added.size === 0) return added;
  const left = new Map(Array.from(source, ([file, { texts }]) => [file, texts.size]));
  for (const { from } of moves) left.set(from.file, (left.get(from.file) ?? 0) - 1);
  for (const { to } of moves) left.set(to.file, (left.get(to.file) ?? 0) + 1);
  const names = [...left].flatMap(([file, count]) => (count > 0 ? [file] : []));
  return new Set(findClashes(names, added).map(({ file }) => file));
}

/**
 * Adds the places of the strings whose moves cannot be made to those where nothing may be changed: there, a key is another
 * string on one side than on the other. Strings that share places are looked at together. Where only one side has changed
 * anything at them, what it made of them is right key by key.
 */
export async function blockPlaces(
  { base, ours, theirs }: Sides<AlignedContent>,
  { dropped, inClashingFiles }: Separated,
  blocked: AddressMap<true>,
): Promise<void> {
  if (dropped.length === 0) return;
  const changes = { ours: new SideChanges(base, ours), theirs: new SideChanges(base, theirs) };
  for (const group of groupsOf(dropped)) {
    if (isStepDone(group.length)) await pause();
    const ends = group.flatMap((one) => one.ends);
    const isChangedBy = async (side: Side): Promise<boolean> =>
      group.some(({ movedBy }) => movedBy.includes(side)) || changes[side].isAtAny(ends);
    const isBlocked =
      group.some((one) => inClashingFiles.has(one)) ||
      ends.some((end) => blocked.has(end)) ||
      ((await isChangedBy("ours")) && (await isChangedBy("theirs")));
    for (const end of isBlocked ? ends : []) blocked.set(end, true);
  }
}

/** Alignments in groups of those that share places with each other. */
function groupsOf(all: readonly Alignment[]): readonly (readonly Alignment[])[] {
  const at = new AddressMap<Alignment[]>();
  for (const one of all) for (const end of one.ends) append(at, end, one);
  const seen = new Set<Alignment>();
  const groups: Alignment[][] = [];
  for (const first of all) {
    if (seen.has(first)) continue;
    seen.add(first);
    const group = [first];
    // The group grows while it is gone through.
    for (const one of group) {
      for (const other of one.ends.flatMap((end) => at.get(end) ?? [])) {
        if (seen.has(other)) continue;
        seen.add(other);
        group.push(other);
      }
    }
    groups.push(group);
  }
  return groups;
}

/** What a side has made of the base, text by text and value by value. */
class SideChanges {
  readonly #base: AlignedContent;
  readonly #side: AlignedContent;
  readonly #values: readonly [base: SidecarValues, side: SidecarValues];
  readonly #locales: ReadonlySet<LocaleCode>;

  constructor(base: AlignedContent, side: AlignedContent) {
    this.#base = base;
    this.#side = side;
    this.#values = [valuesOf(base), valuesOf(side)];
    this.#locales = new Set([...base.content.translations.keys(), ...side.content.translations.keys()]);
  }

  /** Whether there is any at one of some places. */
  async isAtAny(places: readonly StringAddress[]): Promise<boolean> {
    const [{ kinds }] = this.#values;
    for (const place of places) {
      if (isStepDone(this.#locales.size * (1 + kinds.length))) await pause();
      if (this.#isAt(place)) return true;
    }
    return false;
  }

  #isAt({ file, key }: StringAddress): boolean {
    const [was, is] = [this.#base.content, this.#side.content];
    const [former, present] = [was.source.get(file), is.source.get(file)];
    if (former?.texts.get(key) !== present?.texts.get(key)) return true;
    // With the plural forms that only translations have.
    const forms = [former, present].flatMap((one) => one?.plurals?.formOf(key)?.string.added ?? []);
    const [before, after] = this.#values;
    return [key, ...forms].some(
      (one) =>
        before.differsAt(after, { file, key: one }) ||
        [...this.#locales].some(
          (locale) => translationAt(was, locale, file, one) !== translationAt(is, locale, file, one),
        ),
    );
  }
}

function valuesOf({
  values = new SidecarValues(),
  markers,
  reviews = new Map(),
}: AlignedContent): SidecarValues {
  return values.with(staleKind, markers).with(reviewKind, reviews);
}
