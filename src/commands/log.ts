/** `skep log`: shows the history of a Hive. */
import { InvalidArgumentError, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { originKinds } from "../domain/commits/origin.ts";
import { hiveOfApp } from "./client/client-command.ts";
import { print, printNotice } from "./output/print.ts";
import { toWholeNumber } from "./program/arguments.ts";
import { openHive, storageCommand } from "./program/command.ts";
import { output } from "./program/output.ts";
import { toPrintableJson } from "../domain/text.ts";

export function logCommand(): CommandUnknownOpts {
  return storageCommand("log")
    .argument("[slug]", "the Hive (default: that of skep.yaml)")
    .option("--locale <code>", "only commits that changed files of this locale, their texts or order")
    .option("--file <file>", "only commits that changed this file in any locale, such as auth.php")
    .option("--key <key>", "only commits that changed the text of this key, such as nav.home")
    .option("--operation <name>", "only commits of this operation, such as sync or import-translations")
    .addOption(
      new Option("--origin <kind>", "only commits whose texts a person, a script or a model made").choices(
        originKinds,
      ),
    )
    .option(
      "--since <when>",
      "only from this date or time (ISO 8601, UTC unless it says otherwise), or what came after this tag or commit",
    )
    .option("--until <when>", "only up to this time, to the end of this date, or to this tag or commit")
    .option("--limit <n>", "show at most this many commits", toWholeNumber, 50)
    .option("--json", "print JSON", false)
    .action(async (slug, flags) => {
      const text = slug ?? (await hiveOfApp());
      if (text === undefined) throw new InvalidArgumentError("missing required argument 'slug'");
      const { listHistory } = await import("../service/content/history.ts");
      const { toHistoryEntry } = await import("../http/schemas/history-schemas.ts");
      const { printEntry } = await import("./output/history-print.ts");
      const { paintFor } = await import("./output/terminal.ts");
      const { storage, slug: hive } = await openHive(flags, text);
      await storage.registry.teamOfHive(hive);
      const { keyMeant } = await import("../service/content/shown-keys.ts");
      const key = flags.key && (await keyMeant(storage, hive, { file: flags.file, key: flags.key }));
      const history = await listHistory(storage, hive, { ...flags, key, offset: 0 });
      const { entries, total } = await history.read();
      const rows = entries.map(toHistoryEntry);
      if (flags.json) return print(toPrintableJson(rows, 2));
      const paint = paintFor(output().stdout, process.env);
      for (const row of rows) printEntry(row, paint);
      if (total === 0) printNotice("No commit matches.");
      if (total > rows.length) printNotice(`Showed ${rows.length} of ${total} commits; --limit shows more.`);
    });
}
