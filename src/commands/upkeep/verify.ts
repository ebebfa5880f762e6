/** `skep server verify`: checks a storage. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { toHiveSlug } from "../../domain/names.ts";
import { counted, toPrintableJson } from "../../domain/text.ts";
import { print, printNotice } from "../output/print.ts";
import { machineCommand } from "../operations/machine-only.ts";
import { openNamed } from "../program/command.ts";
import { output } from "../program/output.ts";
import { problemLine, problemRow } from "./problems.ts";
import { withProgress } from "./progress.ts";

export function verifyCommand(parent?: CommandUnknownOpts): CommandUnknownOpts {
  return machineCommand("verify", parent)
    .description(
      "Check the whole storage, and repair it with --repair: repositories (with git fsck " +
        "where git is installed), the content of files, settings, quotas and leftovers. Exits " +
        "with 1 if anything is wrong and was not repaired.",
    )
    .argument("[slug]", "only this Hive; the settings and all Hives if not given")
    .option("--repair", "repair faults where this loses nothing", false)
    .option("--json", "print JSON", false)
    .action(async (slug, { json, repair, ...flags }) => {
      const { verify } = await import("../../service/operations/verify.ts");
      const options = { slug: slug === undefined ? undefined : toHiveSlug(slug), repair };
      const rows: object[] = [];
      let unrepaired = 0;
      const storage = await openNamed(flags);
      await withProgress(json, async ({ onStep, clear }) => {
        for await (const found of verify(storage, { ...options, onStep })) {
          rows.push(problemRow(found));
          if (found.repaired === undefined) unrepaired++;
          if (json) continue;
          clear();
          print(problemLine(found));
        }
      });
      if (unrepaired > 0) output().exitCode = 1;
      if (json) return print(toPrintableJson(rows, 2));
      const repaired = repair ? `, repaired ${rows.length - unrepaired}` : "";
      printNotice(
        rows.length === 0 ? "No problems found." : `Found ${counted(rows.length, "problem")}${repaired}.`,
      );
    });
}
