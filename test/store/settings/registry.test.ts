/** What a registry reads again after a change, and that it never keeps what a change has replaced. */
import { beforeEach, expect, it } from "vitest";
import { toTeamName } from "../../../src/domain/names.ts";
import { createTeam, updateTeam } from "../../../src/service/admin/teams.ts";
import { createToken, revokeToken } from "../../helpers/people/tokens.ts";
import type { Storage } from "../../../src/service/storage.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { lockLost } from "../../../src/disk/locks/lock-file.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { noLimits } from "../../../src/domain/plans/quota.ts";
import type { HeldLock } from "../../../src/disk/held-lock.ts";
import { memoryDisk, memoryFolder, memoryStorage } from "../../helpers/storage.ts";

const acme = toTeamName("acme");
const limits = { ...noLimits, maxTokens: 1_000 };
const create = (storage: Storage) => createToken(storage, { team: acme, abilities: ["read"], hives: [] });

let disk: Disk;
let folder: string;
/** The settings files that were read. */
let reads: string[];

const open = (): Storage => {
  const readFileSync = (path: string): Uint8Array => {
    const bytes = disk.readFileSync(path);
    if (path.endsWith(".yaml")) reads.push(path.slice(folder.length + 1));
    return bytes;
  };
  return memoryStorage({ disk: { ...disk, readFileSync }, folder, limits });
};

beforeEach(() => {
  [disk, folder, reads] = [memoryDisk(), memoryFolder(), []];
});

it("a new token costs the same whether there are few or many, from the second on", async () => {
  const storage = open();
  await createTeam(storage, acme, undefined);
  const costs: number[] = [];
  for (let i = 0; i < 40; i++) {
    const before = reads.length;
    await create(storage);
    costs.push(reads.length - before);
  }
  expect(new Set(costs.slice(1))).toEqual(new Set([costs[1]]));
  expect((await storage.registry.tokensOf(acme)).length).toBe(40);
});

it("a token that another process makes is the only one that is read again for the next", async () => {
  const [storage, other] = [open(), open()];
  await createTeam(storage, acme, undefined);
  for (let i = 0; i < 20; i++) await create(storage);
  await storage.registry.countTokensOf(acme);
  const { id } = await create(other);
  reads = [];
  await create(storage);
  expect(reads.filter((path) => path.startsWith("tokens/"))).toEqual([`tokens/${id}.yaml`]);
  await revokeToken(other, id);
  expect(await storage.registry.countTokensOf(acme)).toBe(21);
});

it("every change is seen at once by the process that makes it, and by others", async () => {
  const [storage, other] = [open(), open()];
  await createTeam(storage, acme, undefined);
  const both = async <T>(read: (registry: Storage["registry"]) => Promise<T>) => [
    await read(storage.registry),
    await read(other.registry),
  ];
  for (const one of [storage, other, storage]) {
    const { id } = await create(one);
    expect(await both(async (registry) => (await registry.token(id))?.team)).toEqual([acme, acme]);
    expect(await both(async (registry) => (await registry.tokens()).map((token) => token.id))).toEqual([
      [id],
      [id],
    ]);
    await updateTeam(one, acme, { maxStrings: 7 });
    expect(await both(async (registry) => (await registry.team(acme))?.maxStrings)).toEqual([7, 7]);
    await updateTeam(one, acme, { maxStrings: null });
    await revokeToken(one, id);
    expect(await both((registry) => registry.token(id))).toEqual([undefined, undefined]);
    expect(await both((registry) => registry.countTokensOf(acme))).toEqual([0, 0]);
  }
});

it("a process that loses its lock at the end of a change keeps nothing of what it knew", async () => {
  const [storage, other] = [open(), open()];
  await createTeam(storage, acme, undefined);
  const { id } = await create(storage);
  await storage.registry.token(id);
  const lock: HeldLock = {
    assertHeld: () => Promise.resolve(),
    advance: (change) => change(),
    lose: () => {},
  };
  const rename = disk.promises.rename.bind(disk.promises);
  let versions = 0;
  disk.promises.rename = async (from, to) => {
    if (to.endsWith("settings-version") && ++versions === 2) {
      // It was stopped here, for so long that another one took the lock over.
      await disk.promises.rmdir(`${folder}/locks/settings.lock`);
      await other.registry.removeToken(id, lock);
    }
    await rename(from, to);
  };
  await updateTeam(storage, acme, { maxStrings: 7 }).catch(() => undefined);
  expect(versions).toBe(4);
  expect(await storage.registry.token(id)).toBeUndefined();
});

it("a change that another server has made first is not taken for one's own", async () => {
  const storage = open();
  const team = await createTeam(storage, acme, undefined);
  const lost = {
    assertHeld: () => Promise.reject(lockLost("team-acme", "It has changed.")),
    advance: (change: () => void) => change(),
    lose: () => {},
  };
  await expect(storage.registry.saveTeam(team, lost)).rejects.toSatisfy((error) =>
    isFailure(error, "lock-lost"),
  );
});
