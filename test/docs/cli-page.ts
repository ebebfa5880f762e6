/** `docs/cli.md`, made of what `--help` says of every command. `npm run docs` writes it; a test holds it up to date. */
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { runCommand } from "../../src/commands/program.ts";
import { groupTitles } from "../../src/commands/table.ts";

/** Where the page is, from the root of the project. */
export const cliPagePath = "docs/cli.md";

/** What the help says of one command, as wide as on a terminal of 80 columns. */
async function helpOf(path: readonly string[]): Promise<string> {
  let help = "";
  const stdout = { write: (text: string) => (help += text), columns: 80 };
  await runCommand([...path, "--help"], { stdout, stderr: stdout });
  return help.trimEnd();
}

/** The names of the commands that a help lists. */
function commandsIn(help: string): readonly string[] {
  const titles = ["Commands:", ...Object.values(groupTitles)].join("|");
  const lists = help.matchAll(new RegExp(`\\n(?:${titles})\\n((?: .*\\n?)*)`, "g"));
  const list = Array.from(lists, ([, lines = ""]) => lines).join("");
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "help");
}

/** The sections of a command and of all commands below it, in the order of the help. */
async function sectionsOf(path: readonly string[]): Promise<readonly string[]> {
  const help = await helpOf(path);
  const name = ["skep", ...path].join(" ");
  const below: string[] = [];
  for (const inner of commandsIn(help)) below.push(...(await sectionsOf([...path, inner])));
  return [`## ${name}\n\n\`\`\`text\n${help}\n\`\`\``, ...below];
}

/** The whole page. */
export async function cliPage(): Promise<string> {
  const sections = await sectionsOf([]);
  return `# Commands

This page is what \`--help\` says of every command; \`npm run docs\` writes it.

Results go to stdout, everything else to stderr. A mistake is one line. Exit codes: 0 when the command did what it was asked for, 1 when it did not, 2 for arguments or settings that cannot be used.

Arguments in \`<>\` are required, those in \`[]\` are not. Without \`--storage\`, a command uses \`SKEP_STORAGE\`, then \`storage\` in \`skep-server.yaml\`, then \`./storage\`. Only \`skep serve\`, \`skep team create\` and \`skep restore\` create a storage where there is none, and say where; for every other command a missing storage is an error.

${sections.join("\n\n")}
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(new URL(`../../${cliPagePath}`, import.meta.url), await cliPage());
}
