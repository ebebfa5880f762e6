/** The settings files of one folder, as they were last read: each is read again only after a change of the settings. */
import { basename, join } from "node:path";
import { readTextNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { requireStorage } from "../../disk/storage-folder.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import { invalidFile } from "../../disk/watched-file.ts";
import type { SettingsVersion } from "./settings-version.ts";

/** Where some files are, `<folder>/<name>.yaml`, and how they are read. */
export interface SettingsPlace<Name extends string, T> {
  readonly folder: string;
  readonly isName: (text: string) => text is Name;
  /** @throws InvalidSettings when the file is invalid. */
  readonly parse: (name: Name, text: string) => T;
}

interface SettingsSource {
  readonly fs: DurableFs;
  /** The storage's folder. */
  readonly root: string;
  readonly version: SettingsVersion;
}

/**
 * What was read, and the version that it belongs to. It is dropped as a whole when another process changes the version, so
 * that nothing that was read before a change is kept after it.
 */
interface Cache<Name, T> {
  readonly version: string | undefined;
  readonly values: Map<Name, T>;
  /** The names of all files, once they were listed. */
  names?: Set<Name>;
}

export class SettingsFolder<Name extends string, T> {
  readonly #source: SettingsSource;
  readonly #place: SettingsPlace<Name, T>;
  /**
   * Survives changes of the version: a file with the same text is not parsed again, which is most of the cost of
   * reading it.
   */
  readonly #parsed = new Map<Name, { readonly text: string; readonly value: T }>();
  #cache: Cache<Name, T> = { version: undefined, values: new Map() };

  constructor(source: SettingsSource, place: SettingsPlace<Name, T>) {
    this.#source = source;
    this.#place = place;
  }

  /** The path of a file in the storage. */
  pathOf(name: Name): string {
    return `${this.#place.folder}/${name}.yaml`;
  }

  /** The names of the files that are there now. */
  async list(): Promise<readonly Name[]> {
    const { folder, isName } = this.#place;
    const files = await this.#source.fs.list(join(this.#source.root, folder));
    const stems = files.flatMap((file) =>
      file.endsWith(".yaml") && !isTemporary(file) ? [file.slice(0, -".yaml".length)] : [],
    );
    return stems.filter(isName);
  }

  /** The names of all files, listed once for each version. */
  async names(): Promise<ReadonlySet<Name>> {
    const cache = this.#current();
    const names = (cache.names ??= new Set(await this.list()));
    for (const name of this.#parsed.keys()) if (!names.has(name)) this.#parsed.delete(name);
    return names;
  }

  /** What was read of a file last, perhaps before a change. */
  known(name: Name): T | undefined {
    return this.#parsed.get(name)?.value;
  }

  /** What a file holds, or undefined. @throws SkepError `content-invalid` when it cannot be read. */
  read(name: Name): T | undefined {
    const { values } = this.#current();
    const known = values.get(name);
    if (known !== undefined) return known;
    const text = readTextNow(this.#source.fs.disk, join(this.#source.root, this.pathOf(name)));
    if (text === undefined) return undefined;
    try {
      const before = this.#parsed.get(name);
      const value = before?.text === text ? before.value : this.#place.parse(name, text);
      this.#parsed.set(name, { text, value });
      values.set(name, value);
      return value;
    } catch (cause) {
      throw invalidFile(this.pathOf(name), cause);
    }
  }

  /** As {@link read}. @throws SkepError `storage-missing`, as an unmounted disk must not look like a removed file. */
  readMounted(name: Name): T | undefined {
    const value = this.read(name);
    if (value === undefined) requireStorage(this.#source.fs, this.#source.root);
    return value;
  }

  #current(): Cache<Name, T> {
    const version = this.#source.version.current();
    // Nothing is cached during a change, nor after one that was interrupted.
    if (version === undefined) return { version, values: new Map() };
    if (this.#cache.version !== version) this.#cache = { version, values: new Map() };
    return this.#cache;
  }

  /**
   * Keeps what was read beside a file that this process has changed, since nothing else was changed meanwhile.
   * @param versions of the settings before and after the change; undefined where it was not ended.
   */
  keepAfter(path: string, isThere: boolean, versions: readonly (string | undefined)[]): void {
    const [before, after] = versions;
    const { version, values, names } = this.#cache;
    if (version !== before) return;
    const name = basename(path, ".yaml");
    if (this.#place.isName(name) && path === this.pathOf(name)) {
      values.delete(name);
      names?.[isThere ? "add" : "delete"](name);
    }
    this.#cache = { version: after, values, names };
  }
}
