/** `skep server verify`: checks a storage. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { toHiveSlug } from "../../domain/names.ts";
import { counted } from "../../domain/text.ts";
import { print, printable, printNotice } from "../output/print.ts";
import { openNamed, storageCommand } from "../program/command.ts";
import { output } from "../program/output.ts";

export function verifyCommand(parent?: CommandUnknownOpts): CommandUnknownOpts {
  return storageCommand("verify", parent)
    .description(
      "Check the whole storage, and repair it with --repair: repositories (with git fsck " +
        "where git is installed), the content of files, settings, quotas and leftovers. Exits " +
        "with 1 if anything is wrong and was not repaired.",
    )
    .argument("[slug]", "only this Hive; the settings and all Hives if not given")
    .option("--repair", "repair faults where this loses nothing", false)
    .action(async (slug, flags) => {
      const { verify } = await import("../../service/operations/verify.ts");
      const options = { slug: slug === undefined ? undefined : toHiveSlug(slug), repair: flags.repair };
      let problems = 0;
      let unrepaired = 0;
      for await (const { hive, problem, repaired } of verify(await openNamed(flags), options)) {
        problems++;
        if (repaired === undefined) unrepaired++;
        const result = repaired === undefined ? "" : ` — ${repaired}`;
        print(printable(`${hive ?? "storage"}: ${problem}${result}`));
      }
      if (problems === 0) printNotice("No problems found.");
      else
        printNotice(
          `Found ${counted(problems, "problem")}${flags.repair ? `, repaired ${problems - unrepaired}` : ""}.`,
        );
      if (unrepaired > 0) output().exitCode = 1;
    });
}
