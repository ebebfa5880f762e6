/** Packs made and read by hand, also such as no git would send. See gitformat-pack(5). */
import { createHash } from "node:crypto";
import { deflateSync, inflateSync } from "node:zlib";
import { toGitObject, type GitObject, type ObjectType } from "../../../src/git/objects/git-object.ts";
import type { FoundObject } from "../../../src/git/process/cat-file.ts";
import type { Oid } from "../../../src/domain/names.ts";

const names: readonly ObjectType[] = ["commit", "tree", "blob", "tag"];
export const [commitType, treeType, blobType, tagType, toOffset, toName] = [1, 2, 3, 4, 6, 7];

/** The type and size that an entry begins with, in pieces of seven bits. */
export function entryHeader(type: number, size: number): Buffer {
  const bytes = [((type << 4) | (size & 15)) >>> 0];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

/** A number as differences have it, in pieces of seven bits. */
export function deltaNumber(value: number): Buffer {
  const bytes = [value & 127];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

/** One entry. @param size what it says that its content is long. */
export function packEntry(type: number, content: Uint8Array, size = content.length): Buffer {
  return Buffer.concat([entryHeader(type, size), deflateSync(content)]);
}

/**
 * An entry that is a difference.
 * @param base the name of what it is to, or how far before it lies, as the pack has it.
 */
export function deltaEntry(type: number, base: Uint8Array, delta: Uint8Array): Buffer {
  return Buffer.concat([entryHeader(type, delta.length), base, deflateSync(delta)]);
}

/** A pack of entries with its checksum. @param count how many it says that there are. */
export function packWith(entries: readonly Uint8Array[], count = entries.length): Buffer {
  const start = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1");
  start.writeUInt32BE(count, 8);
  return sealed(Buffer.concat([start, ...entries]));
}

/** Anything with the checksum that a pack ends with. */
export function sealed(pack: Uint8Array): Buffer {
  return Buffer.concat([pack, createHash("sha1").update(pack).digest()]);
}

/** A pack of whole objects. */
export function packObjects(objects: readonly GitObject[]): Buffer {
  return packWith(
    objects.map(({ bytes }) => {
      const { type, content } = splitObject(bytes);
      return packEntry(names.indexOf(type) + 1, content);
    }),
  );
}

/** The type and content of an object from its bytes with header. */
export function splitObject(bytes: Uint8Array): FoundObject & { readonly type: ObjectType } {
  const end = bytes.indexOf(0);
  const header = Buffer.from(bytes.subarray(0, end)).toString("latin1");
  const type = names.find((name) => header.startsWith(`${name} `));
  if (type === undefined) throw new Error(`no object: ${header}`);
  return { type, content: bytes.subarray(end + 1) };
}

/** The objects of a pack that {@link packObjects} made. */
export function unpackObjects(pack: Uint8Array): ReadonlyMap<Oid, FoundObject> {
  const objects = new Map<Oid, FoundObject>();
  for (let at = 12; at < pack.length - 20;) {
    const type = names[(((pack[at] ?? 0) >> 4) & 7) - 1];
    if (type === undefined) throw new Error("a difference");
    while ((pack[at] ?? 0) >= 128) at++;
    at++;
    const { buffer: content, used } = inflated(pack.subarray(at));
    objects.set(toGitObject(type, content).oid, { type, content });
    at += used;
  }
  return objects;
}

/** What is deflated at the beginning of some bytes. */
function inflated(bytes: Uint8Array): { readonly buffer: Uint8Array; readonly used: number } {
  const result: unknown = inflateSync(bytes, { info: true });
  if (typeof result === "object" && result !== null && "buffer" in result && "engine" in result) {
    const { buffer, engine } = result;
    if (
      buffer instanceof Uint8Array &&
      typeof engine === "object" &&
      engine !== null &&
      "bytesWritten" in engine
    )
      return { buffer, used: Number(engine.bytesWritten) };
  }
  throw new Error("not inflated");
}
