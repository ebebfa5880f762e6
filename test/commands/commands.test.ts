/** The table of commands says of each what the command says of itself. */
import { Help } from "commander";
import { expect, it } from "vitest";
import { commands } from "../../src/commands/table.ts";
import { skep } from "../helpers/process.ts";

it.each(commands)("skep --help shows $name as it is", async ({ name, takes, load }) => {
  const command = await load();
  expect(new Help().subcommandTerm(command)).toBe(`${name} ${takes}`.trimEnd());
  // It is said in the table alone.
  expect(command.description()).toBe("");
});

it("says that a flag before the command belongs after it", async () => {
  expect(await skep("--json", "push", "--dry-run")).toEqual({
    code: 2,
    stdout: "",
    stderr: "skep: write the flags of a command after it: skep push --dry-run --json\n",
  });
  expect((await skep("--jsn")).stderr).toContain("unknown option '--jsn'");
});
