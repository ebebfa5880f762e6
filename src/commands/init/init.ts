/** `skep init`: writes `skep.yaml` for an app. */
import { messageOf } from "../../domain/errors.ts";
import { chmod, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError, exitCodesHelp, type ClientErrorKind } from "../../client/api/client-error.ts";
import type { ProposedChecks } from "../../client/check.ts";
import { localeToGive } from "../../client/new-locales.ts";
import type { Proposal } from "../../client/propose.ts";
import { counted, excerpt, toPrintableJson } from "../../domain/text.ts";
import { ask, askYes, isInteractive } from "../program/ask.ts";
import { addEarlierFlag } from "../program/command.ts";
import { print, printable, printNotice } from "../output/print.ts";

interface InitFlags {
  readonly server?: string;
  readonly hive?: string;
  readonly sourceLocale?: string;
  readonly yes: boolean;
  readonly json: boolean;
}

export function initCommand(): CommandUnknownOpts {
  const command = new Command("init")
    .option("--server <url>", "the Skep server; asked for on a terminal (with --yes, SKEP_SERVER will do)")
    .option(
      "--hive <slug>",
      "the Hive of this app; asked for on a terminal (default: named after the folder)",
    )
    .option(
      "--source-locale <code>",
      "the source locale in the app's files (default: what the files show, such as source-language of XLIFF, or a file in en)",
    )
    .option("--yes", "write the proposal without asking", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", exitCodesHelp)
    .action(init);
  addEarlierFlag(command, "--source <code>", "sourceLocale");
  return command;
}

async function init(flags: InitFlags): Promise<void> {
  const { findSettingsFile, settingsName } = await import("../../client/tree/config.ts");
  const folder = process.cwd();
  const path = join(folder, settingsName);
  const existing = await findSettingsFile(folder);
  if (existing === path) throw new ClientError("misuse", `${path} is there already; it stays as it is.`);
  if (existing !== undefined)
    printNotice(`${existing} is for the folders above; this one gets a file of its own.`);
  const isAsking = !flags.yes && isInteractive();
  if (!flags.yes && !isAsking) {
    throw new ClientError("misuse", "There is no terminal to ask questions on: give --yes.");
  }
  const { proposePatterns, withoutFaulty } = await import("../../client/propose.ts");
  const found = await proposePatterns(folder, flags.sourceLocale, isAsking ? askSource : undefined);
  printNotice(described(found));
  const checks = found.patterns.length === 0 ? undefined : await proposedChecks(folder, found);
  const proposal = await withoutFaulty(folder, found, checks?.faults ?? []);
  for (const { path: file, reason } of proposal.excluded)
    printNotice(printable(`  ${file}: left out by exclude:, as it cannot be read: ${reason}`));
  if (proposal.patterns.length === 0)
    throw nothingWritten("error", `${settingsName} names the files by hand, see docs/ci.md`);
  const { settingsText } = await import("../../client/settings-text.ts");
  const isWizard = isAsking && !flags.json;
  const usualServer = isWizard ? await knownServer() : undefined;
  const server = await settingOf("server", flags.server, isAsking, usualServer);
  if (server === undefined && !isAsking && (process.env.SKEP_SERVER ?? "") === "")
    throw nothingWritten("misuse", "no server is given; give --server, or set SKEP_SERVER");
  const wizard = isWizard && server !== undefined ? await import("./wizard.ts") : undefined;
  const open = server === undefined ? undefined : await wizard?.openHives(server);
  const chosen = open && (await wizard?.chooseHive(open, slugOf(folder), await givenHive(flags.hive)));
  const hive = chosen?.slug ?? (await settingOf("hive", flags.hive, isAsking, slugOf(folder)));
  const text = settingsText({ server, hive }, proposal, checks?.syntax);
  if (isAsking) {
    printNotice(`\n${text.trimEnd().split("\n").map(printable).join("\n")}\n`);
    if (!(await askYes(`Write ${settingsName}?`, true)))
      throw new ClientError("error", "Nothing was written.");
  }
  await writeNew(path, text);
  const create = createLine(hive, proposal, checks);
  if (wizard !== undefined && open !== undefined && chosen !== undefined) {
    print(`Wrote ${path}.`);
    return wizard.useHive({ ...open, ...chosen }, { folder, proposal, checks, create });
  }
  const push = proposal.targets.length === 0 ? "skep push" : "skep push --translations";
  const next = [`${push} --dry-run`, push];
  if (flags.json) return print(toPrintableJson({ path, ...toRow(proposal), checks, create, next }, 2));
  print(`Wrote ${path}. If the Hive does not exist yet, create it on the server's machine:`);
  print(`  ${create}`);
  print(
    (await hasToken(server))
      ? "Then push:"
      : "Then sign in with skep login, or put a token into SKEP_TOKEN, and push:",
  );
  for (const command of next) print(`  ${command}`);
  print(`With a token that has the ability admin, ${push} --create also creates the Hive.`);
}

/** Whether there is a token for the server, of the environment or of `skep login`. */
async function hasToken(server = process.env.SKEP_SERVER ?? ""): Promise<boolean> {
  const { Credentials } = await import("../../client/login/credentials.ts");
  const find = () => new Credentials(process.env).find(server).catch(() => undefined);
  return Boolean(process.env.SKEP_TOKEN || (await find()));
}

function askSource(codes: readonly string[]): Promise<string | undefined> {
  return ask(
    `No file shows which locale the source texts are in. Source locale (${printable(codes.join(", "))})`,
  );
}

function nothingWritten(kind: ClientErrorKind, why: string): ClientError {
  return new ClientError(kind, `Nothing was written: ${why}.`);
}

/** How many files that cannot be read are named. */
const maxNamed = 3;
/** How many locales of a pattern are named. */
const maxCodes = 24;

/** Proposes settings of checks with the reasons; undefined if no file is found. */
async function proposedChecks(folder: string, proposal: Proposal): Promise<ProposedChecks | undefined> {
  const { proposeChecks } = await import("../../client/check.ts");
  try {
    const checks = await proposeChecks(folder, proposal);
    const rules = checks.syntax.map(
      ({ files, syntax, reason }) =>
        `  ${files}: ${syntax} messages, because of ${excerpt(reason ?? "", 60)}`,
    );
    const tagsAlone = checks.plain.map(
      (files) => `  ${files}: tags alone are checked, because no text shows an argument`,
    );
    const unread = [...new Set(checks.faults.map(({ path }) => path))];
    const found =
      checks.errors === 0
        ? "no text has an error now"
        : `${counted(checks.errors, "text")} with errors now, which skep check lists`;
    const why = checks.errors === 0 && unread.length > 0 ? "not all files could be checked" : found;
    const level = { off: "stored", warn: "stored with a warning", refuse: "refused" }[checks.level];
    const more =
      unread.length === 0
        ? []
        : [`  not checked: ${named(unread, maxNamed)}, which cannot be read; skep check says why`];
    printNotice(
      [
        "Checks:",
        ...rules,
        ...tagsAlone,
        `  texts ${checks.syntax.length === 0 ? "with broken tags" : "that would break the app"} are ${level}: ${why}`,
        ...more,
      ]
        .map(printable)
        .join("\n"),
    );
    return checks;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    printNotice(`Checks are not proposed: ${printable(error.message)}`);
    return undefined;
  }
}

/** A Hive's slug for the name of a folder. */
function slugOf(folder: string): string {
  const slug = basename(folder).toLowerCase();
  return (
    slug
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 60) || "web"
  );
}

/** The command that creates the Hive with all locales of the app. */
function createLine(
  hive: string | undefined,
  { source, targets }: Proposal,
  checks: ProposedChecks | undefined,
): string {
  const locales = targets.length === 0 ? "" : ` --locale ${targets.map(localeToGive).join(",")}`;
  const rules = checks?.syntax.map(({ files, syntax }) => ` --syntax '${files}=${syntax}'`) ?? [];
  const formats = checks?.formats.map(({ files, format }) => ` --file-format '${files}=${format}'`) ?? [];
  const flags = checks === undefined ? "" : ` --checks ${checks.level}${[...rules, ...formats].join("")}`;
  return `skep hive create ${hive ?? "SLUG"} --team TEAM --source-locale ${localeToGive(source)}${locales}${flags}`;
}

function toRow({ source, reason, patterns, withoutSource, excluded, unread }: Proposal) {
  return {
    source: source.code,
    source_reason: reason,
    patterns: patterns.map(({ sourceFiles, codes, locales, ...rest }) => ({
      ...rest,
      source_files: sourceFiles,
      locales: codes,
      codes: locales,
    })),
    without_source: withoutSource.map(({ path }) => path),
    excluded: excluded.map(({ path }) => path),
    unread,
  };
}

/** The first names of a list, and how many more there are. */
function named(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return names.slice(0, most).join(", ") + more;
}

function described({ source, reason, patterns, withoutSource, ambiguous, unread }: Proposal): string {
  const others = unread.map(({ paths, advice }) => {
    return printable(`  ${named(paths, maxNamed)}: not offered; ${advice}`);
  });
  if (patterns.length + withoutSource.length === 0)
    return ["No files of translations were found.", ...others].join("\n");
  const lines = patterns.map(({ path, sourceFiles, codes }) => {
    const targets = codes.length === 0 ? "no other locale" : named(codes, maxCodes);
    return `  ${printable(path)}: ${counted(sourceFiles, "source file")}, and ${printable(targets)}`;
  });
  const left = [
    ...withoutSource.map((one) => `  ${printable(one.path)}: left out, as ${printable(one.reason)}`),
    ...ambiguous.map(({ pattern, code, locale }) =>
      printable(`  ${pattern}: ${code} is left out, because it is the same language as ${locale}`),
    ),
  ];
  const why = printable(`${source.code} as the source locale, because ${reason}`);
  return [`Found, with ${why} (--source-locale names another):`, ...lines, ...left, ...others].join("\n");
}

/**
 * Takes a setting from its flag, or asks for it until the reply is valid.
 * @param usual the value for an empty reply, and for a missing flag without a terminal.
 * @returns undefined when there is no value.
 * @throws ClientError `misuse` for an invalid flag; `error` when the input ends.
 */
async function settingOf(
  name: "server" | "hive",
  flag: string | undefined,
  isAsking: boolean,
  usual?: string,
): Promise<string | undefined> {
  const { hiveSlug, serverUrl } = await import("../../client/tree/schema.ts");
  const schema = { server: serverUrl, hive: hiveSlug }[name];
  const title =
    name === "hive" ? "Hive" : usual === undefined ? "Server (empty: leave it to be filled in)" : "Server";
  for (let given = flag; ;) {
    if (given === undefined && isAsking) {
      given = await ask(title, usual);
      if (given === undefined) throw new ClientError("error", "Nothing was written.");
    }
    given ??= usual;
    if (given === undefined || given === "") return undefined;
    const { data, error } = schema.safeParse(given);
    if (error === undefined) return data;
    const problem = `--${name} ${error.issues[0]?.message ?? "cannot be used"}`;
    if (flag !== undefined) throw new ClientError("misuse", problem);
    printNotice(problem.slice(2));
    given = undefined;
  }
}

/** The Hive that a flag names. @throws ClientError `misuse` for an invalid one. */
async function givenHive(flag: string | undefined): Promise<string | undefined> {
  return flag === undefined ? undefined : settingOf("hive", flag, false);
}

/** The server of the environment, or the only one of `skep login`. */
async function knownServer(): Promise<string | undefined> {
  const { SKEP_SERVER: server = "" } = process.env;
  if (server !== "") return server;
  const { Credentials } = await import("../../client/login/credentials.ts");
  const [only, ...others] = await new Credentials(process.env).servers();
  return others.length === 0 ? only : undefined;
}

/** Writes a new file that other users may read, as is usual in a repository. @throws ClientError when it exists. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx" });
    // The program's umask, which protects storages, would make the file unreadable for other users.
    await chmod(path, 0o644);
  } catch (cause) {
    throw new ClientError("error", `${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}
