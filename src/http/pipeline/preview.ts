/** The members that a dry run adds to a response: the changes that it planned. */
import type { PlannedChange } from "../../api/content/preview.ts";
import type { Encodable } from "../../domain/json-codec.ts";
import { shownCodes } from "../../domain/hives/hive-settings.ts";
import type { CommitResult, Preview } from "../../service/access.ts";

/** How many changes are listed; all are counted. */
const maxListed = 1_000;

/**
 * The members that a dry run adds to a response, and findings of checks.
 * @param canRead whether the caller may read; changes contain stored texts, so other callers do not get them.
 * @param warnings see {@link ignoredMembers}.
 */
export function previewOf(
  { commit, preview, findings }: Partial<CommitResult<unknown>>,
  canRead: boolean,
  warnings: readonly string[],
): object {
  return {
    ...(findings && { findings: findings.listed, findingsTotal: findings.total }),
    ...(preview && {
      commit,
      changes: canRead ? listChanges(preview) : undefined,
      changesTotal: preview.changes.length,
      warnings: warnings.length > 0 ? warnings : undefined,
      moves: canRead ? preview.moves?.slice(0, maxListed) : undefined,
      unknownKeys: canRead ? preview.rejectedKeys?.unknown : undefined,
    }),
  };
}

function listChanges({ changes, rejectedKeys, settings }: Preview): readonly Encodable<PlannedChange>[] {
  const shown = shownCodes(settings);
  const listed: Encodable<PlannedChange>[] = changes
    .slice(0, maxListed)
    .map((change) => Object.assign({}, change, { locale: shown(change.locale) }));
  if (rejectedKeys === undefined) return listed;
  const locale = shown(rejectedKeys.locale);
  for (const { file, key } of rejectedKeys.unknown) {
    listed.push({ change: "unknown", locale, file, key });
  }
  for (const { file, key, text: stays } of rejectedKeys.skipped) {
    listed.push({ change: "skipped", locale, file, key, before: stays, after: stays });
  }
  return listed.slice(0, maxListed);
}
