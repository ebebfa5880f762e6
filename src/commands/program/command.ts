/** What the commands share: opening the storage, parsing arguments, and printing. */
import { Command, InvalidArgumentError } from "commander";
import { duration, wholeNumber, type Kind } from "../../config/kinds.ts";
import { commandAuthor } from "../../domain/commits/commit-message.ts";
import { failure } from "../../domain/errors.ts";
import { toPrintableJson, unprintable } from "../../domain/text.ts";
import type { LocalOptions, Storage } from "../../service/storage.ts";
import type { WriteContext } from "../../service/write-context.ts";
import { output } from "./output.ts";
import { addSettings } from "./settings.ts";

/** The context of a command's write. It is run by hand, and what it deletes comes back by an undo: it has no limit. */
export const commandContext: WriteContext = {
  metadata: { author: commandAuthor },
  maxDeletions: Infinity,
};

export interface StorageFlag {
  readonly storage: string;
}

/** A command that works on a storage folder. */
export function storageCommand(name: string): Command {
  return addSettings(new Command(name), ["storage", "otherUser"]);
}

/** Opens the storage that the flags name. @throws SkepError `not-found` when there is none. */
export async function openNamed(flags: StorageFlag): Promise<Storage> {
  const storage = await openFolder(flags.storage);
  if (storage.registry.exists()) return storage;
  const starters = "skep serve, skep team create and skep restore start one";
  throw failure("not-found", `There is no storage in ${storage.folder}; ${starters}.`);
}

/**
 * Opens a storage folder, whether or not a storage is in it. What reads and writes storages is loaded here, and the
 * services in the actions of the commands: help and mistakes need neither, and loading them takes several times as long
 * as starting Node.
 */
export async function openFolder(folder: string, options?: LocalOptions): Promise<Storage> {
  const { openLocalStorage } = await import("../../service/storage.ts");
  return openLocalStorage(folder, options);
}

/** Opens a storage for a command that starts one in a folder that has none. */
export async function openOrStart({ storage: folder, ...options }: StorageFlag & LocalOptions): Promise<{
  readonly storage: Storage;
  /** Whether the folder had no storage before. */
  readonly isNew: boolean;
}> {
  const storage = await openFolder(folder, options);
  return { storage, isNew: await storage.registry.create() };
}

/** Collects the values of a flag that may be given more than once. */
export function collect<T>(to: (text: string) => T): (text: string, before: readonly T[]) => readonly T[] {
  return (text, before) => [...before, to(text)];
}

/** A kind of text in the form in which commander takes a parser of arguments. */
function argumentOf<T>(kind: Kind<T>): (text: string) => T {
  return (text) => {
    try {
      return kind(text);
    } catch (error) {
      throw new InvalidArgumentError(`It ${error instanceof Error ? error.message : String(error)}.`);
    }
  };
}

/** Parses a whole number that is not negative. @throws InvalidArgumentError when the text is anything else. */
export const toWholeNumber = argumentOf(wholeNumber);

/**
 * Parses a span of time such as `90d` into milliseconds. @throws InvalidArgumentError when the text is anything else.
 */
export const toDuration = argumentOf(duration);

/** Parses a limit that can be removed. @throws InvalidArgumentError when it is neither a number nor `none`. */
export function toLimit(text: string): number | "none" {
  if (text === "none") return "none";
  try {
    return wholeNumber(text);
  } catch {
    throw new InvalidArgumentError("It must be a whole number, or none for no limit.");
  }
}

/** Commands that remove something do so only with `--yes`. @throws SkepError `conflict` with what would happen. */
export function requireYes(yes: boolean, consequence: string): void {
  if (!yes) throw failure("conflict", `${consequence} Add --yes to do it.`);
}

/** Prints a result on stdout. */
export function print(line: string): void {
  output().stdout.write(`${line}\n`);
}

/** Prints a message that is not the result on stderr. */
export function printNotice(line: string): void {
  output().stderr.write(`${line}\n`);
}

/** Prints rows as a table with aligned columns, or as JSON; control characters never reach the terminal. */
export function printList<T extends object>(
  rows: readonly T[],
  {
    json,
    columns,
  }: { readonly json: boolean; readonly columns: Readonly<Record<string, (row: T) => string>> },
): void {
  if (json) return print(toPrintableJson(rows, 2));
  const { isTTY = false, columns: terminal = Infinity } = output().stdout;
  for (const line of toTable(rows, columns, isTTY ? terminal : Infinity)) print(line);
}

/**
 * The lines of a table with aligned columns.
 * @param width the longest a line may be, in characters; longer lines are cut and end with an ellipsis.
 */
export function toTable<T extends object>(
  rows: readonly T[],
  columns: Readonly<Record<string, (row: T) => string>>,
  width: number,
): readonly string[] {
  const titles = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((cell) => printable(cell(row))));
  const widths = titles.map((title, i) =>
    Math.max(title.length, ...cells.map((line) => line[i]?.length ?? 0)),
  );
  return [titles, ...cells].map((line) => {
    const last = line.length - 1;
    const text = line.map((cell, i) => (i === last ? cell : cell.padEnd(widths[i] ?? 0))).join("  ");
    return cut(text.trimEnd(), width);
  });
}

function cut(text: string, width: number): string {
  // A character outside the basic plane is two UTF-16 units long; half of one must not be left at the end.
  return text.length <= width
    ? text
    : `${text.slice(0, Math.max(0, width - 1)).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** A text with its control characters replaced. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, "\u{fffd}");
}
