/** What people want to know of each Hive at a glance: when it changed last, and what is wrong with it. */
import { isSkepError } from "../../domain/errors.ts";
import { reachedOf } from "../../domain/access/token.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { OffsetLimit } from "../../domain/pagination.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Caller } from "../access.ts";
import { mirrorsOf, type MirrorSummary } from "./mirrors.ts";
import { failureKinds } from "../../domain/hives/mirror.ts";
import { recentCommits, type HistoryEntry } from "../content/history.ts";
import type { Storage } from "../storage.ts";

const failures = new Set<MirrorSummary["status"]>(failureKinds);

export interface HiveState {
  readonly slug: HiveSlug;
  /** At the last commit that can be read; undefined when there is none. */
  readonly settings: HiveSettings | undefined;
  /** Of the source strings that have a text. */
  readonly translatableCount: number;
  /** Of those that have none. */
  readonly emptyCount: number;
  /** The commit at HEAD; undefined when it cannot be read. */
  readonly lastChange: HistoryEntry | undefined;
  /** How many branches it has besides main. */
  readonly branchCount: number;
  /** Why the content at HEAD cannot be read. */
  readonly problem?: string;
  /** How many of its mirrors the last push did not reach. */
  readonly failingMirrors: number;
}

/** The states of the Hives that a token reaches, in the order of creation. */
export async function hiveStates(
  storage: Storage,
  { principal, team }: Caller,
  { offset, limit }: OffsetLimit,
): Promise<{ readonly states: readonly HiveState[]; readonly total: number }> {
  const slugs = reachedOf(principal, team.hives);
  const page = slugs.slice(offset, offset + limit);
  return { states: await Promise.all(page.map((slug) => stateOf(storage, slug))), total: slugs.length };
}

async function stateOf(storage: Storage, slug: HiveSlug): Promise<HiveState> {
  const { head, overview } = await storage.hives.at(slug).overview();
  const [lastChange] = head === undefined ? [] : await recentCommits(storage, slug, 1);
  const problem =
    overview?.commit === head && head !== undefined ? undefined : await problemOf(storage, slug);
  const branches = head === undefined ? new Map() : await storage.hives.at(slug).branches.list();
  const mirrors = await mirrorsOf(storage, slug);
  return {
    slug,
    settings: overview?.settings,
    translatableCount: overview?.translatableCount ?? 0,
    emptyCount: (overview?.stringCount ?? 0) - (overview?.translatableCount ?? 0),
    lastChange,
    branchCount: Math.max(0, branches.size - 1),
    problem,
    failingMirrors: mirrors.filter(({ status }) => failures.has(status)).length,
  };
}

async function problemOf({ hives }: Storage, slug: HiveSlug): Promise<string | undefined> {
  try {
    await hives.at(slug).snapshot();
    return undefined;
  } catch (error) {
    if (!isSkepError(error)) throw error;
    return error.message;
  }
}
