/** `skep move`: gives a string, a group or a file of the Hive another name. */
import type { Command } from "commander";
import type { MoveReport } from "../../client/moves.ts";
import { counted } from "../../domain/text.ts";
import { print, printNotice } from "../output/print.ts";
import { hiveName, printMoves } from "./changes.ts";
import { clientCommand, printJson, runOnProject, type ClientFlags } from "./client-command.ts";

interface MoveFlags extends ClientFlags {
  readonly dryRun: boolean;
}

export function moveCommand(): Command {
  return clientCommand("move")
    .argument(
      "<from>",
      "a key with its file (auth.json:failed), a group (auth.json:nav), or a file (auth.json)",
    )
    .argument("<to>", "its new name, of the same kind")
    .option("--dry-run", "list what would be moved, and move nothing", false)
    .action(async (from: string, to: string, flags: MoveFlags) => {
      const { move } = await import("../../client/moves.ts");
      const options = { from, to, dryRun: flags.dryRun };
      const report = await runOnProject(flags, "write", (project) => move(project, options));
      if (flags.json) printJson(report);
      else printReport(report);
    });
}

function printReport(report: MoveReport): void {
  const { commit, dryRun, result } = report;
  printMoves(result.moves ?? []);
  const would = dryRun ? "Dry run: nothing was moved. " : "";
  print(
    `${would}${hiveName(report)}: ${counted(result.moved, "source string")} moved with ` +
      `${counted(result.translations_moved, "translation")}, at ${commit.slice(0, 7)}.`,
  );
  const lost = result.translations_deleted;
  if (lost > 0) {
    printNotice(
      `${counted(lost, "translation")} ${dryRun ? "would be" : "were"} deleted: plural forms of plural strings that are torn apart.`,
    );
  }
}
