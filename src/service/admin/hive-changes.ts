/** Changes of a Hive's settings and source files that are not imports: under which locks they are made. */
import type { CommitNote } from "../../domain/commits/commit-message.ts";
import { toHiveName, withMaxDeletions, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { excerpt } from "../../domain/text.ts";
import type { CommitResult, WritePlan } from "../../store/hives/write-plan.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { ownerOf, requireOwner } from "../owners.ts";
import type { Requester } from "../requester.ts";
import type { Storage } from "../storage.ts";

/**
 * Changes a Hive by one commit, under its team's lock and then its own.
 * @throws SkepError `not-found` when no team has the Hive; what the plan throws.
 */
export async function changeHive<T>(
  storage: Storage,
  slug: HiveSlug,
  by: Requester,
  plan: (snapshot: Snapshot) => WritePlan<T> | Promise<WritePlan<T>>,
): Promise<CommitResult<T>> {
  const team = by.caller?.team ?? (await ownerOf(storage, slug)).name;
  const confirm = by.caller?.confirm ?? (() => requireOwner(storage, team, slug));
  return storage.lockTeam(team, (teamLock) =>
    storage.hives.change(
      slug,
      async (snapshot) => {
        await confirm();
        return plan(snapshot);
      },
      [teamLock],
      "first",
    ),
  );
}

/** What is to be another; what is not given stays. */
export interface HiveUpdate {
  readonly name?: string | undefined;
  /** How many source strings a request may delete if it does not say. */
  readonly maxDeletions?: number | "none" | undefined;
}

/** A Hive as a change leaves it. */
export interface ChangedHive {
  readonly settings: HiveSettings;
  readonly strings: number;
}

/**
 * Changes what people call a Hive, and what it allows.
 * @throws SkepError `invalid` on `name`; `not-found` when no team has the Hive.
 */
export function updateHive(
  storage: Storage,
  slug: HiveSlug,
  { name: text, maxDeletions: max }: HiveUpdate,
  by: Requester,
): Promise<CommitResult<ChangedHive>> {
  const name = text === undefined ? undefined : toHiveName(text);
  const renaming = name === undefined ? [] : [`name ${excerpt(name)}`];
  const limiting = max === undefined ? [] : [`max_deletions ${max}`];
  const subject = `Change the Hive's settings: ${[...renaming, ...limiting].join(", ")}`;
  const note: CommitNote = { subject, operation: "update-hive" };
  return changeHive(storage, slug, by, ({ settings: before, index }) => {
    const limited = max === undefined ? before : withMaxDeletions(before, max === "none" ? undefined : max);
    const settings = { ...limited, name: name ?? before.name };
    return { result: { settings, strings: index.stringCount }, change: { note, origin: by, settings } };
  });
}
