/** The branch `main`: read at every request, moved by one rename (see ref-move.ts). */
import { join } from "node:path";
import { failure } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { statNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { moveRef, type RefMove } from "./ref-move.ts";
import { WatchedFile } from "../../disk/watched-file.ts";

const refName = "refs/heads/main";

/** What a file said when it was read last. */
interface Parsed {
  readonly text: string | undefined;
  readonly oid: Oid | undefined;
}

export class MainRef {
  readonly #fs: DurableFs;
  readonly #path: string;
  readonly #objects: string;
  readonly #loose: WatchedFile;
  readonly #packed: WatchedFile;
  #parsed: Parsed = { text: undefined, oid: undefined };
  #recent: Parsed = { text: undefined, oid: undefined };

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#path = join(gitdir, refName);
    this.#objects = join(gitdir, "objects");
    this.#loose = new WatchedFile(fs.disk, this.#path);
    this.#packed = new WatchedFile(fs.disk, join(gitdir, "packed-refs"));
  }

  /**
   * The commit that main is at now.
   * @throws SkepError `not-found` when there is no repository, `content-invalid` when it has no such branch.
   */
  read(): Oid {
    // Packing writes packed-refs first and removes the loose file then: a second look finds what moved between.
    const oid = this.#readLoose() ?? this.#readPacked() ?? this.#readLoose();
    if (oid !== undefined) return oid;
    if (!this.exists()) throw failure("not-found", "This Hive has no repository.");
    throw failure("content-invalid", "This Hive has no branch main.");
  }

  /** As {@link read}, but shared by the requests of one tick of the event loop; undefined when it cannot be read. */
  recent(): Oid | undefined {
    const text = this.#loose.recent();
    if (text === undefined) return this.#findMain(this.#packed.recent());
    if (text !== this.#recent.text) {
      const oid = text.trimEnd();
      this.#recent = { text, oid: isOid(oid) ? oid : undefined };
    }
    return this.#recent.oid;
  }

  /** Whether there is a repository at all. */
  exists(): boolean {
    return statNow(this.#fs.disk, this.#objects) !== undefined;
  }

  #readLoose(): Oid | undefined {
    const text = this.#loose.read()?.trimEnd();
    if (text === undefined || isOid(text)) return text;
    const mend = `remove it, then: git update-ref ${refName} <commit>`;
    throw failure("content-invalid", `This Hive's ${refName} is not a commit; to mend it, ${mend}`);
  }

  #readPacked(): Oid | undefined {
    return this.#findMain(this.#packed.read());
  }

  #findMain(packedRefs: string | undefined): Oid | undefined {
    if (packedRefs !== this.#parsed.text) this.#parsed = { text: packedRefs, oid: findMain(packedRefs) };
    return this.#parsed.oid;
  }

  /** Moves main to another commit; see {@link moveRef}. */
  move(move: RefMove): Promise<void> {
    const place = {
      path: this.#path,
      read: () => this.#readLoose() ?? this.#readPacked(),
      moved: () => this.#loose.invalidate(),
    };
    return moveRef(this.#fs, place, move);
  }
}

/** The commit of main in the text of `packed-refs`. */
function findMain(packedRefs: string | undefined): Oid | undefined {
  for (const line of packedRefs?.split("\n") ?? []) {
    const [oid = "", name] = line.split(" ");
    if (name === refName && isOid(oid)) return oid;
  }
  return undefined;
}
