/** Imports and syncs of source strings, and imports of translations. */
import { clearedCount, subjectWithCounts, type CommitNote } from "../../domain/commits/commit-message.ts";
import { checkDeletions } from "../../domain/plans/deletions.ts";
import { invalid } from "../../domain/errors.ts";
import type { FileWrite, Plan } from "../../domain/strings/hive-content.ts";
import { localeNamed, unknownLocale, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import { codeOf, localeToGive, type Locale } from "../../domain/hives/locale.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { checkQuota } from "../../domain/plans/quota.ts";
import { planSourceImport, type SourceCounts, type SourceImport } from "../../domain/plans/source-import.ts";
import {
  planTranslationImport,
  type TranslationCounts,
  type TranslationImport,
} from "../../domain/plans/translation-import.ts";
import type { HiveChange } from "../../store/hives/hive.ts";
import { inSlices } from "../../slices.ts";
import type { HeldLock } from "../../disk/locks/lock-file.ts";
import type { CommitResult, WritePlan, Preview } from "../../store/hives/write-plan.ts";
import { reauthoriseHive, type HiveGrant } from "../access.ts";
import type { CallerWords } from "../requester.ts";
import { followedMarks } from "./marks.ts";
import type { Storage } from "../storage.ts";

export type { CommitResult, Preview };

/** A source import and how many source strings it may delete; the Hive's own limit if it does not say. */
export interface SourceImportRequest extends SourceImport, SkippedLeaves {
  readonly maxDeletions?: number | undefined;
}

/** What a caller had left out of the files. */
interface SkippedLeaves {
  /** How many leaves were no texts; undefined where these are not to be left out. */
  readonly leavesSkipped?: number | undefined;
}

export type SourceImportCounts = SourceCounts & SkippedLeaves;
export type TranslationImportCounts = TranslationCounts & SkippedLeaves;

/**
 * Imports or syncs source strings as one commit; nothing is written when nothing changes.
 * @throws SkepError `quota` when the team would have more strings than it may, and more than before;
 * `invalid` when files cannot lie beside those of the Hive, or on `max_deletions`.
 */
export async function importSource(
  storage: Storage,
  hive: HiveGrant,
  request: SourceImportRequest,
  words: CallerWords,
): Promise<CommitResult<SourceImportCounts>> {
  const { hives, lockTeam, registry } = storage;
  const run = async (teamLock: HeldLock): Promise<CommitResult<SourceImportCounts>> => {
    const team = await registry.team(hive.team);
    const elsewhere = team?.maxStrings === undefined ? 0 : await countElsewhere(storage, hive, team.hives);
    return hives.change(
      hive.slug,
      async (snapshot) => {
        await reauthoriseHive(storage, hive);
        const content = await snapshot.content("all");
        const plan = await inSlices(planSourceImport(content, request));
        checkDeletions(plan.counts.deleted, request.maxDeletions ?? snapshot.settings.maxDeletions);
        const before = snapshot.index.stringCount;
        const after = before + plan.counts.created - plan.counts.deleted;
        checkQuota({ maxStrings: team?.maxStrings, elsewhere, before, after });
        const marks = await followedMarks(snapshot, content, plan.changes);
        const counts: SourceImportCounts = { ...plan.counts, leavesSkipped: request.leavesSkipped };
        return toPlanned({ ...plan, counts, marks }, sourceNote(counts, request), hive, words);
      },
      [teamLock],
    );
  };
  return lockTeam(hive.team, run, "in-order");
}

/** The number of strings in a team's other Hives, by what is at their HEADs. */
export async function countElsewhere(
  { hives }: Storage,
  { slug }: Pick<HiveGrant, "slug">,
  teamHives: readonly HiveSlug[],
): Promise<number> {
  const counts = teamHives.filter((other) => other !== slug).map((other) => hives.countStrings(other));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** A translation import whose locale is still a caller's text. */
export interface TranslationImportRequest extends Omit<TranslationImport, "locale">, SkippedLeaves {
  readonly locale: string;
}

/**
 * Imports translations into one locale as one commit; nothing is written when nothing changes.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale.
 */
export async function importTranslations(
  storage: Storage,
  hive: HiveGrant,
  request: TranslationImportRequest,
  words: CallerWords,
): Promise<CommitResult<TranslationImportCounts>> {
  return storage.hives.change(hive.slug, async (snapshot) => {
    await reauthoriseHive(storage, hive);
    const locale = targetLocale(snapshot.settings, request.locale, hive.slug);
    const content = await snapshot.content([locale.code]);
    const { index } = snapshot;
    const plan = await inSlices(planTranslationImport(content, { ...request, locale }, () => index.bundle()));
    const marks = await followedMarks(snapshot, content, plan.changes);
    const counts: TranslationImportCounts = { ...plan.counts, leavesSkipped: request.leavesSkipped };
    const note = translationNote(counts, locale, request);
    return { ...toPlanned({ ...plan, counts, marks }, note, hive, words), unknown: plan.unknown };
  });
}

/**
 * The target locale that a caller names.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale.
 */
export function targetLocale(settings: HiveSettings, text: string, slug: string): Locale {
  const locale = localeNamed(settings, text);
  if (locale === undefined) {
    // Only a code is repeated in a command that somebody may copy.
    const code = localeToGive(text) ?? "CODE";
    throw unknownLocale(settings, text, `; add it with: skep locale add ${slug} ${code}`);
  }
  if (locale !== settings.sourceLocale) return locale;
  throw invalid(
    "locale",
    `"${codeOf(locale)}" is the source locale, whose texts are imported as source strings; ` +
      `a target locale is added with: skep locale add ${slug} CODE`,
  );
}

function toPlanned<Counts>(
  { counts, writes, marks, changes }: Plan<Counts> & { readonly marks: readonly FileWrite[] },
  note: CommitNote,
  { author, token }: HiveGrant,
  words: CallerWords,
): WritePlan<Counts> {
  if (writes.length === 0) return { result: counts };
  const change: HiveChange = { note, origin: { author, token, ...words }, writes, marks };
  return { result: counts, change, changes };
}

function sourceNote(counts: SourceImportCounts, { mode, conflictStrategy }: SourceImport): CommitNote {
  const { created, updated, unchanged, deleted, translationsCleared } = counts;
  const cleared = translationsCleared > 0 ? `, ${clearedCount(translationsCleared)}` : "";
  const verb = mode === "sync" ? "Sync" : "Import";
  const otherwise = mode === "sync" ? "order changed" : "shape changed";
  return {
    subject: subjectWithCounts(`${verb} source strings`, { created, updated, deleted }, otherwise) + cleared,
    operation: mode,
    strategy: conflictStrategy,
    counts: {
      Created: created,
      Updated: updated,
      Unchanged: unchanged,
      "Translations-Cleared": translationsCleared,
      ...(mode === "sync" ? { Deleted: deleted } : {}),
      ...skippedCount(counts),
    },
  };
}

function translationNote(
  { created, updated, skipped, unknown, ...rest }: TranslationImportCounts,
  locale: Locale,
  { overwriteStrategy }: TranslationImportRequest,
): CommitNote {
  return {
    subject: subjectWithCounts(
      `Import ${codeOf(locale)} translations`,
      { created, updated },
      "shape changed",
    ),
    operation: "import-translations",
    strategy: overwriteStrategy,
    counts: { Created: created, Updated: updated, Skipped: skipped, Unknown: unknown, ...skippedCount(rest) },
  };
}

/** In the commit too, from which a repeated request is answered. */
function skippedCount({ leavesSkipped }: SkippedLeaves): Record<string, number> {
  return leavesSkipped === undefined ? {} : { "Leaves-Skipped": leavesSkipped };
}
