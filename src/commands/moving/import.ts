/** `skep import`: sends the translations of a file from translators. */
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import type { ImportPlan } from "../../client/exchange/import.ts";
import { counted } from "../../domain/text.ts";
import { onOneLine, wordDiff } from "../output/terminal.ts";
import { print, printNotice } from "../output/print.ts";
import { printFindings, stdoutPaint } from "../client/changes.ts";
import { clientCommand, isConfirmed, printJson, runOnProject } from "../client/client-command.ts";
import { importExport } from "./import-export.ts";
import { toolNames } from "../../formats/moving/tool-names.ts";

export function importCommand(): CommandUnknownOpts {
  return clientCommand("import")
    .argument(
      "<locale>",
      "a target locale of the Hive; with --from, the export: a file, a folder or a ZIP file",
    )
    .argument("[file]", "CSV (.csv), XLIFF (.xlf, .xliff), or a file in a format of the app")
    .addOption(new Option("--from <tool>", "bring in what another tool has exported").choices(toolNames))
    .option("--as <name>", "the file of the Hive, for a file in one of the app's formats")
    .option("--overwrite", "replace translations that are neither missing nor stale", false)
    .option("--same-as-source", "also send translations that equal their source text", false)
    .option("--changed-source", "also send stale translations, whose source text has changed", false)
    .option("--strict", "exit with 3 and send nothing if a key is unknown or a text cannot be read", false)
    .option("--create", "with --from: add locales that the Hive lacks", false)
    .option("--memory", "with --from: fill missing texts from the memory, to be reviewed", false)
    .option("--dry-run", "show the changes without making them", false)
    .option("--yes", "send without asking", false)
    .action(async (locale, path, { from, ...flags }) => {
      if (from !== undefined) {
        if (path !== undefined) throw new ClientError("misuse", "With --from, give only the export.");
        return importExport(from, locale, flags);
      }
      if (flags.create || flags.memory)
        throw new ClientError("misuse", "--create and --memory are for --from.");
      if (path === undefined)
        throw new ClientError(
          "misuse",
          "Give a locale and a file, or --from with what another tool has exported.",
        );
      const options = { ...flags, locale, path, as: flags.as };
      const refusal = "Nothing was sent: give --yes to send it, or --dry-run to only show it.";
      await runOnProject(flags, "write", async (project) => {
        const { planImport, sendImport } = await import("../../client/exchange/import.ts");
        const plan = await planImport(project, options);
        if (!flags.json) printPlan(plan);
        const lost = plan.rejectedKeys.filter(({ reason }) => reason === "unknown" || reason === "refused");
        const what = `${counted(plan.changes.length, "translation")} into ${plan.locale.code}`;
        const isRefused = flags.strict && lost.length > 0;
        const isSent =
          !isRefused &&
          !flags.dryRun &&
          plan.changes.length > 0 &&
          (await isConfirmed(flags, `Send ${what}?`, refusal));
        const commit = isSent ? await sendImport(project, plan) : plan.commit;
        if (flags.json) printJson({ ...plan, locale: plan.locale.code, commit, sent: isSent });
        else if (isSent) print(`Sent ${what}, at ${commit.slice(0, 7)}.`);
        else print("Nothing was sent.");
        if (!isRefused) return;
        throw new ClientError(
          "gate",
          `${counted(lost.length, "text")} of the file cannot be placed or read.`,
        );
      });
    });
}

function printPlan({ changes, unchanged, empty, rejectedKeys, findings }: ImportPlan): void {
  const paint = stdoutPaint();
  for (const { file, key, before, after } of changes) {
    print(
      `${before === null ? "+" : "~"} ${onOneLine(file)}: ${onOneLine(key)}: ${wordDiff(before, after, paint)}`,
    );
  }
  for (const { file, key, detail } of rejectedKeys) {
    printNotice(`not sent: ${onOneLine(file)}: ${onOneLine(key)}: ${onOneLine(detail)}`);
  }
  printFindings(findings, "--json");
  const updated = changes.filter(({ before }) => before !== null).length;
  print(
    `${changes.length - updated} new, ${updated} changed, ${unchanged} as they are, ${empty} without translation, ${rejectedKeys.length} not sent.`,
  );
}
