/** What a repository shows of its references, read at once, so that git's answers about them can be kept. */
import nodeFs from "node:fs";
import { join } from "node:path";
import { isOid, type Oid } from "../../domain/names.ts";
import { isSystemError } from "../../disk/disk.ts";
import { DurableFs } from "../../disk/durable-fs.ts";
import { packedRefsPath, parsePackedRefs, walkLooseRefs } from "./ref-files.ts";

export interface VisibleRefs {
  /** The same for as long as HEAD, main and the tags are. */
  readonly state: string;
  /** What main and the tags refer to; annotated tags as objects of their own. */
  readonly tips: ReadonlySet<Oid>;
}

/** Reading few files at once takes less than a process; git is better at many. */
const maxLooseTags = 64;
const maxPackedBytes = 16_384;
const headOnMain = "ref: refs/heads/main";
/** Git reads the real disk, and so does this. */
const fs = new DurableFs(nodeFs);

/**
 * Reads HEAD, main and the tags.
 * @returns undefined where they are too many, cannot be read, or have not the form that Skep gives them: then only git
 * knows.
 */
export async function readVisibleRefs(gitdir: string): Promise<VisibleRefs | undefined> {
  try {
    return await readAll(gitdir);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

async function readAll(gitdir: string): Promise<VisibleRefs | undefined> {
  // Packing writes packed-refs first and removes the loose files then: read in the other order, nothing is missed.
  const loose = await readLoose(gitdir);
  const packed = (await fs.readText(packedRefsPath(gitdir))) ?? "";
  if (loose === undefined || packed.length > maxPackedBytes) return undefined;
  if ((await fs.readText(join(gitdir, "HEAD")))?.trim() !== headOnMain) return undefined;
  const tips = new Set<Oid>(loose.values());
  for (const [name, oid] of parsePackedRefs(packed)) {
    if ((name === "refs/heads/main" || name.startsWith("refs/tags/")) && !loose.has(name)) tips.add(oid);
  }
  const lines = Array.from(loose, ([name, oid]) => `${oid} ${name}`).toSorted();
  return { state: [...lines, packed].join("\n"), tips };
}

/** The files of main and the tags; undefined when one of them is not a plain reference, or they are many. */
async function readLoose(gitdir: string): Promise<ReadonlyMap<string, Oid> | undefined> {
  const names = ["refs/heads/main"];
  for await (const { name, kind } of walkLooseRefs(fs, gitdir, "refs/tags")) {
    if (kind === "ref") names.push(name);
    if (names.length > maxLooseTags) return undefined;
  }
  const texts = await Promise.all(names.map((name) => fs.readText(join(gitdir, name))));
  const refs = new Map<string, Oid>();
  for (const [i, name] of names.entries()) {
    const oid = texts[i]?.trimEnd();
    if (oid === undefined) continue;
    if (!isOid(oid)) return undefined;
    refs.set(name, oid);
  }
  return refs;
}
