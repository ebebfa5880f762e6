/** What the commands about the history of a Hive share: `log`, `show` and `undo`. */
import { Command, InvalidArgumentError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { HistoryApi } from "../../client/api/history-api.ts";
import type { Answered } from "../../http/in-process.ts";
import { hiveOfApp } from "../client/client-command.ts";
import { storageSettings } from "../program/command.ts";
import { ClientError } from "../../client/api/client-error.ts";
import { namingFlags } from "./members.ts";
import { takeFromProgram } from "../program/settings.ts";
import type { TargetedFlags } from "./open-target.ts";
import { addTargetFlags, branchOption } from "./operation-command.ts";

/** A command of this kind, without its own flags. */
export function historyCommand(name: string): Command<[string | undefined]> {
  return new Command(name)
    .argument("[slug]", "the Hive (default: that of skep.yaml)")
    .hook("preAction", (_, action) => takeFromProgram(action));
}

/** Adds the flags that say which history it is about, behind its own. */
export function addHistoryFlags<Flags extends CommandUnknownOpts>(command: Flags): Flags {
  command
    .addOption(branchOption())
    .option("--team <name>", "the team of the Hive")
    .option("--json", "print JSON", false);
  addTargetFlags(command, storageSettings);
  return command;
}

async function load(): Promise<Answered> {
  return (await import("../../http/content/history.ts")).historyOperations;
}

interface HistoryFlags extends TargetedFlags {
  readonly branch?: string;
}

/**
 * Runs a function with the history of a Hive, at a server or on a storage.
 * @param given the slug of the Hive; that of skep.yaml if undefined.
 * @param missing the argument that is said to be missing where no Hive is known: a commit may have been taken for one.
 * @throws InvalidArgumentError where no Hive is known; ClientError as `atTarget` does.
 */
export async function onHistory(
  command: CommandUnknownOpts,
  { given, missing }: { readonly given: string | undefined; readonly missing: "slug" | "commit" },
  run: (history: HistoryApi) => Promise<void>,
): Promise<void> {
  const slug = given ?? (await hiveOfApp());
  if (slug === undefined) throw new InvalidArgumentError(`missing required argument '${missing}'`);
  // The flags were declared above.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const flags = command.opts() as unknown as HistoryFlags;
  const { atTarget } = await import("./open-target.ts");
  const { HistoryApi: Api } = await import("../../client/api/history-api.ts");
  const targeted = { command, settings: storageSettings, load, called: command.name() };
  const path = `/api/hives/${encodeURIComponent(slug)}`;
  try {
    await atTarget(targeted, flags, ({ http }) => run(new Api(http, path, flags.branch)));
  } catch (error) {
    throw error instanceof ClientError ? namingFlags(error, namesOf(command)) : error;
  }
}

/** What the API calls as the command does. */
function namesOf({ options, registeredArguments }: CommandUnknownOpts): Parameters<typeof namingFlags>[1] {
  const flags = options.map((option) => ({ member: option.attributeName(), name: option.name() }));
  const args = registeredArguments.map((argument) => ({ member: argument.name(), name: argument.name() }));
  return { params: [], args, flags };
}
