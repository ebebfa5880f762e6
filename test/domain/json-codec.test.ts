/** Values of the domain as JSON has them, and back. */
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { decode, type Decoded, encode, type Encodable } from "../../src/domain/json-codec.ts";
import type { HiveSlug } from "../../src/domain/names.ts";
import { recordSchema } from "../../src/domain/record-schema.ts";

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

  it("leaves out what is as its default", () => {
    const withDefaults = z.object({
      kind: z.enum(["a", "b"]).default("a"),
      all: z.array(limit).default([]),
      named: recordSchema(z.string(), limit).default({}),
    });
    const written = (value: Encodable<z.input<typeof withDefaults>>) =>
      JSON.stringify(encode(withDefaults, value));
    expect(written({ kind: "a", all: [], named: new Map() })).toBe("{}");
    expect(written({ kind: "b", all: [{}], named: new Map([["a_b", { maxLength: 1 }]]) })).toBe(
      '{"kind":"b","all":[{"max_length":null}],"named":{"a_b":{"max_length":1}}}',
    );
  });

  it("is held to the schema by the compiler", () => {
    type Value = Encodable<z.input<typeof limit>>;
    expectTypeOf<{ readonly maxLength?: number }>().toExtend<Value>();
    expectTypeOf<{ readonly max_length: number | null }>().toExtend<Value>();
    expectTypeOf<{ readonly maxLength: string }>().not.toExtend<Value>();
    expectTypeOf<{ readonly key: string }>().not.toExtend<Encodable<z.input<typeof schema>>>();
  });
});

describe("decode", () => {
  it("is the inverse, with names of the schema in camel case and those of records as they are", () => {
    const json = {
      key: "a",
      source_value: "A",
      left: null,
      by_locale: { pt_BR: { max_length: null, unit: "columns" } },
      all: [{ max_length: 4 }],
    };
    const value = decode(schema, json);
    expect(value).toEqual({
      key: "a",
      sourceValue: "A",
      left: null,
      byLocale: { pt_BR: { maxLength: null, unit: "columns" } },
      all: [{ maxLength: 4 }],
    });
    expect(encode(schema, value)).toEqual(json);
    expectTypeOf<typeof value>().toEqualTypeOf<Decoded<z.output<typeof schema>>>();
    expectTypeOf(value.all[0]?.maxLength).toEqualTypeOf<number | null | undefined>();
  });

  it("leaves out what is missing, so that it replaces nothing", () => {
    const value = decode(schema, { key: "a", source_value: "A", by_locale: {}, all: [{ max_length: 1 }] });
    expect(Object.keys(value)).toEqual(["key", "sourceValue", "byLocale", "all"]);
    expect(Object.keys(value.all[0] ?? {})).toEqual(["maxLength"]);
  });

  it("keeps the brands of names", () => {
    const named = z.object({ hive_slug: z.custom<HiveSlug>(), all: z.array(z.custom<HiveSlug>()) });
    expectTypeOf<Decoded<z.output<typeof named>>>().toEqualTypeOf<{
      readonly hiveSlug: HiveSlug;
      readonly all: readonly HiveSlug[];
    }>();
    expectTypeOf<{ readonly hiveSlug: string; readonly all: [] }>().not.toExtend<
      Encodable<z.input<typeof named>>
    >();
  });
});
