/** `skep restore`: fills an empty storage from a backup. */
import type { Command } from "commander";
import { counted } from "../domain/text.ts";
import { print, printable, printNotice } from "./output/print.ts";
import { openFolder, storageCommand, type StorageFlag } from "./program/command.ts";
import { output } from "./program/output.ts";

export function restoreCommand(): Command {
  return storageCommand("restore")
    .argument("<dir>", "the folder that skep backup made")
    .option("--force", "restore the backup even if it has faults", false)
    .action(async (dir: string, { force, ...flags }: StorageFlag & { force: boolean }) => {
      const { restore } = await import("../service/operations/restore.ts");
      const storage = await openFolder(flags.storage);
      const { time, teams, tokens, hives, problems, done } = await restore(storage, dir, { force });
      for (const { hive, problem } of problems) printNotice(printable(`${hive ?? "storage"}: ${problem}`));
      if (done) {
        const what = [counted(hives, "Hive"), counted(tokens, "token"), counted(teams, "team")].join(", ");
        print(`Restored the backup of ${time} into ${storage.folder}: ${what}.`);
        return;
      }
      printNotice(
        `Found ${counted(problems.length, "problem")}; restored nothing. --force restores it as it is.`,
      );
      output().exitCode = 1;
    });
}
