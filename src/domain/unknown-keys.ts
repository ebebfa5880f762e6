/** Why keys of a translation import match no source string. */
import type { BundleKeys } from "./export-names.ts";
import type { SourceFiles } from "./hive-content.ts";
import type { FileName } from "./names.ts";

export const unknownReasons = ["no-file", "no-key", "group-in-source", "text-in-source"] as const;

/**
 * - `no-file`: the name means no file of the Hive;
 * - `no-key`: no source string has the key;
 * - `group-in-source`: the source has a list or an object of texts there, and a text was sent;
 * - `text-in-source`: the source has a text there, and a list or an object was sent.
 */
export type UnknownReason = (typeof unknownReasons)[number];

/** A key that matches no source string, under the file name that the caller gave. */
export interface UnknownKey {
  readonly file: string;
  readonly key: string;
  readonly reason: UnknownReason;
}

/** A key that was looked up in vain. */
export interface MissedKey {
  /** The file name that the caller gave. */
  readonly name: string;
  readonly key: string;
  /** The Hive's file that the name means. */
  readonly file: FileName | undefined;
  /** Whether the key was looked up among those of an export of all locales, too. */
  readonly bundled: boolean;
}

/** Says of each key why it matches no source string. */
export function explainUnknown(
  missed: readonly MissedKey[],
  source: SourceFiles,
  bundle: () => BundleKeys,
): readonly UnknownKey[] {
  const lookUps = new Map<FileName | undefined, LookUp>();
  const lookUpIn = (file: FileName | undefined): LookUp => {
    const known = lookUps.get(file);
    if (known !== undefined) return known;
    const keys = file === undefined ? bundle() : source.get(file)?.texts;
    const made = new LookUp(keys ?? new Map());
    lookUps.set(file, made);
    return made;
  };
  return missed.map(({ name, key, file, bundled }) => {
    const places = [...(file === undefined ? [] : [file]), ...(bundled ? [undefined] : [])];
    const found = places.map((place) => lookUpIn(place).mismatchOf(key)).find((one) => one !== undefined);
    return { file: name, key, reason: found ?? (places.length === 0 ? "no-file" : "no-key") };
  });
}

/** Keys, with the groups that they lie in. */
class LookUp {
  readonly #keys: ReadonlyMap<string, unknown>;
  readonly #groups = new Set<string>();

  constructor(keys: ReadonlyMap<string, unknown>) {
    this.#keys = keys;
    for (const key of keys.keys()) for (const group of groupsOf(key)) this.#groups.add(group);
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
