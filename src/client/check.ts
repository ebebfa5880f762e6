/** Checks the texts of an app's tree, without a server: the same checks as every write of a Hive passes. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  defaultChecks,
  explainedRules,
  syntaxOf,
  type CheckLevel,
  type ExplainedRule,
} from "../domain/checks/check-settings.ts";
import { localeFrom, type Locale } from "../domain/hives/locale.ts";
import { isFileName, stemOf } from "../domain/names.ts";
import { FileChecker, type TakeFinding } from "../domain/plans/check-content.ts";
import { toSourceFiles } from "../domain/strings/payload.ts";
import { noteRulesOf } from "../domain/notes/note-tags.ts";
import type { FileFormat, FormatName } from "../domain/files/file-formats.ts";
import type { ParsedFile } from "../formats/format.ts";
import { formatRulesOf } from "../formats/held/format-rules.ts";
import type { StringFile, Texts } from "../domain/strings/string-file.ts";
import type { CheckFinding } from "../domain/checks/message.ts";
import type { SyntaxName } from "../domain/checks/syntax-names.ts";
import { ClientError } from "./api/client-error.ts";
import type { HiveLocale } from "./api/hive-api.ts";
import type { CommandContext } from "./context.ts";
import { Faults, type FaultyFile } from "./faults.ts";
import { localesToAdd } from "./new-locales.ts";
import { noticesOf } from "./project.ts";
import type { Proposal } from "./propose.ts";
import { textsOf, wholeSource } from "./texts.ts";
import { readConfig, type ClientConfig } from "./tree/config.ts";
import { completedFormats, knownFormat } from "./tree/file-formats.ts";
import { readLocal } from "./tree/files.ts";
import { canonicalCode } from "./tree/language-code.ts";
import { findTree, openFormat, requireSources, type LocalFile, type TreeFile } from "./tree/tree.ts";

/** A finding in a file of the tree. */
export interface LocalFinding extends Omit<CheckFinding, "check" | "severity" | "range"> {
  /** Of a Hive, that of a server that may know more than this program. */
  readonly check: string;
  readonly severity: string;
  /** Below the folder of `skep.yaml`. */
  readonly path: string;
  /** Where the text stands in the file, counted from 1; undefined for a text of the server. */
  readonly line?: number;
  readonly locale: string;
  readonly key: string;
  readonly form?: string;
}

export interface CheckReport {
  readonly findings: readonly LocalFinding[];
  readonly errors: number;
  readonly warnings: number;
  /** How many texts were compared; undefined where the server did it. */
  readonly texts?: number;
  /** The files that cannot be read, which are not checked. */
  readonly faults: readonly FaultyFile[];
}

export interface CheckOptions {
  readonly config?: string;
  /** The source locale, where `skep.yaml` does not say it. */
  readonly source?: string;
  /** Only these locales, by their codes in the tree. */
  readonly locales?: readonly string[];
  /** Whether hints are found, too. */
  readonly hints: boolean;
}

/** The settings of the tree of the current folder, with its source locale. @throws ClientError `misuse` without one. */
async function openTree(
  { folder }: Pick<CommandContext, "folder">,
  options: Pick<CheckOptions, "config" | "source">,
): Promise<{ readonly config: ClientConfig; readonly source: HiveLocale }> {
  const config = await readConfig(folder, options.config);
  const code = options.source ?? config.source;
  const problem = `No source locale is given: put source: into ${config.path}, or give --source-locale.`;
  if (code === undefined) throw new ClientError("misuse", problem);
  return { config, source: { code, canonical: canonicalCode(code) ?? code } };
}

/** A source file as the Hive would store it. */
export interface SourceStrings extends Pick<ParsedFile, "lineOf"> {
  /** The name in the Hive. */
  readonly name: string;
  /** Whether the file's own name is the code of the source locale: it is all that a locale has. */
  readonly isWhole: boolean;
  readonly file: StringFile;
  readonly syntax: SyntaxName;
  readonly local: LocalFile;
}

/**
 * The source files of the tree of the current folder, by their names.
 * @throws ClientError as {@link checkTree}, and where one cannot be read.
 */
export async function sourceStrings(
  context: Pick<CommandContext, "folder" | "warn">,
  options: Pick<CheckOptions, "config" | "source">,
): Promise<readonly SourceStrings[]> {
  const { config, source } = await openTree(context, options);
  const { tree } = await wholeTree(config, source);
  requireSources(tree, config, source);
  const rules = { ...defaultChecks, syntax: config.checks?.syntax ?? [] };
  const notice = noticesOf(context);
  const files: SourceStrings[] = [];
  for (const each of tree.files) {
    const { name, source: local } = each;
    const read = await readStrings(config, each, local);
    if (read === undefined) continue;
    notice(read, local, true);
    const { file, lineOf } = read;
    const stem = stemOf(name);
    const isWhole = stem === source.code || stem === local.code;
    files.push({ name, isWhole, file, lineOf, local, syntax: syntaxOf(rules, name, file) });
  }
  return files;
}

/** Checks the tree of the current folder. @throws ClientError `misuse` without a source locale. */
export async function checkTree(context: CommandContext, options: CheckOptions): Promise<CheckReport> {
  const { config, source } = await openTree(context, options);
  const ofFlutter = await flutterRule(config.folder);
  const syntax = [...(ofFlutter === undefined ? [] : [ofFlutter]), ...(config.checks?.syntax ?? [])];
  return checkFiles(
    { ...config, checks: { ...config.checks, syntax } },
    source,
    new Faults(config.folder, context.fault),
    options,
    context,
  );
}

/** How the Hive of an app that is new to it may check its texts. */
export interface ProposedChecks {
  /** `refuse` where everything could be read, and nothing has an error now. */
  readonly level: CheckLevel;
  readonly errors: number;
  readonly syntax: readonly ExplainedRule[];
  /** Of files whose names do not say their formats. */
  readonly formats: readonly FileFormat[];
  /** Patterns of the files in whose texts no argument was found, so that their tags alone are checked. */
  readonly plain: readonly string[];
  readonly faults: readonly FaultyFile[];
}

/** Proposes checks for the files of patterns; those that cannot be read are passed over. */
export async function proposeChecks(folder: string, { source, patterns }: Proposal): Promise<ProposedChecks> {
  const config = { path: folder, folder, entries: patterns, exclude: [], checks: undefined };
  const faults = new Faults(folder, () => {});
  const texts = new Map<string, StringFile>();
  const { files } = (await wholeTree(config, source)).tree;
  for (const file of files) {
    const read = await faults.collect(source.code, () => readStrings(config, file, file.source));
    if (read !== undefined) texts.set(file.name, read.file);
  }
  const ofFlutter = await flutterRule(folder);
  const explained = explainedRules(defaultChecks, texts).map((rule) =>
    rule.files === ofFlutter?.files ? ofFlutter : rule,
  );
  const syntax = explained.filter(({ reason }) => reason !== undefined);
  const plain = explained.flatMap((rule) => (rule.reason === undefined ? rule.files : []));
  const checked = { ...config, checks: { syntax } };
  const { errors } = await checkFiles(checked, source, faults, { hints: false }, { warn: () => {} });
  const level = errors === 0 && faults.files.length === 0 ? "refuse" : "warn";
  const formats = completedFormats(files.map(knownFormat), []);
  return { level, errors, syntax, formats, plain, faults: faults.files };
}

/** The syntax of ARB files by Flutter's own settings, where the folder has them; else the texts decide. */
async function flutterRule(folder: string): Promise<ExplainedRule | undefined> {
  let settings: string;
  try {
    settings = await readFile(join(folder, "l10n.yaml"), "utf8");
  } catch {
    return undefined;
  }
  const isEscaped = /^use-escaping:[ \t]*true\b/m.test(settings);
  return isEscaped
    ? { files: "*.arb", syntax: "flutter-escaped", reason: "use-escaping: true in l10n.yaml" }
    : { files: "*.arb", syntax: "flutter", reason: "l10n.yaml, which has no use-escaping" };
}

/** The tree with all locales that it has. */
async function wholeTree(config: CheckedConfig, source: HiveLocale) {
  const targets = await localesToAdd(config, { source, targets: [] });
  return { targets, tree: await findTree(config, { source, targets }) };
}

async function checkFiles(
  config: CheckedConfig,
  source: HiveLocale,
  faults: Faults,
  options: Omit<CheckOptions, "config" | "source">,
  context: Pick<CommandContext, "warn">,
): Promise<CheckReport> {
  const { targets, tree } = await wholeTree(config, source);
  requireSources(tree, config, source);
  const chosen = targets.filter((each) => options.locales?.includes(each.code) ?? true);
  const read = (locale: HiveLocale, file: TreeFile, local: LocalFile, ofSource?: ReadStrings) =>
    faults.collect(locale.code, () => readStrings(config, file, local, ofSource?.file.texts));
  const notice = noticesOf(context);
  const findings: LocalFinding[] = [];
  let texts = 0;
  for (const file of tree.files) {
    const own = await read(source, file, file.source);
    for (const locale of [source, ...chosen]) {
      const target = locale === source ? file.source : file.targets.get(locale.code);
      const strings = target && (locale === source ? own : await read(locale, file, target, own));
      if (strings !== undefined && target !== undefined) notice(strings, target, locale === source);
      if (own === undefined || target === undefined || strings === undefined) continue;
      texts += strings.file.texts.size;
      const paired = { own, ...strings, target, name: file.name, format: file.format.name };
      findings.push(...(await checkOne(config, { source, locale }, paired, options.hints)));
    }
  }
  return reportOf(findings, texts, faults.files);
}

/** Counts findings. @param texts how many texts were compared, if that is known. */
export function reportOf(
  findings: readonly LocalFinding[],
  texts?: number,
  faults: readonly FaultyFile[] = [],
): CheckReport {
  const count = (severity: string): number => findings.filter((one) => one.severity === severity).length;
  return { findings, errors: count("error"), warnings: count("warning"), texts, faults };
}

type CheckedConfig = Pick<ClientConfig, "folder" | "path" | "entries" | "exclude" | "checks">;

interface ReadStrings extends Pick<ParsedFile, "notes" | "repeated" | "tooLong" | "lineOf"> {
  readonly file: StringFile;
}

/** Reads a file as the Hive would store it. */
async function readStrings(
  config: Pick<ClientConfig, "folder">,
  file: TreeFile,
  local: LocalFile,
  sourceTexts?: Texts,
): Promise<ReadStrings | undefined> {
  const bytes = await readLocal(config.folder, local);
  if (bytes === undefined) return undefined;
  const { parse } = await openFormat(file, local, sourceTexts);
  const { content, notes, repeated, tooLong, lineOf } = parse(bytes);
  const textsIn = async (other: LocalFile) => (await readStrings(config, file, other))?.file.texts;
  const whole = local === file.source ? await wholeSource(file, content, textsIn) : content;
  const [strings] = (await toSourceFiles({ file: whole })).values();
  return strings && { file: strings, notes, repeated, tooLong, lineOf };
}

function toLocale({ canonical }: HiveLocale): Locale {
  return localeFrom(canonical, undefined, { code: "locale", customCode: "locale" });
}

async function checkOne(
  { checks }: CheckedConfig,
  { source, locale }: { readonly source: HiveLocale; readonly locale: HiveLocale },
  paired: ReadStrings & {
    readonly own: ReadStrings;
    readonly target: LocalFile;
    readonly name: string;
    /** The name of its format, which skep.yaml may say against the ending. */
    readonly format: FormatName;
  },
  withHints: boolean,
): Promise<readonly LocalFinding[]> {
  const sourceLocale = toLocale(source);
  const rules = { ...defaultChecks, syntax: checks?.syntax ?? [] };
  const settings = { name: "", sourceLocale, targetLocales: [], checks: rules };
  const { own, file, lineOf, target, name, format } = paired;
  if (!isFileName(name)) return [];
  const texts = textsOf(file.group);
  const findings: LocalFinding[] = [];
  const take: TakeFinding = (one) => {
    const { file: _, ...found } = one;
    findings.push({ ...found, locale: locale.code, path: target.path, line: lineOf(one.key) });
  };
  const notes = new Map(Array.from(own.notes, ([key, app]) => [key, { app }]));
  const noteRules = noteRulesOf(new Map([[name, notes]]));
  const rulesOf = (of: string) => formatRulesOf(of, format);
  const checker = new FileChecker({ settings, rulesOf, withHints, noteRules }, name, own.file);
  await checker.checkAll(toLocale(locale).code, texts, take);
  return findings;
}
