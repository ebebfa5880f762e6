/** Strings, groups and files of the Hive as people name them. */
import type { NamedPlace } from "../domain/plans/moves.ts";
import { keyShownAs } from "../domain/strings/shown-key.ts";
import { contextSeparator } from "../domain/text.ts";
import { ClientError } from "./api/client-error.ts";
import type { HiveApi } from "./api/hive-api.ts";

/** `file:key`, or a file; no file has a colon in its name. */
export function toNamedPlace(text: string): NamedPlace {
  const colon = text.indexOf(":");
  return colon === -1 ? { file: text } : { file: text.slice(0, colon), key: text.slice(colon + 1) };
}

/**
 * A place with the Hive's own key, where it was given as keys are shown, such as `menu|Open`.
 * A token that can only write has to give the key itself.
 */
export async function knownPlace<P extends NamedPlace>(hive: HiveApi, place: P): Promise<P> {
  const { file, key } = place;
  if (key?.includes("|") !== true) return place;
  try {
    const { source } = await hive.locales();
    const keys = (await hive.texts(source.code)).data.get(file)?.keys() ?? [];
    return { ...place, key: keyShownAs(key, keys) ?? key };
  } catch (error) {
    if (error instanceof ClientError && error.code === "missing_ability") return place;
    throw error;
  }
}

/**
 * A new key that was given as keys are shown, with the separators that the key had before.
 * @param known that key.
 * @param shown how it was given.
 */
export function likeKnown(key: string, known: string, shown: string): string {
  if (known === shown) return key;
  let left = known.split(contextSeparator).length - 1;
  return key.replaceAll("|", (bar) => (left-- > 0 ? contextSeparator : bar));
}
