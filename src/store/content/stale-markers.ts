/** What a Hive remembers about its texts, such as stale markers, at one commit; read locale by locale on demand. */
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { storedPath, type FileName, type Oid } from "../../domain/names.ts";
import { parseStoredJson } from "../../domain/json.ts";
import { parseReviews } from "../../domain/review/review.ts";
import type { MarkerFiles, StaleMarkers } from "../../domain/strings/stale.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { UnreadablePath } from "../../git/bare-repo.ts";
import { parseLocaleFile } from "./locale-files.ts";
import { StoredFiles, type StoredSource } from "./stored-files.ts";

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
  constructor(source: StoredSource, folder: MarkerFolder, previous?: StoredMarkers) {
    this.#files = new StoredFiles(
      source,
      async (readBlob, path) => (folder === reviewFolder ? readReviews : readTexts)(await readBlob(), path),
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

async function readTexts(bytes: Uint8Array, path: string): Promise<Texts> {
  return (await parseLocaleFile(bytes, path)).texts;
}

async function readReviews(bytes: Uint8Array, path: string): Promise<Texts> {
  try {
    return parseReviews(parseStoredJson(bytes));
  } catch (cause) {
    throw new UnreadablePath(path, { cause });
  }
}
