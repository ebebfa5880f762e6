/** The tags of one repository, read as git stores them. A tag is created once and never moved. */
import { join } from "node:path";
import { boundedCache } from "../../disk/bounded-cache.ts";
import { SkepError, failure, isFailure } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { clashingName } from "../../domain/commits/ref-name.ts";
import { isTagName, type TagName } from "../../domain/commits/tag-name.ts";
import { isSystemError } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { ParsedFile } from "../../disk/parsed-file.ts";
import { WatchedFile } from "../../disk/watched-file.ts";
import { mapInGroups } from "../../slices.ts";
import {
  looseRefNames,
  packedRefsPath,
  parsePackedRefs,
  readLooseRefs,
  removeEmptyRefFolder,
} from "./ref-files.ts";
import { updateRef, type RefUpdate } from "./update-ref.ts";

const tagsFolder = "refs/tags";
const prefix = `${tagsFolder}/`;
/** How many tags that responses depend on are watched. */
const maxWatched = 64;

/** A tag and the object that it refers to. */
export interface TagTarget {
  readonly name: TagName;
  readonly target: Oid;
}

export class Tags {
  readonly #fs: DurableFs;
  readonly #gitdir: string;
  readonly #packed: ParsedFile<ReadonlyMap<TagName, Oid>>;
  /** The loose tags as they were listed: a tag never moves, so that its file is read once. */
  #loose: ReadonlyMap<string, WatchedFile> = new Map();
  readonly #watched = boundedCache<TagName, WatchedFile>(maxWatched);

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#gitdir = gitdir;
    this.#packed = new ParsedFile(fs.disk, packedRefsPath(gitdir), (text) =>
      tagsAmong(parsePackedRefs(text)),
    );
  }

  /** The object that a tag refers to, a tag object or a commit; undefined when there is no such tag. */
  async read(name: TagName): Promise<Oid | undefined> {
    // Packing refs writes packed-refs and then removes the loose file: a second read finds a ref that moved in between.
    return (await this.#readLoose(name)) ?? this.#packed.read()?.get(name) ?? (await this.#readLoose(name));
  }

  /**
   * Whether a tag still refers to an object; checked once per tick of the event loop.
   * @throws the system's error when the disk fails.
   */
  isAt({ name, target }: TagTarget): boolean {
    const loose = this.#watch(name).recent();
    return (loose === undefined ? this.#packed.recent()?.get(name) : toTarget(loose)) === target;
  }

  #watch(name: TagName): WatchedFile {
    const known = this.#watched.get(name);
    if (known !== undefined) return known;
    const file = new WatchedFile(this.#fs.disk, this.#pathOf(name));
    this.#watched.set(name, file);
    return file;
  }

  /** All tags and the objects they refer to. Files that are not refs are left out; `skep verify` reports them. */
  async list(): Promise<ReadonlyMap<TagName, Oid>> {
    const names = await looseRefNames(this.#fs, this.#gitdir, tagsFolder);
    const loose = new Map<string, WatchedFile>();
    for (const name of names) {
      loose.set(name, this.#loose.get(name) ?? new WatchedFile(this.#fs.disk, join(this.#gitdir, name)));
    }
    this.#loose = loose;
    const tags = new Map<TagName, Oid>();
    await mapInGroups([...loose], ([ref, file]) => {
      const target = toTarget(file.read());
      const name = ref.slice(prefix.length);
      if (target !== undefined && isTagName(name)) tags.set(name, target);
      return Promise.resolve();
    });
    return new Map([...(this.#packed.read() ?? []), ...tags]);
  }

  /** The names of all tags, and of files among them that are no refs. */
  async #names(): Promise<ReadonlySet<TagName>> {
    const loose = await looseRefNames(this.#fs, this.#gitdir, tagsFolder);
    const names = loose.map((ref) => ref.slice(prefix.length)).filter(isTagName);
    return new Set([...names, ...(this.#packed.read()?.keys() ?? [])]);
  }

  /** The files among the tags that do not hold an object name. */
  async broken(): Promise<readonly string[]> {
    const loose = await readLooseRefs(this.#fs, this.#gitdir, tagsFolder);
    return [...loose]
      .filter(([ref, text]) => isTagName(ref.slice(prefix.length)) && !isOid(text))
      .map(([ref]) => ref);
  }

  /**
   * Creates a tag, durably. The caller holds the Hive's lock.
   * @param limit how many tags there may be.
   * @throws SkepError `conflict` when the name is taken, or cannot be stored beside another tag's; `quota` when the limit
   * is reached; `busy` when another process creates the same tag.
   */
  async create(name: TagName, update: Omit<RefUpdate, "expected">, limit: number): Promise<void> {
    const there = await this.#names();
    const other = clashingName(name, there);
    if (other === name)
      throw failure("conflict", `The tag ${name} is there already, and tags never move.`, {
        publicCode: "tag_exists",
      });
    if (other !== undefined) {
      throw failure("conflict", `The tag ${name} cannot be stored beside the tag ${other}.`);
    }
    checkRoom("This Hive", "tag", there.size, limit);
    const path = this.#pathOf(name);
    await removeEmptyRefFolder(this.#fs, this.#gitdir, prefix + name);
    const loose = new WatchedFile(this.#fs.disk, path);
    const read = (): Oid | undefined => toTarget(loose.read()) ?? this.#packed.read()?.get(name);
    try {
      await updateRef(this.#fs, { path, read }, { ...update, expected: undefined });
    } catch (error) {
      if (!isFailure(error, "head-moved")) throw error;
      throw new SkepError("busy", "Another process created this tag.", { retryAfter: 1 }, { cause: error });
    }
  }

  #pathOf(name: TagName): string {
    return join(this.#gitdir, prefix + name);
  }

  async #readLoose(name: TagName): Promise<Oid | undefined> {
    try {
      return toTarget(await this.#fs.readText(this.#pathOf(name)));
    } catch (error) {
      // A folder has that name, or it is too long for a file name.
      if (isSystemError(error, "EISDIR", "ENAMETOOLONG")) return undefined;
      throw error;
    }
  }
}

function toTarget(text: string | undefined): Oid | undefined {
  const target = text?.trimEnd();
  return target !== undefined && isOid(target) ? target : undefined;
}

/** The tags among refs, by their short names. */
function tagsAmong(refs: ReadonlyMap<string, string>): ReadonlyMap<TagName, Oid> {
  const tags = new Map<TagName, Oid>();
  for (const [ref, oid] of refs) {
    const name = ref.slice(prefix.length);
    if (ref.startsWith(prefix) && isTagName(name) && isOid(oid)) tags.set(name, oid);
  }
  return tags;
}
