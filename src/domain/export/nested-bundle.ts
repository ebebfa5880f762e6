/** An export of all locales to JSON where each file's content is nested below the file's stem. */
import { addKeys, project } from "../strings/group-edit.ts";
import type { SourceFiles } from "../strings/hive-content.ts";
import type { FileName } from "../names.ts";
import { emptyRecord } from "../record.ts";
import type { Steps } from "../steps.ts";
import { isEmptyGroup, isList, type Group, type Texts } from "../strings/string-file.ts";
import type { BundlePrefix } from "./export-names.ts";

/** How many texts are added at once. */
const textsAtOnce = 50_000;

/**
 * One locale's texts as one group. It flattens to the texts of the flat export, with the same text for a shared key. Each file
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
  let root: Group = emptyRecord<Group>();
  // Files are added many at a time, because each addition copies all present names.
  let waiting = emptyRecord<Group>();
  let textsWaiting = 0;
  for (const { file, prefix } of prefixes) {
    yield;
    const own = new Map<string, string>();
    for (const [key, text] of localized.get(file) ?? own) {
      if (taken.has(prefix + key)) continue;
      taken.add(prefix + key);
      own.set(key, text);
    }
    const strings = source.get(file);
    yield;
    const group = strings && project(strings, own);
    if (group === undefined) continue;
    yield;
    if (prefix === "") {
      root = isEmptyGroup(root) && !isList(group) ? group : addKeys(root, group, () => true);
      continue;
    }
    const name = prefix.slice(0, -1);
    textsWaiting += own.size;
    if (waiting[name] !== undefined || textsWaiting > textsAtOnce) {
      root = addKeys(root, waiting, () => true);
      waiting = emptyRecord<Group>();
      textsWaiting = own.size;
    }
    waiting[name] = group;
  }
  return isEmptyGroup(waiting) ? root : addKeys(root, waiting, () => true);
}
