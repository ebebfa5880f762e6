/**
 * Small JSON files that change often and that no right and no write depends on, such as claims. All servers of a storage
 * share them, they are no part of a backup, and one that is missing or cannot be read is as an empty one.
 */
import type { z } from "zod";
import { jsonOrUndefined } from "../../domain/json.ts";
import type { Documents } from "../record/record.ts";

/** Where some files are, and what they hold. */
export interface VolatilePlace<Name extends string, T> {
  /** The path of a file in the storage. */
  readonly pathOf: (name: Name) => string;
  /** Reads the JSON of a file. */
  readonly schema: z.ZodType<T>;
  /** What a missing file says. */
  readonly empty: T;
  /** Gives the JSON of a file; undefined where there is nothing to keep, which removes it. */
  readonly toJson: (value: T) => unknown;
  /** Leaves out what has ended: of what was read, and of what is written. */
  readonly living?: (value: T) => T;
}

/** Gives what a file says after a change, which is what it was given if nothing changes; and a result. */
export type VolatileChange<T, R> = (
  before: T,
) => readonly [after: T, result: R] | Promise<readonly [after: T, result: R]>;

export class VolatileFiles<Name extends string, T> {
  readonly #documents: Documents;
  readonly #place: VolatilePlace<Name, T>;

  constructor(documents: Documents, place: VolatilePlace<Name, T>) {
    this.#documents = documents;
    this.#place = place;
  }

  async read(name: Name): Promise<T> {
    return this.#valueOf(await this.#documents.read(this.#place.pathOf(name)));
  }

  /**
   * Changes a file, one change at a time over all servers.
   * @param change may run more than once.
   * @throws SkepError `busy`, `disk-full`, `storage-missing`; what `change` throws.
   */
  change<R>(name: Name, change: VolatileChange<T, R>): Promise<R> {
    return this.#documents.change(this.#place.pathOf(name), async (stored) => {
      const before = this.#valueOf(stored);
      const [after, result] = await change(before);
      return [after === before ? stored : this.#textOf(after), result];
    });
  }

  /** As {@link change}. @returns what the file says then. */
  update(name: Name, change: (before: T) => T): Promise<T> {
    return this.change(name, (before) => {
      const after = change(before);
      return [after, after];
    });
  }

  /** Removes a file. @throws as {@link change}. */
  remove(name: Name): Promise<void> {
    return this.#documents.change(this.#place.pathOf(name), async () => [undefined, undefined]);
  }

  #valueOf(text: string | undefined): T {
    const { schema, empty, living = (value) => value } = this.#place;
    const { data = empty } = text === undefined ? {} : schema.safeParse(jsonOrUndefined(text));
    return living(data);
  }

  #textOf(value: T): string | undefined {
    const { toJson, living = (all) => all } = this.#place;
    const json = toJson(living(value));
    return json === undefined ? undefined : `${JSON.stringify(json)}\n`;
  }
}

/** What a file says whose form has a number, for a later release to change: `{"format": 1, …}`. */
export function withoutFormat<T extends { format: 1 }>(file: T): Omit<T, "format"> {
  const { format: _, ...value } = file;
  return value;
}
