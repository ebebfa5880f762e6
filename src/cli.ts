#!/usr/bin/env node
/** The bin: arguments to one command, and every mistake to one line. */
import { readFileSync } from "node:fs";
import { Command, CommanderError, Help } from "commander";
import { commands } from "./commands/table.ts";
import { addSharedSettings } from "./commands/shared-settings.ts";
import { isFailure, isSkepError } from "./domain/errors.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** How the help shows a command, loaded or not. */
function subcommandTerm(command: Command): string {
  const row = commands.find(({ name }) => name === command.name());
  return row === undefined ? new Help().subcommandTerm(command) : `${row.name} ${row.takes}`.trimEnd();
}

/** The program, with those commands loaded that the arguments may name; of the others it knows what the help says. */
async function buildProgram(args: readonly string[]): Promise<Command> {
  const program = addSharedSettings(new Command("skep"))
    .description("A self-hosted store for translation strings whose database is git.")
    .version(version)
    .helpCommand("help [command]", "show help for a command")
    .configureHelp({ subcommandTerm })
    .addHelpText(
      "after",
      `
Everything is kept in one folder: --storage DIR, or SKEP_STORAGE, or storage in
skep.yaml, or ./storage.

A first Hive:
  skep team create acme
  skep hive create web --team acme --locale fr --locale pt-BR=pt_BR
  skep token create --team acme --ability read --ability write
  skep serve`,
    );
  for (const { name, description, load } of commands) {
    const command = args.includes(name) ? await load() : new Command(name);
    program.addCommand(command.description(description));
  }
  return program;
}

/** Errors come as exceptions, from commands at any depth, so that one place prints them. */
function throwErrors(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => {} });
  for (const inner of command.commands) throwErrors(inner);
}

const failed = 1;
const misuse = 2;

function explain(error: unknown): { readonly line: string; readonly code: number } {
  if (error instanceof CommanderError) {
    return {
      line: error.message.replace(/^error: /, "").replaceAll("\n", " "),
      code: error.exitCode === 0 ? 0 : misuse,
    };
  }
  if (isFailure(error, "quota") && error.data !== undefined) {
    return { line: `${error.message} ${error.data.details}`, code: failed };
  }
  if (isSkepError(error)) return { line: error.message, code: failed };
  return { line: error instanceof Error ? error.message : String(error), code: failed };
}

/**
 * A reader that goes away, such as `head`, is no error; a disk that is full is one. Neither is a reason to leave work
 * half done.
 */
function tellUnwritten(error: Error): void {
  if (("code" in error && error.code === "EPIPE") || process.exitCode === failed) return;
  process.exitCode = failed;
  process.stderr.write(`skep: the result could not be written: ${error.message}\n`);
}

/**
 * Node ends as soon as nothing is left that it could wait for, and says that all is well, even in the middle of a
 * command. That is a fault of ours and must be seen.
 */
function tellUnfinished(): void {
  process.exitCode = failed;
  process.stderr.write(
    "skep: the command stopped before it was done: this is a fault of Skep. It may have done a part; skep verify checks the storage.\n",
  );
}

async function main(): Promise<void> {
  // What git and others make for us, too, is nobody else's on the machine.
  process.umask(0o077);
  process.stdout.on("error", tellUnwritten);
  // There is no other place to say it.
  process.stderr.on("error", () => {});
  // A variable that is set to nothing, as compose files do, is one that is not set.
  for (const [name, value] of Object.entries(process.env)) {
    if (name.startsWith("SKEP_") && value === "") delete process.env[name];
  }
  const program = await buildProgram(process.argv.slice(2));
  throwErrors(program);
  process.once("exit", tellUnfinished);
  try {
    await program.parseAsync();
  } catch (error) {
    const { line, code } = explain(error);
    process.exitCode = code;
    if (code !== 0 && line !== "(outputHelp)") process.stderr.write(`skep: ${line}\n`);
  }
  process.off("exit", tellUnfinished);
}

await main();
