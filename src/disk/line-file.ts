/** Files that grow by lines: several processes append to one, and readers need little memory. */
import { dirname } from "node:path";
import { statNow, unlessMissing } from "./disk.ts";
import { translateDiskErrors, type DurableFs } from "./durable-fs.ts";

const fileMode = 0o600;
const newline = 0x0a;
const chunkBytes = 256 * 1024;

/**
 * Appends lines to a file, which is made if it is missing; they are durable on return. They are written at once, so that
 * lines of several processes do not mix. A line that a full disk has cut off before is ended first.
 * @throws SkepError `disk-full`; the beginning of the lines may be in the file then.
 */
export async function appendLines(fs: DurableFs, path: string, lines: readonly string[]): Promise<void> {
  if (statNow(fs.disk, path) === undefined) await fs.makeFolder(dirname(path));
  await translateDiskErrors(async () => {
    const file = await fs.disk.promises.open(path, "a+", fileMode);
    try {
      const size = Number(statNow(fs.disk, path)?.size ?? 0n);
      const end = Buffer.alloc(1, newline);
      if (size > 0) await file.read(end, 0, 1, size - 1);
      const text = lines.map((line) => `${line}\n`).join("");
      await file.writeFile(Buffer.from(end[0] === newline ? text : `\n${text}`));
      await file.sync();
    } finally {
      await file.close();
    }
  });
  await fs.syncFolder(dirname(path));
}

/**
 * The lines of a file as {@link readLines} gives them, but the last first. What is appended meanwhile is left out. No more
 * than a piece of the file and one line is in memory.
 */
export async function* readLinesBackwards({ disk }: DurableFs, path: string): AsyncGenerator<string> {
  const file = await unlessMissing(disk.promises.open(path, "r"));
  if (file === undefined) return;
  try {
    const chunk = Buffer.alloc(chunkBytes);
    /** What was read of a line that began before, and its end. */
    let rest = Buffer.alloc(0);
    for (let position = Number(statNow(disk, path)?.size ?? 0n); position > 0;) {
      const length = Math.min(chunkBytes, position);
      position -= length;
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(chunk, filled, length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      const bytes = Buffer.concat([chunk.subarray(0, filled), rest]);
      const from = position === 0 ? 0 : bytes.indexOf(newline) + 1;
      if (from === 0 && position > 0) {
        rest = bytes;
        continue;
      }
      rest = bytes.subarray(0, from);
      const lines = bytes.toString("utf8", from).split("\n");
      if (lines.at(-1) === "") lines.pop();
      yield* lines.toReversed();
    }
  } finally {
    await file.close();
  }
}

/** The lines of a file; none when it is missing. A last line without an end is given, too. */
export async function* readLines({ disk }: DurableFs, path: string): AsyncGenerator<string> {
  const file = await unlessMissing(disk.promises.open(path, "r"));
  if (file === undefined) return;
  try {
    const chunk = Buffer.alloc(chunkBytes);
    let rest = Buffer.alloc(0);
    for (let position = 0; ;) {
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf(newline);
      rest = bytes.subarray(end + 1);
      if (end >= 0) yield* bytes.toString("utf8", 0, end).split("\n");
    }
    if (rest.length > 0) yield rest.toString("utf8");
  } finally {
    await file.close();
  }
}
