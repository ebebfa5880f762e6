/**
 * The commands of declared operations as data, which the build writes into a file: help, completion and requests over HTTP
 * need no schemas then. The server checks what is sent.
 */
import type { z } from "zod";
import { membersOf, type Member } from "./members.ts";
import { nouns } from "./nouns.ts";
import type { Noun, Operation } from "./operation.ts";
import type { CommandDocs } from "./operation-docs.ts";
import { pageQuery } from "./page.ts";

/** A member of a request as the command line takes it. */
export interface CommandValue extends Pick<Member, "takes" | "choices" | "whole" | "pair"> {
  /** Its name in JSON. */
  readonly member: string;
  /** Its name on the command line; one of a list is given at a time. */
  readonly name: string;
  readonly help: string;
  /** The word that stands for `null`, if it may be that. */
  readonly none?: string;
  /** See {@link MemberDocs.reads}. */
  readonly reads?: "secret";
  /** The member that it is a member of, if that is an object. */
  readonly within?: string;
}

export interface CommandFlag extends CommandValue {
  readonly isRequired: boolean;
}

/** A command that sends one request. */
export interface OperationCommand extends Pick<Operation, "method" | "path" | "verb" | "takesBranch"> {
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
  /** Whether arguments and flags are parameters of the query. */
  readonly sendsQuery?: true;
  /** See {@link CommandDocs}. */
  readonly prints?: string;
  readonly printed?: string;
  readonly shows?: true;
  readonly fails?: string;
  readonly done?: string;
  readonly failed?: string;
  readonly was?: string;
  readonly wasAsked?: true;
  readonly asksName?: true;
  readonly omits?: readonly string[];
}

/** The commands of a noun. */
export interface NounCommands extends Pick<
  Noun,
  "noun" | "called" | "about" | "path" | "names" | "label" | "columns" | "nulls"
> {
  readonly commands: readonly OperationCommand[];
}

/** The commands of one noun. */
export function commandsOf({ operations, ...docs }: Noun): NounCommands {
  const { noun, called, about, path, names, label, columns, nulls } = docs;
  const commands = Object.values(operations).flatMap((one) =>
    one.command === "none" ? [] : commandOf(docs, one, one.command),
  );
  return { noun, called, about, path, names, label, columns, nulls, commands };
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
  const { verb, method, path, summary, description, query, body, takesBranch } = operation;
  const { name = verb, args = [], help = plain(description), members = {}, ...others } = command;
  const params = Array.from(path.matchAll(/:(\w+)/g), ([, param = ""]) => param);
  // The commands of lists show all pages.
  const given = verb === "list" ? query?.omit(pageMask(query)) : (body?.schema ?? query);
  const values = given === undefined ? [] : flagsOf(membersOf(given), docs, members);
  return {
    name,
    verb,
    method,
    path,
    takesBranch,
    summary,
    help,
    params: params.map((param) => {
      const [title, usual] = paramOf(param, docs);
      return [title, members[param]?.help ?? usual];
    }),
    args: args.flatMap((arg) => values.filter(({ member }) => member === arg)),
    flags: values.filter(({ member }) => !args.includes(member)),
    isPaged: query !== undefined && "page" in query.shape,
    sendsQuery: values.length > 0 && body === undefined ? true : undefined,
    prints: others.prints,
    printed: others.printed,
    shows: others.shows,
    fails: others.fails,
    done: others.done,
    failed: others.failed,
    was: others.was,
    wasAsked: others.wasAsked,
    asksName: others.asksName,
    omits: others.omits,
  };
}

/** The members of a query that say which page is wanted. */
function pageMask({ shape }: z.ZodObject): Readonly<Record<string, true>> {
  return Object.fromEntries(
    Object.keys(pageQuery.shape).flatMap((name) => (name in shape ? [[name, true] as const] : [])),
  );
}

/** A parameter of a path as an argument, with what it is. */
function paramOf(
  param: string,
  { key, noun, called = noun, names = "id" }: Omit<Noun, "operations">,
): readonly [string, string] {
  if (param === "slug") return ["hive", "the Hive"];
  return param === key ? [param, `the ${names} of the ${called}`] : [param, param];
}

/** The flags of members: a member that is an object has one for each of its own. */
function flagsOf(
  members: readonly Member[],
  noun: Pick<Noun, "nulls">,
  docs: NonNullable<CommandDocs["members"]>,
  within?: string,
): readonly CommandFlag[] {
  return members.flatMap((member) =>
    member.members === undefined
      ? flagOf(member, noun, docs, within)
      : flagsOf(member.members, noun, docs, member.name),
  );
}

function flagOf(
  { name: member, takes, choices, whole, pair, isRequired, isNullable, description = member }: Member,
  { nulls = {} }: Pick<Noun, "nulls">,
  docs: NonNullable<CommandDocs["members"]>,
  within: string | undefined,
): CommandFlag {
  const word = nulls[member] ?? (takes === "list" ? "all" : "none");
  // One of its own values goes before the word for `null`.
  const none = isNullable && choices?.includes(word) !== true ? word : undefined;
  const { [within === undefined ? member : `${within}.${member}`]: said } = docs;
  const { flag: name = flagName(member, takes), help = helpOf(description, none), reads } = said ?? {};
  const value = { member, within, name, help, takes, choices, none, whole, pair, reads };
  return { ...value, isRequired: isRequired && within === undefined };
}

/** The description of a member with the word that stands for `null`. */
function helpOf(description: string, none: string | undefined): string {
  const text = description.replaceAll("`null`", none ?? "null").replaceAll("`", "");
  return none === "none" && text === description ? text.replace(/\.?$/, " (or none)$&") : text;
}

/** A description in Markdown for a terminal. */
function plain(description: string | undefined): string | undefined {
  return description?.replaceAll("`", "").replaceAll(/(?=.{91})(.{1,90}) /g, "$1\n");
}

/** The name of a flag: `custom-code`, and of a list that of one of its elements. */
function flagName(member: string, takes: CommandValue["takes"]): string {
  const name = member.replaceAll("_", "-");
  return takes === "list" ? name.replace(/ies$/, "y").replace(/s$/, "") : name;
}
