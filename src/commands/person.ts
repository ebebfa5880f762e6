/** `skep person`, with the commands and flags that it had before `edit --disabled`. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { nounCommand } from "./operations/operation-command.ts";
import { addEarlierFlag, storageCommand, storageSettings } from "./program/command.ts";
import { givenSettings } from "./program/settings.ts";

export async function personCommand(): Promise<CommandUnknownOpts> {
  const person = await nounCommand("person");
  const edit = person.commands.find((command) => command.name() === "edit");
  if (edit !== undefined)
    for (const name of ["hive", "locale"]) addEarlierFlag(edit, `--all-${name}s`, name, () => ["all"]);
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
