/** The servers that may copy a storage, one YAML file each, with a hash of its secret. */
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { FollowerEntry } from "../../domain/replication/follower.ts";
import { failure } from "../../domain/errors.ts";
import { isFollowerName, type FollowerName } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { formatSettings } from "../settings/settings-text.ts";

const suffix = ".yaml";
const file = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), created: z.iso.datetime() });

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
      return { name, ...file.parse(parse(text)) };
    } catch (cause) {
      throw failure("content-invalid", `The settings file followers/${name}${suffix} is invalid.`, { cause });
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
  async save({ name, ...content }: FollowerEntry): Promise<void> {
    await this.#fs.makeFolder(this.#folder);
    await this.#fs.write(
      this.#path(name),
      formatSettings(content, content, (text) => file.parse(parse(text))),
    );
  }

  /** Removes a follower: it is refused from its next request. */
  async remove(name: FollowerName): Promise<void> {
    await this.#fs.removeFile(this.#path(name));
  }

  #path(name: FollowerName): string {
    return join(this.#folder, name + suffix);
  }
}
