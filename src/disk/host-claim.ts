/**
 * Keeps a second machine from working on a storage that several machines can reach. Every process on such a storage has a
 * file in it, named after its machine, and renews it. The processes of one machine may work together: their locks hold,
 * and they see each other's changes at once.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { mkdir, open, readdir, readFile, unlink, writeFile, statfs } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { failure } from "../domain/errors.ts";
import { isSystemError, unlessMissing } from "./disk.ts";
import { locksFolder } from "./storage-folder.ts";

interface HostOptions {
  /** The machine of this process; see {@link thisHost}. */
  readonly host?: string;
  /** Tells whether other machines may reach the folder. */
  readonly isShared?: (folder: string) => Promise<boolean>;
  /** How often the file is renewed. */
  readonly renewMs?: number;
  /** The process of a file that was not renewed for so long has ended. */
  readonly staleMs?: number;
  /** The clock by which that time passes, in milliseconds; that of this process by default. */
  readonly clock?: () => number;
  /** Runs when another machine has taken this process for ended. */
  readonly lost?: () => void;
}

/**
 * Claims a storage for this machine until the process ends. On a local disk this does nothing.
 * @returns a function that gives the claim up before that.
 * @throws SkepError `conflict` when a process of another machine works on the storage.
 */
export async function claimForHost(root: string, options: HostOptions = {}): Promise<() => Promise<void>> {
  const { isShared = canBeShared, renewMs = 5_000, staleMs = 30_000, lost = endProcess } = options;
  const { clock = () => performance.now() } = options;
  if (!(await isShared(root))) return () => Promise.resolve();
  const host = encodeURIComponent(options.host ?? thisHost());
  const folder = join(root, locksFolder, "hosts");
  await mkdir(folder, { recursive: true });
  const own = join(folder, `${host}.${randomUUID()}`);
  const text = `${hostname()}\n`;
  await writeFile(own, text);
  const removeNow = (): void => rmSync(own, { force: true });
  process.once("exit", removeNow);
  let isGivenUp = false;
  // Written as a whole, since the file then has the time of the file system, not of this machine.
  const renew = async (): Promise<void> => {
    if ((await renewed(own)) === undefined && !isGivenUp) lost();
    else if (!isGivenUp) await writeFile(own, text, { flag: "r+" });
  };
  const timer = setInterval(() => void renew().catch(() => undefined), renewMs).unref();
  const giveUp = async (): Promise<void> => {
    isGivenUp = true;
    clearInterval(timer);
    process.removeListener("exit", removeNow);
    await unlink(own).catch(() => undefined);
  };
  try {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (name.startsWith(`${host}.`)) continue;
      const since = (await renewed(own)) ?? 0;
      if (await isRenewed(path, { since, staleMs, pollMs: renewMs / 5, clock }))
        throw await inUse(root, path);
      await unlink(path).catch(() => undefined);
    }
  } catch (error) {
    await giveUp();
    throw error;
  }
  return giveUp;
}

/** Whether other machines may reach a folder; where Skep cannot tell, they may. */
async function canBeShared(folder: string): Promise<boolean> {
  return process.platform !== "linux" || (await networkFileSystem(folder)) !== undefined;
}

/** The start of the running system: containers of one machine share it, and a machine that started again has another. */
function thisHost(): string {
  return systemStart() ?? hostname();
}

/** Identifies the start of the running system; undefined where the system does not tell. */
export function systemStart(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

type RenewalTimes = Required<Pick<HostOptions, "staleMs" | "clock">> & {
  /** When the file system said that it was now. */
  readonly since: number;
  readonly pollMs: number;
};

/** Whether the process of a file renews it, which is observed for as long as it may take. */
async function isRenewed(path: string, { since, staleMs, pollMs, clock }: RenewalTimes): Promise<boolean> {
  const first = await renewed(path);
  if (first === undefined || since - first > staleMs) return false;
  const end = clock() + staleMs;
  while (clock() < end) {
    await setTimeout(pollMs);
    const now = await renewed(path);
    if (now !== first) return now !== undefined;
  }
  return false;
}

/** When a file was last renewed; undefined if it is gone. It is opened, since NFS then asks the server for the time. */
async function renewed(path: string): Promise<number | undefined> {
  const file = await unlessMissing(open(path, "r"));
  try {
    return (await file?.stat())?.mtimeMs;
  } finally {
    await file?.close();
  }
}

async function inUse(root: string, path: string): Promise<Error> {
  const name = await readFile(path, "utf8").then(
    (text) => text.trim(),
    () => "its name is unknown",
  );
  return failure(
    "conflict",
    `The storage in ${root} is in use on another machine (${name}): two machines that share a folder see each other's changes late. Stop Skep there, or insist with: --other-host allow`,
  );
}

function endProcess(): void {
  process.stderr.write("skep: another machine has taken over the storage\n");
  process.exit(1);
}

/** The numbers that Linux gives file systems, from `linux/magic.h` and the sources of the file systems. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "SMB (CIFS)"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9p"],
  [0x65735546, "FUSE, as sshfs, S3 and folders of a virtual machine's host are"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x786f4256, "a folder of VirtualBox's host"],
]);

/** What the system tells of the file system at a path. */
type ReadType = (path: string) => Promise<{ readonly type: number }>;

/**
 * The name of the file system that a folder lies on, if other machines may change it; undefined for one of this machine
 * alone, and where that is not known.
 */
export async function networkFileSystem(
  folder: string,
  read: ReadType = statfs,
): Promise<string | undefined> {
  // Elsewhere the numbers mean something else.
  if (process.platform !== "linux") return undefined;
  try {
    const { type } = await read(folder);
    // It is signed on some processors.
    return networkTypes.get(type >>> 0);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
