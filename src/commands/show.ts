/** `skep show`: shows what one commit changed. */
import { InvalidArgumentError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { hiveOfApp } from "./client/client-command.ts";
import { print } from "./output/print.ts";
import { openHive, storageCommand } from "./program/command.ts";
import { output } from "./program/output.ts";
import { toPrintableJson } from "../domain/text.ts";

export function showCommand(): CommandUnknownOpts {
  return storageCommand("show")
    .argument("[slug]", "the Hive (default: that of skep.yaml)")
    .argument(
      "[commit]",
      "a commit (at least 7 digits), a tag, main or HEAD, or a date or time (the last commit until then)",
    )
    .option("--json", "print JSON", false)
    .action(async (first, second, flags) => {
      const [text, commit] = second === undefined ? [await hiveOfApp(), first] : [first, second];
      if (text === undefined || commit === undefined)
        throw new InvalidArgumentError("missing required argument 'commit'");
      const { showCommit } = await import("../service/content/history.ts");
      const { toHistoryEntry, toKeyChange } = await import("../http/schemas/history-schemas.ts");
      const { printChanges, printEntry } = await import("./output/history-print.ts");
      const { paintFor } = await import("./output/terminal.ts");
      const { storage, slug } = await openHive(flags, text);
      await storage.registry.teamOfHive(slug);
      const everything = { offset: 0, limit: Infinity };
      const revision = commit === "HEAD" ? storage.hives.at(slug).head() : commit;
      const { entry, entries: changes } = await (
        await showCommit(storage, slug, revision, everything)
      ).read();
      const row = toHistoryEntry(entry);
      const changed = changes.map(toKeyChange);
      if (flags.json) return print(toPrintableJson({ commit: row, data: changed }, 2));
      const paint = paintFor(output().stdout, process.env);
      printEntry(row, paint);
      printChanges(changed, paint);
    });
}
