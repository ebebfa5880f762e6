/** `skep export`: writes all that a Hive has into a folder. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { ExportReport } from "../../client/moving/export.ts";
import { counted } from "../../domain/text.ts";
import { clientCommand, printResult, runOnHive } from "../client/client-command.ts";
import { print, printable } from "../output/print.ts";

export function exportCommand(): CommandUnknownOpts {
  return clientCommand("export")
    .argument("<folder>", "a folder that is new, or empty")
    .action(async (path, flags) => {
      const report = await runOnHive(flags, "read", async ({ hive, context }) => {
        const { exportHive } = await import("../../client/moving/export.ts");
        const { findEntries, openProject } = await import("../../client/project.ts");
        const hasApp = (await findEntries(flags, context)).length > 0;
        const project = hasApp ? await openProject(flags, context, "read") : undefined;
        return exportHive(hive, project, path, context.progress);
      });
      printResult(flags, report, printReport);
    });
}

function printReport({
  folder,
  commit,
  files,
  strings,
  locales,
  notes,
  pictures,
  ofApp,
}: ExportReport): void {
  const parts = [
    counted(strings, "string"),
    counted(locales, "locale"),
    counted(notes, "note"),
    counted(pictures, "picture"),
    `${ofApp} of the app's own files`,
  ];
  print(`${printable(folder)}: ${counted(files, "file")} at ${commit.slice(0, 7)}: ${parts.join(", ")}.`);
}
