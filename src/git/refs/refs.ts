/** All refs of one repository, whatever they are called: read for a backup, and laid down from one. */
import { join } from "node:path";
import { isOid, type Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";

/** Refs by their full names, such as `refs/heads/main`. */
export type Refs = ReadonlyMap<string, Oid>;

/** Reads all refs but symbolic ones. One that git packs meanwhile is there under the one or the other form. */
export async function readRefs(fs: DurableFs, gitdir: string): Promise<Refs> {
  const loose = new Map<string, Oid>();
  for (const name of await looseRefs(fs, gitdir)) {
    const text = (await readText(fs, join(gitdir, name))).trimEnd();
    if (isOid(text)) loose.set(name, text);
  }
  const refs = new Map<string, Oid>();
  for (const line of (await readText(fs, packedPath(gitdir))).split("\n")) {
    const [, oid = "", name = ""] = /^([0-9a-f]{40}) (refs\/.+)$/s.exec(line) ?? [];
    if (isOid(oid)) refs.set(name, oid);
  }
  for (const [name, oid] of loose) refs.set(name, oid);
  return refs;
}

/**
 * Makes a repository's refs exactly these, by replacing one file: all of them move at once. Nobody else may change the
 * repository meanwhile.
 */
export async function replaceRefs(fs: DurableFs, gitdir: string, refs: Refs): Promise<void> {
  const lines = Array.from(refs, ([name, oid]) => `${oid} ${name}\n`);
  const text = lines.join("");
  if (text !== (await readText(fs, packedPath(gitdir)))) await fs.write(packedPath(gitdir), text);
  // A loose ref would stand over a packed one.
  for (const name of await looseRefs(fs, gitdir)) await fs.removeFile(join(gitdir, name));
}

async function looseRefs(fs: DurableFs, gitdir: string, folder = "refs"): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await fs.list(join(gitdir, folder))) {
    const name = `${folder}/${entry}`;
    if (isTemporary(entry) || entry.endsWith(".lock")) continue;
    if (await fs.isFolder(join(gitdir, name))) found.push(...(await looseRefs(fs, gitdir, name)));
    else found.push(name);
  }
  return found;
}

async function readText(fs: DurableFs, path: string): Promise<string> {
  return Buffer.from((await fs.read(path)) ?? []).toString("utf8");
}

function packedPath(gitdir: string): string {
  return join(gitdir, "packed-refs");
}
