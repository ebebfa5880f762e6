/** Leaves of sent files that are no texts: trees of other tools have numbers, booleans and nulls among theirs. */
import { emptyRecord, isRecord } from "../record.ts";
import { pause } from "../../slices.ts";
import { maxDepth } from "./string-file.ts";

/** The `files` of a request without leaves that are not texts. */
export interface FilteredFiles {
  readonly files: unknown;
  readonly skipped: number;
}

/**
 * Removes leaves that are not texts, and groups that contain nothing else. A list of source texts stays a list: a removed
 * element before another one leaves an empty text or group in its place. In translations, `null` is an empty text. Other
 * problems of the files are left to their parser.
 */
export async function skipNonTextValues(
  files: unknown,
  kind: "source" | "translations",
): Promise<FilteredFiles> {
  let skipped = 0;

  /** The remaining part of a node; undefined when nothing remains. */
  function leftOf(node: unknown, depth: number): unknown {
    if (typeof node === "string" || (node === null && kind === "translations")) return node;
    if (typeof node !== "object" || node === null) {
      skipped++;
      return undefined;
    }
    if (depth > maxDepth || Object.keys(node).length === 0) return node;
    return Array.isArray(node) && kind === "source" ? leftOfList(node, depth) : leftOfObject(node, depth);
  }

  function leftOfList(list: readonly unknown[], depth: number): unknown {
    const left: unknown[] = [];
    for (const node of list) left.push(leftOf(node, depth + 1));
    const end = left.findLastIndex((node) => node !== undefined) + 1;
    return end === 0 ? undefined : left.slice(0, end).map((node, i) => node ?? placeOf(list[i]));
  }

  function leftOfObject(object: object, depth: number): unknown {
    const left = emptyRecord<unknown>();
    let isEmpty = true;
    for (const name of Object.keys(object)) {
      const node = leftOf(Reflect.get(object, name), depth + 1);
      if (node === undefined) continue;
      left[name] = node;
      isEmpty = false;
    }
    return isEmpty ? undefined : left;
  }

  if (!isRecord(files)) return { files, skipped };
  const left = emptyRecord<unknown>();
  for (const [name, content] of Object.entries(files)) {
    await pause();
    const isGroup = typeof content === "object" && content !== null;
    left[name] = isGroup ? (leftOf(content, 1) ?? {}) : content;
  }
  return { files: left, skipped };
}

function placeOf(node: unknown): unknown {
  if (typeof node !== "object" || node === null) return "";
  return Array.isArray(node) ? [] : {};
}
