/** Which refs belong to the record, and a digest of them, which shows whether a copy has the record's refs. */
import { createHash } from "node:crypto";

/** A move of a ref; null stands for a ref that does not exist. */
export interface RefChange {
  readonly name: string;
  readonly before: string | null;
  readonly next: string | null;
}

const noRefs = "0".repeat(64);

const recordedFolders = ["refs/heads/", "refs/tags/", "refs/skep/deleted/"];

/** Whether a ref belongs to the record: branches, tags, and deleted branches do. */
export function isRecorded(name: string): boolean {
  return !name.split("/").includes("..") && recordedFolders.some((folder) => name.startsWith(folder));
}

/** The digest of refs in any order: the XOR of a hash for each ref, so that a move of one ref updates it at once. */
export function digestOf(refs: Iterable<readonly [name: string, oid: string]>): string {
  return [...refs].reduce((sum, [name, next]) => withChange(sum, { name, before: null, next }), noRefs);
}

/** The digest after the move of a ref. */
export function withChange(digest: string, { name, before, next }: RefChange): string {
  if (!isRecorded(name)) return digest;
  const sum = Buffer.from(digest, "hex");
  for (const oid of [before, next]) {
    if (oid === null) continue;
    const line = createHash("sha256").update(`${oid} ${name}`).digest();
    for (const [i, byte] of line.entries()) sum[i] = (sum[i] ?? 0) ^ byte;
  }
  return sum.toString("hex");
}
