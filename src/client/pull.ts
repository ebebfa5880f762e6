/** `skep pull`: writes the translations of the Hive into the files of the tree. Source files are never written. */
import { join } from "node:path";
import { extraKeys } from "../domain/strings/flattened-keys.ts";
import { counted, excerpt, readableKey } from "../domain/text.ts";
import { noTexts, type Texts } from "../domain/strings/string-file.ts";
import type { UnheldText } from "../formats/held/can-hold.ts";
import { ClientError, fileError } from "./api/client-error.ts";
import {
  findCorrections,
  formerlyInherited,
  noCorrections,
  type Corrections,
  type Uncertain,
} from "./corrections.ts";
import type { HiveFinding } from "./api/schemas.ts";
import type { HiveLocale, HiveTexts } from "./api/hive-api.ts";
import { pseudoLocalesBeside, withLocales } from "./new-locales.ts";
import { chooseLocales, type HiveReport, type Project, type ReadFile } from "./project.ts";
import type { SourceFile } from "./push-report.ts";
import type { FaultyFile } from "./faults.ts";
import { fetchTexts, type LeftOutLocale } from "./api/fetched-texts.ts";
import { readTree, type LocaleFiles, type TreeContent } from "./read-tree.ts";
import { addressOf, changesOf, withoutGaps, type TextChange } from "./texts.ts";
import { readLocal } from "./tree/files.ts";
import { openFormat, type LocalFile } from "./tree/tree.ts";
import { finishInterruptedWrites, writeFiles, type FileWrite } from "./tree/write-files.ts";

export interface PullOptions {
  /** The locales that are pulled; all target locales if not given. */
  readonly locales?: readonly string[];
  /** Whether pseudo-locales are pulled, too. */
  readonly pseudo: boolean;
  /** The revision that is pulled, such as a tag; the current state if not given. */
  readonly at?: string;
  /** Whether the text that was approved last is written where one waits for a review. */
  readonly approved: boolean;
  /** Only texts with one of these tags, separated by commas, are written; all others stay as they are. */
  readonly tag?: string;
  /** Whether gaps are left, or filled with the source text, or before that with what the locale inherits. */
  readonly missing: "leave" | "source" | "fallback";
  /** The least percentage of a locale that must be translated; the files of others stay as they are. */
  readonly minComplete?: number;
  /** Whether texts that the Hive does not have are removed from the files. */
  readonly prune: boolean;
  /**
   * What becomes of translations that the app corrected: `theirs` replaces them by the texts of the Hive; otherwise they
   * stay. With `mine`, so do those that cannot be told from corrections.
   */
  readonly keep?: "mine" | "theirs";
  /** Whether nothing is written when a file cannot be read, or cannot hold a text. */
  readonly strict: boolean;
  readonly dryRun: boolean;
  readonly allowEmpty: boolean;
}

export interface PulledFile {
  /** Its path in the tree. */
  readonly path: string;
  /** Its name in the Hive. */
  readonly file: string;
  readonly locale: string;
  readonly change: "created" | "updated" | "unchanged";
  readonly changes: readonly TextChange[];
  /** Keys that only the local file has a text for, and that stay. */
  readonly onlyLocal: readonly string[];
  /** Keys that only the local file has a text for, and that `prune` removes. */
  readonly removed: readonly string[];
  /** Keys that the source no longer has, and that are removed because their texts have other keys now. */
  readonly renamed: readonly string[];
  /** Keys of texts that the file has no place for, which stay in the Hive. */
  readonly unplaced: readonly string[];
  /** Texts that the file cannot hold: it keeps what it had in their places. */
  readonly unheld: readonly UnheldText[];
  /** Translations that the app corrected, and that stay as they are. */
  readonly corrected: readonly Corrected[];
}

export interface Corrected {
  readonly key: string;
  readonly here: string;
  readonly hive: string;
}

export interface PullReport extends HiveReport {
  readonly commit: string | undefined;
  readonly dryRun: boolean;
  /** The locales whose files stay as they are, since too little of them is translated. */
  readonly leftOut: readonly LeftOutLocale[];
  readonly files: readonly PulledFile[];
  /** Files of the Hive that no source file of the tree belongs to. */
  readonly unmatched: readonly string[];
  /** Paths of files in target locales that have no source file; `prune` removes them. */
  readonly strays: readonly string[];
  readonly uncertain: Uncertain | null;
  /** The errors that checks find in translations which the pull changes. */
  readonly findings: readonly HiveFinding[];
  /** The files that cannot be read; nothing of their locales is written. */
  readonly faults: readonly FaultyFile[];
}

interface Planned {
  readonly pulled: PulledFile;
  readonly write: FileWrite | undefined;
  /** Makes the same changes in another state of the file. */
  readonly rewrite: (template: Uint8Array) => Uint8Array;
}

/** Pulls: all files of the locales that can be read are written, or none. @throws ClientError */
export async function pull(project: Project, options: PullOptions): Promise<PullReport> {
  const { config, hive, context } = project;
  const ofHive = await hive.locales();
  const pseudo = options.pseudo ? pseudoLocalesBeside(ofHive) : [];
  const known = withLocales(ofHive, pseudo);
  const locales = [...chooseLocales(ofHive, options.locales), ...pseudo];
  if (options.dryRun) await project.warnOfInterruptedPull();
  else if (await finishInterruptedWrites(config.folder)) {
    context.warn("A pull that was interrupted before has been finished or taken back.");
  }
  const content = await readTree(project, known, locales, options);
  const { report, writes } = await planPull(project, content, locales, options);
  if (options.strict) {
    content.faults.refuse();
    checkUnheld(report, "nothing was done");
  }
  if (!options.dryRun) await writeFiles(config.folder, writes);
  return report;
}

/**
 * Ends a pull that left texts out.
 * @param done what was done with the others.
 * @throws ClientError `error` when there are such texts.
 */
export function checkUnheld({ files }: Pick<PullReport, "files">, done: string): void {
  const total = files.reduce((sum, { unheld }) => sum + unheld.length, 0);
  if (total > 0)
    throw new ClientError("error", `${counted(total, "text")} that the files cannot hold: ${done}.`);
}

/**
 * Plans a pull, and leaves out locales that have a faulty file, and texts that a file cannot hold; these are warned of.
 * @throws ClientError
 */
export async function planPull(
  project: Project,
  content: TreeContent,
  all: readonly HiveLocale[],
  options: PullOptions,
): Promise<{ readonly report: PullReport; readonly writes: readonly FileWrite[] }> {
  const { context, config } = project;
  const { tree, sources, targets, faults } = content;
  const { commit, texts, leftOut } = await fetchTexts(project.hive, all, options, context.progress);
  const locales = all.filter(({ code }) => texts.has(code));
  const ofHives = new Map(Array.from(texts, ([code, fetched]) => [code, fetched.texts]));
  const stored = locales.filter(({ isPseudo }) => isPseudo !== true);
  const { corrections, uncertain } = await findCorrections(project, content, stored, ofHives, options.keep);
  context.progress("Writing files");
  const planned: Planned[] = [];
  const arrivals = new Map(
    Array.from(texts, ([code, { texts: ofHive }]) => [
      code,
      arrivingTexts(sources, ofHive, targets.get(code)),
    ]),
  );
  const missing = new Map(
    Array.from(texts, ([code, { gaps }]) => [code, new Map(gaps.map((gap) => [addressOf(gap), gap.text]))]),
  );
  const former = await formerlyInherited(project, content, locales, texts);
  for (const source of sources) {
    for (const [code, { texts: ofHive, isPseudo }] of texts) {
      const target = source.file.targets.get(code);
      const local = targets.get(code)?.get(source.file.name);
      if (target === undefined || !faults.isSound(code)) continue;
      const arriving = arrivals.get(code) ?? new Map<string, number>();
      const kept = corrections.get(code)?.get(source.file.name) ?? noCorrections;
      const gaps = { missing: missing.get(code) ?? noGaps, former: former.get(code) ?? none };
      const from = { code, target, local, source, ofHive, ...gaps, arriving, kept };
      // Nobody writes into the files of a pseudo-locale.
      const prune = options.prune || (isPseudo && options.tag === undefined);
      const plan = await faults.collect(code, () => planFile(from, { ...options, prune }));
      if (plan !== undefined) planned.push(plan);
    }
  }
  const sound = planned.filter(({ pulled }) => faults.isSound(pulled.locale));
  for (const { pulled } of sound)
    for (const { key, reason } of pulled.unheld)
      context.warn(
        `${pulled.path}: the ${pulled.locale} text of ${excerpt(readableKey(key))} is not written: ${reason}`,
      );
  const names = new Set(sources.map(({ file }) => file.name));
  const namesInHive = new Set(Array.from(texts.values(), ({ texts: files }) => [...files.keys()]).flat());
  const strays = locales.flatMap(({ code }) => (faults.isSound(code) ? (tree.strays.get(code) ?? []) : []));
  const removals = options.prune ? await planRemovals(config.folder, strays) : [];
  const report: PullReport = {
    ...project.hiveAndBranch,
    commit,
    dryRun: options.dryRun,
    leftOut,
    files: sound.map(({ pulled }) => pulled),
    unmatched: [...namesInHive].filter((name) => !names.has(name)),
    strays,
    uncertain,
    findings: await findingsIn(project, sound, commit),
    faults: faults.files,
  };
  return { report, writes: [...joinWrites(sound), ...removals] };
}

/**
 * How often each text comes to a key that has none in the locale's files: where a text left another key, it was renamed or
 * moved to another file.
 */
function arrivingTexts(
  sources: readonly SourceFile[],
  ofHive: HiveTexts,
  local: LocaleFiles | undefined,
): Map<string, number> {
  const arriving = new Map<string, number>();
  for (const { file } of sources) {
    const here = local?.get(file.name)?.texts;
    for (const [key, text] of ofHive.get(file.name) ?? noTexts)
      if (here?.has(key) !== true) arriving.set(text, (arriving.get(text) ?? 0) + 1);
  }
  return arriving;
}

/** The files to write, each once: one file may hold several locales. */
function joinWrites(planned: readonly Planned[]): readonly FileWrite[] {
  const writes = new Map<string, FileWrite>();
  for (const { write, rewrite } of planned) {
    if (write === undefined) continue;
    const { bytes } = writes.get(write.path) ?? {};
    writes.set(write.path, bytes === undefined ? write : { ...write, bytes: rewrite(bytes) });
  }
  return [...writes.values()];
}

/** The errors in translations that files get. */
async function findingsIn(
  { hive }: Project,
  planned: readonly Planned[],
  commit: string | undefined,
): Promise<readonly HiveFinding[]> {
  const changed = new Set(
    planned.flatMap(({ pulled: { locale, file, changes } }) =>
      changes.flatMap(({ key, after }) => (after === null ? [] : toAddress({ locale, file, key }))),
    ),
  );
  if (changed.size === 0) return [];
  return (await hive.findings("error", commit)).filter((found) => changed.has(toAddress(found)));
}

function toAddress({ locale, file, key }: Pick<HiveFinding, "locale" | "file" | "key">): string {
  return JSON.stringify([locale, file, key]);
}

async function planRemovals(folder: string, paths: readonly string[]): Promise<readonly FileWrite[]> {
  const removals: FileWrite[] = [];
  for (const path of paths) {
    const before = await readLocal(folder, { path, absolute: join(folder, path) });
    if (before !== undefined) removals.push({ path, bytes: undefined, before, like: path });
  }
  return removals;
}

const noGaps: Target["missing"] = new Map();
const none: ReadonlySet<string> = new Set();

interface Target {
  readonly code: string;
  readonly target: LocalFile;
  /** Undefined where the file does not exist. */
  readonly local: ReadFile | undefined;
  readonly source: SourceFile;
  readonly ofHive: HiveTexts;
  /** Texts without a translation, where gaps are filled; each with what stands there, if not the source text. */
  readonly missing: ReadonlyMap<string, string | undefined>;
  /** Of these, those where the file has a text that was inherited once. */
  readonly former: ReadonlySet<string>;
  /** See {@link arrivingTexts}. Each text is taken once. */
  readonly arriving: Map<string, number>;
  /** The corrections in the file. */
  readonly kept: Corrections;
}

/** @returns undefined for a file that does not exist and stays so, because nothing of it is translated. */
async function planFile(from: Target, options: PullOptions): Promise<Planned | undefined> {
  const { code, target, local, source } = from;
  const { file, read, translatable } = source;
  const before = local === undefined ? noTexts : local.texts;
  const texts = wantedTexts(from, before, options);
  const onlyLocal = [...before.keys()].filter(
    (key) => !texts.has(key) && isOwnText(before.get(key), translatable.get(key)),
  );
  const renamed = options.tag === undefined ? onlyLocal.filter((key) => hasMoved(key, from, before)) : [];
  const pruned = options.prune ? onlyLocal.filter((key) => !renamed.includes(key)) : [];
  const removed = new Set([...renamed, ...pruned]);
  const { absolute } = local === undefined ? file.source : target;
  const format = await openFormat(file, { ...target, absolute }, source.texts);
  const edit = {
    template: (local ?? read).bytes,
    source: read.bytes,
    isSource: local === undefined,
    removed,
    shape: read.content,
    order: source.texts,
  };
  const unplaced = format.unplaced({ ...edit, texts }, before);
  for (const key of unplaced) texts.delete(key);
  if (local === undefined && texts.size === 0) return undefined;
  const held = format.writeHeld({ ...edit, texts }, local);
  const { unheld } = held;
  const isNone = local === undefined && held.texts.size === 0;
  const bytes = local === undefined ? withoutGaps(held.bytes, format.parse) : held.bytes;
  const isSame = isNone || local?.bytes.equals(bytes) === true;
  const after = isSame ? before : held.after;
  if (!isSame) checkRemoved(target, removed, translatable, after);
  return {
    pulled: {
      path: target.path,
      file: file.name,
      locale: code,
      change: isSame ? "unchanged" : local === undefined ? "created" : "updated",
      changes: isSame ? [] : changesOf(before, after),
      onlyLocal:
        options.prune || options.tag !== undefined ? [] : onlyLocal.filter((key) => !removed.has(key)),
      removed: pruned,
      renamed,
      unplaced,
      unheld,
      corrected: Array.from(from.kept, ([key, { here, hive }]) => ({ key, here, hive })),
    },
    write: isSame ? undefined : { path: target.path, bytes, before: local?.bytes, like: file.source.path },
    rewrite: (template) => format.write({ ...edit, template, texts: held.texts }),
  };
}

/**
 * A source text that an earlier pull wrote in place of a missing translation is not a translation. Neither is one that equals
 * its source text, which a push keeps back: the Hive lacks it because it was never sent, and not because it was removed.
 */
function isOwnText(text: string | undefined, source: string | undefined): boolean {
  return text !== "" && text !== source;
}

/** Whether the source lacks a key, and its text comes to another one. */
function hasMoved(key: string, { source, ofHive, arriving }: Target, before: Texts): boolean {
  const text = before.get(key) ?? "";
  const left = arriving.get(text) ?? 0;
  const isKnown = source.translatable.has(key) || ofHive.get(source.file.name)?.has(key) === true;
  if (isKnown || left === 0) return false;
  arriving.set(text, left - 1);
  return true;
}

/** The texts that a file is to have, in the order of the source. Others come after the text that they follow in the Hive. */
function wantedTexts(
  { source: { file, texts: source, translatable }, ofHive, missing, former, kept }: Target,
  local: Texts,
  options: PullOptions,
): Map<string, string> {
  const texts = new Map<string, string>();
  const translations = ofHive.get(file.name) ?? noTexts;
  const extras = extraKeys(translations, translatable);
  const addExtras = (previous: string | undefined): void => {
    for (const key of extras.get(previous) ?? []) texts.set(key, translations.get(key) ?? "");
  };
  addExtras(undefined);
  for (const [key, sourceText] of translatable) {
    const translation = translations.get(key);
    if (translation !== undefined) texts.set(key, translation);
    else if (
      options.missing !== "leave" &&
      sourceText !== "" &&
      ((options.tag === undefined && source.has(key)) || missing.has(addressOf({ file: file.name, key })))
    ) {
      const address = addressOf({ file: file.name, key });
      const own = options.prune || former.has(address) ? undefined : local.get(key);
      const isFree = own === undefined || own === "" || !isOwnText(own, sourceText);
      if (isFree) texts.set(key, missing.get(address) ?? sourceText);
    }
    addExtras(key);
  }
  for (const [key, { here }] of kept) texts.set(key, here);
  return texts;
}

/** Checks that a format removed what it was told to. */
function checkRemoved(
  { absolute }: LocalFile,
  removed: ReadonlySet<string>,
  source: Texts,
  after: Texts,
): void {
  // An element of a list may have to stay, empty or as in the source, because others follow it.
  const wrong = [...removed].find((key) => after.has(key) && isOwnText(after.get(key), source.get(key)));
  if (wrong === undefined) return;
  throw fileError("error", { file: absolute }, `cannot lose the text of ${JSON.stringify(wrong)}`);
}
