/** `skep translate`: has an engine of the team, or a command, translate what there is to do in a locale. */
import { jobWants, usualJobWant } from "../../domain/hives/locale-rule.ts";
import { basename } from "node:path";
import { InvalidArgumentError, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import { addressOf } from "../../client/texts.ts";
import type { TranslationJob } from "../../client/api/engine-api.ts";
import type { TranslateReport } from "../../client/translate/translate.ts";
import { maxOriginLength } from "../../domain/commits/origin.ts";
import { counted } from "../../domain/text.ts";
import {
  defaultWant,
  maxClaimSeconds,
  maxWorkItems,
  workStates,
  workStatuses,
  type WorkState,
} from "../../domain/work/work.ts";
import { print, printable, printNotice } from "../output/print.ts";
import { onOneLine } from "../output/terminal.ts";
import { addEarlierFlag } from "../program/command.ts";
import { endSignals } from "../program/signals.ts";
import { clientCommand, printJson, runOnHive, type ClientFlags } from "./client-command.ts";

interface TranslateFlags extends ClientFlags {
  readonly with?: string;
  readonly engine?: string;
  readonly maxCharacters?: number;
  readonly detach: boolean;
  readonly batch: number;
  readonly maxItems?: number;
  /** Undefined where it is not given: an engine is asked for less than a command. */
  readonly want?: readonly WorkState[];
  readonly model?: string;
  readonly timeout: number;
  readonly dryRun: boolean;
}

const leastClaimSeconds = 600;
/** How many refused strings are named. */
const maxNamed = 20;

export function translateCommand(): CommandUnknownOpts {
  const command = clientCommand("translate")
    .argument("<locale>", "a target locale of the Hive")
    .option("--engine <name>", "the engine that translates; not needed where one serves the locale")
    .option(
      "--max-characters <n>",
      "stop after so many characters were sent to the engine",
      toCount(Infinity),
    )
    .option("--detach", "start the job of the engine and do not wait for it", false)
    .option("--with <command>", "have a command translate, for the shell; it never sees SKEP_TOKEN")
    .option(
      "--batch <n>",
      "how many strings one run of the command gets, at most 200",
      toCount(maxWorkItems),
      25,
    )
    .option("--max-items <n>", "stop after so many strings", toCount(Infinity))
    .addOption(
      new Option(
        "--want <states>",
        `what it gets, separated by commas: ${wanted.join(", ")} (default: ${defaultWant.join(",")}; of an engine: ${usualJobWant.join(",")})`,
      ).argParser(toStates),
    )
    .option("--model <name>", "its name in the history (default: the name of the command)")
    .option("--timeout <seconds>", "how long one run may take", toCount(maxClaimSeconds), 300)
    .option("--dry-run", "count what there is to do; nothing is claimed, and no command is run", false)
    .addHelpText("after", help)
    .action(async (locale, flags) => {
      if (flags.with === undefined) return runEngine(locale, flags);
      requireNone(flags, ["engine", "maxCharacters", "detach"], "--with");
      const report = flags.dryRun ? await count(locale, flags) : await run(locale, flags);
      if (flags.json) printJson(report);
      if ("texts" in report) {
        if (!flags.json) print(`Dry run: ${counted(report.texts, "text")} to do in ${locale}.`);
        return;
      }
      const { failure, refused, unanswered } = report;
      if (!flags.json) printReport(locale, report);
      if (failure !== undefined)
        throw new ClientError("error", `The command ${onOneLine(flags.with ?? "")} ${failure}.`);
      const open = refused.length + unanswered.length;
      if (open > 0)
        throw new ClientError("gate", `${counted(open, "string")} had no answer that could be saved.`);
    });
  addEarlierFlag(command, "--review", "want", () => ["review"]);
  return command;
}

const help = `
Without --with, an engine of the team translates what is missing, as a job of the server: an
interrupt stops it, and --detach leaves it alone. With --want stale and failing, it replaces texts
of machines that nobody has approved, and no others. docs/engines.md says what engines are told.

With --with, the lines that the command reads and writes are in docs/work.md.`;

/** @throws ClientError `misuse` for a flag that means nothing here. */
function requireNone(flags: TranslateFlags, names: readonly (keyof TranslateFlags)[], where: string): void {
  for (const name of names) {
    const { [name]: value } = flags;
    if (value === undefined || value === false) continue;
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new ClientError("misuse", `--${flag} cannot be used with ${where}.`);
  }
}

/** Has an engine translate. Exits with 3 if strings were left to people. */
async function runEngine(locale: string, flags: TranslateFlags): Promise<void> {
  const { engine, maxItems, maxCharacters, dryRun, detach, json } = flags;
  requireNone(flags, ["model"], "an engine");
  const want = flags.want?.map((state) => {
    const own = jobWants.find((known) => known === state);
    if (own !== undefined) return own;
    throw new ClientError("misuse", `--want ${state} cannot be used with an engine: it approves nothing.`);
  });
  const request = { locales: [locale], engine, want, max_items: maxItems, max_characters: maxCharacters };
  if (dryRun) {
    const would = await runOnHive(flags, "read", ({ hive }) => hive.engines.estimate(request));
    if (json) return printJson(would);
    const [strings, characters] = [counted(would.items, "string"), counted(would.characters, "character")];
    return print(`Dry run: ${strings} to do in ${locale}, ${characters}.`);
  }
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  for (const signal of endSignals) process.once(signal, stop);
  try {
    const done = await runOnHive(flags, "write", async ({ hive, context }) => {
      if (detach) return hive.engines.start(request);
      const { followJob } = await import("../../client/translate/engine-job.ts");
      return followJob(hive.engines, request, { ...context, interrupted: stopping.signal });
    });
    if (json) printJson(done);
    if (!json) printJob(locale, done);
    if (done.state === "failed")
      throw new ClientError("error", `The job has failed: ${done.error ?? done.reason}.`);
    if (done.refused > 0) throw new ClientError("gate", `${counted(done.refused, "string")} left to people.`);
  } finally {
    for (const signal of endSignals) process.off(signal, stop);
  }
}

function printJob(locale: string, { id, state, reason, engine, saved, refused, left }: TranslationJob): void {
  if (state === "waiting")
    return print(`Started the job ${id}: ${engine} translates ${counted(left, "string")}.`);
  const parts = [`${saved} saved`, ...(refused === 0 ? [] : [`${refused} refused`])];
  const why = reason === "complete" || reason === null ? "" : ` (${reason})`;
  print(`${locale}: ${parts.join(", ")}${left === 0 ? "" : `; ${left} left`}${why}.`);
}

/** What there is to do for a command. Only people can answer questions; what a command skips again it would get without end. */
const wanted = workStates.filter((state) => state !== "asked" && state !== "skipped");

function toStates(text: string): readonly WorkState[] {
  const states = text.split(",").map((word) => wanted.find((state) => state === word.trim()));
  const known = states.filter((state) => state !== undefined);
  if (known.length === states.length) return known;
  throw new InvalidArgumentError(`It must be some of ${wanted.join(", ")}, separated by commas.`);
}

function toCount(most: number): (text: string) => number {
  return (text) => {
    const number = /^[1-9][0-9]*$/.test(text) ? Number(text) : Infinity;
    if (number <= most && Number.isSafeInteger(number)) return number;
    throw new InvalidArgumentError(
      `It must be a whole number of at least 1${most === Infinity ? "" : ` and at most ${most}`}.`,
    );
  };
}

/** How many texts there are to do, without claiming any. */
function count(
  locale: string,
  { want = defaultWant, ...flags }: TranslateFlags,
): Promise<{ readonly dryRun: true; readonly texts: number }> {
  const is = (state: WorkState): boolean => want.includes(state);
  return runOnHive(flags, "read", async ({ hive }) => {
    const { chooseLocales } = await import("../../client/project.ts");
    const [{ code } = { code: locale }] = chooseLocales(await hive.locales(), [locale]);
    const states = ["missing" as const, "stale" as const].filter(is).join(",");
    const open = states === "" ? [] : (await hive.untranslated(code, { states })).data;
    const failing = is("failing") ? await hive.findings("error") : [];
    const waiting = is("review") ? await hive.review.list(code) : [];
    const there = [...open, ...failing.filter((finding) => finding.locale === code), ...waiting];
    const names = new Set(there.map(addressOf));
    return { dryRun: true, texts: names.size };
  });
}

async function run(locale: string, flags: TranslateFlags): Promise<TranslateReport> {
  const { translate } = await import("../../client/translate/translate.ts");
  const { runFilter } = await import("../../client/translate/run-filter.ts");
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  // Strings that were claimed are given back first.
  for (const signal of endSignals) process.once(signal, stop);
  try {
    return await runOnHive(flags, "write", async ({ hive, context }) => {
      const { source } = await hive.locales();
      const filter = {
        command: flags.with ?? "",
        environment: context.environment,
        folder: context.folder,
        timeoutMs: flags.timeout * 1000,
        signal: stopping.signal,
        onError: (line: string) => printNotice(`  ${printable(line)}`),
      };
      const options = {
        locale,
        batch: flags.batch,
        maxItems: flags.maxItems ?? Infinity,
        sourceLocale: source.canonical,
        want: flags.want ?? defaultWant,
        model: nameOf(flags),
        // For two runs, and some time to send the answers.
        claimSeconds: Math.min(maxClaimSeconds, Math.max(leastClaimSeconds, 2 * flags.timeout + 60)),
      };
      return translate(hive, options, { ...context, run: (lines) => runFilter(filter, lines) });
    });
  } finally {
    for (const signal of endSignals) process.off(signal, stop);
  }
}

/** The name of the command, without its arguments, unless another one is given. */
function nameOf({ model, with: command }: TranslateFlags): string {
  const [, quoted, plain = ""] = /^\s*(?:["']([^"']+)["']|(\S+))/.exec(command ?? "") ?? [];
  return (model ?? basename(quoted ?? plain)).slice(0, maxOriginLength);
}

function printReport(locale: string, { counts, refused, unanswered, left }: TranslateReport): void {
  for (const { file, key, message } of refused.slice(0, maxNamed))
    printNotice(`refused: ${onOneLine(file)}: ${onOneLine(key)}: ${onOneLine(message)}`);
  for (const { file, key } of unanswered.slice(0, maxNamed))
    printNotice(`no answer: ${onOneLine(file)}: ${onOneLine(key)}`);
  const parts = workStatuses.flatMap((status) => {
    const number = status === "saved" ? (counts.saved ?? 0) : (counts[status] ?? 0);
    return number > 0 || status === "saved" ? [`${number} ${status.replace("_", " ")}`] : [];
  });
  if (refused.length > 0) parts.push(`${refused.length} refused`);
  if (unanswered.length > 0) parts.push(`${unanswered.length} without an answer`);
  print(`${locale}: ${parts.join(", ")}${left === undefined || left === 0 ? "" : `; ${left} left`}.`);
}
