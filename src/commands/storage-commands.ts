/** Builds commands that list all entries of a kind, such as teams, or remove a part of a Hive. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { HiveSlug } from "../domain/names.ts";
import type { Storage } from "../service/storage.ts";
import type { WriteContext } from "../service/access.ts";
import { print, printList, type Columns } from "./output/print.ts";
import {
  commandContext,
  listCommand,
  openHive,
  openNamed,
  requireYes,
  storageCommand,
} from "./program/command.ts";

/** A command that lists everything of a kind. @param empty as `printList` takes it. */
export function listAllCommand<T extends object>(
  parent: CommandUnknownOpts,
  description: string,
  read: (storage: Storage) => Promise<readonly T[]>,
  columns: Columns<T>,
  empty: string,
): CommandUnknownOpts {
  return listCommand(parent, description).action(async (flags) =>
    printList(await read(await openNamed(flags)), flags.json, columns, { empty }),
  );
}

/** A command that removes a part of a Hive. @param argument the name of the part, and its description. */
export function removeCommand(
  parent: CommandUnknownOpts,
  description: string,
  argument: readonly [name: string, description: string],
  remove: (storage: Storage, slug: HiveSlug, name: string, context: WriteContext) => Promise<string>,
): CommandUnknownOpts {
  return storageCommand("remove", parent)
    .description(description)
    .argument("<slug>", "the Hive")
    .argument(...argument)
    .option("--yes", "confirm the removal; without this flag nothing is removed", false)
    .action(async (text, name, { yes, ...flags }) => {
      const context = { ...commandContext, dryRun: !yes };
      const { storage, slug } = await openHive(flags, text);
      const removed = await remove(storage, slug, name, context);
      requireYes(yes, `This removes ${removed}.`);
      print(`Removed ${removed}.`);
    });
}
