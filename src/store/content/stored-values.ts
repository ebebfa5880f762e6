/** Values beside the texts of a Hive at one commit, read folder by folder on demand. */
import { isFailure } from "../../domain/errors.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { parseJson } from "../../domain/json.ts";
import type { FileName, Oid } from "../../domain/names.ts";
import { notesKind } from "../../domain/notes/notes-kind.ts";
import type { StringNotes } from "../../domain/notes/note.ts";
import { acceptedKind, type AcceptedChecks } from "../../domain/sidecars/accepted.ts";
import { reviewKind, type Review } from "../../domain/sidecars/review.ts";
import { staleKind } from "../../domain/sidecars/stale.ts";
import { sidecars } from "../../domain/plans/sidecars.ts";
import {
  parseValues,
  SidecarValues,
  type FileValues,
  type KindValues,
  type LocaleValues,
  type Sidecar,
  type ValueFiles,
} from "../../domain/sidecars/sidecar.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { toContentInvalid, UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import { emptyTree, filesOf, folderAt, type Tree } from "../../git/objects/tree.ts";
import { toFile } from "./locale-files.ts";

export interface CommittedTree {
  readonly repo: BareRepo;
  /** Errors name it. */
  readonly commit: Oid;
  readonly tree: Tree;
}

/** What values beside the texts, such as pictures, refer to. */
export interface SourceAndSettings {
  readonly settings: HiveSettings;
  readonly index: { readonly source: SourceFiles };
}

interface LoadedFolder<V> {
  readonly oid: Oid;
  readonly blobs: ReadonlyMap<Oid, FileValues<V> | UnreadablePath>;
  readonly files: ValueFiles<V>;
  readonly unreadable: ReadonlyMap<FileName, UnreadablePath>;
}

/** Values, as far as they can be read. */
export interface ReadableValues<V> {
  readonly files: ValueFiles<V>;
  /** The files that cannot be read; undefined where it is not known which these are. */
  readonly unreadable: ReadonlyMap<FileName, UnreadablePath> | undefined;
}

/** The values of one kind. A locale does not matter for values of strings. */
export class StoredValues<V> {
  readonly #source: CommittedTree;
  readonly #kind: Sidecar<V>;
  readonly #loaded: Map<string, LoadedFolder<V>>;

  /** @param previous the values at another commit; blobs that it has read are not read again. */
  constructor(source: CommittedTree, kind: Sidecar<V>, previous?: StoredValues<V>) {
    this.#source = source;
    this.#kind = kind;
    this.#loaded = new Map(previous === undefined ? [] : previous.#loaded);
  }

  isOf(kind: Sidecar<unknown>): boolean {
    return this.#kind === kind;
  }

  /** Identifies the values of some locales: as long as it is the same, they are. */
  version(locales: readonly LocaleCode[] = []): string {
    if (this.#kind.by === "string") return this.folder();
    return locales.map((code) => this.folder(code)).join(":");
  }

  /** The object name of the folder; of an empty folder where there is none. */
  folder(locale?: LocaleCode): Oid {
    return this.#tree(locale).oid;
  }

  /** The values of a locale. @throws SkepError `content-invalid` when a file of them cannot be read. */
  async files(locale?: LocaleCode): Promise<ValueFiles<V>> {
    const { files, unreadable } = await this.#load(locale);
    const [first] = unreadable.values();
    if (first !== undefined) throw toContentInvalid(this.#source.commit, first);
    return files;
  }

  /** The values of some locales. @throws SkepError `content-invalid` when a file of them cannot be read. */
  async read(locales: readonly LocaleCode[]): Promise<LocaleValues<V>> {
    const read = locales.map(async (code): Promise<[LocaleCode, ValueFiles<V>]> => [
      code,
      await this.files(code),
    ]);
    return new Map(await Promise.all(read));
  }

  /** The same with its kind, for the values of several kinds. */
  async readKind(locales: readonly LocaleCode[], source: LocaleCode): Promise<KindValues<V>> {
    const kind = this.#kind;
    const all = new Map<LocaleCode, ValueFiles<V>>();
    for (const code of kind.by === "string" ? [source] : locales)
      all.set(code, kind.isOptional ? (await this.readable(code)).files : await this.files(code));
    return { kind, all };
  }

  /** Reads what can be read, for values that stand in nothing's way but their own. */
  async readable(locale?: LocaleCode): Promise<ReadableValues<V>> {
    try {
      return await this.#load(locale);
    } catch (error) {
      if (!isFailure(error, "content-invalid")) throw error;
      return { files: new Map(), unreadable: undefined };
    }
  }

  async #load(locale: LocaleCode | undefined): Promise<LoadedFolder<V>> {
    const path = this.#path(locale);
    const prefix = `${path.join("/")}/`;
    const folder = this.#tree(locale);
    const before = this.#loaded.get(prefix);
    if (before?.oid === folder.oid) return before;
    const { commit } = this.#source;
    const read = Array.from(filesOf(folder), async ({ path: name, oid }) => {
      const file = toFile(name, prefix);
      return { file, oid, content: before?.blobs.get(oid) ?? (await this.#readFile(oid, prefix + name)) };
    });
    const all = await Promise.all(read).catch((error: unknown) => {
      throw toContentInvalid(commit, error);
    });
    const files = new Map<FileName, FileValues<V>>();
    const unreadable = new Map<FileName, UnreadablePath>();
    for (const { file, content } of all) {
      if (content instanceof UnreadablePath) unreadable.set(file, content);
      else files.set(file, content);
    }
    const blobs = new Map(all.map(({ oid, content }) => [oid, content]));
    const loaded = { oid: folder.oid, blobs, files, unreadable };
    this.#loaded.set(prefix, loaded);
    return loaded;
  }

  async #readFile(oid: Oid, path: string): Promise<FileValues<V> | UnreadablePath> {
    let bytes: Uint8Array;
    try {
      bytes = await this.#source.repo.readBlob(oid, path);
    } catch (cause) {
      if (cause instanceof UnreadablePath) return cause;
      throw cause;
    }
    try {
      return await parseValues(this.#kind, await parseJson(bytes));
    } catch (cause) {
      return new UnreadablePath(path, { cause });
    }
  }

  #path(locale: LocaleCode | undefined): readonly string[] {
    const { folder, by } = this.#kind;
    return by === "string" || locale === undefined ? [folder] : [folder, locale];
  }

  #tree(locale: LocaleCode | undefined): Tree {
    return folderAt(this.#source.tree, this.#path(locale)) ?? emptyTree;
  }
}

/** The values of all kinds at one commit. */
export class StoredSidecars {
  readonly #kinds: readonly StoredValues<unknown>[];

  /** @param previous the values at another commit; blobs that it has read are not read again. */
  constructor(source: CommittedTree, previous?: StoredSidecars) {
    const before = previous === undefined ? [] : previous.#kinds;
    this.#kinds = sidecars.map(
      (kind) =>
        new StoredValues(
          source,
          kind,
          before.find((stored) => stored.isOf(kind)),
        ),
    );
  }

  get stale(): StoredValues<string> {
    return this.of(staleKind);
  }

  get review(): StoredValues<Review> {
    return this.of(reviewKind);
  }

  get accepted(): StoredValues<AcceptedChecks> {
    return this.of(acceptedKind);
  }

  get notes(): StoredValues<StringNotes> {
    return this.of(notesKind);
  }

  of<V>(kind: Sidecar<V>): StoredValues<V> {
    const stored = this.#kinds.find((one): one is StoredValues<V> => one.isOf(kind));
    if (stored === undefined) throw new Error(`${kind.folder} is no kind of values`);
    return stored;
  }

  /**
   * The values of all kinds; of optional ones those that can be read.
   * @param locales the target locales.
   * @throws SkepError `content-invalid` when others cannot be read.
   */
  async read(locales: readonly LocaleCode[], source: LocaleCode): Promise<SidecarValues> {
    const read = this.#kinds.map((stored) => stored.readKind(locales, source));
    return new SidecarValues(await Promise.all(read));
  }

  /** Identifies the values of all kinds in some locales: as long as it is the same, they are. */
  version(locales: readonly LocaleCode[]): string {
    return this.#kinds.map((stored) => stored.version(locales)).join(":");
  }
}
