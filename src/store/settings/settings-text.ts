/** Settings as YAML: whatever is written is read back first, by what will read it. */
import { isDeepStrictEqual } from "node:util";
import { stringify, type DocumentOptions, type SchemaOptions } from "yaml";

/**
 * The YAML of some settings.
 * @param content what is to be in the file.
 * @param settings what reading the file must give.
 * @param read what reads the file.
 * @throws Error when it would give anything else: a file that cannot be read would lock its owner out.
 */
export function formatSettings<T>(
  content: object,
  settings: T,
  read: (text: string) => T,
  options: DocumentOptions & SchemaOptions = {},
): string {
  const text = stringify(content, options);
  let found: T;
  try {
    found = read(text);
  } catch (cause) {
    throw new Error("these settings could not be read again once they are written", { cause });
  }
  if (!isDeepStrictEqual(found, settings)) throw new Error("these settings would be read as other ones");
  return text;
}
