/** The settings that all commands share, apart from the others: the program takes them before a command is loaded. */
import type { Command } from "commander";

/** By name; people put them in front of a command's name too. */
const shared = ["storage", "config"];

/** Lets the program take the settings that all its commands share, wherever they stand. */
export function addSharedSettings(program: Command): Command {
  return program
    .option("--storage <dir>", "the folder that holds everything, for every command")
    .option("--config <file>", "a file of settings, for every command");
}

/** Gives a command what the program was given: commander hands it every flag that it knows, wherever that stands. */
export function takeFromProgram(command: Command): void {
  for (let outer = command.parent; outer !== null; outer = outer.parent) {
    for (const name of shared) {
      if (outer.getOptionValueSource(name) !== "cli") continue;
      command.setOptionValueWithSource(name, outer.getOptionValue(name), "cli");
    }
  }
}
