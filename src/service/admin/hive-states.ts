/** What people want to know of each Hive at a glance: when it changed last, and what is wrong with it. */
import { unlessFailed } from "../../domain/errors.ts";
import { reachedOf } from "../../domain/access/token.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Caller } from "../access.ts";
import { mirrorsOf, type MirrorSummary } from "./mirrors.ts";
import { failureKinds } from "../../domain/hives/mirror.ts";
import { recentCommits, type HistoryEntry } from "../content/history.ts";
import type { DeliveryStorage, StorageBase } from "../storage.ts";

const failures = new Set<MirrorSummary["status"]>(failureKinds);

export interface HiveSummary {
  readonly slug: HiveSlug;
  /** At the last commit that can be read; undefined when there is none. */
  readonly settings: HiveSettings | undefined;
  readonly stringCount: number;
  /** The commit at HEAD; undefined when it cannot be read. */
  readonly lastChange: HistoryEntry | undefined;
  readonly branchCount: number;
  /** Why the content at HEAD cannot be read. */
  readonly problem?: string;
  /** How many of its mirrors the last push did not reach. */
  readonly failingMirrors: number;
}

/**
 * The states of the Hives that a token reaches, in the order of creation.
 * @param query.search a part of their slug or name, in upper or lower case.
 */
export async function hiveStates(
  storage: DeliveryStorage,
  { principal, team }: Caller,
  { search = "", ...paging }: OffsetLimit & { readonly search?: string },
): Promise<Page<HiveSummary>> {
  const slugs = await hivesNamed(storage, reachedOf(principal, team.hives), search.trim().toLowerCase());
  const { entries, total } = pageOf(slugs, paging);
  return { entries: await Promise.all(entries.map((slug) => stateOf(storage, slug))), total };
}

async function hivesNamed(
  { hives }: StorageBase,
  slugs: readonly HiveSlug[],
  part: string,
): Promise<readonly HiveSlug[]> {
  if (part === "") return slugs;
  const isNamed = async (slug: HiveSlug): Promise<boolean> => {
    if (slug.includes(part)) return true;
    const { overview } = await hives.at(slug).overview();
    return overview?.settings.name.toLowerCase().includes(part) === true;
  };
  const named = await Promise.all(slugs.map(isNamed));
  return slugs.filter((_, index) => named[index]);
}

async function stateOf(storage: DeliveryStorage, slug: HiveSlug): Promise<HiveSummary> {
  await storage.hives.recorded(slug).catchUp();
  const { head, overview } = await storage.hives.at(slug).overview();
  const [lastChange] = head === undefined ? [] : await recentCommits(storage, slug, 1);
  const isReadable = overview?.commit === head && head !== undefined;
  const reading = isReadable ? Promise.resolve() : storage.hives.at(slug).snapshot();
  const problem = await unlessFailed(
    reading.then(() => undefined),
    "any",
    ({ message }) => message,
  );
  const branches = head === undefined ? new Map() : await storage.hives.at(slug).branches.list();
  const mirrors = await mirrorsOf(storage, slug);
  return {
    slug,
    settings: overview?.settings,
    stringCount: overview?.stringCount ?? 0,
    lastChange,
    branchCount: Math.max(0, branches.size - 1),
    problem,
    failingMirrors: mirrors.filter(({ status }) => failures.has(status)).length,
  };
}
