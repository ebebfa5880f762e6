/** Texts of local files and of the Hive, compared by their flattened keys. */
import { childOf, leavesOf, type Group, type Node, type Texts } from "../domain/strings/string-file.ts";
import type { LocalFile, TreeFile } from "./tree/tree.ts";

/** The texts of a file by flattened key, in its order. */
export function textsOf(content: Group): Texts {
  const texts = new Map<string, string>();
  for (const [key, leaf] of leavesOf(content)) if (typeof leaf === "string") texts.set(key, leaf);
  return texts;
}

/** The texts of a content in the order of keys, among which an object has integers first. */
export function inOrder(texts: Texts, keys: Iterable<string>): Texts {
  const ordered = new Map<string, string>();
  for (const key of keys) {
    const text = texts.get(key);
    if (text !== undefined) ordered.set(key, text);
  }
  return ordered;
}

/**
 * The content of a source file whose keys are the texts, with those that it lacks.
 * @param keys of the files of other locales.
 */
function withKeysAsTexts(content: Group, keys: Iterable<string>): Group {
  const texts = textsOf(content);
  const lacking = [...new Set(keys)].filter(
    (key) => key !== "" && !texts.has(key) && childOf(content, key) === undefined,
  );
  if (lacking.length === 0) return content;
  // No prototype: `__proto__` is a name like any other.
  const whole: Record<string, Node> = Object.create(null);
  return Object.assign(whole, content, Object.fromEntries(lacking.map((key) => [key, key])));
}

/**
 * The content of a source file; where its keys are the texts, with those that files of other locales alone have.
 * @param textsIn reads the texts of such a file; undefined where it does not exist.
 */
export async function wholeSource(
  { others = [] }: Pick<TreeFile, "others">,
  content: Group,
  textsIn: (other: LocalFile) => Promise<Texts | undefined> | Texts | undefined,
): Promise<Group> {
  if (others.length === 0) return content;
  const keys: string[] = [];
  for (const other of others) for (const key of (await textsIn(other))?.keys() ?? []) keys.push(key);
  return withKeysAsTexts(content, keys);
}

/** A text that stands for a key in a file, as the key of a map: no file's name has a NUL. */
export function addressOf({ file, key }: { readonly file: string; readonly key: string }): string {
  return `${file}\0${key}`;
}

/** One text that differs; null on the side that does not have it. */
export interface TextChange {
  readonly key: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The changes between two states of a file, in the order of the later one; deleted keys come last. */
export function changesOf(before: Texts, after: Texts): readonly TextChange[] {
  const changes: TextChange[] = [];
  for (const [key, text] of after) {
    const old = before.get(key) ?? null;
    if (old !== text) changes.push({ key, before: old, after: text });
  }
  for (const [key, text] of before) if (!after.has(key)) changes.push({ key, before: text, after: null });
  return changes;
}

/** How many texts are created, updated and deleted. */
export function countChanges(changes: readonly TextChange[]): {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
} {
  const created = changes.filter(({ before }) => before === null).length;
  const deleted = changes.filter(({ after }) => after === null).length;
  return { created, updated: changes.length - created - deleted, deleted };
}

/**
 * A new file without the blank lines that stood between the texts of its source file which it does not have. Those in texts
 * stay: the texts are the same.
 * @param parse reads the texts of a file of its format.
 */
export function withoutGaps(
  file: Uint8Array,
  parse: (bytes: Uint8Array) => { readonly texts: Texts },
): Uint8Array {
  const text = new TextDecoder().decode(file);
  const short = text
    .replaceAll(/(\r?\n)(?:[ \t]*\r?\n){2,}/g, "$1$1")
    .replace(/(\r?\n)(?:[ \t]*\r?\n)+$/, "$1");
  // Bytes of another encoding are not the same again.
  if (short === text || !Buffer.from(text).equals(file)) return file;
  const bytes = Buffer.from(short);
  const [before, after] = [parse(file).texts, parse(bytes).texts];
  return changesOf(before, after).length === 0 ? bytes : file;
}
