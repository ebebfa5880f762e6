/** Checks a locale file that comes through `git push` as an import checks a payload; its place is told by line and key. */
import { isFailure, Issues, type TextFault } from "../errors.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { jsonFaultLine } from "../json-fault.ts";
import { parseJson } from "../json.ts";
import { isSameNotes } from "../notes/note-changes.ts";
import { parseNoteFile } from "../notes/note-files.ts";
import type { FileNotes, StringNotes } from "../notes/note.ts";
import { isSameThread } from "../notes/thread.ts";
import type { FileName } from "../names.ts";
import { pause } from "../../slices.ts";
import { canonicalSource, canonicalTranslations } from "../strings/canonical.ts";
import { LocalePlurals, type PluralSettings } from "../strings/plural-rules.ts";
import { translatableTexts, toStringFile, type StringFile, type Texts } from "../strings/string-file.ts";
import { excerpt, lineAt } from "../text.ts";

export interface PushedFile {
  readonly path: string;
  readonly locale: LocaleCode;
  readonly file: FileName;
  readonly bytes: Uint8Array;
  /** The texts that it had before. The push is not refused for faults of these. */
  readonly before: Texts | undefined;
}

export interface PushedContext {
  readonly settings: PluralSettings;
  /** The source file of that name, as the push leaves it. */
  readonly source: StringFile | undefined;
}

/**
 * Reads a locale file.
 * @param maxValues how many values, keys and groups it may hold.
 * @returns undefined when it cannot be read.
 */
export async function readPushedFile(
  { path, bytes }: Pick<PushedFile, "path" | "bytes">,
  isSource: boolean,
  issues: Issues,
  maxValues = Infinity,
): Promise<StringFile | undefined> {
  const own = new FileIssues(path, bytes, issues);
  const parsed = await parsePushed(bytes, own, maxValues);
  const file = parsed && toStringFile(parsed.value, "", own, { isSource });
  return own.isEmpty ? file : undefined;
}

/** Parses a pushed file. @param own takes why it cannot be. */
async function parsePushed(
  bytes: Uint8Array,
  own: FileIssues,
  maxValues: number,
): Promise<{ readonly value: unknown } | undefined> {
  try {
    return { value: await parseJson(bytes, { maxValues }) };
  } catch (error) {
    if (error instanceof SyntaxError) own.addNotJson();
    else if (error instanceof TypeError) own.add("", "is not UTF-8");
    else
      own.add(
        "",
        isFailure(error, "too-large") ? `holds more than ${maxValues} values` : "is nested too deep",
      );
    return undefined;
  }
}

/** Reads a file of notes. @param maxValues how many values it may hold. @returns undefined when it cannot be read. */
export async function readPushedNotes(
  { path, bytes }: Pick<PushedFile, "path" | "bytes">,
  issues: Issues,
  maxValues = Infinity,
): Promise<FileNotes | undefined> {
  const own = new FileIssues(path, bytes, issues);
  const parsed = await parsePushed(bytes, own, maxValues);
  const notes = parsed && (await parseNoteFile(parsed.value, own, ""));
  return own.isEmpty ? notes : undefined;
}

export interface NotesContext {
  /** The notes of that file before, under the keys before and after the moves of the push. */
  readonly before: readonly FileNotes[];
  /** The source file of that name, as the push leaves it. */
  readonly source: StringFile | undefined;
}

/**
 * Checks what a push changes in a file of notes: what the app says comes with its files, and what people say from
 * themselves, not by a push.
 */
export function checkPushedNotes(
  { path, bytes }: Pick<PushedFile, "path" | "bytes">,
  notes: FileNotes,
  { before, source }: NotesContext,
  issues: Issues,
): void {
  const own = new FileIssues(path, bytes, issues);
  const strings = translatableTexts(source);
  for (const key of new Set([...notes.keys(), ...before.flatMap((each) => [...each.keys()])])) {
    const note = notes.get(key);
    if (before.some((each) => each.has(key) && isSameNotes(each.get(key), note))) continue;
    if (!strings.has(key)) {
      if (note !== undefined) own.add(`.${key}`, "has no source string");
      continue;
    }
    const isSome = (isAs: (one: StringNotes | undefined) => boolean): boolean =>
      before.some((each) => isAs(each.get(key)));
    if (!isSome((one) => isSameNotes({ app: one?.app }, { app: note?.app })))
      own.add(`.${key}`, "app is what the app's files say: only an import changes it");
    else if (!isSome((one) => isSameThread(one?.thread, note?.thread)))
      own.add(
        `.${key}`,
        "thread is what people say: comments come from the console, skep comment or the API",
      );
  }
}

/** Checks a changed file of the last commit of a push. */
export async function checkPushedFile(
  pushed: PushedFile,
  { settings, source }: PushedContext,
  issues: Issues,
): Promise<void> {
  const { path, locale, bytes, before } = pushed;
  const isSource = locale === settings.sourceLocale.code;
  const file = await readPushedFile(pushed, isSource, issues);
  if (file === undefined) return;
  await pause();
  const own = new FileIssues(path, bytes, issues);
  if (!isSource) {
    const context = { locale, settings, source, before };
    if (unknownTranslations(pushed, file, context, issues) > 0) return;
  }
  const canonical = isSource ? canonicalSource(file) : canonicalTranslations(file, source);
  const line = canonical && firstDifference(bytes, canonical);
  if (canonical === undefined) own.add("", "has no texts; remove the file");
  if (line === undefined) return;
  if (!isSource && source !== undefined) {
    // What the push has left under an old name can stay in a file that it does not change.
    const accepting = new LocalePlurals(locale, settings);
    const left = [...file.texts.keys()].filter((key) => !accepting.accepts(source, key));
    for (const key of left) own.add(`.${key}`, "has no source string; rename it as its string was renamed");
    if (left.length > 0) return;
  }
  issues.add(`${path}:${line}`, "is not in canonical form; run skep format");
}

/**
 * Checks that the texts of a translation file have source strings.
 * @param beside.before texts that it may have without.
 * @param issues takes those that have none.
 * @returns how many faults there are.
 */
export function unknownTranslations(
  { path, bytes }: Pick<PushedFile, "path" | "bytes">,
  file: StringFile,
  {
    locale,
    settings,
    source,
    before,
  }: PushedContext & {
    readonly locale: LocaleCode;
    readonly before?: Texts;
  },
  issues: Issues,
): number {
  const own = new FileIssues(path, bytes, issues);
  if (source === undefined) {
    own.add("", "has no source file of that name, so its texts have no source strings");
    return own.count;
  }
  const accepting = new LocalePlurals(locale, settings);
  for (const key of file.texts.keys()) {
    if (before?.has(key) === true || accepting.accepts(source, key)) continue;
    const isForm = translatableTexts(source).has(key);
    own.add(`.${key}`, isForm ? `is a plural form that ${locale} does not have` : "has no source string");
  }
  return own.count;
}

/** Adds findings of checks in a pushed file to the issues, with their lines. */
export function addFindings(
  { path, bytes }: Pick<PushedFile, "path" | "bytes">,
  findings: readonly Pick<TextFault, "key" | "message">[],
  issues: Issues,
): void {
  const own = new FileIssues(path, bytes, issues);
  for (const { key, message } of findings) own.add(`.${key}`, message);
}

/** The number of the first line in which bytes differ from a text; undefined when they are the same. */
function firstDifference(bytes: Uint8Array, text: string): number | undefined {
  const wanted = Buffer.from(text);
  if (wanted.equals(bytes)) return undefined;
  let line = 1;
  for (let i = 0; i < wanted.length && wanted[i] === bytes[i]; i++) if (wanted[i] === newline) line++;
  return line;
}

const newline = 0x0a;
/** How many faults of one file are given their lines, each of which is searched for. */
const maxLocated = 20;
/** The largest file that is searched for lines, in bytes. */
const maxSearched = 4 * 1024 * 1024;

/** Passes the faults of one file on, with their places. */
class FileIssues extends Issues {
  readonly #path: string;
  readonly #bytes: Uint8Array;
  readonly #issues: Issues;
  #text: string | undefined;
  #count = 0;

  constructor(path: string, bytes: Uint8Array, issues: Issues) {
    super();
    this.#path = path;
    this.#bytes = bytes;
    this.#issues = issues;
  }

  override get count(): number {
    return this.#count;
  }

  /** @param place a key behind a dot, as the reader of files gives it, or nothing for the whole file. */
  override add(place: string, problem: string | (() => string)): void {
    const key = place.slice(1);
    const text = this.#count < maxLocated && place !== "" ? this.#searchable() : undefined;
    const at = this.#at(text === undefined ? undefined : lineOfKey(text, key));
    this.#count++;
    this.#issues.add(place === "" ? at : `${at}: ${excerpt(key)}`, problem);
  }

  addNotJson(): void {
    this.#count++;
    const text = this.#searchable();
    this.#issues.add(this.#at(text === undefined ? undefined : jsonFaultLine(text)), "is not JSON");
  }

  #at(line: number | undefined): string {
    return line === undefined ? this.#path : `${this.#path}:${line}`;
  }

  /** The text of the file, unless searching it would take long. */
  #searchable(): string | undefined {
    if (this.#bytes.byteLength > maxSearched) return undefined;
    return (this.#text ??= new TextDecoder().decode(this.#bytes));
  }
}

/**
 * The number of the line that holds a key: that of its name if the name is the whole key, or else that of the last part of
 * its path. Undefined when there is none.
 */
export function lineOfKey(text: string, key: string): number | undefined {
  const find = (name: string, from: number): number => text.indexOf(`${JSON.stringify(name)}:`, from);
  let at = find(key, 0);
  if (at === -1) {
    for (const name of key.split(".")) {
      const next = find(name, Math.max(at, 0));
      if (next !== -1) at = next;
    }
  }
  return at === -1 ? undefined : lineAt(text, at);
}
