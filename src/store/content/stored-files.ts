/** Files beside the texts of a Hive at one commit, read folder by folder on demand. */
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { type FileName, type Oid, storedPath } from "../../domain/names.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { toContentInvalid, type BareRepo } from "../../git/bare-repo.ts";
import { emptyTree, filesOf, folderAt, type Tree } from "../../git/objects/tree.ts";
import { toFile, parseLocaleFile, readable } from "./locale-files.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { parseStoredJson } from "../../domain/json.ts";
import { parseReviews } from "../../domain/review/review.ts";
import type { MarkerFiles, StaleMarkers } from "../../domain/strings/stale.ts";
import type { Texts } from "../../domain/strings/string-file.ts";

export interface CommittedTree {
  readonly repo: BareRepo;
  /** Errors name it. */
  readonly commit: Oid;
  readonly tree: Tree;
}

/** What files beside the texts, such as notes and pictures, refer to. */
export interface SourceAndSettings {
  readonly settings: HiveSettings;
  readonly index: { readonly source: SourceFiles };
}

type ReadFile<T> = (readBlob: () => Promise<Uint8Array>, path: string) => Promise<T>;

interface LoadedFolder<T> {
  readonly oid: Oid;
  readonly blobs: ReadonlyMap<Oid, T>;
  readonly files: ReadonlyMap<FileName, T>;
}

export class StoredFiles<T> {
  readonly #source: CommittedTree;
  readonly #parse: ReadFile<T>;
  readonly #loaded: Map<string, LoadedFolder<T>>;

  /**
   * @param parse reads a file from its blob; throws UnreadablePath where that cannot be.
   * @param previous the files at another commit; blobs that it has read are not read again.
   */
  constructor(source: CommittedTree, parse: ReadFile<T>, previous?: StoredFiles<T>) {
    this.#source = source;
    this.#parse = parse;
    this.#loaded = new Map(previous === undefined ? [] : previous.#loaded);
  }

  /** The object name of a folder; of an empty one where there is none. */
  folder(path: readonly string[]): Oid {
    return this.#folder(path).oid;
  }

  /** The files of a folder. @throws SkepError `content-invalid` when one of them cannot be read. */
  async read(path: readonly string[]): Promise<ReadonlyMap<FileName, T>> {
    const prefix = `${path.join("/")}/`;
    const folder = this.#folder(path);
    const before = this.#loaded.get(prefix);
    if (before?.oid === folder.oid) return before.files;
    const { repo, commit } = this.#source;
    const read = Array.from(filesOf(folder), async ({ path: name, oid }) => {
      const file = toFile(name, prefix);
      const known = before?.blobs.get(oid);
      if (known !== undefined) return { file, oid, content: known };
      const at = prefix + name;
      return { file, oid, content: await this.#parse(() => repo.readBlob(oid, at), at) };
    });
    const all = await Promise.all(read).catch((error: unknown) => {
      throw toContentInvalid(commit, error);
    });
    const files = new Map(all.map(({ file, content }) => [file, content]));
    const blobs = new Map(all.map(({ oid, content }) => [oid, content]));
    this.#loaded.set(prefix, { oid: folder.oid, blobs, files });
    return files;
  }

  #folder(path: readonly string[]): Tree {
    return folderAt(this.#source.tree, path) ?? emptyTree;
  }
}

/** The folder of stale markers in a Hive's repository. */
export const staleFolder = "stale";
/** The folder of findings that were accepted as false alarms. */
export const acceptedFolder = "accepted";
/** The folder of translations that wait for a review. */
export const reviewFolder = "review";
/** A folder with a file for each locale and file of the Hive. */
export type MarkerFolder = typeof staleFolder | typeof acceptedFolder | typeof reviewFolder;

/** The path of a file's markers in the repository. */
export function markersPath(folder: MarkerFolder, locale: LocaleCode, file: FileName): string {
  return `${folder}/${locale}/${storedPath(file)}`;
}

export class StoredMarkers {
  readonly #files: StoredFiles<Texts>;
  readonly #folder: MarkerFolder;

  /** @param previous the markers at another commit; blobs that it has read are not read again. */
  constructor(source: CommittedTree, folder: MarkerFolder, previous?: StoredMarkers) {
    this.#files = new StoredFiles(
      source,
      async (readBlob, path) => {
        const bytes = await readBlob();
        if (folder === reviewFolder) return readable(path, () => parseReviews(parseStoredJson(bytes)));
        return (await parseLocaleFile(bytes, path)).texts;
      },
      previous === undefined ? undefined : previous.#files,
    );
    this.#folder = folder;
  }

  /** Identifies the markers of some locales: as long as it is the same, they are. */
  version(locales: readonly LocaleCode[]): string {
    return locales.map((code) => this.folder(code)).join(":");
  }

  /** The object name of a locale's folder; of an empty folder where there is none. */
  folder(locale: LocaleCode): Oid {
    return this.#files.folder([this.#folder, locale]);
  }

  /**
   * The stored markers of some locales.
   * @throws SkepError `content-invalid` when a file of them cannot be read.
   */
  async read(locales: readonly LocaleCode[]): Promise<StaleMarkers> {
    const read = locales.map(async (code): Promise<[LocaleCode, MarkerFiles]> => [
      code,
      await this.#files.read([this.#folder, code]),
    ]);
    return new Map(await Promise.all(read));
  }
}
