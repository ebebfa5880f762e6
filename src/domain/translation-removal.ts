/** The plan of removing translations by their keys: which string each key belongs to, as an import would have it. */
import { bundleKeys, type BundleKeys, type StringId } from "./export-names.ts";
import { translationFile } from "./group-edit.ts";
import {
  translationsOf,
  type FileWrite,
  type HiveContent,
  type KeyChange,
  type Plan,
} from "./hive-content.ts";
import type { Locale } from "./locale.ts";
import type { FileName } from "./names.ts";
import { stringsNamed } from "./translation-import.ts";

export interface TranslationRemoval {
  readonly locale: Locale;
  /** Flattened keys, by file name as the caller gave it. */
  readonly files: ReadonlyMap<string, readonly string[]>;
}

/** deleted + skipped + unknown is the number of keys sent; a key that several strings share counts once. */
export interface RemovalCounts {
  readonly deleted: number;
  /** Keys of strings without a translation. */
  readonly skipped: number;
  /** Keys of no string. */
  readonly unknown: number;
}

/**
 * Plans to remove translations of one target locale; the second time it plans nothing.
 * @param bundle gives the strings by their keys in an export of all locales; asked only where a key needs it.
 */
export function planTranslationRemoval(
  hive: HiveContent,
  { locale, files }: TranslationRemoval,
  bundle: () => BundleKeys = () => bundleKeys(hive),
): Plan<RemovalCounts> {
  const find = stringsNamed(hive, locale, bundle);
  const present = translationsOf(hive, locale.code);
  const counts = { deleted: 0, skipped: 0, unknown: 0 };
  const left = new Map<FileName, Map<string, string>>();
  const changes: KeyChange[] = [];

  const remove = ({ file, key }: StringId): boolean => {
    const texts = left.get(file) ?? new Map(present.get(file));
    const before = texts.get(key);
    if (before === undefined) return false;
    texts.delete(key);
    left.set(file, texts);
    changes.push({ change: "cleared", locale: locale.code, file, key, before });
    return true;
  };

  for (const [name, keys] of files) {
    const stringsOf = find(name);
    for (const key of keys) {
      const ids = stringsOf(key);
      const removed = ids.filter(remove);
      if (removed.length > 0) counts.deleted++;
      else counts[ids.length > 0 ? "skipped" : "unknown"]++;
    }
  }
  const writes = Array.from(left, ([file, texts]): FileWrite => {
    return { locale: locale.code, file, content: translationFile(hive.source.get(file), texts) };
  });
  return { counts, writes, changes };
}
