/**
 * Orphaned repositories: those among the Hives that no team lists, left by an interrupted creation, deletion or
 * restoration.
 */
import type { HiveSlug } from "../../domain/names.ts";
import type { HiveStore } from "./hive-store.ts";
import type { Registry } from "../settings/registry.ts";

export interface OrphanOptions {
  readonly registry: Registry;
  readonly hives: HiveStore;
}

/** Whether a Hive is in a team's list; undefined when a list that cannot be read may have it. */
async function isListed(
  { registry }: Pick<OrphanOptions, "registry">,
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
export function setAsideOrphan(options: OrphanOptions, slug: HiveSlug): Promise<string | undefined> {
  // Whoever makes or restores a Hive holds its lock until it is listed.
  return options.hives.lock(slug, async () =>
    (await isListed(options, slug)) === false ? options.hives.setAside(slug) : undefined,
  );
}

/** Finishes the deletions, and reverts the restorations, that were interrupted. */
export async function finishInterruptedDeletions(options: OrphanOptions): Promise<void> {
  for (const slug of await options.hives.deletedSlugs()) {
    if ((await isListed(options, slug)) === false) await setAsideOrphan(options, slug);
  }
}
