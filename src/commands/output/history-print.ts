/** Prints commits and their changes for people. */
import type { CommitEntry, KeyChange } from "../../client/api/history-api.ts";
import { print } from "./print.ts";
import { onOneLine, wordDiff, type Paint } from "./terminal.ts";

const plain: Paint = (_, text) => text;

/** Prints a commit as `git log` does, with its changes where it has some. */
export function printEntry(entry: CommitEntry, paint: Paint | undefined): void {
  const { commit, time, author, subject, message, ref, origin, changes = [] } = entry;
  const styled = paint ?? plain;
  print(styled("yellow", `commit ${commit}`));
  print(`${onOneLine(author.name)} <${onOneLine(author.email)}>, ${time}`);
  print("");
  const words = [subject, ...(message === null ? [] : ["", ...message.split("\n")])];
  const trailers = [
    ...(ref === null ? [] : [`Ref: ${ref}`]),
    ...(origin === null
      ? []
      : [`Origin: ${[origin.kind, origin.name, origin.prompt].filter(Boolean).join(", ")}`]),
  ];
  for (const line of [...words, ...(trailers.length === 0 ? [] : ["", ...trailers])]) {
    print(line === "" ? "" : `    ${onOneLine(line)}`);
  }
  print("");
  printChanges(changes, paint);
}

/** Prints changes below the locale and the file that they are in. */
export function printChanges(changes: readonly KeyChange[], paint: Paint | undefined): void {
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
