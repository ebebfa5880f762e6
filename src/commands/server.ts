/** `skep server`: runs a server, looks after its storage, and shows its settings. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { maskedText, settings, unknownVariables } from "../config/settings.ts";
import { printable, printList, printNotice } from "./output/print.ts";
import { machineOnly } from "./operations/machine-only.ts";
import { commandGroup } from "./program/command.ts";
import { addEarlierFileFlag, addSettingFlags, readSettings } from "./program/settings.ts";
import { serveCommand } from "./serve.ts";
import { backupCommand } from "./upkeep/backup.ts";
import { maintainCommand } from "./upkeep/maintain.ts";
import { restoreCommand } from "./upkeep/restore.ts";
import { verifyCommand } from "./upkeep/verify.ts";

export function serverCommand(): CommandUnknownOpts {
  const server = commandGroup("server");
  const run =
    "Run a server, as skep serve does. The API is described at /docs, and as OpenAPI at /openapi.json.";
  serveCommand(server.command("run").description(run));
  backupCommand(server);
  restoreCommand(server);
  verifyCommand(server);
  maintainCommand(server);
  settingsCommand(server);
  return server;
}

/** A setting that holds, and what set it. */
interface Held {
  /** Its name in the file of settings. */
  readonly name: string;
  readonly value: string;
  readonly source: "flag" | "variable" | "file" | "default";
  /** The flag, the variable or the path of the file; null for a default. */
  readonly from: string | null;
}

function settingsCommand(server: CommandUnknownOpts): void {
  const command = server
    .command("settings")
    .description(
      "Show the settings that hold, and where each comes from: a flag, a variable, the file or its default. The flags are those of skep server run. Passwords are not shown.",
    )
    .option("--json", "print JSON", false);
  machineOnly(command, false);
  addSettingFlags(command, undefined);
  addEarlierFileFlag(command);
  command.action(async ({ json }) => {
    const path = await readSettings(command, undefined);
    for (const [name, why] of unknownVariables(process.env)) printNotice(printable(`skep: ${name} ${why}`));
    const held = settings.map(({ name, key, flag, variable }): Held => {
      const value = maskedText(String(command.getOptionValue(name)));
      const source = command.getOptionValueSource(name);
      if (source === "cli") return { name: key, value, source: "flag", from: flag };
      if (source === "env") return { name: key, value, source: "variable", from: variable };
      if (source === "config") return { name: key, value, source: "file", from: path };
      return { name: key, value, source: "default", from: null };
    });
    printList(held, json, {
      SETTING: ({ name }) => name,
      VALUE: ({ value }) => value,
      FROM: ({ from }) => from ?? "default",
    });
  });
}
