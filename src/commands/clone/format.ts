/** `skep format`: brings the files of a clone of a Hive into the form in which Skep stores them. */
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { onOneLine } from "../output/terminal.ts";
import { print, printNotice } from "../output/print.ts";
import { output } from "../program/output.ts";

export function formatCommand(): CommandUnknownOpts {
  return new Command("format")
    .argument("[files...]", "files of locales (default: all files of the clone)")
    .option("--check", "write nothing, and exit with 1 if a file would change", false)
    .addHelpText(
      "after",
      `
A translation file gets the shape and order of its source file. Empty texts are left out, and files without texts are
removed. A file that is not JSON, or has a key without a source string, stays as it is and is named.`,
    )
    .action(async (files, { check }) => {
      const { formatFiles } = await import("../../service/clone/format-files.ts");
      const { tryGit } = await import("../../client/repository/run-git.ts");
      const folder = process.cwd();
      const autocrlf = await tryGit(folder, ["config", "core.autocrlf"]);
      const mayHaveCrlf = /^(true|yes|on|1|input)$/i.test(autocrlf?.trim() ?? "");
      const { changed, removed, problems } = await formatFiles({ folder, files, check, mayHaveCrlf });
      for (const path of changed) print(`${check ? "would format" : "formatted"} ${onOneLine(path)}`);
      for (const path of removed) print(`${check ? "would remove" : "removed"} ${onOneLine(path)}`);
      for (const problem of problems) printNotice(problem);
      const isUndone = check && changed.length + removed.length > 0;
      if (problems.length > 0 || isUndone) output().exitCode = 1;
    });
}
