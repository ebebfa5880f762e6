/** `skep database`: moves a storage from its folder into a database, and back; has servers read a restored database anew. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { failure } from "../../domain/errors.ts";
import { counted } from "../../domain/text.ts";
import type { DatabaseOptions } from "../../service/database.ts";
import type { MoveReport } from "../../service/operations/record-transfer.ts";
import { print, printable, printNotice } from "../output/print.ts";
import { commandGroup, databaseOf, openNamed, storageCommand, storageSettings } from "../program/command.ts";
import { output } from "../program/output.ts";
import { addSettings, type StorageFlag } from "../program/settings.ts";

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
  addSettings(database.command("import"), storageSettings, true)
    .description("Move a storage from its folder into the database of --database.")
    .option("--force", "move the storage even if it has faults", false)
    .addHelpText("after", importing)
    .action(async ({ force, ...flags }) => {
      const to = requireDatabase(flags);
      const { moveIntoDatabase, shownDatabase } = await import("../../service/operations/record-transfer.ts");
      const storage = await openNamed({ ...flags, database: "off" });
      report(await moveIntoDatabase(storage, to, { force }), shownDatabase(to));
    });
  storageCommand("export", database)
    .description("Write the storage in the database of --database into a folder.")
    .argument("<dir>", "the folder")
    .addHelpText("after", exporting)
    .action(async (dir, flags) => {
      const { exportFromDatabase } = await import("../../service/operations/record-transfer.ts");
      const { repositories, objects } = await exportFromDatabase(requireDatabase(flags), dir);
      print(`Wrote ${counted(repositories, "Hive")} with ${counted(objects, "object")} to ${dir}.`);
    });
  storageCommand("renew", database)
    .description("Have all servers drop their copies of a database that was restored to an earlier time.")
    .addHelpText("after", renewing)
    .action(async (flags) => {
      const { renewDatabase, shownDatabase } = await import("../../service/operations/record-transfer.ts");
      const restored = requireDatabase(flags);
      await renewDatabase(restored);
      print(`Renewed ${shownDatabase(restored)}. Servers drop their copies when they start.`);
    });
  return database;
}

/** @throws SkepError `conflict` when the flags name no database. */
function requireDatabase(flags: StorageFlag): DatabaseOptions {
  const database = databaseOf(flags);
  if (database === undefined) throw failure("conflict", "Name the database with --database.");
  return database;
}

function report({ problems, counts }: MoveReport, to: string): void {
  for (const { hive, problem } of problems) printNotice(printable(`${hive ?? "storage"}: ${problem}`));
  if (counts === undefined) {
    printNotice(`Found ${counted(problems.length, "problem")}; moved nothing. --force moves it as it is.`);
    output().exitCode = 1;
    return;
  }
  const what = `${counted(counts.repositories, "Hive")} with ${counted(counts.objects, "object")}`;
  print(`Moved ${what} to ${to}. Serve them with --database.`);
}
