/**
 * Which folders of translations were found readable, kept in the repository by their object names, so that a start
 * reads only what is asked: whatever has the name of something that was checked is what was checked.
 */
import { join } from "node:path";
import { isOid, type Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";

const fileName = "skep-checked";
/** The first line: raise it when what is readable changes. */
const version = "1";

export class CheckedFolders {
  readonly #fs: DurableFs;
  readonly #path: string;

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#path = join(gitdir, fileName);
  }

  /** The folders that were readable; none when it is not known. */
  async read(): Promise<ReadonlySet<Oid>> {
    const bytes = await this.#fs.read(this.#path);
    const [first, ...oids] = Buffer.from(bytes ?? [])
      .toString("latin1")
      .split("\n");
    return new Set(first === version ? oids.filter(isOid) : []);
  }

  /** Remembers folders instead of those before. It only saves work: when it cannot be written, all is well. */
  async write(folders: Iterable<Oid>): Promise<void> {
    try {
      await this.#fs.write(this.#path, `${[version, ...folders].join("\n")}\n`);
    } catch {
      // The next start checks again.
    }
  }
}
