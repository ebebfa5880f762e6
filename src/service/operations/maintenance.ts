/** Packs Hives by a command. */
import { failure } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Packing } from "../../git/packs/packer.ts";
import { ownerOf } from "../owners.ts";
import type { Storage } from "../storage.ts";

/** The result of packing one Hive. */
export interface Maintained {
  readonly hive: HiveSlug;
  readonly packing: Packing;
}

/**
 * Packs one Hive or all Hives, which may be in use, and removes expired deleted branches.
 * @throws SkepError `not-found` when no team has the Hive, or git is not installed.
 */
export async function* maintain(storage: Storage, slug: HiveSlug | undefined): AsyncGenerator<Maintained> {
  const { packer, registry, lifecycle } = storage;
  if (slug !== undefined) await ownerOf(storage, slug);
  if (!(await packer.isPossible()))
    throw failure("not-found", "Packing needs git, and git is not installed.");
  const { teams } = await registry.readable();
  for (const hive of slug === undefined ? teams.flatMap((team) => team.hives) : [slug]) {
    await lifecycle.purgeBranches(hive);
    yield { hive, packing: await packer.pack(hive) };
  }
}
