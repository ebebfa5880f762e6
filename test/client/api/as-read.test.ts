/** What the client takes of answers of servers that are newer or older than it. */
import { expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { asRead, type Read } from "../../../src/client/api/as-read.ts";
import { count, named } from "../../../src/api/objects.ts";
import { recordSchema } from "../../../src/domain/record-schema.ts";

const part = z.object({ kind: z.enum(["a", "b"]) });
const declared = named("Declared", {
  kind: z.enum(["a", "b"]),
  time: z.iso.datetime(),
  counts: z.record(z.string(), count),
  parts: z.array(part),
  part: part.nullable(),
  reach: z.union([z.literal("all"), z.array(part)]),
  is: z.boolean().optional(),
  length: z.int().min(1).max(9).optional(),
  named: recordSchema(z.string().max(1), z.strictObject({ kind: z.enum(["a"]) })).optional(),
});
const sent = {
  kind: "a",
  time: "2026-01-31T00:00:00Z",
  counts: { fr: 1 },
  parts: [{ kind: "b" }],
  part: { kind: "a" },
  reach: [{ kind: "a" }],
  is: true,
};

it.each([
  ["a word", { ...sent, kind: "c" }],
  ["a word in a list", { ...sent, parts: [{ kind: "c" }] }],
  ["a word where there may be nothing", { ...sent, part: { kind: "c" } }],
  ["a word in one of several", { ...sent, reach: [{ kind: "c" }] }],
  ["a time in another form", { ...sent, time: "2026-01-31" }],
  ["a number beyond what is known", { ...sent, length: 10 }],
  ["a word below any name", { ...sent, named: { long: { kind: "c" } } }],
  ["nothing where that may be", { ...sent, part: null, is: undefined }],
])("takes %s that a newer server has", (_, answer) => {
  expect(asRead(declared).parse(answer)).toEqual(answer);
});

it("leaves out members that are not declared, and keeps those of a loose object", () => {
  const newer = { ...sent, part: { kind: "a", more: 1 }, more: [1] };
  expect(asRead(declared).parse(newer)).toEqual(sent);
  expect(asRead(declared.loose()).parse(newer)).toEqual({ ...sent, more: [1] });
});

it.each([
  ["no object", []],
  ["a member that is missing", { ...sent, parts: undefined }],
  ["another kind of value", { ...sent, counts: { fr: "1" } }],
  ["a number for a word", { ...sent, kind: 1 }],
  ["a name that no object can have", { ...sent, named: JSON.parse('{"__proto__":{"kind":"a"}}') }],
])("refuses %s, as what is not from Skep", (_, answer) => {
  expect(asRead(declared).safeParse(answer).success).toBe(false);
});

it("says so of types", () => {
  expectTypeOf<Read<z.output<typeof part>>>().toEqualTypeOf<{ readonly kind: string }>();
});
