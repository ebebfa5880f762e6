/** What the model knows of pictures: the strings that each shows, as `file key`, in the order in which they came. */
import { formSource } from "./plurals.ts";

/** By the name of the image. */
export type Pictures = ReadonlyMap<string, readonly string[]>;

/** What pictures go with. */
interface State {
  readonly files: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly pictures: Map<string, readonly string[]>;
}

export function isShown({ files }: Pick<State, "files">, id: string): boolean {
  const [file = "", ...key] = id.split(" ");
  return formSource(files.get(file), key.join(" ")) !== undefined;
}

/** A picture goes with the last of its strings. */
export function dropLostPictures(state: State): void {
  for (const [image, strings] of state.pictures) {
    const left = strings.filter((id) => isShown(state, id));
    if (left.length === 0) state.pictures.delete(image);
    else state.pictures.set(image, left);
  }
}

export function united(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}

function isSame(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function isSamePictures(a: Pictures, b: Pictures): boolean {
  return a.size === b.size && [...a].every(([image, strings]) => isSame(strings, b.get(image)));
}

type Side = Pick<State, "pictures">;

/**
 * Merges pictures: of one that both sides have changed the strings of both stay, and it is not deleted.
 * @param isOf whether a string comes from a side as a whole: the pictures that show it are those that do so there.
 */
export function mergePictures(
  { base, ours, theirs }: Readonly<Record<"base" | "ours" | "theirs", Side>>,
  isOf: (id: string, side: "ours" | "theirs") => boolean,
): Pictures {
  const merged = new Map(ours.pictures);
  for (const image of new Set([...base.pictures.keys(), ...theirs.pictures.keys()])) {
    const [was, mine, other] = [base, ours, theirs].map(({ pictures }) => pictures.get(image));
    if (isSame(was, other)) continue;
    if (isSame(was, mine)) {
      if (other === undefined) merged.delete(image);
      else merged.set(image, other);
    } else if (other !== undefined) merged.set(image, united(mine ?? [], other));
  }
  for (const [side, { pictures }] of [
    ["ours", ours],
    ["theirs", theirs],
  ] as const) {
    for (const [image, strings] of pictures) {
      const own = strings.filter((id) => isOf(id, side));
      if (own.length > 0) merged.set(image, united(merged.get(image) ?? [], own));
    }
  }
  for (const [image, strings] of merged) {
    const isForeign = (id: string): boolean =>
      (
        [
          ["ours", ours],
          ["theirs", theirs],
        ] as const
      ).some(([side, { pictures }]) => isOf(id, side) && pictures.get(image)?.includes(id) !== true);
    const left = strings.filter((id) => !isForeign(id));
    if (left.length === 0) merged.delete(image);
    else merged.set(image, left);
  }
  return merged;
}
