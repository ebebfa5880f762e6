/** The marks of stale translations, which follow every change of a Hive's keys. */
import type { FileWrite, HiveContent, KeyChange } from "../../domain/strings/hive-content.ts";
import { followMarks, type MadeFor } from "../../domain/strings/stale.ts";
import { inSlices } from "../../slices.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";

/**
 * The marks that a change of keys writes beside its files; see {@link followMarks}.
 * @param content of the snapshot, with the translations that may be changed.
 * @throws SkepError `content-invalid` when marks cannot be read.
 */
export async function followedMarks(
  { marks }: Snapshot,
  content: HiveContent,
  changes: readonly KeyChange[],
  madeFor?: MadeFor,
): Promise<readonly FileWrite[]> {
  if (changes.length === 0) return [];
  const stored = await marks.read([...content.translations.keys()]);
  return inSlices(followMarks(content, stored, changes, madeFor));
}
