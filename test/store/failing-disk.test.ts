/**
 * Each operation of each kind of write that needs room fails once because the disk is full, and each once for another
 * reason.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { isFailure } from "../../src/domain/errors.ts";
import { needsRoom, SystemError, type CrashDisk } from "../helpers/crash-disk.ts";
import { seed } from "../helpers/runs.ts";
import { measured, open, stateOf, writes } from "../helpers/crash-writes.ts";

/**
 * `npm run soak` fails each operation for each reason. Otherwise those that need room fail because there is none, one
 * operation fails with EIO and the next with EMFILE; and where a write has very many, each commit has its own choice of
 * them, spread over the whole write, as it has its own examples of properties.
 */
const isSoak = process.env.SKEP_SOAK_ROUNDS !== undefined;
const mostFailing = 30;
const start = seed();
const reasons = isSoak ? [["ENOSPC"], ["EIO"], ["EMFILE"]] : [["ENOSPC"], ["EIO", "EMFILE"]];

/** As many as shall fail, in their order, at even distances from a first one that the seed of the run says. */
function chosen<T>(all: readonly T[]): readonly T[] {
  const every = isSoak ? 1 : Math.ceil(all.length / mostFailing);
  const first = start % every;
  return all.filter((_, i) => i % every === first);
}

/** The folders of Hives that were not created: on a full disk they would take more of it with each attempt. */
async function unfinishedHives(disk: CrashDisk, folder: string): Promise<readonly string[]> {
  const names = await new DurableFs(disk).list(join(folder, "hives"));
  return names.filter((name) => name.startsWith(".new-"));
}

describe.each(writes.map((write) => [write.name, write] as const))("%s", (_, write) => {
  it.each(reasons)(
    "an operation changes nothing when any disk operation fails with %s, and works the next time",
    async (...codes) => {
      const { base, token, unfinished, after, operations } = await measured(write);
      const numbers = operations.map((_, i) => i + 1);
      const failed =
        codes.includes("ENOSPC") && !isSoak
          ? numbers.filter((number) => needsRoom(operations[number - 1] ?? ""))
          : numbers;
      for (const [i, failing] of chosen(failed).entries()) {
        const code = codes[(i + start) % codes.length] ?? "";
        const disk = base.copy();
        disk.before = (operation, name, path) => {
          if (operation === failing) throw new SystemError(code, name, path);
        };
        const storage = open(disk);
        const done = await write.run(storage, token).catch((error: unknown) => {
          expect(error instanceof SystemError || isFailure(error, "disk-full")).toBe(true);
          return code === "EMFILE" ? 503 : 500;
        });
        const step = `${failing}: ${operations[failing - 1]}`;
        expect(code === "EMFILE" ? [200, 503] : [200, 500, 507], step).toContain(done);
        const restarted = disk.recover("nothing");
        const state = await stateOf(restarted);
        expect(done === 200 ? [after] : unfinished, step).toContainEqual(state);
        if (done === 200) continue;
        disk.before = () => {};
        if (code === "ENOSPC") expect(await unfinishedHives(disk, storage.folder), step).toEqual([]);
        // The same process goes on, as far as locks allow: one whose removal failed is stale in two seconds.
        const again = operations[failing - 1]?.endsWith(".lock") ? open(restarted) : storage;
        expect(await write.run(again, token), step).toBe(200);
      }
    },
  );

  it("is refused with not_ready on a disk that can only be read, and changes nothing", async () => {
    const { base, token } = await measured(write);
    const disk = base.copy();
    const before = await stateOf(base.copy());
    disk.before = (_, name, path) => {
      if (changes(name)) throw new SystemError("EROFS", name, path);
    };
    const done = await write.run(open(disk), token).catch((error: unknown) => error);
    if (isFailure(done, "storage-missing")) expect(done.publicCode).toBe("not_ready");
    else expect(done).toBe(503);
    expect(await stateOf(disk.recover("nothing"))).toEqual(before);
  });
});

function changes(operation: string): boolean {
  return needsRoom(`${operation} `) || ["unlink", "rmdir", "chmod"].includes(operation);
}
