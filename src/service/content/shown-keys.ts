/** Keys of a Hive that are given as people see them. */
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import { isFileName } from "../../domain/names.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { keyShownAs } from "../../domain/strings/shown-key.ts";
import type { StorageBase } from "../storage.ts";

/**
 * The key of a string at HEAD that is shown as a text, such as `menu|Open`; else the text itself.
 * @param place.file in which the string is; any file if undefined.
 */
export async function keyMeant(
  { hives }: StorageBase,
  branch: HiveBranch,
  { file, key }: { readonly file?: string; readonly key: string },
): Promise<string> {
  if (!key.includes("|")) return key;
  const { source } = await (await hives.at(branch).snapshot()).content([]);
  return keyShownAs(key, keysOf(source, file)) ?? key;
}

function* keysOf(source: SourceFiles, file: string | undefined): Generator<string> {
  if (file === undefined) for (const { texts } of source.values()) yield* texts.keys();
  else if (isFileName(file)) yield* source.get(file)?.texts.keys() ?? [];
}
