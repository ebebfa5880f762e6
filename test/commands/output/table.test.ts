/** Tables of commands. */
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { printList, toTable } from "../../../src/commands/output/print.ts";
import { relativeTime } from "../../../src/commands/output/times.ts";
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

/** What a command that prints a table writes on a terminal, or elsewhere. */
async function printed(
  { columns, isTTY = true }: { readonly columns?: number; readonly isTTY?: boolean },
  text: string,
  now?: number,
): Promise<string> {
  let stdout = "";
  const to: Output = {
    stdout: { isTTY, columns, write: (part) => (stdout += part) },
    stderr: { write: () => undefined },
  };
  await withOutput(to, async () => printList([{ text }], false, { TEXT: (row) => row.text }, { now }));
  return stdout;
}

it.each([
  [10, "TEXT\nlong text…\n"],
  // As some terminals of CI systems and editors say, which do not know it.
  [0, "TEXT\nlong text of a row\n"],
  [undefined, "TEXT\nlong text of a row\n"],
])("a terminal of %s columns", async (columns, shown) => {
  expect(await printed({ columns }, "long text of a row")).toBe(shown);
});

it("times are ages on a terminal, and stay as they are elsewhere", async () => {
  const [time, now] = ["2026-01-31T12:00:00Z", Date.UTC(2026, 0, 31, 12, 3, 59)];
  expect(await printed({}, time, now)).toBe("TEXT\n3 min ago\n");
  expect(await printed({ isTTY: false }, time, now)).toBe(`TEXT\n${time}\n`);
});

it.each([
  [-59, "just now"],
  [59, "just now"],
  [-60, "1 min ago"],
  [-3599, "59 min ago"],
  [-2 * 3600, "2 h ago"],
  [-86_400, "1 day ago"],
  [2 * 86_400, "in 2 days"],
  [-40 * 86_400, "1 month ago"],
  [800 * 86_400, "in 2 years"],
])("a time in %i seconds is %s", (seconds, age) => {
  const now = Date.UTC(2026, 0, 31);
  const time = new Date(now + seconds * 1000).toISOString();
  expect(relativeTime(time, now)).toBe(age);
  expect(relativeTime(time.replace("Z", "+00:00"), now)).toBe(age);
});

it.each(["2026-01-31", "v2026-01-31T12:00:00Z", "2026-13-31T12:00:00Z", "2026-01-31T12:00:00", ""])(
  "%j is no time",
  (text) => {
    expect(relativeTime(text, 0)).toBe(text);
  },
);

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
