/** Tags and branches of a Hive, for lists and suggestions. */
import { branchNames } from "../../../service/content/branches.ts";
import { listTags, type Tag } from "../../../service/content/tags.ts";
import type { HiveRequest } from "../requests/page.ts";

/** How many tags are listed, and how many tags and branches are suggested. */
const maxListed = 8;
const maxSuggested = 50;

/** The latest tags, the newest first. */
export async function lastTags({ storage, hive, cache }: HiveRequest): Promise<readonly Tag[]> {
  const { version, read } = await listTags(storage, hive.slug, { offset: 0, limit: Infinity });
  return cache(`tags of ${hive.slug}`, version, async () =>
    (await read()).tags.toSorted((a, b) => (b.time ?? 0) - (a.time ?? 0)).slice(0, maxListed),
  );
}

/** The names of states, as suggestions of a field. */
export async function namedStates(request: HiveRequest): Promise<readonly string[]> {
  const tags = await lastTags(request);
  const branches = await branchNames(request.storage, request.hive.slug);
  return ["main", ...tags.map(({ name }) => name), ...branches].slice(0, maxSuggested);
}
