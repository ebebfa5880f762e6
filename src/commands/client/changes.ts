/** Prints changes, findings and moves for the client's commands. */
import type { HiveFinding } from "../../client/api/schemas.ts";
import type { HiveReport } from "../../client/project.ts";
import type { StringMove } from "../../client/push-report.ts";
import { countChanges, type TextChange } from "../../client/texts.ts";
import { counted } from "../../domain/text.ts";
import { onOneLine, paintFor, wordDiff, type Paint } from "../output/terminal.ts";
import { print, printNotice } from "../output/print.ts";
import { output } from "../program/output.ts";

/** Colours for stdout; undefined if it is not a terminal. */
export function stdoutPaint(): Paint | undefined {
  return paintFor(output().stdout, process.env);
}

/** `2 created, 1 deleted`; empty if there are no changes. */
export function changeCounts(changes: readonly TextChange[]): string {
  return Object.entries(countChanges(changes))
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ");
}

const signs = { created: "+", updated: "~", deleted: "-" } as const;

/** Prints changes key by key. */
export function printChanges(changes: readonly TextChange[], paint: Paint | undefined): void {
  for (const { key, before, after } of changes) {
    const what = before === null ? "created" : after === null ? "deleted" : "updated";
    print(`  ${signs[what]} ${onOneLine(key)}: ${wordDiff(before, after, paint)}`);
  }
}

/** The Hive and the branch of a report, as text. */
export function hiveName({ hive, branch }: HiveReport): string {
  return branch === null ? hive : `${hive} (${onOneLine(branch)})`;
}

/** How many names are listed without `--verbose`. */
export const namedKeys = 10;

/** The first names on one line with the number of the others, or all names. */
export function listed(names: readonly string[], isVerbose: boolean, total = names.length): string {
  const named = names.slice(0, isVerbose ? names.length : namedKeys);
  const rest = total > named.length ? ` and ${total - named.length} more` : "";
  return named.map(onOneLine).join(", ") + rest;
}

/** The command that lists the findings of checks in the Hive of a report. */
export function hiveCheck({ hive, branch }: HiveReport): string {
  return `skep check --hive ${hive}${branch === null ? "" : ` --branch ${onOneLine(branch)}`}`;
}

/**
 * Prints findings of checks in changed texts.
 * @param lister the command that lists all findings.
 * @param total the number of all findings, also of those that are not given.
 */
export function printFindings(
  findings: readonly HiveFinding[],
  lister: string,
  total = findings.length,
): void {
  for (const { locale, file, key, severity, check, message } of findings.slice(0, namedKeys))
    printNotice(onOneLine(`${file}: ${severity} ${check}: ${locale}, ${key}: ${message}`));
  const left = total - Math.min(findings.length, namedKeys);
  if (left > 0) printNotice(`${counted(left, "more finding")}: ${lister} lists all.`);
}

function placeName({ file, key }: StringMove["from"]): string {
  return onOneLine(`${file}:${key}`);
}

/** Prints moves one by one. */
export function printMoves(moves: readonly StringMove[]): void {
  for (const { from, to } of moves) print(`  ${placeName(from)} -> ${placeName(to)}`);
}
