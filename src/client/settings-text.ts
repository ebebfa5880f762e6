/** The text of a new `skep.yaml`. */
import { stringify } from "yaml";
import type { SyntaxRule } from "../domain/checks/check-settings.ts";
import type { Proposal } from "./propose.ts";

/** The server and Hive of the app; an unknown one is left to be filled in. */
export interface Destination {
  readonly server: string | undefined;
  readonly hive: string | undefined;
}

function settingLine(name: string, value: string | undefined, example: string, variable: string): string {
  return value === undefined ? `# ${name}: ${example} # or ${variable}\n` : stringify({ [name]: value });
}

/** Writes `skep.yaml` for a proposal. */
export function settingsText(
  { server, hive }: Destination,
  { source, patterns, excluded }: Pick<Proposal, "source" | "patterns" | "excluded">,
  rules: readonly SyntaxRule[] = [],
): string {
  const files = patterns.map(({ path, source: sourcePath, name, format, locales }) => {
    const more = Object.entries({ source: sourcePath, name, format, locales }).filter(
      ([, given]) => given !== undefined,
    );
    return more.length === 0 ? path : { path, ...Object.fromEntries(more) };
  });
  const syntax = rules.map(({ files: pattern, syntax: name }) => ({ files: pattern, syntax: name }));
  const checks = syntax.length === 0 ? undefined : { syntax };
  const exclude = excluded.length === 0 ? undefined : excluded.map(({ path }) => path);
  return [
    "# Settings of skep push, pull and the other commands for this app.\n",
    "# The token comes from SKEP_TOKEN or --token-file and must not be here.\n",
    settingLine("server", server, "https://skep.example.org", "SKEP_SERVER"),
    settingLine("hive", hive, "web", "SKEP_HIVE"),
    stringify({ source: source.code, checks, files, exclude }, { lineWidth: 0 }),
  ].join("");
}
