/** The parts that all client commands share: their flags, and the opening of the project. */
import {
  Command,
  InvalidArgumentError,
  Option,
  type CommandOptions,
  type CommandUnknownOpts,
} from "@commander-js/extra-typings";
import { ClientError, exitCodesHelp } from "../../client/api/client-error.ts";
import type { HiveApi } from "../../client/api/hive-api.ts";
import type { CommandContext } from "../../client/context.ts";
import type { BranchUse, Project, ProjectFlags } from "../../client/project.ts";
import { toPrintableJson } from "../../domain/text.ts";
import { printable, printNotice } from "../output/print.ts";
import { ask, askYes, isInteractive } from "../program/ask.ts";
import { commandGroup } from "../program/command.ts";
import { output, writeResult } from "../program/output.ts";
import { explainClientError } from "./explain-error.ts";
import { takeFromProgram } from "../program/settings.ts";

export interface ClientFlags extends ProjectFlags {
  readonly json: boolean;
}

/**
 * Makes a command for an app's repository.
 * @param takesBranch whether it works on one branch of the Hive, main if none is given.
 * @param options as commander takes them: an earlier name of another command is hidden.
 */
export function clientCommand(
  name: string,
  takesBranch = true,
  parent?: CommandUnknownOpts,
  options?: CommandOptions,
): Command<[], Pick<ClientFlags, keyof ClientFlags>> {
  const command = (parent?.command(name, options) ?? new Command(name))
    .option("--config <file>", "the settings of the app (default: the nearest skep.yaml upwards)")
    .option("--server <url>", "the server (overrides SKEP_SERVER and skep.yaml)")
    .option("--hive <slug>", "the Hive (overrides SKEP_HIVE and skep.yaml)");
  if (takesBranch) {
    command.option(
      "--branch <name>",
      "a branch of the Hive, or auto for the app's own (overrides SKEP_BRANCH and skep.yaml)",
    );
  }
  return command
    .option("--token-file <file>", "a file with the token (overrides SKEP_TOKEN)")
    .option("--json", "print the result as JSON", false)
    .addHelpText("after", exitCodesHelp)
    .hook("preAction", (_, action) => takeFromProgram(action));
}

const eraseLine = "\r\u001b[2K";

/**
 * Opens the project of the current folder and runs a command on it. The client's code is loaded only here, so that help
 * and usage errors do not wait for it.
 * @param said the warnings that the command has shown, if it opens the project a second time.
 */
export function runOnProject<T>(
  flags: ClientFlags,
  use: BranchUse,
  run: (project: Project) => Promise<T>,
  said?: Set<string>,
): Promise<T> {
  const open = async (context: CommandContext): Promise<T> => {
    const { openProject } = await import("../../client/project.ts");
    return run(await openProject(flags, context, use));
  };
  return withContext(flags, open, said);
}

/** As {@link runOnProject}, for a command that needs no files of an app. */
export function runOnHive<T>(
  flags: ClientFlags,
  use: BranchUse,
  run: (opened: { readonly hive: HiveApi; readonly context: CommandContext }) => Promise<T>,
): Promise<T> {
  return withContext(flags, async (context) => {
    const { openHive } = await import("../../client/project.ts");
    return run({ hive: await openHive(flags, context, use), context });
  });
}

async function withContext<T>(
  { json }: ClientFlags,
  run: (context: CommandContext) => Promise<T>,
  said?: Set<string>,
): Promise<T> {
  const { context, clear } = commandContext(json, said);
  try {
    return await run(context);
  } finally {
    clear();
  }
}

/**
 * The context of a command in the current folder. It shows a warning once, however often the command comes upon it.
 * @param isQuiet whether no progress is shown.
 * @param said the warnings that were shown.
 * @returns with it a function that clears the line of progress.
 */
export function commandContext(
  isQuiet: boolean,
  said = new Set<string>(),
): {
  readonly context: CommandContext;
  readonly clear: () => void;
} {
  const { stderr } = output();
  const hasProgress = stderr.isTTY === true && !isQuiet && process.env.TERM !== "dumb";
  const clear = (): void => {
    if (hasProgress) stderr.write(eraseLine);
  };
  const context: CommandContext = {
    folder: process.cwd(),
    environment: process.env,
    warn: (message) => {
      if (said.has(message)) return;
      said.add(message);
      clear();
      printNotice(`skep: ${printable(message)}`);
    },
    fault: (error) => {
      clear();
      printNotice(explainClientError(error).line);
    },
    progress: (message) => {
      if (hasProgress) stderr.write(`${eraseLine}${printable(message)}…`);
    },
  };
  return { context, clear };
}

/** A command of a {@link clientGroup}. */
export function clientPart(
  parent: CommandUnknownOpts,
  name: string,
  description: string,
  takesBranch = false,
  options?: CommandOptions,
): Command<[], Pick<ClientFlags, keyof ClientFlags>> {
  return clientCommand(name, takesBranch, parent, options).description(description);
}

/**
 * The Hive of the app in the current folder, which `SKEP_HIVE` or skep.yaml names.
 * @throws ClientError `misuse` when the variable or the file cannot be used.
 */
export async function hiveOfApp(): Promise<string | undefined> {
  const { findHive } = await import("../../client/project.ts");
  return findHive(commandContext(true).context);
}

/** A command that has commands of its own. */
export function clientGroup(name: string): Command {
  return commandGroup(name).addHelpText("after", exitCodesHelp);
}

/** Prints what a command did, as JSON or for people. */
export function printResult<T extends object>(
  { json }: ClientFlags,
  result: T,
  print: (result: T) => void,
): void {
  if (json) printJson(result);
  else print(result);
}

/**
 * Asks for a confirmation, unless `--yes` gives it.
 * @param refusal the message without a terminal.
 * @param word what the answer must be; a yes if not given.
 * @throws ClientError `misuse` without a terminal.
 */
export async function isConfirmed(
  { yes, json }: Pick<ClientFlags, "json"> & { readonly yes: boolean },
  question: string,
  refusal: string,
  word?: string,
): Promise<boolean> {
  if (yes) return true;
  if (json || !isInteractive()) throw new ClientError("misuse", refusal, { code: "confirmation_needed" });
  return word === undefined ? askYes(question) : (await ask(question)) === word;
}

/** Prints a report as JSON with the API's style of names (`dry_run`). No report has member names that come from an app. */
export function printJson(report: object): void {
  writeResult(`${toPrintableJson(toSnakeCase(report), 2)}\n`);
}

function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    toSnakeCase(member),
  ]);
  return Object.fromEntries(members);
}

/** `--locale`: some of the target locales. */
export function localeOption(description: string) {
  return new Option("--locale <codes>", description).argParser(
    (text: string, before: readonly string[] | undefined) => [...(before ?? []), ...toLocaleList(text)],
  );
}

/**
 * Locales in one flag, separated by commas.
 * @throws InvalidArgumentError when there is none: a variable that is empty by mistake must not pass for nothing to do.
 */
export function toLocaleList(text: string): readonly string[] {
  const codes = text
    .split(",")
    .map((code) => code.trim())
    .filter((code) => code !== "");
  if (codes.length === 0) throw new InvalidArgumentError("It names no locale.");
  return codes;
}
