import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import type { Group } from "../../src/domain/strings/string-file.ts";
import type { FileEdit } from "../../src/formats/format.ts";
import { yaml } from "../../src/formats/yaml.ts";
import { bytesOf, editOf, textOf, textsOf } from "../helpers/format-properties.ts";
import { runs } from "../helpers/runs.ts";

/** The lines of a value, of which the first stands behind its name. */
type Lines = readonly string[];

/** Spellings of leaves, as people write them; a block's lines are indented where they are put. */
const leaf: fc.Arbitrary<Lines> = fc.constantFrom<Lines[]>(
  ["word"],
  ["Some words, and more:none"],
  ["'it''s # quoted'"],
  ['"a \\"b\\" \\n\\u00e9"'],
  ["several", "  lines of", "  plain words"],
  ["is it", "  one", "  ?"],
  ['"folded', '  quotes"'],
  ["|", "  one", "    two", "", "  # no comment"],
  ["|-", "  one"],
  ["|+", "  one", ""],
  [">", "  one", "  two", "", "  three"],
  [">-", "  one"],
  ["|2-", "   indented"],
  ["12"],
  ["~"],
  [""],
  ["[a, 'b', 3, \"d\"]"],
  ["[a,", "  b, # two", "  c]"],
  ["{x: a, y: 'b'}"],
  ["{}"],
  ["[]"],
  ["&anchor text"],
  ["!!str 5"],
);

/** Keys with those that stand in braces beside one of them: they can only leave together. */
function withBraces(keys: readonly string[], all: ReadonlyMap<string, string>): readonly string[] {
  const stems = keys.flatMap((key) => /^(?:.*\.)?(?=[xy]$)/.exec(key)?.[0] ?? []);
  return [...all.keys()].filter(
    (key) => keys.includes(key) || stems.some((stem) => key === `${stem}x` || key === `${stem}y`),
  );
}

const comment = fc.constantFrom<Lines[]>(
  [],
  [],
  ["# about it"],
  [""],
  ["", "# about it", "# in two lines"],
  ["# far", ""],
);

/** The lines of a name, as people and Psych write it; the last ends with the colon. */
const name = fc.constantFrom<((word: string) => Lines)[]>(
  (word) => [`${word}:`],
  (word) => [`${word}:`],
  (word) => [`"${word}": `.trimEnd()],
  (word) => [`? ${word}`, ":"],
  (word) => [`? ${word}`, "  of several lines # said", "# about it", ":"],
  (word) => ["? |-", `  ${word}?`, ":"],
);

/** A mapping in lines, whose names are all different. */
const mapping: fc.Arbitrary<Lines> = fc.letrec<{ mapping: Lines; value: Lines; list: Lines }>((tie) => ({
  mapping: fc
    .array(fc.tuple(comment, name, tie("value"), fc.boolean()), { minLength: 1, maxLength: 4 })
    .map((entries) =>
      entries.flatMap(([above, toName, value, hasComment], i) => {
        const [key = "", ...rest] = toName(`k${i}`).toReversed();
        return [...above, ...rest.toReversed(), ...named(key, value, hasComment)];
      }),
    ),
  list: fc
    .array(fc.tuple(comment, fc.oneof({ maxDepth: 2 }, leaf, tie("mapping"))), { minLength: 1, maxLength: 4 })
    .map((elements) => elements.flatMap(([above, value]) => above.concat(element(value)))),
  value: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    { arbitrary: leaf, weight: 4 },
    { arbitrary: tie("mapping").map((lines) => below(indented(lines))), weight: 2 },
    { arbitrary: tie("list").map(below), weight: 1 },
    { arbitrary: tie("list").map((lines) => below(indented(lines))), weight: 1 },
  ),
})).mapping;

/** The lines of a value that begins below its name. */
function below(lines: Lines): Lines {
  return ["", ...lines];
}

function indented(lines: Lines): Lines {
  return lines.map((line) => (line === "" ? "" : `  ${line}`));
}

function named(name: string, [first = "", ...rest]: Lines, hasComment: boolean): Lines {
  const isOpen = rest.length > 0 && first !== "" && !/^[|>]/.test(first);
  const start = first === "" ? name : `${name} ${first}`;
  return [hasComment && !isOpen ? `${start} # said` : start, ...rest];
}

function element(lines: Lines): Lines {
  const [first = "", ...rest] = lines;
  if (first.startsWith("#") || first === "") return ["-", ...indented(lines)];
  return [`- ${first}`, ...indented(rest)];
}

const file = fc
  .tuple(mapping, fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([lines, lineEnd, isEnded]) => lines.join(lineEnd) + (isEnded ? lineEnd : ""));

/** The texts that the yaml package finds, which knows nothing of places. */
function textsByPackage(text: string): Map<string, string> {
  const texts = new Map<string, string>();
  const visit = (value: unknown, key: string): void => {
    if (typeof value === "string") texts.set(key, value);
    else if (typeof value === "object" && value !== null) {
      for (const [name, child] of Object.entries(value)) visit(child, key === "" ? name : `${key}.${name}`);
    }
  };
  visit(parseYaml(text, { version: "1.2" }), "");
  return texts;
}

/** An empty text, or none, holds the place of an element. */
function said(texts: ReadonlyMap<string, string>) {
  return Object.fromEntries([...texts].filter(([, text]) => text !== "").toSorted());
}

const context = { locale: "fr", sourceLocale: "en" };

function write(text: string, edit: Partial<FileEdit>): string {
  return textOf(yaml.write(editOf({ ...edit, template: bytesOf(text) }), context));
}

describe("YAML as people lay it out", () => {
  const texts = fc.constantFrom(
    "x",
    "no",
    "a: b",
    "it's",
    'say "x"',
    "one\ntwo\n",
    "one\n\n  two",
    " x ",
    "🐝 # é",
  );

  it("is read as the yaml package reads it, and stays when nothing changes", () => {
    fc.assert(
      fc.property(file, (text) => {
        const { content } = yaml.parse(bytesOf(text), context);
        const all = textsOf({ content });
        expect(said(all)).toEqual(said(textsByPackage(text)));
        expect(write(text, { texts: all, shape: content })).toBe(text);
        expect(write(text, { texts: all, shape: content, isSource: true })).toBe(text);
      }),
      { numRuns: runs(75) },
    );
  });

  it("holds a text that changes, and all others", () => {
    fc.assert(
      fc.property(file, fc.nat(), texts, (text, n, changed) => {
        const { content } = yaml.parse(bytesOf(text), context);
        const all = textsOf({ content });
        const key = [...all.keys()].filter((each) => all.get(each) !== "")[n % Math.max(all.size, 1)];
        fc.pre(key !== undefined);
        const after = write(text, { texts: new Map([[key ?? "", changed]]), shape: content });
        expect(said(textsByPackage(after))).toEqual(said(new Map(all).set(key ?? "", changed)));
      }),
      { numRuns: runs(75) },
    );
  });

  it("loses texts and gets them back, in a file of its own and in one made of the source", () => {
    const example = file.chain((text) => {
      const { content } = yaml.parse(bytesOf(text), context);
      const all = textsOf({ content });
      return fc.record({
        text: fc.constant(text),
        content: fc.constant(content),
        all: fc.constant(all),
        removed: fc.subarray([...all.keys()]).map((keys) => withBraces(keys, all)),
        isSource: fc.boolean(),
      });
    });
    fc.assert(
      fc.property(example, ({ text, content, all, removed, isSource }) => {
        const left = new Map([...all].filter(([key]) => !removed.includes(key)));
        const edit = isSource ? { texts: left, isSource } : { removed: new Set(removed) };
        const less = write(text, { ...edit, shape: content });
        expect(said(textsByPackage(less))).toEqual(said(left));
        const again = write(less, { texts: all, shape: content });
        expect(said(textsByPackage(again))).toEqual(said(all));
        expect(write(again, { texts: all, shape: content })).toBe(again);
      }),
      { numRuns: runs(75) },
    );
  });

  it("takes new texts anywhere", () => {
    fc.assert(
      fc.property(file, file, (text, other) => {
        const shape = yaml.parse(bytesOf(other), context).content;
        const renamed: Group = { new: shape, k0new: "zero", ...(Array.isArray(shape) ? {} : { last: "z" }) };
        const fresh = new Map([...textsOf({ content: renamed })].filter(([, value]) => value !== ""));
        const after = write(text, { texts: fresh, shape: renamed });
        const all = textsOf(yaml.parse(bytesOf(text), context));
        expect(said(textsByPackage(after))).toEqual(said(new Map([...all, ...fresh])));
      }),
      { numRuns: runs(75) },
    );
  });
});
