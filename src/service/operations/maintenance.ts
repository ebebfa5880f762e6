/** Packs Hives by a command. */
import { failure, isFailure, messageOf } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Packing } from "../../git/packs/packer.ts";
import type { Compacted, Compaction } from "../../store/record/record.ts";
import type { OperationsStorage } from "../storage.ts";
import { compactionJob } from "./compaction-worker.ts";
import { stepOf, type OnStep } from "./verify.ts";

/** The result of packing one Hive, or of compacting it in a database. */
export interface Maintained {
  readonly hive: HiveSlug;
  readonly packing: Packing | ({ readonly kind: "compacted" } & Compacted);
}

/**
 * Packs one Hive or all Hives, which may be in use, and removes expired deleted branches. In a database, it compacts the
 * one, or all that have grown.
 * @throws SkepError `not-found` when no team has the Hive, or git is not installed.
 */
export async function* maintain(
  storage: OperationsStorage,
  slug: HiveSlug | undefined,
  onStep?: OnStep,
): AsyncGenerator<Maintained> {
  const { packer, record, registry, lifecycle } = storage;
  if (slug !== undefined) await storage.registry.teamOfHive(slug);
  if (!(await packer.isPossible()))
    throw failure("not-found", "Packing needs git, and git is not installed.");
  const { compaction } = record.repositories;
  if (compaction !== undefined) {
    const grown = slug === undefined ? await compaction.grown("all") : [slug];
    for (const [at, hive] of grown.entries()) {
      onStep?.(stepOf("Compacting", hive, at, grown.length));
      yield { hive, packing: await compactNow(storage, compaction, hive) };
    }
    return;
  }
  const { teams } = await registry.readable();
  const hives = slug === undefined ? teams.flatMap((team) => team.hives) : [slug];
  for (const [at, hive] of hives.entries()) {
    onStep?.(stepOf("Packing", hive, at, hives.length));
    await lifecycle.purgeBranches(hive);
    yield { hive, packing: await packer.pack(hive) };
  }
}

/** As one of the servers does; not while one of them does. */
async function compactNow(
  { record }: OperationsStorage,
  compaction: Compaction,
  hive: HiveSlug,
): Promise<Maintained["packing"]> {
  const { signal } = new AbortController();
  try {
    const compacted = await record.jobs.hold(compactionJob(hive), (lock) =>
      compaction.compact(hive, lock, signal),
    );
    return compacted === undefined ? { kind: "nothing-to-do" } : { kind: "compacted", ...compacted };
  } catch (error) {
    return isFailure(error, "busy") ? { kind: "busy" } : { kind: "failed", reason: messageOf(error) };
  }
}
