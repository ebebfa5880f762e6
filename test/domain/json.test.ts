import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { parseJson, type JsonLimits } from "../../src/domain/json.ts";
import { finish } from "../../src/domain/steps.ts";
import { runs } from "../helpers/runs.ts";

const parse = (text: string | Uint8Array, limits?: JsonLimits): unknown =>
  finish(parseJson(typeof text === "string" ? Buffer.from(text) : text, limits));

/** A value, written so that the order of names counts, or the message of what it fails with. */
function outcomeOf(read: () => unknown): string {
  try {
    return JSON.stringify(read());
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

describe("JSON", () => {
  it("has the value, or the error, of JSON.parse", () => {
    const json = fc.json().chain((text) =>
      fc
        .tuple(fc.nat(text.length), fc.nat(1), fc.constantFrom(",", "}", "]", "{", "[", '"', ":", ""))
        .map(([at, length, typed]) => text.slice(0, at) + typed + text.slice(at + length))
        .map((text) => Buffer.from(text).toString()),
    );
    fc.assert(
      fc.property(json, (text) => {
        expect(outcomeOf(() => parse(text, { maxValues: 1_000 }))).toBe(outcomeOf(() => JSON.parse(text)));
      }),
      { numRuns: runs(300) },
    );
  });

  it("has the value, or the error, of JSON.parse when it is parsed in parts", () => {
    const name = fc.constantFrom("files", "a", "__proto__", "1", "ü\uFEFF");
    const json = fc
      .dictionary(name, fc.oneof(fc.dictionary(fc.oneof(name, fc.string()), fc.jsonValue()), fc.jsonValue()))
      .map((value) => JSON.stringify(value))
      .chain((text) =>
        fc
          .tuple(
            fc.nat(text.length),
            fc.nat(1),
            fc.constantFrom(",", "}", "]", "{", '"', ":", "\uFEFF", "1", ""),
          )
          .map(([at, length, typed]) => Buffer.from(text.slice(0, at) + typed + text.slice(at + length))),
      );
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 20 }), (bytes, partBytes) => {
        const inParts = (): unknown => finish(parseJson(bytes, { maxValues: 1_000 }, partBytes));
        const text = bytes.toString().replace(/^\uFEFF/, "");
        expect(outcomeOf(inParts)).toBe(outcomeOf(() => JSON.parse(text)));
      }),
      { numRuns: runs(200) },
    );
  });

  it.each([
    ["an object in the place of a name", '{{"a":1,"b":2}:1}'],
    ["a member that comes twice", '{"f":{"a":1,"b":2},"f":{"c":1,"d":2}}'],
    ["a comma at the end", '{"f":{"a":1,"b":2,}}'],
    ["a bracket of another kind at the end", '{"f":{"a":1,"b":2]}'],
  ])("has the value, or the error, of JSON.parse in parts: %s", (_, text) => {
    const inParts = (): unknown => finish(parseJson(Buffer.from(text), { maxValues: 1_000 }, 1));
    expect(outcomeOf(inParts)).toBe(outcomeOf(() => JSON.parse(text)));
  });

  it("of many files is parsed some files at a time", () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`${i}.json`, "x".repeat(1_000)]));
    const bytes = Buffer.from(JSON.stringify({ base: "a", files }));
    const parsed = vi.spyOn(JSON, "parse");
    expect(finish(parseJson(bytes, { maxValues: 100 }, 1_500))).toEqual({ base: "a", files });
    expect(Math.max(...parsed.mock.calls.map(([text]) => text.length))).toBeLessThan(2_100);
  });

  it("loses its byte order mark", () => {
    expect(parse('\uFEFF{"a":"\uFEFF"}')).toEqual({ a: "\uFEFF" });
  });

  it("must be UTF-8 throughout", () => {
    const bytes = Buffer.from(JSON.stringify(["text"]));
    bytes[3] = 0xff;
    expect(() => parse(bytes)).toThrow(TypeError);
  });

  it("that is large is scanned, decoded and parsed with pauses in between", () => {
    const bytes = Buffer.from(JSON.stringify(Array.from({ length: 40_000 }, (_, i) => `text ${i}`)));
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const parsed = vi.spyOn(JSON, "parse");
    const done: string[] = [];
    for (const steps = parseJson(bytes, { maxValues: 200_000 }); steps.next().done !== true;)
      done.push(`${decode.mock.calls.length} decoded, ${parsed.mock.calls.length} parsed`);
    expect(done).toEqual(["0 decoded, 0 parsed", "1 decoded, 0 parsed", "1 decoded, 1 parsed"]);
  });
});

describe("limits", () => {
  it.each([
    ["elements", "[1,2,3,4,5]", 5],
    ["members", '{"a":1,"b":2,"c":3}', 3],
    ["lists in lists", "[[],[],[]]", 6],
    ["objects", '[{"a":{}},{"b":[]}]', 6],
  ])("count %s", (_, text, values) => {
    expect(parse(text, { maxValues: values })).toEqual(JSON.parse(text));
    expect(() => parse(text, { maxValues: values - 1 })).toThrow(`more than ${values - 1} values`);
  });

  it("count nothing in a string, however it is escaped", () => {
    const text = JSON.stringify(['[{,"\\', '\\",,,', "[".repeat(100), "\\\\"]);
    expect(parse(text, { maxValues: 4 })).toEqual(JSON.parse(text));
  });

  it("end nesting at 64 levels", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(() => parse(nested(64), { maxValues: 100 })).not.toThrow();
    expect(() => parse(nested(65), { maxValues: 100 })).toThrow("is nested deeper than 64 levels");
  });

  it("are checked before anything is decoded or parsed", () => {
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const parsed = vi.spyOn(JSON, "parse");
    for (const text of ["[1,2,3]", "[".repeat(100)]) expect(() => parse(text, { maxValues: 2 })).toThrow();
    expect(decode.mock.calls.length + parsed.mock.calls.length).toBe(0);
  });
});
