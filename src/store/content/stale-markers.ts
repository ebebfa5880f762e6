/** What a Hive remembers about its texts, such as stale markers, at one commit; read locale by locale on demand. */
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { storedPath, type FileName, type Oid } from "../../domain/names.ts";
import type { MarkerFiles, StaleMarkers } from "../../domain/strings/stale.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { toContentInvalid } from "../../git/bare-repo.ts";
import { emptyTree, filesOf, folderAt, type Tree } from "../../git/objects/tree.ts";

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
  readonly folder: MarkerFolder;
  readonly commit: Oid;
  readonly tree: Tree;
  /** The name of the file that is stored at a path below a locale's folder. @throws UnreadablePath */
  readonly toFile: (path: string, prefix: string) => FileName;
  /** @throws UnreadablePath */
  readonly readTexts: (oid: Oid, path: string) => Promise<Texts>;
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
    return locales.map((code) => this.#folder(code).oid).join(":");
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
    const { folder: name, toFile, readTexts } = this.#source;
    const prefix = `${name}/${locale}/`;
    const read = Array.from(filesOf(folder), async ({ path, oid }) => {
      const file = toFile(path, prefix);
      return { file, oid, texts: before?.blobs.get(oid) ?? (await readTexts(oid, prefix + path)) };
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
