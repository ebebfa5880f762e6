/** `skep check`: finds translations that would break the app, in its own files or in a Hive. */
import { Command, InvalidArgumentError, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError, exitCodesHelp } from "../../client/api/client-error.ts";
import type { CheckReport, LocalFinding } from "../../client/check.ts";
import { checkFaults } from "../../client/faults.ts";
import type { StringAddress } from "../../client/api/schemas.ts";
import { checkNames } from "../../domain/checks/message.ts";
import { counted, readableKey, toPrintableJson } from "../../domain/text.ts";
import { onOneLine } from "../output/terminal.ts";
import { print } from "../output/print.ts";
import { addEarlierFlag } from "../program/command.ts";
import { writeResult } from "../program/output.ts";
import { takeFromProgram } from "../program/settings.ts";
import { escapeData, escapeProperty } from "./explain-error.ts";
import { commandContext, localeOption, printJson, runOnHive, type ClientFlags } from "./client-command.ts";

const formats = ["text", "json", "sarif", "github"] as const;

interface CheckFlags extends ClientFlags {
  readonly sourceLocale?: string;
  readonly locale?: readonly string[];
  readonly format: (typeof formats)[number];
  readonly failOn: "error" | "warning";
  readonly hints: boolean;
  readonly accept?: StringAddress;
  readonly check?: string;
}

export function checkCommand(): CommandUnknownOpts {
  const command = new Command("check")
    .option("--config <file>", "the settings of the app (default: the nearest skep.yaml upwards)")
    .option("--source-locale <code>", "the source locale (overrides source: in skep.yaml)")
    .option("--hive <slug>", "check this Hive on the server instead of the files here")
    .option("--server <url>", "the server of the Hive (overrides SKEP_SERVER and skep.yaml)")
    .option("--branch <name>", "a branch of the Hive")
    .option("--token-file <file>", "a file with the token (overrides SKEP_TOKEN)")
    .addOption(localeOption("check only these locales, such as fr,de; may be repeated"))
    .option("--hints", "also show hints: blanks, final marks, texts that equal their source text", false)
    .addOption(new Option("--format <format>", "the format of the findings").choices(formats).default("text"))
    .addOption(
      new Option("--fail-on <severity>", "the severity from which it exits with 3")
        .choices(["error", "warning"])
        .default("error"),
    )
    .addOption(
      new Option(
        "--accept <file:key>",
        "accept the finding of --check for this key in the Hive as a false alarm",
      ).argParser(toStringAddress),
    )
    .addOption(new Option("--check <id>", "the check whose finding is accepted").choices(checkNames))
    .option("--json", "print the result as JSON", false)
    .addHelpText("after", exitCodesHelp)
    .hook("preAction", (_, action) => takeFromProgram(action))
    .action(async (flags) => {
      if (flags.accept !== undefined) return accept(flags, flags.accept);
      const report = await (flags.hive === undefined ? checkHere(flags) : checkHive(flags));
      printReport(report, flags.json ? "json" : flags.format);
      const { errors, warnings, faults } = report;
      checkFaults(faults, "checked");
      if (errors + (flags.failOn === "warning" ? warnings : 0) === 0) return;
      throw new ClientError("gate", `Found ${counted(errors, "error")} and ${counted(warnings, "warning")}.`);
    });
  addEarlierFlag(command, "--source <code>", "sourceLocale");
  return command;
}

/** Accepts a finding in each of the given locales. */
async function accept({ locale = [], check, ...flags }: CheckFlags, named: StringAddress): Promise<void> {
  if (flags.hive === undefined || check === undefined || locale.length === 0)
    throw new ClientError("misuse", "--accept needs --hive, --check and --locale.");
  const { knownPlace } = await import("../../client/places.ts");
  await runOnHive(flags, "write", async ({ hive }) => {
    const at = await knownPlace(hive, named);
    for (const one of locale) {
      const isKnown = await hive.accept({ locale: one, ...at, check });
      if (!isKnown)
        throw new ClientError("error", onOneLine(`${one}: ${check} finds nothing in ${at.file}:${at.key}.`));
      print(
        onOneLine(`${one}: ${check} is accepted in ${at.file}:${at.key} until one of the texts changes.`),
      );
    }
  });
}

/** @throws InvalidArgumentError */
function toStringAddress(text: string): StringAddress {
  const at = text.indexOf(":");
  if (at <= 0) throw new InvalidArgumentError("It must be a file and a key, such as auth.json:failed.");
  return { file: text.slice(0, at), key: text.slice(at + 1) };
}

async function checkHere({ locale, sourceLocale, ...flags }: CheckFlags): Promise<CheckReport> {
  const { checkTree, reportOf } = await import("../../client/check.ts");
  const { findSettingsFile } = await import("../../client/tree/config.ts");
  if (flags.config === undefined && (await findSettingsFile(process.cwd())) === undefined) {
    const { checkClone } = await import("../../service/clone/check-clone.ts");
    const report = await checkClone(process.cwd(), flags.hints);
    if (report !== undefined) {
      const wanted = report.findings.filter((one) => locale?.includes(one.locale) ?? true);
      return reportOf(wanted, report.texts);
    }
  }
  return checkTree(commandContext(true).context, { ...flags, source: sourceLocale, locales: locale });
}

async function checkHive({ locale, hints, ...flags }: CheckFlags): Promise<CheckReport> {
  const { reportOf } = await import("../../client/check.ts");
  return runOnHive(flags, "read", async ({ hive }) => {
    const findings = [...(await hive.findings()), ...(hints ? await hive.findings("hint") : [])];
    const wanted = findings.filter((one) => locale?.includes(one.locale) ?? true);
    return reportOf(wanted.map((one) => Object.assign(one, { path: one.file })));
  });
}

function printReport(report: CheckReport, format: CheckFlags["format"]): void {
  const { findings, errors, warnings } = report;
  if (format === "json") return printJson(report);
  if (format === "sarif") return writeResult(`${toPrintableJson(toSarif(findings), 2)}\n`);
  for (const finding of findings) print(format === "github" ? toAnnotation(finding) : toLine(finding));
  if (format === "text") {
    const what = report.texts === undefined ? "In the Hive" : `${counted(report.texts, "text")} checked`;
    print(`${what}: ${counted(errors, "error")}, ${counted(warnings, "warning")}.`);
  }
}

function toLine({ path, line, locale, key, severity, check, message }: LocalFinding): string {
  const place = line === undefined ? path : `${path}:${line}`;
  return onOneLine(`${place}: ${severity} ${check}: ${locale}, ${key}: ${message}`);
}

/** An annotation of GitHub Actions: `::error file=…,line=…::…`. */
function toAnnotation({ path, line, locale, key, severity, check, message }: LocalFinding): string {
  const level = { error: "error", warning: "warning", hint: "notice" }[severity];
  const at = line === undefined ? "" : `,line=${line}`;
  return `::${level} file=${escapeProperty(path)}${at},title=${escapeProperty(check)}::${escapeData(`${locale}, ${readableKey(key)}: ${message}`)}`;
}

const levels: Readonly<Record<string, string>> = { error: "error", warning: "warning", hint: "note" };

/** SARIF 2.1.0, which code hosts show beside the lines of a pull request. */
function toSarif(findings: readonly LocalFinding[]): object {
  const rules = [...new Set(findings.map(({ check }) => check))].map((id) => ({ id }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "skep check", rules } },
        results: findings.map(({ path, line, locale, key, severity, check, message }) => ({
          ruleId: check,
          level: levels[severity] ?? "none",
          message: { text: `${locale}, ${readableKey(key)}: ${message}` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: path.split("/").map(encodeURIComponent).join("/") },
                ...(line === undefined ? {} : { region: { startLine: line } }),
              },
            },
          ],
        })),
      },
    ],
  };
}
