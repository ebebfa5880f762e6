/** The repositories of a copy: fetches what the primary's refs reach, one Hive at a time, and knows how old each is. */
import { basename } from "node:path";
import type { Team } from "../../domain/access/team.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import { parseTrashId, type TrashEntry, type TrashId } from "../../domain/hives/trash.ts";
import type { ReplicatedHive, ReplicatedTrash } from "../../domain/replication/news.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import type { Storage } from "../storage.ts";

/** How many Hives are fetched at once. */
const maxFetches = 4;
/** After a failure the next attempt waits this long, and then twice as long each time. */
const firstRestMs = 500;
const maxRestMs = 30_000;

/** A repository that is here, and the digest of its refs. */
type Present = Pick<ReplicatedHive, "id" | "refs">;

interface Copy {
  /** What the primary has; null for nothing. */
  wanted: ReplicatedHive | null;
  /** When the request was sent that told so. */
  wantedAt: number;
  /** What is here. */
  present: Present | undefined;
  /** What the primary had when the last fetch began: what was fetched is no older. */
  covered: ReplicatedHive | null | undefined;
  /** The Hive is what the primary had then, or newer. */
  freshAt: number;
  /** Whether the primary does not have commits any more that are here. */
  isRefused: boolean;
  isAtWork: boolean;
  /** Ends the rest after a failure. */
  retry: () => void;
}

export interface CopiedHivesOptions {
  readonly storage: Storage;
  /**
   * Copies all refs of one of the primary's repositories into one here.
   * @param losing called before branches here lose commits; see {@link Fetch}.
   */
  readonly fetch: (
    kind: "hives" | "trash",
    name: string,
    gitdir: string,
    losing: (branches: readonly string[]) => Promise<void>,
  ) => Promise<void>;
  /** Called when the list of a team may have to change; resolves when it has changed. */
  readonly shown: (team: TeamName | undefined) => Promise<void>;
  readonly failed: (name: string, error: unknown) => void;
  readonly signal: AbortSignal;
}

export class CopiedHives {
  readonly #options: CopiedHivesOptions;
  readonly #copies = new Map<HiveSlug, Copy>();
  readonly #trash = new Map<TrashId, ReplicatedTrash>();
  readonly #fetches = new Semaphore(maxFetches);
  readonly #work = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  #isTrashAtWork = false;
  #isTrashDue = false;
  /** Since then nothing has changed that is not noted here. */
  #confirmedAt = -Infinity;

  constructor(options: CopiedHivesOptions) {
    this.#options = options;
  }

  /** How many Hives are not yet as the primary has them. */
  get pending(): number {
    return [...this.#copies.values()].filter(isBehind).length;
  }

  /** How many Hives are kept as they are, because the primary does not have all of them any more. */
  get refused(): number {
    return [...this.#copies.values()].filter(({ isRefused }) => isRefused).length;
  }

  /** Whether a team's list has a Hive here. */
  isShown(slug: HiveSlug, team: TeamName): boolean {
    const { wanted, present } = this.#copies.get(slug) ?? {};
    return wanted != null && wanted.team === team && wanted.id === present?.id;
  }

  /** Whether a team, as it was read here, lacks a Hive that the primary has for it: one Hive, or any. */
  isMissing({ name, hives }: Team, only?: string): boolean {
    for (const [slug, { wanted }] of this.#copies) {
      if ((only !== undefined && only !== slug) || wanted?.team !== name) continue;
      if (!this.isShown(slug, name) || !hives.includes(slug)) return true;
    }
    return false;
  }

  /** Whether a Hive is not yet as the primary has it. */
  isBehind(slug: HiveSlug): boolean {
    const copy = this.#copies.get(slug);
    return copy !== undefined && isBehind(copy);
  }

  /** As of when the settings are at least, on the clock of those who confirm. */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** As of when a Hive is at least, on the same clock. */
  freshAt(slug: HiveSlug): number {
    const copy = this.#copies.get(slug);
    return copy !== undefined && isBehind(copy)
      ? Math.min(copy.freshAt, this.#confirmedAt)
      : this.#confirmedAt;
  }

  /**
   * Notes what the primary has.
   * @param isComplete whether it has no other Hives.
   * @param sentAt when it was asked.
   * @returns the teams whose lists may have to change.
   */
  async takeHives(
    changes: ReadonlyMap<HiveSlug, ReplicatedHive | null>,
    isComplete: boolean,
    sentAt: number,
  ): Promise<ReadonlySet<TeamName>> {
    const touched = new Set<TeamName>();
    const all = new Map(changes);
    if (isComplete) {
      for (const slug of [...(await this.#options.storage.replicated.slugs()), ...this.#copies.keys()]) {
        if (!all.has(slug)) all.set(slug, null);
      }
    }
    for (const [slug, wanted] of all) {
      const copy = this.#copies.get(slug) ?? (await this.#find(slug));
      for (const team of [copy.wanted?.team, wanted?.team]) if (team !== undefined) touched.add(team);
      if (!needsWork(copy)) copy.freshAt = this.#confirmedAt;
      copy.wanted = wanted;
      copy.wantedAt = sentAt;
      copy.retry();
      this.#copies.set(slug, copy);
    }
    return touched;
  }

  /** Notes what is in the primary's trash. */
  takeTrash(changes: ReadonlyMap<TrashId, ReplicatedTrash | null>, isComplete: boolean): void {
    if (isComplete) this.#trash.clear();
    for (const [id, entry] of changes) {
      if (entry === null) this.#trash.delete(id);
      else this.#trash.set(id, entry);
    }
    if (isComplete || changes.size > 0) this.#isTrashDue = true;
  }

  /** Says that all was noted that the primary had when it was asked, and begins to fetch what is not here. */
  confirm(sentAt: number): void {
    this.#confirmedAt = sentAt;
    for (const [slug, copy] of this.#copies) this.#begin(slug, copy);
    this.#beginTrash();
    this.#wake();
  }

  /** Resolves when some or all Hives are as of a time, or the signal fires. @returns whether they are. */
  async reached(at: number, slug: HiveSlug | undefined, signal: AbortSignal): Promise<boolean> {
    const isReached = (): boolean =>
      slug === undefined
        ? Math.min(this.#confirmedAt, ...Array.from(this.#copies.keys(), (one) => this.freshAt(one))) >= at
        : this.freshAt(slug) >= at;
    while (!isReached() && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          signal.removeEventListener("abort", end);
          this.#waiting.delete(end);
          resolve();
        };
        this.#waiting.add(end);
        signal.addEventListener("abort", end);
      });
    }
    return isReached();
  }

  /** Resolves when nothing is being fetched any more; the options' signal ends what is. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  async #find(slug: HiveSlug): Promise<Copy> {
    const { hives, replicated } = this.#options.storage;
    const gitdir = hives.folderOf(slug);
    const id = await replicated.id(gitdir);
    const isHere = await replicated.has(gitdir);
    // One without an id is none that was copied.
    const present = isHere ? { id: id ?? "", refs: await replicated.digest(gitdir) } : undefined;
    const [freshAt, wantedAt] = [-Infinity, -Infinity];
    const idle = { isAtWork: false, isRefused: false, retry: () => {} };
    return { wanted: null, wantedAt, present, covered: undefined, freshAt, ...idle };
  }

  #begin(slug: HiveSlug, copy: Copy): void {
    if (copy.isAtWork) return;
    if (!needsWork(copy)) {
      if (copy.wanted === null) this.#copies.delete(slug);
      return;
    }
    copy.isAtWork = true;
    const end = (): void => {
      copy.isAtWork = false;
      this.#wake();
    };
    this.#track(this.#bring(slug, copy).finally(end));
  }

  #track(work: Promise<void>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  /** Brings one Hive to what the primary has, until it is there. Never rejects. */
  async #bring(slug: HiveSlug, copy: Copy): Promise<void> {
    const { signal, failed } = this.#options;
    for (let restMs = firstRestMs; needsWork(copy) && !signal.aborted;) {
      const { wanted, wantedAt } = copy;
      try {
        await this.#settle(slug, copy, wanted);
        copy.covered = wanted;
        copy.freshAt = wantedAt;
        restMs = firstRestMs;
        this.#wake();
      } catch (error) {
        if (signal.aborted) return;
        failed(slug, error);
        await this.#rest(copy, restMs);
        restMs = Math.min(2 * restMs, maxRestMs);
      }
    }
    if (!copy.isRefused || needsWork(copy)) return;
    copy.isRefused = false;
    const { hives, replicated } = this.#options.storage;
    await replicated.noteLoss(hives.folderOf(slug), undefined).catch(() => undefined);
  }

  async #rest(copy: Copy, ms: number): Promise<void> {
    const { signal } = this.#options;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener("abort", end);
      copy.retry = end;
    });
  }

  async #settle(slug: HiveSlug, copy: Copy, wanted: ReplicatedHive | null): Promise<void> {
    const { storage, shown } = this.#options;
    const { hives, replicated } = storage;
    const gitdir = hives.folderOf(slug);
    if (copy.present !== undefined && copy.present.id !== wanted?.id) {
      // No team's list has it any more when it goes.
      await shown(undefined);
      await this.#discard(slug, copy, copy.present.id);
      copy.present = undefined;
    }
    if (wanted === null) return;
    if (copy.present === undefined) {
      const trashed = await this.#trashedWith(wanted.id);
      if (trashed === undefined) {
        await replicated.make(gitdir, wanted.id, (aside) => this.#fetch("hives", slug, aside, nothingToLose));
        copy.present = { id: wanted.id, refs: await replicated.digest(gitdir) };
      } else {
        // Whoever reads the trash reverts restorations that nobody makes.
        await hives.lock(slug, async () => {
          await storage.lifecycle.restore(trashed);
          copy.present = { id: wanted.id, refs: await replicated.digest(gitdir) };
          await shown(wanted.team);
        });
      }
    }
    if (copy.present?.refs !== wanted.refs) {
      await this.#fetch("hives", slug, gitdir, (branches) =>
        this.#requireAccepted(
          slug,
          copy,
          `has not all commits any more that are here in ${branches.join(", ")}`,
        ),
      );
      copy.present = { id: wanted.id, refs: await replicated.digest(gitdir) };
    }
    await shown(wanted.team);
  }

  #fetch(...args: Parameters<CopiedHivesOptions["fetch"]>): Promise<void> {
    return this.#fetches.run(() => this.#options.fetch(...args));
  }

  /** @throws Error unless somebody has accepted that commits are lost that may be nowhere else. */
  async #requireAccepted(slug: HiveSlug, copy: Copy, problem: string): Promise<void> {
    const { hives, replicated } = this.#options.storage;
    const gitdir = hives.folderOf(slug);
    if ((await replicated.lossIn(gitdir)) === "accepted") return replicated.noteLoss(gitdir, undefined);
    await replicated.noteLoss(gitdir, "refused");
    copy.isRefused = true;
    throw new Error(
      `The primary ${problem}: was it restored from a backup? The Hive is kept as it is here. To take over what the primary has, run here: skep follower accept ${slug}`,
    );
  }

  /** Moves a repository to the trash, where the primary has it there, and otherwise removes it, if that was accepted. */
  async #discard(slug: HiveSlug, copy: Copy, id: string): Promise<void> {
    const { hives, lifecycle, trash } = this.#options.storage;
    for (const [name, entry] of this.#trash) {
      const parsed = parseTrashId(name);
      if (entry.id !== id || parsed?.slug !== slug) continue;
      if (entry.note !== null) await trash.note(hives.folderOf(slug), entry.note);
      await lifecycle.setAside(slug, parsed.deleted);
      this.#isTrashDue = true;
      return;
    }
    if (id !== "")
      await this.#requireAccepted(slug, copy, "has this Hive neither in its place nor in its trash");
    const path = await lifecycle.setAside(slug);
    const aside = path === undefined ? undefined : parseTrashId(basename(path, ".git"));
    if (aside !== undefined) await trash.remove(aside.id);
  }

  async #trashedWith(id: string): Promise<TrashEntry | undefined> {
    const { trash, replicated } = this.#options.storage;
    for (const entry of (await trash.read()).entries) {
      if ((await replicated.id(trash.folderOf(entry.id))) === id) return entry;
    }
    return undefined;
  }

  #beginTrash(): void {
    if (!this.#isTrashDue || this.#isTrashAtWork) return;
    this.#isTrashDue = false;
    this.#isTrashAtWork = true;
    const work = this.#bringTrash().catch((error: unknown) => {
      this.#isTrashDue = true;
      if (!this.#options.signal.aborted) this.#options.failed("the trash", error);
    });
    this.#track(work.finally(() => (this.#isTrashAtWork = false)));
  }

  /** Brings the trash to what the primary has, except what Hives are about to be moved to it or out of it. */
  async #bringTrash(): Promise<void> {
    const { trash, replicated } = this.#options.storage;
    const copies = [...this.#copies.values()];
    const isMoving = (id: string): boolean =>
      copies.some(({ wanted, present }) => wanted?.id === id || present?.id === id);
    const here = new Set((await trash.read()).entries.map(({ id }) => id));
    for (const id of here) {
      if (this.#trash.has(id)) continue;
      if (isMoving((await replicated.id(trash.folderOf(id))) ?? "")) this.#isTrashDue = true;
      else await trash.remove(id);
    }
    for (const [name, { id, note }] of this.#trash) {
      if (here.has(name)) continue;
      if (isMoving(id)) {
        this.#isTrashDue = true;
        continue;
      }
      const gitdir = trash.folderOf(name);
      await replicated.make(gitdir, id, async (aside) => {
        await this.#fetch("trash", name, aside, nothingToLose);
        if (note !== null) await trash.note(aside, note);
      });
    }
  }
}

/** For a repository that has nothing yet. */
const nothingToLose = (): Promise<void> => Promise.resolve();

function needsWork({ wanted, present, covered }: Copy): boolean {
  if (wanted === null) return present !== undefined;
  if (wanted.id !== present?.id) return true;
  return wanted.refs !== present.refs && covered !== wanted;
}

/** Whether it is not yet as the primary has it, or its team's list is still to be written. */
function isBehind(copy: Copy): boolean {
  return copy.isAtWork || needsWork(copy);
}
