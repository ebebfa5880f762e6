/** ICU messages that are split into their branches, and joined from them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterChoice,
  beforeChoice,
  branchNames,
  fromParts,
  splitText,
  withParts,
} from "../../../src/domain/glossary/branches.ts";
import { forAllSync } from "../../helpers/runs.ts";

const split = (text: string) => {
  const found = splitText("icu", text);
  if (found === undefined) throw new Error(`${text} cannot be split`);
  return found;
};

/** Messages as people write them: with blanks anywhere, offsets, quotations, arguments, and choices in choices. */
const blank = fc.constantFrom("", " ", "\n  ", "\t");
const words = fc.constantFrom(
  "",
  "file",
  " '{'x'}' ",
  "it''s",
  "{name}",
  "{n, number, ::percent}",
  "#",
  "é 日本",
  "<b>x</b>",
);
const plain = fc.array(words, { maxLength: 3 }).map((texts) => texts.join(" "));
const messages = fc.letrec<{ message: string; choice: string; inner: string }>((tie) => ({
  inner: fc.oneof({ maxDepth: 2 }, plain, tie("choice")),
  choice: fc
    .record({
      kind: fc.constantFrom("plural", "selectordinal", "select"),
      offset: fc.constantFrom("", "offset:1 "),
      names: fc.subarray(["=0", "one", "few", "many"]),
      texts: fc.array(tie("inner"), { minLength: 5, maxLength: 5 }),
      gaps: fc.array(blank, { minLength: 6, maxLength: 6 }),
    })
    .map(({ kind, offset, names, texts, gaps }) => {
      const own = kind === "select" ? names.map((name) => name.replace("=", "is")) : names;
      const branches = [...own, "other"].map(
        (name, i) => `${gaps[i] ?? ""} ${name}${gaps[5 - i] ?? ""}{${texts[i] ?? ""}}`,
      );
      return `{n,${gaps[0] ?? ""}${kind}, ${kind === "select" ? "" : offset}${branches.join("")}${gaps[5] ?? ""}}`;
    }),
  message: fc.tuple(plain, tie("choice"), plain).map((texts) => texts.join("")),
})).message;

describe("the branches of a message", () => {
  it("give the same text where none was changed", () => {
    forAllSync(300, messages, (text) => {
      const found = splitText("icu", text);
      if (found === undefined) return;
      expect(withParts(found, found.parts)).toBe(text);
      expect(withParts(found, new Map())).toBe(text);
    });
  });

  it("are changed one by one, and no other is", () => {
    forAllSync(150, messages, fc.nat(), (text, nth) => {
      const found = splitText("icu", text);
      if (found === undefined) return;
      const name = [...found.parts.keys()][nth % found.parts.size] ?? "";
      const again = splitText("icu", withParts(found, new Map([[name, "Changed"]])));
      expect(again?.parts).toEqual(new Map(found.parts).set(name, "Changed"));
    });
  });

  it("are those of most messages that people write", () => {
    const sample = fc.sample(messages, { numRuns: 200, seed: 7 });
    expect(sample.filter((text) => splitText("icu", text) !== undefined).length).toBeGreaterThan(150);
  });

  it.each([
    ["Hello {name}"],
    ["{a, plural, other {x}} {b, plural, other {y}}"],
    ["{n, plural, one {x}"],
    ["{n, plural, one {x}}"],
    [`{n, plural, ${Array.from({ length: 13 }, (_, i) => `=${i} {x}`).join(" ")} other {y}}`],
  ])("are none of a text that is edited as a whole: %s", (text) => {
    expect(splitText("icu", text)).toBeUndefined();
  });

  it("are none in other syntaxes", () => {
    expect(splitText("i18next", "{n, plural, other {x}}")).toBeUndefined();
  });

  const source = split("In {n, plural, offset:1 =0 {no file} one {# file} other {# files}} now");

  it.each([
    ["pl", ["=0", "one", "few", "many", "other"]],
    ["ja", ["=0", "other"]],
  ])("are those that %s needs", (locale, names) => {
    expect(branchNames(source, undefined, locale)).toEqual(names);
  });

  it("are those of a translation, with those that its language needs as well", () => {
    const translation = split("{n, plural, two {x} other {y}}");
    expect(branchNames(source, translation, "pl")).toEqual(["two", "one", "few", "many", "other"]);
    expect(
      branchNames(split("{g, select, a {x} other {y}}"), split("{g, select, b {x} other {y}}"), "pl"),
    ).toEqual(["b", "other", "a"]);
  });

  it("make a translation of what was written, with the argument and offset of the source text", () => {
    const none = new Map(branchNames(source, undefined, "pl").map((name) => [name, ""]));
    expect(fromParts(source, none)).toBe("");
    expect(fromParts(source, new Map(none).set("few", "# pliki").set("other", "# pliku"))).toBe(
      "{n, plural, offset:1 few {# pliki} other {# pliku}}",
    );
    expect(
      fromParts(
        source,
        new Map([
          [beforeChoice, "W "],
          ["one", "#"],
          [afterChoice, " teraz"],
        ]),
      ),
    ).toBe("W {n, plural, offset:1 one {#} other {}} teraz");
  });

  it("are added in front of the last, as the others stand, and not where they are empty", () => {
    const found = split("{n, plural,\n  one {x}\n  other {y}\n}");
    expect(
      withParts(
        found,
        new Map([
          ["few", "z"],
          ["many", ""],
        ]),
      ),
    ).toBe("{n, plural,\n  one {x}\n  few {z}\n  other {y}\n}");
    expect(withParts(split("{n, plural, other {y}}"), new Map([["one", "x"]]))).toBe(
      "{n, plural, other {y} one {x}}",
    );
  });
});
