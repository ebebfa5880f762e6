/** Sends the translations of one locale. */
import { ClientError } from "./api/client-error.ts";
import { noTexts, type Group, type Texts } from "../domain/strings/string-file.ts";
import { counted, excerpt, readableKey } from "../domain/text.ts";
import { ancestorsAmong } from "./api/fetched-texts.ts";
import type { HiveLocale, HiveTexts } from "./api/hive-api.ts";
import type { ExpectedTexts, TranslationsResult } from "./api/translations-api.ts";
import type { SentFiles } from "./api/write-options.ts";
import type { WriteOptions } from "./api/write-options.ts";
import type { StringAddress } from "./api/schemas.ts";
import { conflictLine, earlierTargets } from "./earlier.ts";
import type { Project, ReadFile } from "./project.ts";
import { textsByFile, type TreeContent } from "./read-tree.ts";
import type { LocaleReport, PushOptions, SourceFile } from "./push-report.ts";
import { textsOf } from "./texts.ts";

type LocaleOptions = Pick<PushOptions, "dryRun" | "overwrite" | "sameAsSource" | "strict"> & WriteOptions;

/** The files of a locale, by their names in the Hive. */
export interface LocaleContent {
  readonly code: string;
  readonly files: ReadonlyMap<string, ReadFile>;
  /** With `--expected`, the content of the files at that commit of the app. */
  readonly earlier: ReadonlyMap<string, Group> | undefined;
}

/** The source texts that translations belong to. */
interface Sources {
  /** Those of the tree, which were sent before, or would have been. */
  readonly sources: readonly SourceFile[];
  /** Those that the Hive had before that; undefined where the token cannot read them. */
  readonly hive: HiveTexts | undefined;
  /** The target locales of the Hive. */
  readonly targets: readonly HiveLocale[];
}

/** The translations of a locale that are to be sent. */
interface Sent {
  readonly files: ReadonlyMap<string, Texts>;
  readonly sameAsSource: number;
  readonly inherited: number;
  readonly nonTextValues: readonly StringAddress[];
}

/**
 * Gathers the locales whose files could be read.
 * @param commit with `--expected`, the commit of the app whose files hold what the Hive had when they were changed.
 */
export async function readTranslations(
  project: Project,
  content: TreeContent,
  commit: string | undefined,
): Promise<readonly LocaleContent[]> {
  const { targets, faults } = content;
  const locales: LocaleContent[] = [];
  for (const [code, files] of targets) {
    const earlier =
      commit === undefined
        ? undefined
        : await faults.collect(code, () => earlierTargets(project, commit, content, code));
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
  known: Sources,
  options: LocaleOptions,
): Promise<{ readonly report: LocaleReport; readonly commit: string | undefined }> {
  const all = await withoutInherited(project, code, translationsIn(files, known.sources, options), known);
  const guarded = earlier && (await changedOnly(project, { code, files, earlier }, all, known));
  const sent = guarded?.sent ?? all;
  const pushed =
    sent.files.size > 0 ? await sendTexts(project, code, sent, known, guarded, options) : undefined;
  const report = pushed?.report ?? toReport(code, sent, noCounts, [], 0);
  const removed = countKeys(guarded?.removed);
  if (guarded === undefined || removed === 0) return { report, commit: pushed?.commit };
  const commit = options.dryRun
    ? guarded.commit
    : await remove(project, code, guarded, pushed?.commit, options.ref);
  return { report: { ...report, removed }, commit };
}

const noCounts = { created: 0, updated: 0, skipped: 0, unknown: 0 };

/** The report that the translations of a locale would have that is still to be added. */
export function newTranslations(
  { code, files }: LocaleContent,
  sources: readonly SourceFile[],
  options: Pick<LocaleOptions, "sameAsSource">,
): LocaleReport {
  const sent = translationsIn(files, sources, options);
  const unknown = sources.flatMap(({ file: { name: file }, translatable }) =>
    [...(sent.files.get(file)?.keys() ?? [])].flatMap((key) => (translatable.has(key) ? [] : { file, key })),
  );
  const all = [...sent.files.values()].reduce((sum, { size }) => sum + size, 0);
  const counts = { ...noCounts, created: all - unknown.length, unknown: unknown.length };
  return toReport(code, sent, counts, unknown, 0);
}

/** @throws ClientError as {@link pushLocale} does. */
async function sendTexts(
  project: Project,
  code: string,
  sent: Sent,
  known: Sources,
  guarded: GuardedTexts | undefined,
  options: LocaleOptions,
): Promise<{ readonly report: LocaleReport; readonly commit: string }> {
  const body: SentFiles = Object.fromEntries(
    Array.from(sent.files, ([name, texts]) => [name, Object.fromEntries(texts)]),
  );
  const overwrite = options.overwrite || guarded !== undefined;
  const send = (dryRun: boolean, expected = guarded?.expected) => {
    const strict = options.strict && !dryRun;
    return project.hive.translations.import(code, body, { ...options, overwrite, expected, dryRun, strict });
  };
  if (options.dryRun || options.strict) {
    const { data, commit } = await send(true);
    const pending = options.dryRun ? countPending(sent, known) : 0;
    const report = toReport(code, sent, data, withoutPending(data, known), pending);
    if (options.strict && report.unknown > 0) throw refuseUnknown(report);
    if (options.dryRun) return { report, commit };
  }
  const { data, commit } = await send(false);
  // Only a dry run lists the unknown keys.
  const { data: named } = data.unknown > 0 ? await send(true, {}) : { data };
  return { report: toReport(code, sent, data, named.unknown_keys ?? [], 0), commit };
}

/**
 * Removes the translations that are gone.
 * @param sentAt the commit of the translations that were sent before.
 * @throws ClientError `conflict` when the Hive has been changed meanwhile; then none is removed.
 */
async function remove(
  { hive }: Project,
  code: string,
  { removed, commit }: GuardedTexts,
  sentAt: string | undefined,
  ref: string | undefined,
): Promise<string> {
  const request = hive.translations.remove(code, removed, { ref, ifAt: sentAt ?? commit });
  const answer = await request.catch((error: unknown) => {
    if (!(error instanceof ClientError) || error.code !== "precondition_failed") throw error;
    const keys = counted(countKeys(removed), "translation");
    const problem = `${code}: the Hive was changed meanwhile, so ${keys} that are gone here were not removed. Push again.`;
    throw new ClientError("conflict", problem, { cause: error });
  });
  return answer.commit;
}

function countKeys(files: Readonly<Record<string, readonly string[]>> = {}): number {
  return Object.values(files).reduce((sum, keys) => sum + keys.length, 0);
}

/** The translations in the files of a locale. An empty text is not a translation. */
function translationsIn(
  read: ReadonlyMap<string, ReadFile>,
  sources: readonly SourceFile[],
  options: Pick<LocaleOptions, "sameAsSource">,
): Sent {
  const files = new Map<string, Texts>();
  const nonTextValues: StringAddress[] = [];
  let sameAsSource = 0;
  for (const { file, read: own, translatable: source } of sources) {
    const texts = new Map<string, string>();
    const local = read.get(file.name);
    const others = new Set(own.nonTextValues);
    for (const key of local?.nonTextValues ?? []) nonTextValues.push({ file: file.name, key });
    for (const [key, text] of local?.texts ?? noTexts) {
      if (text === "") continue;
      // A text for a number of the source file has no string, as the number itself has none.
      if (others.has(key) && !source.has(key)) {
        nonTextValues.push({ file: file.name, key });
        continue;
      }
      if (options.sameAsSource || text !== source.get(key)) texts.set(key, text);
      else sameAsSource++;
    }
    if (texts.size > 0) files.set(file.name, texts);
  }
  return { files, sameAsSource, inherited: 0, nonTextValues };
}

/**
 * The translations without those that equal what the locale inherits: as its own, they would not follow the other locale. One
 * that the Hive has a translation for is sent all the same.
 */
async function withoutInherited(
  { hive }: Project,
  code: string,
  all: Sent,
  { targets, hive: readable }: Sources,
): Promise<Sent> {
  const own = targets.find((locale) => locale.code === code);
  const ancestors = own === undefined ? [] : ancestorsAmong(targets, own);
  // A token that can only write cannot tell.
  if (ancestors.length === 0 || readable === undefined) return all;
  const [present, ...chain] = await Promise.all(
    [code, ...ancestors.map((locale) => locale.code)].map(async (one) => (await hive.texts(one)).data),
  );
  const files = new Map<string, Texts>();
  let inherited = 0;
  for (const [file, texts] of all.files) {
    const left = new Map<string, string>();
    for (const [key, text] of texts) {
      const theirs = chain
        .find((each) => each.get(file)?.has(key))
        ?.get(file)
        ?.get(key);
      if (text === theirs && present?.get(file)?.has(key) !== true) inherited++;
      else left.set(key, text);
    }
    if (left.size > 0) files.set(file, left);
  }
  return { ...all, files, inherited };
}

/** Translations that changed since a commit, and the texts that the Hive must still have in their place. */
interface GuardedTexts {
  readonly sent: Sent;
  readonly expected: ExpectedTexts;
  /** The keys that have no translation any more, by file. */
  readonly removed: Readonly<Record<string, readonly string[]>>;
  /** The commit of the Hive that they were compared with. */
  readonly commit: string;
}

/** @throws ClientError `conflict` when others have changed one of the same translations. */
async function changedOnly(
  { hive, context }: Project,
  { code, files, earlier = new Map() }: LocaleContent,
  all: Sent,
  { sources, hive: hiveSource }: Sources,
): Promise<GuardedTexts> {
  const { data: present, commit } = await hive.texts(code);
  const changed = new Map<string, Texts>();
  const expected: [string, Readonly<Record<string, string | null>>][] = [];
  const removed: [string, readonly string[]][] = [];
  const conflicts: StringAddress[] = [];
  for (const { file, texts: source } of sources) {
    const before = textsOf(earlier.get(file.name) ?? {});
    const now = files.get(file.name)?.texts ?? noTexts;
    const theirs = present.get(file.name);
    const own = new Map<string, string>();
    const held = new Map<string, string | null>();
    const gone: string[] = [];
    for (const [key, text] of all.files.get(file.name) ?? []) {
      if (before.get(key) === text) continue;
      own.set(key, text);
      const their = theirs?.get(key);
      // A text that the Hive does not have, as it was never sent, or has by now, is in nobody's way.
      const isFree = their === undefined || their === text;
      held.set(key, (isFree ? their : before.get(key)) ?? null);
      if (!isFree && their !== before.get(key)) conflicts.push({ file: file.name, key });
    }
    for (const [key, text] of before) {
      const their = theirs?.get(key);
      if (text === "" || their === undefined || (now.get(key) ?? "") !== "") continue;
      // The source string goes, too, and takes its translations along.
      if (!source.has(key) && hiveSource?.get(file.name)?.has(key) === true) continue;
      if (their === text) gone.push(key);
      else conflicts.push({ file: file.name, key });
    }
    if (own.size > 0) changed.set(file.name, own);
    if (own.size > 0) expected.push([file.name, Object.fromEntries(held)]);
    if (gone.length > 0) removed.push([file.name, gone]);
  }
  if (conflicts.length > 0) {
    for (const { file, key } of conflicts.slice(0, namedKeys)) {
      const here = files.get(file)?.texts.get(key);
      context.warn(conflictLine({ file, key }, here, present.get(file)?.get(key)));
    }
    const total = counted(conflicts.length, "translation");
    const problem = `${code}: ${total} changed both here and in the Hive, so none was sent. Pull, settle them, and push again.`;
    throw new ClientError("conflict", problem);
  }
  const sent = { ...all, files: changed };
  return { sent, expected: Object.fromEntries(expected), removed: Object.fromEntries(removed), commit };
}

/** How many translations belong to strings that only the push of the source files would make. */
function countPending({ files }: Sent, { sources, hive }: Sources): number {
  let pending = 0;
  for (const { file, texts } of sources) {
    const before = hive?.get(file.name);
    for (const key of files.get(file.name)?.keys() ?? [])
      if (texts.has(key) && hive !== undefined && before?.has(key) !== true) pending++;
  }
  return pending;
}

function withoutPending({ unknown_keys: keys = [] }: TranslationsResult, { sources }: Sources) {
  const byName = textsByFile(sources);
  return keys.filter(({ file, key }) => byName.get(file)?.has(key) !== true);
}

function toReport(
  locale: string,
  { sameAsSource, inherited, nonTextValues }: Sent,
  { created, updated, skipped, unknown, findings = [], findings_total: total = 0 }: TranslationsResult,
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
    removed: 0,
    sameAsSource,
    inherited,
    nonTextValues,
    findings,
    findingsTotal: total,
  };
}

/** How many keys an error names. */
const namedKeys = 20;

function refuseUnknown({ locale, unknown, unknownKeys }: LocaleReport): ClientError {
  const named = unknownKeys
    .slice(0, namedKeys)
    .map(({ file, key }) => `${file}: ${excerpt(readableKey(key))}`);
  const more = unknown > named.length ? ` and ${unknown - named.length} more` : "";
  const problem = `${counted(unknown, "translation")} without a source string, so none was sent`;
  return new ClientError("gate", `${locale}: ${problem}: ${named.join(", ")}${more}`);
}
