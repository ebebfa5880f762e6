/** `skep person`, with the commands and flags that it had before `edit --disabled`. */
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { nounCommand } from "./operations/operation-command.ts";
import { storageCommand, storageSettings } from "./program/command.ts";
import { givenSettings } from "./program/settings.ts";

export async function personCommand(): Promise<CommandUnknownOpts> {
  const person = await nounCommand("person");
  const edit = person.commands.find((command) => command.name() === "edit");
  for (const name of ["hive", "locale"]) {
    edit?.addOption(new Option(`--all-${name}s`).hideHelp());
    edit?.on(`option:all-${name}s`, () => edit.setOptionValueWithSource(name, ["all"], "cli"));
  }
  for (const [name, flag] of [
    ["disable", "--disabled"],
    ["enable", "--no-disabled"],
  ] as const) {
    const command = storageCommand(name, person, true)
      .description(`Use skep person edit ${flag} instead.`)
      .argument("<id>", "the id of the person")
      .action(async (id) => {
        const own = givenSettings(command, storageSettings);
        await person.parseAsync(["edit", id, flag, ...own], { from: "user" });
      });
  }
  return person;
}
