/** One ref of a repository: read at every request, moved by one rename (see update-ref.ts). */
import { join } from "node:path";
import { isOid, type Oid } from "../../domain/names.ts";
import { isSystemError } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { ParsedFile } from "../../disk/parsed-file.ts";
import { packedRefsPath, parsePackedRefs } from "./ref-files.ts";
import { deleteRef, updateRef, type RefDeletion, type RefFile, type RefUpdate } from "./update-ref.ts";

/** The packed refs of a repository, by their full names. */
export type PackedRefs = ParsedFile<ReadonlyMap<string, Oid>>;

/** Opens the packed refs of a repository. */
export function openPackedRefs(fs: DurableFs, gitdir: string): PackedRefs {
  return new ParsedFile(fs.disk, packedRefsPath(gitdir), parsePackedRefs);
}

/** A ref in a file of its own. `oid` is undefined when the file does not hold an object name. */
interface Loose {
  readonly oid: Oid | undefined;
}

export class Ref {
  /** The full name, such as `refs/heads/main`. */
  readonly fullName: string;
  readonly #fs: DurableFs;
  readonly #gitdir: string;
  readonly #loose: ParsedFile<Loose>;
  readonly #packed: PackedRefs;

  constructor(fs: DurableFs, gitdir: string, fullName: string, packed: PackedRefs) {
    this.fullName = fullName;
    this.#fs = fs;
    this.#gitdir = gitdir;
    this.#loose = new ParsedFile(fs.disk, join(gitdir, fullName), parseLoose);
    this.#packed = packed;
  }

  /** The object that the ref refers to; undefined when there is no such ref, or its file is broken. */
  find(): Oid | undefined {
    const loose = this.#readLoose("read");
    // Packing refs writes packed-refs and then removes the loose file: a second read finds a ref that moved in between.
    return loose === undefined
      ? (this.#packed.read()?.get(this.fullName) ?? this.#readLoose("read")?.oid)
      : loose.oid;
  }

  /** As {@link find}, but checked once per tick of the event loop. */
  recent(): Oid | undefined {
    const loose = this.#readLoose("recent");
    return loose === undefined ? this.#packed.recent()?.get(this.fullName) : loose.oid;
  }

  /** Whether the ref's file does not hold an object name. */
  get isBroken(): boolean {
    const loose = this.#readLoose("read");
    return loose !== undefined && loose.oid === undefined;
  }

  /** Moves the ref to another object; see {@link updateRef}. */
  update(update: RefUpdate): Promise<void> {
    return updateRef(this.#fs, this.#file(), update);
  }

  /** Deletes the ref; see {@link deleteRef}. */
  delete(deletion: RefDeletion): Promise<void> {
    return deleteRef(this.#fs, this.#gitdir, { ...this.#file(), name: this.fullName }, deletion);
  }

  #file(): RefFile {
    const path = join(this.#gitdir, this.fullName);
    return { path, read: () => this.find(), changed: () => this.#loose.invalidate() };
  }

  #readLoose(how: "read" | "recent"): Loose | undefined {
    try {
      return this.#loose[how]();
    } catch (error) {
      // It is the folder of other refs, one of its folders is a ref, or it is too long for a file name.
      if (isSystemError(error, "EISDIR", "ENOTDIR", "ENAMETOOLONG")) return undefined;
      throw error;
    }
  }
}

function parseLoose(text: string): Loose {
  const oid = text.trimEnd();
  return { oid: isOid(oid) ? oid : undefined };
}
