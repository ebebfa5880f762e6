/** The file system that isomorphic-git gets: its own writes are in place and unsynced, these are not. */
import { fileNotFound, type DurableFs } from "../disk/durable-fs.ts";

function unsupported(name: string): () => Promise<never> {
  return () => Promise.reject(new Error(`${name} is not needed in a bare repository`));
}

/** What isomorphic-git calls; it is given no way to write anything else. */
export function gitFs(fs: DurableFs) {
  const { promises } = fs.disk;
  const client = {
    readFile: async (path: string, options?: { encoding?: BufferEncoding } | BufferEncoding) => {
      const data = Buffer.from(await promises.readFile(path));
      const encoding = typeof options === "string" ? options : options?.encoding;
      return encoding === undefined ? data : data.toString(encoding);
    },
    writeFile: (path: string, data: Uint8Array | string) => fs.write(path, data),
    readdir: (path: string) => promises.readdir(path),
    mkdir: (path: string) => fs.makeFolder(path),
    // Asked only whether something is there, and printing what it does not expect.
    stat: (path: string) =>
      promises.stat(path).catch((cause: unknown) => Promise.reject(fileNotFound(path, cause))),
    lstat: (path: string) => promises.lstat(path),
    unlink: (path: string) => fs.removeFile(path),
    rmdir: unsupported("rmdir"),
    readlink: unsupported("readlink"),
    symlink: unsupported("symlink"),
  };
  return { promises: client };
}
