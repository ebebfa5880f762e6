/** Files that end with a SHA-1 of the bytes before it, as packs and their indexes do. */
import { createHash } from "node:crypto";
import type { DurableFs } from "./durable-fs.ts";

const hashBytes = 20;
const pieceBytes = 1024 * 1024;

/**
 * Reads a whole file, piece by piece.
 * @returns the last `length` bytes; undefined when the file does not end with its own SHA-1.
 * @throws the system's error `ENOENT` when there is no such file.
 */
export async function readVerifiedEnd(
  { disk }: DurableFs,
  path: string,
  length: number,
): Promise<Buffer | undefined> {
  const file = await disk.promises.open(path, "r");
  try {
    const hash = createHash("sha1");
    const piece = Buffer.alloc(pieceBytes);
    let held = Buffer.alloc(0);
    for (let position = 0; ;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const all = Buffer.concat([held, piece.subarray(0, bytesRead)]);
      const end = Math.max(0, all.length - length);
      hash.update(all.subarray(0, end));
      held = all.subarray(end);
    }
    if (held.length < length) return undefined;
    hash.update(held.subarray(0, -hashBytes));
    return hash.digest().equals(held.subarray(-hashBytes)) ? held : undefined;
  } finally {
    await file.close();
  }
}
