/**
 * The folders of translations that were found readable, by their object names, cached in a file of the repository, so
 * that a restart reads only what is asked for. An object name identifies its content, so a check holds for ever.
 */
import { join } from "node:path";
import { isOid, type Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";

const fileName = "skep-checked";
/** The first line of the file; to be raised when the rules of what is readable change. */
const version = "1";

export class CheckedFolders {
  readonly #fs: DurableFs;
  readonly #path: string;

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#path = join(gitdir, fileName);
  }

  /** The folders that were found readable; empty when there is no usable cache. */
  async read(): Promise<ReadonlySet<Oid>> {
    const bytes = await this.#fs.read(this.#path);
    const [first, ...oids] = Buffer.from(bytes ?? [])
      .toString("latin1")
      .split("\n");
    return new Set(first === version ? oids.filter(isOid) : []);
  }

  /** Replaces the cached folders. A failed write is ignored: it only costs time at the next start. */
  async write(folders: Iterable<Oid>): Promise<void> {
    try {
      await this.#fs.write(this.#path, `${[version, ...folders].join("\n")}\n`);
    } catch {
      // The next start checks the folders again.
    }
  }
}
