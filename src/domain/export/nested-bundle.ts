/** An export of all locales to JSON where each file's content is nested below the file's stem. */
import { materialisedTexts } from "../strings/aligned-texts.ts";
import { addKeys, project } from "../strings/group-edit.ts";
import type { SourceFiles } from "../strings/hive-content.ts";
import type { FileName } from "../names.ts";
import { isStepDone, type Steps } from "../steps.ts";
import type { Group, Texts } from "../strings/string-file.ts";
import type { BundlePrefix } from "./export-names.ts";

/**
 * One locale's texts as one group, which flattens to the texts of the flat export, shared keys decided alike. Each file
 * has the shape of its source. Where a text and a group claim one name, the text has it and the group's keys become
 * dotted names beside it.
 * @param prefixes see {@link bundlePrefixes}.
 * @param localized the texts that are exported, by file.
 */
export function* nestedBundle(
  source: SourceFiles,
  prefixes: readonly BundlePrefix[],
  localized: ReadonlyMap<FileName, Texts>,
): Steps<Group> {
  const taken = new Set<string>();
  let root: Group = emptyGroup();
  // Most files are added at once, since adding copies the names that there are already.
  let waiting = emptyGroup();
  for (const { file, prefix } of prefixes) {
    const own = new Map<string, string>();
    for (const [key, text] of yield* materialisedTexts(localized.get(file) ?? own)) {
      if (isStepDone()) yield;
      if (taken.has(prefix + key)) continue;
      taken.add(prefix + key);
      own.set(key, text);
    }
    const strings = source.get(file);
    const group = strings && (yield* project(strings, own));
    if (group === undefined) continue;
    if (prefix === "") {
      root = yield* addKeys(root, group, () => true);
      continue;
    }
    const name = prefix.slice(0, -1);
    if (waiting[name] !== undefined) {
      root = yield* addKeys(root, waiting, () => true);
      waiting = emptyGroup();
    }
    waiting[name] = group;
  }
  return yield* addKeys(root, waiting, () => true);
}

function emptyGroup(): Record<string, Group> {
  // No prototype: `__proto__` is a name like any other.
  const group: Record<string, Group> = Object.create(null);
  return group;
}
