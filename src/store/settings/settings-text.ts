/** Settings as YAML. */
import { isDeepStrictEqual } from "node:util";
import { parse, stringify, type DocumentOptions, type SchemaOptions } from "yaml";

/** A name with a value, a name above a list, or an item of it. */
const line = /^(?:([a-z][a-z_]*):(?: (.+))?|  - (.+))$/;
const reserved = /^(?:null|true|false)$/i;
/** What is a text in YAML for certain: words, a time, or a hash. */
const text =
  /^(?:[A-Za-z](?:[A-Za-z0-9._ -]*[A-Za-z0-9])?|\d{4}-\d\d-\d\dT[\d:.]+Z|(?=\d*[a-df])[0-9a-f]{64})$/;
const wholeNumber = /^\d{1,15}$/;

/**
 * Parses settings. Thousands of files are read after a start, so those of names with texts, numbers and lists of these
 * are read without the parser of YAML, which takes ten times as long.
 * @throws Error when the text is not YAML.
 */
export function parseSettings(content: string): unknown {
  return parsePlain(content) ?? parse(content);
}

/** @returns undefined for what only the parser of YAML can read. */
function parsePlain(content: string): object | undefined {
  const members = new Map<string, unknown>();
  let items: unknown[] | undefined;
  for (const each of content.replace(/\n$/, "").split("\n")) {
    const [, name, value, item] = line.exec(each) ?? [];
    const scalar = toScalar(value ?? item ?? "");
    if (item !== undefined) {
      if (items === undefined || scalar === undefined) return undefined;
      items.push(scalar);
      continue;
    }
    if (name === undefined || members.has(name) || reserved.test(name) || items?.length === 0)
      return undefined;
    items = value === undefined ? [] : undefined;
    const member = items ?? (value === "[]" ? [] : scalar);
    if (member === undefined) return undefined;
    members.set(name, member);
  }
  return items?.length === 0 ? undefined : Object.fromEntries(members);
}

function toScalar(plain: string): string | number | undefined {
  if (wholeNumber.test(plain)) return Number(plain);
  return text.test(plain) && !reserved.test(plain) ? plain : undefined;
}

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
  const formatted = stringify(content, options);
  let found: T;
  try {
    found = read(formatted);
  } catch (cause) {
    throw new Error("these settings could not be read again once they are written", { cause });
  }
  if (!isDeepStrictEqual(defined(found), defined(settings))) {
    throw new Error("these settings would be read as other ones");
  }
  return formatted;
}

/** The same JSON values without members that are undefined, which YAML does not write. */
function defined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
