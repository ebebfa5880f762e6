/** Writes a pack from objects in memory, without git: each object whole, none as a difference from another. */
import { createHash } from "node:crypto";
import { deflateBytes, type GitObject, objectTypes } from "../objects/git-object.ts";
import { pause } from "../../slices.ts";

/**
 * A pack as git reads it, in pieces.
 * @param objects in any order; one that is there twice is written once.
 */
export async function* packPieces(objects: readonly GitObject[]): AsyncGenerator<Uint8Array> {
  const unique = new Map(objects.map((object) => [object.oid, object]));
  const header = packHeader(unique.size);
  const sum = createHash("sha1").update(header);
  yield header;
  for (const object of unique.values()) {
    for (const piece of await packed(object)) {
      sum.update(piece);
      yield piece;
    }
  }
  yield sum.digest();
}

/** The beginning of a pack with so many objects. */
export function packHeader(objects: number): Buffer {
  const header = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1");
  header.writeUInt32BE(objects, 8);
  return header;
}

async function packed({ bytes }: GitObject): Promise<readonly Uint8Array[]> {
  const end = bytes.indexOf(0);
  const [type = ""] = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString("latin1").split(" ", 1);
  const content = bytes.subarray(end + 1);
  // Very many small objects share the slices of all other work.
  await pause();
  return [
    entryHeader(objectTypes.findIndex((one) => one === type) + 1, content.byteLength),
    await deflateBytes(content),
  ];
}

/** The type and the size of an object: four bits of the size in the first byte, and seven in each of the others. */
function entryHeader(type: number, size: number): Uint8Array {
  const header: number[] = [];
  let byte = (type << 4) | (size & 0b1111);
  // Not shifted: sizes may have more than 32 bits.
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    header.push(byte | 0b1000_0000);
    byte = left & 0b111_1111;
  }
  return Uint8Array.from([...header, byte]);
}
