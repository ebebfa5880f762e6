/** `skep status`: shows the progress of each locale, and differences between the app's files and the Hive. */
import { appendFile } from "node:fs/promises";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import { checkFaults } from "../../client/faults.ts";
import type { FileStatus, LocaleStatus, Overview, StatusReport } from "../../client/status.ts";
import { counted } from "../../domain/text.ts";
import { onOneLine } from "../output/terminal.ts";
import { alignCells, nonZero, print, printNotice, terminalWidth, type Columns } from "../output/print.ts";
import { output } from "../program/output.ts";
import { toPercent } from "../program/arguments.ts";
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
      const { report, overview } = await runOnProject(flags, "read", (project) => status(project, options));
      const failed = failedGates(report, { ...flags, min });
      if (flags.json) printJson({ ...report, failed });
      else printReport(report, overview);
      await writeSummary(report, failed);
      checkFaults(report.faults, "compared");
      if (failed.length > 0)
        throw new ClientError("gate", `Not translated as required: ${failed.join("; ")}.`);
    });
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

/** The columns of the table in a summary; only some apps have texts that equal their source texts. */
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

const barColumns = 10;

/** How much is translated, as a bar that is full only where nothing is missing. */
function bar(percent: number): string {
  const full = Math.floor((percent * barColumns) / 100);
  return "█".repeat(full) + "░".repeat(barColumns - full);
}

/** More locales with something to do are counted. */
const maxNamedLocales = 3;
const list = new Intl.ListFormat("en-GB");

type Open = Pick<LocaleStatus, "missing" | "stale" | "failing">;

/** `12 missing and 3 stale`; empty where there is nothing to do. */
function openText({ missing, stale, failing }: Open): string {
  const counts = Object.entries({ missing, stale, failing }).filter(([, n]) => n > 0);
  return list.format(counts.map(([what, n]) => `${n} ${what}`));
}

function openIn(locales: readonly LocaleStatus[]): string {
  const open = locales.filter((locale) => openText(locale) !== "");
  if (open.length <= maxNamedLocales)
    return open.map((locale) => `${openText(locale)} in ${locale.locale}`).join(", ");
  const total = (what: keyof Open): number => open.reduce((sum, { [what]: n }) => sum + n, 0);
  const all = { missing: total("missing"), stale: total("stale"), failing: total("failing") };
  return `${openText(all)} in ${open.length} locales`;
}

/** The answer to the question how far everything is, in one sentence. */
function answer({ locales, faults }: StatusReport, { percent, differing }: Overview): string {
  const files = [
    ...(differing.length > 0
      ? [`${counted(differing.length, "file")} ${differing.length === 1 ? "differs" : "differ"}`]
      : []),
    ...(faults.length > 0 ? [`${counted(faults.length, "file")} cannot be read`] : []),
  ];
  const parts = [
    percent === null ? "Nothing to translate" : `${percent} % translated`,
    openIn(locales),
    files.join(" and ") || "files as in the Hive",
  ];
  return `${parts.filter((part) => part !== "").join("; ")}.`;
}

function localeCells(locale: LocaleStatus, hasBar: boolean): readonly string[] {
  const { percent, sameAsSource } = locale;
  const same = sameAsSource > 0 ? ` (${sameAsSource} here as in the source)` : "";
  return [
    locale.locale,
    ...(hasBar ? [bar(percent ?? 0)] : []),
    percent === null ? "" : percentText(locale).padStart("100 %".length),
    openText(locale) + same,
  ];
}

function printReport(report: StatusReport, overview: Overview): void {
  print(answer(report, overview));
  const width = terminalWidth();
  const hasBar = output().stdout.isTTY === true;
  const locales = report.locales.map((locale) => localeCells(locale, hasBar));
  const unreadable = report.files.filter(({ local }) => local === "unreadable");
  const files = [...overview.differing, ...unreadable].map((file) => [
    `  ${file.path ?? file.file}`,
    fileText(file),
  ]);
  for (const line of [...alignCells(locales, width), ...alignCells(files, width)]) print(line);
  if (overview.differing.length > 0) printNotice("skep diff shows what differs.");
  const same = report.locales.reduce((sum, { sameAsSource }) => sum + sameAsSource, 0);
  if (same > 0)
    printNotice(
      `${counted(same, "missing text")} ${same === 1 ? "is" : "are"} here the same as the source, and kept in the app: skep push --translations --same-as-source sends what is a translation all the same.`,
    );
}

function fileText(file: Overview["differing"][number]): string {
  if (file.path === null) return "in the Hive, but no pattern matches it";
  return "locale" in file ? differenceText(file.local) : `${differenceText(file.local)} source strings`;
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
