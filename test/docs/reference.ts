/**
 * The pages of the reference that are made from tables of the program. `npm run docs` writes them; a test holds them up
 * to date.
 */
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { roles, abilitiesOf } from "../../src/domain/access/roles.ts";
import { publicCodes, type ErrorCode } from "../../src/domain/errors.ts";
import { groups } from "../../src/api/groups.ts";
import { clientVariables, settings } from "../../src/config/settings.ts";
import { routes } from "../../src/http/app.ts";
import { toTemplate } from "../../src/http/openapi/document.ts";
import { statusOfCode } from "../../src/http/responses/error-response.ts";
import { errorMeanings, transportCodes } from "../../src/http/schemas/error-codes.ts";
import { cliPage, cliPagePath } from "./cli-page.ts";

/** All pages that are made, by their paths from the root of the project. */
export const referencePages: Readonly<Record<string, () => string | Promise<string>>> = {
  [cliPagePath]: cliPage,
  "docs/settings.md": settingsPage,
  "docs/errors.md": errorsPage,
  "docs/permissions.md": permissionsPage,
};

const note = "`npm run docs` writes this page.";

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return lines.join("\n");
}

/** A text as a cell of a table. */
function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}

/** The settings of the server, by the headings of the help. */
function settingsPage(): string {
  const headings = [...new Set(settings.map(({ heading }) => heading))];
  const sections = headings.map((heading) => {
    const rows = settings
      .filter((setting) => setting.heading === heading)
      .map(({ flag, takes, default: value, shown = value, help }) => [
        `\`${flag} ${takes}\``,
        shown === value ? `\`${cell(shown)}\`` : shown,
        cell(help),
      ]);
    return `## ${heading}\n\n${table(["Flag", "Default", "Meaning"], rows)}`;
  });
  return `# Settings

A setting of the server is a flag of \`skep serve\`, an environment variable, or a line of the file \`skep-server.yaml\` in the current folder. The flag \`--body-limit\` is the variable \`SKEP_BODY_LIMIT\` and \`body_limit\` in the file. A flag takes precedence over a variable, and a variable over the file. \`--settings\` or \`SKEP_CONFIG\` names another file. \`skep server settings\` shows which hold, and where each comes from. ${note}

${sections.join("\n\n")}

## Variables of the client

Commands in an app's repository read ${clientVariables.map((name) => `\`${name}\``).join(", ")}. [The client](client.md) says what each is for; commands of management take \`SKEP_SERVER\` and \`SKEP_TOKEN\`, too.
`;
}

const isErrorCode = (code: string): code is ErrorCode => code in publicCodes;

/** The statuses that a code of an error may come with. */
export function statusesOf(word: string): readonly number[] {
  const inside = Object.entries(publicCodes).flatMap(([code, words]: [string, readonly string[]]) =>
    isErrorCode(code) && words.includes(word) ? [statusOfCode(code) ?? 500] : [],
  );
  const outside = Object.entries(transportCodes).flatMap(([status, own]) =>
    own === word ? [Number(status)] : [],
  );
  return [...new Set([...inside, ...outside])].toSorted((a, b) => a - b);
}

/** All codes of errors with their statuses. */
function errorsPage(): string {
  const rows = Object.entries(errorMeanings).map(([code, when]) => [
    `\`${code}\``,
    statusesOf(code).join(", "),
    cell(when),
  ]);
  return `# Errors

Errors are JSON with a \`message\` for people and a \`code\` for programs. Codes do not change, but new ones may be added. [The API](api.md#errors) says what else an error has, [Troubleshooting](troubleshooting.md) what to do. ${note}

${table(["Code", "Status", "When"], rows)}
`;
}

/** Which ability each request needs, and what the roles have. */
function permissionsPage(): string {
  const byRole = roles.map((role) => [`\`${role}\``, abilitiesOf(role).join(", ")]);
  const sections = Object.entries(groups).map(([name, about]) => {
    const rows = routes
      .filter(({ group }) => group === name)
      .map(({ method, path, summary, ability, requiresAllHives }) => [
        `\`${method} ${toTemplate(path)}\``,
        cell(summary),
        ability === undefined ? "none" : `${ability}${requiresAllHives === true ? ", all Hives" : ""}`,
      ]);
    return `## ${name}\n\n${cell(about)}\n\n${table(["Request", "What it does", "Needs"], rows)}`;
  });
  return `# Permissions

A token or a person has abilities. \`admin\` includes the others; \`write\` and \`approve\` do not include \`read\`. A role names abilities that go together:

${table(["Role", "Abilities"], byRole)}

The tables say which ability each request needs; \`none\` needs no token, and \`all Hives\` needs one that reaches all Hives of the team. Some requests need more: getting and answering [work](work.md#who-may) takes \`write\`, or \`approve\` for reviews; a [comment](notes.md#comments) takes any ability beside \`read\`. Limits to Hives, locales, checks and reviews apply to everything ([people](people.md#limits-are-carried-on)). The pages of the console and the tools of [MCP](mcp.md) need the same as their requests. ${note}

${sections.join("\n\n")}
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const [path, page] of Object.entries(referencePages))
    writeFileSync(new URL(`../../${path}`, import.meta.url), await page());
}
