/** Settings as commands take them: from a flag, a variable, the file or a default, in that order. */
import { CommanderError, Option, type Command } from "commander";
import { readSettingsFile, usualFile } from "../../config/file.ts";
import {
  fileVariable,
  InvalidSetting,
  problemOf,
  settings,
  toConfig,
  type ServeConfig,
} from "../../config/settings.ts";

const misuse = 2;
/** The names of the settings that all commands share: people also write them before the name of the command. */
const shared = ["storage", "config"];

/** Lets the program take the settings that all its commands share, wherever they stand. */
export function addSharedSettings(program: Command): Command {
  return program
    .option("--storage <dir>", "the folder that holds everything, for every command")
    .option("--config <file>", "a file of settings, for every command");
}

/**
 * Gives a command the flags of some settings, or all, and `--config` for the file that they may stand in.
 * The command gets their texts; {@link configOf} makes a configuration of them.
 */
export function addSettings(command: Command, names?: readonly string[]): Command {
  for (const { name, flag, takes, variable, shown, help, ...setting } of settings) {
    if (names?.includes(name) === false) continue;
    command.addOption(
      new Option(`${flag} ${takes}`, help).env(variable).default(setting.default, shown ?? setting.default),
    );
  }
  return command
    .addOption(
      new Option("--config <file>", `a file of settings (default: "${usualFile}" if there is one)`).env(
        fileVariable,
      ),
    )
    .hook("preAction", async (_, action) => {
      takeFromProgram(action);
      await takeFromFile(action);
      await refuseOtherUsers(action);
    });
}

/** Gives a command what the program was given: commander gives the program every flag that it knows, wherever it stands. */
function takeFromProgram(command: Command): void {
  for (let outer = command.parent; outer !== null; outer = outer.parent) {
    for (const name of shared) {
      if (outer.getOptionValueSource(name) !== "cli") continue;
      command.setOptionValueWithSource(name, outer.getOptionValue(name), "cli");
    }
  }
}

/** Gives a command the settings in the file that neither a flag nor a variable sets. */
async function takeFromFile(command: Command): Promise<void> {
  const named: unknown = command.getOptionValue("config");
  const path = typeof named === "string" ? named : usualFile;
  const found = await readSettingsFile(path, named !== undefined).catch(failAsMisuse);
  for (const [name, text] of found) {
    if (command.getOptionValueSource(name) === "default") {
      command.setOptionValueWithSource(name, text, "config");
    }
  }
}

/** Every command works on a storage. @throws as `requireOwner` does, unless `--other-user allow` is given. */
async function refuseOtherUsers(command: Command): Promise<void> {
  const { storage, otherUser = "" } = command.opts<Readonly<Record<string, string>>>();
  const setting = settings.find(({ name }) => name === "otherUser");
  const problem = setting && problemOf(setting, otherUser);
  if (problem !== undefined) failAsMisuse(new Error(`${originOf(command, "otherUser")}: ${problem}`));
  if (otherUser !== "refuse" || storage === undefined) return;
  const { requireOwner } = await import("../../service/storage-owner.ts");
  await requireOwner(storage);
}

/** The configuration that a command was given. @throws CommanderError that names the setting at fault, and its source. */
export function configOf(command: Command): ServeConfig {
  try {
    return toConfig(command.opts<Record<string, string>>());
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error;
    return failAsMisuse(new Error(`${originOf(command, error.setting)}: ${error.message}`));
  }
}

/** The flag or variable that a text comes from. What is in the file was checked when the file was read. */
function originOf(command: Command, name: string): string {
  const setting = settings.find((candidate) => candidate.name === name);
  const isVariable = command.getOptionValueSource(name) === "env";
  return (isVariable ? setting?.variable : setting?.flag) ?? name;
}

function failAsMisuse(cause: Error): never {
  throw new CommanderError(misuse, "skep.settings", cause.message);
}
