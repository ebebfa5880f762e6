/** Lists in the YAML files of one folder. */
import { join } from "node:path";
import { z } from "zod";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { readTextNow, statNow } from "../../disk/disk.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { ParsedFile } from "../../disk/watched-file.ts";
import { isFailure } from "../../domain/errors.ts";
import type { Decoded, Encodable } from "../../domain/json-codec.ts";
import type { Documents } from "../record/record.ts";
import { storedForm, type SettingsKind, type StoredForm } from "./stored-settings.ts";

/** Where some lists are, and how they are stored: the list of `web` is in `mirrors/web.yaml`, for example. */
export interface ListPlace<Name extends string, T> {
  readonly folder: string;
  readonly ending: string;
  readonly isName: (text: string) => text is Name;
  readonly form: StoredForm<readonly T[]>;
  /** Whether it is the state of a job, which no write depends on. */
  readonly isState?: true;
}

/** The form of files with one list. @param member that it is in. */
export function listForm<Item extends z.ZodType>(
  [kind, member]: readonly [kind: SettingsKind, member: string],
  item: Item,
): StoredForm<readonly Decoded<z.output<Item>>[], readonly Encodable<z.input<Item>>[]>;
export function listForm(
  [kind, member]: readonly [SettingsKind, string],
  item: z.ZodType,
): StoredForm<readonly unknown[]> {
  const { parse, format } = storedForm(kind, z.strictObject({ [member]: z.array(item) }));
  return {
    parse: (text) => parse(text)[member] ?? [],
    format: (items) => format({ [member]: items }),
  };
}

export class ListFiles<Name extends string, T> {
  readonly #fs: DurableFs;
  readonly #root: string;
  readonly #documents: Documents;
  readonly #place: ListPlace<Name, T>;
  readonly #files = new Map<Name, ParsedFile<readonly T[]>>();

  /** @param root the storage's folder. */
  constructor(fs: DurableFs, root: string, documents: Documents, place: ListPlace<Name, T>) {
    this.#fs = fs;
    this.#root = root;
    this.#documents = documents;
    this.#place = place;
  }

  async names(): Promise<readonly Name[]> {
    const { folder, ending, isName } = this.#place;
    const files = (await this.#fs.list(join(this.#root, folder))).filter((file) => file.endsWith(ending));
    return files.map((file) => file.slice(0, -ending.length)).filter(isName);
  }

  /** The items of a list; none where it is missing. @throws SkepError `content-invalid` when it cannot be read. */
  read(name: Name): readonly T[] {
    const file =
      this.#files.get(name) ?? new ParsedFile(this.#fs.disk, this.#path(name), this.#place.form.parse);
    this.#files.set(name, file);
    return file.read() ?? [];
  }

  /** As {@link read}, of lists that may be lost: none where it cannot be read. */
  readable(name: Name): readonly T[] {
    try {
      return this.read(name);
    } catch (error) {
      if (!isFailure(error, "content-invalid")) throw error;
      return [];
    }
  }

  /** Replaces a list if the caller still holds its lock, and removes one that is empty. On failure it stays as it was. */
  async save(name: Name, items: readonly T[], lock: HeldLock): Promise<void> {
    if (items.length === 0) return this.remove(name, lock);
    await this.#put(name, this.#place.form.format(items), lock);
  }

  /** Changes a list that no plan of a write depends on, while the caller holds its lock; see {@link Documents.swap}. */
  async change(name: Name, change: (before: readonly T[]) => readonly T[], lock: HeldLock): Promise<void> {
    const before = readTextNow(this.#fs.disk, this.#path(name));
    const items = change(this.readable(name));
    const after = items.length === 0 ? undefined : this.#place.form.format(items);
    if (after !== before) await this.#documents.swap(this.#inner(name), { before, after }, lock);
  }

  /** Removes a list if it is there and the caller still holds its lock. */
  async remove(name: Name, lock: HeldLock): Promise<void> {
    this.#files.delete(name);
    if (statNow(this.#fs.disk, this.#path(name)) !== undefined) await this.#put(name, undefined, lock);
  }

  #put(name: Name, text: string | undefined, lock: HeldLock): Promise<void> {
    const { isState = false } = this.#place;
    return this.#documents[isState ? "putState" : "put"](this.#inner(name), text, lock);
  }

  /** The path in the storage of a list with some items, and its text; nothing for an empty list. For backups. */
  capture(name: Name, items: readonly T[]): readonly (readonly [path: string, text: string])[] {
    return items.length === 0 ? [] : [[this.#inner(name), this.#place.form.format(items)]];
  }

  #path(name: Name): string {
    return join(this.#root, this.#inner(name));
  }

  #inner(name: Name): string {
    return `${this.#place.folder}/${name}${this.#place.ending}`;
  }
}
