/** `skep push`: syncs the source files of the tree to the Hive, and sends translations if asked to. */
import type { Texts } from "../domain/strings/string-file.ts";
import { counted } from "../domain/text.ts";
import { ClientError } from "./api/client-error.ts";
import type { HiveLocale, HiveLocales, HiveTexts, SentFiles } from "./api/hive-api.ts";
import { isInGit } from "./repository/app-branch.ts";
import { resolveCommit } from "./repository/commits.ts";
import { findCommitRef } from "./repository/commit-ref.ts";
import { chooseLocales, warnOfInterruptedPull, type Project } from "./project.ts";
import { changesOf, textsOf } from "./texts.ts";
import type { CommandContext } from "./context.ts";
import { movesBetween, renamedFiles, withoutMoves } from "./moves.ts";
import type {
  FileReport,
  LocaleReport,
  PushOptions,
  PushReport,
  SourceFile,
  StringMove,
} from "./push-report.ts";
import { pushLocale } from "./push-translations.ts";
import { changesSince, explainConflicts, withoutPresent } from "./since.ts";
import { statInside } from "./tree/files.ts";
import type { Tree } from "./tree/tree.ts";

/** What is known of the Hive before a push. */
interface KnownHive {
  readonly locales: HiveLocales;
  /** Its source texts; undefined where the token cannot read them. */
  readonly source: HiveTexts | undefined;
}

/**
 * Pushes.
 * @throws ClientError, `gate` when `strict` is asked for and a translation has no source string: then no translation of
 * its locale was sent.
 */
export async function push(
  project: Project,
  options: PushOptions,
  context: CommandContext,
): Promise<PushReport> {
  await warnOfInterruptedPull(project, context);
  const { locales, source } = await knownHive(project, options);
  const tree = await project.tree(locales, options);
  const chosen = options.translations === undefined ? [] : chosenLocales(locales, options.translations);
  const { folder } = project.config;
  const expected =
    options.expected === undefined ? undefined : await resolveCommit(folder, "--expected", options.expected);
  const sources: SourceFile[] = [];
  for (const file of tree.files) {
    const read = await project.readSource(file);
    sources.push({ file, read, texts: textsOf(read.content) });
  }
  const ref = await findCommitRef(folder, context.environment);
  const write = { dryRun: options.dryRun, ref };
  const asked = options.since ?? (await isSinceNeeded(project, options));
  const since =
    asked === undefined
      ? undefined
      : await changesSince(project, asked === true ? undefined : asked, locales, sources, context);
  const missing = since === undefined ? missingFiles(tree, source) : [];
  const renamed =
    options.detectMoves && source
      ? renamedFiles(missing, source, new Map(sources.map((one) => [one.file.name, one.texts])))
      : [];
  const removed = options.prune ? missing : renamed;
  const content: SentFiles =
    since?.files ??
    Object.fromEntries([
      ...sources.map(({ file, read }) => [file.name, read.content] as const),
      ...removed.map((name) => [name, {}] as const),
    ]);
  context.progress(`Sending ${counted(Object.keys(content).length, "source file")}`);
  const at = options.dryRun ? project : await project.atBranch();
  const sent = await at.hive
    .sync(content, { ...write, ...options, base: since?.base })
    .catch((error: unknown) => {
      if (since !== undefined) explainConflicts(error, since, source, context);
      throw explainSize(error);
    });
  let { commit } = sent;
  const translations: LocaleReport[] = [];
  for (const locale of chosen) {
    context.progress(`Sending ${locale.code}`);
    const pushed = await pushLocale(
      at,
      locale,
      { sources, hive: source },
      { ...options, ref, expected, warn: context.warn },
    );
    if (pushed === undefined) continue;
    commit = pushed.commit ?? commit;
    translations.push(pushed.report);
  }
  const others = locales.targets.filter((locale) => !chosen.includes(locale));
  const files =
    since === undefined
      ? source && fileReports(sources, source, removed)
      : withoutPresent(since.changed, source);
  const before = since === undefined ? source : allTexts(since.base);
  const hasMoved = (sent.data.moved ?? 0) > 0 && source !== undefined;
  const moves = hasMoved ? (sent.data.moves ?? movesIn(content, before ?? source)) : [];
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
    files: files && withoutMoves(files, moves),
    unmatched: missing.filter((name) => !removed.includes(name)),
    unsent: await localesWithFiles(project, others, sources),
    strays: chosen.flatMap(({ code }) => tree.strays.get(code) ?? []),
    translations,
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

/** The locales that have a file in the tree beside a source file. */
async function localesWithFiles(
  { config }: Project,
  locales: readonly HiveLocale[],
  sources: readonly SourceFile[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { code } of locales) {
    for (const { file } of sources) {
      const target = file.targets.get(code);
      if (target === undefined || (await statInside(config.folder, target.path)) === undefined) continue;
      found.push(code);
      break;
    }
  }
  return found;
}
