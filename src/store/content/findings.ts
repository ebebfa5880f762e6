/** Findings of the checks in the content of a Hive; those of files that stay the same are kept. */
import { isDeepStrictEqual } from "node:util";
import { defaultChecks } from "../../domain/checks/check-settings.ts";
import type { FailingTexts } from "../../domain/export/export.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import type { FileName } from "../../domain/names.ts";
import { checkFile, type Findings, type LocatedFinding } from "../../domain/plans/check-content.ts";
import { translationsOf, type HiveContent } from "../../domain/strings/hive-content.ts";
import { noTexts, translatableTexts, type StringFile, type Texts } from "../../domain/strings/string-file.ts";
import type { Steps } from "../../domain/steps.ts";
import { inSlices } from "../../slices.ts";
import { acceptedIn } from "./accepted-findings.ts";
import type { Snapshot } from "./snapshot.ts";

/** What was found in one file of one locale, under the settings that it was found with. */
interface CachedFindings {
  readonly settings: HiveSettings["checks"];
  /** Of the locale and the file: equal texts of two of them may share one object. */
  readonly address: string;
  readonly source: StringFile;
  readonly findings: Findings;
}

/** By the texts of the file: most files stay the same from one commit to the next. */
const cached = new WeakMap<Texts, CachedFindings>();

/**
 * The findings in one locale that were not accepted.
 * @param content of the snapshot, with the locale.
 * @throws SkepError `content-invalid` when a file of acceptances cannot be read.
 */
export async function findingsOf(
  snapshot: Pick<Snapshot, "accepted">,
  content: HiveContent,
  locale: Locale,
  how: { readonly withHints?: boolean; readonly signal?: AbortSignal } = {},
): Promise<readonly LocatedFinding[]> {
  const { settings } = content;
  if ((settings.checks ?? defaultChecks).level === "off") return [];
  const isAccepted = await acceptedIn(snapshot, [locale.code]);
  const translations = translationsOf(content, locale.code);
  function* find(): Steps<readonly LocatedFinding[]> {
    const found: LocatedFinding[] = [];
    for (const [file, source] of content.source) {
      yield;
      const isSource = locale === settings.sourceLocale;
      const texts = isSource ? source.texts : (translations.get(file) ?? noTexts);
      const here = yield* findingsIn(settings, locale, { file, source, texts }, how.withHints ?? false);
      for (const [one, about] of here) if (!isAccepted(one, about)) found.push(one);
    }
    return found;
  }
  return inSlices(find(), how.signal);
}

/** How many translations into a locale have errors that were not accepted. @throws as {@link findingsOf}. */
export async function countFailing(
  snapshot: Pick<Snapshot, "accepted">,
  content: HiveContent,
  locale: Locale,
): Promise<number> {
  const failing = await failingKeys(snapshot, content, locale);
  return [...failing.values()].reduce((sum, keys) => sum + keys.size, 0);
}

/** The keys of the translations into a locale that have such errors, by file. @throws as {@link findingsOf}. */
export async function failingKeys(
  snapshot: Pick<Snapshot, "accepted">,
  content: HiveContent,
  locale: Locale,
  signal?: AbortSignal,
): Promise<ReadonlyMap<FileName, ReadonlySet<string>>> {
  const failing = new Map<FileName, Set<string>>();
  for (const { file, key, severity } of await findingsOf(snapshot, content, locale, { signal })) {
    if (severity === "error") failing.set(file, (failing.get(file) ?? new Set()).add(key));
  }
  return failing;
}

/**
 * The content of one locale without translations that have errors.
 * @param failing what becomes of these; the content stays as it is when undefined.
 * @throws as {@link findingsOf}.
 */
export async function withoutFailing(
  snapshot: Pick<Snapshot, "accepted">,
  content: HiveContent,
  locale: Locale,
  failing: FailingTexts | undefined,
): Promise<HiveContent> {
  if (failing === undefined || locale === content.settings.sourceLocale) return content;
  const files = new Map(translationsOf(content, locale.code));
  const changed = new Map<FileName, Map<string, string>>();
  for (const { file, key, severity } of await findingsOf(snapshot, content, locale)) {
    if (severity !== "error") continue;
    const texts = changed.get(file) ?? new Map(files.get(file));
    const source = failing === "source" ? translatableTexts(content.source.get(file)).get(key) : undefined;
    if (source === undefined) texts.delete(key);
    else texts.set(key, source);
    changed.set(file, texts);
  }
  for (const [file, texts] of changed) files.set(file, texts);
  return { ...content, translations: new Map(content.translations).set(locale.code, files) };
}

function* findingsIn(
  settings: HiveSettings,
  { code }: Locale,
  { file, source, texts }: { readonly file: FileName; readonly source: StringFile; readonly texts: Texts },
  withHints: boolean,
): Steps<Findings> {
  if (withHints) return yield* checkFile({ settings, withHints }, code, file, source, texts);
  const address = `${code}/${file}`;
  const known = cached.get(texts);
  const isKnown =
    known?.source === source &&
    isDeepStrictEqual(known.settings, settings.checks) &&
    known.address === address;
  if (isKnown) return known.findings;
  const findings = yield* checkFile({ settings }, code, file, source, texts);
  cached.set(texts, { settings: settings.checks, address, source, findings });
  return findings;
}
