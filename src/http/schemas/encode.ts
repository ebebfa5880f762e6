/** Writes values of the domain as the schema of a response has them. */
import { z } from "zod";
import { isRecord } from "../../domain/record.ts";

type CamelName<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelName<Rest>>}`
  : Name;

/** The members that a schema takes from a value; one that is `null` in JSON may be missing. */
type Members<Shape> = {
  readonly [Name in keyof Shape as null extends Shape[Name] ? never : Name]: Encodable<Shape[Name]>;
} & {
  readonly [Name in keyof Shape as null extends Shape[Name] ? Name : never]?: Encodable<Shape[Name]>;
};

/**
 * What can be written as a value of JSON: members in camel case (`maxLength`) or as they are in JSON, further members,
 * undefined for `null`, and maps for records.
 */
export type Encodable<Json> = unknown extends Json
  ? unknown
  : Json extends readonly unknown[]
    ? { readonly [Index in keyof Json]: Encodable<Json[Index]> }
    : Json extends object
      ? string extends keyof Json
        ? EncodableRecord<Json[keyof Json]>
        : Members<Json> | Members<{ [Name in keyof Json as CamelName<Name>]: Json[Name] }>
      : Json;

type EncodableRecord<Member> =
  | Readonly<Record<string, Encodable<Member>>>
  | ReadonlyMap<string, Encodable<Member>>;

type Encoder = (value: unknown) => unknown;

const asIs: Encoder = (value) => value;

const encoders = new WeakMap<z.core.$ZodType, Encoder>();

/** Writes a value as JSON by the schema of a response: with its members alone, in its order. */
export function encode<Schema extends z.ZodType>(
  schema: Schema,
  value: Encodable<z.input<Schema>>,
): z.input<Schema>;
export function encode(schema: z.ZodType, value: unknown): unknown {
  return encoderOf(schema)(value);
}

function encoderOf(schema: z.core.$ZodType): Encoder {
  const encoder = encoders.get(schema) ?? makeEncoder(schema);
  encoders.set(schema, encoder);
  return encoder;
}

function makeEncoder(schema: z.core.$ZodType): Encoder {
  if (schema instanceof z.ZodNullable) {
    const inner = encoderOf(schema.unwrap());
    return (value) => (value === undefined || value === null ? null : inner(value));
  }
  if (schema instanceof z.ZodOptional) {
    const inner = encoderOf(schema.unwrap());
    return (value) => (value === undefined ? undefined : inner(value));
  }
  if (schema instanceof z.ZodArray) {
    const inner = encoderOf(schema.element);
    return inner === asIs ? asIs : (value) => (Array.isArray(value) ? value.map(inner) : value);
  }
  if (schema instanceof z.ZodRecord) {
    const inner = encoderOf(schema.valueType);
    return (value) => {
      const members = value instanceof Map ? [...value] : Object.entries(value ?? {});
      return Object.fromEntries(members.map(([name, member]) => [name, inner(member)]));
    };
  }
  if (!(schema instanceof z.ZodObject)) return asIs;
  const members = Object.entries(schema.shape).map(([name, member]) => {
    const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return { name, camel, inner: encoderOf(member) };
  });
  return (value) => {
    if (!isRecord(value)) return value;
    const encoded = members.map(({ name, camel, inner }) => [
      name,
      inner(value[name in value ? name : camel]),
    ]);
    return Object.fromEntries(encoded);
  };
}
