/** The HEADs of Hives, some of which may be deleted or damaged. */
import { isSkepError } from "../domain/errors.ts";
import { mapInGroups } from "../slices.ts";
import type { HiveSlug, Oid } from "../domain/names.ts";
import type { StorageBase } from "./storage.ts";

/**
 * The commit at HEAD; undefined when the Hive cannot be read.
 * @param as of when: see {@link Hive.head}.
 * @throws the system's error when the disk fails.
 */
export function readableHead({ hives }: StorageBase, slug: HiveSlug, as?: "now" | "recent"): Oid | undefined {
  try {
    return hives.at(slug).head(as);
  } catch (error) {
    if (isSkepError(error)) return undefined;
    throw error;
  }
}

/** The commits at HEAD of the Hives that can be read. @throws the system's error when the disk fails. */
export function readableHeads(storage: StorageBase, slugs: readonly HiveSlug[]): ReadonlyMap<HiveSlug, Oid> {
  const heads = new Map<HiveSlug, Oid>();
  for (const slug of slugs) {
    const head = readableHead(storage, slug);
    if (head !== undefined) heads.set(slug, head);
  }
  return heads;
}

/**
 * The commits at HEAD of the Hives that can be read as the record has them, also of those that no request has named and
 * whose copies are missing or old.
 * @throws as {@link readableHeads}; SkepError `record-unavailable`.
 */
export async function recordedHeads(
  storage: StorageBase,
  slugs: readonly HiveSlug[],
): Promise<ReadonlyMap<HiveSlug, Oid>> {
  await mapInGroups(slugs, async (slug) => storage.hives.recorded(slug).catchUp());
  return readableHeads(storage, slugs);
}
