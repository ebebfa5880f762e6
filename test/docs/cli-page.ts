/** `docs/cli.md`, the index of all commands. `npm run docs` writes it; a test holds it up to date. */
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { commands, groupTitles } from "../../src/commands/table.ts";

/** Where the page is, from the root of the project. */
export const cliPagePath = "docs/cli.md";

/** An example of every command: what stands behind `skep`. */
const examples: readonly string[] = [
  "init --server https://skep.example.org --hive web",
  "push --translations",
  "pull --locale fr,de",
  "status --fail-on-missing",
  "check --format github",
  "diff --exit-code",
  "move auth.json:failed auth.json:login.failed",
  "note auth.json:failed --max-length 40",
  'picture add login.png "auth.json:login.*"',
  "picture list",
  "picture remove 3f79bb7b43",
  "untranslated fr --xliff",
  "import fr fr.xlf --dry-run",
  "translate fr --with ./my-model --max-items 500",
  "mcp --model my-model",
  "mcp --model my-model",
  "review list --locale fr",
  "review approve --locale fr auth.json:failed menu.json",
  'review reject --locale fr auth.json:failed --reason "Too familiar"',
  "glossary list --search file",
  "glossary add file --locale fr=fichier --forbidden fr=archive",
  "glossary import terms.csv --dry-run",
  "glossary export --tbx",
  "glossary remove k3v9x1q0d2ab",
  'style fr "Say vous."',
  "branch list",
  "branch create feature --from v1.2",
  "branch diff feature --conflicts",
  "branch merge feature --on-conflict main --delete",
  "branch update feature",
  "branch delete feature",
  "branch restore feature",
  "login https://skep.example.org",
  "logout https://skep.example.org",
  "completion bash",
  "format --check",
  "git-credential get",
  "merge-driver %O %A %B",
  "serve --port 4488",
  "team create acme --max-strings 50000",
  "team update acme --max-strings none",
  "team list",
  "hive create web --team acme --locale fr,pt-BR=pt_BR",
  "hive update web --max-deletions 100",
  "hive list --team acme",
  "hive delete web --yes",
  "hive restore web",
  "locale add web de pt-BR=pt_BR",
  "locale set web pt-BR=pt_BR",
  "locale remove web de --yes",
  "file remove web old.json --yes",
  "person add anna --team acme --name Anna --ability read --ability write --locale de",
  "person list --team acme",
  "person edit anna --all-locales",
  "person invite anna --public-url https://skep.example.org",
  "person disable anna",
  "person enable anna",
  "person remove anna --yes",
  "token create --team acme --ability read --ability write",
  "token list --team acme",
  "token revoke 4768x2ivwpto",
  "audit --team acme --since 2026-01-01",
  "mirror add web https://git.example.org/web.git",
  "mirror list",
  "mirror push web",
  "mirror remove web",
  "webhook add web https://ci.example.org/hook",
  "webhook list",
  "webhook test w1",
  "webhook rotate w1",
  "webhook remove w1",
  "follower add eu",
  "follower list",
  "follower remove eu",
  "follower accept my-app",
  "promote",
  "demote",
  "channel set web stable --at v1.2",
  "channel list web",
  "channel remove web stable",
  "log web --key auth.failed",
  "show web 1a2b3c4",
  "undo web 1a2b3c4",
  "verify",
  "maintain",
  "backup /backups/skep",
  "restore /backups/skep",
];

/** A command without commands of its own. */
export interface LeafCommand {
  /** Its name behind `skep`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly command: Command;
  readonly example: string | undefined;
}

/** All commands that can be run, in the order of the help. */
export async function leafCommands(): Promise<readonly LeafCommand[]> {
  const leaves: LeafCommand[] = [];
  for (const { name, description, group, load } of commands) {
    const loaded = await load();
    const inner = loaded.commands.map((command) => ({
      name: `${name} ${command.name()}`,
      description: command.description(),
      command,
    }));
    for (const leaf of inner.length > 0 ? inner : [{ name, description, command: loaded }]) {
      const example = examples.find((each) => `${each} `.startsWith(`${leaf.name} `));
      leaves.push({ ...leaf, title: groupTitles[group], example });
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

The commands for the server take the storage folder from \`--storage\`, then \`SKEP_STORAGE\`, then \`storage\` in \`skep-server.yaml\`, then \`./storage\`. Only \`skep serve\`, \`skep team create\` and \`skep restore\` create a storage where there is none, and say where; for every other command a missing storage is an error.

${sections.join("\n\n")}
`;
}

/** One line on a command: the first sentence of its description. */
function row({ name, description, example = name }: LeafCommand): string {
  const [sentence = ""] = description.split(/(?<=\.) (?=[A-Z])/);
  return `| \`skep ${example}\` | ${sentence.replaceAll("|", String.raw`\|`)} |`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(new URL(`../../${cliPagePath}`, import.meta.url), await cliPage());
}
