/** The Hives that an inbox is about. */
import { boundedCache } from "../../bounded-cache.ts";
import { allows, reachedOf } from "../../domain/access/token.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import { moduleCache } from "../../module-caches.ts";
import { mapInGroups } from "../../slices.ts";
import type { Caller } from "../access.ts";
import { recentCommits } from "../content/history.ts";
import { readableHead } from "../heads.ts";
import type { StorageBase } from "../storage.ts";

/** How many Hives an inbox tells of: the ones that changed last, among the first that the caller reaches. */
const maxHives = 50;
const maxLooked = 500;

/** When commits were made. */
const times = moduleCache(boundedCache<Oid, number>(10_000));

/** The Hives that a caller can read, in the order of the team; of very many, the ones that changed last. */
export async function hivesInScope(
  storage: StorageBase,
  { principal, team }: Caller,
  signal?: AbortSignal,
): Promise<readonly HiveSlug[]> {
  const slugs = allows(principal, "read") ? reachedOf(principal, team.hives) : [];
  if (slugs.length <= maxHives) return slugs;
  const looked = slugs.slice(0, maxLooked);
  const changed = await mapInGroups(looked, (slug) => lastChange(storage, slug), signal);
  const newest = [...looked.keys()].toSorted((a, b) => (changed[b] ?? 0) - (changed[a] ?? 0));
  const chosen = new Set(newest.slice(0, maxHives));
  return looked.filter((_, i) => chosen.has(i));
}

async function lastChange(storage: StorageBase, slug: HiveSlug): Promise<number> {
  const head = readableHead(storage, slug);
  if (head === undefined) return 0;
  const known = times.get(head);
  if (known !== undefined) return known;
  const [commit] = await recentCommits(storage, slug, 1);
  const time = commit?.time ?? 0;
  times.set(head, time);
  return time;
}
