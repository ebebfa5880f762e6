/** `skep file`: removes a source file of a Hive. */
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { counted } from "../domain/text.ts";
import { printable } from "./output/print.ts";
import { removeCommand } from "./storage-commands.ts";

export function fileCommand(): CommandUnknownOpts {
  const file = new Command("file");
  removeCommand(
    file,
    "Remove a source file with its strings and their translations. The history keeps them.",
    ["<file>", "the file's name, such as auth.php"],
    async (storage, slug, name, context) => {
      const { removeFile } = await import("../service/admin/locales.ts");
      const { result } = await removeFile(storage, slug, name, context);
      const texts = counted(result.strings + result.translations, "text");
      return `the file ${printable(name)} with ${texts}, translations included`;
    },
  );
  return file;
}
