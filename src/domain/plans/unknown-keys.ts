/** Explains why keys of a translation import match no source string. */
import { BundleKeys } from "../export/export-names.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { HiveContent } from "../strings/hive-content.ts";
import { groupsOf } from "../strings/flattened-keys.ts";
import { translatableTexts, type Texts } from "../strings/string-file.ts";
import { SkepError, type SentKey } from "../errors.ts";
import { counted, excerpt } from "../text.ts";
import type { StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";
import { pause } from "../../slices.ts";

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

export interface UnmatchedKey {
  readonly name: string;
  readonly key: string;
  /** The Hive's file that the name means. */
  readonly file: FileName | undefined;
  /** Whether the key was also looked up among the keys of an export of all locales. */
  readonly bundled: boolean;
}

/** A string whose translation stays as it is, although a text was sent for it. */
export interface SkippedKey extends StringAddress {
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
  // The reasons would tell what is stored, and the caller may not be allowed to read.
  const sent = keys.map(({ file, key }) => ({ file, key }));
  return new SkepError("unknown-keys", message, { keys: sent, total });
}

/** Finds for each key the reason why it matches no source string. */
export async function explainUnknown(
  unmatched: readonly UnmatchedKey[],
  { settings, source }: HiveContent,
): Promise<readonly UnknownKey[]> {
  const bundle = new BundleKeys({ settings, source });
  const indexes = new Map<FileName, KeyIndex>();
  function mismatchIn({ file, key }: StringAddress): UnknownReason | undefined {
    const index = indexes.get(file) ?? new KeyIndex(translatableTexts(source.get(file)));
    indexes.set(file, index);
    return index.mismatchOf(key);
  }
  const unknown: UnknownKey[] = [];
  for (const { name, key, file, bundled } of unmatched) {
    await pause();
    let reason = file && mismatchIn({ file, key });
    if (reason === undefined && bundled) {
      const shared = new Set(bundle.candidates(key).map(mismatchIn));
      if (bundle.isAboveFiles(key)) shared.add("group-in-source");
      reason = mismatches.find((mismatch) => shared.has(mismatch));
    }
    const isNowhere = file === undefined && !bundled;
    unknown.push({ file: name, key, reason: reason ?? (isNowhere ? "no-file" : "no-key") });
  }
  return unknown;
}

const mismatches = ["group-in-source", "text-in-source"] as const;

class KeyIndex {
  readonly #keys: Texts;
  readonly #groups: ReadonlySet<string>;

  constructor(keys: Texts) {
    this.#keys = keys;
    this.#groups = new Set([...keys.keys()].flatMap(groupsOf));
  }

  mismatchOf(key: string): UnknownReason | undefined {
    if (this.#groups.has(key)) return "group-in-source";
    return groupsOf(key).some((group) => this.#keys.has(group)) ? "text-in-source" : undefined;
  }
}
