/** Prints changes, findings and moves for the client's commands. */
import type { HiveFinding, StringMove } from "../../client/api/schemas.ts";
import type { HiveReport } from "../../client/project.ts";
import { countChanges, type TextChange } from "../../client/texts.ts";
import { groupBy } from "../../domain/group-by.ts";
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

/** Prints a line for each changed key, with the words that differ. @param paint undefined for a plain output. */
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

export interface NamedKeys {
  /** What the keys belong to, such as a locale or a file. */
  readonly name: string;
  readonly keys: readonly string[];
  /** The number of all keys, if it is not that of `keys`. */
  readonly total?: number;
}

/** How many notices of one kind are printed without `--verbose`. */
const maxNotices = 5;

/** Prints notices of one kind, or the first of them with the number of the others. */
export function printNotices(notices: readonly string[], isVerbose: boolean, most = maxNotices): void {
  const shown = isVerbose ? notices : notices.slice(0, most);
  for (const notice of shown) printNotice(notice);
  const left = notices.length - shown.length;
  if (left > 0) printNotice(`and ${left} more; --verbose lists all.`);
}

/**
 * Prints notices about keys: one for all names that have the same keys, and none for those without keys. Of many notices,
 * the last one is about the rest of the names.
 */
export function printByKeys(
  rows: readonly NamedKeys[],
  isVerbose: boolean,
  saidOf: (keys: string) => string,
): void {
  const named = rows.filter(({ keys }) => keys.length > 0);
  const groups = [...groupBy(named, ({ keys, total }) => JSON.stringify([keys, total])).values()];
  const shown = isVerbose || groups.length <= maxNotices + 1 ? groups : groups.slice(0, maxNotices);
  for (const alike of shown) {
    const [{ keys, total } = { keys: [] }] = alike;
    const names = alike.map(({ name }) => name);
    printNotice(`${listed(names, isVerbose)}: ${saidOf(listed(keys, isVerbose, total))}`);
  }
  const others = groups.slice(shown.length).flat();
  if (others.length === 0) return;
  const left = others.reduce((sum, { keys, total = keys.length }) => sum + total, 0);
  printNotice(`${others.length} others: ${saidOf(counted(left, "key"))} --verbose lists all.`);
}

/** The command that lists the findings of checks in the Hive of a report. */
export function hiveCheck({ hive, branch }: HiveReport): string {
  return `skep check --hive ${hive}${branch === null ? "" : ` --branch ${onOneLine(branch)}`}`;
}

/**
 * Prints findings of checks in changed texts.
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

/** Prints a line for each string that moves. */
export function printMoves(moves: readonly StringMove[]): void {
  for (const { from, to } of moves) print(`  ${placeName(from)} -> ${placeName(to)}`);
}
