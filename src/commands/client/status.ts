/** `skep status`: shows the progress of each file and locale, and differences between the app's files and the Hive. */
import { appendFile } from "node:fs/promises";
import { InvalidArgumentError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import { checkFaults } from "../../client/faults.ts";
import type { FileStatus, StatusReport } from "../../client/status.ts";
import { counted } from "../../domain/text.ts";
import { onOneLine } from "../output/terminal.ts";
import { nonZero, print, printList, printNotice, type Columns } from "../output/print.ts";
import { toWholeNumber } from "../program/arguments.ts";
import { clientCommand, localeOption, printJson, runOnProject } from "./client-command.ts";

export function statusCommand(): CommandUnknownOpts {
  return clientCommand("status")
    .addOption(localeOption("only look at these locales, such as fr,de; may be repeated"))
    .option("--fail-on-missing", "exit with 3 when a text is missing", false)
    .option(
      "--fail-on-stale",
      "exit with 3 when a translation is stale: made for an earlier source text",
      false,
    )
    .option("--min <percent>", "exit with 3 when less of a locale is translated", toPercent)
    .option("--allow-empty", "do not fail if a pattern matches no source file", false)
    .action(async ({ locale, min, ...flags }) => {
      const { status, failedGates } = await import("../../client/status.ts");
      const options = { ...flags, locales: locale };
      const report = await runOnProject(flags, "read", (project) => status(project, options));
      const failed = failedGates(report, { ...flags, min });
      if (flags.json) printJson({ ...report, failed });
      else printReport(report);
      await writeSummary(report, failed);
      checkFaults(report.faults, "compared");
      if (failed.length > 0)
        throw new ClientError("gate", `Not translated as required: ${failed.join("; ")}.`);
    });
}

function toPercent(text: string): number {
  const percent = toWholeNumber(text);
  if (percent > 100) throw new InvalidArgumentError("It must be at most 100.");
  return percent;
}

/** The difference between a local file and the Hive, as text. */
function differenceText(local: FileStatus["local"]): string {
  if (local === null) return "no file here";
  if (local === "unreadable") return local;
  const parts = Object.entries(local).filter(([, count]) => count > 0);
  return parts.length === 0 ? "same" : parts.map(([what, count]) => `${count} ${what}`).join(", ");
}

function percentText({ percent }: Pick<FileStatus, "percent">): string {
  return percent === null ? "nothing" : `${percent} %`;
}

/** The columns of a table; only some apps have texts that equal their source texts. */
function columnsFor(rows: readonly FileStatus[]): Columns<FileStatus> {
  const { SAME: same, ...others } = columns;
  return same !== undefined && rows.every(({ sameAsSource }) => sameAsSource === 0) ? others : columns;
}

const columns: Columns<FileStatus> = {
  LOCALE: (row) => row.locale,
  TRANSLATED: (row) => percentText(row),
  MISSING: (row) => nonZero(row.missing),
  SAME: (row) => nonZero(row.sameAsSource),
  STALE: (row) => nonZero(row.stale),
  FAILING: (row) => nonZero(row.failing),
  FILE: (row) => row.path ?? `${row.file} (in the Hive)`,
  LOCAL: (row) => differenceText(row.local),
};

function printReport(report: StatusReport): void {
  printList(report.files, false, columnsFor(report.files));
  for (const { locale, percent, missing, stale, failing } of report.locales) {
    print(
      `${locale}: ${percentText({ percent })} translated, ${missing} missing, ${stale} stale, ${failing} failing.`,
    );
  }
  const same = report.locales.reduce((sum, { sameAsSource }) => sum + sameAsSource, 0);
  if (same > 0)
    print(
      `${counted(same, "missing text")} (SAME) ${same === 1 ? "is" : "are"} here the same as the source, and kept in the app: skep push --translations --same-as-source sends what is a translation all the same.`,
    );
  for (const { path, file, local } of report.source) {
    if (path === null) printNotice(`${onOneLine(file)}: is in the Hive, but no pattern matches it.`);
    else if (differenceText(local) !== "same") {
      printNotice(`${onOneLine(path)}: ${differenceText(local)} source strings; skep diff shows them.`);
    }
  }
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => onOneLine(cell).replaceAll(/[|\\`<>*_[\]]/g, String.raw`\$&`)).join(" | ")} |\n`;
}

/** Writes the status to the job summary of GitHub Actions. */
async function writeSummary(
  { hive, files, locales }: StatusReport,
  failed: readonly string[],
): Promise<void> {
  const { GITHUB_STEP_SUMMARY: path = "" } = process.env;
  if (path === "") return;
  const shown = columnsFor(files);
  const titles = Object.keys(shown);
  const total = locales.map(
    ({ locale, percent, missing }) => `${locale} ${percentText({ percent })} (${missing} missing)`,
  );
  const text = [
    `### Translations of ${hive}\n\n${total.join(", ")}\n\n`,
    ...failed.map((reason) => `- Not as required: ${reason}\n`),
    `\n${markdownRow(titles)}|${" --- |".repeat(titles.length)}\n`,
    ...files.map((file) => markdownRow(Object.values(shown).map((cell) => cell(file)))),
    "\n",
  ];
  await appendFile(path, text.join("")).catch((error: unknown) => {
    printNotice(`The summary of ${counted(files.length, "file")} could not be written: ${String(error)}`);
  });
}
