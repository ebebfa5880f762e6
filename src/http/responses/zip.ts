/** Writes a ZIP archive of texts. */
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";

/** The first day that there is, in the time zone of the server, as archives have it: equal files make equal archives. */
const about = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/**
 * Makes an archive.
 * @param files their names with slashes, and their texts, which are read one after the other.
 */
export async function zipOf(files: AsyncIterable<readonly [name: string, content: Buffer]>): Promise<Buffer> {
  const zip = new ZipFile();
  const archive = buffer(zip.outputStream);
  for await (const [name, content] of files) {
    // Packed one after the other: many at once would keep the disk from everybody else.
    zip.addReadStreamLazy(name, { ...about, size: content.length }, (take) =>
      take(null, Readable.from([content])),
    );
  }
  zip.end();
  return archive;
}
