/** Changes of a Hive's name, limits and plural forms. */
import {
  toHiveName,
  withMaxDeletions,
  withPlurals,
  type HiveSettings,
  type PluralMode,
} from "../../domain/hives/hive-settings.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { excerpt } from "../../domain/text.ts";
import type { Storage } from "../storage.ts";
import { commitUnderTeamLock, type CommitResult, type WriteContext } from "../write-context.ts";

/** The settings to change; missing ones stay. */
export interface HiveUpdate {
  readonly name?: string | undefined;
  /** The Hive's default for how many source strings a request may delete. */
  readonly maxDeletions?: number | "none" | undefined;
  readonly plurals?: PluralMode | undefined;
}

/** A Hive after a change. */
export interface ChangedHive {
  readonly settings: HiveSettings;
  readonly strings: number;
}

/**
 * Changes the name or the deletion limit of a Hive.
 * @throws SkepError `invalid` on `name`; `not-found` when no team has the Hive.
 */
export function updateHive(
  storage: Storage,
  slug: HiveSlug,
  { name: text, maxDeletions: max, plurals }: HiveUpdate,
  context: WriteContext,
): Promise<CommitResult<ChangedHive>> {
  const name = text === undefined ? undefined : toHiveName(text);
  const renaming = name === undefined ? [] : [`name ${excerpt(name)}`];
  const limiting = max === undefined ? [] : [`max_deletions ${max}`];
  const forming = plurals === undefined ? [] : [`plurals ${plurals}`];
  const subject = `Change the Hive's settings: ${[...renaming, ...limiting, ...forming].join(", ")}`;
  const metadata = { subject, operation: "update-hive" };
  return commitUnderTeamLock(storage, slug, context, "first", () => ({ settings: before, index }) => {
    const limited = max === undefined ? before : withMaxDeletions(before, max === "none" ? undefined : max);
    const formed = plurals === undefined ? limited : withPlurals(limited, plurals);
    const settings = { ...formed, name: name ?? before.name };
    return { result: { settings, strings: index.stringCount }, change: { metadata, settings } };
  });
}
