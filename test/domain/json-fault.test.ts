import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonFaultLine } from "../../src/domain/json-fault.ts";
import { forAllSync } from "../helpers/runs.ts";

describe("the line of a fault", () => {
  it.each<[number, string]>([
    [1, '{"a": x}'],
    [3, '{\n"a": "b"\n"c": "d"}'],
    [3, '{\n"a": "b",\n}'],
    [2, '{\n<<<<<<< ours\n"a": "b"\n}'],
    [2, '{"a":\n"b'],
    [1, '{"a": "b"} {}'],
    [2, "[1,\n2 3]"],
    [2, '{"a":\n"b\nc"}'],
    [1, '{"a" "b"}'],
    [2, '{"a": [\n"b"}'],
    [2, '["\\u00e9",\n"\\x"]'],
    [1, ""],
    [3, '{\n"a": "b",\n'],
  ])("is %i in %j", (line, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(jsonFaultLine(text)).toBe(line);
  });

  it("is never before what was broken", () => {
    forAllSync(
      75,
      fc.json(),
      fc.nat(),
      fc.constantFrom("\n]\n", "\n:\n", '\n"\n', "\n?\n"),
      (json, at, fault) => {
        const text = JSON.stringify(JSON.parse(json), null, 1);
        const place = at % (text.length + 1);
        const broken = text.slice(0, place) + fault + text.slice(place);
        let isBroken = false;
        try {
          JSON.parse(broken);
        } catch {
          isBroken = true;
        }
        const first = text.slice(0, place).split("\n").length;
        if (isBroken) expect(jsonFaultLine(broken)).toBeGreaterThanOrEqual(first);
      },
    );
  });
});
