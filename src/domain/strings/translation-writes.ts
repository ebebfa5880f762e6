/** Makes the files that a change of a Hive writes. */
import { filtered } from "../filtered.ts";
import { groupInSteps } from "../group-by.ts";
import type { FileName } from "../names.ts";
import { pause } from "../../slices.ts";
import { translationsAt } from "./content-diff.ts";
import { translationFile } from "./group-edit.ts";
import type { FileWrite, HiveContent, KeyChange } from "./hive-content.ts";
import {
  emptyFile,
  isSameFile,
  noTexts,
  translatableTexts,
  type StringFile,
  type Texts,
  childOf,
  isList,
  sameGroup,
} from "./string-file.ts";

/**
 * The writes of source files, and of translation files whose texts change, or whose source file changes its shape.
 * @param files the source files that change in any way; undefined for a file that is removed.
 * @param changes with all translations that go with their source strings; changes of source strings are ignored.
 * @param orphans what happens to a text that was stored without a source string when its string comes. An import keeps it:
 * it may have been the source text before another locale became the source.
 */
export async function contentWrites(
  now: HiveContent,
  files: ReadonlyMap<FileName, StringFile | undefined>,
  changes: readonly KeyChange[],
  orphans: "kept" | "dropped" = "dropped",
): Promise<readonly FileWrite[]> {
  const source = now.settings.sourceLocale.code;
  const writes = Array.from(files, ([file, content]): FileWrite => ({ locale: source, file, content }));
  const byFile = await groupInSteps(changes, ({ file }) => file);
  for (const file of new Set([...files.keys(), ...byFile.keys()])) {
    const before = now.source.get(file);
    const shape = files.has(file) ? files.get(file) : before;
    const keys = translatableTexts(shape);
    const byLocale = await groupInSteps(byFile.get(file) ?? [], ({ locale }) => locale);
    // Computed only if a locale has the file, and once for all locales.
    let isKept: boolean | undefined;
    let added: readonly string[] | undefined;
    for (const { code } of now.settings.targetLocales) {
      const stored = now.translations.get(code)?.get(file);
      const own = byLocale.get(code) ?? [];
      if (stored === undefined && own.length === 0) continue;
      await pause();
      isKept ??= shape === before || (await keepsShape(before ?? emptyFile, shape ?? emptyFile));
      added ??= shape === before ? [] : keysWithout(keys, translatableTexts(before));
      const hasOrphans =
        orphans === "dropped" && stored !== undefined && added.some((key) => stored.has(key));
      if (own.length === 0 && isKept && !hasOrphans) continue;
      const present = orphans === "kept" ? (stored ?? noTexts) : translationsAt(now, code, file);
      await pause();
      const texts = filtered(present, (key) => keys.has(key));
      for (const { key, after } of own) {
        if (after === undefined) texts.delete(key);
        else texts.set(key, after);
      }
      await pause();
      const content = translationFile(shape, texts);
      await pause();
      const isChanged = own.length > 0 || hasOrphans;
      if (isChanged || !isSameFile(translationFile(before, present), content))
        writes.push({ locale: code, file, content });
    }
  }
  return writes;
}

/** The keys of texts that others lack. */
export function keysWithout(texts: Texts, others: Texts): readonly string[] {
  const keys: string[] = [];
  for (const key of texts.keys()) {
    if (!others.has(key)) keys.push(key);
  }
  return keys;
}

/** Whether the keys of both versions have the same shape and order, so that no translation file changes its shape. */
async function keepsShape(before: StringFile, after: StringFile): Promise<boolean> {
  if (isList(before.group) !== isList(after.group)) return false;
  await pause();
  const hasPlurals = before.plurals !== undefined || after.plurals !== undefined;
  if (!hasPlurals && sameGroup(before.group, after.group, "shape")) return true;
  await pause();
  const was = outline(before, translatableTexts(after));
  await pause();
  const is = outline(after, translatableTexts(before));
  return sameOutline(was, is);
}

type Outline = readonly (string | boolean | Outline)[];

/**
 * The shape that translations with these keys would have. Unlike a projection it always tells a list from an object, even
 * where both give the same JSON for these keys.
 */
function outline(
  { group, plurals }: Pick<StringFile, "group" | "plurals">,
  keys: Texts,
  prefix = "",
): Outline {
  const parts: (string | boolean | Outline)[] = [];
  for (const name of Object.keys(group)) {
    const node = childOf(group, name);
    if (node === undefined) continue;
    if (typeof node === "string") {
      if (keys.has(prefix + name)) parts.push(name);
      if (plurals === undefined) continue;
      for (const form of plurals.behind(prefix + name))
        if (keys.has(form)) parts.push(form.slice(prefix.length));
      continue;
    }
    const inner = outline({ group: node, plurals }, keys, `${prefix + name}.`);
    if (inner.length > 0) parts.push(name, isList(node), inner);
  }
  return parts;
}

function sameOutline(a: Outline, b: Outline): boolean {
  if (a.length !== b.length) return false;
  for (const [i, part] of a.entries()) {
    const other = b[i];
    const isSame =
      typeof part === "object" && typeof other === "object" ? sameOutline(part, other) : part === other;
    if (!isSame) return false;
  }
  return true;
}
