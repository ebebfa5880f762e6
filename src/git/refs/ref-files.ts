/** Reads the refs of a repository as git stores them: a loose ref is one file, packed refs are lines of one file. */
import { dirname, join } from "node:path";
import { isOid, type Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";

export interface RefEntry {
  /** Its path in the repository; for a ref its full name, such as `refs/heads/main`. */
  readonly name: string;
  /** `lock` is git's lock file of a ref, `temporary` an unfinished write of Skep. */
  readonly kind: "folder" | "ref" | "lock" | "temporary";
}

/** Everything below a folder of loose refs, each folder before its content. */
export async function* walkLooseRefs(
  fs: DurableFs,
  gitdir: string,
  folder = "refs",
): AsyncGenerator<RefEntry> {
  const entries = [...(await fs.entries(join(gitdir, folder)))];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = `${folder}/${entry.name}`;
    if (isTemporary(entry.name)) yield { name, kind: "temporary" };
    else if (entry.name.endsWith(".lock")) yield { name, kind: "lock" };
    else if (entry.isDirectory()) {
      yield { name, kind: "folder" };
      yield* walkLooseRefs(fs, gitdir, name);
    } else yield { name, kind: "ref" };
  }
}

/**
 * The names of the loose refs below a folder, whatever their files hold.
 * @param most names are given, and one more where there are more.
 */
export async function looseRefNames(
  fs: DurableFs,
  gitdir: string,
  folder?: string,
  most = Infinity,
): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, kind } of walkLooseRefs(fs, gitdir, folder)) {
    if (kind === "ref") names.push(name);
    if (names.length > most) break;
  }
  return names;
}

/**
 * The loose refs below a folder, with the text of each file without its line end, also for symbolic refs. A ref that git
 * packs meanwhile is missing, so packed refs must be read after these.
 * @param most see {@link looseRefNames}.
 */
export async function readLooseRefs(
  fs: DurableFs,
  gitdir: string,
  folder?: string,
  most?: number,
): Promise<ReadonlyMap<string, string>> {
  const names = await looseRefNames(fs, gitdir, folder, most);
  const texts = await Promise.all(names.map((name) => fs.readText(join(gitdir, name))));
  const refs = new Map<string, string>();
  for (const [i, name] of names.entries()) {
    const text = texts[i];
    if (text !== undefined) refs.set(name, text.trimEnd());
  }
  return refs;
}

/** Removes an empty folder where a ref is to be, which is left when the refs in it were packed or removed. */
export async function removeEmptyRefFolder(fs: DurableFs, gitdir: string, name: string): Promise<void> {
  const path = join(gitdir, name);
  if (!(await fs.isFolder(path))) return;
  const folders = [path];
  for await (const entry of walkLooseRefs(fs, gitdir, name)) {
    if (entry.kind === "folder") folders.push(join(gitdir, entry.name));
  }
  for (const folder of folders.toReversed()) {
    // This only removes empty folders.
    await fs.disk.promises.rmdir(folder).catch(() => {});
  }
  await fs.syncFolder(dirname(path));
}

/** The file of packed refs. */
export function packedRefsPath(gitdir: string): string {
  return join(gitdir, "packed-refs");
}

/** Parses the text of `packed-refs` into refs by their full names. */
export function parsePackedRefs(text: string): ReadonlyMap<string, Oid> {
  const refs = new Map<string, Oid>();
  for (const line of text.split("\n")) {
    const [, oid = "", name = ""] = /^([0-9a-f]{40}) (refs\/.+)$/s.exec(line) ?? [];
    if (isOid(oid)) refs.set(name, oid);
  }
  return refs;
}

/** The text of `packed-refs` without one ref, and without the line below it that says what a tag leads to. */
export function withoutPackedRef(text: string, name: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.slice(41) === name && !line.startsWith("#"));
  if (at === -1) return text;
  lines.splice(at, lines[at + 1]?.startsWith("^") === true ? 2 : 1);
  return lines.join("\n");
}
