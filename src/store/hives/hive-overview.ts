/** Overviews of Hives, read without their translations: for quotas and lists over many Hives. */
import { isFailure } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import type { CommitInfo } from "../../git/objects/git-object.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import type { HiveCache, HiveOverview } from "../content/hive-cache.ts";
import { Snapshot } from "../content/snapshot.ts";

/** The overview of a Hive at one commit. */
interface OverviewAtCommit extends HiveOverview {
  readonly commit: Oid;
}

/** The overview of a Hive at HEAD or, failing that, at its last readable commit. */
export interface OverviewAtHead {
  /** Undefined when HEAD cannot be read, or there is no repository. */
  readonly head: Oid | undefined;
  /** Undefined when there is no readable commit. */
  readonly overview: OverviewAtCommit | undefined;
}

interface KnownOverview {
  /** The commit of HEAD that it was read for. */
  readonly oid: Oid;
  readonly overview: Promise<OverviewAtCommit | undefined>;
}

/** Bounds the reads at once, as a team may have very many Hives. */
const readings = new Semaphore(8);
/** How many commits are tried to find a readable one. */
const maxReadableAge = 100;

/** Reads the overview of one Hive once for each HEAD. It is small, so it stays in memory, and is cached on disk. */
export class OverviewReader {
  readonly #repo: BareRepo;
  readonly #cache: HiveCache;
  readonly #last: () => Snapshot | undefined;
  #known: KnownOverview | undefined;

  /** @param last gives the snapshot that is in memory, if there is one. */
  constructor(repo: BareRepo, cache: HiveCache, last: () => Snapshot | undefined) {
    this.#repo = repo;
    this.#cache = cache;
    this.#last = last;
  }

  /** The overview at the current HEAD. A Hive with invalid content must not affect the team's other Hives. */
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

  /** Whether an overview is in memory, perhaps of an earlier HEAD. */
  get isKnown(): boolean {
    return this.#known !== undefined;
  }

  /** Caches the overview of the snapshot at HEAD on disk, in the background. */
  keep(snapshot: Snapshot): void {
    void this.#cache.keepOverview(snapshot.commit.oid, toOverview(snapshot));
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

  /** The overview at a commit, or at the nearest readable commit before it. */
  async #readAt(oid: Oid): Promise<OverviewAtCommit | undefined> {
    const last = this.#last();
    if (last?.commit.oid === oid) {
      this.keep(last);
      return atCommit(last);
    }
    const cached = await this.#cache.overview(oid);
    if (cached !== undefined) return { commit: oid, ...cached };
    let next: Oid | undefined = oid;
    for (let age = 0; next !== undefined && age < maxReadableAge; age++) {
      try {
        const commit: CommitInfo = await this.#repo.readCommit(next);
        [next] = commit.parents;
        const snapshot = await Snapshot.read(this.#repo, commit, { previous: last, lazy: true });
        this.#repo.releasePacks();
        const overview = toOverview(snapshot);
        if (commit.oid === oid) await this.#cache.keepOverview(oid, overview);
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
