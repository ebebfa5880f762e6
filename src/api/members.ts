/**
 * The members of what a request sends, read from its schema once: commands make arguments and flags of them, and pages the
 * fields of forms.
 */
import { z } from "zod";
import { isRecord } from "../domain/record.ts";

export interface Member {
  /** Its name in JSON. */
  readonly name: string;
  /** `switch`: true or false. `time`: a point in time. `list`: a list of texts. */
  readonly takes: "text" | "number" | "switch" | "list" | "time";
  /** The values that it, or an element of it, can have, if they are few. */
  readonly choices?: readonly string[];
  /** A word that stands for itself where others are elements of a list. */
  readonly whole?: string;
  readonly isRequired: boolean;
  /** Whether it may be `null`. */
  readonly isNullable: boolean;
  /** What it, or an element of a list, may be where that is an object of two texts. */
  readonly pair?: Pair;
  /** The members of one that is another object. */
  readonly members?: readonly Member[];
  /** In Markdown. */
  readonly description?: string;
  /** The pattern that texts match. */
  readonly pattern?: string;
}

/** An object of two texts, which the command line takes as `first=second`. */
export interface Pair {
  readonly names: readonly [first: string, second: string];
  /** Whether a text, which is the first, may stand in its place. */
  readonly isOptional: boolean;
  /** Whether all of them together are an object, with the first texts as names and the second as values. */
  readonly areMembers?: true;
}

const anySchema = z.record(z.string(), z.json());

const jsonObject = z.object({
  properties: z.record(z.string(), anySchema).default({}),
  required: z.array(z.string()).default([]),
});

type Kind = Readonly<Record<string, z.core.util.JSONType>>;

const known = new WeakMap<z.ZodObject, readonly Member[]>();

/** The members of a body or of a query, in the order of its schema. */
export function membersOf(schema: z.ZodObject): readonly Member[] {
  const members = known.get(schema) ?? readMembers(schema);
  known.set(schema, members);
  return members;
}

function readMembers(schema: z.ZodObject): readonly Member[] {
  // Made anew: one with a name in the document would be a reference to it.
  const json = z.toJSONSchema(z.object(schema.shape), { io: "input", unrepresentable: "any" });
  return membersIn(json, definitionsIn(json));
}

const memberPair: Pair = { names: ["name", "value"], isOptional: false, areMembers: true };

function membersIn(schema: unknown, definitions: Definitions): readonly Member[] {
  const { properties, required } = jsonObject.parse(schema);
  return Object.entries(properties).map(([name, property]): Member => {
    const kinds = kindsOf(property, definitions);
    const byName = kinds.find(
      ({ type, additionalProperties }) => type === "object" && isRecord(additionalProperties),
    );
    const takes = byName === undefined ? takenAs(kinds) : "list";
    const [whole] = takes === "list" ? kinds.flatMap(({ const: only }) => stringOf(only)) : [];
    const [description] = [property, ...kinds].flatMap((one) => stringOf(one["description"]));
    const [pattern] = kinds.flatMap((kind) => stringOf(kind["pattern"]));
    const member = {
      name,
      takes,
      choices: choicesOf(kinds),
      whole,
      isRequired: required.includes(name),
      isNullable: kinds.some(({ type }) => type === "null"),
      description,
      pattern,
    };
    const parts = byName === undefined ? objectIn(kinds, definitions) : { pair: memberPair };
    return Object.assign(member, parts);
  });
}

/** The pair that a member or an element of its list may be, or the members of one that is another object. */
function objectIn(kinds: readonly Kind[], definitions: Definitions): Pick<Member, "pair" | "members"> {
  const isList = kinds.some(({ type }) => type === "array");
  const elements = kinds.flatMap((kind) =>
    kind["items"] !== undefined && isKind(kind["items"]) ? kindsOf(kind["items"], definitions) : [kind],
  );
  const object = elements.find(({ type, properties }) => type === "object" && properties !== undefined);
  if (object === undefined) return {};
  const { properties } = jsonObject.parse(object);
  const [first, second, ...others] = Object.keys(properties);
  const areTexts = Object.values(properties).every((one) => kindsOf(one, definitions).every(isText));
  if (first !== undefined && second !== undefined && others.length === 0 && areTexts)
    return { pair: { names: [first, second], isOptional: elements.some(({ type }) => type === "string") } };
  return isList ? {} : { members: membersIn(object, definitions) };
}

function isText({ type }: Kind): boolean {
  return type === "string" || type === "null";
}

/** The schemas that others refer to, by their references. */
type Definitions = ReadonlyMap<unknown, Kind>;

/** A list may have its own, in whatever depth it stands. */
function definitionsIn(schema: unknown, found = new Map<unknown, Kind>()): Definitions {
  if (Array.isArray(schema)) for (const one of schema) definitionsIn(one, found);
  if (!isRecord(schema)) return found;
  const { $defs } = schema;
  for (const [name, one] of Object.entries(isRecord($defs) ? $defs : {}))
    found.set(`#/$defs/${name}`, anySchema.parse(one));
  for (const one of Object.values(schema)) definitionsIn(one, found);
  return found;
}

/** The kinds of values that a member may have, each as a schema. */
function kindsOf(schema: Kind, definitions: Definitions): readonly Kind[] {
  const { type, anyOf, $ref } = schema;
  const referred = definitions.get($ref);
  if (referred !== undefined) return kindsOf(referred, definitions);
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => (isKind(each) ? kindsOf(each, definitions) : []));
  return Array.isArray(type) ? type.map((one) => Object.assign({}, schema, { type: one })) : [schema];
}

function isKind(value: z.core.util.JSONType): value is Kind {
  return isRecord(value);
}

function stringOf(value: unknown): readonly string[] {
  return typeof value === "string" ? [value] : [];
}

function takenAs(kinds: readonly Kind[]): Member["takes"] {
  const types = new Set(kinds.map(({ type }) => type));
  if (types.has("array")) return "list";
  if (types.has("boolean")) return "switch";
  if (kinds.some(({ format }) => format === "date-time")) return "time";
  return types.has("integer") || types.has("number") ? "number" : "text";
}

function choicesOf(kinds: readonly Kind[]): readonly string[] | undefined {
  const choices = kinds.flatMap(({ enum: own, const: only, items }) => {
    const { enum: ofItems } = items !== undefined && isKind(items) ? items : {};
    const values = own ?? ofItems ?? (kinds.some(({ type }) => type === "array") ? [] : only);
    return values === undefined ? [] : [values].flat().map(String);
  });
  return choices.length === 0 ? undefined : choices;
}
