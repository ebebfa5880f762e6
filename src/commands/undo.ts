/** `skep undo`: reverts one commit, or the translations of an origin. */
import { InvalidArgumentError, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Undone } from "../client/api/history-api.ts";
import { originKinds } from "../domain/commits/origin.ts";
import { counted, toPrintableJson } from "../domain/text.ts";
import { addHistoryFlags, historyCommand, onHistory } from "./operations/history-command.ts";
import { print } from "./output/print.ts";

export function undoCommand(): CommandUnknownOpts {
  const command = historyCommand("undo")
    .argument("[commit]", "the commit, or at least its first 7 digits; skep log shows them")
    .addOption(
      new Option(
        "--origin <kind>",
        "instead of a commit: take back the translations that a person, a script or a model wrote",
      ).choices(originKinds),
    )
    .option(
      "--since <revision>",
      "with --origin: those written after this tag, commit or time; 2000-01-01 takes all",
    )
    .option("--dry-run", "count what would change, and write nothing", false)
    .option("--skip-conflicts", "leave texts that were changed since as they are, and undo the rest", false)
    .action(async (first, second, flags) => {
      const { skipConflicts, origin, since, dryRun } = flags;
      // With one argument it is the commit; with an origin there is no commit.
      const isNamed = second !== undefined || (origin !== undefined && first !== undefined);
      const [slug, commit] = isNamed ? [first, second] : [undefined, first];
      if (
        (commit === undefined) === (origin === undefined) ||
        (origin === undefined) !== (since === undefined)
      )
        throw new InvalidArgumentError("missing required argument 'commit', or --origin and --since instead");
      await onHistory(command, { given: slug, missing: "commit" }, async (history) => {
        const onConflict = skipConflicts ? "skip" : undefined;
        const undone = await history.undo({ commit, origin, since, on_conflict: onConflict }, { dryRun });
        if (command.getOptionValue("json") === true) print(toPrintableJson(undone, 2));
        else print(`${dryRun ? "Dry run: nothing was written. " : ""}${sentenceOf(undone)}`);
      });
    });
  return addHistoryFlags(command);
}

function sentenceOf(undone: Undone): string {
  const { restored, updated, deleted, skipped, moved = 0, confirmations = 0, approvals = 0 } = undone;
  const others = [
    ...(moved > 0 ? [`moved ${moved}`] : []),
    ...(confirmations > 0 ? [`took back ${counted(confirmations, "confirmation")}`] : []),
    ...(approvals > 0 ? [`took back ${counted(approvals, "approval")}`] : []),
  ].map((part) => `, ${part}`);
  return `Restored ${counted(restored, "text")}, updated ${updated}, deleted ${deleted}, skipped ${skipped}${others.join("")}.`;
}
