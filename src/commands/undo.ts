/** `skep undo`: reverts one commit. */
import type { Command } from "commander";
import { toHiveSlug } from "../domain/names.ts";
import { counted } from "../domain/text.ts";
import { print } from "./output/print.ts";
import { commandContext, openNamed, storageCommand, type StorageFlag } from "./program/command.ts";

export function undoCommand(): Command {
  return storageCommand("undo")
    .argument("<slug>", "the Hive")
    .argument("<commit>", "the commit, or at least its first 7 digits; git log shows them")
    .option("--skip-conflicts", "leave texts that were changed since as they are, and undo the rest", false)
    .action(async (slug: string, commit: string, flags: StorageFlag & { skipConflicts: boolean }) => {
      const { undoCommit } = await import("../service/content/undo.ts");
      const onConflict = flags.skipConflicts ? "skip" : "fail";
      const request = { commit, onConflict } as const;
      const { result } = await undoCommit(await openNamed(flags), toHiveSlug(slug), request, commandContext);
      const { restored, updated, deleted, skipped, moved = 0, confirmations = 0, approvals = 0 } = result;
      const others = [
        ...(moved > 0 ? [`moved ${moved}`] : []),
        ...(confirmations > 0 ? [`took back ${counted(confirmations, "confirmation")}`] : []),
        ...(approvals > 0 ? [`took back ${counted(approvals, "approval")}`] : []),
      ].map((part) => `, ${part}`);
      print(
        `Restored ${counted(restored, "text")}, updated ${updated}, deleted ${deleted}, skipped ${skipped}${others.join("")}.`,
      );
    });
}
