/** `skep move`: gives a string, a group or a file of the Hive another name. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { MoveReport } from "../../client/moves.ts";
import { counted } from "../../domain/text.ts";
import { print, printNotice } from "../output/print.ts";
import { hiveName, printMoves } from "./changes.ts";
import { clientCommand, printResult, runOnProject } from "./client-command.ts";

export function moveCommand(): CommandUnknownOpts {
  return clientCommand("move")
    .argument(
      "<from>",
      "a key with its file (auth.json:failed), a group (auth.json:nav), or a file (auth.json)",
    )
    .argument("<to>", "its new name, of the same kind")
    .option("--dry-run", "list what would be moved, and move nothing", false)
    .action(async (from, to, flags) => {
      const { move } = await import("../../client/moves.ts");
      const options = { from, to, dryRun: flags.dryRun };
      const result = await runOnProject(flags, "write", (project) => move(project, options));
      printResult(flags, result, printReport);
    });
}

function printReport(moved: MoveReport): void {
  const { commit, dryRun, result } = moved;
  printMoves(result.moves ?? []);
  const would = dryRun ? "Dry run: nothing was moved. " : "";
  print(
    `${would}${hiveName(moved)}: ${counted(result.moved, "source string")} moved with ` +
      `${counted(result.translations_moved, "translation")}, at ${commit.slice(0, 7)}.`,
  );
  const lost = result.translations_deleted;
  if (lost > 0) {
    printNotice(
      `${counted(lost, "translation")} ${dryRun ? "would be" : "were"} deleted: plural forms of plural strings that are torn apart.`,
    );
  }
}
