/** `skep show`: shows what one commit changed. */
import { InvalidArgumentError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { toPrintableJson } from "../domain/text.ts";
import { addHistoryFlags, historyCommand, onHistory } from "./operations/history-command.ts";
import { print } from "./output/print.ts";
import { output } from "./program/output.ts";

export function showCommand(): CommandUnknownOpts {
  const command = historyCommand("show")
    .argument(
      "[commit]",
      "a commit (at least 7 digits), a tag, main or HEAD, or a date or time (the last commit until then)",
    )
    .action(async (first, second) => {
      const [slug, revision] = second === undefined ? [undefined, first] : [first, second];
      if (revision === undefined) throw new InvalidArgumentError("missing required argument 'commit'");
      await onHistory(command, { given: slug, missing: "commit" }, async (history) => {
        const shown = await history.show(revision);
        if (command.getOptionValue("json") === true) return print(toPrintableJson(shown, 2));
        const { printChanges, printEntry } = await import("./output/history-print.ts");
        const { paintFor } = await import("./output/terminal.ts");
        const paint = paintFor(output().stdout, process.env);
        printEntry(shown.commit, paint);
        printChanges(shown.data, paint);
      });
    });
  return addHistoryFlags(command);
}
