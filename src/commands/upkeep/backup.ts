/** `skep server backup`: copies a storage while it is in use. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { counted, toPrintableJson } from "../../domain/text.ts";
import { print, printNotice } from "../output/print.ts";
import { machineCommand } from "../operations/machine-only.ts";
import { openNamed } from "../program/command.ts";
import { output } from "../program/output.ts";
import { problemLine, problemRow } from "./problems.ts";
import { withProgress } from "./progress.ts";

const rules = `
Servers may read and write at the same time: the backup contains everything that was
acknowledged before the command began. A backup into the same folder copies only new
data, and repairs damaged files there. A backup that is killed leaves the earlier one
intact. The trash is not backed up. To restore the backup: skep server restore <dir>`;

export function backupCommand(parent?: CommandUnknownOpts): CommandUnknownOpts {
  return machineCommand("backup", parent)
    .description(
      "Copy the storage to another folder, while servers run. Exits with 1 if a Hive could " +
        "not be copied as it is, in which case the backup keeps its earlier copy of that " +
        "Hive, or if what was copied is damaged.",
    )
    .argument(
      "<dir>",
      "the folder for the backup: a new folder, or the folder of an earlier backup of this storage",
    )
    .option("--json", "print JSON", false)
    .addHelpText("after", rules)
    .action(async (dir, { json, ...flags }) => {
      const { backup } = await import("../../service/operations/backup.ts");
      const storage = await openNamed(flags);
      const report = await withProgress(json, ({ onStep }) => backup(storage, dir, onStep));
      const { teams, hives, objects, packs, damaged, problems, unsound } = report;
      if (problems.length > 0 || unsound.length > 0) output().exitCode = 1;
      if (json) {
        const all = [...problems, ...unsound].map(problemRow);
        return print(toPrintableJson({ dir, teams, hives, objects, packs, damaged, problems: all }, 2));
      }
      const copied = `${counted(objects, "object")} and ${counted(packs, "pack")}`;
      print(`Backed up ${counted(hives, "Hive")} of ${counted(teams, "team")}; copied ${copied}.`);
      if (damaged > 0)
        printNotice(
          `The earlier backup had ${counted(damaged, "damaged object file")}; they were copied again.`,
        );
      for (const one of [...problems, ...unsound]) printNotice(problemLine(one));
      if (unsound.length > 0) {
        printNotice(
          "Everything was backed up as it is. Repair the storage, or skep server restore will need --force.",
        );
      }
    });
}
