/** What commands of operations print. */
import type { NounCommands, OperationCommand } from "../../api/command-table.ts";
import { isRecord } from "../../domain/record.ts";
import { toPrintableJson } from "../../domain/text.ts";
import { alignCells, print, printable, printList, printNotice } from "../output/print.ts";
import { output } from "../program/output.ts";

type Entity = Readonly<Record<string, unknown>>;

/** A value of JSON as a text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** How a value stands in a table or beside its name: nothing for what is missing or zero. */
function shown(value: unknown, none = ""): string {
  if (value === null || value === undefined) return none;
  if (value === 0 || value === false) return "";
  if (value === true) return "yes";
  if (Array.isArray(value)) return value.map((each) => shown(each)).join(", ");
  return isRecord(value) ? shownMembers(value) : textOf(value);
}

/** An object of two texts as flags take it, and another as its members with their names. */
function shownMembers(value: Entity): string {
  const values = Object.values(value);
  if (values.length === 2 && values.every((one) => typeof one === "string")) return values.join("=");
  const parts = Object.entries(value).map(([name, one]) => [name.replaceAll("_", " "), shown(one)]);
  return parts.flatMap(([name, text]) => (text === "" ? [] : [`${name} ${text}`])).join(", ");
}

/** A member of an answer; after a point, a member of that. */
function memberAt(entity: Entity, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), entity);
}

/** Prints all of a noun as a table, or as the array that the API answers with. */
export function printAll(
  { noun, called = noun, columns, nulls = {}, commands }: NounCommands,
  entities: readonly Entity[],
  json: boolean,
): void {
  const create = commands.some(({ verb }) => verb === "create") ? `; skep ${noun} create makes one` : "";
  const hasTeams = entities.some((entity) => "team" in entity);
  const all = hasTeams ? ["team", ...columns] : columns;
  const cells = all.map((name) => {
    const cell = (entity: Entity): string => shown(entity[name], nulls[name]);
    return [name.replaceAll("_", " ").toUpperCase(), cell] as const;
  });
  return printList(entities, json, Object.fromEntries(cells), { empty: `There is no ${called}${create}.` });
}

/** Prints one of a noun, a member a line. */
function printOne(
  entity: Entity,
  { nulls = {} }: Pick<NounCommands, "nulls">,
  { omits = [] }: Pick<OperationCommand, "omits">,
): void {
  const members = Object.entries(entity).flatMap(([name, value]) => {
    if (omits.includes(name)) return [];
    const title = name.replaceAll("_", " ");
    // What is known of each of several things has a line of its own.
    const inner = isRecord(value) ? Object.entries(value) : [];
    return inner.length > 0 && inner.every(([, one]) => isRecord(one))
      ? inner.map(([key, one]) => [`${title} ${key}`, shown(one)] as const)
      : [[title, shown(value, nulls[name])] as const];
  });
  const lines = alignCells(
    members.filter(([, value]) => value !== ""),
    Infinity,
  );
  for (const line of lines) print(line);
}

const done: Readonly<Record<string, string>> = {
  create: "Created",
  edit: "Changed",
  delete: "Deleted",
};

/**
 * Prints what a command did. One that failed, although it was answered, ends with 1.
 * @param where the server, for what was changed there; undefined for this machine.
 */
export function printDone(
  noun: NounCommands,
  command: OperationCommand,
  {
    entity,
    id,
    json,
    where,
  }: {
    readonly entity: Entity;
    readonly id: string;
    readonly json: boolean;
    readonly where: string | undefined;
  },
): void {
  const { verb, prints, printed, fails, done: own, failed = "It failed" } = command;
  const { [fails ?? ""]: told } = entity;
  const hasFailed = fails === "error" ? typeof told === "string" : told === false;
  if (hasFailed) output().exitCode = 1;
  if (json) return print(toPrintableJson(entity, 2));
  if (verb === "show" || command.shows === true) return printOne(entity, noun, command);
  const what = `${done[verb] ?? "Done:"} the ${noun.called ?? noun.noun} ${id}`;
  const place = where === undefined ? "" : ` on ${where}`;
  if (hasFailed) return print(printable(`${failed}: ${shown(entity["error"])}`));
  const made = prints === undefined ? undefined : memberAt(entity, prints);
  const template = made === undefined ? own : (printed ?? own);
  const said = template?.replaceAll(/\{([\w.]+)\}/g, (_, member: string) => {
    if (member === "place") return place;
    const value = memberAt(entity, member);
    return member === "id" ? id : typeof value === "number" ? String(value) : shown(value);
  });
  if (made === undefined) return print(printable(said ?? `${what}${place}.`));
  const secret = verb === "create" ? `${what}${place}. Its ${prints}` : `The new ${prints}`;
  printNotice(printable(said ?? `${secret} is not shown again:`));
  return print(shown(made));
}
