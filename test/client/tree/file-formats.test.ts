/** What a push tells a Hive of the formats of files. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { FileFormat, FormatName } from "../../../src/domain/files/file-formats.ts";
import { maxRules } from "../../../src/domain/files/file-rules.ts";
import {
  believedFormat,
  completedFormats,
  misjudged,
  type KnownFormat,
} from "../../../src/client/tree/file-formats.ts";
import { forAllSync } from "../../helpers/runs.ts";

function filesOf(files: Readonly<Record<string, FormatName>>): readonly KnownFormat[] {
  return Object.entries(files).map(([name, format]) => ({ name, format }));
}

it.each<[string, Readonly<Record<string, FormatName>>, readonly FileFormat[], readonly string[]]>([
  ["nothing of names that say it", { "a.json": "json", "b.xlf": "xliff" }, [], []],
  [
    "their ending, where all of it are of one format",
    { "a.xml": "xliff", "b/c.xml": "xliff" },
    [],
    ["*.xml xliff"],
  ],
  [
    "a name, where most of its ending say it",
    { "a.xml": "android", "b.xml": "android", "c.xml": "xliff" },
    [],
    ["c.xml xliff"],
  ],
  [
    "the same name in folders last",
    { "a.yml": "yaml", "b/a.yml": "rails", "c/a.yml": "yaml", "d/a.yml": "yaml", "x.yml": "rails" },
    [],
    ["x.yml rails", "b/a.yml rails"],
  ],
  ["names without an ending", { messages: "ini", "b/messages": "po" }, [], ["messages ini", "b/messages po"]],
  [
    "what a rule says wrongly, in place of it",
    { "a.xml": "android" },
    [
      { files: "*.xml", format: "xliff" },
      { files: "*.txt", format: "ini" },
    ],
    ["*.txt ini", "*.xml android"],
  ],
])("a Hive is told %s", (_, files, known, rules) => {
  const completed = completedFormats(filesOf(files), known);
  expect(completed.map((rule) => `${rule.files} ${rule.format}`)).toEqual(rules);
});

it("a file is misjudged only where the rules of the formats differ", () => {
  const files = filesOf({ "a.json": "chrome", "a.xml": "xliff", "b.txt": "po" });
  expect(misjudged(files, []).map(({ name }) => name)).toEqual(["a.xml", "b.txt"]);
  expect(misjudged(files, completedFormats(files, []))).toEqual([]);
});

it("a Hive whose rules are full is told nothing at each push", () => {
  const full = Array.from({ length: maxRules }, (_, index) => ({
    files: `other${index}.txt`,
    format: "ini" as const,
  }));
  const files = filesOf({ "a.xml": "android", "b.xml": "xliff" });
  expect(completedFormats(files, full)).toBe(full);
});

const name = fc
  .tuple(
    fc.constantFrom("", "a/", "b/", "a/b/"),
    fc.constantFrom("a", "b", "c"),
    fc.constantFrom("", ".xml", ".yml", ".txt"),
  )
  .map((parts) => parts.join(""));
const format = fc.constantFrom<FormatName>("android", "xliff", "yaml", "rails", "po");
const tree = fc.uniqueArray(fc.record({ name, format }), { selector: (file) => file.name });
const rules = fc.array(
  fc.record({
    files: fc.oneof(
      name.filter((one) => one !== ""),
      fc.constantFrom("*", "*.xml", "a/**"),
    ),
    format,
  }),
  { maxLength: 5 },
);

it("a Hive that was told takes every file for what it is, and is told no more", () => {
  forAllSync(300, tree, rules, (files, known) => {
    const completed = completedFormats(files, known);
    for (const file of files) expect(believedFormat(completed, file.name)).toBe(file.format);
    expect(completedFormats(files, completed)).toBe(completed);
  });
});

it("a Hive is told no more than it can keep", () => {
  const many = Array.from({ length: 500 }, (_, i): KnownFormat => {
    return { name: `${i}.xml`, format: i % 2 === 0 ? "xliff" : "android" };
  });
  const known: readonly FileFormat[] = [{ files: "*.txt", format: "ini" }];
  const completed = completedFormats(many, known);
  expect(completed.length).toBe(maxRules);
  expect(completed[0]).toEqual(known[0]);
});
