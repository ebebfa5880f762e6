/** Reads the files of one locale at a commit; contents that are known by their object names are not read again. */
import { packTexts, readPacked } from "../../domain/strings/packed-texts.ts";
import { Issues } from "../../domain/errors.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { parseJson } from "../../domain/json.ts";
import { isFileName, storedPath, type FileName, type Oid } from "../../domain/names.ts";
import { filtered } from "../../domain/filtered.ts";
import {
  readFlatFile,
  translatableTexts,
  toStringFile,
  type StringFile,
  type Texts,
} from "../../domain/strings/string-file.ts";
import { compareBytes } from "../../domain/text.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import { emptyTree, filesOf, folderAt, type Tree } from "../../git/objects/tree.ts";
import { pause } from "../../slices.ts";

/** The folder of all locales in a Hive's repository. */
export const localesFolder = "locales";

/** The path of a file of one locale in the repository. */
export function blobPath(locale: LocaleCode, file: FileName): string {
  return `${localesFolder}/${locale}/${storedPath(file)}`;
}

interface KnownFile<T> {
  readonly blob: Oid;
  readonly bytes: number;
  readonly content: T;
}

export interface LocaleFiles<T> {
  /** The object name of the locale's folder. */
  readonly oid: Oid;
  readonly bytes: number;
  readonly known: ReadonlyMap<FileName, KnownFile<T>>;
  readonly files: ReadonlyMap<FileName, T>;
}

export interface WrittenFile {
  readonly content: StringFile;
  readonly bytes: number;
}

/** The folder of a locale in the tree of a commit. */
export function localeFolder(tree: Tree, code: LocaleCode): Tree {
  return folderAt(tree, [localesFolder, code]) ?? emptyTree;
}

/** The translations of one locale, read once and only when asked for. */
export class LazyLocale {
  readonly oid: Oid;
  #state: LocaleFiles<Texts> | (() => Promise<LocaleFiles<Texts>>);
  #loading: Promise<LocaleFiles<Texts>> | undefined;

  /** @param read what reads it. */
  constructor(oid: Oid, read: () => Promise<LocaleFiles<Texts>>) {
    this.oid = oid;
    this.#state = read;
  }

  get loaded(): LocaleFiles<Texts> | undefined {
    return typeof this.#state === "function" ? undefined : this.#state;
  }

  /** Reads it without keeping it. @throws UnreadablePath when it cannot be read. */
  async check(): Promise<void> {
    if (typeof this.#state === "function") await (this.#loading ?? this.#state());
  }

  async load(): Promise<LocaleFiles<Texts>> {
    if (typeof this.#state !== "function") return this.#state;
    this.#loading ??= this.#state().finally(() => (this.#loading = undefined));
    return (this.#state = await this.#loading);
  }
}

/** How a file is represented in memory: made from its blob, or from content that was just written. */
interface FileForm<T> {
  /** @throws UnreadablePath when the blob holds anything but texts. */
  readonly parse: (blob: Uint8Array, path: string, name: FileName) => Promise<T>;
  readonly keep: (file: StringFile, name: FileName) => T;
}

/** Reads the files of a locale, each blob only if its content is not known already. */
export class FileReader {
  readonly #repo: BareRepo;
  readonly #written: ReadonlyMap<Oid, WrittenFile>;

  constructor(repo: BareRepo, written: ReadonlyMap<Oid, WrittenFile> = new Map()) {
    this.#repo = repo;
    this.#written = written;
  }

  async readSource(
    tree: Tree,
    code: LocaleCode,
    before: LocaleFiles<StringFile> | undefined,
  ): Promise<LocaleFiles<StringFile>> {
    const read = await this.#readAll(tree, code, before, {
      async parse(bytes, path) {
        await pause();
        const text = readable(path, () => decode(bytes));
        await pause();
        const flat = await readFlatFile(text);
        if (flat !== undefined) return flat;
        const value = readable(path, (): unknown => JSON.parse(text));
        await pause();
        return checkLocaleFile(value, path, { isSource: true });
      },
      keep: (file) => file,
    });
    // A stored file without keys does not count as a file of the Hive.
    return { ...read, files: new Map([...read.files].filter(([, { texts }]) => texts.size > 0)) };
  }

  /** @param source the source strings; the translations share their key strings in memory. */
  readTranslations(
    tree: Tree,
    code: LocaleCode,
    { before, source }: { before: LocaleFiles<Texts> | undefined; source: SourceFiles },
  ): Promise<LocaleFiles<Texts>> {
    const textsFor = (name: FileName): Texts | undefined =>
      source.has(name) ? translatableTexts(source.get(name)) : undefined;
    const keep = ({ texts }: StringFile, name: FileName): Texts =>
      packTexts(withoutEmpty(texts), textsFor(name));
    async function parse(bytes: Uint8Array, path: string, name: FileName): Promise<Texts> {
      const like = textsFor(name);
      const value = await parseBlob(bytes, path);
      const packed = like === undefined ? undefined : readPacked(value, like);
      if (packed !== undefined) return packed;
      await pause();
      const file = checkLocaleFile(value, path, { isSource: false, like });
      await pause();
      return keep(file, name);
    }
    return this.#readAll(tree, code, before, { parse, keep });
  }

  async #readAll<T>(
    tree: Tree,
    code: LocaleCode,
    before: LocaleFiles<T> | undefined,
    { parse, keep }: FileForm<T>,
  ): Promise<LocaleFiles<T>> {
    const folder = localeFolder(tree, code);
    if (before?.oid === folder.oid) return before;
    const prefix = `${localesFolder}/${code}/`;
    const blobs = Array.from(filesOf(folder), ({ path, oid }) => ({ name: toFile(path, prefix), path, oid }));
    blobs.sort((a, b) => compareBytes(a.name, b.name));
    const read = blobs.map(async ({ name, path, oid }): Promise<readonly [FileName, KnownFile<T>]> => {
      const file = before?.known.get(name);
      if (file?.blob === oid) return [name, file];
      const written = this.#written.get(oid);
      if (written !== undefined) {
        const content = keep(written.content, name);
        return [name, { blob: oid, bytes: written.bytes, content }];
      }
      const blob = await this.#repo.readBlob(oid, prefix + path);
      const content = await parse(blob, prefix + path, name);
      return [name, { blob: oid, bytes: blob.byteLength, content }];
    });
    const known = new Map(await Promise.all(read));
    const files = new Map(Array.from(known, ([name, { content }]) => [name, content]));
    const bytes = Array.from(known.values()).reduce((sum, file) => sum + file.bytes, 0);
    return { oid: folder.oid, bytes, known, files };
  }
}

/**
 * The name of the file that is stored at a path below a locale's folder.
 * @param prefix the folder, with its slash.
 * @throws UnreadablePath when no file can have the path.
 */
export function toFile(path: string, prefix: string): FileName {
  const name = fileOfPath(path);
  if (name === undefined) throw new UnreadablePath(prefix + path);
  return name;
}

/** The name of the file that is stored at a path in a locale's folder; undefined when no file can have that path. */
export function fileOfPath(path: string): FileName | undefined {
  const name = path.endsWith(".json") ? path.slice(0, -".json".length) : "";
  return isFileName(name) ? name : undefined;
}

/** A file that differs between two folders; a blob is undefined where the file is missing. */
export interface BlobChange {
  readonly file: FileName;
  readonly before: Oid | undefined;
  readonly after: Oid | undefined;
}

/** The files that differ between two folders, such as the folders of a locale at two commits. */
export function changedBlobs(before: Tree, after: Tree): readonly BlobChange[] {
  if (before.oid === after.oid) return [];
  const [was, is] = [blobsIn(before), blobsIn(after)];
  const files = new Set([...was.keys(), ...is.keys()]);
  const changes = Array.from(files, (file) => ({ file, before: was.get(file), after: is.get(file) }));
  return changes.filter((change) => change.before !== change.after);
}

function blobsIn(folder: Tree): ReadonlyMap<FileName, Oid> {
  const blobs = new Map<FileName, Oid>();
  for (const { path, oid } of filesOf(folder)) {
    const file = fileOfPath(path);
    if (file !== undefined) blobs.set(file, oid);
  }
  return blobs;
}

/**
 * Reads the blob of a locale file, without looking for plural strings.
 * @throws UnreadablePath when it holds anything but texts.
 */
export async function parseLocaleFile(bytes: Uint8Array, path: string): Promise<StringFile> {
  return checkLocaleFile(await parseBlob(bytes, path), path, { isSource: false });
}

async function parseBlob(bytes: Uint8Array, path: string): Promise<unknown> {
  try {
    return await parseJson(bytes);
  } catch (cause) {
    throw new UnreadablePath(path, { cause });
  }
}

/** @param options see {@link toStringFile}. */
function checkLocaleFile(
  value: unknown,
  path: string,
  options: { readonly isSource: boolean; readonly like?: Texts },
): StringFile {
  return readable(path, () => {
    const issues = new Issues();
    const file = toStringFile(value, path, issues, options);
    issues.throwIfAny();
    return file;
  });
}

/** Reads what is stored at a path. @throws UnreadablePath when that fails. */
export function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UnreadablePath(path, { cause });
  }
}

function withoutEmpty(texts: Texts): Texts {
  for (const text of texts.values()) if (text === "") return filtered(texts, (_, some) => some !== "");
  return texts;
}

/** @throws TypeError for bytes that are not UTF-8. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
