/** `skep diff`: shows what a push and a pull would change. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { DiffReport } from "../../client/diff.ts";
import { checkFaults } from "../../client/faults.ts";
import { onOneLine } from "../output/terminal.ts";
import { print, printNotice } from "../output/print.ts";
import { output } from "../program/output.ts";
import { changeCounts, printChanges, stdoutPaint } from "./changes.ts";
import { clientCommand, localeOption, printResult, runOnProject } from "./client-command.ts";

export function diffCommand(): CommandUnknownOpts {
  return clientCommand("diff")
    .addOption(localeOption("compare only these locales, such as fr,de; may be repeated"))
    .option("--exit-code", "exit with 1 if there are differences, as git diff does", false)
    .option("--allow-empty", "do not fail if a pattern matches no source file", false)
    .action(async ({ locale, exitCode, ...flags }) => {
      const { diff } = await import("../../client/diff.ts");
      const options = { ...flags, locales: locale };
      const result = await runOnProject(flags, "read", (project) => diff(project, options));
      printResult(flags, result, printReport);
      checkFaults(result.faults, "compared");
      if (exitCode && result.push.length + result.pull.length > 0) output().exitCode = 1;
    });
}

function printReport({ hive, push, pull, unmatched }: DiffReport): void {
  const paint = stdoutPaint();
  for (const { path, changes } of push) {
    print(`push ${onOneLine(path)}: ${changeCounts(changes)}`);
    printChanges(changes, paint);
  }
  for (const { path, change, changes } of pull) {
    print(`pull ${onOneLine(path)}: ${change === "created" ? "new file, " : ""}${changeCounts(changes)}`);
    printChanges(changes, paint);
  }
  if (push.length + pull.length === 0) print(`The files and ${hive} are the same.`);
  for (const name of unmatched) printNotice(`${onOneLine(name)}: is in the Hive, but no pattern matches it.`);
}
