/** Explains why keys of a translation import match no source string. */
import type { BundleKeys } from "../export/export-names.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { SourceFiles } from "../strings/hive-content.ts";
import { SkepError, type SentKey } from "../errors.ts";
import { counted, excerpt } from "../text.ts";
import type { FileName } from "../names.ts";
import type { Steps } from "../steps.ts";

export const unknownReasons = ["no-file", "no-key", "group-in-source", "text-in-source"] as const;

/**
 * - `no-file`: the name means no file of the Hive;
 * - `no-key`: no source string has the key;
 * - `group-in-source`: the source has a list or an object of texts there, and a text was sent;
 * - `text-in-source`: the source has a text there, and a list or an object was sent.
 */
export type UnknownReason = (typeof unknownReasons)[number];

/** A key that matches no source string, under the file name that the caller gave. */
export interface UnknownKey extends SentKey {
  readonly reason: UnknownReason;
}

/** A key that matches no string. */
export interface UnmatchedKey {
  /** The file name that the caller gave. */
  readonly name: string;
  readonly key: string;
  /** The Hive's file that the name means. */
  readonly file: FileName | undefined;
  /** Whether the key was looked up among those of an export of all locales, too. */
  readonly bundled: boolean;
}

/** A string whose translation stays as it is, although a text was sent for it. */
export interface SkippedKey {
  readonly file: FileName;
  readonly key: string;
  /** Its translation, where there is one. */
  readonly text: string | undefined;
}

/** What a translation import does not take: the first of either kind. */
export interface RejectedKeys {
  readonly locale: LocaleCode;
  readonly unknown: readonly UnknownKey[];
  readonly skipped: readonly SkippedKey[];
}

/** Keys that an error names in its message. */
const maxInMessage = 20;

/**
 * Makes the error for an import of which every key is to match a source string.
 * @param keys the first that do not.
 * @param total how many do not.
 */
export function unknownKeysError(keys: readonly UnknownKey[], total: number): SkepError<"unknown-keys"> {
  const named = keys.slice(0, maxInMessage).map(({ file, key }) => `${excerpt(file)}: ${excerpt(key)}`);
  const more = total > named.length ? ` and ${total - named.length} more` : "";
  const message = `${counted(total, "key")} of the request ${total === 1 ? "matches" : "match"} no source string, so nothing was written: ${named.join(", ")}${more}`;
  // Not why: that tells what is stored, and the caller may not be able to read.
  const sent = keys.map(({ file, key }) => ({ file, key }));
  return new SkepError("unknown-keys", message, { keys: sent, total });
}

/** Finds for each key the reason why it matches no source string. */
export function* explainUnknown(
  unmatched: readonly UnmatchedKey[],
  source: SourceFiles,
  bundle: () => Steps<BundleKeys>,
): Steps<readonly UnknownKey[]> {
  const indexes = new Map<FileName | undefined, KeyIndex>();
  function* indexOf(file: FileName | undefined): Steps<KeyIndex> {
    const known = indexes.get(file);
    if (known !== undefined) return known;
    const keys = file === undefined ? yield* bundle() : source.get(file)?.texts;
    const created = KeyIndex.of(keys ?? new Map());
    indexes.set(file, created);
    return created;
  }
  const unknown: UnknownKey[] = [];
  for (const { name, key, file, bundled } of unmatched) {
    const places = [...(file === undefined ? [] : [file]), ...(bundled ? [undefined] : [])];
    let reason: UnknownReason = places.length === 0 ? "no-file" : "no-key";
    for (const place of places) {
      const found = (yield* indexOf(place)).mismatchOf(key);
      if (found === undefined) continue;
      reason = found;
      break;
    }
    unknown.push({ file: name, key, reason });
  }
  return unknown;
}

/** Keys, with the groups that contain them. */
class KeyIndex {
  readonly #keys: ReadonlyMap<string, unknown>;
  readonly #groups: ReadonlySet<string>;

  private constructor(keys: ReadonlyMap<string, unknown>, groups: ReadonlySet<string>) {
    this.#keys = keys;
    this.#groups = groups;
  }

  static of(keys: ReadonlyMap<string, unknown>): KeyIndex {
    const groups = new Set<string>();
    for (const key of keys.keys()) {
      for (const group of groupsOf(key)) groups.add(group);
    }
    return new KeyIndex(keys, groups);
  }

  mismatchOf(key: string): UnknownReason | undefined {
    if (this.#groups.has(key)) return "group-in-source";
    for (const group of groupsOf(key)) if (this.#keys.has(group)) return "text-in-source";
    return undefined;
  }
}

/** `a` and `a.b` for the key `a.b.c`. */
function* groupsOf(key: string): Generator<string> {
  for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1)) yield key.slice(0, dot);
}
