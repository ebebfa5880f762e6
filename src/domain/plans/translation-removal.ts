/** Plans removals of translations by their keys, which are resolved as in imports. */
import { AddressMap, type StringAddress } from "../move.ts";
import { translationsOf, type HiveContent, type KeyChange, type Plan } from "../strings/hive-content.ts";
import type { Locale } from "../hives/locale.ts";
import { isStepDone, pause } from "../../slices.ts";
import { contentWrites } from "../strings/translation-writes.ts";
import { stringsNamed } from "./translation-import.ts";

export interface TranslationRemoval {
  readonly locale: Locale;
  /** Flattened keys, by file name as the caller gave it. */
  readonly files: ReadonlyMap<string, readonly string[]>;
}

/** deleted + skipped + unknown is the number of keys sent; a key that several strings share counts once. */
export interface RemovalCounts {
  readonly deleted: number;
  readonly skipped: number;
  readonly unknown: number;
}

/** Plans to remove translations of one target locale; the second time it plans nothing. */
export async function planTranslationRemoval(
  hive: HiveContent,
  { locale, files }: TranslationRemoval,
): Promise<Plan<RemovalCounts>> {
  const find = stringsNamed(hive, locale);
  const present = translationsOf(hive, locale.code);
  const counts = { deleted: 0, skipped: 0, unknown: 0 };
  const gone = new AddressMap<true>();
  const changes: KeyChange[] = [];

  const remove = ({ file, key }: StringAddress): boolean => {
    const before = present.get(file)?.get(key);
    if (before === undefined || gone.has({ file, key })) return false;
    gone.set({ file, key }, true);
    changes.push({ change: "cleared", locale: locale.code, file, key, before });
    return true;
  };

  for (const [name, keys] of files) {
    const stringsOf = find(name);
    for (const key of keys) {
      if (isStepDone()) await pause();
      const ids = stringsOf(key);
      const removed = ids.filter(remove);
      if (removed.length > 0) counts.deleted++;
      else counts[ids.length > 0 ? "skipped" : "unknown"]++;
    }
  }
  return { counts, writes: await contentWrites(hive, new Map(), changes), changes };
}
