import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { parseJson, type JsonLimits } from "../../src/domain/json.ts";
import { forAll } from "../helpers/runs.ts";

const parse = (text: string | Uint8Array, limits?: JsonLimits): Promise<unknown> =>
  parseJson(typeof text === "string" ? Buffer.from(text) : text, limits);

/** A value, written so that the order of names counts, or the message of what it fails with. */
async function outcomeOf(read: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await read());
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

describe("JSON", () => {
  it("has the value, or the error, of JSON.parse", async () => {
    const json = fc.json().chain((text) =>
      fc
        .tuple(fc.nat(text.length), fc.nat(1), fc.constantFrom(",", "}", "]", "{", "[", '"', ":", ""))
        .map(([at, length, typed]) => text.slice(0, at) + typed + text.slice(at + length))
        .map((text) => Buffer.from(text).toString()),
    );
    await forAll(300, json, async (text) => {
      expect(await outcomeOf(() => parse(text, { maxValues: 1_000 }))).toBe(
        await outcomeOf(() => JSON.parse(text)),
      );
    });
  });

  it("has the value, or the error, of JSON.parse when it is parsed in parts", async () => {
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
    await forAll(200, json, fc.integer({ min: 1, max: 20 }), async (bytes, partBytes) => {
      const inParts = (): Promise<unknown> => parseJson(bytes, { maxValues: 1_000 }, partBytes);
      const text = bytes.toString().replace(/^\uFEFF/, "");
      expect(await outcomeOf(inParts)).toBe(await outcomeOf(() => JSON.parse(text)));
    });
  });

  it.each([
    ["an object in the place of a name", '{{"a":1,"b":2}:1}'],
    ["a member that comes twice", '{"f":{"a":1,"b":2},"f":{"c":1,"d":2}}'],
    ["a comma at the end", '{"f":{"a":1,"b":2,}}'],
    ["a bracket of another kind at the end", '{"f":{"a":1,"b":2]}'],
  ])("has the value, or the error, of JSON.parse in parts: %s", async (_, text) => {
    const inParts = (): Promise<unknown> => parseJson(Buffer.from(text), { maxValues: 1_000 }, 1);
    expect(await outcomeOf(inParts)).toBe(await outcomeOf(() => JSON.parse(text)));
  });

  it("of many files is parsed some files at a time", async () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`${i}.json`, "x".repeat(1_000)]));
    const bytes = Buffer.from(JSON.stringify({ base: "a", files }));
    const parsed = vi.spyOn(JSON, "parse");
    expect(await parseJson(bytes, { maxValues: 100 }, 1_500)).toEqual({ base: "a", files });
    expect(Math.max(...parsed.mock.calls.map(([text]) => text.length))).toBeLessThan(2_100);
  });

  it("loses its byte order mark", async () => {
    expect(await parse('\uFEFF{"a":"\uFEFF"}')).toEqual({ a: "\uFEFF" });
  });

  it("must be UTF-8 throughout", async () => {
    const bytes = Buffer.from(JSON.stringify(["text"]));
    bytes[3] = 0xff;
    await expect(parse(bytes)).rejects.toThrow(TypeError);
  });

  it("that is large is scanned, decoded and parsed with pauses in between", async () => {
    const bytes = Buffer.from(JSON.stringify(Array.from({ length: 40_000 }, (_, i) => `text ${i}`)));
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const parsed = vi.spyOn(JSON, "parse");
    const done: string[] = [];
    vi.spyOn(performance, "now").mockImplementation(() => {
      done.push(`${decode.mock.calls.length} decoded, ${parsed.mock.calls.length} parsed`);
      return 0;
    });
    await parseJson(bytes, { maxValues: 200_000 });
    expect(done).toEqual([
      "0 decoded, 0 parsed",
      "0 decoded, 0 parsed",
      "1 decoded, 0 parsed",
      "1 decoded, 1 parsed",
    ]);
  });
});

describe("limits", () => {
  it.each([
    ["elements", "[1,2,3,4,5]", 5],
    ["members", '{"a":1,"b":2,"c":3}', 3],
    ["lists in lists", "[[],[],[]]", 6],
    ["objects", '[{"a":{}},{"b":[]}]', 6],
  ])("count %s", async (_, text, values) => {
    expect(await parse(text, { maxValues: values })).toEqual(JSON.parse(text));
    await expect(parse(text, { maxValues: values - 1 })).rejects.toThrow(`more than ${values - 1} values`);
  });

  it("count nothing in a string, however it is escaped", async () => {
    const text = JSON.stringify(['[{,"\\', '\\",,,', "[".repeat(100), "\\\\"]);
    expect(await parse(text, { maxValues: 4 })).toEqual(JSON.parse(text));
  });

  it("end nesting at 64 levels", async () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    await parse(nested(64), { maxValues: 100 });
    await expect(parse(nested(65), { maxValues: 100 })).rejects.toThrow("is nested deeper than 64 levels");
  });

  it("are checked before anything is decoded or parsed", async () => {
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const parsed = vi.spyOn(JSON, "parse");
    for (const text of ["[1,2,3]", "[".repeat(100)])
      await expect(parse(text, { maxValues: 2 })).rejects.toThrow();
    expect(decode.mock.calls.length + parsed.mock.calls.length).toBe(0);
  });
});
