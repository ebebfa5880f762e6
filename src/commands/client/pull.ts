/** `skep pull`: writes the translations of the Hive into the files of the app. */
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { PulledFile, PullReport } from "../../client/pull.ts";
import { checkFaults } from "../../client/faults.ts";
import { counted, excerpt, readableKey } from "../../domain/text.ts";
import { onOneLine } from "../output/terminal.ts";
import { print, printNotice } from "../output/print.ts";
import {
  changeCounts,
  hiveCheck,
  hiveName,
  printByKeys,
  printChanges,
  printFindings,
  stdoutPaint,
  printNotices,
} from "./changes.ts";
import { toPercent } from "../program/arguments.ts";
import { addEarlierFlag } from "../program/command.ts";
import { clientCommand, localeOption, printJson, runOnProject } from "./client-command.ts";

export function pullCommand(): CommandUnknownOpts {
  const command = clientCommand("pull")
    .addOption(localeOption("pull only these locales, such as fr,de; may be repeated"))
    .option(
      "--pseudo",
      "write the pseudo-locales en-XA (accents, longer) and ar-XB (from right to left), too, made from the source texts",
      false,
    )
    .option("--at <revision>", "pull the state of a tag, a commit or a time")
    .addOption(
      new Option(
        "--missing <what>",
        "leave out untranslated texts, or fill them with the source text; fallback: with what the locale inherits, else the source text",
      )
        .choices(["leave", "source", "fallback"])
        .default("leave"),
    )
    .option(
      "--min-complete <percent>",
      "leave the files of locales alone of which less than this is translated, from 1 to 100",
      toPercent,
    )
    .addOption(
      new Option(
        "--state <state>",
        "approved: write the text that was approved last where one waits for a review",
      ).choices(["approved"]),
    )
    .addOption(
      new Option(
        "--tag <tags>",
        "write only texts with one of these tags in their notes, separated by commas; all others stay as they are",
      ).conflicts("prune"),
    )
    .option(
      "--prune",
      "remove the texts that a pull names as only here, and files without a source file",
      false,
    )
    .addOption(
      new Option("--mine", "keep translations that the app corrected, without a notice").conflicts("theirs"),
    )
    .option("--theirs", "replace translations that the app corrected by the texts of the Hive")
    .option("--strict", "write nothing if a file cannot be read, or cannot hold a text", false)
    .option("--allow-empty", "do not fail if a pattern matches no source file", false)
    .option("--dry-run", "show the changes without writing them", false)
    .option("--verbose", "show each key that changes", false)
    .action(async ({ locale, state, ...flags }) => {
      const { checkUnheld, pull } = await import("../../client/pull.ts");
      const keep = flags.mine === true ? "mine" : flags.theirs === true ? "theirs" : undefined;
      const approved = state !== undefined;
      const options = { ...flags, approved, keep, locales: locale } as const;
      const report = await runOnProject(flags, "read", (project) => pull(project, options));
      if (flags.json) printJson(report);
      else printReport(report, flags);
      checkFaults(report.faults, "pulled");
      checkUnheld(report, flags.dryRun ? "they would be left out" : "they were left out");
    });
  addEarlierFlag(command, "--approved", "state", () => "approved");
  return command;
}

function printReport(
  report: PullReport,
  {
    verbose,
    prune,
    mine = false,
  }: Readonly<Record<"verbose" | "prune", boolean>> & { readonly mine?: boolean },
): void {
  const { commit, dryRun, files, unmatched, strays, uncertain, findings, leftOut } = report;
  const paint = stdoutPaint();
  const nameOf = namesOf(files);
  for (const file of files) {
    const { change, changes } = file;
    if (change === "unchanged") continue;
    const counts = changeCounts(changes);
    print(
      `${nameOf(file)}: ${change === "created" ? "new file, " : ""}${counts === "" ? "changed" : counts}`,
    );
    if (verbose) printChanges(changes, paint);
  }
  if (prune) for (const path of strays) print(`${onOneLine(path)}: removed`);
  const byKeys = (
    keysOf: (file: PulledFile) => readonly string[],
    saidOf: (keys: string) => string,
  ): void => {
    const rows = files.map((file) => ({ name: nameOf(file), keys: keysOf(file) }));
    printByKeys(rows, verbose || prune, saidOf);
  };
  byKeys(
    ({ renamed }) => renamed,
    (keys) => `removed, because the text has another key now: ${keys}.`,
  );
  byKeys(
    ({ removed }) => removed,
    (keys) => `removed, because only this file has it: ${keys}.`,
  );
  const written = files.filter(({ change }) => change !== "unchanged").length;
  const would = dryRun ? "Dry run: nothing was written. " : "";
  const at = commit === undefined ? "" : `, at ${commit.slice(0, 7)}`;
  print(
    `${would}${hiveName(report)}: ${counted(written, "file")} changed, ${files.length - written} unchanged${at}.`,
  );
  for (const { locale, percent } of leftOut)
    printNotice(`${locale}: ${percent} % translated, which is too little: its files stay as they are.`);
  byKeys(
    ({ onlyLocal }) => onlyLocal,
    (keys) => `only here, and kept: ${keys}; --prune removes them.`,
  );
  byKeys(
    ({ unplaced }) => unplaced,
    (keys) => `kept in the Hive, because the file has no place for them: ${keys}.`,
  );
  if (uncertain !== null) {
    const { total, reason } = uncertain;
    const what = `${counted(total, "translation")} may have been corrected here, and the Hive has other texts, which are taken`;
    printNotice(`${what}: ${reason} --mine keeps those of the files.`);
  }
  if (!mine) printCorrections(files, verbose);
  printFindings(findings, hiveCheck(report));
  const unpaired = prune ? [] : strays;
  printNotices(
    unpaired.map((path) => `${onOneLine(path)}: has no source file; --prune removes it.`),
    verbose,
  );
  printNotices(
    unmatched.map((name) => `${onOneLine(name)}: is in the Hive, but has no source file here.`),
    verbose,
  );
}

/** How many corrections are shown without `--verbose`, and how much of their texts. */
const maxCorrections = 20;
const maxTextLength = 60;

function printCorrections(files: readonly PulledFile[], verbose: boolean): void {
  const nameOf = namesOf(files);
  const all = files.flatMap((file) => file.corrected.map((text) => ({ name: nameOf(file), ...text })));
  if (all.length === 0) return;
  const notices = all.map(({ name, key, here, hive }) => {
    const [mine, theirs] = [here, hive].map((text) => `"${excerpt(text, maxTextLength)}"`);
    return `${name}: ${excerpt(readableKey(key))}: corrected here, and kept: ${mine}; the Hive has ${theirs}.`;
  });
  printNotices(notices, verbose, maxCorrections);
  printNotice("skep push --translations --overwrite sends what was kept; skep pull --theirs replaces it.");
}

/** The path of a file, with the locale where one file holds several. */
function namesOf(files: readonly PulledFile[]): (file: PulledFile) => string {
  const locales = new Map(files.map(({ path, locale }) => [path, locale]));
  const shared = new Set(files.flatMap(({ path, locale }) => (locales.get(path) === locale ? [] : path)));
  return ({ path, locale }) => onOneLine(path) + (shared.has(path) ? ` (${locale})` : "");
}
