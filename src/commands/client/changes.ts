/** How commands for an app's repository show what changes. */
import type { StringMove } from "../../client/push-report.ts";
import { countChanges, type TextChange } from "../../client/texts.ts";
import { onOneLine, paintFor, wordDiff, type Paint } from "../output/terminal.ts";
import { print } from "../output/print.ts";
import { output } from "../program/output.ts";

/** Paints for the terminal that stdout is; undefined where it is none. */
export function stdoutPaint(): Paint | undefined {
  return paintFor(output().stdout, process.env);
}

/** `2 created, 1 deleted`; empty where nothing changes. */
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

function placeName({ file, key }: StringMove["from"]): string {
  return onOneLine(`${file}:${key}`);
}

/** Prints moves one by one. */
export function printMoves(moves: readonly StringMove[]): void {
  for (const { from, to } of moves) print(`  ${placeName(from)} -> ${placeName(to)}`);
}
