/**
 * The items of a stream of events: of one branch of a Hive, or of main of all Hives that the listener's token reaches.
 * They follow from the history and from the listener's position, so nothing is queued: a slow reader gets them later, and
 * a client that reconnects with a position gets what came after it.
 */
import { setImmediate } from "node:timers/promises";
import { branchNameOf, mainBranch, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { reachedOf, type Rights } from "../../domain/access/token.ts";
import { isFailure } from "../../domain/errors.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import { reauthoriseHive, reauthoriseTeam, type HiveGrant, type TeamGrant } from "../access.ts";
import { readableHead, readableHeads, recordedHeads } from "../heads.ts";
import type { Storage } from "../storage.ts";
import type { CommitEvent, CommitEvents } from "./commit-events.ts";
import { formatPositions } from "./positions.ts";
import type { Waker } from "./waker.ts";

/** One item of a stream. `id` is the position of a listener that has received it. */
export type StreamItem =
  /** Where the stream begins. */
  | { readonly kind: "begin"; readonly id: string }
  | { readonly kind: "commit"; readonly id: string; readonly event: CommitEvent }
  /**
   * `reset`: the listener's last commit is not in the history of the branch any more, or one after it cannot be read.
   * `added`: the Hive has come within reach. Both go on from the commit, and the stream leaves out those before it.
   */
  | {
      readonly kind: "reset" | "added";
      readonly id: string;
      readonly hive: HiveSlug;
      readonly branch: string;
      readonly commit: Oid;
    }
  /** The Hive or the branch was deleted, or is out of reach. The stream of one Hive ends with it. */
  | {
      readonly kind: "removed";
      readonly id?: string;
      readonly hive: HiveSlug;
      readonly branch: string;
    }
  /** Nothing has happened for a while. */
  | { readonly kind: "quiet" };

export interface Listener {
  readonly storage: Storage;
  readonly events: CommitEvents;
  /** Woken when the stream is to end, too. */
  readonly waker: Waker;
  readonly isOver: () => boolean;
  /** After how many milliseconds without an event an item of the kind `quiet` is sent. */
  readonly quietMs: number;
}

/**
 * Streams the commits of one branch of a Hive. Ids are commits.
 * @param since the listener's position.
 * @throws SkepError `content-invalid` when the Hive cannot be read.
 */
export async function* listenToHive(
  listener: Listener,
  hive: HiveGrant,
  branch: HiveBranch,
  since: Oid,
): AsyncGenerator<StreamItem> {
  const { storage, events, isOver } = listener;
  const { changes } = storage;
  const named = { hive: slugOf(branch), branch: branchNameOf(branch) };
  const stops = [
    changes.watchRefs(named.hive, listener.waker.wake),
    changes.watchSettings(listener.waker.wake),
  ];
  const permission = new Permission(storage, async () => ({
    value: undefined,
    rights: await reauthoriseHive(storage, hive),
  }));
  let at = since;
  /** Gives what is new now. */
  async function* catchUp(): AsyncGenerator<StreamItem> {
    // So that what was checked once for all in this tick was checked after the waker was woken.
    await setImmediate();
    await permission.recent();
    const head = storage.hives.at(branch).head("recent");
    if (head === at) return;
    for await (const event of events.after(branch, at, head)) {
      await permission.recent();
      if (isOver()) return;
      at = event?.entry.commit ?? head;
      yield event ? { kind: "commit", id: at, event } : { kind: "reset", id: at, ...named, commit: at };
    }
  }
  try {
    yield { kind: "begin", id: at };
    while (!isOver()) {
      yield* catchUp();
      yield* waitForChange(listener, permission);
    }
  } catch (error) {
    if (isFailure(error, "unauthenticated")) return;
    if (!isFailure(error, "forbidden") && !isFailure(error, "not-found")) throw error;
    yield { kind: "removed", ...named };
  } finally {
    for (const stop of stops) stop();
  }
}

/** Sleeps until something may have happened since the last time, but not beyond the end of the token. */
async function* waitForChange(
  { waker, quietMs, isOver }: Listener,
  { left }: Permission<unknown>,
): AsyncGenerator<StreamItem> {
  if (isOver() || (await waker.sleep(Math.max(0, Math.min(quietMs, left))))) return;
  yield { kind: "quiet" };
}

export interface TeamListenOptions {
  /** The positions of the listener by Hive, as the beginnings of commits; HEAD of all if undefined. */
  readonly since: ReadonlyMap<HiveSlug, string> | undefined;
  /** Whether the client asks for a Hive; it must be within reach, too. */
  readonly isRequested: (slug: HiveSlug) => boolean;
}

/**
 * Streams the commits of main of all Hives within reach of a caller, and which Hives come within reach or leave it. Ids
 * name the position in each Hive; see {@link formatPositions}. A Hive that cannot be read is as one out of reach.
 */
export async function* listenToTeam(
  listener: Listener,
  grant: TeamGrant,
  { since, isRequested }: TeamListenOptions,
): AsyncGenerator<StreamItem> {
  const { storage, waker, isOver } = listener;
  const main = new MainPositions(listener);
  const stopSettings = storage.changes.watchSettings(waker.wake);
  const permission = new Permission(storage, async () => {
    const { principal: rights, team } = await reauthoriseTeam(storage, grant);
    return { rights, value: new Set(reachedOf(rights, team.hives).filter(isRequested)) };
  });
  const isOutOfReach = async (slug: HiveSlug): Promise<boolean> =>
    !(await permission.recent()).has(slug) || isOver();
  try {
    for (let isFirst = true; !isOver(); isFirst = false) {
      // As above; the first time nothing is known that could be old.
      if (!isFirst) await setImmediate();
      const slugs = await permission.recent();
      if (isFirst) yield await main.begin([...slugs], since);
      yield* main.updateReach(slugs);
      if (yield* main.catchUp(isOutOfReach)) yield* waitForChange(listener, permission);
    }
  } catch (error) {
    if (!isFailure(error, "unauthenticated") && !isFailure(error, "forbidden")) throw error;
  } finally {
    stopSettings();
    main.end();
  }
}

class MainPositions {
  readonly #listener: Listener;
  /** Commits, in full or by their beginnings. */
  readonly #positions = new Map<HiveSlug, string>();
  readonly #watches = new Map<HiveSlug, () => void>();
  readonly #moved = new Set<HiveSlug>();

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** @param since may name Hives that are out of reach by now. */
  async begin(
    slugs: readonly HiveSlug[],
    since: ReadonlyMap<HiveSlug, string> | undefined,
  ): Promise<StreamItem> {
    for (const [slug, commit] of since ?? (await recordedHeads(this.#listener.storage, slugs)))
      this.#positions.set(slug, commit);
    return { kind: "begin", id: this.#id };
  }

  end(): void {
    for (const stop of this.#watches.values()) stop();
  }

  /** Gives the Hives that have left the reach, and those that have come. */
  *updateReach(within: ReadonlySet<HiveSlug>): Generator<StreamItem> {
    for (const slug of this.#positions.keys()) {
      if (within.has(slug)) continue;
      this.#positions.delete(slug);
      this.#watches.get(slug)?.();
      this.#watches.delete(slug);
      this.#moved.delete(slug);
      yield { kind: "removed", id: this.#id, hive: slug, branch: mainBranch };
    }
    for (const slug of within) if (!this.#watches.has(slug)) this.#watch(slug);
    const added = [...within].filter((slug) => !this.#positions.has(slug));
    for (const [slug, commit] of readableHeads(this.#listener.storage, added)) {
      this.#positions.set(slug, commit);
      yield { kind: "added", id: this.#id, hive: slug, branch: mainBranch, commit };
    }
  }

  /**
   * Gives the new commits.
   * @param isOutOfReach whether the listener's token does not reach a Hive any more.
   * @returns false when that was so, and the reach is to be read again.
   */
  async *catchUp(isOutOfReach: (slug: HiveSlug) => Promise<boolean>): AsyncGenerator<StreamItem, boolean> {
    const { storage, events } = this.#listener;
    for (const slug of this.#moved) {
      this.#moved.delete(slug);
      // Of a Hive that is new here, the move may have been before it was watched.
      await setImmediate();
      const at = this.#positions.get(slug);
      const head = readableHead(storage, slug, "recent");
      if (at === undefined || head === undefined || head === at) continue;
      for await (const event of events.after(slug, at, head)) {
        if (await isOutOfReach(slug)) {
          this.#moved.add(slug);
          return false;
        }
        const commit = event?.entry.commit ?? head;
        this.#positions.set(slug, commit);
        if (event !== undefined) yield { kind: "commit", id: this.#id, event };
        else yield { kind: "reset", id: this.#id, hive: slug, branch: mainBranch, commit };
      }
    }
    return true;
  }

  get #id(): string {
    return formatPositions(this.#positions);
  }

  /** From before HEAD is read: a move after that is not missed. */
  #watch(slug: HiveSlug): void {
    const { storage, waker } = this.#listener;
    const moved = (): void => {
      this.#moved.add(slug);
      waker.wake();
    };
    this.#watches.set(slug, storage.changes.watchRefs(slug, moved));
    this.#moved.add(slug);
  }
}

interface Permitted<T> {
  readonly value: T;
  readonly rights: Rights;
}

class Permission<T> {
  readonly #storage: Pick<Storage, "registry" | "now">;
  readonly #authorise: () => Promise<Permitted<T>>;
  #known: { readonly version: string; readonly expires: number; readonly value: T } | undefined;

  /** @param authorise authorises the listener by the settings as they are now. */
  constructor(storage: Pick<Storage, "registry" | "now">, authorise: () => Promise<Permitted<T>>) {
    this.#storage = storage;
    this.#authorise = authorise;
  }

  /**
   * What the listener may see. Settings are checked once per tick of the event loop, for all listeners.
   * @throws what authorising throws.
   */
  async recent(): Promise<T> {
    const version = this.#storage.registry.version.recent();
    if (this.#known !== undefined && this.#known.version === version && this.left > 0)
      return this.#known.value;
    this.#known = undefined;
    const { value, rights } = await this.#authorise();
    const { expires } = rights;
    // Of settings that are being changed nothing is kept.
    this.#known = {
      version: version ?? "",
      expires: expires === undefined ? Infinity : Date.parse(expires),
      value,
    };
    return value;
  }

  /** How many milliseconds are left of the rights, as of the last read. */
  get left(): number {
    return (this.#known?.expires ?? 0) - this.#storage.now();
  }
}
