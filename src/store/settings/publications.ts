/**
 * What each Hive publishes, `channels/<slug>.<id>.yaml`. The names of the files are the index from public ids to Hives. It
 * is kept in memory as long as `settings-version` stays the same.
 */
import { join } from "node:path";
import { z } from "zod";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { invalidFile } from "../../disk/watched-file.ts";
import { requireStorage } from "../../disk/storage-folder.ts";
import {
  isChannelName,
  isPublicationId,
  type Channel,
  type Publication,
  type PublicationId,
} from "../../domain/export/channel.ts";
import { exportStates } from "../../domain/review/exported-texts.ts";
import { failingTexts } from "../../domain/export/export.ts";
import { isTag } from "../../domain/notes/note.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import { branchName, localeCode, oid, textThat, time } from "./fields.ts";
import type { Registry } from "./registry.ts";
import type { Deletion } from "./settings-files.ts";
import { InvalidSettings, storedForm } from "./stored-settings.ts";

const channel = z.strictObject({
  name: textThat(isChannelName),
  source: z.union([z.strictObject({ branch: branchName }), z.strictObject({ at: z.string(), commit: oid })]),
  locales: z.array(localeCode).optional(),
  shape: z.enum(["flat", "nested"]),
  state: z.enum(exportStates).optional(),
  failing: z.enum(failingTexts).optional(),
  tags: z.array(z.string().refine(isTag)).optional(),
  public: z.boolean(),
  updated: time,
  key: z.string().regex(/^[0-9a-f]{32}$/),
});

const channelsForm = storedForm(
  "channels",
  z.strictObject({ channels: z.array(channel) }),
  (file: { readonly channels: readonly Channel[] }) => file,
);

type PublicationName = Pick<Publication, "slug" | "id">;

function publicationFile({ slug, id }: PublicationName): string {
  return `${slug}.${id}.yaml`;
}

/** What the name of a file says; undefined for a name that {@link publicationFile} does not give. */
export function parsePublicationFile(name: string): PublicationName | undefined {
  const [slug = "", id = "", ...rest] = name.split(".");
  return rest.join() === "yaml" && isHiveSlug(slug) && isPublicationId(id) ? { slug, id } : undefined;
}

/** @throws InvalidSettings when the file is invalid. */
export function parsePublication(name: PublicationName, text: string): Publication {
  return { ...name, ...channelsForm.parse(text) };
}

const folder = "channels";

function pathOf(name: PublicationName): string {
  return `${folder}/${publicationFile(name)}`;
}

/** What was read under one version of the settings. */
interface Cache {
  readonly version: string | undefined;
  readonly read: Map<PublicationId, Publication>;
  names?: {
    readonly of: ReadonlyMap<string, PublicationName>;
    readonly by: ReadonlyMap<string, PublicationName>;
  };
}

export class PublicationStore {
  readonly #fs: DurableFs;
  readonly #root: string;
  readonly #registry: Registry;
  #cache: Cache = { version: undefined, read: new Map() };

  /** @param root the storage's folder. */
  constructor(fs: DurableFs, root: string, registry: Registry) {
    this.#fs = fs;
    this.#root = root;
    this.#registry = registry;
  }

  /** What a Hive publishes; undefined where it never had a channel. @throws SkepError `content-invalid`. */
  async of(slug: HiveSlug): Promise<Publication | undefined> {
    const cache = this.#currentCache();
    return this.#read(cache, (await this.#names(cache)).of.get(slug));
  }

  /**
   * The publication with an id, or undefined, which costs no more than a look-up in memory.
   * @throws SkepError `content-invalid`; `storage-missing`, as an unmounted disk must not look like removed channels.
   */
  async by(id: string): Promise<Publication | undefined> {
    const cache = this.#currentCache();
    const name = (await this.#names(cache)).by.get(id);
    if (name === undefined) requireStorage(this.#fs, this.#root);
    return this.#read(cache, name);
  }

  /** Creates or replaces what a Hive publishes, if the caller still holds its lock. */
  save(publication: Publication, lock: HeldLock): Promise<void> {
    const { channels } = publication;
    return this.#registry.change(pathOf(publication), () => channelsForm.format({ channels }), lock);
  }

  /** Removes all that a Hive publishes, if the caller still holds its lock. */
  async forget(slug: HiveSlug, lock: HeldLock): Promise<void> {
    for (const name of await this.#listNames()) {
      if (name.slug === slug) await this.#registry.change(pathOf(name), () => undefined, lock);
    }
  }

  /** The name and the text of the file of what a Hive publishes, for its deletion note; undefined where there is none. */
  async fileOf(slug: HiveSlug): Promise<Deletion["published"]> {
    const name = (await this.#names(this.#currentCache())).of.get(slug);
    const text = name && (await this.#fs.readText(join(this.#root, pathOf(name))));
    return name === undefined || text === undefined ? undefined : { file: publicationFile(name), text };
  }

  /** Saves again what {@link fileOf} gave; nothing if that is not what this Hive can publish. */
  async restore(slug: HiveSlug, published: Deletion["published"], lock: HeldLock): Promise<void> {
    const name = published && parsePublicationFile(published.file);
    if (name?.slug !== slug || published === undefined) return;
    try {
      await this.save(parsePublication(name, published.text), lock);
    } catch (error) {
      // The Hive comes back without what cannot be read.
      if (!(error instanceof InvalidSettings)) throw error;
    }
  }

  async #listNames(): Promise<readonly PublicationName[]> {
    return (await this.#fs.list(join(this.#root, folder))).flatMap(
      (file) => parsePublicationFile(file) ?? [],
    );
  }

  /** The version is read before the files are: what was read during a change is never kept. */
  #currentCache(): Cache {
    const version = this.#registry.version.current();
    if (version === undefined || this.#cache.version !== version) {
      this.#cache = { version, read: new Map() };
    }
    return this.#cache;
  }

  async #names(cache: Cache): Promise<NonNullable<Cache["names"]>> {
    if (cache.names !== undefined) return cache.names;
    const names = await this.#listNames();
    return (cache.names = {
      of: new Map(names.map((name) => [name.slug, name])),
      by: new Map(names.map((name) => [name.id, name])),
    });
  }

  /** The file of what a Hive publishes, by its path in the storage, for a backup; nothing where it publishes nothing. */
  async capture(slug: HiveSlug): Promise<readonly (readonly [path: string, text: string])[]> {
    const publication = await this.of(slug);
    if (publication === undefined) return [];
    const { channels } = publication;
    return [[pathOf(publication), channelsForm.format({ channels })]];
  }

  async #read(cache: Cache, name: PublicationName | undefined): Promise<Publication | undefined> {
    const known = name && cache.read.get(name.id);
    if (name === undefined || known !== undefined) return known;
    const text = await this.#fs.readText(join(this.#root, pathOf(name)));
    if (text === undefined) return undefined;
    try {
      const publication = parsePublication(name, text);
      cache.read.set(name.id, publication);
      return publication;
    } catch (cause) {
      throw invalidFile(pathOf(name), cause);
    }
  }
}
