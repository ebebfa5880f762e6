/** Where a command of management works: at a server, or on a storage of this machine. */
import { existsSync } from "node:fs";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import type { CommandContext } from "../../client/context.ts";
import { usualFile } from "../../config/file.ts";
import { isInteractive } from "../program/ask.ts";
import { namedFile } from "../program/settings.ts";

export interface TargetFlags {
  readonly config?: string;
  readonly server?: string;
  readonly settings?: string;
  readonly tokenFile?: string;
  readonly storage: string;
}

/** The URL of a server, or the storage that the command's settings name. */
export type Target = { readonly server: string } | "storage";

/** Settings that name the storage, with the variables that do. */
const storageSources = [
  ["storage", "--storage", "SKEP_STORAGE"],
  ["database", "--database", "SKEP_DATABASE"],
] as const;

/**
 * Chooses the target: what a flag names; else the storage that a variable or a named file of settings is about, even beside
 * `SKEP_SERVER`; else what is found, a server in `SKEP_SERVER` or skep.yaml, or a storage in the usual place; else, at a
 * terminal, the only server of `skep login`.
 * @throws ClientError `misuse` with the code `two_targets` where two are named, or found, and `no_target` where none is.
 */
export async function chooseTarget(
  command: CommandUnknownOpts,
  flags: TargetFlags,
  context: CommandContext,
): Promise<Target> {
  const flagged = storageSources.find(([name]) => isSetBy(command, name, "cli"));
  if (flags.server !== undefined) {
    if (flagged !== undefined) throw twoTargets(`--server and ${flagged[1]}`);
    return { server: await requireServer(flags, context) };
  }
  if (flagged !== undefined) return "storage";
  if (flags.settings !== undefined || isStorageNamed(command)) return "storage";
  const { findServer } = await import("../../client/project.ts");
  const server = await findServer(flags, context);
  const found = await storageFound(flags.storage);
  if (server !== undefined && found !== undefined)
    throw twoTargets(`the server ${server} and the storage of ${found}`);
  if (found !== undefined) return "storage";
  return { server: server ?? (await onlyLogin(context)) };
}

/** Whether a setting that is not turned off was set by a flag or a variable. */
function isSetBy(command: CommandUnknownOpts, name: string, source: "cli" | "env"): boolean {
  return command.getOptionValueSource(name) === source && command.getOptionValue(name) !== "off";
}

/** Whether a flag, a variable or a named file of settings says which storage a command is about. */
export function isStorageNamed(command: CommandUnknownOpts): boolean {
  const isSet = storageSources.some(
    ([name]) => isSetBy(command, name, "cli") || isSetBy(command, name, "env"),
  );
  return isSet || namedFile(command) !== undefined;
}

/** What is found where nothing names a storage: the usual file of settings, or the folder of a storage. */
export async function storageFound(folder: string): Promise<string | undefined> {
  if (existsSync(usualFile)) return usualFile;
  return (await isStorageAt(folder)) ? folder : undefined;
}

async function requireServer(flags: TargetFlags, context: CommandContext): Promise<string> {
  const { findServer } = await import("../../client/project.ts");
  const server = await findServer(flags, context);
  if (server === undefined) throw noTarget();
  return server;
}

/** Whether a folder is a storage, without opening it. */
async function isStorageAt(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const { openLocalStorage } = await import("../../service/storage.ts");
  return openLocalStorage(folder).registry.version.exists();
}

async function onlyLogin({ environment, warn }: CommandContext): Promise<string> {
  if (!isInteractive()) throw noTarget();
  const { Credentials } = await import("../../client/login/credentials.ts");
  const [server, ...others] = await new Credentials(environment).servers();
  if (server === undefined || others.length > 0) throw noTarget();
  warn(`At ${server}, where you are signed in.`);
  return server;
}

function noTarget(): ClientError {
  const message =
    "There is no server and no storage to work on: give --server or --storage, or set SKEP_SERVER or SKEP_STORAGE.";
  return new ClientError("misuse", message, { code: "no_target" });
}

function twoTargets(both: string): ClientError {
  const message = `There are two places to work on, ${both}: name one with --server or --storage.`;
  return new ClientError("misuse", message, { code: "two_targets" });
}
