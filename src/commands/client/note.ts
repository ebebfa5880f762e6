/** `skep note`: shows what is said about a string, and changes what the team says. */
import { InvalidArgumentError, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { NoteReport } from "../../client/notes.ts";
import { lengthUnits } from "../../domain/checks/length.ts";
import { noteLimits, type TeamNote, type TeamNoteChange } from "../../domain/notes/note.ts";
import { onOneLine } from "../output/terminal.ts";
import { print } from "../output/print.ts";
import { clientCommand, printResult, runOnProject, type ClientFlags } from "./client-command.ts";

interface NoteFlags extends ClientFlags {
  readonly ask?: string;
  readonly maxLength?: number;
  readonly maxLengthUnit?: TeamNote["max_length_unit"];
  readonly tag?: readonly string[];
  readonly keep?: boolean;
}

export function noteCommand(): CommandUnknownOpts {
  return clientCommand("note")
    .argument("<string>", "a key with its file, such as auth.json:failed")
    .argument("[text]", "what the text is for; an empty text removes the note")
    .option("--ask <text>", "a question to whoever knows the string; an empty text removes it")
    .option("--max-length <n>", "how many characters a translation may have; 0 for no limit", toLength)
    .addOption(
      new Option(
        "--max-length-unit <unit>",
        "what --max-length counts: characters, or columns of a terminal",
      ).choices(lengthUnits),
    )
    .option("--tag <tags>", "its tags, in place of those it has; an empty text removes them", toTags)
    .option("--keep", "the text is not to be translated")
    .option("--no-keep", "the text is to be translated")
    .action(async (place, text, flags) => {
      const { editNote } = await import("../../client/notes.ts");
      const change = toChange(text, flags);
      const use = Object.keys(change).length > 0 ? "write" : "read";
      const result = await runOnProject(flags, use, (project) => editNote(project, place, change));
      printResult(flags, result, printReport);
    });
}

function toLength(text: string): number {
  const length = /^[0-9]+$/.test(text) ? Number(text) : Infinity;
  if (length <= noteLimits.maxLength) return length;
  throw new InvalidArgumentError(`It must be a whole number, at most ${noteLimits.maxLength}.`);
}

function toTags(text: string, before: readonly string[] = []): readonly string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...before, ...tags.filter((tag) => tag !== "")];
}

function toChange(
  note: string | undefined,
  { ask, maxLength, maxLengthUnit, tag, keep }: NoteFlags,
): TeamNoteChange {
  return {
    ...(note !== undefined && { note: note || null }),
    ...(ask !== undefined && { ask: ask || null }),
    ...(maxLength !== undefined && { max_length: maxLength || null }),
    ...(maxLength === 0 && { max_length_unit: null }),
    ...(maxLengthUnit !== undefined && { max_length_unit: maxLengthUnit }),
    ...(tag !== undefined && { tags: tag.length > 0 ? [...new Set(tag)] : null }),
    ...(keep !== undefined && { keep: keep || null }),
  };
}

function printReport({ file, key, app, team, isChanged }: NoteReport): void {
  print(`${file}: ${onOneLine(key)}${isChanged ? " (changed)" : ""}`);
  const parts = [
    ["team", team],
    ["app", app],
  ] as const;
  for (const [who, note] of parts) for (const line of linesOf(note)) print(`  ${who} ${line}`);
  if (app === undefined && team === undefined) print("  Nothing is said about it.");
}

function linesOf(note: TeamNote | undefined): readonly string[] {
  return Object.entries(note ?? {}).map(([member, value]: [string, unknown]) => {
    const text =
      typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : JSON.stringify(value);
    return `${member}: ${onOneLine(text)}`;
  });
}
