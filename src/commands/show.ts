/** `skep show`: shows what one commit changed. */
import type { Command } from "commander";
import { toHiveSlug } from "../domain/names.ts";
import { toHistoryEntry, toKeyChange } from "../http/schemas/history-entry.ts";
import { print } from "./output/print.ts";
import { openNamed, storageCommand, type StorageFlag } from "./program/command.ts";
import { output } from "./program/output.ts";
import { toPrintableJson } from "../domain/text.ts";

export function showCommand(): Command {
  return storageCommand("show")
    .argument("<slug>", "the Hive")
    .argument(
      "<commit>",
      "a commit (at least 7 digits), a tag, main or HEAD, or a date or time (the last commit until then)",
    )
    .option("--json", "print JSON", false)
    .action(async (text: string, commit: string, flags: StorageFlag & { json: boolean }) => {
      const { showCommit } = await import("../service/content/history.ts");
      const { ownerOf } = await import("../service/owners.ts");
      const { printChanges, printEntry } = await import("./output/history-print.ts");
      const { paintFor } = await import("./output/terminal.ts");
      const storage = await openNamed(flags);
      const slug = toHiveSlug(text);
      await ownerOf(storage, slug);
      const everything = { offset: 0, limit: Infinity };
      const revision = commit === "HEAD" ? storage.hives.at(slug).head() : commit;
      const { entry, changes } = await (await showCommit(storage, slug, revision, everything)).read();
      const row = toHistoryEntry(entry);
      const changed = changes.map(toKeyChange);
      if (flags.json) return print(toPrintableJson({ commit: row, data: changed }, 2));
      const paint = paintFor(output().stdout, process.env);
      printEntry(row, paint);
      printChanges(changed, paint);
    });
}
