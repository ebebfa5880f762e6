/** What is known of the formats of apps' files without a parser: their names, which stand in `hive.yaml`, and their rules. */
import type { FileRule } from "./file-rules.ts";

/** As `format:` in `skep.yaml` has them. */
export const formatNames = [
  "chrome",
  "docusaurus",
  "go-i18n",
  "json",
  "laravel-json",
  "php",
  "arb",
  "android",
  "xcstrings",
  "qt",
  "resx",
  "stringsdict",
  "strings",
  "po",
  "properties",
  "csv",
  "ini",
  "toml",
  "fluent",
  "xliff",
  "yaml",
  "rails",
] as const;
export type FormatName = (typeof formatNames)[number];

/** The format of files, where their names do not say it. */
export interface FileFormat extends FileRule {
  readonly format: FormatName;
}

/** What checks must know of a format. */
export interface FormatRules {
  /** Matches every text that no file of the format can hold, and others; undefined where it can hold every text. */
  readonly mayFail?: RegExp;
  /** Why it cannot hold a translation, as the end of a sentence about it; undefined where it can. */
  readonly problemIn?: (
    text: string,
    key: string,
    sourceTexts: ReadonlyMap<string, string>,
  ) => string | undefined;
  /** Whether both texts of a message must begin and end with a line break, or none, as `msgfmt` demands. */
  readonly isGettext?: true;
  /** Whether Angular reads its texts, in which braces are shown as they are unless they make a message of ICU. */
  readonly isXliff?: true;
}

/**
 * Finds the rules of a file's format.
 * @param format what the Hive says that it is; undefined where the file's name says it.
 */
export type FindFormatRules = (file: string, format: FormatName | undefined) => FormatRules | undefined;
