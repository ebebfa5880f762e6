/** Makes the files of translations that a change of a Hive writes. */
import { filtered } from "../filtered.ts";
import { groupBy } from "../group-by.ts";
import type { FileName } from "../names.ts";
import type { Steps } from "../steps.ts";
import { translationsAt } from "./content-diff.ts";
import { translationFile } from "./group-edit.ts";
import { keepsShape } from "./group-shape.ts";
import type { FileWrite, HiveContent, KeyChange } from "./hive-content.ts";
import {
  emptyFile,
  isSameFile,
  noTexts,
  translatableTexts,
  type StringFile,
  type Texts,
} from "./string-file.ts";

/**
 * The writes of translation files whose texts change, or whose source file changes its shape.
 * @param files the source files that change in any way; undefined for a file that is removed.
 * @param changes with all translations that go with their source strings; those of source strings are ignored.
 * @param orphans what happens to a text that was stored without a source string when its string comes. An import keeps it:
 * it may have been the source text before another locale became the source.
 */
export function* translationWrites(
  now: HiveContent,
  files: ReadonlyMap<FileName, StringFile | undefined>,
  changes: readonly KeyChange[],
  orphans: "kept" | "dropped" = "dropped",
): Steps<readonly FileWrite[]> {
  const writes: FileWrite[] = [];
  const source = now.settings.sourceLocale.code;
  const byFile = groupBy(
    changes.filter(({ locale }) => locale !== source),
    ({ file }) => file,
  );
  for (const file of new Set([...files.keys(), ...byFile.keys()])) {
    const byLocale = groupBy(byFile.get(file) ?? [], ({ locale }) => locale);
    const before = now.source.get(file);
    const shape = files.has(file) ? files.get(file) : before;
    const keys = translatableTexts(shape);
    // Computed only if a locale has the file, and once for all locales.
    let isKept: boolean | undefined;
    let added: readonly string[] | undefined;
    for (const { code } of now.settings.targetLocales) {
      const stored = now.translations.get(code)?.get(file);
      const own = byLocale.get(code) ?? [];
      if (stored === undefined && own.length === 0) continue;
      yield;
      isKept ??= shape === before || keepsShape(before ?? emptyFile, shape ?? emptyFile);
      added ??= shape === before ? [] : keysWithout(keys, translatableTexts(before));
      const hasOrphans =
        orphans === "dropped" && stored !== undefined && added.some((key) => stored.has(key));
      if (own.length === 0 && isKept && !hasOrphans) continue;
      const present = orphans === "kept" ? (stored ?? noTexts) : translationsAt(now, code, file);
      yield;
      const texts = filtered(present, (key) => keys.has(key));
      for (const { key, after } of own) {
        if (after === undefined) texts.delete(key);
        else texts.set(key, after);
      }
      yield;
      const content = translationFile(shape, texts);
      yield;
      const isChanged = own.length > 0 || hasOrphans;
      if (isChanged || !isSameFile(translationFile(before, present), content))
        writes.push({ locale: code, file, content });
    }
  }
  return writes;
}

/** The keys of some texts that others do not have. */
export function keysWithout(texts: Texts, others: Texts): readonly string[] {
  const keys: string[] = [];
  for (const key of texts.keys()) {
    if (!others.has(key)) keys.push(key);
  }
  return keys;
}
