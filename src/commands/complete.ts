/** `skep __complete WORDS`, which scripts of shells run: what the last of the words could be. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { namesOf, type NamesFrom, type WantedNames } from "./operations/names.ts";
import { firstSentence } from "./output/completion.ts";
import { print, printable } from "./output/print.ts";
import { kindOfArgument, kindOfFlag } from "./output/value-kinds.ts";

/** How long completion may wait for names. */
const limitMs = 1000;

/** What one may type, and what it is. */
type Candidate = readonly [word: string, about: string];

/** Words that no shell takes for more than words. Names come from servers, and a shell may expand what it is offered. */
const plainWord = /^[\w@%+=:,./-]+$/;

/**
 * Prints what the last word could be, a line each, with a tab before what it is. Nothing else is printed.
 * @param words those behind `skep`, the last as far as it is typed. Shells that cannot pass an empty word pass `""`.
 */
export async function complete(program: CommandUnknownOpts, words: readonly string[]): Promise<void> {
  // Bash splits `--hive=web` into three words.
  const typed = words.filter((word, at) => word !== "=" || at === words.length - 1);
  const last = typed.at(-1) ?? "";
  const line = readLine(program, typed.slice(0, -1));
  const word = last === '""' || last === "=" ? "" : last;
  for (const [name, about] of await candidatesFor(line, word)) {
    if (!name.startsWith(word) || !plainWord.test(name)) continue;
    print(about === "" ? name : `${name}\t${printable(firstSentence(about))}`);
  }
}

/** What the words before the last one say. */
interface Line {
  readonly command: CommandUnknownOpts;
  /** The words of the command, such as `skep hive list`. */
  readonly path: string;
  readonly args: readonly string[];
  /** By their long names. */
  readonly flags: Readonly<Record<string, string>>;
  /** The flag whose value comes next. */
  readonly open: CommandUnknownOpts["options"][number] | undefined;
}

function readLine(program: CommandUnknownOpts, words: readonly string[]): Line {
  const args: string[] = [];
  const flags: Record<string, string> = {};
  let [command, path] = [program, "skep"];
  let open: Line["open"];
  for (const word of words) {
    if (open !== undefined) {
      flags[open.long ?? ""] = word;
      open = undefined;
      continue;
    }
    if (word.startsWith("-")) {
      const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      const option = optionOf(command, name);
      if (value !== undefined) flags[name] = value;
      else if (option?.required === true) open = option;
      continue;
    }
    const inner = args.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (inner === undefined) args.push(word);
    else [command, path] = [inner, `${path} ${word}`];
  }
  return { command, path, args, flags, open };
}

/** A flag of a command, or of the program, which it takes too. */
function optionOf(command: CommandUnknownOpts, name: string): Line["open"] {
  const isIt = (option: CommandUnknownOpts["options"][number]): boolean =>
    option.long === name || option.short === name;
  for (let at: CommandUnknownOpts | null = command; at !== null; at = at.parent) {
    const found = at.options.find(isIt);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function candidatesFor(line: Line, word: string): Promise<readonly Candidate[]> {
  const { command, path, args, open } = line;
  if (open !== undefined) return valuesOf(line, open, word);
  const [, name] = /^(--[^=]+)=/.exec(word) ?? [];
  const attached = name === undefined ? undefined : optionOf(command, name);
  if (attached !== undefined) {
    const values = await valuesOf(line, attached, word.slice(`${name}=`.length));
    return values.map(([value, about]): Candidate => [`${name}=${value}`, about]);
  }
  const help = command.createHelp();
  if (word.startsWith("-")) {
    const flags = help.visibleOptions(command);
    return flags.map(({ long, short, description }): Candidate => [long ?? short ?? "", description]);
  }
  const inner = args.length === 0 ? help.visibleCommands(command) : [];
  const argument = command.registeredArguments[args.length] ?? command.registeredArguments.at(-1);
  const isThere =
    argument !== undefined && (args.length < command.registeredArguments.length || argument.variadic);
  const kind = isThere ? kindOfArgument(path, argument.name()) : undefined;
  return [
    ...inner.map((one): Candidate => [one.name(), one.description()]),
    ...((isThere && argument.argChoices) || []).map((choice): Candidate => [choice, ""]),
    ...(kind === undefined ? [] : await lookedUp(line, kind)),
  ];
}

/** What the value of a flag could be; of a list, its last element. */
async function valuesOf(
  line: Line,
  option: NonNullable<Line["open"]>,
  word: string,
): Promise<readonly Candidate[]> {
  const kind = kindOfFlag(option.long);
  const before = word.slice(0, word.lastIndexOf(",") + 1);
  const names = kind === undefined ? [] : await lookedUp(line, kind);
  return [
    ...(option.argChoices ?? []).map((choice): Candidate => [choice, ""]),
    ...names.map(([name, about]): Candidate => [before + name, about]),
  ];
}

function lookedUp(line: Line, kind: WantedNames["kind"]): Promise<readonly Candidate[]> {
  const [, noun = ""] = line.path.split(" ");
  const options = { folder: process.cwd(), environment: process.env, now: Date.now(), limitMs };
  return namesOf({ kind, noun }, placeOf(line), options);
}

/** Where the names of a line are known: what a flag names, else a variable for a storage; the rest is found later. */
function placeOf(line: Line): NamesFrom {
  const { command, path, args, flags } = line;
  const { "--server": server, "--token-file": tokenFile, "--config": config } = flags;
  // The Hive stands in an argument of some commands, and in one flag of others.
  const at = command.registeredArguments.findIndex((arg) => kindOfArgument(path, arg.name()) === "hives");
  const hive = flags["--hive"] ?? (at === -1 ? undefined : args[at]);
  const storage = server === undefined ? storageOf(line) : undefined;
  return { storage, server, tokenFile, config, team: flags["--team"], hive };
}

/** The settings that name a storage: a flag comes before variables, whichever kind of storage it names. */
function storageOf({ command, flags }: Line): NamesFrom["storage"] {
  const { "--storage": folder } = flags;
  if (folder !== undefined) return { storage: folder };
  const given = Object.fromEntries(
    command.options.flatMap((option): (readonly [string, string])[] => {
      const text = flags[option.long ?? ""] ?? process.env[option.envVar ?? ""] ?? "";
      return text === "" ? [] : [[option.attributeName(), text]];
    }),
  );
  const { storage, database = "off", databaseCa = "off", databasePasswordFile = "off" } = given;
  if (database !== "off") return { database, databaseCa, databasePasswordFile };
  return storage === undefined ? undefined : { storage };
}
