/** `skep verify`: checks a storage. */
import type { Command } from "commander";
import { toHiveSlug } from "../domain/names.ts";
import { counted } from "../domain/text.ts";
import { print, printable, printNotice } from "./output/print.ts";
import { openNamed, storageCommand, type StorageFlag } from "./program/command.ts";
import { output } from "./program/output.ts";

export function verifyCommand(): Command {
  return storageCommand("verify")
    .argument("[slug]", "only this Hive; the settings and all Hives if not given")
    .option("--repair", "repair what can be repaired without losing anything", false)
    .action(async (slug: string | undefined, flags: StorageFlag & { repair: boolean }) => {
      const { verify } = await import("../service/operations/verify.ts");
      const options = { slug: slug === undefined ? undefined : toHiveSlug(slug), repair: flags.repair };
      let found = 0;
      let left = 0;
      for await (const { hive, problem, repaired } of verify(await openNamed(flags), options)) {
        found++;
        if (repaired === undefined) left++;
        const repair = repaired === undefined ? "" : ` — ${repaired}`;
        print(printable(`${hive ?? "storage"}: ${problem}${repair}`));
      }
      if (found === 0) printNotice("Everything is sound.");
      else
        printNotice(`Found ${counted(found, "problem")}${flags.repair ? `, repaired ${found - left}` : ""}.`);
      if (left > 0) output().exitCode = 1;
    });
}
