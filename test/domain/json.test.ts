import { describe, expect, test, vi } from "vitest";
import fc from "fast-check";
import { parseJson } from "../../src/domain/json.ts";
import { memberNames } from "../../src/domain/members.ts";
import { finish } from "../../src/domain/steps.ts";
import { runs } from "../helpers/runs.ts";

const parse = (text: string | Uint8Array): unknown =>
  finish(parseJson(typeof text === "string" ? Buffer.from(text) : text));

/** What a parser makes of a text: its value, written so that the order of names counts, or that it fails. */
function outcomeOf(read: () => unknown): string {
  try {
    return JSON.stringify(read());
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

/** More than a piece, so that JSON is cut at the next comma. */
const padding = " ".repeat(70_000);
/** Stand for it, and for a long text, in what is generated: counterexamples can be read then. */
const pad = "~";
const long = "%";
const padded = (text: string): string =>
  text.replaceAll(pad, padding).replaceAll(long, "x".repeat(1_000_000));

/** JSON as text: names come twice, and there is so much space between some of its parts that it is parsed in pieces. */
const texts = fc.letrec<{ value: string; list: string; object: string; space: string }>((tie) => ({
  space: fc.oneof({ weight: 4, arbitrary: fc.constant("") }, fc.constant(pad)),
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom('"text"', '"ü€😀,{["', String.raw`"\"\\\u00fc"`, "1.5", "null"),
    tie("list"),
    tie("object"),
  ),
  list: fc
    .array(fc.tuple(tie("space"), tie("value")), { maxLength: 4 })
    .map((all) => `[${all.map((one) => one.join("")).join(",")}]`),
  object: fc
    .array(
      fc.tuple(fc.constantFrom("a", "b", "1", "0", "__proto__", 'c\\"d', ""), tie("value"), tie("space")),
      {
        maxLength: 5,
      },
    )
    .map((all) => `{${all.map(([name, value, space]) => `${space}"${name}" :${value}${space}`).join(",")}}`),
}));

/** Long enough to be parsed in pieces in any case. */
const large = fc
  .array(texts.value, { minLength: 2, maxLength: 4 })
  .map((all) => `{"list":[${all.join(`,${pad.repeat(4)}`)}],"rest":"${long}"}`);

test("JSON that is parsed as a whole is scanned, decoded and parsed with pauses in between", () => {
  const bytes = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, i) => `é${i}`)));
  expect(bytes.length).toBeLessThan(262_144);
  const decode = vi.spyOn(TextDecoder.prototype, "decode");
  const parse = vi.spyOn(JSON, "parse");
  const done: string[] = [];
  for (const steps = parseJson(bytes, { maxValues: 200_000 }); steps.next().done !== true;) {
    done.push(`${decode.mock.calls.length} decoded, ${parse.mock.calls.length} parsed`);
  }
  vi.restoreAllMocks();
  expect(done).toEqual(["0 decoded, 0 parsed", "1 decoded, 0 parsed"]);
});

describe("Large JSON", () => {
  test("has the value that JSON.parse gives, in the same order", () => {
    fc.assert(
      fc.property(large, (short) => {
        const text = padded(short);
        expect(outcomeOf(() => parse(text))).toBe(outcomeOf(() => JSON.parse(text)));
      }),
      { numRuns: runs(10) },
    );
  });

  test("is refused with the message of JSON.parse when it is malformed", () => {
    const mistakes = fc.tuple(
      fc.nat(),
      fc.nat(1),
      fc.constantFrom(",", "}", "]", "{", "[", '"', ":", "", "1"),
    );
    fc.assert(
      fc.property(large, mistakes, (text, [place, length, typed]) => {
        const at = place % text.length;
        // Half of a character outside the BMP becomes what stands for no character.
        const wrong = Buffer.from(padded(text.slice(0, at) + typed + text.slice(at + length))).toString();
        expect(outcomeOf(() => parse(wrong))).toBe(outcomeOf(() => JSON.parse(wrong)));
      }),
      { numRuns: runs(10) },
    );
  });

  test("that is malformed is not parsed again as a whole", () => {
    const members = Array.from({ length: 50_000 }, (_, i) => `"key ${i}":"some text ${i}"`);
    const text = `{"ü😀":{${members.join(",")},"last" 1}}`;
    const fault = parse.bind(undefined, text);
    const whole = outcomeOf(() => JSON.parse(text));
    const parsed = vi.spyOn(JSON, "parse");
    const outcome = outcomeOf(fault);
    const longest = Math.max(...parsed.mock.calls.map(([part]) => part.length));
    vi.restoreAllMocks();
    expect(outcome).toBe(whole);
    expect(longest).toBeLessThan(200_000);
  });

  test.each([
    ["a comma after the last member", `{"a":1,${padding}${padding}}`],
    ["a comma before the first element", `[${padding.repeat(9)},1]`],
    [
      "a comma too many at the end of an inner list",
      `{"a":[1,${padding.repeat(9)},"b":[2${padding},],"c":3}`,
    ],
    ["a list closed as an object", `{"a":[1${padding.repeat(9)},2},"b":3}`],
    ["two commas", `{"a":[1,${padding.repeat(4)},${padding.repeat(4)},2]}`],
    ["a colon in the place of a comma", `{"a":1,${padding}"b","c":"d","e":"f":"g",${padding}"h":1}`],
    ["no name before a colon", `{"a":1,${padding}:2,${padding}"b":3}`],
    ["a number for a name", `{"a":1,${padding}2:3,${padding}"b":4}`],
    ["a member in a list", `[1,${padding}"b":4,${padding}5]`],
    ["an element in an object", `{"a":1,${padding}"b",${padding}"c":5}`],
    ["two values", `{"a":1}${padding.repeat(9)},{"b":2}`],
  ])("with %s is malformed", (_, text) => {
    expect(() => parse(text.padStart(1_100_000))).toThrow(SyntaxError);
  });

  test("loses its byte order mark", () => {
    const text = JSON.stringify({ a: "x".repeat(600_000), b: "y".repeat(600_000), c: "\uFEFF" });
    expect(parse(`\uFEFF${text}`)).toEqual(JSON.parse(text));
  });

  test("must be UTF-8 throughout", () => {
    const bytes = Buffer.from(JSON.stringify(Array.from({ length: 200_000 }, (_, i) => `text ${i}`)));
    bytes[bytes.length - 10] = 0xff;
    expect(() => parse(bytes)).toThrow(TypeError);
  });

  test("leaves the loop between its pieces", () => {
    const file = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key_${i}`, `text ${i}`]));
    const bytes = Buffer.from(JSON.stringify({ files: { "app.json": file } }));
    expect([...parseJson(bytes)].length).toBeGreaterThan(bytes.length / 200_000);
    // Comparing texts is much faster than comparing so many members.
    expect(JSON.stringify(parse(bytes))).toBe(bytes.toString());
  });

  test.each([
    ["names", (i: number) => `key_${i}`],
    ["names like integers among others", (i: number) => (i % 1_000 === 7 ? String(50_000 - i) : `key_${i}`)],
    ["names that come again", (i: number) => `key_${i % 30_000}`],
  ])("of very many members with %s keeps their names in order", (_, nameOf) => {
    const members = Array.from({ length: 60_000 }, (_, i) => `"${nameOf(i)}":"some text ${i}"`);
    const value = parse(`{${members.join(",")}}`);
    const names = typeof value === "object" && value !== null ? value : {};
    const found = memberNames(names).join();
    expect(found).toBe(Object.keys(names).join());
    expect(found).toBe(Object.keys(JSON.parse(`{${members.join(",")}}`)).join());
  });
});
