/** `skep note`: lists and shows what is said about strings, and changes what the team says. */
import { InvalidArgumentError, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import type { NotedString } from "../../client/api/string-answers.ts";
import type { NoteReport } from "../../client/notes.ts";
import { lengthUnits } from "../../domain/checks/length.ts";
import { noteLimits, type TeamNote, type TeamNoteChange } from "../../domain/notes/note.ts";
import { onOneLine } from "../output/terminal.ts";
import { print, printList, type Columns } from "../output/print.ts";
import { clientGroup, clientPart, printResult, runOnProject, type ClientFlags } from "./client-command.ts";

interface NoteFlags extends ClientFlags {
  readonly ask?: string;
  readonly maxLength?: number;
  readonly maxLengthUnit?: TeamNote["max_length_unit"];
  readonly tag?: readonly string[];
  readonly keep?: boolean;
  readonly machine?: boolean;
}

export function noteCommand(): CommandUnknownOpts {
  const note = clientGroup("note");
  clientPart(note, "list", "List the notes of strings, of the app's files and of the team.", true)
    .option("--file <file>", "only notes of this file, such as auth.json")
    .option("--tag <tags>", "only strings with one of these tags, separated by commas")
    .action(async ({ file, tag, ...flags }) => {
      const found = await runOnProject(flags, "read", ({ hive }) => hive.noteList({ file, tag }));
      printList(found.data, flags.json, columns, { empty: "There is no note; skep note edit makes one." });
    });
  clientPart(note, "show", "Show what is said about a string.", true)
    .argument("<string>", placeHelp)
    .action((place, flags) => run(place, {}, flags));
  noteFlags(clientPart(note, "edit", "Change what the team says about a string.", true))
    .argument("<string>", placeHelp)
    .argument("[text]", textHelp)
    .action((place, text, flags) => {
      const change = toChange(text, flags);
      if (Object.keys(change).length === 0)
        throw new ClientError("misuse", "Give a text, or a flag with what is to change.");
      return run(place, change, flags);
    });
  // `skep note STRING …` shows or changes, as it did before it had commands of its own.
  noteFlags(
    clientPart(note, "edit-or-show", "Use skep note edit or skep note show instead.", true, shortForm),
  )
    .argument("[string]", placeHelp)
    .argument("[text]", textHelp)
    .action((place, text, flags) => {
      if (place === undefined) return note.outputHelp();
      return run(place, toChange(text, flags), flags);
    });
  return note;
}

const placeHelp = "a key with its file, such as auth.json:failed";
const textHelp = "what the text is for; an empty text removes the note";
const shortForm = { hidden: true, isDefault: true };

function noteFlags(command: ReturnType<typeof clientPart>) {
  return command
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
    .option("--machine", "the text may be sent to engines")
    .option("--no-machine", "the text is never sent to an engine");
}

/** Shows what is said about a string, after a change if there is one. */
async function run(place: string, change: TeamNoteChange, flags: ClientFlags): Promise<void> {
  const { editNote } = await import("../../client/notes.ts");
  const use = Object.keys(change).length > 0 ? "write" : "read";
  const result = await runOnProject(flags, use, (project) => editNote(project, place, change));
  printResult(flags, result, printReport);
}

const columns: Columns<NotedString> = {
  FILE: ({ file }) => file,
  KEY: ({ key }) => onOneLine(key),
  NOTE: ({ app, team }) => onOneLine(team?.note ?? app?.note ?? ""),
  QUESTION: ({ team }) => onOneLine(team?.ask ?? ""),
  TAGS: ({ app, team }) => onOneLine([...new Set([...(team?.tags ?? []), ...(app?.tags ?? [])])].join(", ")),
};

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
  { ask, maxLength, maxLengthUnit, tag, keep, machine }: NoteFlags,
): TeamNoteChange {
  return {
    ...(note !== undefined && { note: note || null }),
    ...(ask !== undefined && { ask: ask || null }),
    ...(maxLength !== undefined && { max_length: maxLength || null }),
    ...(maxLength === 0 && { max_length_unit: null }),
    ...(maxLengthUnit !== undefined && { max_length_unit: maxLengthUnit }),
    ...(tag !== undefined && { tags: tag.length > 0 ? [...new Set(tag)] : null }),
    ...(keep !== undefined && { keep: keep || null }),
    ...(machine !== undefined && { machine: machine ? null : false }),
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
