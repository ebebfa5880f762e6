/** `skep server restore`: fills an empty storage from a backup. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { counted, toPrintableJson } from "../../domain/text.ts";
import type { Restored, RestoreOptions } from "../../service/operations/record-transfer.ts";
import { print, printNotice } from "../output/print.ts";
import { machineCommand } from "../operations/machine-only.ts";
import { databaseOf, openToFill } from "../program/command.ts";
import type { StorageFlag } from "../program/settings.ts";
import { output } from "../program/output.ts";
import { problemLine, problemRow } from "./problems.ts";
import { withProgress } from "./progress.ts";

type RestoreFlags = StorageFlag & RestoreOptions;

const rules = `
The storage must be empty: a folder that is missing or empty, or with --database an empty
database. Everything is checked first, as by skep server verify, and restored as a whole or not
at all. With --database, a temporary copy of everything is made in $TMPDIR. A restore that
was killed can be run again.`;

export function restoreCommand(parent?: CommandUnknownOpts): CommandUnknownOpts {
  return machineCommand("restore", parent)
    .description(
      "Fill an empty storage from a backup. The backup is checked first, as skep server " +
        "verify does. Its tokens are valid again. Exits with 1 and leaves the storage empty " +
        "if anything is wrong.",
    )
    .argument("<dir>", "the folder that skep server backup made")
    .option("--force", "restore the backup even if it has faults", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", rules)
    .action(async (dir, { json, ...flags }) => {
      const { restored, to } = await withProgress(json, ({ onStep }) =>
        restoreNamed(dir, { ...flags, onStep }),
      );
      const { time, teams, tokens, hives, problems, done } = restored;
      if (!done) output().exitCode = 1;
      if (json) {
        const rows = problems.map(problemRow);
        return print(toPrintableJson({ restored: done, to, time, teams, tokens, hives, problems: rows }, 2));
      }
      for (const one of problems) printNotice(problemLine(one));
      if (done) {
        const what = [counted(hives, "Hive"), counted(tokens, "token"), counted(teams, "team")].join(", ");
        print(`Restored the backup of ${time} into ${to}: ${what}.`);
        return;
      }
      printNotice(
        `Found ${counted(problems.length, "problem")}; restored nothing. --force restores it as it is.`,
      );
    });
}

/** Restores a backup into the storage that the flags name. @returns also the storage's name for people. */
async function restoreNamed(
  dir: string,
  flags: RestoreFlags,
): Promise<{ readonly restored: Restored; readonly to: string }> {
  const database = databaseOf(flags);
  if (database === undefined) {
    const { restore } = await import("../../service/operations/record-transfer.ts");
    const storage = await openToFill(flags);
    return { restored: await restore(storage, dir, flags), to: storage.folder };
  }
  const { restoreIntoDatabase, shownDatabase } = await import("../../service/operations/record-transfer.ts");
  const { openTemporaryStorage } = await import("../program/temporary-copy.ts");
  const restored = await restoreIntoDatabase(openTemporaryStorage(), database, dir, flags);
  return { restored, to: shownDatabase(database) };
}
