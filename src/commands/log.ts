/** `skep log`: shows the history of a Hive. */
import { Option, type Command } from "commander";
import { originKinds } from "../domain/commits/origin.ts";
import { toHiveSlug } from "../domain/names.ts";
import type { HistoryQuery } from "../service/content/history.ts";
import { toHistoryEntry } from "../http/schemas/history-entry.ts";
import { print, printNotice } from "./output/print.ts";
import { toWholeNumber } from "./program/arguments.ts";
import { openNamed, storageCommand, type StorageFlag } from "./program/command.ts";
import { output } from "./program/output.ts";
import { toPrintableJson } from "../domain/text.ts";

interface LogFlags extends StorageFlag, Omit<HistoryQuery, "offset"> {
  readonly limit: number;
  readonly json: boolean;
}

export function logCommand(): Command {
  return storageCommand("log")
    .argument("<slug>", "the Hive")
    .option("--locale <code>", "only commits that changed files of this locale, their texts or order")
    .option("--file <file>", "only commits that changed this file in any locale, such as auth.php")
    .option("--key <key>", "only commits that changed the text of this key, such as nav.home")
    .option("--operation <name>", "only commits of this operation, such as sync or import-translations")
    .addOption(
      new Option("--origin <kind>", "only commits whose texts a person, a script or a model made").choices(
        originKinds,
      ),
    )
    .option("--since <time>", "only from this date or time (ISO 8601, UTC unless it says otherwise)")
    .option("--until <time>", "only up to this time, or to the end of this date")
    .option("--limit <n>", "show at most this many commits", toWholeNumber, 50)
    .option("--json", "print JSON", false)
    .action(async (text: string, { limit, json, storage: folder, ...query }: LogFlags) => {
      const { listHistory } = await import("../service/content/history.ts");
      const { ownerOf } = await import("../service/owners.ts");
      const { printEntry } = await import("./output/history-print.ts");
      const { paintFor } = await import("./output/terminal.ts");
      const storage = await openNamed({ storage: folder });
      const slug = toHiveSlug(text);
      await ownerOf(storage, slug);
      const history = await listHistory(storage, slug, { ...query, offset: 0, limit });
      const { entries, total } = await history.read();
      const rows = entries.map(toHistoryEntry);
      if (json) return print(toPrintableJson(rows, 2));
      const paint = paintFor(output().stdout, process.env);
      for (const row of rows) printEntry(row, paint);
      if (total === 0) printNotice("No commit matches.");
      if (total > rows.length) printNotice(`Showed ${rows.length} of ${total} commits; --limit shows more.`);
    });
}
