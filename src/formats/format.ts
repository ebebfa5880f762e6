/**
 * The port behind which each format of an app's files stands. Files are patched, never printed anew: what a format does
 * not have to change (comments, order, quotes, indentation, line endings) stays as it is.
 */
import type { Texts } from "../domain/strings/string-file.ts";
import { moduleCache, WeakCache } from "../module-caches.ts";
import type { FileEdit } from "./patch/plan-edit.ts";
import { decodeFile, decodeUtf8 } from "./patch/source-text.ts";
import type { ParsedFile } from "./patch/tree.ts";

export { FormatError } from "./patch/format-error.ts";
export type { FileEdit, ParsedFile };

/** The locales of a file, which not every format has in the file itself. */
export interface FileContext {
  /** The code of the file's locale, as the app's files write it. */
  readonly locale: string;
  /** The code of the source locale, as the app's files write it. */
  readonly sourceLocale: string;
  /** The ending of keys that describe others, where the settings name one. */
  readonly notes?: string | undefined;
  /** The texts of the source file, which tell in some formats what a text of another locale is, where they are known. */
  readonly sourceTexts?: Texts | undefined;
}

interface Format<F> {
  /** @throws FormatError when the file cannot be read as a whole. */
  readonly parse: (file: F, context: FileContext) => ParsedFile;
  /**
   * Gives the changed file. An edit that changes no text gives its template.
   * @throws FormatError when the template cannot be read, or cannot hold a text.
   */
  readonly write: (edit: FileEdit<F>, context: FileContext) => F;
  /**
   * The keys of an edit's texts that the file has no place for, such as plural forms that files of its language do not
   * have. They are not written, and stay in the Hive. A format without this has a place for every text.
   */
  readonly unplaced?: (edit: FileEdit<F>, context: FileContext) => readonly string[];
  /**
   * Why no file of the format can hold a text whose key it has; undefined when it can, whatever the file. A format without
   * this can hold every text that can be stored.
   * @param sourceTexts of the file, where they are known.
   */
  readonly problemIn?: (text: string, key: string, sourceTexts: Texts | undefined) => string | undefined;
  /** The codes of the locales in a file, of a format whose files hold all locales. */
  readonly locales?: (file: F) => readonly string[];
}

export type FileFormat = Format<Uint8Array>;

/** The texts of source files, each of which comes with the edits of all locales. */
const sourceTexts = moduleCache(new WeakCache<Uint8Array, string>());

function textOfSource(bytes: Uint8Array): string {
  const text = sourceTexts.get(bytes) ?? decodeUtf8(bytes);
  sourceTexts.set(bytes, text);
  return text;
}

function toText(edit: FileEdit, template = decodeUtf8(edit.template)): FileEdit<string> {
  return { ...edit, template, source: edit.source && textOfSource(edit.source) };
}

/** Makes a format of what it does with the texts of its files, which are UTF-8. */
export function textFormat({ parse, write, unplaced, problemIn, locales }: Format<string>): FileFormat {
  return {
    parse: (bytes, context) => parse(decodeUtf8(bytes), context),
    write: (edit, context) => {
      const { text, encode } = decodeFile(edit.template);
      return encode(write(toText(edit, text), context));
    },
    ...(unplaced && { unplaced: (edit, context) => unplaced(toText(edit), context) }),
    ...(problemIn && { problemIn }),
    ...(locales && { locales: (bytes) => locales(decodeUtf8(bytes)) }),
  };
}
