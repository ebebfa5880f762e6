/** The branches and tags of a repository, which clients may see, and the objects that these reach, which git tells. */
import nodeFs from "node:fs";
import { isOid, type Oid } from "../../domain/names.ts";
import { DurableFs } from "../../disk/durable-fs.ts";
import { openGit } from "../process/git-stream.ts";
import { openRefs, BranchRef } from "./ref.ts";
import { join } from "node:path";
import { isSystemError } from "../../disk/disk.ts";
import { packedRefsPath, parsePackedRefs, readLooseRefs } from "./ref-files.ts";

/** The options of {@link openGit} for git commands that only read. */
interface ReadOptions {
  readonly signal: AbortSignal;
  readonly input?: string;
}

/** Reading a few files is faster than starting git; for many, git is faster. */
const maxLoose = 64;
const maxPackedBytes = 16_384;
/** The folders of the refs that clients may see; they may have every object that these reach. */
export const visibleRefs = ["refs/heads", "refs/tags"] as const;
const headOnMain = "ref: refs/heads/main";
/** The real disk, because that is what git reads. */
const fs = new DurableFs(nodeFs);

const listTips = ["for-each-ref", "--format=%(objectname)%0a%(*objectname)", ...visibleRefs];

/**
 * Finds the objects that no visible ref reaches, or that do not exist.
 * @returns undefined when git is not installed.
 * @throws SkepError as {@link BranchRef.read} does; Error when the signal stops it.
 */
export async function findUnreachable(
  gitdir: string,
  oids: ReadonlySet<Oid>,
  signal: AbortSignal,
): Promise<ReadonlySet<Oid> | undefined> {
  const left = new Set(oids);
  // Nearly always clients ask only for main, or for tips of branches and tags.
  if (left.size > 0) left.delete(new BranchRef(openRefs(fs, gitdir)).read());
  if (left.size > 0) for (const tip of (await readVisibleRefs(gitdir))?.tips ?? []) left.delete(tip);
  if (left.size === 0) return left;
  const tips = await readTips(gitdir, signal);
  if (tips === undefined) return undefined;
  for (const tip of tips) left.delete(tip);
  if (left.size === 0 || tips.size === 0) return left;
  // Objects are listed with the first commit that has them: those that a partial clone asks for are at the newest ones.
  const walk = ["rev-list", "--objects", "--in-commit-order", "--no-object-names", "--stdin"];
  await eachOid(gitdir, walk, { signal, input: toLines([...tips]) }, (oid) => {
    left.delete(oid);
    return left.size > 0;
  });
  return left;
}

/**
 * Finds the commits and tag objects that a visible ref reaches.
 * @returns undefined when git is not installed.
 * @throws as {@link findUnreachable}.
 */
export async function findVisible(
  gitdir: string,
  oids: ReadonlySet<Oid>,
  signal: AbortSignal,
): Promise<ReadonlySet<Oid> | undefined> {
  if (oids.size === 0) return oids;
  const tips = (await readVisibleRefs(gitdir))?.tips ?? (await readTips(gitdir, signal));
  if (tips === undefined) return undefined;
  const left = [...oids].filter((oid) => !tips.has(oid));
  if (left.length === 0) return oids;
  const present: Oid[] = [];
  // git reads its input where the option for it stands, so all that matters for that comes before.
  const revList = ["rev-list", "--ignore-missing", "--stdin"];
  // Most commits that a client has may be its own, and unknown here.
  const check = { signal, input: toLines(left) };
  const checked = await eachOid(gitdir, [...revList, "--no-walk=unsorted"], check, (oid) => {
    if (oids.has(oid)) present.push(oid);
  });
  if (checked === undefined) return undefined;
  const hidden = new Set<Oid>();
  const walk = { signal, input: toLines([...present, ...Array.from(tips, (tip) => `^${tip}`)]) };
  if (present.length > 0) await eachOid(gitdir, revList, walk, (oid) => hidden.add(oid));
  const shown = [...present.filter((oid) => !hidden.has(oid)), ...[...oids].filter((oid) => tips.has(oid))];
  return new Set(shown);
}

/** Whether every name is a visible ref's, short or full; undefined when git is not installed. */
export async function areVisible(
  gitdir: string,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (names.size === 0) return true;
  const known = new Set<string>();
  const listed = await eachLine(
    gitdir,
    ["for-each-ref", "--format=%(refname)", ...visibleRefs],
    { signal },
    (ref) => {
      for (const prefix of ["", "refs/", "refs/tags/", "refs/heads/"]) {
        if (ref.startsWith(prefix)) known.add(ref.slice(prefix.length));
      }
    },
  );
  return listed && [...names].every((name) => known.has(name));
}

function toLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/**
 * The objects that the visible refs refer to, and those that their tags refer to; undefined when git is not installed.
 */
async function readTips(gitdir: string, signal: AbortSignal): Promise<ReadonlySet<Oid> | undefined> {
  const tips = new Set<Oid>();
  const listed = await eachOid(gitdir, listTips, { signal }, (oid) => tips.add(oid));
  return listed && tips;
}

/** Reads object names, one per line, until `visit` returns false. */
function eachOid(
  gitdir: string,
  args: readonly string[],
  options: ReadOptions,
  visit: (oid: Oid) => unknown,
): Promise<true | undefined> {
  return eachLine(gitdir, args, options, (line) => !isOid(line) || visit(line));
}

/** Reads lines until `visit` returns false. */
async function eachLine(
  gitdir: string,
  args: readonly string[],
  options: ReadOptions,
  visit: (line: string) => unknown,
): Promise<true | undefined> {
  const output = await openGit(gitdir, args, options);
  if (output === undefined) return undefined;
  let rest = "";
  const chunks: AsyncIterable<string> = output.setEncoding("latin1");
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    // Leaving the loop ends the output, and with it the process.
    for (const line of lines) if (visit(line) === false) return true;
  }
  return true;
}

export interface VisibleRefs {
  /** Identifies the state of HEAD, the branches and the tags. */
  readonly state: string;
  /** The objects that the branches and tags refer to; for annotated tags, the tag objects. */
  readonly tips: ReadonlySet<Oid>;
}

/**
 * Reads HEAD, the branches and the tags without git, so that git's answers about them can be cached.
 * @returns undefined when there are too many, they cannot be read, or they do not have the form that Skep gives them:
 * then git has to be asked.
 */
export async function readVisibleRefs(gitdir: string): Promise<VisibleRefs | undefined> {
  try {
    return await readFewRefs(gitdir);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

async function readFewRefs(gitdir: string): Promise<VisibleRefs | undefined> {
  const loose = new Map<string, string>();
  // Packing refs writes packed-refs and then removes the loose files, so reading the loose files first misses nothing.
  for (const folder of visibleRefs) {
    for (const ref of await readLooseRefs(fs, gitdir, folder, maxLoose)) loose.set(...ref);
  }
  const packed = (await fs.readText(packedRefsPath(gitdir))) ?? "";
  const tips = new Set([...loose.values()].filter(isOid));
  if (loose.size > maxLoose || packed.length > maxPackedBytes) return undefined;
  if (![...loose.values()].every(isOid)) return undefined;
  if ((await fs.readText(join(gitdir, "HEAD")))?.trim() !== headOnMain) return undefined;
  for (const [name, oid] of parsePackedRefs(packed)) {
    if (visibleRefs.some((folder) => name.startsWith(`${folder}/`)) && !loose.has(name)) tips.add(oid);
  }
  const lines = Array.from(loose, ([name, oid]) => `${oid} ${name}`).toSorted();
  return { state: [...lines, packed].join("\n"), tips };
}
