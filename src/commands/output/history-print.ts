/** Commits and their changes as people read them. */
import type { HistoryEntryResponse, KeyChangeResponse } from "../../http/schemas/history-schemas.ts";
import { print } from "./print.ts";
import { onOneLine, wordDiff, type Paint } from "./terminal.ts";

const plain: Paint = (_, text) => text;

/** Prints a commit: who, when, what, and in the caller's words. */
export function printEntry(entry: HistoryEntryResponse, paint: Paint | undefined): void {
  const { commit, time, author, subject, message, ref, changes = [] } = entry;
  const styled = paint ?? plain;
  print(styled("yellow", `commit ${commit}`));
  print(`${onOneLine(author.name)} <${onOneLine(author.email)}>, ${time}`);
  print("");
  const words = [subject, ...(message === null ? [] : ["", ...message.split("\n")])];
  for (const line of [...words, ...(ref === null ? [] : ["", `Ref: ${ref}`])]) {
    print(line === "" ? "" : `    ${onOneLine(line)}`);
  }
  print("");
  printChanges(changes, paint);
}

/** Prints changed texts, by locale and file. */
export function printChanges(changes: readonly KeyChangeResponse[], paint: Paint | undefined): void {
  const styled = paint ?? plain;
  let place = "";
  for (const { locale, file, key, before, after } of changes) {
    const here = `${onOneLine(locale)}  ${onOneLine(file)}`;
    if (here !== place) print(styled("bold", here));
    place = here;
    const what = before === null ? " (new)" : after === null ? " (removed)" : "";
    print(`  ${onOneLine(key)}${styled("dim", what)}`);
    print(`    ${wordDiff(before, after, paint)}`);
  }
  if (changes.length > 0) print("");
}
