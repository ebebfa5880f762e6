/**
 * The port behind which each format of an app's files stands. Files are patched, never printed anew: what a format does
 * not have to change (comments, order, quotes, indentation, line endings) stays as it is.
 */
import type { Group, Texts } from "../domain/strings/string-file.ts";

/** What a file does not say by itself in every format. */
export interface FileContext {
  /** The code of the file's locale, as the app's files write it. */
  readonly locale: string;
  /** The code of the source locale, as the app's files write it. */
  readonly sourceLocale: string;
}

/** What a file holds for its locale. */
export interface ParsedFile {
  /** Its texts, nested as the file nests them. */
  readonly content: Group;
  /**
   * The flattened keys of leaves that are no texts (numbers, booleans, nulls): they stay in the file and are never
   * sent.
   */
  readonly otherLeaves: readonly string[];
}

/** How the file of a locale is to change. */
export interface FileEdit {
  /**
   * The file that is changed: the locale's own file, or, where there is none yet, the source file, of which only what
   * is no text of the source stays.
   */
  readonly template: Uint8Array;
  /** Whether the template is the source file. */
  readonly isSource: boolean;
  /** Texts by flattened key, in the order in which keys that are new to the file stand in it. */
  readonly texts: Texts;
  /** The flattened keys that leave the file, if they are in it. */
  readonly removed: ReadonlySet<string>;
  /** The content of the source file: new keys are nested, and placed beside their neighbours, as they are in it. */
  readonly shape: Group;
}

export interface FileFormat {
  /** As `format:` in `skep.yaml` has it. */
  readonly name: string;
  /** The endings of the files that have this format unless `skep.yaml` says otherwise, with their dots. */
  readonly extensions: readonly string[];
  /** @throws FormatError when the file cannot be read as a whole. */
  readonly parse: (bytes: Uint8Array, context: FileContext) => ParsedFile;
  /**
   * Gives the changed file. An edit that changes no text gives the bytes of its template.
   * @throws FormatError when the template cannot be read, or cannot hold a text.
   */
  readonly write: (edit: FileEdit, context: FileContext) => Uint8Array;
}

/** A file that a format cannot read or write. */
export class FormatError extends Error {
  override readonly name = "FormatError";
  /** The line at fault, counted from 1. */
  readonly line: number | undefined;

  constructor(message: string, line?: number, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
  }
}
