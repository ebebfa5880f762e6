/** Settings as commands take them: a flag, a variable, the file, a default, in that order. */
import { CommanderError, Option, type Command } from "commander";
import {
  fileVariable,
  InvalidSetting,
  problemOf,
  settings,
  toConfig,
  type ServeConfig,
} from "../../config/settings.ts";
import { requireOwner } from "../../service/storage-owner.ts";
import { readSettingsFile, usualFile } from "../../config/file.ts";
import { takeFromProgram } from "./shared-settings.ts";

const misuse = 2;

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
      takeFromFile(action);
      await refuseOtherUsers(action);
    });
}

/** Gives a command what the file says wherever neither a flag nor a variable says something. */
function takeFromFile(command: Command): void {
  const named: unknown = command.getOptionValue("config");
  const path = typeof named === "string" ? named : usualFile;
  const found = orMisuse(() => readSettingsFile(path, named !== undefined));
  for (const [name, text] of found) {
    if (command.getOptionValueSource(name) === "default") {
      command.setOptionValueWithSource(name, text, "config");
    }
  }
}

/** Every command works on a storage. @throws as {@link requireOwner}, unless that is allowed. */
async function refuseOtherUsers(command: Command): Promise<void> {
  const { storage, otherUser = "" } = command.opts<Readonly<Record<string, string>>>();
  const setting = settings.find(({ name }) => name === "otherUser");
  orMisuse(() => {
    const problem = setting && problemOf(setting, otherUser);
    if (problem !== undefined) throw new Error(`${originOf(command, "otherUser")}: ${problem}`);
  });
  if (otherUser === "refuse" && storage !== undefined) await requireOwner(storage);
}

/** The configuration that a command was given. @throws CommanderError that names what is wrong, and where it was said. */
export function configOf(command: Command): ServeConfig {
  return orMisuse(() => {
    try {
      return toConfig(command.opts<Record<string, string>>());
    } catch (error) {
      if (!(error instanceof InvalidSetting)) throw error;
      throw new Error(`${originOf(command, error.setting)}: ${error.message}`, { cause: error });
    }
  });
}

/** Where the text of a setting comes from: what is in the file was checked when it was read. */
function originOf(command: Command, name: string): string {
  const setting = settings.find((candidate) => candidate.name === name);
  const isVariable = command.getOptionValueSource(name) === "env";
  return (isVariable ? setting?.variable : setting?.flag) ?? name;
}

function orMisuse<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new CommanderError(misuse, "skep.settings", error instanceof Error ? error.message : String(error));
  }
}
