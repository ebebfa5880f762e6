/** Notes as lines for people, such as translators who work in another program. */
import { toldNotes, type AppNote, type StringNotes } from "./note.ts";
import type { StringAddress } from "../move.ts";
import { pictureFinder } from "../pictures/picture-strings.ts";
import type { Pictures } from "../pictures/picture.ts";

/** What notes say, the team's first; without places in the app's code. */
export function noteLines({ app, team }: StringNotes): readonly string[] {
  const { max_length: length = app?.max_length } = team ?? {};
  const named = { ...app?.arguments, ...team?.arguments };
  return [
    team?.note,
    team?.ask,
    app?.note,
    length === undefined ? undefined : limitOf(length, team?.max_length_unit ?? app?.max_length_unit),
    ...Object.entries(named).map(([name, { type, description, example }]) => {
      const about = [description ?? type, example && `for example ${example}`].filter(Boolean).join(", ");
      return about === "" ? undefined : `{${name}}: ${about}`;
    }),
  ].filter((line) => line !== undefined);
}

/** `At most 12 characters.` */
function limitOf(length: number, unit: AppNote["max_length_unit"] = "characters"): string {
  return `At most ${length} ${length === 1 ? unit.slice(0, -1) : unit}.`;
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
    const told = toldNotes(note);
    return shown.length === 0 ? told : { ...told, pictures: shown };
  };
}
