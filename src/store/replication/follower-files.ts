/** The servers that may copy a storage, one YAML file each, with a hash of its secret. */
import { join } from "node:path";
import { z } from "zod";
import type { FollowerEntry } from "../../domain/replication/follower.ts";
import { isFollowerName, type FollowerName } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { invalidFile } from "../../disk/parsed-file.ts";
import { formatStored, parseStored } from "../settings/stored-settings.ts";

const suffix = ".yaml";
const file = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  created: z.iso.datetime(),
  may_take_over: z.boolean().default(false),
});

/** What a follower's file has besides its name. @throws InvalidSettings when it is invalid. */
export function parseFollower(text: string): Omit<FollowerEntry, "name"> {
  const { may_take_over: mayTakeOver, ...rest } = parseStored("follower", file, text);
  return { ...rest, mayTakeOver };
}

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
      return { name, ...parseFollower(text) };
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
    const { hash, created, mayTakeOver } = entry;
    const content = { hash, created, may_take_over: mayTakeOver };
    await this.#fs.makeFolder(this.#folder);
    await this.#fs.write(this.#path(name), formatStored(content, entry, parseFollower));
  }

  /** Removes a follower: it is refused from its next request. */
  async remove(name: FollowerName): Promise<void> {
    await this.#fs.removeFile(this.#path(name));
  }

  #path(name: FollowerName): string {
    return join(this.#folder, name + suffix);
  }
}
