/** Sends the translations of one locale. */
import { ClientError } from "./api/client-error.ts";
import type { Group, Texts } from "../domain/strings/string-file.ts";
import { counted, excerpt } from "../domain/text.ts";
import type { ExpectedTexts, HiveTexts, SentFiles } from "./api/hive-api.ts";
import type { WriteOptions } from "./api/write-options.ts";
import type { TranslationsResult } from "./api/schemas.ts";
import { earlierTargets, warnOfConflicts } from "./earlier.ts";
import type { CommandContext } from "./context.ts";
import type { Project, ReadFile } from "./project.ts";
import type { TreeContent } from "./read-tree.ts";
import type { LocaleReport, PushOptions, SourceFile, StringAddress } from "./push-report.ts";
import { textsOf } from "./texts.ts";

type LocaleOptions = Pick<PushOptions, "dryRun" | "overwrite" | "sameAsSource" | "strict"> & WriteOptions;

/** The files of a locale, by their names in the Hive. */
export interface LocaleContent {
  readonly code: string;
  readonly files: ReadonlyMap<string, ReadFile>;
  /** With `--expected`, what the files held at that commit of the app. */
  readonly earlier: ReadonlyMap<string, Group> | undefined;
}

/** The source texts that translations belong to. */
interface Sources {
  /** Those of the tree, which were sent before, or would have been. */
  readonly sources: readonly SourceFile[];
  /** Those that the Hive had before that; undefined where the token cannot read them. */
  readonly hive: HiveTexts | undefined;
}

/** The translations of a locale that are to be sent. */
interface Sent {
  readonly files: ReadonlyMap<string, Texts>;
  readonly sameAsSource: number;
}

/**
 * Gathers the locales whose files could be read.
 * @param commit with `--expected`, the commit of the app whose files hold what the Hive had when they were changed.
 */
export async function readTranslations(
  project: Project,
  { tree, targets, faults }: TreeContent,
  commit: string | undefined,
): Promise<readonly LocaleContent[]> {
  const locales: LocaleContent[] = [];
  for (const [code, files] of targets) {
    const earlier =
      commit === undefined
        ? undefined
        : await faults.collect(code, () => earlierTargets(project, commit, tree.files, code));
    if (faults.isSound(code) && (files.size > 0 || (earlier?.size ?? 0) > 0))
      locales.push({ code, files, earlier });
  }
  return locales;
}

/**
 * Sends the translations of one locale, after the source files.
 * @returns also the commit that the Hive is at then; none where nothing was to be sent.
 * @throws ClientError `gate` when a translation has no source string and `strict` is asked for; none was sent then.
 */
export async function pushLocale(
  project: Project,
  { code, files, earlier }: LocaleContent,
  { sources, hive }: Sources,
  options: LocaleOptions,
): Promise<{ readonly report: LocaleReport; readonly commit: string | undefined }> {
  const all = translationsIn(files, sources, options);
  const guarded = earlier && (await changedOnly(project, code, all, earlier));
  const sent = guarded?.sent ?? all;
  const { sameAsSource } = sent;
  if (sent.files.size === 0) {
    const report = {
      locale: code,
      created: 0,
      updated: 0,
      skipped: 0,
      unknown: 0,
      unknownKeys: [],
      sameAsSource,
    };
    return { report, commit: undefined };
  }
  const body: SentFiles = Object.fromEntries(
    Array.from(sent.files, ([name, texts]) => [name, Object.fromEntries(texts)]),
  );
  const write = {
    ...options,
    overwrite: options.overwrite || guarded !== undefined,
    expected: guarded?.expected,
  };
  const ask = async (dryRun: boolean) =>
    project.hive
      .importTranslations(code, body, { ...write, dryRun, strict: options.strict && !dryRun })
      .catch((error: unknown) => {
        if (guarded !== undefined) explainUnexpected(error, code, guarded, project.context);
        throw error;
      });
  if (options.dryRun || options.strict) {
    const { data, commit } = await ask(true);
    const pending = options.dryRun ? countPending(sent, { sources, hive }) : 0;
    const report = toReport(code, sent, data, withoutPending(data, sources), pending);
    if (options.strict && report.unknown > 0) throw refuseUnknown(report);
    if (options.dryRun) return { report, commit };
  }
  const { data, commit } = await ask(false);
  // Only a dry run lists the unknown keys.
  write.expected = undefined;
  const { data: named } = data.unknown > 0 ? await ask(true) : { data };
  return { report: toReport(code, sent, data, named.unknown_keys ?? [], 0), commit };
}

/** The translations in the files of a locale. An empty text is not a translation. */
function translationsIn(
  read: ReadonlyMap<string, ReadFile>,
  sources: readonly SourceFile[],
  options: Pick<LocaleOptions, "sameAsSource">,
): Sent {
  const files = new Map<string, Texts>();
  let sameAsSource = 0;
  for (const { file, texts: source } of sources) {
    const texts = new Map<string, string>();
    for (const [key, text] of textsOf(read.get(file.name)?.content ?? {})) {
      if (text === "") continue;
      if (options.sameAsSource || text !== source.get(key)) texts.set(key, text);
      else sameAsSource++;
    }
    if (texts.size > 0) files.set(file.name, texts);
  }
  return { files, sameAsSource };
}

/** Translations that changed since a commit, and what the Hive is to have in their place. */
interface GuardedTexts {
  readonly sent: Sent;
  readonly expected: ExpectedTexts;
  readonly hive: HiveTexts;
}

/** @param earlier what the files held at an earlier commit of the app. */
async function changedOnly(
  project: Project,
  code: string,
  { files, sameAsSource }: Sent,
  earlier: ReadonlyMap<string, Group>,
): Promise<GuardedTexts> {
  const { data: hive } = await project.hive.texts(code);
  const changed = new Map<string, Texts>();
  const expected: [string, Readonly<Record<string, string | null>>][] = [];
  for (const [name, texts] of files) {
    const before = textsOf(earlier.get(name) ?? {});
    const present = hive.get(name);
    const own = new Map([...texts].filter(([key, text]) => before.get(key) !== text));
    if (own.size === 0) continue;
    changed.set(name, own);
    // A text that the Hive does not have, as it was never sent, or has by now, is in nobody's way.
    const isFree = (key: string): boolean => [undefined, "", own.get(key)].includes(present?.get(key));
    const held = Array.from(own.keys(), (key) => [
      key,
      (isFree(key) ? present?.get(key) : before.get(key)) ?? null,
    ]);
    expected.push([name, Object.fromEntries(held)]);
  }
  return { sent: { files: changed, sameAsSource }, expected: Object.fromEntries(expected), hive };
}

/** @throws ClientError `conflict` when others have changed the translations. */
function explainUnexpected(
  thrown: unknown,
  code: string,
  { sent, hive }: GuardedTexts,
  context: Pick<CommandContext, "warn">,
): void {
  if (!(thrown instanceof ClientError) || thrown.code !== "expected_conflict") return;
  const total = warnOfConflicts(
    thrown,
    (file, key) => sent.files.get(file)?.get(key),
    (file, key) => hive.get(file)?.get(key),
    context,
  );
  const problem = `${code}: ${counted(total, "translation")} changed both here and in the Hive, so none was sent. Pull, settle them, and push again.`;
  throw new ClientError("conflict", problem, { cause: thrown, code: thrown.code, status: thrown.status });
}

/** How many translations belong to strings that only the push of the source files would make. */
function countPending({ files }: Sent, { sources, hive }: Sources): number {
  let pending = 0;
  for (const { file, texts } of sources) {
    for (const key of files.get(file.name)?.keys() ?? []) {
      if (texts.has(key) && hive?.get(file.name)?.has(key) === false) pending++;
      else if (texts.has(key) && hive !== undefined && !hive.has(file.name)) pending++;
    }
  }
  return pending;
}

function withoutPending({ unknown_keys: keys = [] }: TranslationsResult, sources: readonly SourceFile[]) {
  const byName = new Map(sources.map(({ file, texts }) => [file.name, texts]));
  return keys.filter(({ file, key }) => byName.get(file)?.has(key) !== true);
}

function toReport(
  locale: string,
  { sameAsSource }: Sent,
  { created, updated, skipped, unknown }: TranslationsResult,
  unknownKeys: readonly StringAddress[],
  pending: number,
): LocaleReport {
  return {
    locale,
    created: created + pending,
    updated,
    skipped,
    unknown: Math.max(0, unknown - pending),
    unknownKeys: unknownKeys.map(({ file, key }) => ({ file, key })),
    sameAsSource,
  };
}

/** How many keys an error names. */
const namedKeys = 20;

function refuseUnknown({ locale, unknown, unknownKeys }: LocaleReport): ClientError {
  const named = unknownKeys.slice(0, namedKeys).map(({ file, key }) => `${file}: ${excerpt(key)}`);
  const more = unknown > named.length ? ` and ${unknown - named.length} more` : "";
  return new ClientError(
    "gate",
    `${locale}: ${counted(unknown, "translation")} without a source string, so none was sent: ${named.join(", ")}${more}`,
  );
}
