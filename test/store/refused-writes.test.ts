/** A write that checks refuse changes nothing, wherever the power goes or the disk fails meanwhile. */
import { describe, expect, it } from "vitest";
import { toBranchName } from "../../src/domain/commits/branch-name.ts";
import { isFailure } from "../../src/domain/errors.ts";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { BareRepo } from "../../src/git/bare-repo.ts";
import { updateHive } from "../../src/service/admin/hives.ts";
import type { Storage } from "../../src/service/storage.ts";
import { cutOff, DiskMemo, needsRoom, SystemError, type CrashDisk } from "../helpers/crash-disk.ts";
import { open, prepare, stateOf, web } from "../helpers/crash-writes.ts";
import { makePush, pusherOn } from "../helpers/git/made-pushes.ts";
import { byCommand, harness } from "../helpers/storage.ts";

const ref = "refs/heads/feature/kept";
const translated = { a: "AA", n: { b: "B :wrong" } };

interface Refused {
  readonly disk: CrashDisk;
  /** @returns the status; 422 for a push that was refused. */
  readonly run: (storage: Storage) => Promise<number>;
}

async function prepareRefusing(kind: "import" | "push"): Promise<Refused> {
  const { disk, token } = await prepare();
  const syntax = [{ files: "*.php", syntax: "laravel" }] as const;
  await updateHive(open(disk), web, { checks: { level: "refuse", syntax }, push: "all" }, byCommand);
  if (kind === "import") {
    const body = { files: { "a.php": translated }, overwrite_strategy: "overwrite" };
    const run: Refused["run"] = async (storage) =>
      (await harness(storage, token).call("POST", "/api/hives/web/translations/fr", { body })).status;
    return { disk, run };
  }
  const repo = new BareRepo(new DurableFs(disk), "/mount/storage/hives/web.git");
  const parent = repo.branches.ref(toBranchName("feature/kept")).read();
  const files = { "locales/fr/a.php.json": `${JSON.stringify(translated, null, 2)}\n` };
  const pushed = await makePush(repo, { ref, parent, before: parent, files });
  const run: Refused["run"] = async (storage) => {
    const answer = await pusherOn(storage, token).send(pushed);
    return (await answer.text()).includes(`ng ${ref}`) ? 422 : answer.status;
  };
  return { disk, run };
}

/** The operations of a whole run, and what is there before and after it. */
async function measure(kind: "import" | "push") {
  const { disk, run } = await prepareRefusing(kind);
  const whole = disk.copy();
  const since = whole.operations.length;
  expect(await run(open(whole))).toBe(422);
  const state = await stateOf(disk.copy());
  expect(await stateOf(whole.recover("nothing"))).toEqual(state);
  return { base: disk, run, state, operations: whole.operations.slice(since) };
}

describe.each(["import", "push"] as const)("a refused %s", (kind) => {
  let measured: ReturnType<typeof measure> | undefined;

  it("leaves nothing behind after a power cut", async () => {
    const { base, run, state } = await (measured ??= measure(kind));
    /** The status and the state where it is refused again. */
    const again = new DiskMemo<unknown>();
    const cuts = await cutOff(base, (disk) => run(open(disk)));
    expect(cuts.length).toBeGreaterThan(6);
    for (const { disk, step } of cuts) {
      expect(await stateOf(disk), step).toEqual(state);
      const refused = await again.of(disk, async (own) => [await run(open(own)), await stateOf(own)]);
      expect(refused, step).toEqual([422, state]);
    }
  });

  it.each(["ENOSPC", "EIO"])("leaves nothing behind when any disk operation fails with %s", async (code) => {
    const { base, run, state, operations } = await (measured ??= measure(kind));
    // A push has very many.
    for (let failing = 1; failing <= operations.length; failing += kind === "push" ? 3 : 1) {
      if (code === "ENOSPC" && !needsRoom(operations[failing - 1] ?? "")) continue;
      const disk = base.copy();
      disk.before = (operation, name, path) => {
        if (operation === failing) throw new SystemError(code, name, path);
      };
      const status = await run(open(disk)).catch((error: unknown) => {
        expect(error instanceof SystemError || isFailure(error, "disk-full")).toBe(true);
        return 500;
      });
      const step = `${failing}: ${operations[failing - 1]}`;
      expect([422, 500, 503, 507], step).toContain(status);
      expect(await stateOf(disk.recover("nothing")), step).toEqual(state);
    }
  });
});
