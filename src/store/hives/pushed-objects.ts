/** The objects of a push, in quarantine until it is accepted. */
import type { Oid } from "../../domain/names.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import {
  migrateObjects,
  inQuarantine,
  quarantinePath,
  type PushedPack,
  type QuarantineOptions,
  type Unpacked,
} from "../../git/packs/quarantine.ts";
import { checkPushedCommits, type PushCheck, type PushedCommits } from "./pushed-commits.ts";

/** Pushed objects in quarantine. */
export interface PushedObjects {
  /** Reads them, and the objects of the Hive. */
  readonly repo: BareRepo;
  /** See {@link checkPushedCommits}. */
  readonly check: (check: Omit<PushCheck, "repo" | "signal" | keyof Unpacked>) => Promise<PushedCommits>;
  /** See {@link migrateObjects}. */
  readonly migrate: (oids: readonly Oid[]) => Promise<void>;
}

/**
 * Puts a pushed pack into quarantine while a function runs. The caller holds the Hive's lock for pushes; the lock for
 * commits is another one, and may only be taken inside it.
 * @param into.repo receives the objects that are migrated out of quarantine.
 * @throws what {@link inQuarantine} throws.
 */
export function receivePush<T>(
  { repo: target, ...into }: QuarantineOptions & { readonly repo: BareRepo },
  pack: PushedPack,
  run: (pushed: PushedObjects) => Promise<T>,
): Promise<T> {
  return inQuarantine(into, pack, (unpacked) => {
    const repo = new BareRepo(into.fs, quarantinePath(into.gitdir), unpacked.reader);
    return run({
      repo,
      check: (check) => checkPushedCommits({ ...check, ...unpacked, repo, signal: pack.signal }),
      migrate: (oids) => migrateObjects(unpacked, oids, (objects) => target.writeObjects(objects)),
    });
  });
}
