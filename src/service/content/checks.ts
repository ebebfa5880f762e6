/** Findings of the checks: which there are, and those that were accepted as false alarms. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { defaultChecks } from "../../domain/checks/check-settings.ts";
import type { CheckName, Severity } from "../../domain/checks/message.ts";
import {
  localeNamed,
  localesOf,
  targetLocale,
  unknownLocale,
  type HiveSettings,
} from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { isFileName, type FileName } from "../../domain/names.ts";
import type { OffsetLimit } from "../../domain/pagination.ts";
import { checkFile, type IsAccepted, type LocatedFinding } from "../../domain/plans/check-content.ts";
import { noTexts, translatableTexts, type StringFile, type Texts } from "../../domain/strings/string-file.ts";
import { inSlices } from "../../slices.ts";
import { acceptanceHash, acceptedIn, toAcceptanceWrite } from "../../store/content/accepted-findings.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { CommitResult, WriteContext } from "../write-context.ts";
import { contentOf, snapshotOf, type Versioned } from "./queries.ts";
import type { Storage } from "../storage.ts";

export interface FindingQuery extends OffsetLimit {
  /** A code as the caller gave it; all locales when undefined. */
  readonly locale?: string;
  readonly file?: string;
  readonly key?: string;
  readonly check?: CheckName;
  /** Errors and warnings when undefined. */
  readonly severity?: Severity;
  /** A revision; HEAD when undefined. */
  readonly at?: string;
  readonly signal?: AbortSignal;
}

export interface FindingPage {
  readonly findings: readonly LocatedFinding[];
  /** Of all that the query finds, on this page or not. */
  readonly total: number;
  /** Errors and warnings of all locales, whatever the query asks for. */
  readonly counts: ReadonlyMap<Locale, Readonly<Record<"error" | "warning", number>>>;
  readonly settings: HiveSettings;
}

/**
 * A part of a Hive's findings, locale by locale and in the order of the source.
 * @throws SkepError `invalid` on `locale` or `at`.
 */
export async function listFindings(
  { hives }: Storage,
  branch: HiveBranch,
  { offset, limit, locale: text, file, key, check, severity, at, signal }: FindingQuery,
): Promise<Versioned<FindingPage>> {
  const { snapshot, ...basis } = await snapshotOf(hives, branch, at, signal);
  const { settings } = snapshot;
  const locale = text === undefined ? undefined : localeNamed(settings, text);
  if (text !== undefined && locale === undefined) throw unknownLocale(settings, text);
  const withHints = severity === "hint";
  const codes = settings.targetLocales.map(({ code }) => code);
  const read = async (): Promise<FindingPage> => {
    const found: LocatedFinding[] = [];
    const counts = new Map<Locale, Record<"error" | "warning", number>>();
    for (const each of localesOf(settings)) {
      const all = await findingsOf(snapshot, each, { withHints, at, signal });
      const count = (wanted: Severity): number => all.filter((one) => one.severity === wanted).length;
      const counted = { error: count("error"), warning: count("warning") };
      if (counted.error + counted.warning > 0) counts.set(each, counted);
      if (locale !== undefined && each !== locale) continue;
      for (const one of all) {
        const isAsked =
          (severity === undefined || one.severity === severity) &&
          (check === undefined || one.check === check) &&
          (file === undefined || one.file === file) &&
          (key === undefined || one.key === key);
        if (isAsked) found.push(one);
      }
    }
    return { findings: found.slice(offset, offset + limit), total: found.length, counts, settings };
  };
  return { ...basis, version: `${snapshot.version(codes)}:${snapshot.accepted.version(codes)}`, read };
}

/** What was found in one file of one locale, under the settings that it was found with. */
interface CachedFindings {
  readonly settings: HiveSettings["checks"];
  readonly source: StringFile;
  readonly findings: readonly LocatedFinding[];
}

/** By the texts of the file: most files stay the same from one commit to the next. */
const cached = new WeakMap<Texts, CachedFindings>();

/**
 * The findings in one locale that were not accepted.
 * @throws SkepError `content-invalid`, or `invalid` on `at`, for content that cannot be read.
 */
async function findingsOf(
  snapshot: Snapshot,
  locale: Locale,
  how: {
    readonly withHints?: boolean;
    readonly at?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<readonly LocatedFinding[]> {
  const { settings } = snapshot;
  if ((settings.checks ?? defaultChecks).level === "off") return [];
  const content = await contentOf(snapshot, locale, how.at);
  const isAccepted = await acceptedIn(snapshot, [locale.code]);
  const translations = content.translations.get(locale.code);
  const isSource = locale === settings.sourceLocale;
  function* find(): Generator<void, readonly LocatedFinding[], void> {
    const found: LocatedFinding[] = [];
    for (const [file, source] of content.source) {
      yield;
      const texts = isSource ? source.texts : (translations?.get(file) ?? noTexts);
      for (const one of findingsIn(settings, locale, { file, source, texts }, how.withHints ?? false)) {
        if (!isAcceptedHere(isAccepted, one, source, texts)) found.push(one);
      }
    }
    return found;
  }
  return inSlices(find(), how.signal);
}

function findingsIn(
  settings: HiveSettings,
  { code }: Locale,
  { file, source, texts }: { readonly file: FileName; readonly source: StringFile; readonly texts: Texts },
  withHints: boolean,
): readonly LocatedFinding[] {
  if (withHints) return checkFile({ settings, withHints }, code, file, source, texts);
  const known = cached.get(texts);
  // Equal texts of two files or locales may share one object.
  const isKnown =
    known?.source === source &&
    known.settings === settings.checks &&
    known.findings.every((one) => one.file === file && one.locale === code);
  if (isKnown && known.findings.length > 0) return known.findings;
  const findings = checkFile({ settings }, code, file, source, texts);
  cached.set(texts, { settings: settings.checks, source, findings });
  return findings;
}

function isAcceptedHere(
  isAccepted: IsAccepted,
  { key, check, ...at }: LocatedFinding,
  source: StringFile,
  texts: Texts,
): boolean {
  const [own, translation] = [translatableTexts(source).get(key), texts.get(key)];
  if (own === undefined || translation === undefined) return false;
  return isAccepted({ ...at, key }, check, { source: own, translation });
}

export interface AcceptanceRequest {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  readonly check: CheckName;
}

export interface AcceptanceCounts {
  readonly changed: number;
  readonly unknown: number;
}

/**
 * Accepts a finding as a false alarm, or takes that back, as one commit; nothing is written when there is no such finding,
 * or no such acceptance.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale.
 */
export function changeAcceptance(
  storage: Storage,
  branch: HiveBranch,
  { locale: text, file, key, check }: AcceptanceRequest,
  change: "accept" | "withdraw",
  context: WriteContext,
): Promise<CommitResult<AcceptanceCounts>> {
  return storage.hives.commit(branch, context, async (snapshot) => {
    const locale = targetLocale(snapshot.settings, text, slugOf(branch));
    const nothing = { result: { changed: 0, unknown: 1 } };
    if (!isFileName(file)) return nothing;
    const stored = (await snapshot.accepted.read([locale.code])).get(locale.code)?.get(file) ?? noTexts;
    const content = await snapshot.content([locale.code]);
    const source = translatableTexts(content.source.get(file)).get(key);
    const translation = content.translations.get(locale.code)?.get(file)?.get(key);
    const isFound = async (): Promise<boolean> => {
      const all = await findingsOf(snapshot, locale);
      return all.some((one) => one.file === file && one.key === key && one.check === check);
    };
    if (source === undefined || translation === undefined) return nothing;
    const digest = acceptanceHash(source, translation);
    const isStored = stored.get(`${key}.${check}`) === digest;
    if (change === "accept" ? isStored || !(await isFound()) : !isStored) {
      return { result: { changed: 0, unknown: change === "accept" && isStored ? 0 : 1 } };
    }
    const write = { locale: locale.code, file, key, check, digest: change === "accept" ? digest : undefined };
    const verb = change === "accept" ? "Accept" : "No longer accept";
    return {
      result: { changed: 1, unknown: 0 },
      change: {
        metadata: {
          subject: `${verb} a finding in ${codeOf(locale)}: ${check}`,
          operation: change === "accept" ? "accept-check" : "withdraw-check",
          counts: { Changed: 1 },
        },
        accepted: [toAcceptanceWrite(stored, write)],
      },
    };
  });
}
