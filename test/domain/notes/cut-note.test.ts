import { describe, expect, it } from "vitest";
import { cutNote } from "../../../src/domain/notes/cut-note.ts";
import { noteLimits } from "../../../src/domain/notes/note.ts";

describe("a note of an app's file", () => {
  it("stays as it is within the limits", () => {
    const note = {
      note: "On the button\nthat logs in.",
      max_length: 12,
      max_length_unit: "columns",
      tags: ["checkout", "php-format"],
      where: ["src/login.ts:12"],
      keep: true,
      arguments: { count: { type: "int", example: "3" } },
    } as const;
    expect(cutNote(note)).toEqual(note);
  });

  it("is cut by code points", () => {
    const cut = cutNote({ note: "😀".repeat(3000) })?.note ?? "";
    expect(Array.from(cut)).toHaveLength(noteLimits.note);
    expect(cut.endsWith("😀…")).toBe(true);
    expect(cutNote({ note: "😀".repeat(2000) })?.note).toBe("😀".repeat(2000));
  });

  it.each([
    ["an empty text", { note: " \n" }],
    ["half of a pair", { note: "\ud800" }],
    ["a tag with a comma", { tags: ["a,b"] }],
    ["a tag that turns the direction", { tags: ["a\u202eb"] }],
    ["a place of two lines", { where: ["a\nb"] }],
    ["no length", { max_length: 0, max_length_unit: "columns" } as const],
    ["half a character", { max_length: 1.5 }],
    ["an argument without a name", { arguments: { "": { type: "int" } } }],
    ["an argument of which nothing is said", { arguments: { n: {} } }],
  ])("is left out where all of it is %s", (_, note) => {
    expect(cutNote(note)).toBeUndefined();
  });

  it("keeps the first of too many tags, places and arguments, each once", () => {
    const many = Array.from({ length: 100 }, (_, i) => `t${i % 60}`);
    const args = Object.fromEntries(many.map((name) => [name, { type: "int" }]));
    const cut = cutNote({ tags: many, where: many, arguments: args });
    expect(cut?.tags).toEqual(many.slice(0, noteLimits.tags));
    expect(cut?.where).toEqual(many.slice(0, noteLimits.where));
    expect(Object.keys(cut?.arguments ?? {})).toEqual(many.slice(0, noteLimits.arguments));
  });

  it("has no argument that changes the object it is in", () => {
    const hostile = { arguments: JSON.parse('{"__proto__": {"type": "int"}, "n": {"type": "int"}}') };
    expect(Object.getPrototypeOf(cutNote(hostile)?.arguments)).toBe(Object.prototype);
  });
});
