/**
 * The commands of declared operations. Each sends one request: to a server with a token, or as the owner of a storage on this
 * machine.
 */
import { InvalidArgumentError, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { CommandFlag, NounCommands, OperationCommand } from "../../api/command-table.ts";
import type { Pair } from "../../api/members.ts";
import type { NounName } from "../../api/nouns.ts";
import { exitCodesHelp } from "../../client/api/client-error.ts";
import { commandGroup, storageSettings } from "../program/command.ts";
import { addSettingFlags, takeFromProgram } from "../program/settings.ts";
import { toTime } from "./members.ts";
import { commandsOfNoun, onMachine } from "./nouns.ts";

const placesHelp = `
At a server, it needs a token with the ability and the reach: SKEP_TOKEN, --token-file or
skep login. On the server's machine, with --storage or --database, it needs none.`;

/**
 * Runs a command in an earlier form of its arguments.
 * @returns whether they had that form.
 */
type Earlier = (command: CommandUnknownOpts) => Promise<boolean>;

/**
 * The command of a noun, with one for each of its operations.
 * @param earlier by the names of commands.
 */
export async function nounCommand(
  name: NounName,
  earlier: Readonly<Record<string, Earlier>> = {},
): Promise<CommandUnknownOpts> {
  return groupOf(name, await commandsOfNoun(name), earlier);
}

/** @param noun the commands of the noun. */
export function groupOf(
  name: NounName,
  noun: NounCommands,
  earlier: Readonly<Record<string, Earlier>> = {},
): CommandUnknownOpts {
  const group = commandGroup(name);
  for (const operation of noun.commands) {
    const { [operation.name]: before } = earlier;
    addOperation(group, { name, noun, operation, earlier: before });
    const { was } = operation;
    if (was !== undefined) addOperation(group, { name, noun, operation, was });
  }
  return group;
}

interface Added {
  readonly name: NounName;
  readonly noun: NounCommands;
  readonly operation: OperationCommand;
  /** Its earlier name, by which it asks nothing, as it did. */
  readonly was?: string;
  readonly earlier?: Earlier;
}

function addOperation(group: CommandUnknownOpts, { name, noun, operation, was, earlier }: Added): void {
  const { verb, summary, help: ending, params, args, flags } = operation;
  const command = group.command(was ?? operation.name, { hidden: was !== undefined });
  const isRefused = verb === "delete" && (was === undefined || operation.wasAsked === true);
  command.description(`${summary}.`);
  for (const [param, help] of params) command.argument(`<${param}>`, help);
  for (const arg of args) command.argument(`<${arg.name}>`, arg.help);
  for (const flag of flags) addFlag(command, flag);
  if (operation.takesBranch === true) command.addOption(branchOption());
  command.option("--json", "print what the server answers, as JSON", false);
  if (isRefused) command.option("--yes", "do not ask; needed without a terminal", false);
  const settings = [...storageSettings, ...(onMachine[name].settings[verb] ?? [])];
  command.option("--team <name>", "the team, on the server's machine; needed where there are several");
  addTargetFlags(command, settings, ending);
  command.action(async () => {
    takeFromProgram(command);
    if ((await earlier?.(command)) === true) return;
    const { runOperation } = await import("./run-operation.ts");
    await runOperation({ name, noun, operation, command, settings, isAsked: isRefused });
  });
}

/**
 * Adds the flags that say where a command of management works, and what help says about that.
 * @param settings the names of the settings that it has flags for.
 * @param help what its help says before.
 */
export function addTargetFlags(
  command: CommandUnknownOpts,
  settings: readonly string[],
  help?: string,
): void {
  command
    .option("--server <url>", "the server (overrides SKEP_SERVER and skep.yaml)")
    .option("--token-file <file>", "a file with the token (overrides SKEP_TOKEN)")
    .option("--config <file>", "the settings of the app (default: the nearest skep.yaml upwards)");
  addSettingFlags(command, settings);
  if (help !== undefined) command.addHelpText("after", `\n${help}`);
  command.addHelpText("after", `${placesHelp}\n${exitCodesHelp}`);
}

/** `--branch` of a command that may work on another Hive than that of skep.yaml. */
export function branchOption(): Option {
  return new Option("--branch <name>", "a branch of the Hive (default: main)");
}

const placeholders = { text: "value", number: "n", list: "list", time: "time" } as const;

function addFlag(command: CommandUnknownOpts, flag: CommandFlag): void {
  const { name, help, takes, choices = [], none, pair, isRequired } = flag;
  if (takes === "switch") {
    command.addOption(new Option(`--${name}`, help));
    command.addOption(new Option(`--no-${name}`, `the opposite of --${name}`));
    return;
  }
  const value = pair === undefined ? placeholders[takes] : pairText(pair);
  const option = new Option(`--${name} <${value}>`, help);
  // Also what shells offer.
  if (choices.length > 0) option.choices(none === undefined ? choices : [...choices, none]);
  if (takes === "time") option.argParser(checkedTime(none));
  if (takes === "list") option.argParser(listOf(flag));
  command.addOption(option.makeOptionMandatory(isRequired));
}

/** A time, which stays as it was written: what a span means is known when the request is sent. */
function checkedTime(none: string | undefined) {
  return (text: string): string => {
    if (text !== none) toTime(text, 0);
    return text;
  };
}

/** A pair as help shows it: `code[=custom_code]`. */
function pairText({ names: [first, second], isOptional }: Pair): string {
  return isOptional ? `${first}[=${second}]` : `${first}=${second}`;
}

/** The elements of a list. A comma in the first text of a pair, such as a pattern of files, separates nothing. */
function elementsOf(text: string, pair: Pair | undefined): readonly string[] {
  const parts = pair?.isOptional === false ? text.split(/(?<==[^,]*),/) : text.split(",");
  return parts.map((part) => part.trim());
}

/** A list in one value, separated by commas, behind those that were given before. */
function listOf({ choices = [], none, whole, pair }: CommandFlag) {
  const known = new Set([...choices, ...[none, whole].filter((word) => word !== undefined)]);
  return (text: string, before: readonly string[] | undefined): readonly string[] => {
    const parts = elementsOf(text, pair);
    const wrong = choices.length > 0 && parts.some((part) => !known.has(part));
    if (wrong) throw new InvalidArgumentError(`It must be of ${[...known].join(", ")}.`);
    if (pair?.isOptional === false && !parts.every((part) => part.includes("=") || known.has(part)))
      throw new InvalidArgumentError(`It must be ${pairText(pair)}.`);
    return [...(before ?? []), ...parts];
  };
}
