/** Values of the domain as responses have them. */
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { encode, type Encodable } from "../../../src/http/schemas/encode.ts";

const limit = z.object({ max_length: z.int().nullable(), unit: z.string().optional() });
const schema = z.object({
  key: z.string(),
  source_value: z.string(),
  left: z.int().nullable().optional(),
  by_locale: z.record(z.string(), limit),
  all: z.array(limit),
});

describe("encode", () => {
  it("takes members in camel case or as they are in JSON, in the order of the schema, and no others", () => {
    const value = { sourceValue: "A", secret: "x", key: "a", byLocale: {}, all: [] };
    expect(JSON.stringify(encode(schema, value))).toBe(
      '{"key":"a","source_value":"A","by_locale":{},"all":[]}',
    );
    const json = { key: "a", source_value: "A", by_locale: {}, all: [] };
    expect(encode(schema, json)).toEqual(json);
  });

  it("writes null for what may be null and is missing, and leaves out what may be missing", () => {
    const value = { key: "a", sourceValue: "A", byLocale: {}, all: [{}, { maxLength: 4, unit: "columns" }] };
    const all = [{ max_length: null }, { max_length: 4, unit: "columns" }];
    expect(encode(schema, value)).toEqual({ key: "a", source_value: "A", by_locale: {}, all });
    expect(encode(schema, { ...value, left: null })).toMatchObject({ left: null });
  });

  it("takes maps for records, with any names", () => {
    const byLocale = new Map([["__proto__", { maxLength: 1 }]]);
    const text = JSON.stringify(encode(schema, { key: "a", sourceValue: "A", byLocale, all: [] }));
    expect(text).toContain('"by_locale":{"__proto__":{"max_length":1}}');
  });

  it("is held to the schema by the compiler", () => {
    type Value = Encodable<z.input<typeof limit>>;
    expectTypeOf<{ readonly maxLength?: number }>().toExtend<Value>();
    expectTypeOf<{ readonly max_length: number | null }>().toExtend<Value>();
    expectTypeOf<{ readonly maxLength: string }>().not.toExtend<Value>();
    expectTypeOf<{ readonly key: string }>().not.toExtend<Encodable<z.input<typeof schema>>>();
  });
});
