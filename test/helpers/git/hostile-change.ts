/** What hostile pushes are made from: a change that would be accepted, and objects with anything in them. */
import fc from "fast-check";
import type { Oid } from "../../../src/domain/names.ts";
import { toGitObject, type GitObject } from "../../../src/git/objects/git-object.ts";
import { packObjects } from "./packs.ts";
import { pushOf } from "./pushes.ts";

export interface RawEntry {
  readonly mode: string;
  readonly name: string | Uint8Array;
  readonly oid: string;
}

/** What is in the Hive: the folders on the way to the file that is changed. */
export interface PushBase {
  readonly main: Oid;
  /** A file with {@link hiddenText} that no ref reaches. */
  readonly hidden: Oid;
  /** The entries of the root, of `locales` and of `locales/fr`. */
  readonly folders: readonly (readonly RawEntry[])[];
}

export interface HostilePush {
  readonly body: Buffer;
  /** Whether it may be sound by chance; it need not be. */
  readonly maySucceed: boolean;
}

type Draw = fc.GeneratorValue;

export interface Source {
  readonly draw: Draw;
  readonly base: PushBase;
  /** A branch that is not there. */
  readonly ref: string;
}

export const hiddenText = '{\n  "title": "hidden"\n}\n';
const file = "app.json.json";
/** The folders of the file that is changed. */
export const wayToFile = ["locales", "fr"];
export const who = "Mallory <mallory@example.org> 1700000000 +0000";
export const nowhere = "1234567890".repeat(4);

export function rawTree(entries: readonly RawEntry[]): GitObject {
  const parts = entries.flatMap(({ mode, name, oid }) => [`${mode} `, name, "\0", Buffer.from(oid, "hex")]);
  return toGitObject("tree", Buffer.concat(parts.map((part) => Buffer.from(part))));
}

export function sorted(entries: readonly RawEntry[]): readonly RawEntry[] {
  const key = ({ mode, name }: RawEntry) =>
    Buffer.from(`${Buffer.from(name).toString("latin1")}${mode === "40000" ? "/" : ""}`);
  return entries.toSorted((a, b) => Buffer.compare(key(a), key(b)));
}

/** The entries of a folder, of which one has another object. */
function withObject(
  entries: readonly RawEntry[],
  name: string | undefined,
  oid: string,
): readonly RawEntry[] {
  return entries.map((one) => (one.name === name ? { mode: one.mode, name, oid } : one));
}

/** The trees above a changed one: it, and those above it, the root last. */
export function treesWith({ folders }: PushBase, level: number, tree: GitObject): readonly GitObject[] {
  const trees = [tree];
  for (let at = level - 1; at >= 0; at--) {
    const oid = trees.at(-1)?.oid ?? "";
    trees.push(rawTree(withObject(folders[at] ?? [], wayToFile[at], oid)));
  }
  return trees;
}

export function rawCommit(lines: readonly string[]): GitObject {
  return toGitObject("commit", Buffer.from(lines.join("\n"), "latin1"));
}

export function commitOf(base: PushBase, tree: string): GitObject {
  return rawCommit([`tree ${tree}`, `parent ${base.main}`, `author ${who}`, `committer ${who}`, "", "x\n"]);
}

/** The objects of a change that is accepted, the commit last. */
export function soundChange({ draw, base }: Source): readonly GitObject[] {
  const blob = toGitObject("blob", `{\n  "title": "Salut ${draw(fc.nat, { max: 1_000_000 })}"\n}\n`);
  const fr = base.folders[2] ?? [];
  const trees = treesWith(base, 2, rawTree(withObject(fr, file, blob.oid)));
  return [blob, ...trees, commitOf(base, trees.at(-1)?.oid ?? "")];
}

export function pushing(
  objects: readonly GitObject[],
  ref: string,
  pack: Uint8Array = packObjects(objects),
): Buffer {
  return pushOf([{ after: objects.at(-1)?.oid ?? nowhere, ref }], pack);
}

export function entryOf(object: GitObject): Buffer {
  return packObjects([object]).subarray(12, -20);
}

export function pick<T>(draw: Draw, all: readonly T[]): T {
  const found = all[draw(fc.nat, { max: all.length - 1 })];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
}

export function flipped(draw: Draw, bytes: Uint8Array, from: number, to: number): Buffer {
  const damaged = Buffer.from(bytes);
  for (let left = draw(fc.integer, { min: 1, max: 4 }); left > 0; left--) {
    const at = draw(fc.integer, { min: from, max: to - 1 });
    damaged[at] = (damaged[at] ?? 0) ^ draw(fc.integer, { min: 1, max: 255 });
  }
  return damaged;
}
