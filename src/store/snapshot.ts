/** A Hive at one commit, read from its repository; what is the same as in an earlier snapshot is taken from there. */
import { Issues } from "../domain/errors.ts";
import type { HiveContent, TranslationFiles } from "../domain/hive-content.ts";
import { parseHiveSettings, type HiveSettings } from "../domain/hive-settings.ts";
import type { LocaleCode } from "../domain/locale.ts";
import { isFileName, storedPath, type FileName, type Oid } from "../domain/names.ts";
import { toStringFile, type StringFile, type Texts } from "../domain/string-file.ts";
import { compareBytes } from "../domain/text.ts";
import { HiveIndex } from "../index/hive-index.ts";
import { UnreadablePath, type BareRepo, type CommitInfo } from "./bare-repo.ts";
import { emptyTree, fileIn, filesOf, folderAt, type Tree } from "./tree.ts";

/** The path of a Hive's settings in its repository. */
export const settingsPath = "hive.yaml";
const localesFolder = "locales";

/** The path of a file of one locale in the repository. */
export function blobPath(locale: LocaleCode, file: FileName): string {
  return `${localesFolder}/${locale}/${storedPath(file)}`;
}

/** The files of one locale, and by which blobs they are known. */
interface LocaleFiles<T> {
  readonly oid: Oid;
  readonly blobs: ReadonlyMap<FileName, Oid>;
  readonly files: ReadonlyMap<FileName, T>;
}

/** What a snapshot is built from besides the repository. */
interface Known {
  readonly previous?: Snapshot | undefined;
  /** The tree of the commit and the contents of its new blobs, where they were just written. */
  readonly written?: { readonly tree: Tree; readonly files: ReadonlyMap<Oid, StringFile> };
}

export class Snapshot {
  readonly commit: CommitInfo;
  readonly tree: Tree;
  readonly settings: HiveSettings;
  readonly index: HiveIndex;
  readonly #source: LocaleFiles<StringFile>;
  readonly #translations: ReadonlyMap<LocaleCode, LazyLocale>;

  private constructor(
    commit: CommitInfo,
    tree: Tree,
    settings: HiveSettings,
    source: LocaleFiles<StringFile>,
    translations: ReadonlyMap<LocaleCode, LazyLocale>,
  ) {
    this.commit = commit;
    this.tree = tree;
    this.settings = settings;
    this.#source = source;
    this.#translations = translations;
    this.index = new HiveIndex(settings, source.files);
  }

  /**
   * Reads the settings and the source strings at a commit; translations are read when they are asked for.
   * @throws UnreadablePath for content that is not a Hive's.
   */
  static async read(repo: BareRepo, commit: CommitInfo, known: Known = {}): Promise<Snapshot> {
    const { previous, written } = known;
    const tree = written?.tree ?? (await repo.readTree(commit.tree, previous?.tree));
    const settings = await readSettings(repo, tree, previous);
    const reader = new FileReader(repo, written?.files);
    const sourceCode = settings.sourceLocale.code;
    const sameSource = previous !== undefined && previous.settings.sourceLocale.code === sourceCode;
    const source = await reader.readSource(tree, sourceCode, sameSource ? previous.#source : undefined);
    const translations = new Map<LocaleCode, LazyLocale>();
    for (const { code } of settings.targetLocales) {
      const old = previous === undefined ? undefined : previous.#translations.get(code);
      if (old !== undefined && old.oid === localeFolder(tree, code).oid) {
        translations.set(code, old);
        continue;
      }
      const locale = new LazyLocale(reader, tree, code, old?.loaded);
      // What was in memory stays there: little of it changed, and asking for it later would read no less.
      if (old?.loaded !== undefined) await locale.load();
      translations.set(code, locale);
    }
    return new Snapshot(commit, tree, settings, source, translations);
  }

  /** The source strings and settings, and the translations into some of the locales, or into all. */
  async content(locales: readonly LocaleCode[] | "all"): Promise<HiveContent> {
    const wanted = locales === "all" ? [...this.#translations.keys()] : locales;
    const loaded = wanted.map(async (code): Promise<readonly [LocaleCode, TranslationFiles]> => {
      const files = await this.#translations.get(code)?.load();
      return [code, files?.files ?? new Map()];
    });
    const translations = new Map(await Promise.all(loaded));
    return { settings: this.settings, source: this.#source.files, translations };
  }

  /**
   * What the source strings and the translations into some locales depend on, as object names: where two snapshots
   * have the same version, everything made from these is the same.
   */
  version(locales: readonly LocaleCode[] = []): string {
    const translations = locales.map((code) => this.#translations.get(code)?.oid ?? "");
    return [fileIn(this.tree, settingsPath), this.#source.oid, ...translations].join(":");
  }
}

/** The translations of one locale, read once and only when asked for. */
class LazyLocale {
  readonly oid: Oid;
  #state: LocaleFiles<Texts> | (() => Promise<LocaleFiles<Texts>>);
  #loading: Promise<LocaleFiles<Texts>> | undefined;

  constructor(reader: FileReader, tree: Tree, code: LocaleCode, before: LocaleFiles<Texts> | undefined) {
    this.oid = localeFolder(tree, code).oid;
    this.#state = () => reader.readTranslations(tree, code, before);
  }

  get loaded(): LocaleFiles<Texts> | undefined {
    return typeof this.#state === "function" ? undefined : this.#state;
  }

  async load(): Promise<LocaleFiles<Texts>> {
    if (typeof this.#state !== "function") return this.#state;
    this.#loading ??= this.#state().finally(() => (this.#loading = undefined));
    return (this.#state = await this.#loading);
  }
}

function localeFolder(tree: Tree, code: LocaleCode): Tree {
  return folderAt(tree, [localesFolder, code]) ?? emptyTree;
}

async function readSettings(
  repo: BareRepo,
  tree: Tree,
  previous: Snapshot | undefined,
): Promise<HiveSettings> {
  const oid = fileIn(tree, settingsPath);
  if (oid === undefined) throw new UnreadablePath(settingsPath);
  if (previous !== undefined && fileIn(previous.tree, settingsPath) === oid) return previous.settings;
  const bytes = await repo.readBlob(oid, settingsPath);
  try {
    return parseHiveSettings(decode(bytes));
  } catch (cause) {
    throw new UnreadablePath(settingsPath, { cause });
  }
}

/** Reads the files of a locale, each blob only if its content is not known already. */
class FileReader {
  readonly #repo: BareRepo;
  readonly #written: ReadonlyMap<Oid, StringFile>;

  constructor(repo: BareRepo, written: ReadonlyMap<Oid, StringFile> = new Map()) {
    this.#repo = repo;
    this.#written = written;
  }

  async readSource(
    tree: Tree,
    code: LocaleCode,
    before: LocaleFiles<StringFile> | undefined,
  ): Promise<LocaleFiles<StringFile>> {
    const read = await this.#readAll(tree, code, before, (file) => file);
    // A file without keys is no file of the Hive.
    return { ...read, files: new Map([...read.files].filter(([, { texts }]) => texts.size > 0)) };
  }

  readTranslations(
    tree: Tree,
    code: LocaleCode,
    before: LocaleFiles<Texts> | undefined,
  ): Promise<LocaleFiles<Texts>> {
    return this.#readAll(tree, code, before, ({ texts }) => withoutEmpty(texts));
  }

  async #readAll<T>(
    tree: Tree,
    code: LocaleCode,
    before: LocaleFiles<T> | undefined,
    keep: (file: StringFile) => T,
  ): Promise<LocaleFiles<T>> {
    const folder = localeFolder(tree, code);
    if (before?.oid === folder.oid) return before;
    const prefix = `${localesFolder}/${code}/`;
    const blobs = Array.from(filesOf(folder), ({ path, oid }) => ({ file: toFile(path, prefix), path, oid }));
    blobs.sort((a, b) => compareBytes(a.file, b.file));
    const read = blobs.map(async ({ file, path, oid }): Promise<readonly [FileName, T]> => {
      const known = before?.blobs.get(file) === oid ? before.files.get(file) : undefined;
      if (known !== undefined) return [file, known];
      const written = this.#written.get(oid);
      return [
        file,
        keep(written ?? parseLocaleFile(await this.#repo.readBlob(oid, prefix + path), prefix + path)),
      ];
    });
    return {
      oid: folder.oid,
      blobs: new Map(blobs.map(({ file, oid }) => [file, oid])),
      files: new Map(await Promise.all(read)),
    };
  }
}

function toFile(path: string, prefix: string): FileName {
  const name = path.endsWith(".json") ? path.slice(0, -".json".length) : "";
  if (!isFileName(name)) throw new UnreadablePath(prefix + path);
  return name;
}

/** Reads the blob of a locale file. @throws UnreadablePath when it holds anything but texts. */
export function parseLocaleFile(bytes: Uint8Array, path: string): StringFile {
  const issues = new Issues();
  try {
    const file = toStringFile(JSON.parse(decode(bytes)), path, issues);
    issues.throwIfAny();
    return file;
  } catch (cause) {
    throw new UnreadablePath(path, { cause });
  }
}

function withoutEmpty(texts: Texts): Texts {
  for (const text of texts.values()) {
    if (text === "") return new Map([...texts].filter(([, some]) => some !== ""));
  }
  return texts;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
