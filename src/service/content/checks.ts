/** Lists findings of the checks, and accepts false alarms. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import type { CheckName, Severity } from "../../domain/checks/message.ts";
import {
  localesOf,
  targetLocale,
  type HiveSettings,
  requireLocale,
} from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { noteRulesOf } from "../../domain/notes/note-tags.ts";
import { isFileName } from "../../domain/names.ts";
import type { OffsetLimit, Page } from "../../domain/pagination.ts";
import type { LocatedFinding } from "../../domain/plans/check-content.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import { acceptanceHash, withAcceptances, withoutAcceptance } from "../../store/content/accepted-findings.ts";
import { eachFinding, findingsIn } from "../../store/content/findings.ts";
import type { CommitResult, WriteContext } from "../../store/hives/write-context.ts";
import { contentOf, snapshotOf, type HiveHead, type Versioned } from "./queries.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import { readTerms, termsAt, type HiveTerms } from "../terms.ts";
import { unlessInvalid } from "../../domain/errors.ts";

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

export interface FindingPage extends Page<LocatedFinding> {
  /** Errors and warnings of all locales, whatever the query asks for. */
  readonly counts: ReadonlyMap<Locale, Readonly<Record<"error" | "warning", number>>>;
  readonly settings: HiveSettings;
}

/**
 * A page of a Hive's findings, locale by locale and in the order of the source.
 * @throws SkepError `invalid` on `locale` or `at`.
 */
export async function listFindings(
  storage: StorageBase,
  branch: HiveBranch,
  { offset, limit, locale: text, file, key, check, severity, at, signal }: FindingQuery,
): Promise<Versioned<FindingPage>> {
  const { snapshot, ...basis } = await snapshotOf(storage.hives, branch, at, signal);
  const terms = at === undefined ? await readTerms(storage, slugOf(branch)) : await termsAt(snapshot);
  const { settings } = snapshot;
  const locale = text === undefined ? undefined : requireLocale(settings, text);
  const codes = settings.targetLocales.map(({ code }) => code);
  const read = async (): Promise<FindingPage> => {
    const page: LocatedFinding[] = [];
    let total = 0;
    const counts = new Map<Locale, Record<"error" | "warning", number>>();
    const { files: notes } = await snapshot.values.notes.readable();
    const noteRules = noteRulesOf(notes);
    const options = { withHints: severity === "hint", terms: terms.index, noteRules };
    const findIn = async (each: Locale): Promise<void> => {
      const content = await contentOf(snapshot, each, at);
      const counted = { error: 0, warning: 0 };
      await eachFinding(snapshot, content, each, { ...options, signal }, (found) => {
        if (found.severity !== "hint") counted[found.severity]++;
        const isAsked =
          (locale === undefined || each === locale) &&
          (severity === undefined || found.severity === severity) &&
          (check === undefined || found.check === check) &&
          (file === undefined || found.file === file) &&
          (key === undefined || found.key === key);
        if (!isAsked || total++ < offset || page.length === limit) return;
        const whole = findingsIn(content, each, found, options)[found.place];
        if (whole !== undefined) page.push(whole);
      });
      if (counted.error + counted.warning > 0) counts.set(each, counted);
    };
    for (const each of localesOf(settings)) {
      // Of a locale that is not asked for, only the counts are missing where it cannot be read.
      if (locale === undefined || each === locale) await findIn(each);
      else await unlessInvalid(findIn(each));
    }
    return { entries: page, total, counts, settings };
  };
  const others = [snapshot.values.accepted.version(codes), terms.version, snapshot.values.notes.version()];
  const version = [snapshot.version(codes), ...others].join(":");
  return { ...basis, heads: basis.heads && headsWith(terms, basis.heads), version, read };
}

/** The heads of a result that depends on the terms of another Hive, too; undefined while that one cannot be read. */
function headsWith(
  { used, isMissing }: HiveTerms,
  heads: readonly HiveHead[],
): readonly HiveHead[] | undefined {
  if (isMissing) return undefined;
  return used === undefined ? heads : [...heads, { branch: used.slug, head: used.head }];
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
 * Accepts a finding as a false alarm, or ends an acceptance, as one commit. Nothing is written when there is no such finding
 * or acceptance.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale.
 */
export function changeAcceptance(
  storage: ContentStorage,
  branch: HiveBranch,
  { locale: text, file, key, check }: AcceptanceRequest,
  change: "accept" | "withdraw",
  context: WriteContext,
): Promise<CommitResult<AcceptanceCounts>> {
  return storage.writer.commit(branch, context, async (snapshot) => {
    const locale = targetLocale(snapshot.settings, text, slugOf(branch));
    const nothing = { result: { changed: 0, unknown: 1 } };
    if (!isFileName(file)) return nothing;
    const stored = await snapshot.values.accepted.files(locale.code);
    const content = await snapshot.content([locale.code]);
    const source = translatableTexts(content.source.get(file)).get(key);
    const translation = content.translations.get(locale.code)?.get(file)?.get(key);
    if (source === undefined || translation === undefined) return nothing;
    const digest = acceptanceHash(source, translation);
    const withdrawn = withoutAcceptance(locale.code, stored, { check, digest });
    const isStored = withdrawn.length > 0;
    const { index: terms } = await readTerms(storage, slugOf(branch));
    const noteRules = noteRulesOf((await snapshot.values.notes.readable()).files);
    const found = findingsIn(content, locale, { file, key }, { terms, noteRules });
    const isFound = found.some((one) => one.check === check);
    if (change === "accept" ? isStored || !isFound : !isStored) {
      return { result: { changed: 0, unknown: change === "accept" && isStored ? 0 : 1 } };
    }
    const at = { locale: locale.code, file, key, check, texts: { source, translation } };
    const values = change === "accept" ? withAcceptances(stored, [at]) : withdrawn;
    const verb = change === "accept" ? "Accept" : "No longer accept";
    return {
      result: { changed: 1, unknown: 0 },
      change: {
        metadata: {
          subject: `${verb} a finding in ${codeOf(locale)}: ${check}`,
          operation: change === "accept" ? "accept-check" : "withdraw-check",
          counts: { changed: 1 },
        },
        values,
      },
    };
  });
}
