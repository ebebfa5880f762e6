/** Looking over a storage, and mending what is safe to mend. */
import type { HiveSlug } from "../../domain/names.ts";
import type { Storage } from "../storage.ts";
import { ownerOf } from "../owners.ts";

/** One thing that was found. */
export interface Found {
  /** The Hive it is about; undefined for the storage as a whole. */
  readonly hive?: HiveSlug;
  readonly problem: string;
  /** What was done about it; undefined when nothing was. */
  readonly repaired?: string;
}

export interface VerifyOptions {
  /** Only this Hive; the settings and all Hives if undefined. */
  readonly slug?: HiveSlug | undefined;
  /** Whether to mend what can be mended without losing anything. */
  readonly repair: boolean;
}

/**
 * Checks a storage while it may be in use.
 * @throws SkepError `not-found` when no team has the Hive.
 */
export async function* verify(storage: Storage, { slug, repair }: VerifyOptions): AsyncGenerator<Found> {
  const { verifier, registry } = storage;
  if (slug === undefined) {
    for (const finding of [...(await verifier.checkOwnership()), ...(await verifier.checkSettings())]) {
      yield { problem: finding.problem, ...(await mend(finding.repair, repair)) };
    }
    for await (const { problem } of verifier.checkTrash()) yield { problem };
  } else await ownerOf(storage, slug);
  const { teams } = await registry.readable();
  const slugs = slug === undefined ? teams.flatMap((team) => team.hives) : [slug];
  for (const hive of slugs) {
    for await (const finding of verifier.checkHive(hive)) {
      yield { hive, problem: finding.problem, ...(await mend(finding.repair, repair)) };
    }
  }
}

/** What is wrong with the settings and with the Hives as they are at HEAD: no history, nothing of git's own. */
export async function* verifyHeads({ verifier, registry }: Storage): AsyncGenerator<Found> {
  for (const { problem } of await verifier.checkSettings()) yield { problem };
  const { teams } = await registry.readable();
  for (const hive of teams.flatMap((team) => team.hives)) {
    for (const { problem } of await verifier.checkContent(hive)) yield { hive, problem };
  }
}

async function mend(
  repair: (() => Promise<string>) | undefined,
  wanted: boolean,
): Promise<Pick<Found, "repaired">> {
  return repair === undefined || !wanted ? {} : { repaired: await repair() };
}
