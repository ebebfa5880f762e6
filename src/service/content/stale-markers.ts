/** The stale markers, which follow every change of a Hive's keys. */
import type { NotedContent } from "../../domain/notes/merge-notes.ts";
import type { FileWrite, HiveContent } from "../../domain/strings/hive-content.ts";
import { updateStaleMarkers, type ContentChange } from "../../domain/strings/stale.ts";
import { inSlices } from "../../slices.ts";
import type { AcceptanceDifference } from "../../store/content/accepted-findings.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";

/** All content of a snapshot with what is stored beside it. @throws SkepError `content-invalid` when it cannot be read. */
export async function readMarked(snapshot: Snapshot): Promise<NotedContent> {
  const content = await snapshot.content("all");
  const codes = [...content.translations.keys()];
  const [markers, accepted, reviews, { notes }, { pictures }] = await Promise.all([
    snapshot.staleMarkers.read(codes),
    snapshot.accepted.read(codes),
    snapshot.review.read(codes),
    snapshot.notes.readable(),
    snapshot.pictures.readable(),
  ]);
  return { content, markers, accepted, reviews, notes, pictures };
}

/** The difference of accepted findings between two contents, as a merge or an undo takes it. */
export function toAcceptances(base: NotedContent, theirs: NotedContent): AcceptanceDifference {
  return { base: base.accepted ?? new Map(), theirs: theirs.accepted ?? new Map() };
}

/**
 * The stale markers that a change of keys writes beside its files; see {@link updateStaleMarkers}.
 * @param content of the snapshot, with the translations that may be changed.
 * @throws SkepError `content-invalid` when stale markers cannot be read.
 */
export async function staleMarkerWrites(
  { staleMarkers }: Snapshot,
  content: HiveContent,
  change: ContentChange,
): Promise<readonly FileWrite[]> {
  if (change.changes.length === 0) return [];
  const stored = await staleMarkers.read([...content.translations.keys()]);
  return inSlices(updateStaleMarkers(content, stored, change));
}
