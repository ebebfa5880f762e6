/** The stale markers, which follow every change of a Hive's keys. */
import type { FileWrite, HiveContent } from "../../domain/strings/hive-content.ts";
import { updateStaleMarkers, type ContentChange, type MadeFor } from "../../domain/strings/stale.ts";
import { inSlices } from "../../slices.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";

/**
 * The stale markers that a change of keys writes beside its files; see {@link updateStaleMarkers}.
 * @param content of the snapshot, with the translations that may be changed.
 * @throws SkepError `content-invalid` when stale markers cannot be read.
 */
export async function staleMarkerWrites(
  { staleMarkers }: Snapshot,
  content: HiveContent,
  change: ContentChange,
  madeFor?: MadeFor,
): Promise<readonly FileWrite[]> {
  if (change.changes.length === 0) return [];
  const stored = await staleMarkers.read([...content.translations.keys()]);
  return inSlices(updateStaleMarkers(content, stored, change, madeFor));
}
