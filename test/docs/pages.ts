/** The project's own pages for people. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

function pagesBelow(folder: string): readonly string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`)
    .toSorted();
}

/** The paths of all pages, from the folder of the project. */
export const pages: readonly string[] = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...pagesBelow("docs"),
  ...pagesBelow("deploy"),
];

/** The text of a page. */
export function readPage(page: string): string {
  return readFileSync(join(root, page), "utf8");
}
