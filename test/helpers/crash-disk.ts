/**
 * A disk in memory that can lose its power. It keeps apart what programs see and what is durable: a file's content is durable
 * after an fsync of the file, a name after an fsync of its folder. It counts every operation, and can fail one or
 * stop for good after one.
 *
 * The first part of every path is the name of a mount and is not looked at, so that one content can be worked on in
 * different places: proper-lockfile keeps its locks by path, whatever the disk.
 */
import { hash } from "node:crypto";
import { expect } from "vitest";
import { isTemporary } from "../../src/disk/temporary-name.ts";
import type { Disk, DiskStats } from "../../src/disk/disk.ts";

interface FileNode {
  readonly kind: "file";
  readonly ino: bigint;
  /** Replaced and never changed, so that copies of the disk can share it. */
  data: Uint8Array;
  /** What an fsync made durable; undefined before the first. */
  synced: Uint8Array | undefined;
  mtime: number;
}

interface FolderNode {
  readonly kind: "folder";
  readonly ino: bigint;
  readonly names: Map<string, FsNode>;
  synced: ReadonlyMap<string, FsNode>;
  mtime: number;
}

type FsNode = FileNode | FolderNode;

/** What a power cut does to what was not fsynced. */
export const losses = {
  /** Nothing: the process was killed, the machine runs on. */
  nothing: "nothing",
  /** All of it. */
  everything: "everything",
  /** Contents but not names: a renamed file may be there, and empty. */
  contents: "contents",
} as const;
export type Loss = keyof typeof losses;

/** An error without a stack, which nobody reads: many a file is looked for that is not there. */
class BareError extends Error {
  constructor(message: string) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
  }
}

export class SystemError extends BareError {
  readonly code: string;

  constructor(code: string, call: string, path: string) {
    super(`${code}: ${call} '${path}'`);
    this.code = code;
  }
}

/** What an operation throws on a disk without power. */
export class PowerCut extends BareError {}

/** The operations that change nothing. */
const reads: ReadonlySet<string> = new Set([
  "open",
  "close",
  "read",
  "readSync",
  "readdir",
  "stat",
  "statSync",
  "lstat",
]);

/** The operations that need no room on a disk. */
const roomless: ReadonlySet<string> = new Set([...reads, "unlink", "rmdir", "chmod", "utimes"]);

/** Whether an operation of {@link CrashDisk.operations} can fail because the disk is full. */
export function needsRoom(operation: string): boolean {
  return !roomless.has(nameOfOperation(operation));
}

function nameOfOperation(operation: string): string {
  return operation.slice(0, operation.indexOf(" "));
}

let inodes = 0n;

function folder(): FolderNode {
  return { kind: "folder", ino: inodes++, names: new Map(), synced: new Map(), mtime: Date.now() };
}

function file(data: Uint8Array): FileNode {
  return { kind: "file", ino: inodes++, data, synced: undefined, mtime: Date.now() };
}

export class CrashDisk implements Disk {
  /** The operations so far, by name and path. */
  readonly operations: string[] = [];
  /** The folders that were renamed, by their old paths. */
  readonly movedFolders: string[] = [];
  /** Called before each operation with its number, from 1; what it throws is what the operation throws. */
  before: (operation: number, name: string, path: string) => void = () => {};
  #root: FolderNode;
  #off = false;
  /** Stops the disk for good after this many operations. */
  cutAfter = Number.POSITIVE_INFINITY;

  constructor(root: FolderNode = folder()) {
    this.#root = root;
  }

  /** The disk after a power cut, or after a restart where nothing is lost. Every file on it is two hours old. */
  recover(loss: Loss): CrashDisk {
    return new CrashDisk(recovered(this.#root, loss));
  }

  /** The same disk as another process sees it: what either does is there for both, and each is cut off by itself. */
  share(): CrashDisk {
    return new CrashDisk(this.#root);
  }

  /** A disk of its own with the same content, all of it durable. */
  copy(): CrashDisk {
    return this.recover("nothing");
  }

  /** Whether nothing was ever done on the disk, nor copied to it. */
  get isNew(): boolean {
    return this.operations.length === 0 && this.#root.names.size === 0;
  }

  /** Takes over the content of another disk, all of it durable. */
  become(other: CrashDisk): void {
    this.#root = recovered(other.#root, "nothing");
  }

  /** Differs where the names or bytes on two disks do, but for the names of temporary files. */
  fingerprint(): string {
    return hash("sha1", contentOf(this.#root));
  }

  /** Differs where two disks differ for who looks at one path: a file's bytes, and of a folder as much as is looked at. */
  digest(path: string, look: Look): string {
    let node: FsNode | undefined;
    try {
      node = this.#find(path);
    } catch {
      return "";
    }
    if (node === undefined) return "";
    if (node.kind === "file" || look === "everything") return contentOf(node);
    if (look === "presence") return node.kind;
    return Array.from(node.names, ([name, { kind }]) => `${kind} ${lastingName(name)}`)
      .toSorted()
      .join("/");
  }

  readonly promises = {
    open: async (path: string, flags: string) => {
      const isAppending = flags === "a+";
      const isMade = flags === "wx" || (isAppending && this.#find(path) === undefined);
      const node = this.#do(isMade ? "create" : "open", path, () => {
        const present = this.#find(path);
        if (isMade) {
          if (present !== undefined) throw new SystemError("EEXIST", "open", path);
          const made = file(new Uint8Array());
          put(this.#folderOf(path), path, made);
          return made;
        }
        if (present === undefined) throw new SystemError("ENOENT", "open", path);
        return present;
      });
      this.#opened(1);
      return {
        writeFile: async (data: Uint8Array) => {
          if (node.kind === "folder") throw new SystemError("EISDIR", "write", path);
          const before = isAppending ? node.data : new Uint8Array();
          // A write that is cut short leaves half of it behind.
          node.data = Buffer.concat([before, data.subarray(0, data.length >> 1)]);
          this.#do("write", path, () => (node.data = Buffer.concat([before, data])));
          node.mtime = Date.now();
        },
        read: async (buffer: Uint8Array, offset: number, length: number, position: number) => {
          const data = this.#file(path).data.subarray(position, position + length);
          this.#do("read", path, () => buffer.set(data, offset));
          return { bytesRead: data.length };
        },
        sync: async () => this.#do("fsync", path, () => sync(node)),
        close: async () => this.#do("close", path, () => this.#opened(-1)),
      };
    },
    readFile: async (path: string) => this.#do("read", path, () => this.#file(path).data.slice()),
    readdir: async (path: string) =>
      this.#do("readdir", path, () =>
        Array.from(this.#folder(path).names, ([name, node]) => ({
          name,
          isDirectory: () => node.kind === "folder",
        })),
      ),
    stat: async (path: string) => this.#do("stat", path, () => statsOf(this.#existing(path))),
    lstat: async (path: string) => this.#do("lstat", path, () => statsOf(this.#existing(path))),
    mkdir: async (path: string) =>
      // A folder that is there already is only looked at.
      this.#do(this.#find(path) === undefined ? "mkdir" : "stat", path, () => {
        const parent = this.#folderOf(path);
        if (parent.names.has(nameOf(path))) throw new SystemError("EEXIST", "mkdir", path);
        put(parent, path, folder());
      }),
    link: async (existing: string, path: string) =>
      this.#do("link", path, () => {
        const node = this.#file(existing);
        if (this.#folderOf(path).names.has(nameOf(path))) throw new SystemError("EEXIST", "link", path);
        put(this.#folderOf(path), path, node);
      }),
    copyFile: async (from: string, to: string) =>
      this.#do("copy", to, () => {
        put(this.#folderOf(to), to, file(this.#file(from).data.slice()));
      }),
    rename: async (from: string, to: string) =>
      this.#do("rename", to, () => {
        const node = this.#existing(from);
        const target = this.#folderOf(to).names.get(nameOf(to));
        if (target?.kind === "folder" && target.names.size > 0)
          throw new SystemError("ENOTEMPTY", "rename", to);
        remove(this.#folderOf(from), from);
        put(this.#folderOf(to), to, node);
        if (node.kind === "folder") this.movedFolders.push(from);
      }),
    unlink: async (path: string) =>
      this.#do("unlink", path, () => {
        this.#file(path);
        remove(this.#folderOf(path), path);
      }),
    rmdir: async (path: string) => this.rmdirSync(path),
    access: async (path: string) => this.#do("stat", path, () => void this.#existing(path)),
    chmod: async (path: string) => this.#do("chmod", path, () => void this.#existing(path)),
    utimes: async (path: string, _: Date, mtime: Date) =>
      this.#do("utimes", path, () => {
        this.#existing(path).mtime = mtime.getTime();
      }),
  };

  statSync(path: string): DiskStats | undefined {
    return this.#do("statSync", path, () => {
      const node = this.#find(path);
      return node && statsOf(node);
    });
  }

  readFileSync(path: string): Uint8Array {
    return this.#do("readSync", path, () => this.#file(path).data.slice());
  }

  rmdirSync(path: string): void {
    this.#do("rmdir", path, () => {
      if (this.#folder(path).names.size > 0) throw new SystemError("ENOTEMPTY", "rmdir", path);
      remove(this.#folderOf(path), path);
    });
  }

  /** The most files that were open at once. */
  mostOpen = 0;
  #open = 0;

  #opened(change: number): void {
    this.#open += change;
    this.mostOpen = Math.max(this.mostOpen, this.#open);
  }

  #do<T>(name: string, path: string, operation: () => T): T {
    if (this.#off) throw new PowerCut(`${name} '${path}' without power`);
    this.operations.push(`${name} ${path}`);
    this.before(this.operations.length, name, path);
    const result = operation();
    if (this.operations.length >= this.cutAfter) this.#off = true;
    return result;
  }

  #find(path: string): FsNode | undefined {
    let node: FsNode | undefined = this.#root;
    // Without a list of the names: this is done more often than anything else.
    let start = path.indexOf("/", 1) + 1;
    while (start > 0) {
      if (node?.kind === "file") throw new SystemError("ENOTDIR", "open", path);
      const end = path.indexOf("/", start);
      node = node?.names.get(path.slice(start, end === -1 ? undefined : end));
      start = end + 1;
    }
    return node;
  }

  #existing(path: string): FsNode {
    const node = this.#find(path);
    if (node === undefined) throw new SystemError("ENOENT", "open", path);
    return node;
  }

  #file(path: string): FileNode {
    const node = this.#existing(path);
    if (node.kind === "folder") throw new SystemError("EISDIR", "read", path);
    return node;
  }

  #folder(path: string): FolderNode {
    const node = this.#existing(path);
    if (node.kind === "file") throw new SystemError("ENOTDIR", "readdir", path);
    return node;
  }

  #folderOf(path: string): FolderNode {
    return this.#folder(path.slice(0, path.lastIndexOf("/")));
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function put(parent: FolderNode, path: string, node: FsNode): void {
  parent.names.set(nameOf(path), node);
  parent.mtime = Date.now();
}

function remove(parent: FolderNode, path: string): void {
  parent.names.delete(nameOf(path));
  parent.mtime = Date.now();
}

/** Temporary files have names that never come again, which means nothing. */
function lastingName(name: string): string {
  return isTemporary(name) ? "temporary" : name;
}

const hashes = new WeakMap<Uint8Array, string>();

function contentOf(node: FsNode): string {
  if (node.kind === "folder") {
    const names = Array.from(node.names, ([name, inner]) => `${lastingName(name)}:${contentOf(inner)}`);
    return `{${names.toSorted().join("/")}}`;
  }
  const known = hashes.get(node.data) ?? hash("sha1", node.data);
  hashes.set(node.data, known);
  return known;
}

function sync(node: FsNode): void {
  if (node.kind === "file") node.synced = node.data;
  else node.synced = new Map(node.names);
}

function recovered(node: FolderNode, loss: Loss): FolderNode {
  const made = folder();
  made.mtime = Date.now() - 7_200_000;
  for (const [name, inner] of loss === "everything" ? node.synced : node.names) {
    made.names.set(name, inner.kind === "folder" ? recovered(inner, loss) : recoveredFile(inner, loss));
  }
  made.synced = new Map(made.names);
  return made;
}

function recoveredFile(node: FileNode, loss: Loss): FileNode {
  const made = file(loss === "nothing" ? node.data : (node.synced ?? new Uint8Array()));
  made.synced = made.data;
  made.mtime = Date.now() - 7_200_000;
  return made;
}

function statsOf(node: FsNode) {
  const ns = BigInt(Math.round(node.mtime)) * 1_000_000n;
  return {
    size: BigInt(node.kind === "file" ? node.data.length : 0),
    ino: node.ino,
    mtimeNs: ns,
    ctimeNs: ns,
    birthtimeNs: node.ino,
    mtime: new Date(node.mtime),
    uid: 0,
    mode: node.kind === "file" ? 0o600 : 0o700,
    isFile: () => node.kind === "file",
    isDirectory: () => node.kind === "folder",
    isSymbolicLink: () => false,
  };
}

/** How much of a folder makes a difference: whether it is there, the names in it, or everything below it. */
type Look = "presence" | "names" | "everything";

/** A path that work touched, and how. */
interface Touch {
  readonly path: string;
  readonly look: Look;
}

/** What work touched, with what followed by what is there; or the result, where all that it touched is known. */
interface Known<T> {
  touch?: Touch;
  readonly next: Map<string, Known<T>>;
  result?: { readonly value: T };
}

/**
 * The results of work on disks. It is not done again on a disk that has the same at every path that it touched on an
 * earlier one: most power cuts leave what nothing refers to.
 */
export class DiskMemo<T> {
  readonly #known: Known<T> = { next: new Map() };

  /** The result of the work, which is done on a copy of the disk. @throws what the work throws. */
  async of(disk: CrashDisk, work: (own: CrashDisk) => Promise<T>): Promise<T> {
    let known = this.#known;
    const compared = new Set<string>();
    const isNew = ({ path, look }: Touch): boolean => {
      const size = compared.size;
      return compared.add(`${look} ${path}`).size > size;
    };
    while (known.touch !== undefined) {
      isNew(known.touch);
      known = follow(known, disk.digest(known.touch.path, known.touch.look));
    }
    if (known.result !== undefined) return known.result.value;
    const own = disk.copy();
    const value = await work(own);
    for (const touch of touched(own)) {
      if (!isNew(touch)) continue;
      known.touch = touch;
      known = follow(known, disk.digest(touch.path, touch.look));
    }
    known.result = { value };
    return value;
  }
}

/** What the operations on a disk touched, without their mounts; of temporary files only what is read, not what is removed. */
function* touched({ operations, movedFolders }: CrashDisk): Generator<Touch> {
  const onMount = (path: string): string => `/mount${path.slice(path.indexOf("/", 1))}`;
  for (const operation of operations) {
    const name = nameOfOperation(operation);
    const path = operation.slice(name.length + 1);
    const isRead = name === "open" || name === "read" || name === "readSync";
    if (!isRead && isTemporary(nameOf(path))) continue;
    yield { path: onMount(path), look: name === "readdir" || name === "rmdir" ? "names" : "presence" };
  }
  for (const path of movedFolders) yield { path: onMount(path), look: "everything" };
}

function follow<T>(known: Known<T>, digest: string): Known<T> {
  const next = known.next.get(digest) ?? { next: new Map() };
  known.next.set(digest, next);
  return next;
}

/** A disk on which some work was cut off, after the restart. */
export interface CutOff<T> {
  readonly disk: CrashDisk;
  /** What the work gave, if it ended before. */
  readonly result: T | undefined;
  /** The last operation and the loss, for messages. */
  readonly step: string;
  /** Does the work on a disk that fails for good while the loss leaves this. @returns what it gives nevertheless. */
  readonly retry: () => Promise<T | undefined>;
}

/**
 * Does something on a copy of a disk, and gives the disk after a power cut at each crash point, with each of {@link losses}
 * that shows the last operation, and at the end. Crash points are after each operation that changes something, and in each
 * write, which leaves half a file.
 */
export async function cutOff<T>(
  base: CrashDisk,
  run: (disk: CrashDisk) => Promise<T>,
): Promise<readonly CutOff<T>[]> {
  const whole = base.copy();
  const cuts: CutOff<T>[] = [];
  /** The last operation after which the disk is the same with a loss. */
  const latest = new Map<Loss, { last: number }>();
  const cut = (last: number, isWriting: boolean, result?: T): void => {
    const operation = whole.operations[last - 1] ?? "";
    for (const loss of Object.values(losses)) {
      const same = latest.get(loss);
      if (same !== undefined && !(isWriting && loss === "nothing") && !isSeen(operation, loss)) {
        same.last = last;
        continue;
      }
      const own = { last };
      latest.set(loss, own);
      const step = `${last}: ${operation}, losing ${loss}`;
      cuts.push({ disk: whole.recover(loss), result, step, retry: () => runUntil(base, own.last, run) });
    }
  };
  let hasChanged = false;
  whole.before = (operation, name) => {
    const isWriting = name === "write";
    if (hasChanged || isWriting) cut(operation - 1, isWriting);
    hasChanged = !reads.has(name);
  };
  const result = await run(whole);
  latest.clear();
  cut(whole.operations.length, false, result);
  return cuts;
}

/** Whether a power cut after an operation leaves something else than one before it. */
function isSeen(operation: string, loss: Loss): boolean {
  const name = nameOfOperation(operation);
  if (reads.has(name)) return false;
  return loss === "everything" ? name === "fsync" : name !== (loss === "nothing" ? "fsync" : "write");
}

/**
 * Goes through power cuts. Work is acknowledged only once none can undo it: what it gives at the end it never gives before,
 * nor on a disk that fails for good at the last step at which a power cut undoes it.
 * @param look looks at a disk after one. @returns whether the work is done there.
 */
export async function expectDurable<T>(
  cuts: readonly CutOff<T>[],
  look: (cut: CutOff<T>) => Promise<boolean>,
): Promise<void> {
  const acknowledged = cuts.at(-1)?.result;
  expect(acknowledged).toBeDefined();
  let lastUndone: CutOff<T> | undefined;
  for (const cut of cuts) {
    if (await look(cut)) continue;
    expect(cut.result, cut.step).not.toEqual(acknowledged);
    lastUndone = cut;
  }
  expect(lastUndone).toBeDefined();
  expect(await lastUndone?.retry(), lastUndone?.step).not.toEqual(acknowledged);
}

/** Does something on a copy of a disk that fails for good after an operation. @throws what is not due to that. */
async function runUntil<T>(
  base: CrashDisk,
  last: number,
  run: (disk: CrashDisk) => Promise<T>,
): Promise<T | undefined> {
  const disk = base.copy();
  disk.cutAfter = last;
  return run(disk).catch((error: unknown) => {
    if (!(error instanceof Error && [error, error.cause].some((one) => one instanceof PowerCut))) throw error;
    return undefined;
  });
}
