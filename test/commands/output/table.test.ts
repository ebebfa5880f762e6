/** Tables of commands. */
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { printList, toTable } from "../../../src/commands/output/print.ts";
import { withOutput, type Output } from "../../../src/commands/program/output.ts";
import { forAllSync } from "../../helpers/runs.ts";

const columns = {
  HIVE: ({ slug }: { slug: string }) => slug,
  NAME: () => "Web",
  LOCALES: ({ locales }: { locales: string }) => locales,
};
const rows = [
  { slug: "web", locales: "fr" },
  { slug: "mobile", locales: "de, fr, pt-BR=pt_BR" },
];

it("a table is aligned, without trailing blanks", () => {
  expect(toTable(rows, columns, Infinity)).toEqual([
    "HIVE    NAME  LOCALES",
    "web     Web   fr",
    "mobile  Web   de, fr, pt-BR=pt_BR",
  ]);
});

it("a table is cut to the width of a terminal", () => {
  expect(toTable(rows, columns, 20)).toEqual([
    "HIVE    NAME  LOCAL…",
    "web     Web   fr",
    "mobile  Web   de, f…",
  ]);
});

/** Pieces of texts, and the columns of a terminal that they take. */
const pieces = new Map([
  ["a", 1],
  ["é", 1],
  ["e\u0301", 1],
  ["日", 2],
  ["한", 2],
  ["ｶ", 1],
  ["，", 2],
  ["ก\u0e34\u0e48", 1],
  ["ی\u200c", 1],
  ["😀", 2],
  ["👍🏽", 2],
  ["👩‍👩‍👧", 2],
  ["🇫🇷", 2],
  ["❤\ufe0f", 2],
  ["𝕏", 1],
]);
const words = fc.array(fc.constantFrom(...pieces.keys()), { maxLength: 12 });
const columnsOf = (word: readonly string[]): number =>
  word.reduce((sum, piece) => sum + (pieces.get(piece) ?? NaN), 0);

/** The columns of a line; undefined if a piece was taken apart. */
function lineColumns(line: string): number | undefined {
  const known = [...pieces.keys(), " ", "…", "A", "B", "C"].toSorted((a, b) => b.length - a.length);
  let [rest, columns] = [line, 0];
  while (rest !== "") {
    const piece = known.find((one) => rest.startsWith(one));
    if (piece === undefined) return undefined;
    columns += pieces.get(piece) ?? 1;
    rest = rest.slice(piece.length);
  }
  return columns;
}

it.each([...pieces])("%s takes %i columns", (piece, columns) => {
  expect(toTable([{ piece }], { A: (row) => row.piece, B: () => "b" }, Infinity)[1]).toBe(
    `${piece}${" ".repeat(Math.max(1, columns) - columns)}  b`,
  );
});

it("columns line up in every script", () => {
  forAllSync(75, fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 5 }), (rows) => {
    const table = toTable(
      rows,
      { A: ([first]) => first.join(""), B: ([, second]) => second.join(""), C: () => "a" },
      Infinity,
    );
    expect(new Set(table.slice(1).map(lineColumns)).size).toBe(1);
    const widest = Math.max(1, ...rows.map(([first]) => columnsOf(first)));
    for (const [i, [first]] of rows.entries()) {
      const before = first.join("") + " ".repeat(widest - columnsOf(first) + 2);
      expect(table[i + 1]?.startsWith(before)).toBe(true);
    }
  });
});

it("no line is wider than the terminal, and none is cut within a character or without need", () => {
  forAllSync(
    75,
    fc.array(words, { minLength: 1, maxLength: 5 }),
    fc.integer({ min: 1, max: 30 }),
    (rows, width) => {
      const table = toTable(rows, { A: (row) => row.join("") }, width);
      for (const [i, row] of rows.entries()) {
        const line = table[i + 1] ?? "";
        const columns = lineColumns(line);
        expect(columns).toBeLessThanOrEqual(width);
        if (columnsOf(row) <= width) expect(line).toBe(row.join(""));
        else {
          expect(line.endsWith("…")).toBe(true);
          expect(columns).toBeGreaterThanOrEqual(width - 1);
        }
      }
    },
  );
});

/** What a command that prints a table writes on a terminal. */
async function onTerminal(columns: number | undefined, text: string): Promise<string> {
  let stdout = "";
  const to: Output = {
    stdout: { isTTY: true, columns, write: (part) => (stdout += part) },
    stderr: { write: () => undefined },
  };
  await withOutput(to, () => Promise.resolve(printList([{ text }], false, { TEXT: (row) => row.text })));
  return stdout;
}

it.each([
  [10, "TEXT\nlong text…\n"],
  // As some terminals of CI systems and editors say, which do not know it.
  [0, "TEXT\nlong text of a row\n"],
  [undefined, "TEXT\nlong text of a row\n"],
])("a terminal of %s columns", async (columns, shown) => {
  expect(await onTerminal(columns, "long text of a row")).toBe(shown);
});

it("JSON output has no control characters", () => {
  const rows = [{ name: "a\u009b31m\u202eb" }];
  const written: string[] = [];
  const stdout = vi
    .spyOn(process.stdout, "write")
    .mockImplementation((text) => written.push(String(text)) > 0);
  printList(rows, true, {});
  stdout.mockRestore();
  expect(written.join("")).toContain(String.raw`a\u009b31m\u202eb`);
  expect(JSON.parse(written.join(""))).toEqual(rows);
});
