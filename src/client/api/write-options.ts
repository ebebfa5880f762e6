/** What every write of the client sends. */
import type { AppNote } from "../../domain/notes/note.ts";
import type { Group } from "../../domain/strings/string-file.ts";

/** The content of files as it is sent, by their names in the Hive. */
export type SentFiles = Readonly<Record<string, Group>>;

/** What the app's files say about texts, by their names in the Hive and by key. */
export type SentNotes = Readonly<Record<string, Readonly<Record<string, AppNote>>>>;

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The commit of the app, for the history of the Hive. */
  readonly ref: string | undefined;
}

/** A text as a header, which has one character per byte of UTF-8. */
export function toHeader(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text.replaceAll(/\s+/g, " ").trim()).toString("latin1");
}
