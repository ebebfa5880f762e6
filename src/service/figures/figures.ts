/** The progress of a locale over time, as the commits of the history have it. */
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import { localeNamed, unknownLocale } from "../../domain/hives/hive-settings.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import type { Oid, PersonId } from "../../domain/names.ts";
import { figuresOf, wordCounter, type Figures } from "../../domain/queries/figures.ts";
import { progressBasis } from "../../store/content/locale-progress.ts";
import type { StorageBase } from "../storage.ts";

/** How many days or months there are. */
const counts = { day: 31, month: 12 } as const;
export type FiguresBy = keyof typeof counts;

export interface FiguresQuery {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly by: FiguresBy;
  /** Whose commits are counted. */
  readonly person: PersonId | undefined;
  readonly signal?: AbortSignal;
}

/** A day or a month, as it ended, or as it is now. */
export interface FiguresRow extends Figures {
  /** As `2026-01-31` or `2026-01`, in UTC. */
  readonly period: string;
  /** The commits of the person in it; undefined where nobody is asked about. */
  readonly ownCommits: number | undefined;
}

/**
 * The figures of a locale, the newest first; periods before the first commit, and those whose commit holds no such locale,
 * are left out.
 * @param keep keeps the figures of a commit, which never change.
 * @throws SkepError `invalid` on `locale`; the signal's reason.
 */
export async function localeFigures(
  storage: StorageBase,
  branch: HiveBranch,
  { locale: code, by, person, signal }: FiguresQuery,
  keep: (commit: Oid, locale: Locale, make: () => Promise<Figures | null>) => Promise<Figures | null>,
): Promise<readonly FiguresRow[]> {
  const { hives, now } = storage;
  const { revisions } = hives.at(branch);
  const head = await hives.at(branch).snapshot();
  const locale = localeNamed(head.settings, code);
  if (locale === undefined || locale.code === head.settings.sourceLocale.code)
    throw unknownLocale(head.settings, code);
  const commits = await revisions.graph.firstParents(head.commit.oid, signal);
  const wordsOf = wordCounter(head.settings.sourceLocale.code);
  const rows: FiguresRow[] = [];
  for (const { period, start, end } of periodsTo(now(), by)) {
    const last = commits.findLast(({ time }) => time < end);
    if (last === undefined) break;
    const figures = await keep(last.oid, locale, async () => {
      const snapshot = await revisions.snapshotAt(last.oid, "at", head);
      const then = localeNamed(snapshot.settings, locale.code);
      if (then === undefined) return null;
      const { content, basis } = await progressBasis(snapshot, then);
      return figuresOf(content, then.code, basis, wordsOf, signal);
    });
    if (figures === null) continue;
    const own = commits.filter((one) => one.person === person && one.time >= start && one.time < end);
    rows.push({ ...figures, period, ownCommits: person === undefined ? undefined : own.length });
  }
  return rows;
}

/** The last days or months, the present one first. Times are in seconds since 1970. */
function periodsTo(
  now: number,
  by: FiguresBy,
): readonly { readonly period: string; readonly start: number; readonly end: number }[] {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const begin = (ago: number): number =>
    by === "day" ? Date.UTC(year, month, day - ago) : Date.UTC(year, month - ago, 1);
  return Array.from({ length: counts[by] }, (_, ago) => ({
    period: new Date(begin(ago)).toISOString().slice(0, by === "day" ? 10 : 7),
    start: begin(ago) / 1000,
    end: begin(ago - 1) / 1000,
  }));
}
