/** The branch `main`: read at every request, moved by one rename (see update-ref.ts). */
import { join } from "node:path";
import { failure } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { statNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { ParsedFile } from "../../disk/parsed-file.ts";
import { packedRefsPath, parsePackedRefs } from "./ref-files.ts";
import { updateRef, type RefUpdate } from "./update-ref.ts";

const refName = "refs/heads/main";

export class MainRef {
  readonly #fs: DurableFs;
  readonly #path: string;
  readonly #objects: string;
  /** `oid` is undefined when the file does not hold an object name. */
  readonly #loose: ParsedFile<{ readonly oid: Oid | undefined }>;
  readonly #packed: ParsedFile<ReadonlyMap<string, Oid>>;

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#path = join(gitdir, refName);
    this.#objects = join(gitdir, "objects");
    this.#loose = new ParsedFile(fs.disk, this.#path, parseLoose);
    this.#packed = new ParsedFile(fs.disk, packedRefsPath(gitdir), parsePackedRefs);
  }

  /**
   * The commit that main refers to now.
   * @throws SkepError `not-found` when there is no repository, `content-invalid` when it has no such branch.
   */
  read(): Oid {
    // Packing refs writes packed-refs and then removes the loose file: a second read finds a ref that moved in between.
    const oid = this.#find() ?? this.#readLoose();
    if (oid !== undefined) return oid;
    if (!this.exists()) throw failure("not-found", "This Hive has no repository.");
    throw failure("content-invalid", "This Hive has no branch main.");
  }

  /** As {@link read}, but checked once per tick of the event loop; undefined when it cannot be read. */
  recent(): Oid | undefined {
    const loose = this.#loose.recent();
    return loose === undefined ? this.#packed.recent()?.get(refName) : loose.oid;
  }

  /** Whether the repository exists. */
  exists(): boolean {
    return statNow(this.#fs.disk, this.#objects) !== undefined;
  }

  /** Moves main to another commit; see {@link updateRef}. */
  update(update: RefUpdate): Promise<void> {
    const place = { path: this.#path, read: () => this.#find(), changed: () => this.#loose.invalidate() };
    return updateRef(this.#fs, place, update);
  }

  #find(): Oid | undefined {
    return this.#readLoose() ?? this.#packed.read()?.get(refName);
  }

  #readLoose(): Oid | undefined {
    const loose = this.#loose.read();
    if (loose === undefined || loose.oid !== undefined) return loose?.oid;
    const mend = `remove it, then: git update-ref ${refName} <commit>`;
    throw failure("content-invalid", `This Hive's ${refName} is not a commit; to mend it, ${mend}`);
  }
}

function parseLoose(text: string): { readonly oid: Oid | undefined } {
  const oid = text.trimEnd();
  return { oid: isOid(oid) ? oid : undefined };
}
