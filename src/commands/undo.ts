/** `skep undo`: reverts one commit. */
import { InvalidArgumentError, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { originKinds } from "../domain/commits/origin.ts";
import { counted } from "../domain/text.ts";
import { hiveOfApp } from "./client/client-command.ts";
import { print } from "./output/print.ts";
import { commandContext, openHive, storageCommand } from "./program/command.ts";

export function undoCommand(): CommandUnknownOpts {
  return storageCommand("undo")
    .argument("[slug]", "the Hive (default: that of skep.yaml)")
    .argument("[commit]", "the commit, or at least its first 7 digits; git log shows them")
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
      const [text, commit] = isNamed ? [first, second] : [await hiveOfApp(), first];
      const context = { ...commandContext, dryRun };
      if (
        text === undefined ||
        (commit === undefined) === (origin === undefined) ||
        (origin === undefined) !== (since === undefined)
      )
        throw new InvalidArgumentError("missing required argument 'commit', or --origin and --since instead");
      const { storage, slug } = await openHive(flags, text);
      const undo = async () => {
        if (origin === undefined || since === undefined) {
          const { undoCommit } = await import("../service/content/undo.ts");
          const onConflict = skipConflicts ? "skip" : "fail";
          return undoCommit(storage, slug, { commit: commit ?? "", onConflict }, context);
        }
        const { undoOrigin } = await import("../service/review/undo-origin.ts");
        return undoOrigin(storage, slug, { origin, since }, context);
      };
      const { result } = await undo();
      const { restored, updated, deleted, skipped, moved = 0, confirmations = 0, approvals = 0 } = result;
      const others = [
        ...(moved > 0 ? [`moved ${moved}`] : []),
        ...(confirmations > 0 ? [`took back ${counted(confirmations, "confirmation")}`] : []),
        ...(approvals > 0 ? [`took back ${counted(approvals, "approval")}`] : []),
      ].map((part) => `, ${part}`);
      print(
        `${dryRun ? "Dry run: nothing was written. " : ""}Restored ${counted(restored, "text")}, updated ${updated}, deleted ${deleted}, skipped ${skipped}${others.join("")}.`,
      );
    });
}
