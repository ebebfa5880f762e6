/** Reads the refs of a repository that clients may see, so that git's answers about them can be cached. */
import nodeFs from "node:fs";
import { join } from "node:path";
import { isOid, type Oid } from "../../domain/names.ts";
import { isSystemError } from "../../disk/disk.ts";
import { DurableFs } from "../../disk/durable-fs.ts";
import { packedRefsPath, parsePackedRefs, walkLooseRefs } from "./ref-files.ts";

export interface VisibleRefs {
  /** Identifies the state of HEAD, the branches and the tags. */
  readonly state: string;
  /** The objects that the branches and tags refer to; for annotated tags, the tag objects. */
  readonly tips: ReadonlySet<Oid>;
}

/** Reading a few files is faster than starting git; for many, git is faster. */
const maxLoose = 64;
const maxPackedBytes = 16_384;
/** The folders of the refs that clients may see; they may have every object that these reach. */
export const visibleRefs = ["refs/heads", "refs/tags"] as const;
const headOnMain = "ref: refs/heads/main";
/** The real disk, because that is what git reads. */
const fs = new DurableFs(nodeFs);

/**
 * Reads HEAD, the branches and the tags.
 * @returns undefined when there are too many, they cannot be read, or they do not have the form that Skep gives them:
 * then git has to be asked.
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
  // Packing refs writes packed-refs and then removes the loose files, so reading the loose files first misses nothing.
  const loose = await readLoose(gitdir);
  const packed = (await fs.readText(packedRefsPath(gitdir))) ?? "";
  if (loose === undefined || packed.length > maxPackedBytes) return undefined;
  if ((await fs.readText(join(gitdir, "HEAD")))?.trim() !== headOnMain) return undefined;
  const tips = new Set<Oid>(loose.values());
  for (const [name, oid] of parsePackedRefs(packed)) {
    if (visibleRefs.some((folder) => name.startsWith(`${folder}/`)) && !loose.has(name)) tips.add(oid);
  }
  const lines = Array.from(loose, ([name, oid]) => `${oid} ${name}`).toSorted();
  return { state: [...lines, packed].join("\n"), tips };
}

/** The loose branches and tags; undefined when one is not a plain ref, or there are too many. */
async function readLoose(gitdir: string): Promise<ReadonlyMap<string, Oid> | undefined> {
  const names: string[] = [];
  for (const folder of visibleRefs) {
    for await (const { name, kind } of walkLooseRefs(fs, gitdir, folder)) {
      if (kind === "ref") names.push(name);
      if (names.length > maxLoose) return undefined;
    }
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
