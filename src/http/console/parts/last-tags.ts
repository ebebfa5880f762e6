/** The tags of a Hive that people look for. */
import { listTags, type Tag } from "../../../service/content/tags.ts";
import type { HiveRequest } from "../requests/page.ts";

const listed = 8;

/** The tags made last, the newest first. */
export async function lastTags({ storage, hive, cache }: HiveRequest): Promise<readonly Tag[]> {
  const { version, read } = await listTags(storage, hive.slug, { offset: 0, limit: Infinity });
  return cache(`tags of ${hive.slug}`, version, async () =>
    (await read()).tags.toSorted((a, b) => (b.time ?? 0) - (a.time ?? 0)).slice(0, listed),
  );
}
