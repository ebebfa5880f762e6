/** The tags of one repository: read where git keeps them, made once, never moved. */
import { dirname, join } from "node:path";
import { SkepError, failure, isFailure } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { clashingTag, isTagName, type TagName } from "../../domain/commits/tag-name.ts";
import { isSystemError } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import { moveRef, type RefMove } from "./ref-move.ts";
import { WatchedFile } from "../../disk/watched-file.ts";

const folderName = "refs/tags";
/** How many tags are watched that answers rest on. */
const maxWatched = 64;

/** A tag, and what it refers to. */
export interface TagTarget {
  readonly name: TagName;
  readonly target: Oid;
}

export class Tags {
  readonly #fs: DurableFs;
  readonly #folder: string;
  readonly #packed: WatchedFile;
  #parsed: { readonly text: string; readonly refs: ReadonlyMap<TagName, Oid> } = {
    text: "",
    refs: new Map(),
  };

  /** In the order they were first asked about. */
  readonly #watched = new Map<TagName, WatchedFile>();

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#folder = join(gitdir, folderName);
    this.#packed = new WatchedFile(fs.disk, join(gitdir, "packed-refs"));
  }

  /** What a tag refers to, an annotated tag's object or a commit; undefined when there is no such tag. */
  async read(name: TagName): Promise<Oid | undefined> {
    // Packing writes packed-refs first and removes the loose file then: a second look finds what moved between.
    return (await this.#readLoose(name)) ?? this.#readPacked().get(name) ?? (await this.#readLoose(name));
  }

  /**
   * Whether a tag refers to what it did; the check is shared by the requests of one tick of the event loop.
   * @throws the system's error when the disk does not say.
   */
  isAt({ name, target }: TagTarget): boolean {
    const loose = this.#watch(name).recent();
    return (loose === undefined ? this.#parse(this.#packed.recent()).get(name) : toTarget(loose)) === target;
  }

  #watch(name: TagName): WatchedFile {
    const known = this.#watched.get(name);
    if (known !== undefined) return known;
    const file = new WatchedFile(this.#fs.disk, join(this.#folder, name));
    this.#watched.set(name, file);
    const [oldest] = this.#watched.keys();
    if (this.#watched.size > maxWatched && oldest !== undefined) this.#watched.delete(oldest);
    return file;
  }

  /** All tags and what they refer to. Files that are no refs are left out; `skep verify` names them. */
  async list(): Promise<ReadonlyMap<TagName, Oid>> {
    const before = await this.#files();
    const packed = this.#readPacked();
    const tags = new Map(packed);
    for (const { name, oid } of before) if (oid !== undefined) tags.set(name, oid);
    return tags;
  }

  /** The files among the tags that hold no object's name. */
  async broken(): Promise<readonly string[]> {
    return (await this.#files())
      .filter(({ oid }) => oid === undefined)
      .map(({ name }) => `${folderName}/${name}`);
  }

  /**
   * Makes a tag; durable when it returns. The caller holds the Hive's lock.
   * @param limit how many tags there may be.
   * @throws SkepError `conflict` when the name is taken, or cannot lie beside another; `quota` when there are as many
   * as there may be; `busy` when git is making it.
   */
  async create(name: TagName, move: Omit<RefMove, "expected">, limit: number): Promise<void> {
    const there = await this.list();
    const other = clashingTag(name, there.keys());
    if (other === name) throw failure("conflict", `The tag ${name} is there already, and tags never move.`);
    if (other !== undefined) {
      throw failure("conflict", `The tag ${name} cannot be stored beside the tag ${other}.`);
    }
    checkRoom("This Hive", "tag", there.size, limit);
    const path = join(this.#folder, name);
    await this.#removeEmpty(path);
    const loose = new WatchedFile(this.#fs.disk, path);
    const read = (): Oid | undefined => toTarget(loose.read()) ?? this.#readPacked().get(name);
    try {
      await moveRef(this.#fs, { path, read }, { ...move, expected: undefined });
    } catch (error) {
      if (!isFailure(error, "head-moved")) throw error;
      throw new SkepError("busy", "Somebody else made this tag.", { retryAfter: 1 }, { cause: error });
    }
  }

  /** The folders that hold tags. */
  async folders(): Promise<readonly string[]> {
    const folders = [this.#folder];
    for (const folder of folders) {
      for (const name of await this.#fs.list(folder)) {
        const path = join(folder, name);
        if (await this.#fs.isFolder(path)) folders.push(path);
      }
    }
    return folders;
  }

  async #readLoose(name: TagName): Promise<Oid | undefined> {
    try {
      return toTarget(decode(await this.#fs.read(join(this.#folder, name))));
    } catch (error) {
      // A folder of tags has that name, or it is longer than a file's can be.
      if (isSystemError(error, "EISDIR", "ENAMETOOLONG")) return undefined;
      throw error;
    }
  }

  #readPacked(): ReadonlyMap<TagName, Oid> {
    return this.#parse(this.#packed.read());
  }

  #parse(text = ""): ReadonlyMap<TagName, Oid> {
    if (text !== this.#parsed.text) this.#parsed = { text, refs: parsePacked(text) };
    return this.#parsed.refs;
  }

  async #files(): Promise<readonly { readonly name: TagName; readonly oid: Oid | undefined }[]> {
    const files: { name: TagName; oid: Oid | undefined }[] = [];
    for (const folder of await this.folders()) {
      for (const entry of await this.#fs.list(folder)) {
        const name = join(folder, entry).slice(this.#folder.length + 1);
        if (isTemporary(entry) || !isTagName(name) || (await this.#fs.isFolder(join(folder, entry))))
          continue;
        const text = decode(await this.#fs.read(join(folder, entry)));
        // One that was packed just now is among the packed ones.
        if (text !== undefined) files.push({ name, oid: toTarget(text) });
      }
    }
    return files;
  }

  /** Where a tag is to be, a folder may be left whose tags are packed or gone. */
  async #removeEmpty(path: string): Promise<void> {
    if (!(await this.#fs.isFolder(path))) return;
    const inner = (await this.folders()).filter((folder) => `${folder}/`.startsWith(`${path}/`));
    for (const folder of inner.toReversed()) {
      // Only a folder without anything in it goes this way.
      await this.#fs.disk.promises.rmdir(folder).catch(() => {});
    }
    await this.#fs.syncFolder(dirname(path));
  }
}

function decode(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
}

function toTarget(text: string | undefined): Oid | undefined {
  const target = text?.trimEnd();
  return target !== undefined && isOid(target) ? target : undefined;
}

function parsePacked(text: string): ReadonlyMap<TagName, Oid> {
  const refs = new Map<TagName, Oid>();
  for (const line of text.split("\n")) {
    const [, oid = "", name = ""] = /^([0-9a-f]{40}) refs\/tags\/(.+)$/.exec(line) ?? [];
    if (isOid(oid) && isTagName(name)) refs.set(name, oid);
  }
  return refs;
}
