/** Reads the settings of commands from a flag, a variable, the file or a default, in this order of precedence. */
import { CommanderError, Option, type Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { readSettingsFile, usualFile } from "../../config/file.ts";
import {
  fileVariable,
  namesOf,
  problemOf,
  removedSettings,
  settings,
  type Setting,
} from "../../config/settings.ts";

export interface StorageFlag {
  readonly storage: string;
  readonly otherHost: string;
  /** The address of a database, or `off`. */
  readonly database?: string;
  readonly databaseCa?: string;
  readonly databasePasswordFile?: string;
}

/** The same, as commander has flags. */
export type StorageFlags = Pick<StorageFlag, keyof StorageFlag>;

/** The flags that the program accepts too, before the name of the command. */
const shared = ["storage", "config"];

/**
 * Adds the flags of some settings, or of all, to a command, and `--settings` for their file. The command gets their texts
 * after validation; `toConfig` makes a configuration from them.
 * @param usesBoth whether the command uses a folder and a database; the others work on one of them.
 */
export function addSettings<Name extends string>(
  command: CommandUnknownOpts,
  names?: readonly Name[],
  usesBoth?: boolean,
): Command<[], StorageFlags & Readonly<Record<Exclude<Name, keyof StorageFlag>, string>>>;
export function addSettings(
  command: CommandUnknownOpts,
  names?: readonly string[],
  usesBoth = names === undefined,
): CommandUnknownOpts {
  addSettingFlags(command, names);
  addEarlierFileFlag(command);
  return command.hook("preAction", (_, action) => takeSettings(action, names, usesBoth));
}

/** Adds the flags of some settings, or of all, without {@link takeSettings}. */
export function addSettingFlags(command: CommandUnknownOpts, names: readonly string[] | undefined): void {
  // First, so that the flags of the command itself, which are added later, come before those of the storage.
  command.addOption(
    new Option("--settings <file>", `the settings file (default: "${usualFile}" if there is one)`).env(
      fileVariable,
    ),
  );
  for (const setting of selectedSettings(names)) {
    const { name, flag, takes, variable, shown, help, isSwitch, heading } = setting;
    const option = new Option(`${flag} ${takes}`, help);
    const isGrouped = names === undefined || heading === "Storage";
    if (isGrouped) option.helpGroup(`${heading}:`);
    command.addOption(option.env(variable).default(setting.default, shown ?? setting.default));
    if (isSwitch !== true) continue;
    option.preset("on");
    const no = new Option(flag.replace("--", "--no-"), `the same as ${flag} off`);
    command.addOption(no.helpGroup(`${heading}:`));
    command.on(`option:no-${flag.slice(2)}`, () => command.setOptionValueWithSource(name, "off", "cli"));
  }
  for (const [key, why] of names === undefined ? removedSettings : []) {
    const { flag } = namesOf(key);
    command.addOption(new Option(`${flag} [value]`).hideHelp());
    command.on(`option:${flag.slice(2)}`, () => failAsMisuse(new Error(`${flag} ${why}`)));
  }
}

/** `--config` named the file of settings before it named skep.yaml alone. */
export function addEarlierFileFlag(command: CommandUnknownOpts): void {
  command.addOption(new Option("--config <file>").hideHelp());
}

/** The file of settings that a command was told to read; undefined for the usual one. */
export function namedFile(command: CommandUnknownOpts): unknown {
  const named: unknown = command.getOptionValue("settings");
  const takesEarlier = command.options.some(({ long, hidden }) => long === "--config" && hidden);
  const isFlag = command.getOptionValueSource("settings") === "cli";
  return takesEarlier && !isFlag ? (command.getOptionValue("config") ?? named) : named;
}

function selectedSettings(names: readonly string[] | undefined): readonly Setting[] {
  return settings.filter(({ name }) => names === undefined || names.includes(name));
}

/**
 * Gives a command its settings from all places, checked.
 * @param named the file that it was told to read; that of its flag if not given.
 * @throws CommanderError for one that cannot be used; as `requireOwner` does.
 */
export async function takeSettings(
  command: CommandUnknownOpts,
  names: readonly string[] | undefined,
  usesBoth = false,
  named?: unknown,
): Promise<void> {
  await readSettings(command, names, usesBoth, named);
  await refuseOtherUsers(command);
}

/** As {@link takeSettings}, also for a storage of somebody else. @returns the path of the file of settings. */
export async function readSettings(
  command: CommandUnknownOpts,
  names: readonly string[] | undefined,
  usesBoth = names === undefined,
  named?: unknown,
): Promise<string> {
  // Gives it the flags of the program, `--config` among them.
  takeFromProgram(command);
  const path = await takeFromFile(command, named ?? namedFile(command));
  if (!usesBoth) preferFlag(command);
  for (const setting of selectedSettings(names)) checkSetting(command, setting);
  return path;
}

/** The flags of settings that a command was given, as arguments for another command. */
export function givenSettings(command: CommandUnknownOpts, names: readonly string[]): readonly string[] {
  return selectedSettings(names).flatMap(({ name, flag }) =>
    command.getOptionValueSource(name) === "cli" ? [flag, String(command.getOptionValue(name))] : [],
  );
}

/** Passes the program's flags to a command: commander assigns every flag that the program knows to the program. */
export function takeFromProgram(command: CommandUnknownOpts): void {
  for (let outer = command.parent; outer !== null; outer = outer.parent) {
    for (const name of shared) {
      if (outer.getOptionValueSource(name) !== "cli") continue;
      command.setOptionValueWithSource(name, outer.getOptionValue(name), "cli");
    }
  }
}

/** Reads settings from the file if neither a flag nor a variable sets them. @returns its path. */
async function takeFromFile(command: CommandUnknownOpts, named: unknown): Promise<string> {
  const path = typeof named === "string" ? named : usualFile;
  const texts = await readSettingsFile(path, named !== undefined).catch(failAsMisuse);
  for (const [name, text] of texts) {
    if (command.getOptionValueSource(name) === "default") {
      command.setOptionValueWithSource(name, text, "config");
    }
  }
  return path;
}

/** A folder that a flag names goes before a database of a variable or the file. @throws CommanderError for two flags. */
function preferFlag(command: CommandUnknownOpts): void {
  if (command.getOptionValueSource("storage") !== "cli") return;
  const isFlag = command.getOptionValueSource("database") === "cli";
  if (isFlag && command.getOptionValue("database") !== "off")
    failAsMisuse(new Error("--storage and --database name two storages: give one of them"));
  command.setOptionValueWithSource("database", "off", "cli");
}

/** @throws CommanderError naming the flag or variable. Values of the file were checked when it was read. */
function checkSetting(command: CommandUnknownOpts, { name, flag, variable, ...setting }: Setting): void {
  const text: unknown = command.getOptionValue(name);
  const problem = typeof text === "string" ? problemOf(setting, text) : undefined;
  if (problem === undefined) return;
  const origin = command.getOptionValueSource(name) === "env" ? variable : flag;
  failAsMisuse(new Error(`${origin}: ${problem}`));
}

/** Checks the owner of the storage. @throws as `requireOwner` does, unless `--other-user allow` is given. */
async function refuseOtherUsers(command: CommandUnknownOpts): Promise<void> {
  const { storage, otherUser, database = "off" } = command.opts();
  // The storage of a command is then a temporary copy.
  if (otherUser !== "refuse" || typeof storage !== "string" || database !== "off") return;
  const { requireOwner } = await import("../../service/storage-owner.ts");
  await requireOwner(storage);
}

function failAsMisuse(cause: Error): never {
  throw new CommanderError(2, "skep.settings", cause.message);
}
