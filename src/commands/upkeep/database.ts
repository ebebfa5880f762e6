/** `skep database`: moves a storage from its folder into a database, and back; has servers read a restored database anew. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { failure } from "../../domain/errors.ts";
import { counted, toPrintableJson } from "../../domain/text.ts";
import type { DatabaseOptions } from "../../service/database.ts";
import type { MoveReport } from "../../service/operations/record-transfer.ts";
import { print, printNotice } from "../output/print.ts";
import { machineCommand, machineOnly } from "../operations/machine-only.ts";
import { commandGroup, databaseOf, openNamed, storageSettings } from "../program/command.ts";
import { output } from "../program/output.ts";
import { addSettings, type StorageFlag } from "../program/settings.ts";
import { problemLine, problemRow } from "./problems.ts";
import { withProgress } from "./progress.ts";

const importing = `
The database must be empty. Servers on the folder answer reads meanwhile and refuse
changes; when everything is in the database and was read again, they end. The folder
stays as it was, and Skep refuses to open it: its file moved-to says where the storage
is. Sessions, tokens, ids and histories stay the same.`;

const exporting = `
The folder must be missing or empty. It gets all of the database as at one moment, and is
a storage of its own then. The database stays as it is: servers on it go on.`;

const renewing = `
Stop all servers before you restore the database, and start them after this command.
Otherwise a server may accept a token that the database no longer has.`;

/** @param name the command's own, or that which it had before. */
export function databaseCommand(name = "database"): CommandUnknownOpts {
  const database = commandGroup(name);
  addSettings(machineOnly(database.command("import")), storageSettings, true)
    .description("Move a storage from its folder into the database of --database.")
    .option("--force", "move the storage even if it has faults", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", importing)
    .action(async ({ force, json, ...flags }) => {
      const to = requireDatabase(flags);
      const { moveIntoDatabase, shownDatabase } = await import("../../service/operations/record-transfer.ts");
      const storage = await openNamed({ ...flags, database: "off" });
      const moved = await withProgress(json, ({ onStep }) =>
        moveIntoDatabase(storage, to, { force, onStep }),
      );
      report(moved, shownDatabase(to), json);
    });
  machineCommand("export", database)
    .description("Write the storage in the database of --database into a folder.")
    .argument("<dir>", "the folder")
    .option("--json", "print JSON", false)
    .addHelpText("after", exporting)
    .action(async (dir, { json, ...flags }) => {
      const { exportFromDatabase } = await import("../../service/operations/record-transfer.ts");
      const from = requireDatabase(flags);
      const { repositories, objects } = await withProgress(json, ({ onStep }) => {
        onStep(`Writing everything to ${dir}`);
        return exportFromDatabase(from, dir);
      });
      if (json) return print(toPrintableJson({ dir, hives: repositories, objects }, 2));
      print(`Wrote ${counted(repositories, "Hive")} with ${counted(objects, "object")} to ${dir}.`);
    });
  machineCommand("renew", database)
    .description("Have all servers drop their copies of a database that was restored to an earlier time.")
    .option("--json", "print JSON", false)
    .addHelpText("after", renewing)
    .action(async ({ json, ...flags }) => {
      const { renewDatabase, shownDatabase } = await import("../../service/operations/record-transfer.ts");
      const restored = requireDatabase(flags);
      await renewDatabase(restored);
      const address = shownDatabase(restored);
      if (json) return print(toPrintableJson({ database: address }, 2));
      print(`Renewed ${address}. Servers drop their copies when they start.`);
    });
  return database;
}

/** @throws SkepError `conflict` when the flags name no database. */
function requireDatabase(flags: StorageFlag): DatabaseOptions {
  const database = databaseOf(flags);
  if (database === undefined) throw failure("conflict", "Name the database with --database.");
  return database;
}

function report({ problems, counts }: MoveReport, to: string, json: boolean): void {
  if (counts === undefined) output().exitCode = 1;
  if (json) {
    const { repositories: hives = 0, objects = 0 } = counts ?? {};
    const rows = problems.map(problemRow);
    const result = { moved: counts !== undefined, database: to, hives, objects, problems: rows };
    return print(toPrintableJson(result, 2));
  }
  for (const one of problems) printNotice(problemLine(one));
  if (counts === undefined) {
    printNotice(`Found ${counted(problems.length, "problem")}; moved nothing. --force moves it as it is.`);
    return;
  }
  const what = `${counted(counts.repositories, "Hive")} with ${counted(counts.objects, "object")}`;
  print(`Moved ${what} to ${to}. Serve them with --database.`);
}
