/** `skep backup`: copy a storage while it is in use. */
import type { Command } from "commander";
import { counted } from "../domain/text.ts";
import { openNamed, print, printable, storageCommand, tell, type StorageFlag } from "./program/command.ts";
import { output } from "./program/output.ts";

const rules = `
Servers may go on reading and writing: everything acknowledged before the command
began is in the backup. Run again on the same folder, it copies only what is new, and
what has become damaged there; a run that is killed leaves the backup before it. What is in the storage's trash is not
backed up. To get it back: skep restore <dir>`;

export function backupCommand(): Command {
  return storageCommand("backup")
    .argument("<dir>", "the folder for the backup: a new one, or that of an earlier backup of this storage")
    .addHelpText("after", rules)
    .action(async (dir: string, flags: StorageFlag) => {
      const { backup } = await import("../service/operations/backup.ts");
      const { teams, hives, objects, packs, damaged, problems, unsound } = await backup(
        await openNamed(flags),
        dir,
      );
      const copied = `${counted(objects, "object")} and ${counted(packs, "pack")}`;
      print(`Backed up ${counted(hives, "Hive")} of ${counted(teams, "team")}; copied ${copied}.`);
      if (damaged > 0)
        tell(`In the backup before, ${counted(damaged, "file")} of objects had become damaged.`);
      for (const { hive, problem } of problems) tell(printable(`${hive}: ${problem}`));
      for (const { hive, problem } of unsound) tell(printable(`${hive ?? "storage"}: ${problem}`));
      if (unsound.length > 0) {
        tell(
          "It was all backed up as it is. To restore it skep restore will want --force, unless it is mended.",
        );
      }
      if (problems.length > 0 || unsound.length > 0) output().exitCode = 1;
    });
}
