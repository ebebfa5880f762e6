/**
 * The content of one file: texts in nested groups, in the shape in which they were sent, and the same texts by their
 * flattened keys.
 *
 * A group is what JSON.parse gives, so its order is JavaScript's: integer-like names first, ascending, then the
 * others as given. Memory, blob and export therefore agree before and after a restart without sorting anywhere.
 */
import { ownMember } from "../record.ts";
import type { Issues } from "../errors.ts";
import { jsonOrUndefined } from "../json.ts";
import { pause } from "../../slices.ts";
import { excerpt, textProblem } from "../text.ts";
import { findPluralForms, mayBeOther, type PluralForms } from "./plural-forms.ts";

export type Node = string | Group;
export type Group = NodeList | NamedNodes;
type NodeList = readonly Node[];
interface NamedNodes {
  readonly [name: string]: Node;
}

/** Texts by flattened key, in the order of the file. */
export type Texts = ReadonlyMap<string, string>;

export const noTexts: Texts = new Map();

export interface StringFile {
  readonly group: Group;
  readonly texts: Texts;
  readonly hasEmptyGroup: boolean;
  /** Of a source file, the plural strings in it; undefined where there is none. */
  readonly plurals: PluralForms | undefined;
}

/** The file without a key: what a sync sends to remove a file. */
export const emptyFile: StringFile = {
  group: {},
  texts: noTexts,
  hasEmptyGroup: false,
  plurals: undefined,
};

/**
 * The keys that translations of a source file may have, in their order, each with the source text that it has or would
 * have.
 */
export function translatableTexts(source: StringFile | undefined): Texts {
  return source?.plurals?.texts ?? source?.texts ?? noTexts;
}

export const maxDepth = 32;
/** The longest flattened key that is accepted, in bytes. */
export const maxKeyBytes = 4096;

/** Names of list elements, unlike `length`. */
const indexPattern = /^(?:0|[1-9][0-9]*)$/;

export function isList(group: Group): group is NodeList {
  return Array.isArray(group);
}

/** The node with a name or index in a group, never an inherited property such as `constructor`. */
export function childOf(group: Group, name: string): Node | undefined {
  if (isList(group)) return indexPattern.test(name) ? group[Number(name)] : undefined;
  const node = group[name];
  // No inherited member is a string, so most members are looked up once.
  return typeof node === "string" ? node : ownMember(group, name);
}

/** Whether a group has no members, not even an empty group. */
export function isEmptyGroup(group: Group): boolean {
  return isList(group) ? group.length === 0 : Object.keys(group).length === 0;
}

/**
 * The leaves of a group as dotted paths: texts and empty groups.
 * @param found takes them; a new list if not given.
 */
export function leavesOf(
  group: Group,
  prefix = "",
  found: (readonly [path: string, leaf: Node])[] = [],
): readonly (readonly [path: string, leaf: Node])[] {
  // Object.entries takes several times as long for very many members.
  for (const name of Object.keys(group)) {
    const node = childOf(group, name);
    if (node === undefined) continue;
    if (typeof node === "string" || isEmptyGroup(node)) found.push([prefix + name, node]);
    else leavesOf(node, `${prefix + name}.`, found);
  }
  return found;
}

/** Whether two groups are the same in kind, order and names, and in their texts too unless only shape is asked. */
export function sameGroup(a: Group, b: Group, what: "shape" | "content" = "content"): boolean {
  if (a === b) return true;
  if (isList(a) !== isList(b)) return false;
  const names = Object.keys(a);
  const others = Object.keys(b);
  if (names.length !== others.length) return false;
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    if (name === undefined || name !== others[i]) return false;
    const node = childOf(a, name);
    const other = childOf(b, name);
    if (node === undefined || other === undefined) return false;
    if (typeof node === "string" || typeof other === "string") {
      if (typeof node !== typeof other || (what === "content" && node !== other)) return false;
    } else if (!sameGroup(node, other, what)) return false;
  }
  return true;
}

/** Whether two files hold the same in the same shape and order; undefined stands for no file. */
export function isSameFile(a: StringFile | undefined, b: StringFile | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameGroup(a.group, b.group);
}

/**
 * How long the flattened keys of a payload or a stored file may be together, in characters. Each key repeats the
 * names of its groups, so something small could otherwise flatten to more than memory holds.
 */
export class KeyBudget {
  static readonly limit = 32 * 1024 * 1024;
  #left = KeyBudget.limit;

  /** Takes room for a key; false when there is none left. */
  take(length: number): boolean {
    this.#left -= length;
    return this.#left >= 0;
  }
}

/** What a message about a leaf that is no text begins with. */
export const notText = "must be text, not";

interface FlattenOptions {
  /** Texts in about the same order, whose key strings are reused in memory. */
  readonly like?: Texts;
  /** Whether `null` is read as an empty text, as translations allow. */
  readonly nullIsEmpty?: boolean;
  /** How deep groups may be nested; {@link maxDepth} if not given. */
  readonly deepest?: number;
  /** How many bytes a key may have; {@link maxKeyBytes} if not given. */
  readonly longest?: number;
  /** Shared by the files of a payload; one of its own for each file if not given. */
  readonly budget?: KeyBudget;
}

interface Flattened {
  readonly texts: Texts;
  readonly hasEmptyGroup: boolean;
  /** Whether there may be plural strings; most files need not be looked through for them. */
  readonly mayHavePlurals: boolean;
}

/**
 * Flattens a parsed JSON value to texts by key, and checks everything about it on the way.
 * @param place where the value stands, for messages: `files.auth.php`.
 * @param issues takes what is wrong; the result holds whatever was right.
 */
export function flatten(
  value: unknown,
  place: string,
  issues: Issues,
  options: FlattenOptions = {},
): Flattened {
  const texts = new Map<string, string>();
  if (typeof value !== "object" || value === null) {
    issues.add(place, "must be an object of keys and texts");
    return { texts, hasEmptyGroup: false, mayHavePlurals: false };
  }
  const { nullIsEmpty = false, budget = new KeyBudget(), deepest = maxDepth, longest, like } = options;
  const others = like?.keys();
  let hasEmptyGroup = false;
  let mayHavePlurals = false;

  /** @returns false when there is no room for more keys. */
  function visit(group: object, prefix: string, depth: number): boolean {
    const names = Object.keys(group);
    if (names.length === 0) hasEmptyGroup = true;
    for (const name of names) {
      if (!budget.take(prefix.length + name.length)) return false;
      const key = prefix + name;
      const node: unknown = Reflect.get(group, name);
      if (typeof node === "string" || (node === null && nullIsEmpty)) {
        const problem = keyProblem(key, longest) ?? (node === null ? undefined : textProblem(node));
        if (problem !== undefined) issues.add(keyPlace(place, key), problem);
        else {
          const { size } = texts;
          mayHavePlurals ||= mayBeOther(name);
          // Checking first whether the key exists would double the time.
          texts.set(sameKey(others, key), node ?? "");
          if (texts.size === size) issues.add(keyPlace(place, key), () => twoSpellings(value, key));
        }
      } else if (typeof node !== "object" || node === null) {
        issues.add(keyPlace(place, key), `${notText} ${node === null ? "null" : typeof node}`);
      } else if (depth === deepest) {
        issues.add(keyPlace(place, key), `is nested deeper than ${deepest} levels`);
      } else {
        const problem = keyProblem(key, longest);
        if (problem !== undefined) issues.add(keyPlace(place, key), problem);
        else if (!visit(node, `${key}.`, depth + 1)) return false;
      }
    }
    return true;
  }
  if (!visit(value, "", 1)) issues.add(place, keysTooLong);
  return { texts, hasEmptyGroup, mayHavePlurals };
}

/** The next of some keys that equals a key, or else the key itself. */
function sameKey(others: Iterator<string, undefined> | undefined, key: string): string {
  let other = others?.next().value;
  while (other !== undefined && other !== key) other = others?.next().value;
  return other ?? key;
}

const keysTooLong = `flattens to keys of more than ${KeyBudget.limit} characters together`;

/** Why a file that grew cannot be stored, or undefined when it can. */
export function fileProblem({ texts }: StringFile): string | undefined {
  let length = 0;
  for (const key of texts.keys()) length += key.length;
  return length > KeyBudget.limit ? keysTooLong : undefined;
}

interface FileOptions extends Omit<FlattenOptions, "nullIsEmpty"> {
  /** Whether plural strings are looked for; a translation has the plural strings of its source. */
  readonly isSource?: boolean;
}

/**
 * Reads a file from a parsed JSON value.
 * @param issues takes what is wrong; use the result only when there is nothing.
 */
export function toStringFile(
  value: unknown,
  place: string,
  issues: Issues,
  { isSource = true, ...options }: FileOptions = {},
): StringFile {
  const { mayHavePlurals, ...flattened } = flatten(value, place, issues, options);
  const plurals = isSource && mayHavePlurals ? findPluralForms(flattened.texts, KeyBudget.limit) : undefined;
  return { group: isGroup(value) ? value : {}, ...flattened, plurals };
}

/**
 * Reads a source file without groups, as {@link formatGroup} writes it, from a list with key, 0 and text of each string:
 * JSON.parse makes that in half the time that an object with as many members takes.
 * @returns undefined for any other file, and where the checks of {@link toStringFile} are needed.
 */
export async function readFlatFile(text: string): Promise<StringFile | undefined> {
  if (!text.startsWith("{\n") || !text.endsWith("\n}\n") || text.length > KeyBudget.limit) return undefined;
  if (text.includes('": {')) return undefined;
  // In a text, the first quote may belong to it while the second one ends it: then there are fewer zeros than marks.
  const marked = text.replaceAll('": "', '",0,"');
  await pause();
  const members = jsonOrUndefined(`[${marked.slice(1, -2)}]`);
  if (!Array.isArray(members) || members.length !== 3 * (marked.length - text.length)) return undefined;
  const list: readonly unknown[] = members;
  await pause();
  const texts = new Map<string, string>();
  let mayHavePlurals = false;
  for (let at = 0; at < list.length; at += 3) {
    const [key, zero, value] = [list[at], list[at + 1], list[at + 2]];
    if (typeof key !== "string" || zero !== 0 || typeof value !== "string") return undefined;
    // Numbers come first in an object, whatever their place in the file.
    if (startsWithDigit(key) || keyProblem(key) !== undefined || textProblem(value) !== undefined)
      return undefined;
    mayHavePlurals ||= mayBeOther(key);
    texts.set(key, value);
  }
  const plurals = mayHavePlurals ? findPluralForms(texts, KeyBudget.limit) : undefined;
  return lazyFile(texts, () => Object.fromEntries(texts), plurals);
}

/** A file whose group is made when it is needed, since most files are only read by their texts. */
export function lazyFile(texts: Texts, toGroup: () => Group, plurals?: PluralForms): StringFile {
  let group: Group | undefined;
  return {
    get group() {
      return (group ??= toGroup());
    },
    texts,
    hasEmptyGroup: texts.size === 0,
    plurals,
  };
}

function startsWithDigit(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 0x30 && first <= 0x39;
}

/** A file from a group that was built here, and so needs no checking. */
export function fromGroup(group: Group): StringFile {
  const texts = new Map<string, string>();
  let hasEmptyGroup = false;
  let mayHavePlurals = false;
  const visit = (inner: Group, prefix: string): void => {
    const names = Object.keys(inner);
    if (names.length === 0 && inner !== group) hasEmptyGroup = true;
    for (const name of names) {
      const node = childOf(inner, name);
      if (typeof node === "object") visit(node, `${prefix}${name}.`);
      else if (node !== undefined) {
        texts.set(prefix + name, node);
        mayHavePlurals ||= mayBeOther(name);
      }
    }
  };
  visit(group, "");
  const plurals = mayHavePlurals ? findPluralForms(texts, KeyBudget.limit) : undefined;
  return { group, texts, hasEmptyGroup, plurals };
}

/** The content of a file's blob: JSON, indented by two spaces, and a final newline. */
export function formatGroup(group: Group): string {
  return `${JSON.stringify(group, null, 2)}\n`;
}

/** A value in which flatten() found no problem is a group; other values are not used. */
function isGroup(value: unknown): value is Group {
  return typeof value === "object" && value !== null;
}

/** Why a text cannot be a key, or undefined when it can. @param longest how many bytes it may have. */
export function keyProblem(key: string, longest = maxKeyBytes): string | undefined {
  return isTooLong(key, longest) ? `is longer than ${longest} bytes as a key` : textProblem(key);
}

/** Whether a key has too many bytes. A UTF-16 unit has at most three: nearly every key need not be measured. */
export function isTooLong(key: string, longest = maxKeyBytes): boolean {
  return key.length * 3 > longest && Buffer.byteLength(key) > longest;
}

function keyPlace(place: string, key: string): string {
  return `${place}.${excerpt(key)}`;
}

function twoSpellings(value: unknown, key: string): string {
  const spellings = [...spellingsOf(value, key)].map((path) =>
    path.map((name) => `"${excerpt(name)}"`).join(" > "),
  );
  return `is spelled in two ways in one file: ${spellings.join(" and ")}`;
}

/** Every path of names in a JSON value that flattens to the key and ends at a leaf. */
function* spellingsOf(value: unknown, key: string): Generator<readonly string[]> {
  if (typeof value !== "object" || value === null) return;
  for (const name of Object.keys(value)) {
    const node: unknown = Reflect.get(value, name);
    if (name === key && !isGroup(node)) yield [name];
    if (isGroup(node) && key.startsWith(`${name}.`)) {
      for (const path of spellingsOf(node, key.slice(name.length + 1))) yield [name, ...path];
    }
  }
}
