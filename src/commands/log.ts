/** `skep log`: shows the history of a Hive. */
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { originKinds } from "../domain/commits/origin.ts";
import { toPrintableJson } from "../domain/text.ts";
import { addHistoryFlags, historyCommand, onHistory } from "./operations/history-command.ts";
import { print, printNotice } from "./output/print.ts";
import { toWholeNumber } from "./program/arguments.ts";
import { output } from "./program/output.ts";

export function logCommand(): CommandUnknownOpts {
  const command = historyCommand("log")
    .option("--locale <code>", "only commits that changed files of this locale, their texts or order")
    .option("--file <file>", "only commits that changed this file in any locale, such as auth.php")
    .option("--key <key>", "only commits that changed the text of this key, such as nav.home")
    .option("--operation <name>", "only commits of this operation, such as sync or import-translations")
    .addOption(
      new Option("--origin <kind>", "only commits whose texts a person, a script or a model made").choices(
        originKinds,
      ),
    )
    .option(
      "--since <when>",
      "only from this date or time (ISO 8601, UTC unless it says otherwise), or what came after this tag or commit",
    )
    .option("--until <when>", "only up to this time, to the end of this date, or to this tag or commit")
    .option("--limit <n>", "show at most this many commits", toWholeNumber, 50)
    .action(async (slug, flags) => {
      const { limit, locale, file, key, operation, origin, since, until } = flags;
      await onHistory(command, { given: slug, missing: "slug" }, async (history) => {
        const filter = { locale, file, key, operation, origin, since, until };
        const { commits, total } = await history.list(filter, limit);
        if (command.getOptionValue("json") === true) return print(toPrintableJson(commits, 2));
        const { printEntry } = await import("./output/history-print.ts");
        const { paintFor } = await import("./output/terminal.ts");
        const paint = paintFor(output().stdout, process.env);
        for (const commit of commits) printEntry(commit, paint);
        if (total === 0) printNotice("No commit matches.");
        if (total > commits.length)
          printNotice(`Showed ${commits.length} of ${total} commits; --limit shows more.`);
      });
    });
  return addHistoryFlags(command);
}
