/** The objects of a push, in quarantine until it is accepted. */
import type { Oid } from "../../domain/names.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import {
  adoptObjects,
  inQuarantine,
  quarantinePath,
  type QuarantineOptions,
} from "../../git/packs/quarantine.ts";
import { checkPushedCommits, type PushCheck, type PushedCommits } from "./pushed-commits.ts";

/** Pushed objects in quarantine. */
export interface PushedObjects {
  /** Reads them, and the objects of the Hive. */
  readonly repo: BareRepo;
  /** See {@link checkPushedCommits}. */
  readonly check: (check: Pick<PushCheck, "tip" | "scope" | "sourceLocale">) => Promise<PushedCommits>;
  /** See {@link adoptObjects}. */
  readonly adopt: (oids: readonly Oid[]) => Promise<void>;
}

/**
 * Puts a pushed pack into quarantine while a function runs. The caller holds the Hive's lock for pushes, which is not that
 * for commits: this is taken inside it, if at all.
 * @param into.repo writes the objects that are adopted.
 * @throws what {@link inQuarantine} throws.
 */
export function receivePush<T>(
  { repo: target, ...into }: QuarantineOptions & { readonly repo: BareRepo },
  pack: Uint8Array,
  signal: AbortSignal,
  run: (pushed: PushedObjects) => Promise<T>,
): Promise<T> {
  const { fs, gitdir } = into;
  return inQuarantine(into, pack, signal, (unpacked) => {
    const { sent, bases, reader, newCommits } = unpacked;
    const repo = new BareRepo(fs, quarantinePath(gitdir), reader);
    return run({
      repo,
      check: (check) => checkPushedCommits({ ...check, gitdir, repo, sent, bases, newCommits, signal }),
      adopt: (oids) => adoptObjects(unpacked, oids, (objects) => target.writeObjects(objects)),
    });
  });
}
