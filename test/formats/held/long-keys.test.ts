/** A text whose key is longer than keys may be stays in its file; all others are read and written as without it. */
import { describe, expect, it } from "vitest";
import { maxKeyBytes } from "../../../src/domain/strings/string-file.ts";
import { bytesOf, editOf, textOf } from "../../helpers/format-properties.ts";
import { smallFileOf, withSmallFiles } from "./small-files.ts";

const long = "k".repeat(maxKeyBytes + 1);
/** The first key of each small file, where it stands. */
const firstKey = /(?<!About )\ba\b|Sign in\./g;

/** YAML has no key of more than 1,024 characters on a line. */
const refusing: ReadonlySet<string> = new Set(["yaml", "rails"]);

describe.each(withSmallFiles.filter(({ name }) => !refusing.has(name)))("a file of $what", (small) => {
  const { template, context } = smallFileOf(small.what);
  const file = textOf(template).replaceAll(firstKey, long);

  it("has its other texts, and names the line of the one that is not read", async () => {
    const { parse } = await small.load();
    const before = parse(template, context);
    const { texts, tooLong, nonTextValues, content, notes } = parse(bytesOf(file), context);
    const first = (key: string): boolean => /^(?:.*\b)?(?:a|Sign in\.)(?:\.|$)/.test(key);
    expect(texts).toEqual(new Map([...before.texts].filter(([key]) => !first(key))));
    expect(JSON.stringify(content)).not.toContain(long);
    expect(notes).toEqual(new Map([...before.notes].filter(([key]) => !first(key))));
    expect(nonTextValues.some((key) => key.includes(long))).toBe(true);
    const line = textOf(template).slice(0, textOf(template).search(firstKey)).split("\n").length;
    expect(tooLong[0]).toMatchObject({ line, message: expect.stringContaining("is longer than 4096 bytes") });
  });

  it("keeps it when another text is written", async () => {
    const { parse, write } = await small.load();
    const { texts, content: shape } = parse(bytesOf(file), context);
    const [[other, text] = ["", ""]] = texts;
    expect(textOf(write(editOf({ template: bytesOf(file), texts, shape }), context))).toBe(file);
    const changed = textOf(
      write(editOf({ template: bytesOf(file), texts: new Map([[other, `${text} new`]]), shape }), context),
    );
    expect(changed).not.toBe(file);
    expect(changed.split(long)).toHaveLength(file.split(long).length);
    expect(parse(bytesOf(changed), context).texts.get(other)).toBe(`${text} new`);
  });
});

it("names a few of very many, and refuses a file whose keys are too long together", async () => {
  const { context } = smallFileOf("json");
  const json = await withSmallFiles.find(({ what }) => what === "json")?.load();
  const fileOf = (length: number) =>
    bytesOf(`{"${long}": {${Array.from({ length }, (_, i) => `"${i}k": "x"`).join(",")}, "last": {}}}`);
  const parsed = json?.parse(fileOf(100), context);
  expect([parsed?.tooLong.length, parsed?.nonTextValues, parsed?.texts.size]).toEqual([1, [long], 0]);
  const inGroup = long.slice(3);
  const deep = (length: number) => bytesOf(textOf(fileOf(length)).replace(long, inGroup));
  expect(json?.parse(deep(100), context)).toMatchObject({ tooLong: { length: 21 }, texts: new Map() });
  expect(() => json?.parse(deep(20_000), context)).toThrow("has keys that are too long together");
});

it("counts the bytes of a key with the names of its groups", async () => {
  const { template, context } = smallFileOf("json");
  const json = await withSmallFiles.find(({ what }) => what === "json")?.load();
  const keysOf = (name: string) => {
    const file = textOf(template).replace('"b"', `"${name}"`);
    return [...(json?.parse(bytesOf(file), context).texts.keys() ?? [])];
  };
  const others = ["a", "g.l.0", "g.l.1"];
  const longest = `${"あ".repeat(1364)}kk`;
  expect(Buffer.byteLength(`g.${longest}`)).toBe(maxKeyBytes);
  expect(keysOf(longest)).toEqual([others[0], `g.${longest}`, ...others.slice(1)]);
  expect(keysOf(`${longest}k`)).toEqual(others);
  // Without the tenth part, those behind it would not have their indices any more.
  const list = "l".repeat(maxKeyBytes - 2);
  const listOf = (length: number) =>
    `{"${list}": ${JSON.stringify(Array.from({ length }, String))}, "b": "x"}`;
  expect(json?.parse(bytesOf(listOf(10)), context).texts.size).toBe(11);
  expect([...(json?.parse(bytesOf(listOf(12)), context).texts.keys() ?? [])]).toEqual(["b"]);
});
