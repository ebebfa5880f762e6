/** `skep push`: syncs the source files of the tree to the Hive, and sends translations if asked to. */
import type { Texts } from "../domain/strings/string-file.ts";
import { counted } from "../domain/text.ts";
import { ClientError } from "./api/client-error.ts";
import type { HiveLocale, HiveLocales, HiveTexts, SentFiles } from "./api/hive-api.ts";
import { isInGit } from "./repository/app-branch.ts";
import { resolveCommit } from "./repository/commits.ts";
import { findCommitRef } from "./repository/commit-ref.ts";
import { chooseLocales, type Project } from "./project.ts";
import { changesOf, textsOf } from "./texts.ts";
import { movesBetween, renamedFiles, withoutMoves } from "./moves.ts";
import type {
  FileReport,
  LocaleReport,
  PushOptions,
  PushReport,
  SourceFile,
  StringMove,
} from "./push-report.ts";
import { pushLocale, readTranslations } from "./push-translations.ts";
import { readTree } from "./read-tree.ts";
import { changesSince, explainConflicts, withoutPresent } from "./since.ts";
import type { Tree } from "./tree/tree.ts";

/** What is known of the Hive before a push. */
interface KnownHive {
  readonly locales: HiveLocales;
  /** Its source texts; undefined where the token cannot read them. */
  readonly source: HiveTexts | undefined;
}

/**
 * Pushes. Nothing is sent before all files were read.
 * @throws ClientError, `gate` when `strict` is asked for and a translation has no source string: then no translation of
 * its locale was sent.
 */
export async function push(project: Project, options: PushOptions): Promise<PushReport> {
  await project.warnOfInterruptedPull();
  const { context, config } = project;
  const { locales, source } = await knownHive(project, options);
  const chosen = options.translations === undefined ? [] : chosenLocales(locales, options.translations);
  const content = await readTree(project, locales, chosen, options);
  const { tree, sources, faults } = content;
  const expected =
    options.expected === undefined
      ? undefined
      : await resolveCommit(config.folder, "--expected", options.expected);
  const translations = await readTranslations(project, content, expected);
  if (options.strict) faults.refuse();
  const ref = await findCommitRef(config.folder, context.environment);
  const isSince = options.since ?? (await isSinceNeeded(project, options));
  const since =
    isSince === undefined
      ? undefined
      : await changesSince(project, isSince === true ? undefined : isSince, locales, sources);
  const missing = since === undefined ? missingFiles(tree, source) : [];
  const renamed =
    options.detectMoves && source
      ? renamedFiles(missing, source, new Map(sources.map((one) => [one.file.name, one.texts])))
      : [];
  const removed = options.prune ? missing : renamed;
  const files: SentFiles =
    since?.files ??
    Object.fromEntries([
      ...sources.map(({ file, read }) => [file.name, read.content] as const),
      ...removed.map((name) => [name, {}] as const),
    ]);
  context.progress(`Sending ${counted(Object.keys(files).length, "source file")}`);
  const at = options.dryRun ? project : await project.atBranch();
  const sent = await at.hive.sync(files, { ...options, ref, base: since?.base }).catch((error: unknown) => {
    if (since !== undefined) explainConflicts(error, since, source, context);
    throw explainSize(error);
  });
  let { commit } = sent;
  const reports: LocaleReport[] = [];
  for (const locale of translations) {
    context.progress(`Sending ${locale.code}`);
    const pushed = await pushLocale(at, locale, { sources, hive: source }, { ...options, ref });
    commit = pushed.commit ?? commit;
    reports.push(pushed.report);
  }
  const changed =
    since === undefined
      ? source && fileReports(sources, source, removed)
      : withoutPresent(since.changed, source);
  const before = since === undefined ? source : allTexts(since.base);
  const hasMoved = (sent.data.moved ?? 0) > 0 && source !== undefined;
  const moves = hasMoved ? (sent.data.moves ?? movesIn(files, before ?? source)) : [];
  return {
    hive: project.hive.slug,
    branch: project.newBranch ?? project.hive.branch ?? null,
    isNewBranch: project.newBranch !== undefined,
    commit,
    dryRun: options.dryRun,
    isFirst: source !== undefined && [...source.values()].every((texts) => texts.size === 0),
    since: since?.commit,
    result: sent.data,
    moves,
    files: changed && withoutMoves(changed, moves),
    unmatched: missing.filter((name) => !removed.includes(name)),
    unsent: [...tree.present].filter((code) => chosen.every((locale) => locale.code !== code)),
    strays: chosen.flatMap(({ code }) => tree.strays.get(code) ?? []),
    translations: reports,
    faults: faults.files,
  };
}

/**
 * Whether a push into a branch of the Hive must know what the app's branch changed: the branch of the Hive begins at main,
 * which may have strings that the app's branch has not seen yet, and must not delete.
 */
async function isSinceNeeded(
  { newBranch, hive, config }: Project,
  { prune }: PushOptions,
): Promise<true | undefined> {
  const isMain = newBranch === undefined && hive.branch === undefined;
  return isMain || prune || !(await isInGit(config.folder)) ? undefined : true;
}

/** Files of the Hive that have texts, and that no pattern finds. */
function missingFiles({ files }: Tree, source: HiveTexts | undefined): readonly string[] {
  const found = new Set(files.map(({ name }) => name));
  return [...(source ?? [])].filter(([name]) => !found.has(name)).map(([name]) => name);
}

/** For a token that can only write. It cannot read the Hive, so settings and flags alone decide what is sent. */
async function knownHive(
  { hive, config }: Project,
  { prune, translations }: PushOptions,
): Promise<KnownHive> {
  try {
    const locales = await hive.locales();
    return { locales, source: (await hive.texts(locales.source.code)).data };
  } catch (error) {
    const isWriteOnly = error instanceof ClientError && error.code === "missing_ability";
    if (!isWriteOnly || prune || translations === "all" || config.source === undefined) throw error;
    const targets = (translations ?? []).map((code) => ({ code, canonical: code }));
    return {
      locales: { source: { code: config.source, canonical: config.source }, targets },
      source: undefined,
    };
  }
}

function chosenLocales(locales: HiveLocales, translations: readonly string[] | "all"): readonly HiveLocale[] {
  return chooseLocales(locales, translations === "all" ? undefined : translations);
}

/** A sync applies all files or none, so it cannot be sent in parts. */
function explainSize(error: unknown): unknown {
  if (error instanceof ClientError && error.status === 413) {
    const hint =
      "The source files are synced in one request; --body-limit and --body-values of skep serve allow more.";
    return new ClientError(error.kind, `${error.message} ${hint}`, { cause: error });
  }
  return error;
}

function fileReports(
  sources: readonly SourceFile[],
  hive: HiveTexts,
  removed: readonly string[],
): readonly FileReport[] {
  const nothing: Texts = new Map();
  return [
    ...sources.map(({ file, read, texts }) => ({
      file: file.name,
      path: file.source.path,
      changes: changesOf(hive.get(file.name) ?? nothing, texts),
      nonTextValues: read.nonTextValues,
    })),
    ...removed.map((name) => ({
      file: name,
      path: null,
      changes: changesOf(hive.get(name) ?? nothing, nothing),
      nonTextValues: [],
    })),
  ];
}

/** The moves that a push made, as the server finds them. */
function movesIn(content: SentFiles, before: HiveTexts): readonly StringMove[] {
  const after = allTexts(content);
  return movesBetween(new Map([...before].filter(([name]) => after.has(name))), after);
}

function allTexts(files: SentFiles): HiveTexts {
  return new Map(Object.entries(files).map(([name, content]) => [name, textsOf(content)]));
}
