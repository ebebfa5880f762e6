/** Changes of a Hive's settings and source files that are not imports: under which locks they are made. */
import type { CommitNote } from "../domain/commit-message.ts";
import { toDisplayName } from "../domain/hive-settings.ts";
import type { HiveSlug } from "../domain/names.ts";
import { excerpt } from "../domain/text.ts";
import type { Changed, Planned } from "../store/hive-store.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { ownerOf, requireOwner } from "./hives.ts";
import type { Requester } from "./requester.ts";
import type { Storage } from "./storage.ts";

/**
 * Changes a Hive by one commit, under its team's lock and then its own.
 * @throws SkepError `not-found` when no team has the Hive; what the plan throws.
 */
export async function changeHive<T>(
  storage: Storage,
  slug: HiveSlug,
  by: Requester,
  plan: (snapshot: Snapshot) => Planned<T> | Promise<Planned<T>>,
): Promise<Changed<T>> {
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
    ),
  );
}

/**
 * Changes what people call a Hive.
 * @throws SkepError `invalid` on `name`; `not-found` when no team has the Hive.
 */
export function renameHive(
  storage: Storage,
  slug: HiveSlug,
  text: string,
  by: Requester,
): Promise<Changed<void>> {
  const name = toDisplayName(text);
  const note: CommitNote = { subject: `Rename the Hive to ${excerpt(name)}`, operation: "rename-hive" };
  return changeHive(storage, slug, by, ({ settings }) => ({
    result: undefined,
    change: { note, origin: by, settings: { ...settings, name } },
  }));
}
