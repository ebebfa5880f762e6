/** Changes of a Hive's name, limits and plural forms. */
import {
  toHiveName,
  withChange,
  type HiveSettings,
  type SettingsChange,
} from "../../domain/hives/hive-settings.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { excerpt } from "../../domain/text.ts";
import type { Storage } from "../storage.ts";
import { commitUnderTeamLock, type CommitResult, type WriteContext } from "../write-context.ts";

/** A Hive after a change. */
export interface ChangedHive {
  readonly settings: HiveSettings;
  readonly strings: number;
}

/**
 * Changes the settings of a Hive, but its locales.
 * @throws SkepError `invalid` on `name`; `not-found` when no team has the Hive.
 */
export function updateHive(
  storage: Storage,
  slug: HiveSlug,
  { name: text, maxDeletions, plurals, push, checks }: SettingsChange,
  context: WriteContext,
): Promise<CommitResult<ChangedHive>> {
  const name = text === undefined ? undefined : toHiveName(text);
  const changed = [
    ...(name === undefined ? [] : [`name ${excerpt(name)}`]),
    ...(maxDeletions === undefined ? [] : [`max_deletions ${maxDeletions}`]),
    ...(plurals === undefined ? [] : [`plurals ${plurals}`]),
    ...(push === undefined ? [] : [`push ${push}`]),
    ...(checks?.level === undefined ? [] : [`checks ${checks.level}`]),
    ...(checks?.syntax === undefined ? [] : ["syntax of messages"]),
  ];
  const metadata = { subject: `Change the Hive's settings: ${changed.join(", ")}`, operation: "update-hive" };
  return commitUnderTeamLock(storage, slug, context, "first", ({ settings: before, index }) => {
    const settings = withChange(before, { name, maxDeletions, plurals, push, checks });
    return { result: { settings, strings: index.stringCount }, change: { metadata, settings } };
  });
}
