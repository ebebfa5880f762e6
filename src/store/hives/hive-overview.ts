/** What can be said of a Hive without reading its translations: for quotas and lists, which ask it of many Hives. */
import { isFailure } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { UnreadablePath, type BareRepo, type CommitInfo } from "../../git/bare-repo.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import type { HiveOverview, OverviewCache } from "../content/overview-cache.ts";
import { Snapshot } from "../content/snapshot.ts";

/** The overview of a Hive at one commit. */
interface OverviewAtCommit extends HiveOverview {
  readonly commit: Oid;
}

/** A Hive as it is at HEAD, or else was at its last readable commit. */
export interface OverviewAtHead {
  /** Undefined when it cannot be read, or there is no repository. */
  readonly head: Oid | undefined;
  /** Undefined when there is no readable commit. */
  readonly overview: OverviewAtCommit | undefined;
}

interface KnownOverview {
  /** Where HEAD was. */
  readonly oid: Oid;
  readonly overview: Promise<OverviewAtCommit | undefined>;
}

/** A team may have very many Hives. */
const readings = new Semaphore(8);
/** How many commits back a readable one is looked for. */
const maxReadableAge = 100;

/**
 * The overview of one Hive, read once for each HEAD. It is small: it stays when the Hive is forgotten, and is kept on
 * disk.
 */
export class OverviewReader {
  readonly #repo: BareRepo;
  readonly #kept: OverviewCache;
  readonly #last: () => Snapshot | undefined;
  #known: KnownOverview | undefined;

  /** @param last the snapshot that is in memory, if there is one. */
  constructor(repo: BareRepo, kept: OverviewCache, last: () => Snapshot | undefined) {
    this.#repo = repo;
    this.#kept = kept;
    this.#last = last;
  }

  /** The overview at HEAD as it is now. A Hive whose content is invalid must not stop the team's others. */
  async read(): Promise<OverviewAtHead> {
    const head = this.#readMain();
    if (head === undefined) {
      const last = this.#last();
      return {
        head,
        overview: last !== undefined && this.#repo.main.exists() ? atCommit(last) : undefined,
      };
    }
    const known = this.#known?.oid === head ? this.#known : this.#start(head);
    try {
      return { head, overview: await known.overview };
    } catch (error) {
      if (this.#known === known) this.#known = undefined;
      throw error;
    }
  }

  #start(oid: Oid): KnownOverview {
    return (this.#known = { oid, overview: readings.run(() => this.#readAt(oid)) });
  }

  #readMain(): Oid | undefined {
    try {
      return this.#repo.main.read();
    } catch (error) {
      if (isFailure(error, "content-invalid") || isFailure(error, "not-found")) return undefined;
      throw error;
    }
  }

  /** At a commit, or at the nearest one before it that can be read. */
  async #readAt(oid: Oid): Promise<OverviewAtCommit | undefined> {
    const last = this.#last();
    if (last?.commit.oid === oid) {
      const overview = toOverview(last);
      await this.#kept.writeSometimes(oid, overview);
      return { commit: oid, ...overview };
    }
    const kept = await this.#kept.read(oid);
    if (kept !== undefined) return { commit: oid, ...kept };
    let next: Oid | undefined = oid;
    for (let age = 0; next !== undefined && age < maxReadableAge; age++) {
      try {
        const commit: CommitInfo = await this.#repo.readCommit(next);
        [next] = commit.parents;
        const snapshot = await Snapshot.read(this.#repo, commit, { previous: last, lazy: true });
        this.#repo.releasePacks();
        const overview = toOverview(snapshot);
        if (commit.oid === oid) await this.#kept.write(oid, overview);
        return { commit: commit.oid, ...overview };
      } catch (error) {
        if (!(error instanceof UnreadablePath)) throw error;
      }
    }
    return last && atCommit(last);
  }
}

function atCommit(snapshot: Snapshot): OverviewAtCommit {
  return { commit: snapshot.commit.oid, ...toOverview(snapshot) };
}

function toOverview({ settings, index }: Snapshot): HiveOverview {
  return { settings, stringCount: index.stringCount, translatableCount: index.translatableCount };
}
