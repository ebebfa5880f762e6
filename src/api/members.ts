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
  /** In Markdown. */
  readonly description?: string;
  /** The pattern that texts match. */
  readonly pattern?: string;
}

const jsonObject = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.json())).default({}),
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
  const { properties, required } = jsonObject.parse(json);
  return Object.entries(properties).map(([name, property]): Member => {
    const kinds = kindsOf(property);
    const takes = takenAs(kinds);
    const [whole] = takes === "list" ? kinds.flatMap(({ const: only }) => stringOf(only)) : [];
    const [description] = stringOf(property["description"]);
    const [pattern] = kinds.flatMap((kind) => stringOf(kind["pattern"]));
    return {
      name,
      takes,
      choices: choicesOf(kinds),
      whole,
      isRequired: required.includes(name),
      isNullable: kinds.some(({ type }) => type === "null"),
      description,
      pattern,
    };
  });
}

/** The kinds of values that a member may have, each as a schema. */
function kindsOf(schema: Kind): readonly Kind[] {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => (isKind(each) ? kindsOf(each) : []));
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
