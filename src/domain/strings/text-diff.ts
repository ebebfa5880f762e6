/** What changed between two contents of a file, key by key. */
import { shownCodes, type HiveSettings } from "../hives/hive-settings.ts";
import type { StringAddress } from "../move.ts";
import { changesBesideTexts } from "../commits/change-kinds.ts";
import type { Texts } from "./string-file.ts";

/** A key with different texts; undefined where the key is missing. */
export interface KeyDiff {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const keptKinds = [...changesBesideTexts.filter((kind) => kind !== "note"), "moved"] as const;

export interface ShownChange extends KeyDiff {
  /** The locale's code in the Hive; the stored one of a locale that it has no more. */
  readonly locale: string;
  readonly file: string;
  /** Of a change of the team's note: its member. */
  readonly member?: string;
  /** What has changed where that is no text of the string: the texts are the same, or a picture's names, or an app's notes. */
  readonly kept?: (typeof keptKinds)[number];
  /** Of a string that was moved: where it was. */
  readonly from?: StringAddress;
}

/** Gives changes of stored locales the codes that are shown; see {@link shownCodes}. */
export function toShownChange(
  settings: HiveSettings | undefined,
): (
  change: Partial<KeyDiff> & Omit<ShownChange, "before" | "after" | "kept"> & { readonly change?: string },
) => ShownChange {
  const shown = shownCodes(settings);
  return ({ locale, file, key, member, from, before, after, change }) => ({
    locale: shown(locale),
    file,
    key,
    member,
    kept: keptKinds.find((kind) => kind === change),
    from,
    before,
    after,
  });
}

/** The keys that differ: those that are there now in the order of the file, then those that went. Linear. */
export function diffTexts(before: Texts, after: Texts): readonly KeyDiff[] {
  const diffs: KeyDiff[] = [];
  for (const [key, text] of after) {
    const old = before.get(key);
    if (old !== text) diffs.push({ key, before: old, after: text });
  }
  for (const [key, text] of before) {
    if (!after.has(key)) diffs.push({ key, before: text, after: undefined });
  }
  return diffs;
}

/** A text of a file, by its flattened key, without flattening the rest; undefined when there is none. */
export function textAt(node: unknown, key: string): string | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  const own: unknown = Object.hasOwn(node, key) ? Reflect.get(node, key) : undefined;
  if (typeof own === "string" && !(Array.isArray(node) && key === "length")) return own;
  for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1)) {
    const name = key.slice(0, dot);
    const inner = Object.hasOwn(node, name) ? textAt(Reflect.get(node, name), key.slice(dot + 1)) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}
