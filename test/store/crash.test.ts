/** Every step is a crash point: each operation of each kind of write is once the last one before the power goes. */
import { isDeepStrictEqual } from "node:util";
import { inflateSync } from "node:zlib";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { deleteHive } from "../../src/service/admin/hives.ts";
import type { Storage } from "../../src/service/storage.ts";
import { verify } from "../../src/service/operations/verify.ts";
import { updateTeam } from "../../src/service/admin/teams.ts";
import { listTokens, revokeToken } from "../helpers/people/tokens.ts";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { parseTree } from "../../src/git/objects/git-object.ts";
import { CrashDisk, cutOff, DiskMemo, expectDurable } from "../helpers/crash-disk.ts";
import {
  acme,
  changedKinds,
  hasQuarantine,
  kinds,
  measured,
  open,
  prepare,
  redo,
  stateOf,
  web,
  writes,
  type Kind,
} from "../helpers/crash-writes.ts";
import { harness } from "../helpers/storage.ts";

const sound = new DiskMemo<void>();

// The clock stands still: otherwise commits differ by the second in which they are made, and each disk is a new one.
const begun = Date.now();
const restarted = begun + 3_600_000;
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: begun }));
afterAll(() => void vi.useRealTimers());

it.each(writes.map((write) => [write.name, write] as const))(
  "an operation survives a power cut after every step: %s",
  async (_, write) => {
    const { base, token, unfinished, after, operations } = await measured(write);
    expect(operations.length).toBeGreaterThan(15);
    const cuts = await cutOff(base, (disk) => write.run(open(disk), token));
    vi.setSystemTime(restarted);
    const every = process.env.SKEP_SOAK_ROUNDS === undefined ? (write.redoEvery ?? 1) : 1;
    let number = 0;
    await expectDurable(cuts, async ({ disk, step }) => {
      const state = await stateOf(disk);
      const isDone = isDeepStrictEqual(state, after);
      if (!isDone) expect(unfinished, step).toContainEqual(state);
      if (number++ % every !== 0) return isDone;
      if (write.name.startsWith("push")) await sound.of(disk, (own) => expectSound(own, step));
      const redone = await redo(write, disk, step);
      if (!write.name.startsWith("token")) expect(redone, step).toEqual(after);
      return isDone;
    });
  },
);

const followsStrings: readonly Kind[] = ["stale", "accepted", "review", "notes", "pictures"];
/** The kinds of values that a write changes, with their strings or alone. */
const changes: Readonly<Record<string, readonly Kind[]>> = {
  "move of a file": followsStrings,
  "removal of a file": followsStrings,
  "undo of a removal": followsStrings,
  merge: followsStrings,
  "merge after a move of a file": followsStrings,
  "push that moves a file": followsStrings,
  "stale confirmation": ["stale"],
  acceptance: ["accepted"],
  "review: approve": ["review"],
  "change of notes": ["notes"],
  picture: ["pictures"],
  glossary: ["glossary"],
  "undo of terms": ["glossary"],
  style: ["styles"],
};

it.each(Object.entries(changes))("the %s is cut off while it changes %j", async (name, changed) => {
  const write = writes.find((one) => one.name === name);
  if (write === undefined) throw new Error(`there is no ${name}`);
  const { before, after } = await measured(write);
  expect(changedKinds(before, after)).toEqual(changed);
});

it("each kind of value is changed alone by a write that is cut off", () => {
  const alone = Object.values(changes).filter(({ length }) => length === 1);
  expect(new Set(alone.flat())).toEqual(new Set(kinds));
});

const objectFile = /^(.+\/objects)\/([0-9a-f]{2})\/([0-9a-f]{38})$/;

/** The objects that the object in a file names. */
function namedOids(file: Uint8Array): readonly string[] {
  const bytes = inflateSync(file);
  const content = bytes.subarray(bytes.indexOf(0) + 1);
  if (bytes.toString("latin1", 0, 5) === "tree ") return parseTree(content).map(({ oid }) => oid);
  if (bytes.toString("latin1", 0, 5) === "blob ") return [];
  const [header = ""] = content.toString("latin1").split("\n\n", 1);
  return Array.from(header.matchAll(/^(?:tree|parent|object) ([0-9a-f]{40})$/gm), ([, oid = ""]) => oid);
}

describe("an object", () => {
  it.each(writes.map((write) => [write.name, write] as const))(
    "appears after the objects that it names: %s",
    async (_, write) => {
      const { disk, token } = await prepare();
      const { open: openFile, rename } = disk.promises;
      // The files that are begun first are written last.
      let turns = 40;
      vi.spyOn(disk.promises, "open").mockImplementation(async (path, ...how) => {
        const file = await openFile(path, ...how);
        if (!path.includes("/objects/")) return file;
        const waiting = turns--;
        const sync = async (): Promise<void> => {
          for (let turn = 0; turn < waiting; turn++) await setImmediate();
          await file.sync();
        };
        return { ...file, sync };
      });
      let moved = 0;
      const missing: string[] = [];
      vi.spyOn(disk.promises, "rename").mockImplementation(async (from, to) => {
        const [, objects = ""] = objectFile.exec(to) ?? [];
        const named = objects === "" ? [] : namedOids(disk.readFileSync(from));
        const absent = named.filter(
          (oid) => disk.statSync(`${objects}/${oid.slice(0, 2)}/${oid.slice(2)}`) === undefined,
        );
        missing.push(...absent);
        moved += named.length;
        await rename(from, to);
      });
      await write.run(open(disk), token);
      expect(missing).toEqual([]);
      expect(moved > 0).toBe(!/deletion|restoration|mirror|team|token|^branch$/.test(write.name));
    },
  );
});

/** Expects that there is nothing to repair but leftovers, and that none of these stays in quarantine. */
async function expectSound(disk: CrashDisk, step: string): Promise<void> {
  for await (const { problem, repaired } of verify(open(disk), { repair: true })) {
    expect([problem, repaired], step).toEqual([expect.stringContaining("was left by"), "removed it"]);
  }
  expect(await hasQuarantine(disk), step).toBe(false);
}

describe("a request with an Idempotency-Key", () => {
  const files = { "a.php": { a: "A2", z: "Z" } };
  const send = (storage: Storage, token: string) =>
    harness(storage, token).call("POST", "/api/hives/web/strings", {
      body: { files, conflict_strategy: "clear" },
      headers: { "idempotency-key": "run-1" },
    });

  it("is done once and has one response, if it is sent again after a power cut", async () => {
    const { disk: base, token, changed } = await prepare();
    const cuts = await cutOff(base, (disk) => send(open(disk), token));
    const first = cuts.at(-1)?.result;
    expect(first?.status).toBe(200);
    vi.setSystemTime(restarted);
    let replayed = 0;
    for (const { disk, step } of cuts.filter((_, i) => i % 3 === 0 || i > cuts.length - 9)) {
      const recovered = open(disk);
      const again = await send(recovered, token);
      expect([again.status, again.json], step).toEqual([200, first?.json]);
      const { commit } = await recovered.hives.at(web).snapshot();
      expect([commit.oid, commit.parents], step).toEqual([again.headers.get("x-skep-commit"), [changed]]);
      if (again.headers.has("idempotency-replayed")) replayed++;
    }
    // At the end with each loss.
    expect(replayed).toBeGreaterThanOrEqual(3);
    expect(replayed).toBeLessThan(cuts.length);
  });
});

describe("a server that runs while a command is interrupted", () => {
  it.each<[string, (storage: Storage) => Promise<unknown>, (storage: Storage) => Promise<unknown>]>([
    [
      "token revocation",
      async (storage) => {
        const [token] = await listTokens(storage);
        if (token !== undefined) await revokeToken(storage, token.id);
      },
      listTokens,
    ],
    [
      "quota change",
      (storage) => updateTeam(storage, acme, { maxStrings: 7 }),
      (storage) => storage.registry.team(acme),
    ],
    ["Hive deletion", (storage) => deleteHive(storage, web), (storage) => storage.registry.team(acme)],
  ])("sees what a new one would see, after every step of a %s", async (_, run, look) => {
    const { disk: base } = await prepare();
    const whole = base.copy();
    await run(open(whole));
    for (let last = 1; last <= whole.operations.length; last++) {
      const disk = base.copy();
      const server = open(disk);
      await look(server);
      const command = disk.share();
      command.cutAfter = last;
      await run(open(command)).catch(() => {});
      expect(await look(server), `${last}: ${whole.operations[last - 1]}`).toEqual(
        await look(open(disk.share())),
      );
    }
  });
});

describe("the durable file system", () => {
  it("makes a folder durable that another process created", async () => {
    const disk = new CrashDisk();
    await disk.promises.mkdir("/mount/a");
    await new DurableFs(disk).makeFolder("/mount/a");
    await new DurableFs(disk).write("/mount/a/c", "x");
    expect(await new DurableFs(disk.recover("everything")).list("/mount/a")).toEqual(["c"]);
  });

  it("makes a folder again that git removed because it was empty", async () => {
    const disk = new CrashDisk();
    await new DurableFs(disk).write("/mount/objects/ab/cd", "x");
    expect(await new DurableFs(disk).list("/mount/objects/ab")).toEqual(["cd"]);
  });

  it("a request opens few files at once, however many it has", async () => {
    const { disk, token } = await prepare();
    const files = Object.fromEntries(Array.from({ length: 400 }, (__, i) => [`f${i}.php`, { a: String(i) }]));
    const { post } = harness(open(disk), token);
    expect((await post(files)).status).toBe(200);
    expect(disk.mostOpen).toBeLessThan(50);
  });
});
