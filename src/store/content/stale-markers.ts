/** What a Hive remembers about its texts, such as stale markers, at one commit; read locale by locale on demand. */
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { storedPath, type FileName, type Oid } from "../../domain/names.ts";
import type { MarkerFiles, StaleMarkers } from "../../domain/strings/stale.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { toContentInvalid, type BareRepo } from "../../git/bare-repo.ts";
import { emptyTree, filesOf, folderAt, type Tree } from "../../git/objects/tree.ts";
import { parseLocaleFile, toFile } from "./locale-files.ts";

/** The folder of stale markers in a Hive's repository. */
export const staleFolder = "stale";
/** The folder of findings that were accepted as false alarms. */
export const acceptedFolder = "accepted";
/** A folder with a file for each locale and file of the Hive. */
export type MarkerFolder = typeof staleFolder | typeof acceptedFolder;

/** The path of a file's markers in the repository. */
export function markersPath(folder: MarkerFolder, locale: LocaleCode, file: FileName): string {
  return `${folder}/${locale}/${storedPath(file)}`;
}

interface MarkerSource {
  readonly repo: BareRepo;
  readonly folder: MarkerFolder;
  /** Named where something cannot be read. */
  readonly commit: Oid;
  readonly tree: Tree;
}

interface LoadedMarkers {
  readonly oid: Oid;
  readonly blobs: ReadonlyMap<Oid, Texts>;
  readonly files: MarkerFiles;
}

export class StoredMarkers {
  readonly #source: MarkerSource;
  readonly #loaded: Map<LocaleCode, LoadedMarkers>;

  /** @param previous the markers at another commit; blobs that it has read are not read again. */
  constructor(source: MarkerSource, previous?: StoredMarkers) {
    this.#source = source;
    this.#loaded = new Map(previous === undefined ? [] : previous.#loaded);
  }

  /** Identifies the markers of some locales: as long as it is the same, they are. */
  version(locales: readonly LocaleCode[]): string {
    return locales.map((code) => this.folder(code)).join(":");
  }

  /** The object name of a locale's folder; that of an empty one where there is none. */
  folder(locale: LocaleCode): Oid {
    return this.#folder(locale).oid;
  }

  /**
   * The stored markers of some locales.
   * @throws SkepError `content-invalid` when a file of them cannot be read.
   */
  async read(locales: readonly LocaleCode[]): Promise<StaleMarkers> {
    try {
      const read = locales.map(async (code): Promise<[LocaleCode, MarkerFiles]> => [
        code,
        await this.#read(code),
      ]);
      return new Map(await Promise.all(read));
    } catch (error) {
      throw toContentInvalid(this.#source.commit, error);
    }
  }

  async #read(locale: LocaleCode): Promise<MarkerFiles> {
    const folder = this.#folder(locale);
    const before = this.#loaded.get(locale);
    if (before?.oid === folder.oid) return before.files;
    const { repo, folder: name } = this.#source;
    const prefix = `${name}/${locale}/`;
    const read = Array.from(filesOf(folder), async ({ path, oid }) => {
      const file = toFile(path, prefix);
      const known = before?.blobs.get(oid);
      if (known !== undefined) return { file, oid, texts: known };
      const { texts } = await parseLocaleFile(await repo.readBlob(oid, prefix + path), prefix + path);
      return { file, oid, texts };
    });
    const all = await Promise.all(read);
    const files = new Map(all.map(({ file, texts }) => [file, texts]));
    const blobs = new Map(all.map(({ oid, texts }) => [oid, texts]));
    this.#loaded.set(locale, { oid: folder.oid, blobs, files });
    return files;
  }

  #folder(locale: LocaleCode): Tree {
    return folderAt(this.#source.tree, [this.#source.folder, locale]) ?? emptyTree;
  }
}
