/** `skep init`: writes `skep.yaml` for an app. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { ClientError, exitCodesHelp } from "../../client/api/client-error.ts";
import type { Proposal } from "../../client/propose.ts";
import { counted, toPrintableJson } from "../../domain/text.ts";
import { ask, askYes, isInteractive } from "../program/ask.ts";
import { print, printable, printNotice } from "../output/print.ts";

interface InitFlags {
  readonly server?: string;
  readonly hive?: string;
  readonly source?: string;
  readonly yes: boolean;
  readonly json: boolean;
}

export function initCommand(): Command {
  return new Command("init")
    .option("--server <url>", "the Skep server; asked for on a terminal")
    .option("--hive <slug>", "the Hive of this app; asked for on a terminal")
    .option("--source <code>", "the source locale in the app's files (default: en if it is there)")
    .option("--yes", "write the proposal without asking", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", exitCodesHelp)
    .action(init);
}

async function init(flags: InitFlags): Promise<void> {
  const { findSettingsFile, settingsName } = await import("../../client/tree/config.ts");
  const folder = process.cwd();
  const path = join(folder, settingsName);
  const found = await findSettingsFile(folder);
  if (found === path) throw new ClientError("misuse", `${path} is there already; it stays as it is.`);
  if (found !== undefined) printNotice(`${found} is for the folders above; this one gets a file of its own.`);
  const isAsking = !flags.yes && isInteractive();
  if (!flags.yes && !isAsking) {
    throw new ClientError("misuse", "There is no terminal to ask questions on: give --yes.");
  }
  const { proposePatterns } = await import("../../client/propose.ts");
  const proposal = await proposePatterns(folder, flags.source);
  printNotice(described(proposal));
  if (proposal.patterns.length === 0) {
    throw new ClientError(
      "error",
      `Nothing was written: ${settingsName} names the files by hand, see docs/ci.md.`,
    );
  }
  const { settingsText } = await import("../../client/settings-text.ts");
  const server = await settingOf("server", flags.server, isAsking ? "Server" : undefined);
  const hive = await settingOf("hive", flags.hive, isAsking ? "Hive" : undefined);
  const text = settingsText({ server, hive }, proposal);
  if (isAsking) {
    printNotice(`\n${printable(text.trimEnd())}\n`);
    if (!(await askYes(`Write ${settingsName}?`))) throw new ClientError("error", "Nothing was written.");
  }
  await writeNew(path, text);
  const next = ["skep push --dry-run", "skep push"];
  if (flags.json) return print(toPrintableJson({ path, ...toRow(proposal), next }, 2));
  print(`Wrote ${path}. With a token in SKEP_TOKEN, go on with:`);
  for (const command of next) print(`  ${command}`);
}

function toRow({ source, patterns, withoutSource }: Proposal) {
  return {
    source,
    patterns: patterns.map(({ sourceFiles, ...rest }) => ({ ...rest, source_files: sourceFiles })),
    without_source: withoutSource,
  };
}

/** Describes the found files in text. */
function described({ source, patterns, withoutSource }: Proposal): string {
  if (patterns.length + withoutSource.length === 0) return "No files of translations were found.";
  const lines = patterns.map(({ path, sourceFiles, locales }) => {
    const others = locales.length === 0 ? "no other locale" : locales.join(", ");
    return `  ${printable(path)}: ${counted(sourceFiles, "source file")}, and ${printable(others)}`;
  });
  const left = withoutSource.map((path) => `  ${printable(path)}: left out, as it has no file in ${source}`);
  return [`Found, with ${printable(source)} as the source locale:`, ...lines, ...left].join("\n");
}

/**
 * Takes a setting from its flag, or asks for it until the reply is valid.
 * @param title what to ask for; undefined to ask nothing.
 * @returns undefined when there is no value.
 * @throws ClientError `misuse` for an invalid flag.
 */
async function settingOf(
  name: "server" | "hive",
  flag: string | undefined,
  title: string | undefined,
): Promise<string | undefined> {
  const { hiveSlug, serverUrl } = await import("../../client/tree/schema.ts");
  const schema = { server: serverUrl, hive: hiveSlug }[name];
  for (let given = flag; ;) {
    given ??= title === undefined ? undefined : await ask(`${title} (empty: leave it to be filled in)`);
    if (given === undefined || given === "") return undefined;
    const { data, error } = schema.safeParse(given);
    if (error === undefined) return data;
    const problem = `--${name} ${error.issues[0]?.message ?? "cannot be used"}`;
    if (flag !== undefined) throw new ClientError("misuse", problem);
    printNotice(problem.slice(2));
    given = undefined;
  }
}

/** Writes a new file that other users may read, as is usual in a repository. @throws ClientError when it exists. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    const file = await open(path, "wx", 0o666);
    try {
      await file.writeFile(text);
      // The umask of the program, which is meant for storages, would let nobody else read the file.
      await file.chmod(0o644);
    } finally {
      await file.close();
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ClientError("error", `${path} cannot be written: ${reason}`, { cause });
  }
}
