/** Findings of the checks in the content of a Hive. Findings in unchanged files are cached. */
import { isDeepStrictEqual } from "node:util";
import { defaultChecks, type CheckLevel } from "../../domain/checks/check-settings.ts";
import type { FailingTexts } from "../../domain/export/export.ts";
import type { TermIndex } from "../../domain/glossary/term-index.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import { noteRulesOf, type FileNoteRules, type NoteRules } from "../../domain/notes/note-tags.ts";
import type { FileName } from "../../domain/names.ts";
import { FileChecker, type LocatedFinding } from "../../domain/plans/check-content.ts";
import { translationsOf, type HiveContent } from "../../domain/strings/hive-content.ts";
import { noTexts, translatableTexts, type StringFile, type Texts } from "../../domain/strings/string-file.ts";
import { formatRulesOf } from "../../formats/held/format-rules.ts";
import { isStepDone, pause } from "../../slices.ts";
import { type IsAccepted, readAccepted } from "./accepted-findings.ts";
import type { Snapshot } from "./snapshot.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";

/** A finding without what its text tells when it is checked again: there may be very many. */
export interface KnownFinding extends Pick<LocatedFinding, "file" | "key" | "check" | "severity"> {
  /** Its place among the findings of its text. */
  readonly place: number;
}

/** What was found in one file of one locale, under the settings that it was found with. */
interface CachedFindings {
  readonly settings: HiveSettings["checks"];
  /** Of the locale and the file: equal texts of two of them may share one object. */
  readonly address: string;
  readonly source: StringFile | undefined;
  readonly findings: readonly KnownFinding[];
}

/**
 * By the texts of the file: most files stay the same from one commit to the next. Findings with the terms of a glossary, and
 * with the rules of notes, which not all need, have caches of their own.
 */
class FindingCache extends WeakCache<Texts, CachedFindings> {
  readonly #with = new WeakCache<object, FindingCache>();

  /** The cache of what is found with something else, too. */
  with(more: TermIndex | FileNoteRules | undefined): FindingCache {
    if (more === undefined) return this;
    const cache = this.#with.get(more) ?? new FindingCache();
    this.#with.set(more, cache);
    return cache;
  }

  override clear(): void {
    super.clear();
    this.#with.clear();
  }
}
const cached = moduleCache(new FindingCache());

/** What else is found than errors and warnings about arguments and markup. */
interface FindingOptions {
  readonly withHints?: boolean;
  /** Without them, nothing is found of terms. */
  readonly terms?: TermIndex;
  readonly noteRules: NoteRules;
}

/**
 * Finds the faults of one locale that were not accepted.
 * @param content of the snapshot, with the locale.
 * @param take takes one finding after the other.
 * @throws SkepError `content-invalid` when a file of acceptances cannot be read.
 */
export async function eachFinding(
  snapshot: Pick<Snapshot, "values">,
  content: HiveContent,
  locale: Locale,
  how: Omit<FindingOptions, "noteRules"> & { readonly signal?: AbortSignal },
  take: (found: KnownFinding) => void,
): Promise<void> {
  const { settings } = content;
  if (levelOf(settings) === "off") return;
  const isAccepted = await readAccepted(snapshot, [locale.code]);
  const noteRules = noteRulesOf((await snapshot.values.notes.readable()).files);
  for (const file of content.source.keys()) {
    await pause(how.signal);
    for (const found of await openFindings(content, locale, file, { ...how, noteRules }, isAccepted))
      take(found);
  }
}

/** The faults of one file of a locale that were not accepted. */
async function openFindings(
  content: HiveContent,
  locale: Locale,
  file: FileName,
  how: FindingOptions,
  isAccepted: IsAccepted,
): Promise<readonly KnownFinding[]> {
  const texts = textsIn(content, locale, file);
  const source = translatableTexts(content.source.get(file));
  const open: KnownFinding[] = [];
  for (const found of await knownFindings(content, locale, file, how)) {
    if (isStepDone()) await pause();
    const { key, check } = found;
    const about = { source: source.get(key) ?? "", translation: texts.get(key) ?? "" };
    if (!isAccepted({ locale: locale.code, check }, about)) open.push(found);
  }
  return open;
}

function textsIn({ settings, source, translations }: HiveContent, locale: Locale, file: FileName): Texts {
  const isSource = locale === settings.sourceLocale;
  return (isSource ? source.get(file)?.texts : translations.get(locale.code)?.get(file)) ?? noTexts;
}

/** Everything that is found in one text, accepted or not. */
export function findingsIn(
  content: HiveContent,
  locale: Locale,
  { file, key }: Pick<KnownFinding, "file" | "key">,
  options: FindingOptions,
): readonly LocatedFinding[] {
  const { settings, source } = content;
  const translations = textsIn(content, locale, file);
  const text = translations.get(key);
  if (text === undefined || levelOf(settings) === "off") return [];
  const found: LocatedFinding[] = [];
  const checker = new FileChecker(
    { settings, rulesOf: formatRulesOf, translations, ...options },
    file,
    source.get(file),
  );
  checker.check({ locale: locale.code, key }, text, (one) => found.push(one));
  return found;
}

/** The keys of the translations into a locale that have errors that were not accepted, by file. @throws as {@link eachFinding}. */
export async function failingKeys(
  snapshot: Pick<Snapshot, "values">,
  content: HiveContent,
  locale: Locale,
  signal?: AbortSignal,
): Promise<ReadonlyMap<FileName, ReadonlySet<string>>> {
  const failing = new Map<FileName, Set<string>>();
  await eachFinding(snapshot, content, locale, { signal }, ({ file, key, severity }) => {
    if (severity === "error") failing.set(file, (failing.get(file) ?? new Set()).add(key));
  });
  return failing;
}

/**
 * The keys of one file whose translations have such errors.
 * @param isAccepted see {@link readAccepted}, for the locale.
 */
export async function failingIn(
  content: HiveContent,
  locale: Locale,
  file: FileName,
  isAccepted: IsAccepted,
  noteRules: NoteRules,
): Promise<ReadonlySet<string>> {
  if (levelOf(content.settings) === "off") return new Set();
  const open = await openFindings(content, locale, file, { noteRules }, isAccepted);
  return new Set(open.filter(({ severity }) => severity === "error").map(({ key }) => key));
}

/**
 * The content of one locale without translations that have errors.
 * @param failing what becomes of these; the content stays as it is when undefined.
 * @throws as {@link eachFinding}.
 */
export async function withoutFailing(
  snapshot: Pick<Snapshot, "values">,
  content: HiveContent,
  locale: Locale,
  failing: FailingTexts | undefined,
): Promise<HiveContent> {
  if (failing === undefined || locale === content.settings.sourceLocale) return content;
  const files = new Map(translationsOf(content, locale.code));
  const replaced = await failingKeys(snapshot, content, locale);
  for (const [file, keys] of replaced) {
    await pause();
    const texts = new Map(files.get(file));
    const source = translatableTexts(content.source.get(file));
    for (const key of keys) {
      const text = failing === "source" ? source.get(key) : undefined;
      if (text === undefined) texts.delete(key);
      else texts.set(key, text);
    }
    files.set(file, texts);
  }
  return { ...content, translations: new Map(content.translations).set(locale.code, files) };
}

function levelOf({ checks = defaultChecks }: HiveSettings): CheckLevel {
  return checks.level;
}

async function knownFindings(
  content: HiveContent,
  locale: Locale,
  file: FileName,
  { withHints = false, terms, noteRules }: FindingOptions,
): Promise<readonly KnownFinding[]> {
  const { settings } = content;
  const source = content.source.get(file);
  const texts = textsIn(content, locale, file);
  const address = `${locale.code}/${file}`;
  const cache = cached.with(terms).with(noteRules.get(file));
  const known = withHints ? undefined : cache.get(texts);
  if (
    known?.source === source &&
    known?.address === address &&
    isDeepStrictEqual(known.settings, settings.checks)
  )
    return known.findings;
  const findings: KnownFinding[] = [];
  const checker = new FileChecker(
    { settings, rulesOf: formatRulesOf, withHints, terms, noteRules },
    file,
    source,
  );
  await checker.checkAll(locale.code, texts, ({ key, check, severity }) => {
    const last = findings.at(-1);
    findings.push({ file, key, check, severity, place: last?.key === key ? last.place + 1 : 0 });
  });
  if (!withHints) cache.set(texts, { settings: settings.checks, address, source, findings });
  return findings;
}
