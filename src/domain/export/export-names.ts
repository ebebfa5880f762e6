/**
 * The names of files and keys in exports. Translation imports use the same rules to find the strings for such names.
 */
import type { HiveContent } from "../strings/hive-content.ts";
import { isCodeOf } from "../hives/locale.ts";
import { foldCase, stemOf, type FileName } from "../names.ts";
import type { Steps } from "../steps.ts";
import { translatableTexts } from "../strings/string-file.ts";

/** A source string: its file and its key. */
export interface StringId {
  readonly file: FileName;
  readonly key: string;
}

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

/** Strings by their keys in an export of all locales to JSON; several strings can share a key. */
export type BundleKeys = ReadonlyMap<string, readonly StringId[]>;

/**
 * The strings behind each key of an export of all locales to JSON, in the order in which a shared key is decided. The
 * plural forms that any locale may have are among them.
 */
export function* bundleKeys(hive: Pick<HiveContent, "settings" | "source">): Steps<BundleKeys> {
  const strings = new Map<string, StringId[]>();
  for (const { file, prefix } of bundlePrefixes(hive)) {
    yield;
    for (const key of translatableTexts(hive.source.get(file)).keys()) {
      const bundled = prefix + key;
      const others = strings.get(bundled);
      if (others === undefined) strings.set(bundled, [{ file, key }]);
      else others.push({ file, key });
    }
  }
  return strings;
}
