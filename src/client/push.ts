/** `skep push`: syncs the source files of the tree to the Hive, and sends translations if asked to. */
import type { FileFormat } from "../domain/files/file-formats.ts";
import { noTexts } from "../domain/strings/string-file.ts";
import { counted } from "../domain/text.ts";
import { ClientError } from "./api/client-error.ts";
import type { HiveApi, HiveLocale, HiveLocales, HiveTexts } from "./api/hive-api.ts";
import { untilUnchanged } from "./api/hive-part.ts";
import type { StringMove } from "./api/schemas.ts";
import type { SyncResult } from "./api/string-answers.ts";
import type { SentFiles, SentNotes } from "./api/write-options.ts";
import { isInGit } from "./repository/app-branch.ts";
import { resolveCommit } from "./repository/commits.ts";
import { findCommitRef } from "./repository/commit-ref.ts";
import { chooseLocales, type Project } from "./project.ts";
import { changesOf, textsOf } from "./texts.ts";
import { movesBetween, renamedFiles, withoutMoves } from "./moves.ts";
import type { FileReport, LocaleReport, PushOptions, PushReport, SourceFile } from "./push-report.ts";
import { toSentNotes, withNotesIfTheyFit } from "./notes.ts";
import { ancestorsAmong } from "./api/fetched-texts.ts";
import { newTranslations, pushLocale, readTranslations } from "./push-translations.ts";
import { readTree } from "./read-tree.ts";
import { localesToAdd, localeToGive, planLocales, withLocales } from "./new-locales.ts";
import { changesSince, explainConflicts, withoutPresent } from "./since.ts";
import { canonicalCode } from "./tree/language-code.ts";
import { believedFormat, completedFormats, knownFormat, misjudged } from "./tree/file-formats.ts";
import type { Tree } from "./tree/tree.ts";

interface KnownHive {
  readonly locales: HiveLocales;
  /** Its source texts; undefined where the token cannot read them. */
  readonly source: HiveTexts | undefined;
  readonly isNew: boolean;
}

/**
 * Pushes. Nothing is sent before all files were read.
 * @throws ClientError, `gate` when `strict` is asked for and a translation has no source string: then no translation of
 * its locale was sent.
 */
export async function push(project: Project, options: PushOptions): Promise<PushReport> {
  try {
    return await pushOnce(project, options);
  } catch (error) {
    // Another push has made the Hive meanwhile, or this one has, and the answer was lost. Nothing else was sent yet.
    if (!(error instanceof ClientError) || error.code !== "slug_taken") throw error;
    return pushOnce(project, options);
  }
}

async function pushOnce(project: Project, options: PushOptions): Promise<PushReport> {
  await project.warnOfInterruptedPull();
  const { context, config } = project;
  const known = await knownHive(project, options);
  const { source } = known;
  const added = options.create ? await localesToAdd(config, known.locales) : [];
  const locales = withLocales(known.locales, added);
  const named = options.translations;
  const chosen = named === undefined ? [] : chooseLocales(locales, named === "all" ? undefined : named);
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
  const gone = since === undefined ? missingFiles(tree, source) : [];
  const renamed =
    options.detectMoves && source
      ? await renamedFiles(gone, source, new Map(sources.map((one) => [one.file.name, one.texts])))
      : [];
  const removed = options.prune ? gone : renamed;
  const files: SentFiles =
    since?.files ??
    Object.fromEntries([
      ...sources.map(({ file, read }) => [file.name, read.content] as const),
      ...removed.map((name) => [name, {}] as const),
    ]);
  const changed =
    since === undefined
      ? source && fileReports(sources, source, removed)
      : withoutPresent(since.changed, source);
  const before = since === undefined ? source : allTexts(since.base);
  if (source !== undefined && options.maxDeletions === undefined && !options.allowEmpty)
    await checkDeletions(project, options, source, changed ?? [], () => movesIn(files, before ?? source));
  if (!options.dryRun) await createMissing(project, known, added, tree);
  await tellFormats(project, known, tree, options);
  context.progress(`Sending ${counted(Object.keys(files).length, "source file")}`);
  const at = options.dryRun ? project : await project.atBranch();
  const isImagined = options.dryRun && known.isNew;
  const response = isImagined
    ? { data: newStrings(sources), commit: undefined }
    : await withNotesIfTheyFit((withNotes) => {
        const notes = withNotes ? (since?.notes ?? notesOf(sources)) : undefined;
        const baseNotes = withNotes ? since?.baseNotes : undefined;
        return at.hive.sync(files, { ...options, ref, base: since?.base, notes, baseNotes });
      }, context).catch((error: unknown) => {
        if (since !== undefined) explainConflicts(error, since, source, context);
        throw explainSize(error);
      });
  let { commit } = response;
  const reports: LocaleReport[] = [];
  const { targets } = locales;
  // What a locale inherits has to be there before its own texts are compared with it.
  const depthOf = (one: { readonly code: string }): number => {
    const own = targets.find(({ code }) => code === one.code);
    return own === undefined ? 0 : ancestorsAmong(targets, own).length;
  };
  for (const locale of translations.toSorted((a, b) => depthOf(a) - depthOf(b))) {
    context.progress(`Sending ${locale.code}`);
    // A dry run adds no locale that the server could compare with.
    const pushed =
      options.dryRun && added.some(({ code }) => code === locale.code)
        ? { report: newTranslations(locale, sources, options), commit }
        : await pushLocale(at, locale, { sources, hive: source, targets }, { ...options, ref });
    commit = pushed.commit ?? commit;
    reports.push(pushed.report);
  }
  const foreign = planLocales(tree, locales);
  const isPresent = (code: string): boolean => [...tree.present.values()].some((codes) => codes.has(code));
  const hasMoved = (response.data.moved ?? 0) > 0 && source !== undefined;
  const moves = hasMoved ? (response.data.moves ?? (await movesIn(files, before ?? source))) : [];
  return {
    ...project.hiveAndBranch,
    isNewBranch: project.newBranch !== undefined,
    commit,
    dryRun: options.dryRun,
    isNewHive: known.isNew,
    addedLocales: codesOf(added),
    missingLocales: foreign.missing.map(localeToGive),
    otherCodes: foreign.otherCodes,
    isFirst: source !== undefined && [...source.values()].every((texts) => texts.size === 0),
    since: since?.commit,
    result: response.data,
    moves,
    files: changed && withoutMoves(changed, moves),
    unmatched: gone.filter((name) => !removed.includes(name)),
    unsent: codesOf(locales.targets.filter((each) => !chosen.includes(each) && isPresent(each.code))),
    strays: chosen.flatMap(({ code }) => tree.strays.get(code) ?? []),
    translations: reports,
    findings: [...(response.data.findings ?? []), ...reports.flatMap(({ findings }) => findings)],
    findingsTotal: reports.reduce((sum, one) => sum + one.findingsTotal, response.data.findings_total ?? 0),
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

async function knownHive(
  { hive, config }: Project,
  { prune, translations, create }: PushOptions,
): Promise<KnownHive> {
  try {
    const locales = await hive.locales();
    return { locales, source: (await hive.texts(locales.source.code)).data, isNew: false };
  } catch (error) {
    if (!(error instanceof ClientError) || config.source === undefined) throw error;
    const source = { code: config.source, canonical: canonicalCode(config.source) ?? config.source };
    if (error.code === "unknown_hive" && create) {
      return { locales: { source, targets: [] }, source: new Map(), isNew: true };
    }
    // A token that can only write cannot read the Hive, so settings and flags alone decide what is sent.
    if (error.code !== "missing_ability" || prune || translations === "all" || create) throw error;
    const targets = (translations ?? []).map((code) => ({ code, canonical: code }));
    return { locales: { source, targets }, source: undefined, isNew: false };
  }
}

/** Creates the Hive and its locales where they are missing. @throws ClientError `denied` when the token cannot do that. */
async function createMissing(
  { hive, config }: Project,
  { isNew, locales: { source } }: KnownHive,
  added: readonly HiveLocale[],
  { files }: Tree,
): Promise<void> {
  if (isNew) {
    const formats = completedFormats(files.map(knownFormat), []);
    return hive.create(source, added, { ...config.checks, ...(formats.length > 0 && { formats }) });
  }
  for (const locale of added) await hive.addLocale(locale);
}

/**
 * Has a Hive that there is know the formats of the app's files, where their names do not say them; without `--create`, or
 * with a token that may not do that, it is said.
 */
async function tellFormats(
  { hive, context }: Project,
  { isNew, source }: KnownHive,
  tree: Tree,
  { create, dryRun }: PushOptions,
): Promise<void> {
  const own = tree.files.map(knownFormat);
  const isNeeded = create ? completedFormats(own, []).length > 0 : misjudged(own, []).length > 0;
  if (isNew || source === undefined || !isNeeded) return;
  const untold = await untilUnchanged(async () => {
    const { data: stored, commit } = await hive.fileFormats();
    if (stored === undefined) return undefined;
    const others = missingFiles(tree, source).flatMap((name) => {
      const format = believedFormat(stored, name);
      return format === undefined ? [] : [{ name, format }];
    });
    const formats = completedFormats([...own, ...others], stored);
    const isDone = formats === stored || (create && !dryRun && (await isTold(hive, formats, commit)));
    return isDone ? undefined : { stored, formats };
  });
  if (untold === undefined) return;
  const { stored, formats } = untold;
  const [one] = misjudged(own, stored);
  if (one === undefined) return;
  const flags = formats.map(({ files, format }) => ` --file-format '${files}=${format}'`).join("");
  context.warn(
    `${hive.slug} takes ${one.name} for a file of the format ${believedFormat(stored, one.name) ?? "of no name"}, not ${one.format}, and may store texts that it cannot hold. With the ability admin, skep push --create tells it, or: skep hive edit ${hive.slug}${flags}`,
  );
}

/** Sets the formats of files, if the token may. @param commit that the present ones are of. */
async function isTold(hive: HiveApi, formats: readonly FileFormat[], commit: string): Promise<boolean> {
  try {
    await hive.setFileFormats(formats, commit);
    return true;
  } catch (error) {
    if (error instanceof ClientError && error.kind === "denied") return false;
    throw error;
  }
}

/** So many deletions are never refused by default: a small Hive often changes as a whole. */
const usualDeletions = 50;

/**
 * Refuses to delete most strings of the Hive: the command probably runs in another folder than is meant. A dry run warns.
 * @param findMoves finds the strings that would only be moved; it takes long.
 * @throws ClientError `error`.
 */
async function checkDeletions(
  { config, context, hive }: Project,
  { dryRun, detectMoves }: PushOptions,
  source: HiveTexts,
  changed: readonly FileReport[],
  findMoves: () => Promise<readonly StringMove[]>,
): Promise<void> {
  const total = [...source.values()].reduce((sum, { size }) => sum + size, 0);
  const limit = Math.max(usualDeletions, total / 2);
  if (deletedIn(changed) <= limit) return;
  const deleted = detectMoves ? deletedIn(withoutMoves(changed, await findMoves())) : deletedIn(changed);
  if (deleted <= limit) return;
  const problem =
    `A push of the files in ${config.folder} would delete ${deleted} of the ${counted(total, "source string")} of ${hive.slug}. ` +
    `If the folder is right and this is meant, give --max-deletions ${deleted}.`;
  if (!dryRun) throw new ClientError("error", `${problem} Nothing was sent.`);
  context.warn(problem);
}

function deletedIn(files: readonly FileReport[]): number {
  return files.reduce((sum, { changes }) => sum + changes.filter(({ after }) => after === null).length, 0);
}

function notesOf(sources: readonly SourceFile[]): SentNotes {
  return toSentNotes(sources.map(({ file, read }) => [file.name, read.notes]));
}

function codesOf(locales: readonly HiveLocale[]): readonly string[] {
  return locales.map(({ code }) => code);
}

/** The result that a first sync into a Hive would have. */
function newStrings(sources: readonly SourceFile[]): SyncResult {
  const created = sources.reduce((sum, { texts }) => sum + texts.size, 0);
  return { created, updated: 0, unchanged: 0, deleted: 0, translations_cleared: 0 };
}

/** A sync applies all files or none, so it cannot be sent in parts. */
function explainSize(error: unknown): unknown {
  if (!(error instanceof ClientError) || error.status !== 413) return error;
  const hint =
    "The source files are synced in one request; --body-limit and --body-values of skep serve allow more.";
  return new ClientError(error.kind, `${error.message} ${hint}`, { cause: error });
}

function fileReports(
  sources: readonly SourceFile[],
  hive: HiveTexts,
  removed: readonly string[],
): readonly FileReport[] {
  return [
    ...sources.map(({ file, read, texts }) => ({
      file: file.name,
      path: file.source.path,
      changes: changesOf(hive.get(file.name) ?? noTexts, texts),
      nonTextValues: read.nonTextValues,
    })),
    ...removed.map((name) => ({
      file: name,
      path: null,
      changes: changesOf(hive.get(name) ?? noTexts, noTexts),
      nonTextValues: [],
    })),
  ];
}

/** The moves that a push made, as the server finds them. */
function movesIn(content: SentFiles, before: HiveTexts): Promise<readonly StringMove[]> {
  const after = allTexts(content);
  return movesBetween(new Map([...before].filter(([name]) => after.has(name))), after);
}

function allTexts(files: SentFiles): HiveTexts {
  return new Map(Object.entries(files).map(([name, content]) => [name, textsOf(content)]));
}
