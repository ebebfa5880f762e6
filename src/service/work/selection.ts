/** Strings that were selected in a list, as an address carries them: by hashes, since their names would be too long for one. */
import { hash } from "node:crypto";
import { maxAnsweredItems } from "../../domain/work/work.ts";

/** Enough that no other string of a large Hive is likely to have the hash of one of a thousand; what is done is shown first. */
const hashLength = 6;
const pattern = new RegExp(String.raw`^(?:[\w-]{${hashLength}}){1,${maxAnsweredItems}}$`);

interface SelectedString {
  readonly file: string;
  readonly key: string;
}

export interface Selection {
  readonly size: number;
  readonly has: (at: SelectedString) => boolean;
}

function hashOf({ file, key }: SelectedString): string {
  return hash("sha256", JSON.stringify([file, key]), "base64url").slice(0, hashLength);
}

/** Names strings for an address; see {@link selectionIn}. @param strings by the keys of their items. */
export function selectionToken(strings: readonly SelectedString[]): string {
  return strings.map(hashOf).join("");
}

/** What {@link selectionToken} has named; undefined for another text. */
export function selectionIn(text: string): Selection | undefined {
  if (!pattern.test(text)) return undefined;
  const hashes = new Set(text.match(new RegExp(`.{${hashLength}}`, "g")));
  return { size: hashes.size, has: (at) => hashes.has(hashOf(at)) };
}
