/** `skep file`: removes a source file of a Hive. */
import { Command } from "commander";
import { toHiveSlug } from "../domain/names.ts";
import { counted } from "../domain/text.ts";
import { print, printable } from "./output/print.ts";
import {
  commandContext,
  openNamed,
  requireYes,
  storageCommand,
  type StorageFlag,
} from "./program/command.ts";

export function fileCommand(): Command {
  const file = new Command("file");
  file.addCommand(
    storageCommand("remove")
      .description("Remove a source file with its strings and their translations. The history keeps them.")
      .argument("<slug>", "the Hive")
      .argument("<file>", "the file's name, such as auth.php")
      .option("--yes", "confirm the removal; without this flag nothing is removed", false)
      .action(async (slug: string, name: string, flags: StorageFlag & { yes: boolean }) => {
        const { removeFile } = await import("../service/admin/locales.ts");
        const storage = await openNamed(flags);
        const context = { ...commandContext, dryRun: !flags.yes };
        const { result } = await removeFile(storage, toHiveSlug(slug), name, context);
        const texts = result.strings + result.translations;
        const what = `the file ${printable(name)} with ${counted(texts, "text")}, translations included`;
        requireYes(flags.yes, `This removes ${what}.`);
        print(`Removed ${what}.`);
      }),
  );
  return file;
}
