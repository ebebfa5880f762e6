/** Checks the texts of an app's tree, without a server: the same checks as every write of a Hive passes. */
import {
  defaultChecks,
  explainedRules,
  type CheckLevel,
  type ExplainedRule,
} from "../domain/checks/check-settings.ts";
import { lineOf } from "../domain/checks/line-of.ts";
import { localeFrom, type Locale } from "../domain/hives/locale.ts";
import { isFileName } from "../domain/names.ts";
import { checkFile } from "../domain/plans/check-content.ts";
import { toSourceFiles } from "../domain/strings/payload.ts";
import type { StringFile } from "../domain/strings/string-file.ts";
import type { CheckFinding } from "../domain/checks/message.ts";
import { finish } from "../domain/steps.ts";
import { inSlices } from "../slices.ts";
import { ClientError } from "./api/client-error.ts";
import type { HiveLocale } from "./api/hive-api.ts";
import type { CommandContext } from "./context.ts";
import { planLocales } from "./new-locales.ts";
import type { Proposal } from "./propose.ts";
import { textsOf } from "./texts.ts";
import { readConfig, type ClientConfig } from "./tree/config.ts";
import { parseLocal, readLocal } from "./tree/files.ts";
import { canonicalCode } from "./tree/language-code.ts";
import { findTree, type LocalFile, type TreeFile } from "./tree/tree.ts";

/** A finding in a file of the tree. */
export interface LocalFinding extends CheckFinding {
  /** Below the folder of `skep.yaml`. */
  readonly path: string;
  /** Where the text stands, as far as it can be found in the file; counted from 1. */
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

/**
 * Checks the tree of the current folder.
 * @throws ClientError `misuse` without a source locale; `error` when a file cannot be read.
 */
export async function checkTree(context: CommandContext, options: CheckOptions): Promise<CheckReport> {
  const config = await readConfig(context.folder, options.config);
  const code = options.source ?? config.source;
  if (code === undefined) {
    throw new ClientError(
      "misuse",
      `No source locale is given: put source: into ${config.path}, or give --source.`,
    );
  }
  return checkFiles(config, { code, canonical: canonicalCode(code) ?? code }, options);
}

/** How the Hive of an app that is new to it may check its texts. */
export interface ProposedChecks {
  /** `refuse` where nothing has an error now. */
  readonly level: CheckLevel;
  readonly errors: number;
  readonly syntax: readonly ExplainedRule[];
}

/** Proposes checks for the files of patterns. @throws ClientError `error` when a file cannot be read. */
export async function proposeChecks(folder: string, { source, patterns }: Proposal): Promise<ProposedChecks> {
  const config = { path: folder, folder, entries: patterns, exclude: [], checks: undefined };
  const { files } = await findTree(config, { source, targets: [] });
  const texts = new Map<string, StringFile>();
  for (const file of files) {
    const read = await readStrings(config, file, file.source);
    if (read !== undefined) texts.set(file.name, read.file);
  }
  const syntax = explainedRules(defaultChecks, texts);
  const { errors } = await checkFiles({ ...config, checks: { syntax } }, source, { hints: false });
  return { level: errors === 0 ? "refuse" : "warn", errors, syntax };
}

async function checkFiles(
  config: CheckedConfig,
  source: HiveLocale,
  options: Omit<CheckOptions, "config" | "source">,
): Promise<CheckReport> {
  const { missing } = planLocales(await findTree(config, { source, targets: [] }), { source, targets: [] });
  const targets = missing.filter((each) => options.locales?.includes(each.code) ?? true);
  const tree = await findTree(config, { source, targets });
  const findings: LocalFinding[] = [];
  let texts = 0;
  for (const file of tree.files) {
    const own = await readStrings(config, file, file.source);
    for (const locale of [source, ...targets]) {
      const target = locale === source ? file.source : file.targets.get(locale.code);
      const read = target && (locale === source ? own : await readStrings(config, file, target));
      if (own === undefined || target === undefined || read === undefined) continue;
      texts += read.file.texts.size;
      const paired = { own: own.file, ...read, target, name: file.name };
      findings.push(...checkOne(config, { source, locale }, paired, options.hints));
    }
  }
  return reportOf(findings, texts);
}

/** Counts findings. @param texts how many texts were compared, if that is known. */
export function reportOf(findings: readonly LocalFinding[], texts?: number): CheckReport {
  const count = (severity: string): number => findings.filter((one) => one.severity === severity).length;
  return { findings, errors: count("error"), warnings: count("warning"), texts };
}

type CheckedConfig = Pick<ClientConfig, "folder" | "path" | "entries" | "exclude" | "checks">;

interface ReadStrings {
  readonly file: StringFile;
  readonly text: string;
}

/** Reads a file as the Hive would store it. */
async function readStrings(
  { folder }: Pick<ClientConfig, "folder">,
  { format, source }: TreeFile,
  local: LocalFile,
): Promise<ReadStrings | undefined> {
  const bytes = await readLocal(folder, local);
  if (bytes === undefined) return undefined;
  const context = { locale: local.code, sourceLocale: source.code };
  const { content } = parseLocal(await format.load(), bytes, local, context);
  const files = await inSlices(toSourceFiles({ file: content }));
  const [file] = files.values();
  return file && { file, text: bytes.toString() };
}

function toLocale({ canonical }: HiveLocale): Locale {
  return localeFrom(canonical, undefined, { code: "locale", customCode: "locale" });
}

function checkOne(
  { checks }: CheckedConfig,
  { source, locale }: { readonly source: HiveLocale; readonly locale: HiveLocale },
  paired: ReadStrings & { readonly own: StringFile; readonly target: LocalFile; readonly name: string },
  withHints: boolean,
): readonly LocalFinding[] {
  const sourceLocale = toLocale(source);
  const rules = { ...defaultChecks, syntax: checks?.syntax ?? [] };
  const settings = { name: "", sourceLocale, targetLocales: [], checks: rules };
  const { own, file, text, target, name } = paired;
  if (!isFileName(name)) return [];
  const texts = textsOf(file.group);
  const findings: LocalFinding[] = [];
  const all = finish(checkFile({ settings, withHints }, toLocale(locale).code, name, own, texts));
  for (const { file: _, ...found } of all.keys()) {
    const line = lineOf(text, texts.get(found.key) ?? "");
    findings.push({ ...found, locale: locale.code, path: target.path, line });
  }
  return findings;
}
