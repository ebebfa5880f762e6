/** What differs between two states of a Hive, key by key. */
import { toShownChange, type ShownChange } from "../../domain/strings/text-diff.ts";
import { isBranchName, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import type { Oid } from "../../domain/names.ts";
import type { OffsetLimit } from "../../domain/pagination.ts";
import { diffContent } from "../../domain/strings/content-diff.ts";
import type { HiveContent } from "../../domain/strings/hive-content.ts";
import { inSlices } from "../../slices.ts";
import { orInvalid } from "../../store/history/revision-store.ts";
import type { Storage } from "../storage.ts";

export interface ComparisonQuery extends OffsetLimit {
  /** Each the name of a branch, or a revision. */
  readonly from: string;
  readonly to: string;
  /** Only what differs in the locale with this code. */
  readonly locale?: string;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

export interface Comparison {
  readonly from: Oid;
  readonly to: Oid;
  readonly changes: readonly ShownChange[];
  /** On this page and on all others. */
  readonly total: number;
  /** How many texts differ in each locale in which any does. */
  readonly byLocale: ReadonlyMap<string, number>;
}

/**
 * Compares two states of a Hive: source strings first, then locale by locale.
 * @param branch the branch whose line dates are looked up on.
 * @throws SkepError `invalid` on `from` or `to` when there is no such state, or its content cannot be read.
 */
export async function compareStates(
  { hives }: Storage,
  branch: HiveBranch,
  { from, to, locale, offset, limit, signal }: ComparisonQuery,
): Promise<Comparison> {
  const commitOf = async (text: string, field: string): Promise<Oid> => {
    const named = isBranchName(text) ? (await hives.branches(slugOf(branch)).list()).get(text) : undefined;
    if (named !== undefined) return named;
    const lookup = { tip: hives.head(branch), signal };
    return (await hives.revisions(branch).resolve(toRevision(text, field), field, lookup)).commit;
  };
  const contentAt = async (commit: Oid, field: string): Promise<HiveContent> => {
    const snapshot = await hives.snapshotAt(branch, commit, field);
    return orInvalid(field, () => snapshot.content("all"));
  };
  const [start, end] = [await commitOf(from, "from"), await commitOf(to, "to")];
  const [before, after] = [await contentAt(start, "from"), await contentAt(end, "to")];
  const { settings } = await hives.snapshot(branch);
  const all = (await inSlices(diffContent(before, after), signal)).map(toShownChange(settings));
  const byLocale = new Map<string, number>();
  for (const change of all) byLocale.set(change.locale, (byLocale.get(change.locale) ?? 0) + 1);
  const found = locale === undefined ? all : all.filter((change) => change.locale === locale);
  return {
    from: start,
    to: end,
    changes: found.slice(offset, offset + limit),
    total: found.length,
    byLocale,
  };
}
