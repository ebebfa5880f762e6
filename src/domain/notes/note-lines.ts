/** Notes as lines for people, such as translators who work in another program. */
import { listedNotes, type StringNotes } from "./note.ts";
import type { StringAddress } from "../move.ts";
import { pictureFinder } from "../pictures/picture-strings.ts";
import type { Pictures } from "../pictures/picture.ts";

/** Words of Skep's own beside what notes say. */
export interface NoteWords {
  readonly atMost: (length: number, unit: "characters" | "columns") => string;
  readonly forExample: (example: string) => string;
}

const englishWords: NoteWords = {
  atMost: (length, unit) => `At most ${length} ${length === 1 ? unit.slice(0, -1) : unit}.`,
  forExample: (example) => `for example ${example}`,
};

/** What notes say, the team's first; without places in the app's code. */
export function noteLines({ app, team }: StringNotes, words = englishWords): readonly string[] {
  const { max_length: length = app?.max_length } = team ?? {};
  const named = { ...app?.arguments, ...team?.arguments };
  return [
    team?.note,
    team?.ask,
    app?.note,
    length === undefined
      ? undefined
      : words.atMost(length, team?.max_length_unit ?? app?.max_length_unit ?? "characters"),
    ...Object.entries(named).map(([name, { type, description, example }]) => {
      const about = [description ?? type, example && words.forExample(example)].filter(Boolean).join(", ");
      return about === "" ? undefined : `{${name}}: ${about}`;
    }),
  ].filter((line) => line !== undefined);
}

export interface ShownNotes extends StringNotes {
  /** Absent where there are none. */
  readonly pictures?: readonly string[];
}

/** Makes a function that adds to the notes of a string the hashes of the pictures that show it. */
export function withPictures(
  pictures: Pictures,
): (note: StringNotes | undefined, at: StringAddress) => Promise<ShownNotes | undefined> {
  const find = pictureFinder(pictures);
  return async (note, at) => {
    const shown = await find(at);
    const listed = listedNotes(note);
    return shown.length === 0 ? listed : { ...listed, pictures: shown };
  };
}
