/** The states of a Hive that people look for: its tags and branches. */
import { branchNames } from "../../../service/content/branches.ts";
import { listTags, type Tag } from "../../../service/content/tags.ts";
import type { HiveRequest } from "../requests/page.ts";

/** How many tags are listed, and how many tags and branches are suggested. */
const maxListed = 8;
const maxSuggested = 50;

/** The tags made last, the newest first. */
export async function lastTags({ storage, hive, cache }: HiveRequest): Promise<readonly Tag[]> {
  const { version, read } = await listTags(storage, hive.slug, { offset: 0, limit: Infinity });
  return cache(`tags of ${hive.slug}`, version, async () =>
    (await read()).tags.toSorted((a, b) => (b.time ?? 0) - (a.time ?? 0)).slice(0, maxListed),
  );
}

/** What a state can be named by, of which a browser suggests what fits. */
export async function namedStates(request: HiveRequest): Promise<readonly string[]> {
  const tags = await lastTags(request);
  const branches = await branchNames(request.storage, request.hive.slug);
  return ["main", ...tags.map(({ name }) => name), ...branches].slice(0, maxSuggested);
}
