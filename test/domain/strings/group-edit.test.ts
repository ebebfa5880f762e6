import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  translatableTexts,
  type Group,
  fromGroup,
  sameGroup,
} from "../../../src/domain/strings/string-file.ts";
import { someTexts, stringFile, throughJson } from "../../helpers/arbitraries.ts";
import { contentOf } from "../../helpers/hive.ts";
import { addKeys, editTexts, project, translationFile } from "../../../src/domain/strings/group-edit.ts";
import { forAllSync } from "../../helpers/runs.ts";

function added(present: Group, payload: Group): string {
  const known = contentOf(present).texts;
  return JSON.stringify(addKeys(present, payload, (key) => !known.has(key)));
}

describe("adding keys", () => {
  it.each<[string, Group, Group, string]>([
    [
      "after those of their group",
      { a: "1", n: { x: "1" } },
      { n: { y: "2" }, b: "3" },
      '{"a":"1","n":{"x":"1","y":"2"},"b":"3"}',
    ],
    ["in the nesting of the payload", { a: "1" }, { n: { m: { y: "2" } } }, '{"a":"1","n":{"m":{"y":"2"}}}'],
    [
      "not again under another spelling",
      { "n.x": "1" },
      { n: { x: "1", y: "2" } },
      '{"n.x":"1","n":{"y":"2"}}',
    ],
    ["without an empty group for keys that are there", { "n.x": "1" }, { n: { x: "1" } }, '{"n.x":"1"}'],
    [
      "as one dotted key where the path is a text",
      { a: "1" },
      { a: { b: { c: "2" } } },
      '{"a":"1","a.b.c":"2"}',
    ],
    [
      "deeper, where a part of the path is a text",
      { n: { a: "1" } },
      { n: { a: { b: "2" } } },
      '{"n":{"a":"1","a.b":"2"}}',
    ],
    [
      "over a group, whose keys become dotted ones",
      { a: { b: "1", c: { d: "2" } }, z: "3" },
      { a: "4" },
      '{"a.b":"1","a.c.d":"2","z":"3","a":"4"}',
    ],
    ["over a list, whose keys become dotted ones", { d: ["Mon"] }, { d: "Days" }, '{"d.0":"Mon","d":"Days"}'],
    ["at the end of a list", { d: ["Mon"] }, { d: ["Mon", "Tue"] }, '{"d":["Mon","Tue"]}'],
    [
      "at the end of a list by a dotted name in an object",
      { d: ["Mon"] },
      { d: { "1": "Tue" } },
      '{"d":["Mon","Tue"]}',
    ],
    [
      "to a list with a gap, which becomes an object",
      { d: ["Mon"] },
      { d: { "2": "Wed" } },
      '{"d":{"0":"Mon","2":"Wed"}}',
    ],
    [
      "to a list by name, which becomes an object",
      { d: ["Mon"] },
      { d: { x: "X" } },
      '{"d":{"0":"Mon","x":"X"}}',
    ],
    [
      "below a text in a list",
      { d: ["Mon"] },
      { d: [{ long: "Monday" }] },
      '{"d":{"0":"Mon","0.long":"Monday"}}',
    ],
    [
      "to a list by a name that lists have",
      { d: ["Mon"] },
      { d: { length: "L" } },
      '{"d":{"0":"Mon","length":"L"}}',
    ],
    [
      "below what a dissolved group becomes",
      { k: { x: "1" }, "k.x": { y: "2" } },
      { k: "3", "k.x": { z: "4" } },
      '{"k.x":"1","k.x.y":"2","k":"3","k.x.z":"4"}',
    ],
    ["beside an empty group that a dissolved one leaves", { a: { b: [] } }, { a: "1" }, '{"a.b":[],"a":"1"}'],
    ["with integer-like names first", { a: "1", 7: "2" }, { 3: "3" }, '{"3":"3","7":"2","a":"1"}'],
    ["and empty groups", { a: "1" }, { e: [], n: { f: {} } }, '{"a":"1","e":[],"n":{"f":{}}}'],
    ["but no empty group over a text", { a: "1" }, { a: [] }, '{"a":"1"}'],
    [
      "past a dotted group that the dissolved one would hit",
      { a: { b: { c: "1" } }, "a.b": { d: "2" } },
      { a: "3" },
      '{"a.b.c":"1","a.b":{"d":"2"},"a":"3"}',
    ],
    [
      "past a dotted text",
      { a: { b: { c: "1" } }, "a.b": "2" },
      { a: "3" },
      '{"a.b.c":"1","a.b":"2","a":"3"}',
    ],
    [
      "past a group of the same dotted name",
      { a: { b: { c: "1" } }, "a.b.c": { d: "2" } },
      { a: "3" },
      '{"a.b.c":"1","a.b.c.d":"2","a":"3"}',
    ],
  ])("works: %s", (_, present, payload, expected) => expect(added(present, payload)).toBe(expected));

  it("keeps every present key with its text, adds every new one, and is the same after a restart", () => {
    forAllSync(250, stringFile, stringFile, (present, payload) => {
      const group = addKeys(present.group, payload.group, (key) => !present.texts.has(key));
      const { texts } = contentOf(throughJson(group));
      expect(new Map([...texts].toSorted())).toEqual(
        new Map([...new Map([...payload.texts, ...present.texts])].toSorted()),
      );
      expect(sameGroup(group, throughJson(group))).toBe(true);
      const again = addKeys(group, payload.group, (key) => !texts.has(key));
      expect(sameGroup(again, group)).toBe(true);
    });
  });

  it("does not change its arguments", () => {
    const present = { a: { b: "1" } };
    addKeys(present, { a: "2", c: "3" }, () => true);
    expect(present).toEqual({ a: { b: "1" } });
  });
});

describe("replacing texts", () => {
  it("keeps place and shape", () => {
    const replaced = (key: string, text: string) => (key === "a.1.b" ? "z" : text);
    const group = editTexts({ a: ["x", { b: "y" }], e: [] }, replaced);
    expect(JSON.stringify(group)).toBe('{"a":["x",{"b":"z"}],"e":[]}');
  });
});

describe("projecting a source on its translations", () => {
  const source = { a: "A", days: ["Mon", "Tue", "Wed"], n: { x: "X", e: [] }, attributes: [] };

  it.each<[Record<string, string>, string | undefined]>([
    [{ "n.x": "1", a: "2" }, '{"a":"2","n":{"x":"1"}}'],
    [{ "days.0": "Mo", "days.1": "Di" }, '{"days":["Mo","Di"]}'],
    [{ "days.1": "Di" }, '{"days":{"1":"Di"}}'],
    [{ "days.0": "Mo", "days.2": "Mi" }, '{"days":{"0":"Mo","2":"Mi"}}'],
    [{ unknown: "?" }, undefined],
    [{}, undefined],
  ])("projecting a source on %j gives %s", (texts, expected) =>
    expect(JSON.stringify(project(fromGroup(source), new Map(Object.entries(texts))))).toBe(expected),
  );

  it("a projection holds exactly the given texts, and reads back as they are", () => {
    const example = stringFile.chain((file) => fc.tuple(fc.constant(file), someTexts(file)));
    forAllSync(75, example, ([file, texts]) => {
      const group = project(file, texts);
      const found = group === undefined ? new Map() : fromGroup(throughJson(group)).texts;
      expect(new Map([...found].toSorted())).toEqual(new Map([...texts].toSorted()));
      expect([...found.keys()]).toEqual([...translatableTexts(file).keys()].filter((key) => texts.has(key)));
      const made = translationFile(file, texts);
      expect(made).toEqual(group && { ...fromGroup(group), plurals: undefined });
      expect([...(made?.texts ?? [])]).toEqual([...found]);
    });
  });
});

describe("removing keys", () => {
  it.each<[object, string[], object]>([
    [{ a: "A", b: "B" }, ["a"], { b: "B" }],
    [{ n: { a: "A" }, b: "B" }, ["n.a"], { b: "B" }],
    [{ n: { a: "A", e: [] } }, ["n.b"], { n: { a: "A", e: [] } }],
    [{ n: { e: {}, a: "A" } }, ["n.a"], { n: { e: {} } }],
    [{ days: ["M", "T", "W"] }, ["days.2"], { days: ["M", "T"] }],
    [{ days: ["M", "T", "W"] }, ["days.1"], { days: { 0: "M", 2: "W" } }],
    [["A", "B"], ["0"], { 1: "B" }],
    [{ ["__proto__"]: "P", a: "A" }, ["a"], { ["__proto__"]: "P" }],
  ])("from %j without %j works", (group, keys, expected) => {
    const left = editTexts(contentOf(group).group, (key, text) => (keys.includes(key) ? undefined : text));
    expect(JSON.stringify(left)).toBe(JSON.stringify(expected));
  });
});
