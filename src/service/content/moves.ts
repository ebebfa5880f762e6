/** Moving source strings to other keys and files. */
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import type { ChangeMetadata } from "../../domain/commits/commit-message.ts";
import { recordOf } from "../../domain/moves/recorded.ts";
import { planMoves, type NamedMove } from "../../domain/plans/moves.ts";
import { counted } from "../../domain/text.ts";
import { inSlices } from "../../slices.ts";
import type { CommitResult, WriteContext } from "../write-context.ts";
import { readMarked } from "./stale-markers.ts";
import type { Storage } from "../storage.ts";

export interface MoveCounts {
  /** Source strings. */
  readonly moved: number;
  readonly translationsMoved: number;
  /** Translations of plural forms that are none without the strings that were moved. */
  readonly translationsDeleted: number;
}

/**
 * Moves source strings with their translations and stale markers, as one commit.
 * @throws SkepError `invalid` naming every move that cannot be made; see {@link planMoves}.
 */
export function moveStrings(
  storage: Storage,
  branch: HiveBranch,
  named: readonly NamedMove[],
  context: WriteContext,
): Promise<CommitResult<MoveCounts>> {
  return storage.writer.commit(branch, context, async (snapshot) => {
    const marked = await readMarked(snapshot);
    const moved = await inSlices(planMoves(marked, named));
    const { moves, writes, staleMarkers, lost: changes } = moved;
    const result: MoveCounts = {
      moved: moves.length,
      translationsMoved: moved.translations,
      translationsDeleted: changes.length,
    };
    if (moves.length === 0) return { result, moves };
    const record = await inSlices(recordOf(moves, marked.content, writes));
    const metadata = { ...moveMetadata(result), moves: record };
    return { result, change: { metadata, writes, staleMarkers }, changes, moves };
  });
}

function moveMetadata({ moved, translationsMoved, translationsDeleted }: MoveCounts): ChangeMetadata {
  const lost = translationsDeleted > 0 ? `, ${counted(translationsDeleted, "translation")} deleted` : "";
  return {
    subject: `Move ${counted(moved, "source string")} with ${counted(translationsMoved, "translation")}${lost}`,
    operation: "move",
    counts: {
      Moved: moved,
      "Translations-Moved": translationsMoved,
      "Translations-Deleted": translationsDeleted,
    },
  };
}
