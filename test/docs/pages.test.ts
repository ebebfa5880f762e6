/** What the pages say of the project is so: commands, links, files, folders, decisions. */
import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { expect, it } from "vitest";
import { layers } from "../lint/layers.ts";
import { leafCommands } from "./cli-page.ts";
import { pages, readPage, root } from "./pages.ts";
import { referencePages } from "./reference.ts";
import { settingsSchema, settingsSchemaPath } from "./settings-schema.ts";

it.each(Object.entries(referencePages))("%s is what npm run docs writes", async (path, page) => {
  expect(squeezed(readPage(path))).toBe(squeezed(await page()));
});

/** A page without the blanks by which tables are aligned. */
function squeezed(page: string): string {
  return page.replaceAll(/ +\|/g, " |").replaceAll(/-{3,}/g, "---");
}

it("docs/skep.schema.json is the schema of skep.yaml; npm run docs writes it", () => {
  expect(JSON.parse(readPage(settingsSchemaPath))).toEqual(JSON.parse(settingsSchema()));
});

it("docs/client.md describes every setting of skep.yaml", () => {
  const { properties }: { readonly properties: object } = JSON.parse(settingsSchema());
  const page = readPage("docs/client.md");
  expect(Object.keys(properties).filter((name) => !page.includes(`\n| \`${name}\` `))).toEqual([]);
});

it("docs/cli.md has an example of every command, with arguments and flags that it takes", async () => {
  for (const { name, command, example } of await leafCommands()) {
    // Words in quotes are one argument.
    const given = (example?.match(/"[^"]*"|\S+/g) ?? []).slice(name.split(" ").length);
    const { operands, unknown } = command.parseOptions(given);
    const { registeredArguments: takes } = command;
    const least = takes.filter(({ required }) => required).length;
    const most = takes.some(({ variadic }) => variadic) ? Infinity : takes.length;
    expect({ name, unknown, isMissing: example === undefined }).toEqual({
      name,
      unknown: [],
      isMissing: false,
    });
    expect(operands.length, name).toBeGreaterThanOrEqual(least);
    expect(operands.length, name).toBeLessThanOrEqual(most);
  }
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): readonly string[] {
  return Array.from(readPage(page).matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-"),
  );
}

/** Whether a link of a page leads to a file or folder, and to a heading where it names one. */
function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : posix.join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || !target.endsWith(".md") || anchorsOf(target).includes(anchor);
}

it.each(pages)("links and file names of %s are valid", (page) => {
  const text = readPage(page);
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link).filter(
    (link) => !/^[a-z]+:/.test(link),
  );
  const files = Array.from(
    text.matchAll(/`((?:src|test)\/[a-z0-9/.-]+(?:\.(?:ts|mjs)|\/))`/g),
    ([, path = ""]) => path,
  );
  const lost = [
    ...links.filter((link) => !leadsSomewhere(page, link)),
    ...files.filter((file) => !existsSync(join(root, file))),
  ];
  expect(lost).toEqual([]);
});

it.each(pages)("%s has one title, and each block of code ends", (page) => {
  const text = readPage(page);
  const fences = text.match(/^ *```/gm) ?? [];
  const prose = text.replaceAll(/^ *```.*?^ *```$/gms, "");
  expect({ fences: fences.length % 2, titles: prose.match(/^# .*$/gm)?.length }).toEqual({
    fences: 0,
    titles: 1,
  });
});

it.each(pages)("npm scripts that %s names exist", (page) => {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    readPage("package.json"),
  );
  const named = Array.from(readPage(page).matchAll(/npm run (?:-s )?([a-z:]+)/g), ([, name = ""]) => name);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});

/** Pages for people who use Skep; what is made from tables is looked up, and not read. */
const read = pages.filter(
  (page) =>
    /^(?:README|docs\/[^/]+)\.md$/.test(page) &&
    referencePages[page] === undefined &&
    !/(?:data-model|performance|promises)\.md$/.test(page),
);

it.each(read)("%s can be read in one go: it has less than 2,500 words", (page) => {
  const prose = readPage(page).replaceAll(/^ *```.*?^ *```$/gms, "");
  expect(prose.match(/[\p{L}\p{N}][^\s|]*/gu)?.length).toBeLessThan(2_500);
});

it("ARCHITECTURE.md has a line for each folder of the rule table, in its order", () => {
  const listed = Array.from(readPage("ARCHITECTURE.md").matchAll(/^\| `([a-z/]+)` /gm), ([, name]) => name);
  const folders = layers.flatMap(({ name, rooms }) => rooms.map((room) => posix.join(name, room)));
  expect(listed).toEqual(folders);
});

const decisions = pages.filter((page) => /^docs\/decisions\/[a-z]/.test(page));

it("the index of decisions lists each of them by its title", () => {
  const listed = Array.from(
    readPage("docs/decisions/README.md").matchAll(/^- \[(.*)\]\((.*)\)/gm),
    ([, title, path]) => [`docs/decisions/${path}`, title],
  );
  const titled = decisions.map((page) => [page, /^# (.*)$/m.exec(readPage(page))?.[1]]);
  expect(listed.toSorted()).toEqual(titled.toSorted());
});

it.each(decisions)("%s has the sections that every decision has, and is short", (page) => {
  const text = readPage(page);
  const headings = Array.from(text.matchAll(/^## (.*)$/gm), ([, heading]) => heading);
  expect(headings).toEqual(["Decision", "Why", "Rejected", "What would change it"]);
  expect(text.match(/[\p{L}\p{N}][^\s|]*/gu)?.length).toBeLessThan(350);
});
