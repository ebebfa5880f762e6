/** docs/translating.md calls everything on the pages as the pages do, and its pictures are small. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readPage, root } from "./pages.ts";

it("the page for translators names what is on the console's pages by its words", () => {
  const texts: Readonly<Record<string, string>> = JSON.parse(readPage("src/http/console/texts/en.json"));
  const shown = new Set(Object.values(texts));
  // Its first paragraph explains the word for what holds texts.
  const named = Array.from(
    readPage("docs/translating.md").matchAll(/\*\*(.+?)\*\*/g),
    ([, name = ""]) => name,
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => name !== "Hive" && !shown.has(name))).toEqual([]);
});

it("pictures of the pages have less than 60 kB each", () => {
  const folder = join(root, "docs/images");
  const sizes = readdirSync(folder).map((name) => ({ name, size: statSync(join(folder, name)).size }));
  expect(sizes.length).toBeGreaterThan(4);
  expect(sizes.filter(({ size }) => size >= 60_000)).toEqual([]);
});
