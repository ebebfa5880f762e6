/** Notes: what the app's files say about their texts, as a push sends it, and `skep note`. */
import type { AppNote, StringNotes, TeamNoteChange } from "../domain/notes/note.ts";
import { ClientError } from "./api/client-error.ts";
import type { SentNotes } from "./api/write-options.ts";
import type { CommandContext } from "./context.ts";
import { knownPlace, toNamedPlace } from "./places.ts";
import type { HiveReport, Project } from "./project.ts";

export type FileNotes = ReadonlyMap<string, AppNote>;

/** Notes as a request has them. A file of which nothing is said is named, too: what was said of it before goes. */
export function toSentNotes(files: Iterable<readonly [name: string, notes: FileNotes]>): SentNotes {
  return Object.fromEntries(Array.from(files, ([name, notes]) => [name, Object.fromEntries(notes)]));
}

/** Whether two states of a file say the same. */
export function isSameNotes(a: FileNotes = new Map(), b: FileNotes = new Map()): boolean {
  if (a.size !== b.size) return false;
  return Array.from(a).every(([key, note]) => JSON.stringify(note) === JSON.stringify(b.get(key)));
}

/**
 * Sends texts with notes; where they are too many together for one request, the texts alone.
 * @param send sends them, with the notes or without.
 */
export async function withNotesIfTheyFit<T>(
  send: (withNotes: boolean) => Promise<T>,
  context: CommandContext,
): Promise<T> {
  try {
    return await send(true);
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 413) throw error;
    const result = await send(false);
    context.warn(
      "The notes of the files were not sent: with them, the request is larger than the server takes.",
    );
    return result;
  }
}

export interface NoteReport extends HiveReport, StringNotes {
  readonly file: string;
  readonly key: string;
  readonly isChanged: boolean;
}

/**
 * Changes members of the team's note about a string, if there are any to change.
 * @param place the string, as `file:key`.
 * @throws ClientError `misuse` when that is no string of a file; `error` when the Hive has no such string.
 */
export async function editNote(project: Project, place: string, change: TeamNoteChange): Promise<NoteReport> {
  const { hive } = project;
  const { file, key } = await knownPlace(hive, toNamedPlace(place));
  if (key === undefined)
    throw new ClientError("misuse", "Give a key with its file, such as auth.json:failed.");
  const hasChange = Object.keys(change).length > 0;
  const counts = hasChange ? (await hive.changeNotes({ [file]: { [key]: change } })).data : undefined;
  const isKnown = async (): Promise<boolean | undefined> => {
    const { source } = await hive.locales();
    return (await hive.texts(source.code)).data.get(file)?.has(key);
  };
  const known = counts === undefined ? await isKnown() : counts.unknown === 0;
  if (known !== true) throw new ClientError("error", `${hive.slug} has no string ${key} in ${file}.`);
  const notes = await hive.notes({ file, key });
  return { ...project.hiveAndBranch, file, key, isChanged: hasChange && counts?.unchanged === 0, ...notes };
}
