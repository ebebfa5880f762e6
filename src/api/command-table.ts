/**
 * The commands of declared operations as data, which the build writes into a file: help, completion and requests over HTTP
 * need no schemas then. The server checks what is sent.
 */
import { z } from "zod";
import { isRecord } from "../domain/record.ts";
import { nouns } from "./nouns.ts";
import type { CommandDocs, Noun, Operation } from "./operation.ts";

/** A member of a request as the command line takes it. */
export interface CommandValue {
  /** Its name in JSON. */
  readonly member: string;
  /** Its name on the command line; one of a list is given at a time. */
  readonly name: string;
  readonly help: string;
  /** `time`: a time, or a span from now such as `90d`. */
  readonly takes: "text" | "number" | "switch" | "list" | "time";
  readonly choices?: readonly string[];
  /** The word that stands for `null`, if it may be that. */
  readonly none?: string;
  /** A word that stands for itself where others are elements of a list. */
  readonly whole?: string;
}

export interface CommandFlag extends CommandValue {
  readonly isRequired: boolean;
}

/** A command that sends one request. */
export interface OperationCommand extends Pick<Operation, "method" | "path" | "verb"> {
  readonly name: string;
  readonly summary: string;
  /** What its help says at the end. */
  readonly help?: string;
  /** The parameters of its path, which are its first arguments, with what each is. */
  readonly params: readonly (readonly [name: string, help: string])[];
  /** Members of the body that are arguments, after those. */
  readonly args: readonly CommandValue[];
  /** The other members of the body, or the parameters of the query. */
  readonly flags: readonly CommandFlag[];
  /** Whether a list has pages. */
  readonly isPaged: boolean;
  /** See {@link CommandDocs}. */
  readonly prints?: string;
  readonly fails?: string;
  readonly done?: string;
  readonly failed?: string;
  readonly was?: string;
  readonly wasAsked?: true;
}

/** The commands of a noun. */
export interface NounCommands extends Pick<
  Noun,
  "noun" | "about" | "path" | "names" | "label" | "columns" | "nulls"
> {
  readonly commands: readonly OperationCommand[];
}

/** The commands of one noun. */
export function commandsOf({ operations, ...docs }: Noun): NounCommands {
  const { noun, about, path, names, label, columns, nulls } = docs;
  const commands = Object.values(operations).flatMap((one) =>
    one.command === "none" ? [] : commandOf(docs, one, one.command),
  );
  return { noun, about, path, names, label, columns, nulls, commands };
}

/** The commands of all nouns, for the file that the build writes. */
export async function allCommands(): Promise<readonly NounCommands[]> {
  const loaded = await Promise.all(Object.values(nouns).map((load): Promise<Noun> => load()));
  return loaded.map(commandsOf);
}

function commandOf(
  docs: Omit<Noun, "operations">,
  operation: Operation,
  command: CommandDocs = {},
): OperationCommand {
  const { verb, method, path, summary, description, query, body } = operation;
  const { name = verb, args = [], help = plain(description), ...others } = command;
  const params = Array.from(path.matchAll(/:(\w+)/g), ([, param = ""]) => param);
  // The commands of lists show all pages.
  const given = verb === "list" ? undefined : (body?.schema ?? query);
  const values = given === undefined ? [] : valuesOf(given, docs);
  return {
    name,
    verb,
    method,
    path,
    summary,
    help,
    params: params.map((param) => paramOf(param, docs)),
    args: args.flatMap((arg) => values.filter(({ member }) => member === arg)),
    flags: values.filter(({ member }) => !args.includes(member)),
    isPaged: query !== undefined && "page" in query.shape,
    prints: others.prints,
    fails: others.fails,
    done: others.done,
    failed: others.failed,
    was: others.was,
    wasAsked: others.wasAsked,
  };
}

/** A parameter of a path as an argument, with what it is. */
function paramOf(
  param: string,
  { key, noun, names = "id" }: Omit<Noun, "operations">,
): readonly [string, string] {
  if (param === "slug") return ["hive", "the Hive"];
  return param === key ? [param, `the ${names} of the ${noun}`] : [param, param];
}

const jsonObject = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.json())).default({}),
  required: z.array(z.string()).default([]),
});

function valuesOf(schema: z.ZodObject, { nulls = {} }: Pick<Noun, "nulls">): readonly CommandFlag[] {
  // Made anew: one with a name in the document would be a reference to it.
  const json = z.toJSONSchema(z.object(schema.shape), { io: "input", unrepresentable: "any" });
  const { properties, required } = jsonObject.parse(json);
  return Object.entries(properties).map(([member, property]): CommandFlag => {
    const kinds = kindsOf(property);
    const types = kinds.map(({ type }) => type);
    const takes = takenAs(kinds);
    const { description } = property;
    const isNullable = types.includes("null");
    const none = isNullable ? (nulls[member] ?? (takes === "list" ? "all" : "none")) : undefined;
    const [whole] = takes === "list" ? kinds.flatMap(({ const: only }) => stringOf(only)) : [];
    return {
      member,
      name: flagName(member, takes),
      help: helpOf(typeof description === "string" ? description : member, none),
      takes,
      choices: choicesOf(kinds),
      none,
      whole,
      isRequired: required.includes(member),
    };
  });
}

/** The description of a member with the word that stands for `null`. */
function helpOf(description: string, none: string | undefined): string {
  const text = description.replaceAll("`null`", none ?? "null").replaceAll("`", "");
  return none === "none" && text === description ? `${text} (none for none)` : text;
}

/** A description in Markdown for a terminal. */
function plain(description: string | undefined): string | undefined {
  return description?.replaceAll("`", "").replaceAll(/(?=.{91})(.{1,90}) /g, "$1\n");
}

type Kind = Readonly<Record<string, z.core.util.JSONType>>;

/** The kinds of values that a member may have, each as a schema. */
function kindsOf(schema: Kind): readonly Kind[] {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => (isKind(each) ? kindsOf(each) : []));
  return Array.isArray(type) ? type.map((one) => Object.assign({}, schema, { type: one })) : [schema];
}

function stringOf(value: unknown): readonly string[] {
  return typeof value === "string" ? [value] : [];
}

function isKind(value: z.core.util.JSONType): value is Kind {
  return isRecord(value);
}

function takenAs(kinds: readonly Kind[]): CommandValue["takes"] {
  const types = new Set(kinds.map(({ type }) => type));
  if (types.has("array")) return "list";
  if (types.has("boolean")) return "switch";
  if (kinds.some(({ format }) => format === "date-time")) return "time";
  return types.has("integer") || types.has("number") ? "number" : "text";
}

/** The values that a member, or an element of it, can have, if they are few. */
function choicesOf(kinds: readonly Kind[]): readonly string[] | undefined {
  const choices = kinds.flatMap(({ enum: own, const: only, items }) => {
    const { enum: ofItems } = items !== undefined && isKind(items) ? items : {};
    const values = own ?? ofItems ?? (kinds.some(({ type }) => type === "array") ? [] : only);
    return values === undefined ? [] : [values].flat().map(String);
  });
  return choices.length === 0 ? undefined : choices;
}

/** The name of a flag: `custom-code`, and of a list that of one of its elements. */
function flagName(member: string, takes: CommandValue["takes"]): string {
  const name = member.replaceAll("_", "-");
  return takes === "list" ? name.replace(/ies$/, "y").replace(/s$/, "") : name;
}
