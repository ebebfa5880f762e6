/**
 * Encodes and decodes git objects. Names in trees must be UTF-8, so that a tree that was read is written back
 * unchanged.
 */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { deflate, deflateSync, inflate, inflateSync } from "node:zlib";
import type { Author } from "../../domain/commits/commit-message.ts";
import { compareBytes } from "../../domain/text.ts";
import { isOid, type Oid } from "../../domain/names.ts";

/** The types of objects: the number that a pack has for one is one more than its place here. */
export const objectTypes = ["commit", "tree", "blob", "tag"] as const;
export type ObjectType = (typeof objectTypes)[number];

export interface GitObject {
  readonly oid: Oid;
  /** Header and content, as git hashes and deflates them. */
  readonly bytes: Uint8Array;
}

export type TreeMode = "40000" | "100644" | "100755";

export interface RawTreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly oid: Oid;
}

/** The fields of a commit that are needed to build on it. */
export interface CommitInfo {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  /** The committer's time in seconds since 1970. */
  readonly time: number;
}

export interface FullCommit extends CommitInfo {
  readonly author: Author;
  readonly committer: Author;
  readonly message: string;
}

const deflateAsync = promisify(deflate);
const inflateAsync = promisify(inflate);
/** zlib allocates memory for each chunk of output, so a small object should need only one. */
const maxPiece = 131_072;
/** Below this many bytes, which take half a millisecond, using a thread costs as much as deflating. */
const inlineDeflate = 131_072;

function pieceOf(bytes: number): number {
  return Math.min(Math.max(bytes, 1_024), maxPiece);
}

/** Makes an object from its type and content. */
export function toGitObject(type: ObjectType, content: Uint8Array | string): GitObject {
  const data = typeof content === "string" ? Buffer.from(content) : content;
  const bytes = Buffer.concat([Buffer.from(`${type} ${data.byteLength}\0`), data]);
  return { oid: toOid(createHash("sha1").update(bytes).digest("hex")), bytes };
}

/** Whether an object is a blob, which names no other object. */
export function namesNothing({ bytes }: GitObject): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, 5).toString("latin1") === "blob ";
}

/** Compresses at level 1, because a writer waits, and git compresses better when it packs. */
export async function deflateBytes(bytes: Uint8Array): Promise<Uint8Array> {
  const options = { level: 1, chunkSize: pieceOf(bytes.byteLength) };
  return bytes.byteLength < inlineDeflate ? deflateSync(bytes, options) : deflateAsync(bytes, options);
}

/**
 * The content of a loose object's file.
 * @throws Error when it is damaged or of another type.
 */
export async function inflateObject(deflated: Uint8Array, type: ObjectType): Promise<Uint8Array> {
  const isSmall = deflated.byteLength < inlineDeflate;
  const bytes = isSmall
    ? inflateSync(deflated, { chunkSize: pieceOf(deflated.byteLength * 4) })
    : await inflateAsync(deflated, { chunkSize: maxPiece });
  const end = bytes.indexOf(0);
  const header = bytes.toString("latin1", 0, Math.max(end, 0));
  const content = bytes.subarray(end + 1);
  if (header !== `${type} ${content.byteLength}`) throw new Error(`not a whole ${type} object: ${header}`);
  return content;
}

/** Whether a loose object's file holds exactly the object of that name. */
export function isWhole(deflated: Uint8Array, oid: Oid): boolean {
  try {
    return createHash("sha1").update(inflateSync(deflated)).digest("hex") === oid;
  } catch {
    return false;
  }
}

/** The entries of a tree in the order in which git stores them. */
export function inTreeOrder<T extends Pick<RawTreeEntry, "mode" | "name">>(
  entries: readonly T[],
): readonly T[] {
  // git sorts a folder as if its name ended with a slash.
  const sortName = ({ mode, name }: T): string => (mode === "40000" ? `${name}/` : name);
  return entries.toSorted((a, b) => compareBytes(sortName(a), sortName(b)));
}

/** Makes a tree from its entries, given in any order. */
export function toTree(entries: readonly RawTreeEntry[]): GitObject {
  const parts = inTreeOrder(entries).flatMap(({ mode, name, oid }) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(oid, "hex"),
  ]);
  return toGitObject("tree", Buffer.concat(parts));
}

/**
 * The entries of a tree.
 * @throws Error when it is malformed or a name is not UTF-8.
 */
export function parseTree(content: Uint8Array): readonly RawTreeEntry[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const entries: RawTreeEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const nul = bytes.indexOf(0, Math.max(space, at));
    if (space === -1 || nul < space || nul + 21 > bytes.length) throw new Error("not a tree");
    entries.push({
      mode: bytes.toString("latin1", at, space).replace(/^0+/, ""),
      name: decoder.decode(bytes.subarray(space + 1, nul)),
      oid: toOid(bytes.toString("hex", nul + 1, nul + 21)),
    });
    at = nul + 21;
  }
  return entries;
}

/** Makes a commit; its time is written as UTC. Names and messages must not contain anything that would break its header. */
export function toCommit({
  tree,
  parents,
  author,
  committer,
  time,
  message,
}: Omit<FullCommit, "oid">): GitObject {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${formatPerson(author, time)}`,
    `committer ${formatPerson(committer, time)}`,
  ];
  return toGitObject("commit", `${lines.join("\n")}\n\n${message}`);
}

export interface TagFields {
  readonly commit: Oid;
  readonly name: string;
  readonly tagger: Author;
  /** In seconds since 1970; written as UTC. */
  readonly time: number;
  readonly message: string;
}

/** Makes an annotated tag, on the same condition as {@link toCommit}. */
export function toTag({ commit, name, tagger, time, message }: TagFields): GitObject {
  const header = `object ${commit}\ntype commit\ntag ${name}\ntagger ${formatPerson(tagger, time)}`;
  return toGitObject("tag", `${header}\n\n${message}`);
}

function formatPerson({ name, email }: Author, time: number): string {
  return `${name} <${email}> ${time} +0000`;
}

/** @throws Error when the header is not a commit's. */
export function parseCommit(oid: Oid, content: Uint8Array): CommitInfo {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("utf8");
  const [header = ""] = text.split("\n\n", 1);
  const field = (pattern: RegExp): string | undefined => pattern.exec(header)?.[1];
  return {
    oid,
    tree: toOid(field(/^tree ([0-9a-f]{40})$/m) ?? ""),
    parents: Array.from(header.matchAll(/^parent ([0-9a-f]{40})$/gm), ([, parent = ""]) => toOid(parent)),
    time: Number(field(/^committer .*> (-?[0-9]{1,15}) [+-][0-9]{4}$/m) ?? 0),
  };
}

/** @throws Error when the text is not an object name. */
export function toOid(text: string): Oid {
  if (!isOid(text)) throw new Error(`not an object name: ${text.slice(0, 60)}`);
  return text;
}
