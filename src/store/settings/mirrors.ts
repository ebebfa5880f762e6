/**
 * The mirrors of each Hive: `mirrors/<slug>.yaml` lists them, `mirrors/<slug>.state.yaml` holds the outcome of the last
 * pushes. The second may be lost: everything is then pushed again, which changes nothing.
 */
import { join } from "node:path";
import { isFailure } from "../../domain/errors.ts";
import type { Mirror, MirrorState } from "../../domain/hives/mirror.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { Locks } from "../../disk/locks/lock.ts";
import { formatMirrors, formatStates, parseMirrors, parseStates } from "./mirror-files.ts";
import { ParsedFile } from "../../disk/parsed-file.ts";
import { locksFolder } from "../../disk/storage-folder.ts";

/** A process that finds a push under way tries again later instead of waiting for its end. */
const pushTurnMs = 1_000;
const suffix = ".yaml";
const stateSuffix = ".state.yaml";

/** The two files of one Hive. */
interface Files {
  readonly mirrors: ParsedFile<readonly Mirror[]>;
  readonly states: ParsedFile<readonly MirrorState[]>;
}

export class MirrorStore {
  readonly #fs: DurableFs;
  readonly #root: string;
  readonly #locks: Locks;
  readonly #files = new Map<HiveSlug, Files>();

  /** @param root the storage's folder. */
  constructor(fs: DurableFs, root: string) {
    this.#fs = fs;
    this.#root = root;
    this.#locks = new Locks(fs, join(root, locksFolder), { timeoutMs: pushTurnMs });
  }

  /** The slugs with files of mirrors; their Hives may have been deleted. */
  async slugs(): Promise<readonly HiveSlug[]> {
    return (await this.#names()).map((name) => name.slice(0, -suffix.length)).filter(isHiveSlug);
  }

  /**
   * The mirrors of a Hive, in the order they were added.
   * @throws SkepError `content-invalid` when the file cannot be read.
   */
  async list(slug: HiveSlug): Promise<readonly Mirror[]> {
    return this.#filesOf(slug).mirrors.read() ?? [];
  }

  /** The state of each mirror of a Hive. */
  async states(slug: HiveSlug): Promise<readonly MirrorState[]> {
    const known = this.#knownStates(slug);
    return (await this.list(slug)).map((mirror) => stateOf(mirror, known));
  }

  /** Replaces the mirrors of a Hive if the caller still holds its lock; on failure they stay as they were. */
  async save(slug: HiveSlug, mirrors: readonly Mirror[], lock: HeldLock): Promise<void> {
    const before = await this.list(slug);
    try {
      await this.#put(slug, mirrors, lock);
    } catch (error) {
      if (!isFailure(error, "lock-lost")) await this.#put(slug, before, lock).catch(() => undefined);
      throw error;
    }
  }

  async #put(slug: HiveSlug, mirrors: readonly Mirror[], lock: HeldLock): Promise<void> {
    if (mirrors.length === 0) return this.forget(slug, lock);
    await this.#write(`${slug}${suffix}`, formatMirrors(mirrors), lock);
  }

  /** Removes the mirrors of a Hive if the caller still holds its lock; the remote repositories stay as they are. */
  async forget(slug: HiveSlug, lock: HeldLock): Promise<void> {
    this.#files.delete(slug);
    // The state is looked for when the mirrors are gone: whoever saves one later sees that they are.
    for (const name of [`${slug}${suffix}`, `${slug}${stateSuffix}`]) {
      if (!(await this.#fs.list(this.#folder)).includes(name)) continue;
      await lock.assertHeld();
      await this.#fs.removeFile(join(this.#folder, name));
    }
  }

  /**
   * Saves the state of one mirror if it still exists, and drops the states of mirrors that do not. The caller holds the
   * lock of {@link lockPush}.
   */
  async saveState(slug: HiveSlug, state: MirrorState, lock: HeldLock): Promise<void> {
    const states = await this.states(slug);
    if (!states.some(({ mirror }) => isSame(mirror, state.mirror))) return;
    const after = states.map((other) => (isSame(other.mirror, state.mirror) ? state : other));
    await this.#write(`${slug}${stateSuffix}`, formatStates(after), lock);
    // The Hive may have been deleted meanwhile, which does not wait for pushes.
    if ((await this.list(slug)).length === 0) await this.forget(slug, lock);
  }

  /**
   * Runs a function under the lock for pushing a Hive, so that one process at a time pushes.
   * @throws SkepError `busy` when another process holds it.
   */
  lockPush<T>(slug: HiveSlug, run: (lock: HeldLock) => Promise<T>): Promise<T> {
    return this.#locks.hold(`mirror-${slug}`, run);
  }

  get #folder(): string {
    return join(this.#root, "mirrors");
  }

  async #names(): Promise<readonly string[]> {
    const names = await this.#fs.list(this.#folder);
    return names.filter((name) => name.endsWith(suffix) && !isTemporary(name));
  }

  #knownStates(slug: HiveSlug): readonly MirrorState[] {
    try {
      return this.#filesOf(slug).states.read() ?? [];
    } catch (error) {
      if (!isFailure(error, "content-invalid")) throw error;
      return [];
    }
  }

  #filesOf(slug: HiveSlug): Files {
    const { disk } = this.#fs;
    const path = join(this.#folder, slug);
    const files = this.#files.get(slug) ?? {
      mirrors: new ParsedFile(disk, path + suffix, parseMirrors),
      states: new ParsedFile(disk, path + stateSuffix, parseStates),
    };
    this.#files.set(slug, files);
    return files;
  }

  async #write(name: string, content: string, lock: HeldLock): Promise<void> {
    await this.#fs.makeFolder(this.#folder);
    await this.#fs.write(join(this.#folder, name), content, lock);
  }
}

/** The state of a mirror, with its current settings: what it gets may have been changed by hand since the last push. */
function stateOf(mirror: Mirror, known: readonly MirrorState[]): MirrorState {
  return { ...known.find((state) => isSame(state.mirror, mirror)), mirror };
}

function isSame(one: Mirror, other: Mirror): boolean {
  return one.url === other.url && one.added === other.added;
}
