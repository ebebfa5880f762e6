/** The table of commands says of each what the command says of itself. */
import { Help } from "commander";
import { expect, it } from "vitest";
import { commands } from "../../src/commands/table.ts";

it.each(commands)("skep --help shows $name as it is", async ({ name, takes, load }) => {
  const command = await load();
  expect(new Help().subcommandTerm(command)).toBe(`${name} ${takes}`.trimEnd());
  // It is said in the table alone.
  expect(command.description()).toBe("");
});
