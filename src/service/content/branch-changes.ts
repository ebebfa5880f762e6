/** Lists the changes of a branch since it parted from main, and which of them conflict with main. */
import type { ConflictReason } from "../../domain/errors.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import { listBranchChanges, type BranchChange } from "../../domain/plans/merge.ts";
import type { StorageBase } from "../storage.ts";
import { toKnownBranch, versionOf } from "./branches.ts";
import { readSides } from "./merges.ts";
import type { Versioned } from "./queries.ts";

export interface ChangesQuery extends OffsetLimit {
  readonly onlyConflicts: boolean;
  readonly signal?: AbortSignal;
}

export interface BranchChanges extends Page<ListedChange> {
  readonly base: Oid | undefined;
  readonly main: Oid;
  /** How many of all changes conflict with main. */
  readonly conflicts: number;
  readonly byLocale: ReadonlyMap<string, number>;
  readonly settings: HiveSettings;
}

export interface ListedChange extends Omit<BranchChange, "conflict"> {
  readonly conflict?: {
    readonly reason: ConflictReason;
    readonly main: string | null;
    readonly in_the_way?: string;
  };
}

/**
 * The changes of a branch since it parted from main, key by key, each with its conflict with main, if it has one.
 * @throws SkepError `not-found` when there is no such branch.
 */
export async function branchChanges(
  { hives }: StorageBase,
  slug: HiveSlug,
  text: string,
  { onlyConflicts, signal, ...paging }: ChangesQuery,
): Promise<Versioned<BranchChanges>> {
  const branch = toKnownBranch(text);
  const other = { slug, branch };
  const tip = hives.at(other).head();
  const snapshot = await hives.at(slug).snapshot();
  const main = snapshot.commit.oid;
  const revisions = hives.at(slug).revisions;
  const read = async (): Promise<BranchChanges> => {
    const { base } = await revisions.graph.compare(main, tip, signal);
    const all = await listBranchChanges(await readSides(hives, snapshot, { base, other, tip }));
    const byLocale = new Map<string, number>();
    for (const { locale } of all) byLocale.set(locale, (byLocale.get(locale) ?? 0) + 1);
    const conflicting = all.filter(({ conflict }) => conflict !== undefined);
    const { entries, total } = pageOf(onlyConflicts ? conflicting : all, paging);
    return {
      entries: entries.map(toListed),
      total,
      base,
      main,
      conflicts: conflicting.length,
      byLocale,
      settings: snapshot.settings,
    };
  };
  return { commit: tip, version: versionOf([main, tip]), read };
}

function toListed({ conflict, ...change }: BranchChange): ListedChange {
  if (conflict === undefined) return change;
  const { reason, ours = null, inTheWay } = conflict;
  return { ...change, conflict: { reason, main: ours, in_the_way: inTheWay } };
}
