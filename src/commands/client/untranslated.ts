/** `skep untranslated`: lists the missing and stale texts of a locale. */
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { UntranslatedReport } from "../../client/exchange/untranslated.ts";
import { counted } from "../../domain/text.ts";
import { onOneLine } from "../output/terminal.ts";
import { printList, printNotice } from "../output/print.ts";
import { writeResult } from "../program/output.ts";
import { clientCommand, printJson, runOnProject } from "./client-command.ts";

export function untranslatedCommand(): CommandUnknownOpts {
  return clientCommand("untranslated")
    .argument("<locale>", "a target locale of the Hive")
    .addOption(new Option("--state <state>", "only texts in this state").choices(["missing", "stale"]))
    .option("--tag <tags>", "only texts with one of these tags in their notes, separated by commas")
    .addOption(
      new Option("--csv", "print CSV, for a spreadsheet").default(false).conflicts(["xliff", "json"]),
    )
    .addOption(
      new Option("--po", "print a catalogue of gettext, with notes as comments")
        .default(false)
        .conflicts(["csv", "xliff", "json"]),
    )
    .addOption(
      new Option("--xliff [version]", "print XLIFF, for an agency (default version: 1.2)")
        .choices(["1.2", "2.1"])
        .conflicts("json"),
    )
    .action(async (locale, { state, tag, csv, po, xliff, ...flags }) => {
      const { listUntranslated } = await import("../../client/exchange/untranslated.ts");
      const states = state ?? "missing,stale";
      const report = await runOnProject(flags, "read", (project) =>
        listUntranslated(project, locale, states, tag),
      );
      if (flags.json) return printJson(report);
      if (csv || po || xliff !== undefined) await printExchange(report, po ? "po" : xliff);
      else if (report.texts.length > 0) printTable(report);
      const which = tag === undefined ? "" : ` with the tag ${onOneLine(tag)}`;
      printNotice(
        report.texts.length === 0
          ? `No text${which} is ${state ?? "missing or stale"} in ${report.locale}.`
          : `${counted(report.texts.length, "text")} to translate into ${report.locale}.`,
      );
    });
}

function printTable({ texts }: UntranslatedReport): void {
  printList(texts, false, {
    FILE: ({ file }) => file,
    KEY: ({ key }) => onOneLine(key),
    STATE: ({ state }) => state,
    SOURCE: ({ source_value: source }) => onOneLine(source),
  });
}

async function printExchange(
  { texts, sourceLocale, locale: targetLocale }: UntranslatedReport,
  format: true | "1.2" | "2.1" | "po" | undefined,
): Promise<void> {
  const { toUnits } = await import("../../client/exchange/untranslated.ts");
  const units = toUnits(texts);
  if (format === "po") {
    const { writePo } = await import("../../formats/exchange/po-write.ts");
    writeResult(writePo({ sourceLocale, targetLocale, units }));
  } else if (format === undefined) {
    const { writeCsv } = await import("../../formats/exchange/csv.ts");
    writeResult(writeCsv(units));
  } else {
    const { writeXliff } = await import("../../formats/exchange/xliff-write.ts");
    const version = format === true ? "1.2" : format;
    writeResult(writeXliff({ sourceLocale, targetLocale, units }, version));
  }
}
