/**
 * What each Hive publishes, `channels/<slug>.<id>.yaml`. The names of the files are the index from public ids to Hives. It
 * is kept in memory as long as `settings-version` stays the same.
 */
import { join } from "node:path";
import { z } from "zod";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { requireStorage } from "../../disk/storage-folder.ts";
import { isPublicationId, storedChannel, type Publication } from "../../domain/export/channel.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import type { Registry } from "./registry.ts";
import type { Deletion } from "./settings-files.ts";
import { SettingsFolder, type SettingsPlace } from "./settings-folder.ts";
import { InvalidSettings, storedForm, type StoredForm } from "./stored-settings.ts";

const channelsForm: StoredForm<Pick<Publication, "channels">> = storedForm(
  "channels",
  z.strictObject({ channels: z.array(storedChannel) }),
);

/** The name of a file without its ending, `<slug>.<id>`. */
type PublicationName = `${string}.${string}`;

/** What the name of a file says; undefined where it is no {@link PublicationName}. */
export function parsePublicationName(name: string): Pick<Publication, "slug" | "id"> | undefined {
  const [slug = "", id = "", ...rest] = name.split(".");
  return rest.length === 0 && isHiveSlug(slug) && isPublicationId(id) ? { slug, id } : undefined;
}

function isPublicationName(name: string): name is PublicationName {
  return parsePublicationName(name) !== undefined;
}

/** Where the files are, and how they are read. */
export const publicationPlace: SettingsPlace<PublicationName, Publication> = {
  folder: "channels",
  isName: isPublicationName,
  parse: (name, text) => {
    const of = parsePublicationName(name);
    if (of === undefined) throw new InvalidSettings(`${name} is no name of channels`);
    return { ...of, ...channelsForm.parse(text) };
  },
};

/** The files by their Hives, and by their public ids. */
interface Index {
  readonly names: ReadonlySet<PublicationName>;
  readonly of: ReadonlyMap<string, PublicationName>;
  readonly by: ReadonlyMap<string, PublicationName>;
}

export class PublicationStore {
  readonly #fs: DurableFs;
  readonly #root: string;
  readonly #registry: Registry;
  readonly #files: SettingsFolder<PublicationName, Publication>;
  #index: Index | undefined;

  /** @param root the storage's folder. */
  constructor(fs: DurableFs, root: string, registry: Registry) {
    this.#fs = fs;
    this.#root = root;
    this.#registry = registry;
    this.#files = new SettingsFolder({ fs, root, version: registry.version }, publicationPlace);
  }

  /** What a Hive publishes; undefined where it never had a channel. @throws SkepError `content-invalid`. */
  async of(slug: HiveSlug): Promise<Publication | undefined> {
    const name = (await this.#names()).of.get(slug);
    return name && this.#files.read(name);
  }

  /**
   * The publication with an id, or undefined, which costs no more than a look-up in memory.
   * @throws SkepError `content-invalid`; `storage-missing`, as an unmounted disk must not look like removed channels.
   */
  async by(id: string): Promise<Publication | undefined> {
    const name = (await this.#names()).by.get(id);
    if (name === undefined) requireStorage(this.#fs, this.#root);
    return name && this.#files.read(name);
  }

  /** Creates or replaces what a Hive publishes, if the caller still holds its lock. */
  save(publication: Publication, lock: HeldLock): Promise<void> {
    const [path, text] = this.#fileOf(publication);
    return this.#registry.change(path, () => text, lock);
  }

  /** Removes all that a Hive publishes, if the caller still holds its lock. */
  async forget(slug: HiveSlug, lock: HeldLock): Promise<void> {
    for (const name of await this.#files.list()) {
      const isOfHive = parsePublicationName(name)?.slug === slug;
      if (isOfHive) await this.#registry.change(this.#files.pathOf(name), () => undefined, lock);
    }
  }

  /** The name and the text of the file of what a Hive publishes, for its deletion note; undefined where there is none. */
  async fileOf(slug: HiveSlug): Promise<Deletion["published"]> {
    const name = (await this.#names()).of.get(slug);
    const text = name && (await this.#fs.readText(join(this.#root, this.#files.pathOf(name))));
    return text === undefined ? undefined : { file: `${name}.yaml`, text };
  }

  /** Saves again what {@link fileOf} gave; nothing if that is not what this Hive can publish. */
  async restore(slug: HiveSlug, published: Deletion["published"], lock: HeldLock): Promise<void> {
    const name = published?.file.replace(/\.yaml$/, "") ?? "";
    if (published === undefined || !isPublicationName(name)) return;
    try {
      const publication = publicationPlace.parse(name, published.text);
      if (publication.slug === slug) await this.save(publication, lock);
    } catch (error) {
      // The Hive comes back without what cannot be read.
      if (!(error instanceof InvalidSettings)) throw error;
    }
  }

  async #names(): Promise<Index> {
    const names = await this.#files.names();
    if (this.#index?.names === names) return this.#index;
    const all = [...names].flatMap((name) => parsePublicationName(name) ?? []);
    return (this.#index = {
      names,
      of: new Map(all.map((one) => [one.slug, `${one.slug}.${one.id}`])),
      by: new Map(all.map((one) => [one.id, `${one.slug}.${one.id}`])),
    });
  }

  /** The file of what a Hive publishes, by its path in the storage, for a backup; nothing where it publishes nothing. */
  async capture(slug: HiveSlug): Promise<readonly (readonly [path: string, text: string])[]> {
    const publication = await this.of(slug);
    return publication === undefined ? [] : [this.#fileOf(publication)];
  }

  #fileOf({ channels, ...of }: Publication): readonly [path: string, text: string] {
    return [this.#files.pathOf(`${of.slug}.${of.id}`), channelsForm.format({ channels })];
  }
}
