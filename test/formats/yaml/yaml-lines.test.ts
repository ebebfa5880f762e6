import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../../src/formats/format.ts";
import { readYamlLines } from "../../../src/formats/yaml/yaml-lines.ts";
import { isOtherInRuby, isOtherInYaml12, type PlainRule } from "../../../src/formats/yaml/yaml-scalars.ts";
import { readYaml } from "../../../src/formats/yaml/yaml-tree.ts";
import type { GroupNode } from "../../../src/formats/patch/tree.ts";
import { fixturesOf, textOf } from "../../helpers/format-properties.ts";
import { runs } from "../../helpers/runs.ts";

/** What the library reads: an entry at the end with brackets leaves the file to it. */
function readByLibrary(text: string, isOther: PlainRule): GroupNode {
  const [body = ""] = text.split(/^\.\.\.\s*$/m);
  const root = readYaml(`${body}${body.endsWith("\n") ? "" : "\n"}last: []\n`, isOther).root;
  if (root === undefined) throw new Error("The last entry is missing.");
  const entries = root.entries.slice(0, -1);
  const end = entries.at(-1)?.end ?? root.end;
  return { ...root, entries, end, innerEnd: end };
}

/** The tree, or undefined for a file that is refused. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    return undefined;
  }
}

const usual = [
  "key: some words\n",
  "'quoted key': \"a\\tb\"\n",
  "number: 12 # said\n",
  "blank:\n",
  "  below: it''s\n",
  "  'no': 'it''s'\n",
  "    deeper: |\n      one\n\n        two\n",
  "folded: >-\n  one\n  two\n",
  "counted: |2-\n    one\n   two\n",
  "several: words\n  on lines\n\n  and more\n",
  'wide: "words\n  on \\\n  lines"\n',
  "# a comment\n",
  "\n",
];
const odd = "'|\"|\\|:|: |#| #|-|- |?|[|{|&|*|!|%|@|`|---\n|...\n|~|\t| |\n |\n  |\r\n|\ufeff|\u00a0|,|>";

describe("YAML that is read by lines", () => {
  it("is most of what projects have", () => {
    const fixtures = ["rails", "yaml"]
      .flatMap(fixturesOf)
      .flatMap(({ source, targets }) => targets.concat(source));
    const read = fixtures.filter(({ bytes }) => readYamlLines(textOf(bytes), isOtherInRuby) !== undefined);
    expect(read.length).toBeGreaterThan(fixtures.length / 2);
  });

  it("is read as the library reads it, or left to it", () => {
    const piece = fc.oneof(
      { arbitrary: fc.constantFrom(...usual), weight: 6 },
      fc.constantFrom(...odd.split("|"), "|"),
    );
    const file = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(file, fc.constantFrom(isOtherInRuby, isOtherInYaml12), (text, isOther) => {
        let isLeft = false;
        const byLines = attempt(() => {
          const root = readYamlLines(text, isOther);
          isLeft = root === undefined;
          return root;
        });
        if (!isLeft) expect(byLines).toEqual(attempt(() => readByLibrary(text, isOther)));
      }),
      { numRuns: runs(2000) },
    );
  });
});
