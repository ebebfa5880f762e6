/** Answers as the client reads them: the server may be newer, and have more members and more words than are declared. */
import { z } from "zod";

/** What is known of a value that was read: which words there are is the server's matter. */
export type Read<Value> = Value extends string
  ? string
  : Value extends readonly (infer Element)[]
    ? readonly Read<Element>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Read<Value[Name]> }
      : Value;

const made = new WeakMap<z.core.$ZodType, z.ZodType>();

/**
 * The schema by which the client reads what another one declares: a text may be any text, and a number any number.
 * Members that are not declared are left out, but those of a loose object, which stay. What older servers do not send
 * must be optional.
 */
export function asRead<Schema extends z.ZodType>(schema: Schema): z.ZodType<Read<z.output<Schema>>>;
export function asRead(schema: z.core.$ZodType): z.ZodType;
export function asRead(schema: z.core.$ZodType): z.ZodType {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const read = convert(schema);
  made.set(schema, read);
  return read;
}

function convert(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const members = Object.entries<z.core.$ZodType>(schema.shape);
    const read = z.object(Object.fromEntries(members.map(([name, member]) => [name, asRead(member)])));
    return schema.def.catchall instanceof z.ZodUnknown ? read.loose() : read;
  }
  if (schema instanceof z.ZodArray) return z.array(asRead(schema.element));
  if (schema instanceof z.ZodRecord) return z.record(z.string(), asRead(schema.valueType));
  if (schema instanceof z.ZodNullable) return z.nullable(asRead(schema.unwrap()));
  if (schema instanceof z.ZodOptional) return z.optional(asRead(schema.unwrap()));
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map((option) => asRead(option)));
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodStringFormat) return z.string();
  if (schema instanceof z.ZodString) return z.string();
  if (schema instanceof z.ZodNumber) return z.number();
  // Checked for names that an object cannot have, and then read.
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform)
    return z.pipe(schema.in, asRead(schema.out));
  // Switches and what is not looked into: nothing can be added to them.
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError("an answer is declared by whole schemas");
}
