/** A backup and a restoration are whole or are none, wherever the power goes or the disk fails. */
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { backup } from "../../../src/service/operations/backup.ts";
import { restore } from "../../../src/service/operations/record-transfer.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import {
  CrashDisk,
  cutOff,
  DiskMemo,
  expectDurable,
  PowerCut,
  SystemError,
} from "../../helpers/crash-disk.ts";
import { makeHive, makeToken } from "../../helpers/storage.ts";
import { stateOf, write } from "./backed-up.ts";

const acme = toTeamName("acme");

describe("a disk failure", () => {
  let mounts = 0;
  /** As a process of its own would open it. */
  const open = (disk: CrashDisk): Storage => {
    mounts++;
    return openStorage({ disk, folder: `/mount-${mounts}/storage` });
  };
  const toBackup = (disk: CrashDisk): Promise<unknown> => {
    const storage = open(disk);
    return backup(storage, `/mount-${mounts}/backup`);
  };
  const toRestore = async (disk: CrashDisk): Promise<Storage> => {
    mounts++;
    const storage = openStorage({ disk, folder: `/mount-${mounts}/new` });
    await restore(storage, `/mount-${mounts}/backup`, { force: false });
    return storage;
  };

  /** A storage on a disk with a backup of it, and what it was then; since then it has changed. */
  async function makePrepared() {
    const disk = new CrashDisk();
    const storage = open(disk);
    await makeHive(storage, "web", { locales: ["fr"] });
    await makeHive(storage, "app", { locales: ["fr"] });
    await makeToken(storage);
    await write(storage, "web", "a");
    await toBackup(disk);
    const before = await stateOf(await toRestore(disk.copy()));
    await write(open(disk), "web", "b");
    await deleteHive(open(disk), toHiveSlug("app"));
    await updateTeam(open(disk), acme, { maxStrings: 7 });
    const after = await stateOf(open(disk));
    return { disk, before, after };
  }
  let prepared: ReturnType<typeof makePrepared> | undefined;
  async function prepare() {
    const { disk, before, after } = await (prepared ??= makePrepared());
    return { base: disk.copy(), before, after };
  }

  it("leaves the previous backup or the new one, after every operation of a backup", async () => {
    const { base, before, after } = await prepare();
    let tried = 0;
    const restored = new DiskMemo<unknown>();
    const cuts = await cutOff(base, (disk) => toBackup(disk).then(() => true));
    await expectDurable(cuts, async ({ disk, step }) => {
      const state = await restored.of(disk, async (own) => stateOf(await toRestore(own)));
      const isDone = isDeepStrictEqual(state, after);
      if (!isDone) expect(state, step).toEqual(before);
      if (++tried % 10 === 0) {
        await toBackup(disk);
        expect(await stateOf(await toRestore(disk)), step).toEqual(after);
      }
      return isDone;
    });
  });

  it("an interrupted first backup does not count as one", async () => {
    const { base } = await prepare();
    await base.promises.rename("/mount/backup", "/mount/other");
    const whole = base.copy();
    await toBackup(whole);
    const end = whole.operations.findLastIndex((name) => name.endsWith("skep-backup.json"));
    for (let last = 1; last < end; last += 7) {
      const disk = base.copy();
      disk.cutAfter = last;
      await expect(toBackup(disk)).rejects.toThrow(PowerCut);
      await expect(toRestore(disk.recover("contents"))).rejects.toThrow(
        /holds (no backup|a backup that was not completed)/,
      );
    }
  });

  it("leaves a storage as empty as before, or complete, after every operation of a restoration", async () => {
    const { base, before } = await prepare();
    const completed = new DiskMemo<unknown>();
    for (const { disk, step } of await cutOff(base, toRestore)) {
      const state = await completed.of(disk, async (own) => {
        const openNew = () => openStorage({ disk: own, folder: `/mount-${++mounts}/new` });
        const teams = await openNew().registry.teams();
        return stateOf(teams.length === 0 ? await toRestore(own) : openNew());
      });
      expect(state, step).toEqual(before);
    }
  });

  it("a full disk is reported, and leaves the previous backup", async () => {
    const { base, before } = await prepare();
    const disk = base.copy();
    disk.before = (_, name, path) => {
      if (name === "write" && path.includes("/backup/hives/")) throw new SystemError("ENOSPC", name, path);
    };
    await expect(toBackup(disk)).rejects.toThrow("There is no room left");
    expect(await stateOf(await toRestore(disk.recover("nothing")))).toEqual(before);
  });
});
