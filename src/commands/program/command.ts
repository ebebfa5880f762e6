/** The parts that all commands on a storage share. */
import { Command } from "commander";
import { commandAuthor } from "../../domain/commits/commit-message.ts";
import { failure } from "../../domain/errors.ts";
import type { LocalOptions, Storage } from "../../service/storage.ts";
import type { WriteContext } from "../../service/write-context.ts";
import { addSettings } from "./settings.ts";

/** The context of a command's write. It has no limit on deletions: a person runs it, and can undo it. */
export const commandContext: WriteContext = {
  metadata: { author: commandAuthor },
  // The same as `operator`, which is not imported here, because it would load modules that only actions need.
  caller: { team: undefined, reauthorise: () => Promise.resolve() },
  maxDeletions: Infinity,
};

export interface StorageFlag {
  readonly storage: string;
}

/** A command that works on a storage folder. */
export function storageCommand(name: string): Command {
  return addSettings(new Command(name), ["storage", "otherUser"]);
}

export interface ListFlags extends StorageFlag {
  readonly json: boolean;
}

/** A command that lists something of a storage, as a table or as JSON. */
export function listCommand(description: string): Command {
  return storageCommand("list").description(description).option("--json", "print JSON", false);
}

/** Opens the storage that the flags name. @throws SkepError `not-found` when there is none. */
export async function openNamed(flags: StorageFlag): Promise<Storage> {
  const storage = await openFolder(flags.storage);
  storage.registry.version.requireKnownFormat();
  if (storage.registry.version.exists()) return storage;
  const starters = "skep serve, skep team create and skep restore start one";
  throw failure("not-found", `There is no storage in ${storage.folder}; ${starters}.`);
}

/**
 * Opens a storage folder, whether or not it contains a storage. The code for storages is loaded here, and the services
 * in the actions of the commands: help and usage errors need neither, and loading them takes several times as long as
 * starting Node.
 */
export async function openFolder(folder: string, options?: LocalOptions): Promise<Storage> {
  const { openLocalStorage } = await import("../../service/storage.ts");
  return openLocalStorage(folder, options);
}

/** Opens a storage, or creates one if the folder has none. */
export async function openOrStart({ storage: folder, ...options }: StorageFlag & LocalOptions): Promise<{
  readonly storage: Storage;
  /** Whether the storage was created now. */
  readonly isNew: boolean;
}> {
  const storage = await openFolder(folder, options);
  storage.registry.version.requireKnownFormat();
  return { storage, isNew: await storage.registry.version.create() };
}

/** Commands that remove something do so only with `--yes`. @throws SkepError `conflict` with what would happen. */
export function requireYes(yes: boolean, consequence: string): void {
  if (!yes) throw failure("conflict", `${consequence} Add --yes to do it.`);
}
