/** `docs/cli.md`, the index of all commands. `npm run docs` writes it; a test holds it up to date. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { exampleOf } from "../../src/commands/examples.ts";
import { commands, groupTitles } from "../../src/commands/table.ts";

/** Where the page is, from the root of the project. */
export const cliPagePath = "docs/cli.md";

/** A command without commands of its own. */
export interface LeafCommand {
  /** Its name behind `skep`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly command: CommandUnknownOpts;
  readonly example: string | undefined;
}

/** All commands that can be run, in the order of the help. */
export async function leafCommands(): Promise<readonly LeafCommand[]> {
  const leaves: LeafCommand[] = [];
  for (const { name, description, group, load } of commands) {
    const loaded = await load();
    // Without earlier names of commands, which help does not show.
    const visible = loaded
      .createHelp()
      .visibleCommands(loaded)
      .filter((command) => command.name() !== "help");
    const inner = visible.map((command) => ({
      name: `${name} ${command.name()}`,
      description: command.description(),
      command,
    }));
    for (const leaf of inner.length > 0 ? inner : [{ name, description, command: loaded }]) {
      leaves.push({ ...leaf, title: groupTitles[group], example: exampleOf(leaf.name) });
    }
  }
  return leaves;
}

/** The whole page. */
export async function cliPage(): Promise<string> {
  const leaves = await leafCommands();
  const sections = Object.values(groupTitles).flatMap((title) => {
    const rows = leaves.filter((leaf) => leaf.title === title).map(row);
    const heading = `## ${title.replace(/:$/, "")}`;
    return rows.length === 0
      ? []
      : [`${heading}\n\n| Example | What it does |\n| --- | --- |\n${rows.join("\n")}`];
  });
  return `# Commands

\`skep COMMAND --help\` describes a command and all its flags. \`npm run docs\` writes this page.

Results go to stdout, everything else to stderr. A mistake is one line. Exit codes: 0 when the command did what you asked for, 1 when it did not, 2 for arguments or settings that cannot be used. The commands for an app have [more](client.md#exit-codes).

With \`--json\`, an error is on stdout, too, unless a result stands there already: \`{"error": {"code", "message", "exit", …}}\`, with the members of the server's answer. Codes of the command itself are \`misuse\`, \`no_target\`, \`two_targets\`, \`machine_only\`, \`team_needed\`, \`other_team\`, \`confirmation_needed\` and \`unreachable\`.

Commands of management work from anywhere with a token, and on the server's machine without one. \`--server\` names a server, \`--storage\` or \`--database\` a storage. Without these flags, \`SKEP_STORAGE\`, \`SKEP_DATABASE\` or a named file of settings means the storage, even beside \`SKEP_SERVER\`. Otherwise it is what is found: \`SKEP_SERVER\` or the \`server\` of \`skep.yaml\`; \`skep-server.yaml\` or a storage in \`./storage\`. Where both are found, nothing is done. On a storage with several teams, \`--team\` names one; a list is then of that team, and of all teams without it.

The commands for the server take the storage folder from \`--storage\`, then \`SKEP_STORAGE\`, then \`storage\` in \`skep-server.yaml\`, then \`./storage\`. Only \`skep serve\`, \`skep server run\`, \`skep team create\` and \`skep server restore\` create a storage where there is none, and say where; for every other command a missing storage is an error.

${sections.join("\n\n")}
`;
}

/** One line on a command: the first sentence of its description. */
function row({ name, description, example = name }: LeafCommand): string {
  const [sentence = ""] = description.split(/(?<=\.) (?=[A-Z])/);
  return `| \`skep ${example}\` | ${sentence.replaceAll("|", String.raw`\|`)} |`;
}
