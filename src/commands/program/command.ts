/** The parts that all commands on a storage share. */
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { commandAuthor } from "../../domain/commits/commit-message.ts";
import { failure } from "../../domain/errors.ts";
import { toHiveSlug, type HiveSlug } from "../../domain/names.ts";
import type { DatabaseOptions } from "../../service/database.ts";
import type { LocalOptions, Storage, StorageBase } from "../../service/storage.ts";
import type { WriteContext } from "../../service/access.ts";
import { addSettings, takeSettings, type StorageFlag, type StorageFlags } from "./settings.ts";

/** The context of a command's write. It has no limit on deletions: a person runs it, and can undo it. */
export const commandContext: WriteContext = {
  metadata: { author: commandAuthor },
  // The same as `operator`, which is not imported here, because it would load modules that only actions need.
  caller: { team: undefined, reauthorise: () => Promise.resolve() },
  maxDeletions: Infinity,
};

/** The settings of all commands that work on a storage. */
export const storageSettings = [
  "storage",
  "otherUser",
  "otherHost",
  "database",
  "databasePasswordFile",
  "databaseCa",
] as const;

/**
 * Takes a flag of a command by its earlier name, too, which help does not show.
 * @param flags the earlier flag, such as `--since [ref]`.
 * @param now what commander calls the value of the present flag.
 * @param meaning what its text means for the present flag; the same if not given.
 */
export function addEarlierFlag(
  command: CommandUnknownOpts,
  flags: string,
  now: string,
  meaning?: (text: string) => unknown,
): void {
  const earlier = new Option(flags).hideHelp();
  const { parseArg } = command.options.find((option) => option.attributeName() === now) ?? {};
  command.addOption(earlier);
  command.on(`option:${earlier.name()}`, (flagText?: string | null) => {
    const text = flagText ?? undefined;
    const before: unknown = command.getOptionValue(now);
    const same = (): unknown => (text === undefined ? true : (parseArg?.(text, before) ?? text));
    const value = meaning === undefined ? same() : meaning(text ?? "");
    command.setOptionValueWithSource(now, value, "cli");
  });
}

/** A command that has commands of its own. By itself it shows its help, which is no error. */
export function commandGroup(name: string): Command {
  const group = new Command(name);
  group.allowExcessArguments(true).action((_, command) => {
    const [unknown] = command.args;
    if (unknown !== undefined) command.error(`error: unknown command '${unknown}'`);
    group.outputHelp();
  });
  return group;
}

/** One command does few things at once. */
const commandConnections = 3;

/**
 * A command that works on a storage.
 * @param parent the command that it is a part of, if there is one.
 * @param hidden whether help leaves it out, as an earlier name of another.
 */
export function storageCommand(
  name: string,
  parent?: CommandUnknownOpts,
  hidden = false,
): Command<[], StorageFlags> {
  return addSettings(parent?.command(name, { hidden }) ?? new Command(name), storageSettings);
}

/** The storage that a command of an operation names by its flags and settings. @throws as `takeSettings` does. */
export async function takeStorage(command: CommandUnknownOpts): Promise<StorageFlag> {
  await takeSettings(command, storageSettings, false, command.getOptionValue("settings"));
  const texts = storageSettings.map((name) => [name, String(command.getOptionValue(name))]);
  const { storage = "", otherHost = "", ...others }: Record<string, string> = Object.fromEntries(texts);
  return { storage, otherHost, ...others };
}

/** Refuses a storage on which another machine works. @throws SkepError `conflict`. */
async function claim({ folder }: StorageBase, { otherHost }: Pick<StorageFlag, "otherHost">): Promise<void> {
  if (otherHost === "allow") return;
  const { claimForHost } = await import("../../service/storage-owner.ts");
  await claimForHost(folder);
}

/**
 * Opens the storage that the flags name.
 * @throws SkepError `not-found` when there is none; `conflict` when another machine works on it; as `openDatabase` does.
 */
export async function openNamed(flags: StorageFlag, options?: LocalOptions): Promise<Storage> {
  const storage = await openStorageOf(flags, options);
  if (storage.refresh !== undefined) return storage;
  storage.registry.version.requireUsable();
  if (storage.registry.version.exists()) {
    storage.moved.requireHere();
    await claim(storage, flags);
    return storage;
  }
  const starters = "skep serve, skep team create and skep server restore start one";
  throw failure("not-found", `There is no storage in ${storage.folder}; ${starters}.`);
}

/**
 * Opens the storage that the flags name, for a command about one Hive: a temporary copy gets its repository.
 * @throws SkepError `invalid` when the text is no slug; as {@link openNamed}.
 */
export async function openHive(
  flags: StorageFlag,
  text: string,
): Promise<{ readonly storage: Storage; readonly slug: HiveSlug }> {
  const slug = toHiveSlug(text);
  const storage = await openNamed(flags);
  await storage.refresh?.([slug]);
  return { storage, slug };
}

/** Opens the storage of a command, which is a database with a temporary copy, or a folder with or without a storage. */
async function openStorageOf(flags: StorageFlag, options?: LocalOptions): Promise<Storage> {
  const database = databaseOf(flags);
  if (database === undefined) return openFolder(flags.storage, options);
  const { openTemporaryCopy } = await import("./temporary-copy.ts");
  return openTemporaryCopy(database, options);
}

/** The text of a flag that may be turned off. */
function given(text = "off"): string | undefined {
  return text === "off" || text === "none" ? undefined : text;
}

/** The database that the flags of a command name. */
export function databaseOf(flags: StorageFlag): DatabaseOptions | undefined {
  const url = given(flags.database);
  if (url === undefined) return undefined;
  const [caFile, passwordFile] = [given(flags.databaseCa), given(flags.databasePasswordFile)];
  return { url, caFile, passwordFile, connections: commandConnections };
}

/**
 * Opens a storage folder, whether or not it contains a storage. The code for storages is loaded here, and the services
 * in the actions of the commands: help and usage errors need neither, and loading them takes several times as long as
 * starting Node.
 */
async function openFolder(folder: string, options?: LocalOptions): Promise<Storage> {
  const { openLocalStorage } = await import("../../service/storage.ts");
  return openLocalStorage(folder, options);
}

/** Opens the folder of a storage that is to be filled. @throws as {@link openNamed}, but not `not-found`. */
export async function openToFill(flags: StorageFlag): Promise<Storage> {
  const storage = await openFolder(flags.storage);
  storage.registry.version.requireUsable();
  if (storage.registry.version.exists()) await claim(storage, flags);
  return storage;
}

/** Opens a storage, or creates one if the folder has none. @throws SkepError as {@link openNamed}. */
export async function openOrStart(options: StorageFlag & LocalOptions): Promise<{
  readonly storage: Storage;
  readonly isNew: boolean;
}> {
  const storage = await openStorageOf(options, options);
  if (storage.refresh !== undefined) return { storage, isNew: false };
  storage.registry.version.requireUsable();
  storage.moved.requireHere();
  const isNew = await storage.registry.version.create();
  await claim(storage, options);
  return { storage, isNew };
}
