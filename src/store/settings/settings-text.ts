/** Formats settings as YAML and checks that the parser reads the same settings back. */
import { isDeepStrictEqual } from "node:util";
import { stringify, type DocumentOptions, type SchemaOptions } from "yaml";

/**
 * Formats settings as YAML.
 * @param content the members of the file.
 * @param settings what the parser must give for the file.
 * @param read the parser of the file.
 * @throws Error when the parser gives anything else: an unreadable file would lock its owner out.
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
  if (!isDeepStrictEqual(defined(found), defined(settings))) {
    throw new Error("these settings would be read as other ones");
  }
  return text;
}

/** The same JSON values without members that are undefined, which YAML does not write. */
function defined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
