/** Tells whether a folder lies on a file system that machines share, which Skep's checks of freshness do not suit. */
import { statfs } from "node:fs/promises";
import { isSystemError } from "./disk.ts";

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
