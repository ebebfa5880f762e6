/** Notes as they are shown: with the pictures of their strings. */
import type { StringAddress } from "../move.ts";
import { pictureFinder } from "../pictures/picture-strings.ts";
import type { Pictures } from "../pictures/picture.ts";
import type { StringNotes } from "./note.ts";

/** The notes of a string with the hashes of its pictures. */
export interface ShownNotes extends StringNotes {
  /** Absent where there are none. */
  readonly pictures?: readonly string[];
}

/** Gives the notes of strings their pictures. */
export function withPictures(
  pictures: Pictures,
): (note: StringNotes | undefined, at: StringAddress) => ShownNotes | undefined {
  const find = pictureFinder(pictures);
  return (note, at) => {
    const shown = find(at);
    return shown.length === 0 ? note : { ...note, pictures: shown };
  };
}
