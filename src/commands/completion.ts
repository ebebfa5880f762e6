/** `skep completion`: prints scripts with which a shell completes commands and flags. */
import { Argument, Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { completionScript, shells, type Completed } from "./output/completion.ts";
import { print } from "./output/print.ts";
import { kindOfArgument, kindOfFlag } from "./output/value-kinds.ts";

export function completionCommand(): CommandUnknownOpts {
  return new Command("completion")
    .addArgument(new Argument("<shell>", "the shell that is to complete").choices(shells))
    .addHelpText(
      "after",
      `
For the present user:
  bash  skep completion bash > ~/.local/share/bash-completion/completions/skep
  zsh   skep completion zsh > a folder of $fpath, as the file _skep
  fish  skep completion fish > ~/.config/fish/completions/skep.fish
  PowerShell  skep completion powershell >> $PROFILE

Names of Hives, locales, branches and ids are asked of the server or the storage that flags
or variables name, or of the server of skep.yaml with the token of skep login.`,
    )
    .action(async (shell, _flags, command) => {
      print(completionScript(shell, await completed(command)));
    });
}

/** The program with all its commands. Only completion loads them all; other runs load only the command that they run. */
async function completed(command: CommandUnknownOpts): Promise<Completed> {
  const { commands } = await import("./table.ts");
  const inner: Completed[] = [];
  for (const { description, load } of commands) {
    inner.push(describe((await load()).description(description), "skep"));
  }
  const program = command.parent ?? new Command("skep");
  return { ...describe(program, ""), commands: inner };
}

/** @param above the words before its name. */
function describe(command: CommandUnknownOpts, above: string): Completed {
  const path = `${above} ${command.name()}`.trim();
  const help = command.createHelp();
  return {
    name: command.name(),
    description: command.description(),
    flags: help.visibleOptions(command).map(({ long, short, description, required, argChoices }) => ({
      names: [long, short].filter((name) => name != null),
      description,
      takesValue: required,
      choices: argChoices ?? [],
      hasNames: required && kindOfFlag(long) !== undefined,
    })),
    hasNames: command.registeredArguments.some((arg) => kindOfArgument(path, arg.name()) !== undefined),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    // Without earlier names of commands, which help does not show either.
    commands: help
      .visibleCommands(command)
      .flatMap((one) => (one.name() === "help" ? [] : describe(one, path))),
  };
}
