/** `skep push`: sends source files to the Hive, and with `--translations` also translations. */
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import type { LocaleReport, PushOptions, PushReport } from "../../client/push-report.ts";
import type { StringAddress } from "../../client/api/schemas.ts";
import type { SyncResult } from "../../client/api/string-answers.ts";
import { checkFaults } from "../../client/faults.ts";
import { counted, excerpt } from "../../domain/text.ts";
import { onOneLine } from "../output/terminal.ts";
import { askYes, isInteractive } from "../program/ask.ts";
import { nonZero, print, printList, printNotice, type Columns } from "../output/print.ts";
import { toWholeNumber } from "../program/arguments.ts";
import { addEarlierFlag } from "../program/command.ts";
import {
  changeCounts,
  hiveName,
  listed,
  printByKeys,
  namedKeys,
  printChanges,
  hiveCheck,
  printFindings,
  printMoves,
  stdoutPaint,
  printNotices,
} from "./changes.ts";
import { clientCommand, printJson, runOnProject, toLocaleList } from "./client-command.ts";

/** The flags that decide how a report is shown. */
type ShownBy = Readonly<Record<"verbose" | "overwrite", boolean>>;

export function pushCommand(): CommandUnknownOpts {
  const command = clientCommand("push")
    .addOption(
      new Option(
        "--translations [locales]",
        "send translations too, of all locales or of some, such as fr,de",
      ).argParser(toLocaleList),
    )
    .option(
      "--create",
      "create the Hive, or add missing locales to it (with a token that has the ability admin)",
      false,
    )
    .option("--overwrite", "replace translations that the Hive has", false)
    .option(
      "--expected <ref>",
      "send only translations that changed since this commit of the app, and replace translations that nobody else changed",
    )
    .option("--same-as-source", "also send translations that equal their source text", false)
    .option(
      "--strict",
      "send nothing if a file cannot be read, and no translations of a locale with an unknown key",
      false,
    )
    .addOption(
      new Option("--prune", "remove files from the Hive that no pattern matches")
        .default(false)
        .conflicts("base"),
    )
    .option(
      "--base [ref]",
      "send only the changes since this commit or branch of the app (default: the last pushed commit)",
    )
    .option(
      "--max-deletions <n>",
      "refuse to delete more source strings (default: half of them, at least 50)",
      toWholeNumber,
    )
    .option(
      "--no-detect-moves",
      "delete and create renamed strings instead of moving them with their translations",
    )
    .option("--allow-empty", "do not fail if a pattern matches no source file", false)
    .option("--dry-run", "show the changes without making them", false)
    .option("--verbose", "show each key that changes or is not sent", false)
    .action(async ({ translations, base, ...flags }) => {
      if (flags.expected !== undefined && translations === undefined)
        throw new ClientError("misuse", "--expected is about translations: give --translations, too.");
      const { push } = await import("../../client/push.ts");
      const which = translations === true ? ("all" as const) : translations;
      const options = { ...flags, since: base, translations: which };
      const said = new Set<string>();
      const run = (chosen: PushOptions): Promise<PushReport> =>
        runOnProject(flags, "create", (project) => push(project, chosen), said);
      const report = await run(options);
      if (flags.json) printJson(report);
      else printReport(report, flags, translations !== undefined || report.isFirst);
      checkFaults(report.faults, "sent");
      if (flags.json || !(await offerTranslations(report))) return;
      const { translations: sentLocales, faults, ...rest } = await run({ ...options, translations: "all" });
      printLocales(sentLocales, flags);
      printFindings(rest.findings, hiveCheck(rest), rest.findingsTotal);
      checkFaults(faults, "sent");
    });
  addEarlierFlag(command, "--since [ref]", "base");
  return command;
}

/** The Hive and the locales that a push with `--create` made, before what it sent. */
function printCreated({ hive, addedLocales, dryRun, isNewHive }: PushReport): void {
  if (isNewHive) print(`${dryRun ? "Would create" : "Created"} the Hive ${hive}.`);
  if (addedLocales.length === 0) return;
  const added = `${counted(addedLocales.length, "locale")}: ${addedLocales.join(", ")}`;
  print(`${dryRun ? "Would add" : "Added"} ${added}.`);
}

/**
 * Lists the files that are not sent because the Hive lacks their locales, and the command that adds the locales.
 * @param isSent whether translations are sent at all.
 */
function printNewLocales({ hive, missingLocales, otherCodes }: PushReport, isSent: boolean): void {
  if (!isSent) return;
  for (const { pattern, locale, code } of otherCodes) {
    printNotice(
      `${onOneLine(pattern)}: files of ${code} are not sent, because ${hive} calls this locale ${locale}: put locales: { ${locale}: ${code} } beside the path.`,
    );
  }
  if (missingLocales.length === 0) return;
  printNotice(
    `${hive} lacks ${counted(missingLocales.length, "locale")} that have files here, which are not sent. With a token that has the ability admin, or on the server's machine, this adds them:\n` +
      missingLocales
        .map((locale) => `  skep locale create ${hive} ${locale.replace("=", " --custom-code ")}\n`)
        .join("") +
      "With such a token, skep push --translations --create does it, too.",
  );
}

/** Prints what a push did, or would do. @param isSent whether translations are sent at all. */
export function printReport(report: PushReport, flags: ShownBy, isSent: boolean): void {
  const { commit, dryRun, result, files } = report;
  const place = hiveName(report);
  printCreated(report);
  if (report.isNewBranch) print(`${place}: a new branch, made from main.`);
  if (report.since !== undefined) print(`Changes since ${report.since.slice(0, 7)}:`);
  if (dryRun || flags.verbose) printMoves(report.moves);
  printFiles(report, flags.verbose);
  const { created, updated, deleted, unchanged, translations_cleared: cleared, moved = 0 } = result;
  const would = dryRun ? "Dry run: nothing was written. " : "";
  print(
    `${would}${place}: ${moved > 0 ? `${moved} moved, ` : ""}${created} created, ${updated} updated, ${deleted} deleted, ${unchanged} unchanged ` +
      `source strings${commit === undefined ? "" : `, at ${commit.slice(0, 7)}`}.`,
  );
  if (cleared > 0) print(`${counted(cleared, "translation")} cleared.`);
  printAmbiguous(result, flags.verbose);
  printLocales(report.translations, flags);
  printFindings(report.findings, dryRun ? "skep check" : hiveCheck(report), report.findingsTotal);
  printNewLocales(report, isSent);
  const strays = report.strays.map(
    (path) => `${onOneLine(path)}: was not sent, because there is no source file for it.`,
  );
  printNotices(strays, flags.verbose);
  const unmatched = report.unmatched.map(
    (name) => `${onOneLine(name)}: is in the Hive, but no pattern matches it; skep push --prune removes it.`,
  );
  printNotices(unmatched, flags.verbose);
  if (files === undefined)
    printNotice("The token cannot read, so files are not compared with those of the Hive.");
  if (flags.verbose) for (const warning of result.warnings ?? []) printNotice(onOneLine(warning));
}

function printFiles({ files = [] }: PushReport, isVerbose: boolean): void {
  const paint = stdoutPaint();
  for (const { file, path, changes, nonTextValues } of files) {
    if (changes.length > 0) {
      print(`${onOneLine(path ?? `${file} (removed)`)}: ${changeCounts(changes)}`);
      if (isVerbose) printChanges(changes, paint);
    }
    if (isVerbose && nonTextValues.length > 0) {
      print(
        `${onOneLine(path ?? file)}: not sent, because they are not texts: ${listed(nonTextValues, true)}`,
      );
    }
  }
}

function nameOf({ file, key }: StringAddress): string {
  return `${file}: ${key}`;
}

/** Lists strings that may have been moved, since their translations would be lost. */
function printAmbiguous(
  { ambiguous = 0, ambiguous_moves: moves = [] }: SyncResult,
  isVerbose: boolean,
): void {
  if (ambiguous === 0) return;
  const named = moves.slice(0, isVerbose ? moves.length : namedKeys);
  for (const { source_value: text, from, to } of named) {
    const places = [from, to].map((some) =>
      some.map(({ file, key }) => onOneLine(`${file}:${key}`)).join(", "),
    );
    printNotice(`"${excerpt(text, 40)}" may have been moved from ${places.join(" to ")}.`);
  }
  printNotice(
    `${counted(ambiguous, "text")} of which more than one string went or came: none of these is moved. ` +
      "To move them, run skep move before the push.",
  );
}

/** More locales are shown as a table. */
const maxLocaleLines = 3;

function printLocales(reports: readonly LocaleReport[], flags: ShownBy): void {
  if (reports.length > maxLocaleLines) printList(reports, false, localeColumns(reports));
  else for (const report of reports) printLocale(report, flags);
  printKept(reports, flags);
  for (const { locale, nonTextValues } of flags.verbose ? reports : [])
    if (nonTextValues.length > 0)
      print(
        `${locale}: not sent, because they are not translations: ${listed(nonTextValues.map(nameOf), true)}`,
      );
  const unknown = reports.map((report) => ({
    name: report.locale,
    keys: report.unknownKeys.map(nameOf),
    total: report.unknown,
  }));
  printByKeys(unknown, flags.verbose, (keys) => `no source string for ${keys}.`);
}

function localeColumns(reports: readonly LocaleReport[]): Columns<LocaleReport> {
  const hasRemoved = reports.some(({ removed }) => removed > 0);
  const hasSame = reports.some(({ sameAsSource }) => sameAsSource > 0);
  return {
    LOCALE: ({ locale }) => locale,
    CREATED: ({ created }) => nonZero(created),
    UPDATED: ({ updated }) => nonZero(updated),
    ...(hasRemoved && { REMOVED: ({ removed }: LocaleReport) => nonZero(removed) }),
    SKIPPED: ({ skipped }) => nonZero(skipped),
    UNKNOWN: ({ unknown }) => nonZero(unknown),
    ...(hasSame && { SAME: ({ sameAsSource }: LocaleReport) => nonZero(sameAsSource) }),
  };
}

/** Says once what was kept back of all locales, and why. */
function printKept(reports: readonly LocaleReport[], { overwrite }: ShownBy): void {
  const isTable = reports.length > maxLocaleLines;
  const skipped = reports.reduce((sum, one) => sum + one.skipped, 0);
  if (isTable && skipped > 0 && !overwrite)
    print(`${skipped} skipped, because the Hive has other texts; --overwrite replaces them.`);
  const heirs = reports.filter(({ inherited }) => inherited > 0);
  const inherited = heirs.reduce((sum, one) => sum + one.inherited, 0);
  if (inherited > 0)
    print(
      `${counted(inherited, "text")} not sent (${heirs.map(({ locale }) => locale).join(", ")}): equal to what the locale inherits.`,
    );
  const same = reports.filter(({ sameAsSource }) => sameAsSource > 0);
  if (same.length === 0) return;
  const total = same.reduce((sum, { sameAsSource }) => sum + sameAsSource, 0);
  const where = isTable ? "SAME" : same.map((one) => `${one.locale} ${one.sameAsSource}`).join(", ");
  print(
    `${counted(total, "text")} not sent (${where}): equal to the source text and maybe placeholders, so they stay in the app; --same-as-source sends them.`,
  );
}

function printLocale(report: LocaleReport, { overwrite }: ShownBy): void {
  const { locale, created, updated, removed, skipped, unknown } = report;
  const kept = skipped > 0 && !overwrite ? " (kept; --overwrite replaces them)" : "";
  print(
    `${locale}: ${created} created, ${updated} updated, ${removed > 0 ? `${removed} removed, ` : ""}${skipped} skipped${kept}, ${unknown} unknown translations.`,
  );
}

/**
 * Warns that the first push of a translated app does not send its translations.
 * @returns whether somebody at the terminal wants to send them.
 */
async function offerTranslations({ isFirst, unsent, hive, dryRun }: PushReport): Promise<boolean> {
  if (!isFirst) return false;
  printNotice(`${dryRun ? "This would be" : "This was"} the first push into ${hive}.`);
  if (unsent.length === 0) return false;
  const notice = `There are translations into ${unsent.join(", ")} here`;
  if (!dryRun && isInteractive()) return askYes(`${notice}. Send them, too?`);
  printNotice(`${notice}; this sends them, too:\n  skep push --translations`);
  return false;
}
