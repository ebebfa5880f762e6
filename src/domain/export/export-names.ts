/**
 * The names of files and keys in exports. Translation imports use the same rules to find the strings for such names.
 */
import { groupBy } from "../group-by.ts";
import type { HiveContent, SourceFiles } from "../strings/hive-content.ts";
import { isCodeOf } from "../hives/locale.ts";
import type { StringAddress } from "../move.ts";
import { foldCase, stemOf, type FileName } from "../names.ts";
import { compareBytes } from "../text.ts";
import { groupsOf } from "../strings/flattened-keys.ts";
import { translatableTexts, type Texts } from "../strings/string-file.ts";

/**
 * The name of each file in an export of one locale. On a clash a file that already ends in the extension keeps its
 * name; of the others, in byte order, each takes stem + extension if that is free, else full name + extension,
 * repeated until it is free. Names are free when a file system without regard to case can hold all of them.
 * @param extension with its dot: `.json`.
 */
export function exportNames(files: readonly FileName[], extension: string): ReadonlyMap<FileName, string> {
  const names = new Map<FileName, string>();
  const taken = new Set<string>();
  const take = (file: FileName, name: string): void => {
    names.set(file, name);
    taken.add(foldCase(name));
  };
  for (const file of files) {
    for (let slash = file.indexOf("/"); slash !== -1; slash = file.indexOf("/", slash + 1)) {
      taken.add(foldCase(file.slice(0, slash)));
    }
  }
  for (const file of files) if (file.endsWith(extension)) take(file, file);
  for (const file of files) {
    if (names.has(file)) continue;
    let name = stemOf(file) + extension;
    for (let full = file + extension; taken.has(foldCase(name)); full += extension) name = full;
    take(file, name);
  }
  return new Map(files.map((file) => [file, names.get(file) ?? file]));
}

/** The prefix of the keys of one file in an export of all locales. */
export interface BundlePrefix {
  readonly file: FileName;
  /** Empty for bare keys, else ends with a dot. */
  readonly prefix: string;
}

/**
 * The prefix of each file's keys in an export of all locales to JSON, in the order in which a shared key is decided:
 * bare files first, then by byte order. Keys are `<stem>.<key>`; bare for files whose stem is a code of the source
 * locale, and for a Hive's only file unless it ends in `.php`; stems that clash are qualified by the full file name.
 */
export function bundlePrefixes(hive: Pick<HiveContent, "settings" | "source">): readonly BundlePrefix[] {
  const files = [...hive.source.keys()];
  const [only] = files;
  const isBare = (file: FileName): boolean =>
    isCodeOf(hive.settings.sourceLocale, stemOf(file)) ||
    (files.length === 1 && file === only && !file.endsWith(".php"));
  const qualified = files.filter((file) => !isBare(file));
  const stems = new Map<string, number>();
  for (const file of qualified) stems.set(stemOf(file), (stems.get(stemOf(file)) ?? 0) + 1);
  return [
    ...files.filter(isBare).map((file) => ({ file, prefix: "" })),
    ...qualified.map((file) => ({ file, prefix: `${stems.get(stemOf(file)) === 1 ? stemOf(file) : file}.` })),
  ];
}

/** Finds strings by their keys in an export of all locales to JSON; several strings can share a key. */
export class BundleKeys {
  readonly #source: SourceFiles;
  readonly #byPrefix: ReadonlyMap<string, readonly BundlePrefix[]>;
  /** The strings of bare files by their keys. There may be very many such files, and all may have the same keys. */
  #bare: ReadonlyMap<string, readonly StringAddress[]> | undefined;
  /** What prefixes begin with, up to a dot. */
  #groups: ReadonlySet<string> | undefined;

  constructor(hive: Pick<HiveContent, "settings" | "source">) {
    this.#source = hive.source;
    this.#byPrefix = groupBy(bundlePrefixes(hive), ({ prefix }) => prefix);
  }

  /** The strings of a key, in the order in which a shared key is decided; also plural forms that any locale may have. */
  stringsAt(key: string): readonly StringAddress[] {
    this.#bare ??= groupBy(this.#bareStrings(), (string) => string.key);
    const prefixed = this.#prefixed(key).filter((string) => this.#keysOf(string.file).has(string.key));
    const bare = this.#bare.get(key) ?? [];
    if (prefixed.length === 0) return bare;
    return [...bare, ...prefixed.toSorted((a, b) => compareBytes(a.file, b.file))];
  }

  /** The files that a key may be in, and the key that it would be there. */
  candidates(key: string): readonly StringAddress[] {
    return [...this.#bareFiles.map((file) => ({ file, key })), ...this.#prefixed(key)];
  }

  /** Whether all keys of some file are in a group of this name. */
  isAboveFiles(name: string): boolean {
    this.#groups ??= new Set([...this.#byPrefix.keys()].flatMap(groupsOf));
    return this.#groups.has(name);
  }

  #prefixed(key: string): readonly StringAddress[] {
    return groupsOf(key).flatMap((group) =>
      (this.#byPrefix.get(`${group}.`) ?? []).map(({ file, prefix }) => ({
        file,
        key: key.slice(prefix.length),
      })),
    );
  }

  get #bareFiles(): readonly FileName[] {
    return (this.#byPrefix.get("") ?? []).map(({ file }) => file);
  }

  #bareStrings(): readonly StringAddress[] {
    return this.#bareFiles.flatMap((file) => Array.from(this.#keysOf(file).keys(), (key) => ({ file, key })));
  }

  #keysOf(file: FileName): Texts {
    return translatableTexts(this.#source.get(file));
  }
}
