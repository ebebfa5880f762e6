/** The command line: parses the arguments, runs one command, and reports every error in one line. */
import { readFileSync } from "node:fs";
import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError, type ClientErrorKind } from "../client/api/client-error.ts";
import { isFailure, isSkepError, messageOf } from "../domain/errors.ts";
import { toPrintableJson, unprintable } from "../domain/text.ts";
import { ownFile } from "../own-files.ts";
import { exampleOf } from "./examples.ts";
import { firstSentence } from "./output/completion.ts";
import { endCommand, hasResult, withOutput, type Output } from "./program/output.ts";
import { commands, earlierCommands, groupTitles } from "./table.ts";

const { version, engines } = JSON.parse(readFileSync(ownFile("../package.json"), "utf8"));

/**
 * Why Skep cannot run with a version of Node.js: without this, a part of Node that is missing there would be named.
 * @returns undefined where it can.
 */
export function nodeProblem(present: string): string | undefined {
  const least: string = engines.node.replace(">=", "");
  const [[major, minor], [leastMajor, leastMinor]] = [numbersOf(present), numbersOf(least)];
  const isOld = major < leastMajor || (major === leastMajor && minor < leastMinor);
  return isOld ? `Node.js ${least} or later is needed, and this is ${present}` : undefined;
}

function numbersOf(nodeVersion: string): readonly [number, number] {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  return [major, minor];
}

/** A command has one line in the help of those above it: its name, and the first sentence of its description. */
const oneLine = {
  subcommandTerm: (command: CommandUnknownOpts): string => command.name(),
  subcommandDescription: (command: CommandUnknownOpts): string => firstSentence(command.description()),
};

/** Builds the program. It loads the commands that the arguments name; the others have a name and a description only. */
async function buildProgram(args: readonly string[]): Promise<Command> {
  const program = new Command("skep")
    // Commands accept these two flags also before the name of the command.
    .option("--storage <dir>", "the storage folder, for every command")
    .option("--config <file>", "the settings of the app, for every command of an app")
    .description("A self-hosted store for the translations of apps, with git as its database.")
    .version(version)
    .helpCommand("help [command]", "Show the help of a command.")
    .configureHelp(oneLine)
    .addHelpText(
      "after",
      `
skep COMMAND --help describes a command with all its flags.

Everything is kept in one folder: --storage DIR, or SKEP_STORAGE, or storage in
skep-server.yaml, or ./storage.

A first Hive:
  skep team create acme
  skep hive create web --team acme --locale fr --locale pt-BR=pt_BR
  skep token create --team acme --ability read --ability write
  skep serve`,
    );
  for (const { name, description, group, load } of commands) {
    const command = args.includes(name) ? withExamples(await load()) : new Command(name);
    program.addCommand(command.description(description).helpGroup(groupTitles[group]));
  }
  for (const { name, now, load } of earlierCommands) {
    const command = args.includes(name) ? await load() : new Command(name);
    program.addCommand(command.description(`Use skep ${now} instead.`), { hidden: true });
  }
  return program;
}

/** Adds an example to the help of a command, or of each of its own commands. */
function withExamples(command: CommandUnknownOpts, name = command.name()): CommandUnknownOpts {
  for (const inner of command.commands) withExamples(inner, `${name} ${inner.name()}`);
  const example = command.commands.length === 0 ? exampleOf(name) : undefined;
  return example === undefined ? command : command.addHelpText("after", `\nExample:\n  skep ${example}`);
}

/** The width of the help where the output is not a terminal. */
const usualWidth = 80;

/** Makes commands at any depth throw their errors, so that one place prints them, and shortens their help. */
function prepare(command: CommandUnknownOpts, { stdout, stderr }: Output): void {
  for (const option of command.options) {
    const value: unknown = option.defaultValue;
    // The command has its value; only the help would go on to say "default: false" of every flag.
    if (value === false || (Array.isArray(value) && value.length === 0)) option.defaultValue = undefined;
  }
  if (command.commands.length > 0) command.configureHelp(oneLine);
  command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    outputError: () => {},
    getOutHelpWidth: () => stdout.columns ?? usualWidth,
  });
  for (const inner of command.commands) prepare(inner, { stdout, stderr });
}

/** What scripts of shells run in place of a command. Its arguments are words of any kind, which are only read. */
export const completing = "__complete";

const failed = 1;
const misuse = 2;

/** How an error that ends a command is reported. */
interface ErrorReport {
  /** For people. */
  readonly line: string;
  /** The exit code. */
  readonly code: number;
  /** Its members for programs, besides the message and the exit code. */
  readonly json: Readonly<Record<string, unknown>>;
}

function explain(error: unknown): ErrorReport {
  if (error instanceof CommanderError) {
    const line = error.message.replace(/^error: /, "").replaceAll("\n", " ");
    return { line, code: error.exitCode === 0 ? 0 : misuse, json: { code: "misuse" } };
  }
  if (isFailure(error, "quota") && error.data !== undefined) {
    const line = `${error.message} ${error.data.details}`;
    return { line, code: failed, json: { code: error.publicCode, ...error.data } };
  }
  if (isSkepError(error)) return { line: error.message, code: failed, json: { code: error.publicCode } };
  // System errors contain file names, which may contain any characters.
  const line = messageOf(error).replaceAll(unprintable, "\u{fffd}");
  return { line, code: failed, json: { code: "error" } };
}

async function explainedByClient(error: ClientError): Promise<Pick<ErrorReport, "line" | "code">> {
  try {
    const { explainClientError } = await import("./client/explain-error.ts");
    return explainClientError(error);
  } catch {
    // Skep's files may have been replaced while the command ran: what it failed by is said all the same.
    return { line: `skep: ${error.message}`, code: failed };
  }
}

async function reportOf(error: unknown): Promise<ErrorReport> {
  if (error instanceof ClientError) {
    const { kind, code, status, sent, place } = error;
    const json = { ...sent, code: code ?? localCode(kind), status, ...place };
    return { ...(await explainedByClient(error)), json };
  }
  const { line, ...rest } = explain(error);
  return { line: `skep: ${line}`, ...rest };
}

/** The code of an error that no server sent. */
function localCode(kind: ClientErrorKind): string {
  return kind === "unavailable" ? "unreachable" : kind;
}

/** Whether a command was asked for JSON, which its errors then are, too. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? undefined : end).includes("--json");
}

/** An error that explains `skep --json push`. @returns undefined for any other mistake. */
function misplacedFlag(error: unknown, args: readonly string[]): CommanderError | undefined {
  const at = args.findIndex((arg) => commands.some(({ name }) => name === arg));
  const isFirst = args[0]?.startsWith("-") === true && at > 0;
  if (!isFirst || !(error instanceof CommanderError) || error.code !== "commander.unknownOption")
    return undefined;
  const right = ["skep", ...args.slice(at), ...args.slice(0, at)].join(" ");
  return new CommanderError(misuse, error.code, `write the flags of a command after it: ${right}`);
}

/**
 * Runs one command. An error is reported in one line.
 * @param output where the command prints and where its exit code is set; the process if not given.
 */
export async function runCommand(args: readonly string[], output: Output = process): Promise<void> {
  const [first, ...words] = args;
  if (first === completing) {
    const { complete } = await import("./complete.ts");
    // Whoever types sees no errors of what is run beside.
    const completed = withOutput(output, async () => complete(await buildProgram(words), words));
    await completed.catch(() => undefined);
    // Whoever types does not wait for a database that is not reached.
    void endCommand(output).catch(() => undefined);
    return;
  }
  const program = await buildProgram(args);
  prepare(program, output);
  try {
    try {
      await withOutput(output, () => program.parseAsync(args, { from: "user" }));
    } finally {
      await endCommand(output);
    }
  } catch (error) {
    const { line, code, json } = await reportOf(misplacedFlag(error, args) ?? error);
    output.exitCode = code;
    if (code === 0 || line === "skep: (outputHelp)") return;
    output.stderr.write(`${line}\n`);
    if (!wantsJson(args) || hasResult(output)) return;
    const message = line.replace(/^(?:skep: |::error[^:]*::)/, "");
    output.stdout.write(`${toPrintableJson({ error: { ...json, message, exit: code } }, 2)}\n`);
  }
}
