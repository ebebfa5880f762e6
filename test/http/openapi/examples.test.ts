/** Examples of responses. That each fits its schema is tested with the document. */
import { expect, it } from "vitest";
import { z } from "zod";
import { exampleOf } from "../../../src/http/openapi/examples.ts";

it("gives a member its example by its name, and what it may be where it has none", () => {
  const schema = z.object({
    file: z.string(),
    deleted: z.iso.datetime(),
    moved: z.int().optional(),
    unknown: z.int(),
    reason: z.string().nullable(),
    kind: z.enum(["one", "two"]),
    rows: z.array(z.object({ key: z.string() })),
    by_locale: z.record(z.string(), z.object({ key: z.string() })),
  });
  expect(exampleOf(schema)).toEqual({
    file: "auth.php",
    deleted: "2026-01-31T09:30:00Z",
    unknown: 0,
    reason: null,
    kind: "one",
    rows: [{ key: "failed" }],
    by_locale: { fr: { key: "failed" } },
  });
});

it("takes the example of one object, or of the schema itself, before that of the name", () => {
  expect(exampleOf(z.object({ name: z.string() }).meta({ id: "Tag" }))).toEqual({ name: "v1.2" });
  expect(exampleOf(z.object({ name: z.string().meta({ examples: ["x"] }) }))).toEqual({ name: "x" });
});

it("asks for an example of a text that has none", () => {
  expect(() => exampleOf(z.object({ nickname: z.string() }).meta({ id: "Guest" }))).toThrow("Guest.nickname");
});
