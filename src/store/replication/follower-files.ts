/** The servers that may copy a storage, one YAML file each, with a hash of its secret. */
import { join } from "node:path";
import { z } from "zod";
import type { FollowerEntry } from "../../domain/replication/follower.ts";
import { isFollowerName, type FollowerName } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { invalidFile } from "../../disk/parsed-file.ts";
import { hash, time } from "../settings/fields.ts";
import { storedForm } from "../settings/stored-settings.ts";

const suffix = ".yaml";

/** What a follower's file has besides its name. */
export const followerForm = storedForm(
  "follower",
  z
    .strictObject({ hash, created: time, may_take_over: z.boolean().default(false) })
    .transform(({ may_take_over: mayTakeOver, ...rest }) => ({ ...rest, mayTakeOver })),
  ({ hash: stored, created, mayTakeOver }: Omit<FollowerEntry, "name">) => {
    return { hash: stored, created, may_take_over: mayTakeOver };
  },
);

export class FollowerFiles {
  readonly #fs: DurableFs;
  readonly #folder: string;

  constructor(fs: DurableFs, folder: string) {
    this.#fs = fs;
    this.#folder = join(folder, "followers");
  }

  /** The follower of that name, or undefined. @throws SkepError `content-invalid`. */
  async read(name: FollowerName): Promise<FollowerEntry | undefined> {
    const text = await this.#fs.readText(this.#path(name));
    if (text === undefined) return undefined;
    try {
      return { name, ...followerForm.parse(text) };
    } catch (cause) {
      throw invalidFile(`followers/${name}${suffix}`, cause);
    }
  }

  /** All followers, by name. @throws as {@link read}. */
  async list(): Promise<readonly FollowerEntry[]> {
    const names = (await this.#fs.list(this.#folder)).flatMap((path) => {
      const name = path.slice(0, -suffix.length);
      return path.endsWith(suffix) && isFollowerName(name) ? [name] : [];
    });
    const found = await Promise.all(names.map((name) => this.read(name)));
    return found.filter((entry) => entry !== undefined);
  }

  /** Stores a follower. @throws SkepError `disk-full`. */
  async save({ name, ...entry }: FollowerEntry): Promise<void> {
    await this.#fs.makeFolder(this.#folder);
    await this.#fs.write(this.#path(name), followerForm.format(entry));
  }

  /** Removes a follower: it is refused from its next request. */
  async remove(name: FollowerName): Promise<void> {
    await this.#fs.removeFile(this.#path(name));
  }

  #path(name: FollowerName): string {
    return join(this.#folder, name + suffix);
  }
}
