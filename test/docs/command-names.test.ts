/** Commands of Skep that pages name exist, and take the flags that stand behind them. */
import { expect, it } from "vitest";
import { leafCommands, type LeafCommand } from "./cli-page.ts";
import { pages, readPage } from "./pages.ts";

/** The commands that a page names, in text and in blocks; each up to what another program begins. */
function commandsOf(page: string): readonly string[] {
  const text = readPage(page).replaceAll("\\\n", " ");
  const inText = Array.from(text.matchAll(/`(skep [^`\n]+)`/g), ([, command = ""]) => command);
  const inBlocks = Array.from(text.matchAll(/^\s*(?:-\s+)?(skep [^\n]+)$/gm), ([, command = ""]) => command);
  return [...inText, ...inBlocks].map((command) => command.split(/ (?:\||&&|\|\||>|#) ?/)[0] ?? "");
}

/** The command that words begin with: the longest that fits. */
function commandIn(words: string, leaves: readonly LeafCommand[]): LeafCommand | undefined {
  return leaves
    .filter(({ name }) => words === `skep ${name}` || words.startsWith(`skep ${name} `))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}

const leaves = await leafCommands();
/** Those that have commands of their own: `skep hive`. */
const groups = new Set(leaves.flatMap(({ name }) => (name.includes(" ") ? [name.split(" ")[0]] : [])));

// The changelog and decisions name commands that have left.
const ofToday = pages.filter((page) => page !== "CHANGELOG.md" && !page.startsWith("docs/decisions/"));

it.each(ofToday)("commands that %s names exist", (page) => {
  const wrong = commandsOf(page).flatMap((command) => {
    const leaf = commandIn(command, leaves);
    const [, word = "", inner = ""] = command.split(" ");
    const isGroup = groups.has(word) && !/^[a-z]/.test(inner);
    if (leaf === undefined) return /^[a-z]/.test(word) && !isGroup ? [command] : [];
    const flags = Array.from(command.matchAll(/ (--[a-z][a-z-]*)/g), ([, flag = ""]) => flag);
    const known = new Set(
      leaf.command.options.flatMap(({ long, short }) => [long ?? "", short ?? ""]).concat("--help"),
    );
    return flags.filter((flag) => !known.has(flag)).map((flag) => `${leaf.name}: ${flag}`);
  });
  expect(wrong).toEqual([]);
});
