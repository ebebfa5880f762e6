/** Commands that work on the machine of a server alone, where its storage is. */
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import { storageSettings } from "../program/command.ts";
import { addSettings, takeFromProgram, type StorageFlags } from "../program/settings.ts";
import { isStorageNamed, storageFound } from "./target.ts";

/** A command that works on a storage of this machine alone. @param parent as `storageCommand` takes it. */
export function machineCommand(
  name: string,
  parent?: CommandUnknownOpts,
  hidden = false,
): Command<[], StorageFlags> {
  return addSettings(machineOnly(parent?.command(name, { hidden }) ?? new Command(name)), storageSettings);
}

/**
 * Has a command refuse to work at a server, before it looks at its settings.
 * @param needsStorage whether it also refuses where `SKEP_SERVER` names a server and there is no storage.
 */
export function machineOnly<T extends CommandUnknownOpts>(command: T, needsStorage = true): T {
  command.addOption(new Option("--server <url>").hideHelp());
  command.hook("preAction", async (_, action) => {
    const server = await serverInstead(action, needsStorage);
    if (server === undefined) return;
    const message = `${nameOf(action)} works on the machine of the server alone, not at ${server}: run it there, or name a storage of this machine with --storage or --database.`;
    throw new ClientError("misuse", message, { code: "machine_only", place: { server } });
  });
  return command;
}

/** The server that a command was told to work at, or the only thing that there is to work at. */
async function serverInstead(
  command: CommandUnknownOpts,
  needsStorage: boolean,
): Promise<string | undefined> {
  const given: unknown = command.getOptionValue("server");
  if (typeof given === "string") return given;
  const { SKEP_SERVER: server = "" } = process.env;
  if (!needsStorage || server === "") return undefined;
  takeFromProgram(command);
  if (isStorageNamed(command)) return undefined;
  return (await storageFound(String(command.getOptionValue("storage")))) === undefined ? server : undefined;
}

function nameOf(command: CommandUnknownOpts): string {
  const outer = command.parent;
  return outer === null ? command.name() : `${nameOf(outer)} ${command.name()}`;
}
