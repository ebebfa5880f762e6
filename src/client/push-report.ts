/** The options and the report of a push. */
import type { Texts } from "../domain/strings/string-file.ts";
import type { HiveFinding, StringAddress, StringMove } from "./api/schemas.ts";
import type { SyncResult } from "./api/string-answers.ts";
import type { HiveReport, ReadSource } from "./project.ts";
import type { FaultyFile } from "./faults.ts";
import type { OtherCode } from "./new-locales.ts";
import type { TextChange } from "./texts.ts";
import type { TreeFile } from "./tree/tree.ts";

export interface PushOptions {
  /**
   * Where given, only what changed since a commit of the app is sent: since the one that is named, or since the last one
   * that was pushed.
   */
  readonly since?: string | true;
  readonly dryRun: boolean;
  /** Whether files of the Hive that no pattern finds are removed. */
  readonly prune: boolean;
  readonly maxDeletions?: number;
  /** Whether a string that has another key or file keeps its translations. */
  readonly detectMoves: boolean;
  readonly allowEmpty: boolean;
  /** The locales whose translations are sent too; `all`, or none. */
  readonly translations?: readonly string[] | "all";
  /** Whether the Hive is made, and locales of the tree are added to it, where they are missing. */
  readonly create: boolean;
  /** Whether translations that the Hive has are replaced. */
  readonly overwrite: boolean;
  /**
   * A commit of the app, where given: only translations that changed since it are sent, and they replace those of the
   * Hive only where nobody else has changed these.
   */
  readonly expected?: string;
  /** Whether translations are sent that equal their source text. */
  readonly sameAsSource: boolean;
  /**
   * Whether a file that cannot be read refuses everything, and a translation that the Hive has no source string for the
   * translations of its locale.
   */
  readonly strict: boolean;
}

export interface SourceFile {
  readonly file: TreeFile;
  readonly read: ReadSource;
  readonly texts: Texts;
  /** The same, with the plural forms that only other languages have; they have the text of `other`. */
  readonly translatable: Texts;
}

export interface FileReport {
  /** Its name in the Hive. */
  readonly file: string;
  /** Its path in the tree; null if no pattern matches it any more. */
  readonly path: string | null;
  readonly changes: readonly TextChange[];
  /** Keys whose values are not texts; they stay in the file and are not sent. */
  readonly nonTextValues: readonly string[];
}

export interface LocaleReport {
  readonly locale: string;
  readonly created: number;
  readonly updated: number;
  /** With `expected`, how many were removed because the app has none any more. */
  readonly removed: number;
  /** How many exist in the Hive already, and were left as they are. */
  readonly skipped: number;
  /** How many have no source string in the Hive. */
  readonly unknown: number;
  /** The first of those without a source string. */
  readonly unknownKeys: readonly StringAddress[];
  /** How many were not sent because they equal their source text. */
  readonly sameAsSource: number;
  /** Translations that equal what the locale inherits, and are not sent. */
  readonly inherited: number;
  /** Values that stay in the files and are not sent, such as numbers and fuzzy messages. */
  readonly nonTextValues: readonly StringAddress[];
  /** See {@link PushReport}. */
  readonly findings: readonly HiveFinding[];
  readonly findingsTotal: number;
}

export interface PushReport extends HiveReport {
  /** Whether the Hive did not have the branch before. */
  readonly isNewBranch: boolean;
  /** The commit that the Hive is at after the push; none of a dry run for a Hive that is to be made. */
  readonly commit: string | undefined;
  readonly dryRun: boolean;
  /** Whether the push made the Hive, or would make it. */
  readonly isNewHive: boolean;
  readonly addedLocales: readonly string[];
  /** Locales that have files in the tree and that the Hive lacks, as `skep hive create` takes them. */
  readonly missingLocales: readonly string[];
  /** Codes in file names that the Hive has another code for, which `skep.yaml` does not say. */
  readonly otherCodes: readonly OtherCode[];
  /** Whether the Hive had no source string before. */
  readonly isFirst: boolean;
  /** With `since`, the commit of the app whose changes were sent. */
  readonly since: string | undefined;
  readonly result: SyncResult;
  /** The strings that have another key or file, where the token can read the Hive. */
  readonly moves: readonly StringMove[];
  /** The changes besides moves; undefined where the token cannot read the Hive. */
  readonly files: readonly FileReport[] | undefined;
  /** Files of the Hive that no pattern matches, and that stay. */
  readonly unmatched: readonly string[];
  /** Target locales that have files in the tree which were not sent. */
  readonly unsent: readonly string[];
  /** Paths of files in target locales that have no source file, and so cannot be sent. */
  readonly strays: readonly string[];
  readonly translations: readonly LocaleReport[];
  /** What checks found in texts that were added or changed: the first of them, and how many there are. */
  readonly findings: readonly HiveFinding[];
  readonly findingsTotal: number;
  /** The files that cannot be read; nothing of their locales is sent. */
  readonly faults: readonly FaultyFile[];
}
