/** Verifies a storage, and repairs faults where this loses nothing. */
import type { HiveSlug } from "../../domain/names.ts";
import type { Storage } from "../storage.ts";
import { ownerOf } from "../owners.ts";

/** A problem that was found. */
export interface Found {
  /** The Hive that has it; undefined for the storage as a whole. */
  readonly hive?: HiveSlug;
  readonly problem: string;
  /** How it was repaired, if it was. */
  readonly repaired?: string;
}

export interface VerifyOptions {
  /** The only Hive to check; by default the settings and all Hives are checked. */
  readonly slug?: HiveSlug;
  /** Whether to repair faults where this loses nothing. */
  readonly repair: boolean;
}

/**
 * Verifies a storage, which may be in use.
 * @throws SkepError `not-found` when no team has the Hive.
 */
export async function* verify(storage: Storage, { slug, repair }: VerifyOptions): AsyncGenerator<Found> {
  const { verifier, registry } = storage;
  if (slug === undefined) {
    for (const finding of [...(await verifier.checkOwnership()), ...(await verifier.checkSettings())]) {
      yield { problem: finding.problem, ...(await repairIf(finding.repair, repair)) };
    }
    for await (const { problem } of verifier.checkTrash()) yield { problem };
  } else await ownerOf(storage, slug);
  const { teams } = await registry.readable();
  const slugs = slug === undefined ? teams.flatMap((team) => team.hives) : [slug];
  for (const hive of slugs) {
    for await (const finding of verifier.checkHive(hive)) {
      yield { hive, problem: finding.problem, ...(await repairIf(finding.repair, repair)) };
    }
  }
}

/** Verifies the settings and the Hives at HEAD, without the history and without git's own checks. */
export async function* verifyHeads({ verifier, registry }: Storage): AsyncGenerator<Found> {
  for (const { problem } of await verifier.checkSettings()) yield { problem };
  const { teams } = await registry.readable();
  for (const hive of teams.flatMap((team) => team.hives)) {
    for (const { problem } of await verifier.checkContent(hive)) yield { hive, problem };
  }
}

async function repairIf(
  repair: (() => Promise<string>) | undefined,
  wanted: boolean,
): Promise<Pick<Found, "repaired">> {
  return repair === undefined || !wanted ? {} : { repaired: await repair() };
}
