/** `skep completion`: prints scripts with which a shell completes commands and flags. */
import { Argument, Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { completionScript, shells, type Completed } from "./output/completion.ts";
import { print } from "./output/print.ts";

export function completionCommand(): CommandUnknownOpts {
  return new Command("completion")
    .addArgument(new Argument("<shell>", "the shell that is to complete").choices(shells))
    .addHelpText(
      "after",
      `
For the present user:
  bash  skep completion bash > ~/.local/share/bash-completion/completions/skep
  zsh   skep completion zsh > a folder of $fpath, as the file _skep
  fish  skep completion fish > ~/.config/fish/completions/skep.fish`,
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
    inner.push(describe((await load()).description(description)));
  }
  const program = command.parent ?? new Command("skep");
  return { ...describe(program), commands: inner };
}

function describe(command: CommandUnknownOpts): Completed {
  const help = command.createHelp();
  return {
    name: command.name(),
    description: command.description(),
    flags: help.visibleOptions(command).map(({ long, short, description, required, argChoices }) => ({
      names: [long, short].filter((name) => name != null),
      description,
      takesValue: required,
      choices: argChoices ?? [],
    })),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    // Without earlier names of commands, which help does not show either.
    commands: help.visibleCommands(command).flatMap((one) => (one.name() === "help" ? [] : describe(one))),
  };
}
