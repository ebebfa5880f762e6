/** Repositories among the Hives that no team lists: left by a creation, deletion or restoration that was cut off. */
import type { HiveSlug } from "../../domain/names.ts";
import type { HiveStore } from "./hive-store.ts";
import type { Registry } from "../settings/registry.ts";

export interface UnlistedOptions {
  readonly registry: Registry;
  readonly hives: HiveStore;
}

/** Whether a Hive is in a team's list; undefined when a list that cannot be read may have it. */
async function isListed(
  { registry }: Pick<UnlistedOptions, "registry">,
  slug: HiveSlug,
): Promise<boolean | undefined> {
  const { teams, problems } = await registry.readable();
  if (teams.some(({ hives }) => hives.includes(slug))) return true;
  return problems.length === 0 ? false : undefined;
}

/**
 * Moves a repository to the trash if no team lists it.
 * @returns where it is then; undefined when it stays where it is, or is not there.
 */
export function setAsideUnlisted(options: UnlistedOptions, slug: HiveSlug): Promise<string | undefined> {
  // Whoever makes or restores a Hive holds its lock until it is listed.
  return options.hives.lock(slug, async () =>
    (await isListed(options, slug)) === false ? options.hives.setAside(slug) : undefined,
  );
}

/** Ends the deletions, and takes back the restorations, that were cut off. */
export async function endDeletions(options: UnlistedOptions): Promise<void> {
  for (const slug of await options.hives.deletedSlugs()) {
    if ((await isListed(options, slug)) === false) await setAsideUnlisted(options, slug);
  }
}
