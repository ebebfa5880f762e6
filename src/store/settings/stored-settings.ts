/**
 * The form of stored settings files: strict, and with the number of their format. A member that nothing knows may be a
 * restriction, so a file that has one is not read. Files of earlier formats are read by steps from each to the next, and
 * are rewritten at the next start; see {@link migrateSettings}.
 */
import { parse as parseYaml, stringify, type DocumentOptions, type SchemaOptions } from "yaml";
import { z } from "zod";
import { LRUCache } from "lru-cache";
import { isDeepStrictEqual } from "node:util";
import { decode, type Decoded, encode, type Encodable } from "../../domain/json-codec.ts";
import { toOneLine } from "../../domain/text.ts";

export type SettingsKind =
  | "team"
  | "token"
  | "person"
  | "sessions"
  | "mirrors"
  | "mirror-states"
  | "webhooks"
  | "webhook-states"
  | "engines"
  | "channels"
  | "deletion";

type Members = Readonly<Record<string, unknown>>;

/** Each step changes the members of a file of one format into members of the next; its index is the first format. */
const steps: readonly ((kind: SettingsKind, members: Members) => Members)[] = [
  // Files of the first releases have no number.
  (_, members) => members,
  // A token names its ended sessions.
  (_, members) => members,
  // A token may be strict about checks, and a channel may leave out texts that fail them.
  (_, members) => members,
  // A token may be reviewed, and may approve; a channel may publish approved texts alone.
  (_, members) => members,
  // A token may be a person's.
  (_, members) => members,
];

/** The number of the format in which files are written. */
export const settingsFormat = steps.length;

/** A settings file cannot be read; the message says why in a few words. */
export class InvalidSettings extends Error {}

/** The number of a file's format. @throws InvalidSettings when the file cannot be read, or a later version wrote it. */
export function formatOf(text: string): number {
  return read(text).format;
}

/** The text of a file in the present format. @throws InvalidSettings. */
export function toPresentFormat(kind: SettingsKind, text: string): string {
  const members = membersOf(kind, text);
  return formatSettings({ format: settingsFormat, ...members }, members, (found) => membersOf(kind, found));
}

/** How files of one kind are read and written. @typeParam Given what can be written as them. */
export interface StoredForm<T, Given = T> {
  /** @throws InvalidSettings, also for members that the schema does not know. */
  readonly parse: (text: string) => T;
  /** @throws Error when {@link parse} could not read what it would give. */
  readonly format: (settings: Given) => string;
}

/** The form of files with the members of a schema, whose names are in camel case in memory; see {@link encode}. */
export function storedForm<Schema extends z.ZodObject>(
  kind: SettingsKind,
  schema: Schema,
): StoredForm<Decoded<z.output<Schema>>, Encodable<z.input<Schema>>>;
export function storedForm(kind: SettingsKind, schema: z.ZodObject): StoredForm<Members> {
  const parse = keepingResults((text: string): Members => {
    const { data, error } = schema.safeParse(membersOf(kind, text));
    if (error !== undefined) throw toInvalid(error);
    return decode(schema, data);
  });
  const format = (settings: Members): string =>
    formatSettings({ format: settingsFormat, ...encode(schema, settings) }, settings, parse);
  return { parse, format };
}

/** The error for the first problem that a schema has found. */
function toInvalid(error: z.ZodError): InvalidSettings {
  const [{ path, message } = { path: [], message: "" }] = error.issues;
  return new InvalidSettings(path.length === 0 ? message : `${path.join(".")}: ${message}`);
}

function membersOf(kind: SettingsKind, text: string): Members {
  const { format, members } = read(text);
  return steps.slice(format).reduce((before, step) => step(kind, before), members);
}

const stored = z.looseObject({ format: z.number().int().positive().default(0) });

function read(text: string): { readonly format: number; readonly members: Members } {
  let content: unknown;
  try {
    content = parseYaml(text);
  } catch (cause) {
    const [why = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw new InvalidSettings(toOneLine(why.replace(/:$/, ""), 200), { cause });
  }
  const { data, error } = stored.safeParse(content);
  if (error !== undefined) throw toInvalid(error);
  const { format, ...members } = data;
  if (format > settingsFormat) {
    throw new InvalidSettings(`a later version of Skep wrote it, in format ${format}`);
  }
  return { format, members };
}

/**
 * Formats settings as YAML.
 * @param content the members of the file.
 * @param settings what the parser must give for the file.
 * @param parse the parser of the file.
 * @throws Error when the parser gives anything else: an unreadable file would lock its owner out.
 */
export function formatSettings<T>(
  content: object,
  settings: T,
  parse: (text: string) => T,
  options: DocumentOptions & SchemaOptions = {},
): string {
  const formatted = stringify(content, options);
  let found: T;
  try {
    found = parse(formatted);
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

/** The length of all texts whose results one parser keeps. */
const keptLength = 262_144;

/**
 * The same parser, which keeps its last results: a file that is written is parsed as a check, and again by its readers.
 * @param parse gives what nobody changes.
 */
export function keepingResults<T extends object>(parse: (text: string) => T): (text: string) => T {
  const kept = new LRUCache<string, T>({
    maxSize: keptLength,
    sizeCalculation: (_, text) => text.length + 1,
  });
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const result = parse(text);
    kept.set(text, result);
    return result;
  };
}
