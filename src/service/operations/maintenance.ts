/** Packs Hives: in the background after many commits, or by a command. */
import { failure } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Packing } from "../../git/packs/packer.ts";
import type { Background } from "../background.ts";
import { ownerOf } from "../owners.ts";
import type { Storage } from "../storage.ts";

export interface BackgroundOptions {
  /** How many loose objects a Hive may have before it is packed; 0 turns packing off. */
  readonly packAfter: number;
  /** Called once when git is not installed. */
  readonly withoutGit: () => void;
  /** Called when packing a Hive failed; it is tried again later. */
  readonly failed: (hive: HiveSlug, error: unknown) => void;
  /** Called after every packing. */
  readonly packed?: (kind: Packing["kind"], ms: number) => void;
}

export type { Packing };

/** How long after a commit a Hive is checked; further commits until then are covered by the same check. */
const settleMs = 1_000;
/**
 * A Hive is not packed again for this many times the duration of its packing, so packing takes a fifth of a core at
 * most.
 */
const restFactor = 4;
const restAfterFailureMs = 10 * 60_000;

/** Packs Hives with many loose objects in the background, one at a time. */
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

  /** Stops a running packing. */
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
    const check = (): void => {
      this.#timers.delete(slug);
      this.#due.add(slug);
      this.#working ??= this.#work().finally(() => (this.#working = undefined));
    };
    this.#timers.set(slug, setTimeout(check, Math.max(rest, settleMs)).unref());
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

/** Packs each Hive in the background when commits of this process have given it too many loose objects. */
export function packInBackground(storage: Storage, options: BackgroundOptions): Background {
  if (options.packAfter === 0) return { stop: () => Promise.resolve() };
  const packer = new BackgroundPacker(storage, options);
  void packer.start();
  return packer;
}

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
