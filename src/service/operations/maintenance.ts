/** Packing Hives: by itself after many commits, or when somebody asks for it. */
import { failure } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Packing } from "../../git/packs/packer.ts";
import type { Background } from "../background.ts";
import { ownerOf } from "../owners.ts";
import type { Storage } from "../storage.ts";

export interface BackgroundOptions {
  /** How many loose objects a Hive may have; 0 never packs. */
  readonly packAfter: number;
  /** Is told once when there is no git to pack with. */
  readonly withoutGit: () => void;
  /** Is told when packing a Hive failed; it is tried again later. */
  readonly failed: (hive: HiveSlug, error: unknown) => void;
  /** Is told of every packing that was begun. */
  readonly packed?: ((kind: Packing["kind"], ms: number) => void) | undefined;
}

export type { Packing };

/** A commit is looked after this much later, and with it all others until then. */
const settleMs = 1_000;
/** A Hive rests this many times as long as its packing took: what packing costs stays a fifth of one core at most. */
const restFactor = 4;
const restAfterFailureMs = 10 * 60_000;

/** Packs Hives that have grown, one at a time, beside everything else. */
class BackgroundPacker {
  readonly #storage: Storage;
  readonly #options: BackgroundOptions;
  readonly #ending = new AbortController();
  readonly #timers = new Map<HiveSlug, NodeJS.Timeout>();
  readonly #restUntil = new Map<HiveSlug, number>();
  readonly #due = new Set<HiveSlug>();
  #working: Promise<void> | undefined;

  constructor(storage: Storage, options: BackgroundOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#storage.onCommit((slug) => this.#schedule(slug));
    if (!(await this.#storage.packer.isPossible())) this.#giveUp();
  }

  /** Ends a packing under way. */
  async stop(): Promise<void> {
    this.#ending.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#due.clear();
    await this.#working;
  }

  #giveUp(): void {
    if (this.#ending.signal.aborted) return;
    void this.stop();
    this.#options.withoutGit();
  }

  #schedule(slug: HiveSlug): void {
    if (this.#ending.signal.aborted || this.#timers.has(slug)) return;
    const rest = (this.#restUntil.get(slug) ?? 0) - Date.now();
    this.#restUntil.delete(slug);
    const look = (): void => {
      this.#timers.delete(slug);
      this.#due.add(slug);
      this.#working ??= this.#work().finally(() => (this.#working = undefined));
    };
    this.#timers.set(slug, setTimeout(look, Math.max(rest, settleMs)).unref());
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    for (const slug of this.#due) {
      this.#due.delete(slug);
      const start = performance.now();
      try {
        const failedBecause = await this.#packIfGrown(slug);
        if (failedBecause === undefined) this.#rest(slug, (performance.now() - start) * restFactor);
        else this.#fail(slug, failedBecause);
      } catch (error) {
        this.#fail(slug, error);
      }
    }
  }

  /** @returns why it failed, if it did. */
  async #packIfGrown(slug: HiveSlug): Promise<string | undefined> {
    const { packer } = this.#storage;
    if ((await packer.estimateLoose(slug)) <= this.#options.packAfter) return undefined;
    const start = performance.now();
    const packing = await packer.pack(slug, this.#ending.signal);
    this.#options.packed?.(packing.kind, performance.now() - start);
    if (packing.kind === "no-git") this.#giveUp();
    return packing.kind === "failed" ? packing.reason : undefined;
  }

  #fail(slug: HiveSlug, error: unknown): void {
    this.#rest(slug, restAfterFailureMs);
    this.#options.failed(slug, error);
  }

  #rest(slug: HiveSlug, ms: number): void {
    this.#restUntil.set(slug, Date.now() + ms);
  }
}

/** Packs each Hive in the background when commits of this process have left it with too many loose objects. */
export function packInBackground(storage: Storage, options: BackgroundOptions): Background {
  if (options.packAfter === 0) return { stop: () => Promise.resolve() };
  const packer = new BackgroundPacker(storage, options);
  void packer.start();
  return packer;
}

/** What became of one Hive. */
export interface Maintained {
  readonly hive: HiveSlug;
  readonly packing: Packing;
}

/**
 * Packs one Hive, or all, while they may be in use.
 * @throws SkepError `not-found` when no team has the Hive, or there is no git on the machine.
 */
export async function* maintain(storage: Storage, slug: HiveSlug | undefined): AsyncGenerator<Maintained> {
  const { packer, registry } = storage;
  if (slug !== undefined) await ownerOf(storage, slug);
  if (!(await packer.isPossible()))
    throw failure("not-found", "Packing needs git, and git is not installed.");
  const { teams } = await registry.readable();
  for (const hive of slug === undefined ? teams.flatMap((team) => team.hives) : [slug]) {
    yield { hive, packing: await packer.pack(hive) };
  }
}
