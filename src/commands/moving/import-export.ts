/** `skep import --from`: brings in what another tool has exported, and says what of it was taken. */
import { ClientError } from "../../client/api/client-error.ts";
import type { MoveReport } from "../../client/moving/send.ts";
import { counted } from "../../domain/text.ts";
import { toolTitles, type ToolName } from "../../formats/moving/tool-names.ts";
import { print, printNotice } from "../output/print.ts";
import { onOneLine } from "../output/terminal.ts";
import { isConfirmed, printJson, runOnHive, type ClientFlags } from "../client/client-command.ts";

export interface MoveFlags extends ClientFlags {
  readonly as?: string;
  readonly overwrite: boolean;
  readonly sameAsSource: boolean;
  readonly changedSource: boolean;
  readonly strict: boolean;
  readonly create: boolean;
  readonly memory: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Shows what an export would bring, asks, and sends it. @throws ClientError */
export async function importExport(tool: ToolName, path: string, flags: MoveFlags): Promise<void> {
  const refusal = "Nothing was sent: give --yes to send it, or --dry-run to only show it.";
  let isShown = false;
  const report = await runOnHive(flags, "write", async ({ hive, context }) => {
    const { prepareMove, sendMove } = await import("../../client/moving/send.ts");
    const { findEntries } = await import("../../client/project.ts");
    const target = { hive, context, entries: await findEntries(flags, context) };
    const prepared = await prepareMove(target, { ...flags, tool, path, as: flags.as });
    if (flags.strict) refuseLosses(prepared.report);
    if (flags.dryRun || prepared.isEmpty) return prepared.report;
    isShown = !flags.yes && !flags.json;
    if (isShown) printReport(prepared.report);
    const isSent = await isConfirmed(flags, `Send this to ${hive.slug}?`, refusal);
    return isSent ? sendMove(target, prepared) : prepared.report;
  });
  if (flags.json) printJson(report);
  else {
    if (report.sent || !isShown) printReport(report, isShown);
    print(report.sent ? `Sent to ${report.hive}.` : "Nothing was sent.");
  }
  const { refused } = report;
  if (!flags.dryRun && refused.length > 0)
    throw new ClientError(
      "error",
      `${counted(refused.length, "text")} refused: correct what is listed above.`,
    );
}

/** With `--strict`, nothing is sent where something of the export would be lost. */
function refuseLosses({ refused, leftOut }: MoveReport): void {
  const lost = leftOut.reduce((sum, { count }) => sum + count, refused.length);
  if (lost > 0) throw new ClientError("gate", `Nothing was sent: ${lost} of the export would be left out.`);
}

/** How many places of one reason are shown; `--json` has more. */
const shownPlaces = 5;

function printLine(what: string, count: number, more = ""): void {
  if (count > 0) print(`  ${counted(count, what)}${more}`);
}

/** @param isAsked whether all that is left out was shown before a question. */
function printReport(report: MoveReport, isAsked = false): void {
  const { sent, newLocales, strings, locales, notes, pictures, terms, refused, leftOut } = report;
  const title = toolTitles[report.from];
  print(sent ? `Taken from ${title}:` : `${title} has, for ${report.hive}:`);
  printLine("new locale", newLocales.length, `: ${newLocales.join(", ")}`);
  printLine("source string", strings, " that the Hive lacks");
  for (const each of locales) print(`  ${each.locale}: ${localeText(each)}`);
  printLine("note", notes);
  printLine("picture", pictures);
  printLine("term", terms.created + terms.updated, `: ${terms.created} new, ${terms.updated} changed`);
  // Texts of strings that were not there before the question are refused only now.
  for (const { locale, file, key, reason } of refused)
    printNotice(`refused: ${locale}: ${onOneLine(file)}: ${onOneLine(key)}: ${onOneLine(reason)}`);
  if (isAsked) return;
  for (const { what, reason, places, count } of leftOut) {
    printNotice(`left out: ${counted(count, what)}: ${onOneLine(reason)}`);
    for (const place of places.slice(0, shownPlaces)) printNotice(`  ${onOneLine(place)}`);
    const more = count - Math.min(places.length, shownPlaces);
    if (places.length > 0 && more > 0) printNotice(`  and ${more} more`);
  }
}

function localeText({
  created,
  updated,
  unchanged,
  waiting,
  approved,
  notApproved,
}: MoveReport["locales"][number]): string {
  return [
    `${created} new, ${updated} changed, ${unchanged} as they are`,
    ...(waiting > 0 ? [`${waiting} of these wait for a review, as they are not approved`] : []),
    ...(approved > 0 ? [`${approved} approved`] : []),
    ...(notApproved > 0 ? [`${notApproved} not approved, as this token may not`] : []),
  ].join("; ");
}
