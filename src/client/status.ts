/** `skep status`: the translation progress of the Hive, and how the files of the tree differ from it. */
import { groupBy } from "../domain/group-by.ts";
import { isStoredLocaleCode } from "../domain/hives/locale.ts";
import { findPluralForms } from "../domain/strings/plural-forms.ts";
import { LocalePlurals } from "../domain/strings/plural-rules.ts";
import { KeyBudget, noTexts, type StringFile, type Texts } from "../domain/strings/string-file.ts";
import { ancestorsAmong, gapsBetween } from "./api/fetched-texts.ts";
import type { HiveFinding } from "./api/schemas.ts";
import type { HiveLocale, HiveLocales, HiveTexts } from "./api/hive-api.ts";
import { chooseLocales, type HiveReport, type Project, type ReadFile } from "./project.ts";
import type { SourceFile } from "./push-report.ts";
import type { FaultyFile } from "./faults.ts";
import { readLocale, readSources } from "./read-tree.ts";
import { openFormat, type LocalFile } from "./tree/tree.ts";

/** How a command compares the tree with the Hive. */
export interface CompareOptions {
  /** The locales that are compared; all target locales if not given. */
  readonly locales: readonly string[] | undefined;
  readonly allowEmpty: boolean;
}

/** How the texts of a local file and of the Hive differ. Empty texts are ignored. */
export interface Differences {
  /** How many texts only the local file has. */
  readonly ahead: number;
  /** How many texts only the Hive has. */
  readonly behind: number;
  /** How many keys have two different texts. */
  readonly different: number;
}

/** How much of a locale, or of a file of it, is translated in the Hive. */
export interface Progress {
  /** Rounded down: 100 only where nothing is missing or stale. Null where there is nothing to translate. */
  readonly percent: number | null;
  readonly missing: number;
  readonly stale: number;
  /** How many translations have errors that checks find. */
  readonly failing: number;
}

/** Translations that are in the app alone. */
interface Kept {
  /**
   * How many of the missing texts the local file has as they are in the source. A push keeps them back, as they may be
   * placeholders, so that a complete app may have some.
   */
  readonly sameAsSource: number;
}

export interface FileStatus extends Progress, Kept {
  readonly locale: string;
  /** The name of the file in the Hive. */
  readonly file: string;
  /** Its path in the tree; null where no pattern finds it. */
  readonly path: string | null;
  /** Null where there is no local file. */
  readonly local: Differences | "unreadable" | null;
}

export type LocaleStatus = Pick<FileStatus, "locale" | keyof Progress | keyof Kept>;

export interface SourceStatus extends Pick<FileStatus, "file" | "path"> {
  readonly local: Differences | null;
}

export interface StatusReport extends HiveReport {
  readonly sourceLocale: string;
  /** How many source strings the Hive has. */
  readonly strings: number;
  readonly source: readonly SourceStatus[];
  readonly locales: readonly LocaleStatus[];
  readonly files: readonly FileStatus[];
  /** The files that cannot be read, which are not compared. */
  readonly faults: readonly FaultyFile[];
}

/** What people want to know first. */
export interface Overview {
  /** How much of all compared locales is translated, as {@link Progress} has it. */
  readonly percent: number | null;
  /** The files that are not as in the Hive, apart from those that cannot be read. */
  readonly differing: readonly (SourceStatus | FileStatus)[];
}

/** Compares the tree with the Hive. Nothing is written on either side. @throws ClientError */
export async function status(
  project: Project,
  options: CompareOptions,
): Promise<{ readonly report: StatusReport; readonly overview: Overview }> {
  await project.warnOfInterruptedPull();
  const { hive, context } = project;
  const known = await hive.locales();
  const chosen = chooseLocales(known, options.locales);
  const content = await readSources(project, known, chosen, options);
  const { sources, faults } = content;
  const byName = new Map(sources.map((source) => [source.file.name, source]));
  const { data: ofHive } = await hive.texts(known.source.code);
  const strings = new Map<string, Strings>();
  for (const [name, own] of ofHive)
    strings.set(name, { texts: own, plurals: findPluralForms(own, KeyBudget.limit) });
  const source: SourceStatus[] = [];
  const differing: (SourceStatus | FileStatus)[] = [];
  for (const name of new Set([...byName.keys(), ...ofHive.keys()])) {
    const own = byName.get(name);
    const local = own === undefined ? null : differences(own.texts, ofHive.get(name) ?? noTexts);
    const row = { file: name, path: own?.file.source.path ?? null, local };
    source.push(row);
    if (local === null || isDifferent(local)) differing.push(row);
  }
  const stats = await hive.progress();
  const errors = chosen.some(({ code }) => (stats.get(code)?.failing ?? 0) > 0)
    ? failingKeys(await hive.findings("error"))
    : new Map<string, ReadonlySet<string>>();
  const locales: LocaleStatus[] = [];
  const files: FileStatus[] = [];
  const all = { translated: 0, missing: 0, stale: 0 };
  for (const locale of chosen) {
    const { code } = locale;
    context.progress(`Comparing ${code} (${locales.length + 1} of ${chosen.length})`);
    // One locale at a time, so that the texts of all are never in memory together.
    const local = await readLocale(project, content, code);
    const { data: texts } = await hive.texts(code);
    const unreadable = new Set(faults.files.map(({ path }) => path));
    const {
      translated: current = 0,
      inherited = 0,
      empty = 0,
      warning = 0,
      failing = 0,
    } = stats.get(code) ?? {};
    const translated = current + inherited;
    const total = { missing: empty, stale: warning };
    const open = await countOpen(project, known, locale, { source: strings, texts }, total);
    const filled = await inheritedTexts(project, known, locale, texts);
    let sameAsSource = 0;
    for (const { file: name, path } of source) {
      const here = byName.get(name);
      const read = local.get(name);
      const { missing, stale } = open.get(name) ?? { missing: 0, stale: 0 };
      const own = texts.get(name) ?? noTexts;
      const target = here?.file.targets.get(code);
      const kept = read && here ? countSame(here, read, own) : 0;
      sameAsSource += kept;
      const absent = target !== undefined && unreadable.has(target.path) ? "unreadable" : null;
      const row: FileStatus = {
        locale: code,
        file: name,
        path: target?.path ?? path,
        ...toProgress(own.size - stale, missing, stale),
        failing: failing === 0 ? 0 : (errors.get(JSON.stringify([code, name]))?.size ?? 0),
        sameAsSource: kept,
        local:
          read && here && target
            ? await compare(here, target, read, { own, filled: filled.get(name) ?? noTexts })
            : absent,
      };
      files.push(row);
      // A file that the source does not have here is named once; one that a pull would not write does not differ.
      const isOnlyInHive = row.local === null && target !== undefined && own.size > 0;
      if (isOnlyInHive || isDifferent(row.local)) differing.push(row);
    }
    locales.push({ locale: code, ...toProgress(translated, empty, warning), failing, sameAsSource });
    all.translated += translated;
    all.missing += empty;
    all.stale += warning;
  }
  const report = {
    ...project.hiveAndBranch,
    sourceLocale: known.source.code,
    strings: [...ofHive.values()].reduce((sum, { size }) => sum + size, 0),
    source,
    locales,
    files,
    faults: faults.files,
  };
  const { percent } = toProgress(all.translated, all.missing, all.stale);
  return { report, overview: { percent, differing } };
}

function isDifferent(local: FileStatus["local"]): boolean {
  return local !== null && local !== "unreadable" && Object.values(local).some((count) => count > 0);
}

function failingKeys(findings: readonly HiveFinding[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = groupBy(findings, ({ locale, file }) => JSON.stringify([locale, file]));
  return new Map(Array.from(groups, ([at, own]) => [at, new Set(own.map(({ key }) => key))]));
}

/** @param translated how many translations are of the current source text, as the server counts them. */
function toProgress(translated: number, missing: number, stale: number): Omit<Progress, "failing"> {
  const total = translated + missing + stale;
  return { percent: total === 0 ? null : Math.floor((100 * translated) / total), missing, stale };
}

type Open = Pick<Progress, "missing" | "stale">;
type Strings = Pick<StringFile, "texts" | "plurals">;

/**
 * How many texts of each file are missing and stale.
 * @param total the counts of the whole locale. Missing texts are listed only where they cannot be counted here.
 */
async function countOpen(
  { hive }: Project,
  known: HiveLocales,
  { code, canonical }: HiveLocale,
  { source, texts }: { readonly source: ReadonlyMap<string, Strings>; readonly texts: HiveTexts },
  total: Open,
): Promise<ReadonlyMap<string, Open>> {
  const names = [...source.keys()];
  if (names.length <= 1) return new Map(names.map((name) => [name, total]));
  const sourceLocale = { code: known.source.canonical };
  const rules = isStoredLocaleCode(canonical) ? new LocalePlurals(canonical, { sourceLocale }) : undefined;
  const missing = new Map(
    Array.from(source, ([name, own]) => [name, countMissing(rules, own, texts.get(name) ?? noTexts)]),
  );
  // The server may have other data about plural forms, or not expect plural forms in all files.
  const isCounted = [...missing.values()].reduce((sum, count) => sum + count, 0) === total.missing;
  const states = [...(isCounted ? [] : ["missing"]), ...(total.stale > 0 ? ["stale"] : [])];
  const listed =
    states.length === 0 ? [] : (await hive.untranslated(code, { states: states.join(",") })).data;
  return new Map(
    names.map((name) => {
      const own = listed.filter(({ file }) => file === name);
      const stale = own.filter(({ state }) => state === "stale").length;
      return [name, { stale, missing: isCounted ? (missing.get(name) ?? 0) : own.length - stale }];
    }),
  );
}

function countMissing(rules: LocalePlurals | undefined, source: Strings, translations: Texts): number {
  let count = 0;
  for (const [key, text] of source.plurals?.texts ?? source.texts)
    if (text !== "" && !translations.has(key) && rules?.requires(source, key) === true) count++;
  return count;
}

/** How many texts of a file equal their source text, and have no translation in the Hive. */
function countSame({ translatable }: SourceFile, { texts }: ReadFile, hive: Texts): number {
  let count = 0;
  for (const [key, text] of texts)
    if (text !== "" && text === translatable.get(key) && (hive.get(key) ?? "") === "") count++;
  return count;
}

/** Compares a file with the texts of the Hive that it has a place for. */
async function compare(
  { file, read: source, texts, translatable }: SourceFile,
  target: LocalFile,
  local: ReadFile,
  { own: hive, filled }: { readonly own: Texts; readonly filled: Texts },
): Promise<Differences> {
  const removed = new Set<string>();
  const edit = { template: local.bytes, isSource: false, texts: hive, removed, shape: source.content };
  const format = await openFormat(file, target, texts);
  const unplaced = new Set(format.unplaced(edit, local.texts));
  return differences(local.texts, hive, { gaps: [translatable, filled], unplaced });
}

/** What a locale inherits, by file; nothing where it inherits from none. */
async function inheritedTexts(
  { hive }: Project,
  { targets }: HiveLocales,
  locale: HiveLocale,
  own: HiveTexts,
): Promise<HiveTexts> {
  if (ancestorsAmong(targets, locale).length === 0) return new Map();
  const { data } = await hive.exported(locale.code, undefined, { approved: false, missing: "fallback" });
  const gaps = gapsBetween(own, data.texts);
  return new Map(
    Array.from(
      groupBy(gaps, ({ file }) => file),
      ([file, all]) => [file, new Map(all.map(({ key, text }) => [key, text]))],
    ),
  );
}

/**
 * @param gaps where given, local texts that equal one of theirs are gaps that were filled, and no translations.
 * @param unplaced keys of the Hive's texts that the file has no place for.
 */
function differences(
  local: Texts,
  hive: Texts,
  { gaps = [], unplaced }: { readonly gaps?: readonly Texts[]; readonly unplaced?: ReadonlySet<string> } = {},
): Differences {
  let [ahead, behind, different] = [0, 0, 0];
  for (const [key, text] of local) {
    const other = hive.get(key) ?? "";
    if (text === "" || (text !== other && gaps.some((each) => each.get(key) === text))) continue;
    if (other === "") ahead++;
    else {
      behind--;
      if (other !== text) different++;
    }
  }
  for (const [key, text] of hive) if (text !== "" && unplaced?.has(key) !== true) behind++;
  return { ahead, behind, different };
}

export interface Gates {
  readonly failOnMissing: boolean;
  readonly failOnStale: boolean;
  /** The least percentage of each locale. */
  readonly min: number | undefined;
}

/** Why a status does not pass the gates, one message for each locale; empty if it passes. */
export function failedGates({ hive, locales, strings }: StatusReport, gates: Gates): readonly string[] {
  const isAsked = gates.failOnMissing || gates.failOnStale || gates.min !== undefined;
  // Nothing is missing in a Hive that nothing was pushed into.
  if (isAsked && strings === 0) return [`${hive} has no source strings`];
  return locales.flatMap(({ locale, missing, stale, percent }) => {
    const reasons = [
      ...(gates.failOnMissing && missing > 0 ? [`${missing} missing`] : []),
      ...(gates.failOnStale && stale > 0 ? [`${stale} stale`] : []),
      ...(gates.min !== undefined && percent !== null && percent < gates.min
        ? [`${percent} % of ${gates.min} % translated`]
        : []),
    ];
    return reasons.length === 0 ? [] : [`${locale}: ${reasons.join(", ")}`];
  });
}
