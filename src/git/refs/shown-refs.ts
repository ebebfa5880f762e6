/** What a repository shows of its references, read at once, so that what git said of them need not be asked again. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isOid, type Oid } from "../../domain/names.ts";
import { isSystemError } from "../../disk/disk.ts";
import { isTemporary } from "../../disk/temporary-name.ts";

export interface ShownRefs {
  /** The same for as long as HEAD, main and the tags are. */
  readonly state: string;
  /** What main and the tags refer to; annotated tags as objects of their own. */
  readonly tips: ReadonlySet<Oid>;
}

/** Reading few files at once takes less than a process; git is better at many. */
const maxLooseTags = 64;
const maxPackedBytes = 16_384;
const headOnMain = "ref: refs/heads/main";

/**
 * Reads HEAD, main and the tags.
 * @returns undefined where they are too many, cannot be read, or have not the form that Skep gives them: then only git
 * knows.
 */
export function readShownRefs(gitdir: string): ShownRefs | undefined {
  try {
    return readAll(gitdir);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

function readAll(gitdir: string): ShownRefs | undefined {
  // Packing writes packed-refs first and removes the loose files then: read in the other order, nothing is missed.
  const loose = readLoose(gitdir);
  const packed = readText(join(gitdir, "packed-refs")) ?? "";
  if (loose === undefined || packed.length > maxPackedBytes) return undefined;
  if (readText(join(gitdir, "HEAD"))?.trim() !== headOnMain) return undefined;
  const tips = new Set<Oid>(loose.values());
  for (const [, oid = "", name = ""] of packed.matchAll(
    /^([0-9a-f]{40}) (refs\/(?:heads\/main|tags\/.+))$/gm,
  )) {
    if (isOid(oid) && !loose.has(name)) tips.add(oid);
  }
  const lines = Array.from(loose, ([name, oid]) => `${oid} ${name}`).toSorted();
  return { state: [...lines, packed].join("\n"), tips };
}

/** The files of main and the tags; undefined when one of them is no plain reference, or they are many. */
function readLoose(gitdir: string): ReadonlyMap<string, Oid> | undefined {
  const names = ["refs/heads/main", ...listFiles(gitdir, "refs/tags")];
  if (names.length > maxLooseTags) return undefined;
  const refs = new Map<string, Oid>();
  for (const name of names) {
    const oid = readText(join(gitdir, name))?.trimEnd();
    if (oid === undefined) continue;
    if (!isOid(oid)) return undefined;
    refs.set(name, oid);
  }
  return refs;
}

function listFiles(gitdir: string, folder: string): readonly string[] {
  const found: string[] = [];
  for (const entry of readdirSync(join(gitdir, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...listFiles(gitdir, path));
    else if (!entry.name.endsWith(".lock") && !isTemporary(entry.name)) found.push(path);
    if (found.length > maxLooseTags) break;
  }
  return found;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    throw error;
  }
}
