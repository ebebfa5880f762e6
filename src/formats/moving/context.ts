/** What readers of exports are told about the Hive that the export goes to. */
import type { FormatRow } from "../formats.ts";

/** What a file of an export is in the Hive. */
export interface Placed {
  /** The name of the Hive's file. */
  readonly file: string;
  /** The Hive's code of its locale. */
  readonly locale: string;
  /** The code of the locale as the file writes it. */
  readonly code: string;
  readonly format: FormatRow | undefined;
}

/** A file in a language that the Hive does not have. */
export interface UnknownLocale {
  readonly unknown: string;
}

export interface MovingContext {
  /** The Hive's code of its source locale. */
  readonly source: string;
  readonly targets: readonly string[];
  /** The Hive's code for a code of the tool; undefined where the Hive has no such locale. */
  readonly localeOf: (code: string) => string | undefined;
  /**
   * What the file of a path is.
   * @param code the code of its locale, where the tool says it.
   */
  readonly place: (path: string, code?: string) => Placed | UnknownLocale;
}
