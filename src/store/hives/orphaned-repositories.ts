/** Orphaned repositories, which no team lists: left by an interrupted creation, deletion or restoration. */
import type { HiveSlug } from "../../domain/names.ts";
import type { HiveStore } from "./hive-store.ts";
import type { Registry } from "../settings/registry.ts";

export interface OrphanOptions {
  readonly registry: Registry;
  readonly hives: HiveStore;
}

/** Whether a Hive is in a team's list; undefined when it may be in a list that cannot be read. */
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
 * @returns its new path; undefined when it was not moved, or does not exist.
 */
export function setAsideOrphan(options: OrphanOptions, slug: HiveSlug): Promise<string | undefined> {
  // A process that creates or restores a Hive holds its lock until the Hive is listed.
  return options.hives.lock(slug, async () =>
    (await isListed(options, slug)) === false ? options.hives.setAside(slug) : undefined,
  );
}

/** Finishes interrupted deletions and reverts interrupted restorations. */
export async function finishInterruptedDeletions(options: OrphanOptions): Promise<void> {
  for (const slug of await options.hives.deletedSlugs()) {
    if ((await isListed(options, slug)) === false) await setAsideOrphan(options, slug);
  }
}
