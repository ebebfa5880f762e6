/**
 * Finds the commits that changed the text of a key. The keys that differ between two versions of a file are cached, so that
 * for the next key only the versions that changed it are read.
 */
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { FileName, Oid } from "../../domain/names.ts";
import { differingKeys, StoredFile } from "../../domain/strings/stored-text.ts";
import type { KeyDiff } from "../../domain/strings/text-diff.ts";
import { compareBytes } from "../../domain/text.ts";
import { pause } from "../../slices.ts";
import type { FileChange } from "./file-changes.ts";
import type { Found } from "./first-parent-searches.ts";
import { unlessUnreadable, type BareRepo } from "../../git/bare-repo.ts";
import { SizedCache } from "../../disk/memory-budget.ts";

export interface StoredChange extends KeyDiff {
  readonly locale: LocaleCode;
  readonly file: FileName;
}

export interface SoughtKey {
  readonly key: string;
  /** The only locale in which an empty text counts as a text. */
  readonly sourceLocale: LocaleCode | undefined;
}

const atOnce = 16;
/** About how many bytes the cached differences may take. */
const maxKeyBytes = 16_777_216;
/** About how many bytes the entry of two versions takes, and each key of it. */
const bytesPerPair = 300;
const bytesPerKey = 8;

export class KeyChanges {
  readonly #versions: FileVersions;
  /** Hashes of the keys that differ between two versions; several keys may have the same hash. */
  readonly differing = new SizedCache<readonly number[]>(maxKeyBytes);

  constructor(versions: FileVersions) {
    this.#versions = versions;
  }

  /**
   * The changes of a key by some commits: the source locale's first, then by locale and file.
   * @param commits the files that they changed.
   * @param signal stops it.
   * @throws the signal's reason.
   */
  async of(
    commits: Found<FileChange>,
    { key, sourceLocale }: SoughtKey,
    signal: AbortSignal | undefined,
  ): Promise<Found<StoredChange>> {
    const number = numberOf(key);
    const waiting = [...commits.values()]
      .flat()
      .filter((change) => this.differing.get(pairOf(change))?.includes(number) ?? true);
    const changes = new Map<FileChange, StoredChange>();
    for (let at = 0; at < waiting.length; at += atOnce) {
      signal?.throwIfAborted();
      const some = waiting.slice(at, at + atOnce);
      const files = await this.#readAll(some);
      await this.#compare(some, files, { key, sourceLocale, signal }, changes);
    }
    const found = new Map<Oid, readonly StoredChange[]>();
    for (const [oid, files] of commits) {
      const own = sourceFirst(files, sourceLocale).flatMap((change) => changes.get(change) ?? []);
      if (own.length > 0) found.set(oid, own);
    }
    return found;
  }

  async #compare(
    some: readonly FileChange[],
    versions: Map<Oid, StoredFile>,
    { key, sourceLocale, signal }: SoughtKey & { readonly signal: AbortSignal | undefined },
    changes: Map<FileChange, StoredChange>,
  ): Promise<void> {
    const last = new Map(some.flatMap((change) => blobsOf(change).map((oid) => [oid, change])));
    for (const change of some) {
      const { locale, file } = change;
      const [before, after] = [change.before, change.after].map((oid) => oid && versions.get(oid));
      for (const version of [before, after]) {
        await pause(signal);
        version?.parse();
      }
      await pause(signal);
      const pair = pairOf(change);
      // A version that cannot be read now may be readable later, so the pair is not cached.
      if (!this.differing.has(pair) && blobsOf(change).every((oid) => versions.has(oid))) {
        const numbers = (await differingKeys(before, after, signal))?.map(numberOf);
        const size = bytesPerPair + bytesPerKey * (numbers?.length ?? 0);
        if (numbers !== undefined) this.differing.set(pair, numbers, { size });
      }
      const [was, is] = [before, after].map((version) => {
        const text = version?.textAt(key);
        return text === "" && locale !== sourceLocale ? undefined : text;
      });
      if (was !== is) changes.set(change, { locale, file, key, before: was, after: is });
      // Parsed files are large.
      for (const oid of blobsOf(change)) if (last.get(oid) === change) versions.delete(oid);
      await pause();
    }
  }

  /** The versions of files before and after some changes; without those that cannot be read. */
  async #readAll(changes: readonly FileChange[]): Promise<Map<Oid, StoredFile>> {
    const oids = new Set(changes.flatMap(blobsOf));
    const read = Array.from(oids, async (oid) => [oid, await this.#versions.read(oid)] as const);
    return new Map((await Promise.all(read)).flatMap(([oid, file]) => (file ? [[oid, file]] : [])));
  }
}

function blobsOf({ before, after }: FileChange): readonly Oid[] {
  return [before, after].filter((oid) => oid !== undefined);
}

function pairOf({ before, after }: FileChange): string {
  return `${before} ${after}`;
}

/** The hash of a key: a number that is small enough to be stored without an object of its own. */
function numberOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x9e3779b1) >>> 2;
  return hash;
}

/** Sorts by locale, the source locale first, then by file: git and the comparison of trees have different orders. */
export function sourceFirst<T extends Pick<FileChange, "locale" | "file">>(
  files: readonly T[],
  sourceLocale: LocaleCode | undefined,
): readonly T[] {
  const rank = ({ locale }: T): string => (locale === sourceLocale ? "" : locale);
  return files.toSorted((a, b) => compareBytes(rank(a), rank(b)) || compareBytes(a.file, b.file));
}

/** About how many bytes the cache may take. */
const maxBytes = 33_554_432;
/** About how much more memory a parsed file takes than its bytes. */
const parsedRatio = 5;

export class FileVersions {
  readonly #repo: BareRepo;
  readonly cache = new SizedCache<StoredFile>(maxBytes);

  constructor(repo: BareRepo) {
    this.#repo = repo;
  }

  /** A version of a file; undefined where there is none, and for one that cannot be read. */
  async read(oid: Oid | undefined): Promise<StoredFile | undefined> {
    const known = oid && this.cache.get(oid);
    if (oid === undefined || known !== undefined) return known;
    const bytes = await unlessUnreadable(this.#repo.readBlob(oid, "a file"), undefined);
    if (bytes === undefined) return undefined;
    const file = new StoredFile(bytes);
    this.cache.set(oid, file, { size: 1 + parsedRatio * bytes.byteLength });
    return file;
  }

  /** As {@link read}, and parses it in a slice of its own. */
  async readParsed(oid: Oid | undefined): Promise<StoredFile | undefined> {
    const file = await this.read(oid);
    await pause();
    file?.parse();
    return file;
  }
}
