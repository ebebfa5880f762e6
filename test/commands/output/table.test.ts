/** Tables of commands. */
import { expect, it, vi } from "vitest";
import { printList, toTable } from "../../../src/commands/output/print.ts";

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

it("a cut does not split a character", () => {
  const [, row] = toTable([{ slug: "a", locales: "😀😀" }], columns, 15);
  expect(row).toBe("a     Web   😀…");
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
