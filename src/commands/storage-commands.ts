/** Builds commands that list all entries of a kind, such as teams, or remove a part of a Hive. */
import type { Command } from "commander";
import { toHiveSlug, type HiveSlug } from "../domain/names.ts";
import type { Storage } from "../service/storage.ts";
import type { WriteContext } from "../service/write-context.ts";
import { print, printList } from "./output/print.ts";
import {
  commandContext,
  listCommand,
  openNamed,
  requireYes,
  storageCommand,
  type ListFlags,
  type StorageFlag,
} from "./program/command.ts";

/**
 * A command that lists everything of a kind.
 * @param read gives the rows.
 * @param columns gives the cell of each column for a row.
 */
export function listAllCommand<T extends object>(
  description: string,
  read: (storage: Storage) => Promise<readonly T[]>,
  columns: Readonly<Record<string, (row: T) => string>>,
): Command {
  return listCommand(description).action(async (flags: ListFlags) =>
    printList(await read(await openNamed(flags)), flags.json, columns),
  );
}

/**
 * A command that removes a part of a Hive.
 * @param argument the name of the part, and its description.
 * @param remove removes it, unless the context is a dry run, and describes what it removes.
 */
export function removeCommand(
  description: string,
  argument: readonly [name: string, description: string],
  remove: (storage: Storage, slug: HiveSlug, name: string, context: WriteContext) => Promise<string>,
): Command {
  return storageCommand("remove")
    .description(description)
    .argument("<slug>", "the Hive")
    .argument(...argument)
    .option("--yes", "confirm the removal; without this flag nothing is removed", false)
    .action(async (slug: string, name: string, { yes, ...flags }: StorageFlag & { yes: boolean }) => {
      const context = { ...commandContext, dryRun: !yes };
      const removed = await remove(await openNamed(flags), toHiveSlug(slug), name, context);
      requireYes(yes, `This removes ${removed}.`);
      print(`Removed ${removed}.`);
    });
}
