/** Values of the domain as JSON has them, by its schema: members in camel case there, with `_` here. */
import { z } from "zod";
import { isRecord } from "./record.ts";

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
  : Json extends string
    ? Json
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

/** What a schema reads, as the domain has it: nobody changes it, and its members have names in camel case. */
export type Decoded<Json> = Json extends string
  ? Json
  : Json extends readonly (infer Element)[]
    ? readonly Decoded<Element>[]
    : Json extends object
      ? string extends keyof Json
        ? { readonly [Name in keyof Json]: Decoded<Json[Name]> }
        : { readonly [Name in keyof Json as CamelName<Name>]: Decoded<Json[Name]> }
      : Json;

/** What a schema reads, where the domain has the names of JSON: nobody changes it. */
export type Immutable<Json> = Json extends string
  ? Json
  : Json extends readonly (infer Element)[]
    ? readonly Immutable<Element>[]
    : Json extends object
      ? { readonly [Name in keyof Json]: Immutable<Json[Name]> }
      : Json;

type Converter = (value: unknown) => unknown;

const asIs: Converter = (value) => value;

const encoders = new WeakMap<z.core.$ZodType, Converter>();
const decoders = new WeakMap<z.core.$ZodType, Converter>();

/**
 * Writes a value as JSON by its schema: with the members of the schema alone, in its order. A member with a default is
 * undefined, which JSON leaves out, where it is as if it were not given.
 */
export function encode<Schema extends z.ZodType>(
  schema: Schema,
  value: Encodable<z.input<Schema>>,
): z.input<Schema>;
export function encode(schema: z.ZodType, value: unknown): unknown {
  return encoderOf(schema)(value);
}

/**
 * The inverse of {@link encode}, for what the schema has checked. Records stay records, `null` stays `null`, and what is
 * missing stays so.
 */
export function decode<Schema extends z.ZodType>(
  schema: Schema,
  value: z.output<Schema>,
): Decoded<z.output<Schema>>;
export function decode(schema: z.ZodType, value: unknown): unknown {
  return decoderOf(schema)(value);
}

function encoderOf(schema: z.core.$ZodType): Converter {
  const encoder = encoders.get(schema) ?? makeEncoder(schema);
  encoders.set(schema, encoder);
  return encoder;
}

function makeEncoder(schema: z.core.$ZodType): Converter {
  if (schema instanceof z.ZodNullable) {
    const inner = encoderOf(schema.unwrap());
    return (value) => (value === undefined || value === null ? null : inner(value));
  }
  if (schema instanceof z.ZodOptional) {
    const inner = encoderOf(schema.unwrap());
    return (value) => (value === undefined ? undefined : inner(value));
  }
  if (schema instanceof z.ZodDefault) {
    const inner = encoderOf(schema.unwrap());
    const { defaultValue } = schema.def;
    const isUsual = isEmpty(defaultValue) ? isEmpty : (encoded: unknown) => encoded === defaultValue;
    return (value) => {
      const encoded = inner(value);
      return isUsual(encoded) ? undefined : encoded;
    };
  }
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform) return encoderOf(schema.out);
  if (schema instanceof z.ZodArray) return ofElements(encoderOf(schema.element));
  if (schema instanceof z.ZodRecord) {
    const inner = encoderOf(schema.valueType);
    return (value) => {
      const members = value instanceof Map ? [...value] : Object.entries(value ?? {});
      return Object.fromEntries(members.map(([name, member]) => [name, inner(member)]));
    };
  }
  if (!(schema instanceof z.ZodObject)) return asIs;
  const members = membersOf(schema, encoderOf);
  return (value) => {
    if (!isRecord(value)) return value;
    // Not from entries: a list of terms or strings has many members, and each would be an array.
    const encoded: Record<string, unknown> = {};
    for (const { name, camel, inner } of members) encoded[name] = inner(value[name in value ? name : camel]);
    return encoded;
  };
}

function decoderOf(schema: z.core.$ZodType): Converter {
  const decoder = decoders.get(schema) ?? makeDecoder(schema);
  decoders.set(schema, decoder);
  return decoder;
}

function makeDecoder(schema: z.core.$ZodType): Converter {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return decoderOf(schema.unwrap());
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform) return decoderOf(schema.out);
  if (schema instanceof z.ZodArray) return ofElements(decoderOf(schema.element));
  if (schema instanceof z.ZodRecord) {
    const inner = decoderOf(schema.valueType);
    if (inner === asIs) return asIs;
    return (value) =>
      isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]))
        : value;
  }
  if (!(schema instanceof z.ZodObject)) return asIs;
  const members = membersOf(schema, decoderOf);
  if (members.every(({ name, camel, inner }) => name === camel && inner === asIs)) return asIs;
  return (value) => {
    if (!isRecord(value)) return value;
    const decoded: Record<string, unknown> = {};
    for (const { name, camel, inner } of members) if (name in value) decoded[camel] = inner(value[name]);
    return decoded;
  };
}

function ofElements(inner: Converter): Converter {
  return inner === asIs ? asIs : (value) => (Array.isArray(value) ? value.map((each) => inner(each)) : value);
}

function membersOf(schema: z.ZodObject, converterOf: (member: z.core.$ZodType) => Converter) {
  return Object.entries(schema.shape).map(([name, member]) => {
    const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return { name, camel, inner: converterOf(member) };
  });
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
