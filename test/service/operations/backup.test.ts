/** A backup is whole or is none, whatever else happens to the storage, to it and to the disk. */
import { ownerGrant } from "../../helpers/people/tokens.ts";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { SkepError } from "../../../src/domain/errors.ts";
import { toHiveSlug, toPersonId, toTeamName } from "../../../src/domain/names.ts";
import { backup } from "../../../src/service/operations/backup.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { restoreHive } from "../../../src/service/admin/trash.ts";
import { addMirror } from "../../../src/service/admin/mirrors.ts";
import { removePerson } from "../../../src/service/people/people.ts";
import { resumeSession } from "../../../src/service/sessions.ts";
import { restore } from "../../../src/service/operations/record-transfer.ts";
import { openLocalStorage, openStorage, type Storage } from "../../../src/service/storage.ts";
import { createTeam } from "../../../src/service/admin/teams.ts";
import { listTokens, revokeToken } from "../../helpers/people/tokens.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import { HiveStore } from "../../../src/store/hives/hive-store.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { grow } from "../../helpers/grow.ts";
import { git } from "../../helpers/process.ts";
import { makePerson, makePersonalToken, signInAs } from "../../helpers/people/people.ts";
import { copiedStorages, harness, makeHive, makeToken, realFolder } from "../../helpers/storage.ts";
import { stateOf, write } from "./backed-up.ts";

const web = toHiveSlug("web");
const acme = toTeamName("acme");

async function findings(storage: Storage): Promise<readonly string[]> {
  const problems: string[] = [];
  for await (const { problem } of verify(storage, { repair: false })) problems.push(problem);
  return problems;
}

async function restored(dir: string): Promise<Storage> {
  const storage = openLocalStorage(join(realFolder(), "storage"));
  const { done, problems } = await restore(storage, dir, { force: false });
  expect([done, problems]).toEqual([true, []]);
  return storage;
}

const copySetUp = copiedStorages(async (root) => {
  const storage = openLocalStorage(join(root, "storage"));
  await makeHive(storage, "web", { locales: ["fr"] });
  const token = await makeToken(storage);
  await write(storage, "web", "first");
  const { call } = harness(storage, token);
  expect((await call("POST", "/api/hives/web/tags", { body: { name: "v1" } })).status).toBe(201);
  await addMirror(storage, web, toMirrorUrl("https://example.org/web.git"));
  return token;
});

/** A storage with the Hive `web`, and others that are empty. */
async function setUp(...others: readonly string[]) {
  const [root, token] = await copySetUp({});
  const storage = openLocalStorage(join(root, "storage"));
  for (const slug of others) await makeHive(storage, slug, { locales: ["fr"] });
  return { storage, token, dir: join(root, "backup"), repo: storage.hives.folderOf(web) };
}

describe("a backup", () => {
  it("is restored as it was, with tokens, tags and mirrors, and is a sound storage itself", async () => {
    const { storage, token, dir } = await setUp("app");
    const { problems, ...counts } = await backup(storage, dir);
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ teams: 1, hives: 2, packs: 0 });
    const again = await restored(dir);
    expect(await stateOf(again)).toEqual(await stateOf(storage));
    expect(await stateOf(openLocalStorage(dir))).toEqual(await stateOf(storage));
    for (const one of [again, openLocalStorage(dir)]) expect(await findings(one)).toEqual([]);
    await write(again, "web", "after");
    expect((await harness(again, token).call("GET", "/api/me")).status).toBe(200);
    expect(await git(again.hives.folderOf(web), "fsck", "--full", "--strict")).toBe("");
  });

  it("copies only what is new the next time, and drops what is gone", async () => {
    const { storage, dir } = await setUp("app");
    await backup(storage, dir);
    expect(await backup(storage, dir)).toMatchObject({ objects: 0, packs: 0 });
    await write(storage, "web", "second");
    // Two commits, each with its root and folder of locales; the texts are the same in both.
    expect(await backup(storage, dir)).toMatchObject({ objects: 8, packs: 0 });
    const [first] = await listTokens(storage);
    if (first !== undefined) await revokeToken(storage, first.id);
    await deleteHive(storage, toHiveSlug("app"));
    await backup(storage, dir);
    expect(fs.readdirSync(join(dir, "hives"))).toEqual(["web.git"]);
    expect(fs.readdirSync(join(dir, "tokens"))).toEqual([]);
    expect(await stateOf(await restored(dir))).toEqual(await stateOf(storage));
  });

  it("takes the pack in place of loose objects, and a new pack in place of an old one", async () => {
    const { storage, dir, repo } = await setUp();
    grow(repo, 20, 10);
    await backup(storage, dir);
    for (const key of ["x", "y"]) {
      await storage.packer.pack(web);
      await write(storage, "web", key);
      expect(await backup(storage, dir)).toMatchObject({ packs: 1, problems: [] });
      const files = fs.readdirSync(join(dir, "hives/web.git/objects/pack"));
      expect(files.filter((name) => name.endsWith(".pack"))).toHaveLength(1);
      const loose = await git(join(dir, "hives/web.git"), "count-objects");
      expect(loose).toMatch(/^8 objects/);
      expect(await stateOf(await restored(dir))).toEqual(await stateOf(storage));
    }
  });

  it("has refs that git packed, and branches that somebody pushed", async () => {
    const { storage, dir, repo } = await setUp();
    await git(repo, "update-ref", "refs/heads/mine", "main");
    await git(repo, "update-ref", "refs/heads/\u{a0}\u{85}\u{2028}{é}", "main");
    await git(repo, "pack-refs", "--all");
    await backup(storage, dir);
    const refs = (gitdir: string): Promise<string> => git(gitdir, "for-each-ref");
    expect(await refs((await restored(dir)).hives.folderOf(web))).toBe(await refs(repo));
  });

  it("does not wait for a packing, and misses nothing when one ends under it", async () => {
    const { storage, dir, repo } = await setUp();
    grow(repo, 20, 10);
    let packed = 0;
    const disk: Disk = {
      ...fs,
      promises: {
        ...fs.promises,
        // The packing takes the loose objects away that were listed, and then the pack that took their place.
        readFile: async (path: string) => {
          if (path.startsWith(join(repo, "objects")) && packed++ === 0) await storage.packer.pack(web);
          return fs.promises.readFile(path);
        },
        copyFile: async (from: string, to: string) => {
          if (packed++ === 1) {
            grow(repo, 1, 1);
            await storage.packer.pack(web);
          }
          return fs.promises.copyFile(from, to);
        },
      },
    };
    const watched = openStorage({ folder: join(dir, "../storage"), disk });
    expect(await backup(watched, dir)).toMatchObject({ problems: [] });
    expect(packed).toBeGreaterThan(2);
    expect(await findings(await restored(dir))).toEqual([]);
  });

  /** A backup during which a function runs at each read of an object of `web`; counted from 1. */
  async function backupDuring(
    { dir }: { readonly dir: string },
    run: (read: number, watched: Storage) => Promise<unknown>,
  ) {
    let reads = 0;
    const readFile = async (path: string) => {
      if (/storage\/(hives|trash)\/web\..*\/objects/.test(path)) await run(++reads, watched);
      return fs.promises.readFile(path);
    };
    const disk: Disk = { ...fs, promises: { ...fs.promises, readFile } };
    const watched = openStorage({ folder: join(dir, "../storage"), disk });
    const report = await backup(watched, dir);
    expect(reads).toBeGreaterThan(4);
    return report;
  }

  it.each<[string, (storage: Storage) => Promise<unknown>]>([
    ["is deleted", (storage) => deleteHive(storage, web)],
    [
      "is deleted and restored",
      (storage) => deleteHive(storage, web).then(() => restoreHive(storage, { text: "web" })),
    ],
    [
      "is deleted and created again by another team",
      (storage) =>
        deleteHive(storage, web).then(() => makeHive(storage, "web", { team: "other", locales: ["de"] })),
    ],
    ["gets new neighbours", (storage) => makeHive(storage, "new")],
  ])("has a Hive as it was when it began, though it %s while it is copied", async (_, change) => {
    const set = await setUp();
    const { storage, dir } = set;
    await createTeam(storage, toTeamName("other"), undefined);
    await makeHive(storage, "last", { team: "other", locales: ["de"] });
    const token = await makeToken(storage, { hives: ["web"] });
    const before = await stateOf(storage);
    const report = await backupDuring(set, async (read) => read === 4 && change(storage));
    expect(report).toMatchObject({ hives: 2, problems: [], unsound: [] });
    const again = await restored(dir);
    expect(await stateOf(again)).toEqual(before);
    expect((await harness(again, token).call("GET", "/api/hives/web/strings")).status).toBe(200);
    expect(await findings(again)).toEqual([]);
  });

  it("ends while Hives are created and deleted all the time", async () => {
    const set = await setUp();
    const { storage, dir } = set;
    const before = await stateOf(storage);
    await backupDuring(set, async (read) => {
      await makeHive(storage, `new-${read}`);
      await deleteHive(storage, toHiveSlug(`new-${read}`));
    });
    expect(await stateOf(await restored(dir))).toEqual(before);
  });

  it("locks a Hive that is always being moved when it is copied", async () => {
    const { storage, dir } = await setUp();
    let isLocked = false;
    vi.spyOn(storage.backupSource, "isAt").mockImplementation(() => isLocked);
    vi.spyOn(storage.hives, "lock").mockImplementation((slug, run) =>
      HiveStore.prototype.lock.call(storage.hives, slug, async (lock) => {
        isLocked = true;
        return run(lock).finally(() => (isLocked = false));
      }),
    );
    expect(await backup(storage, dir)).toMatchObject({ hives: 1, problems: [] });
    expect(await stateOf(openLocalStorage(dir))).toEqual(await stateOf(storage));
  });

  it("goes on with the others where a Hive is gone for good, or stays locked", async () => {
    const { storage, dir } = await setUp("app");
    vi.spyOn(storage.backupSource, "locate").mockResolvedValue(undefined);
    expect((await backup(storage, dir)).problems).toMatchObject([{ hive: "web" }, { hive: "app" }]);
    const busy = new SkepError("busy", "It is locked.", { retryAfter: 1 });
    vi.spyOn(storage.hives, "lock").mockRejectedValueOnce(busy);
    expect((await backup(storage, dir)).problems).toMatchObject([
      { problem: "It is locked." },
      { hive: "app" },
    ]);
  });

  it("leaves out a Hive that took the slug of another before its team was looked at", async () => {
    const { storage, dir } = await setUp();
    await createTeam(storage, toTeamName("other"), undefined);
    const token = await makeToken(storage, { team: "other" });
    const before = await stateOf(storage);
    const lockTeam: Storage["lockTeam"] = async (team, run, priority) => {
      if (team === toTeamName("other")) {
        await deleteHive(storage, web);
        await makeHive(storage, "web", { team, locales: ["de"] });
        await makeToken(storage, { team, hives: ["web"] });
      }
      return storage.lockTeam(team, run, priority);
    };
    await backup({ ...storage, lockTeam }, dir);
    const again = await restored(dir);
    const since = { tokens: expect.anything(), audit: expect.anything() };
    expect(await stateOf(again)).toMatchObject({ ...Object(before), ...since });
    expect((await harness(again, token).call("GET", "/api/hives/web/strings")).status).toBe(404);
    expect(await findings(again)).toEqual([]);
  });

  it("keeps its state of a Hive that is damaged, copies the others, and says so", async () => {
    const { storage, token, dir, repo } = await setUp("app");
    await backup(storage, dir);
    const before = (await git(repo, "rev-parse", "main")).trim();
    await write(storage, "web", "lost");
    const blob = (await git(repo, "rev-parse", "main:locales/fr/a.php.json")).trim();
    fs.rmSync(join(repo, "objects", blob.slice(0, 2), blob.slice(2)));
    await write(storage, "app", "kept");
    const { problems } = await backup(storage, dir);
    expect(problems).toEqual([
      { hive: "web", problem: "objects are missing or damaged; skep server verify lists them" },
    ]);
    const again = await restored(dir);
    expect((await git(again.hives.folderOf(web), "rev-parse", "main")).trim()).toBe(before);
    const { json } = await harness(again, token).call("GET", "/api/hives/app/export?locale=fr");
    expect(json.files["a.json"]).toContain("kept");
  });

  it("copies again what was damaged in the backup, loose or packed, though nothing was written since", async () => {
    const { storage, dir, repo } = await setUp();
    await storage.packer.pack(web);
    await write(storage, "web", "loose");
    await backup(storage, dir);
    const copy = join(dir, "hives/web.git/objects");
    const blob = (await git(repo, "rev-parse", "main:locales/fr/a.php.json")).trim();
    const pack = fs.readdirSync(join(copy, "pack")).find((name) => name.endsWith(".pack")) ?? "";
    const flip = (path: string) => {
      const bytes = fs.readFileSync(path);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      fs.rmSync(path);
      fs.writeFileSync(path, bytes);
    };
    for (const path of [join(blob.slice(0, 2), blob.slice(2)), `pack/${pack}`]) {
      flip(join(copy, path));
      expect(await backup(storage, dir)).toMatchObject({ damaged: 1, problems: [], unsound: [] });
      expect(fs.readFileSync(join(copy, path))).toEqual(fs.readFileSync(join(repo, "objects", path)));
      expect(await backup(storage, dir)).toMatchObject({ damaged: 0, objects: 0, packs: 0 });
    }
    // What the storage has in another form by now takes the place of what is damaged.
    flip(join(copy, blob.slice(0, 2), blob.slice(2)));
    await storage.packer.pack(web);
    expect(await backup(storage, dir)).toMatchObject({ damaged: 1, packs: 1, problems: [] });
    expect(await findings(openLocalStorage(dir))).toEqual([]);
    expect(await stateOf(await restored(dir))).toEqual(await stateOf(storage));
  });

  it("says where a pack of the storage is damaged, and keeps what it had", async () => {
    const { storage, dir, repo } = await setUp();
    await backup(storage, dir);
    const before = (await git(repo, "rev-parse", "main")).trim();
    await write(storage, "web", "lost");
    await storage.packer.pack(web);
    const packs = join(repo, "objects/pack");
    const pack = fs.readdirSync(packs).find((name) => name.endsWith(".pack")) ?? "";
    const bytes = fs.readFileSync(join(packs, pack));
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 30) ^ 1, bytes.length - 30);
    fs.rmSync(join(packs, pack));
    fs.writeFileSync(join(packs, pack), bytes);
    for (let i = 0; i < 2; i++) {
      expect((await backup(storage, dir)).problems).toMatchObject([{ hive: "web" }]);
      expect((await git(join(dir, "hives/web.git"), "rev-parse", "main")).trim()).toBe(before);
    }
  });

  it("has a Hive whose HEAD cannot be read as it is, and says that restoring it has to be forced", async () => {
    const { storage, dir, repo } = await setUp();
    const clone = join(realFolder(), "clone");
    await git(join(dir, ".."), "clone", "--quiet", repo, clone);
    fs.writeFileSync(join(clone, "hive.yaml"), "{");
    await git(clone, "commit", "--quiet", "--all", "--message", "By hand");
    await git(clone, "push", "--quiet", "origin", "HEAD:main");
    const { problems, unsound } = await backup(storage, dir);
    const invalid = { hive: "web", problem: expect.stringMatching(/is invalid: hive\.yaml$/) };
    expect([problems, unsound]).toEqual([[], [invalid]]);
    const heads = (gitdir: string): Promise<string> => git(gitdir, "rev-parse", "main");
    expect(await heads(join(dir, "hives/web.git"))).toBe(await heads(repo));
    const empty = openLocalStorage(join(realFolder(), "storage"));
    expect(await restore(empty, dir, { force: false })).toMatchObject({ done: false, problems: [invalid] });
    expect((await backup(storage, dir)).unsound).toEqual([invalid]);
  });

  it("gives no team the earlier Hive of another, also where the one under that slug now is damaged", async () => {
    const { storage, dir, repo } = await setUp();
    await backup(storage, dir);
    await deleteHive(storage, web);
    await makeHive(storage, "web", { team: "other" });
    const blob = (await git(repo, "rev-parse", "main:hive.yaml")).trim();
    fs.rmSync(join(repo, "objects", blob.slice(0, 2), blob.slice(2)));
    expect((await backup(storage, dir)).problems).toMatchObject([{ hive: "web" }]);
    const heads = (gitdir: string): Promise<string> => git(gitdir, "rev-parse", "main");
    expect(await heads(join(dir, "hives/web.git"))).toBe(await heads(repo));
  });

  it.each([
    ["a folder in the storage", "storage/hives/backup", /neither in the storage nor around it/],
    ["the storage itself", "storage", /neither in the storage nor around it/],
    ["a folder around the storage", ".", /neither in the storage nor around it/],
    ["a link into the storage", "link/backup", /neither in the storage nor around it/],
    ["a folder with something else in it", "full", /not empty and holds no backup/],
  ])("refuses %s, and leaves it alone", async (_, path, message) => {
    const { storage, dir } = await setUp();
    const root = join(dir, "..");
    fs.symlinkSync(join(root, "storage"), join(root, "link"));
    fs.mkdirSync(join(root, "full"));
    fs.writeFileSync(join(root, "full/mine.txt"), "mine");
    await expect(backup(storage, join(root, path))).rejects.toThrow(message);
    expect(fs.readdirSync(join(root, "full"))).toEqual(["mine.txt"]);
    expect(fs.readdirSync(join(root, "storage/hives")).toSorted()).toEqual(["web.git"]);
  });

  it("refuses to put an empty or another storage in the place of a backup", async () => {
    const { storage, dir } = await setUp();
    await backup(storage, dir);
    const empty = openLocalStorage(realFolder());
    await expect(backup(empty, dir)).rejects.toThrow("the storage has no team");
    await createTeam(empty, toTeamName("other"), undefined);
    await expect(backup(empty, dir)).rejects.toThrow("the backup of another storage");
    expect(await stateOf(openLocalStorage(dir))).toEqual(await stateOf(storage));
  });

  it("refuses settings that cannot be read, and leaves the backup before", async () => {
    const { storage, dir } = await setUp();
    await backup(storage, dir);
    const before = await stateOf(storage);
    fs.writeFileSync(join(dir, "../storage/teams/broken.yaml"), "{");
    await expect(backup(openLocalStorage(join(dir, "../storage")), dir)).rejects.toThrow(
      "The settings file teams/broken.yaml is invalid: Flow map must end",
    );
    expect(await stateOf(openLocalStorage(dir))).toEqual(before);
  });
});

describe("a restoration", () => {
  it("refuses a storage that is not empty, a folder that is no backup, and one of another version", async () => {
    const { storage, dir } = await setUp();
    await backup(storage, dir);
    const before = await stateOf(storage);
    await expect(restore(storage, dir, { force: true })).rejects.toThrow("not empty: it has hives");
    expect(await stateOf(storage)).toEqual(before);
    const empty = openLocalStorage(realFolder());
    await expect(restore(empty, realFolder(), { force: true })).rejects.toThrow("holds no backup");
    fs.writeFileSync(join(dir, "skep-backup.json"), '{"format":2,"backup":null}');
    await expect(restore(empty, dir, { force: true })).rejects.toThrow("cannot be read by this version");
  });

  it.each([
    ["a path", { settings: [["teams/../../evil.yaml", "x"]], hives: [] }],
    ["a Hive outside the folder", { settings: [], hives: [["../evil", []]] }],
    ["a ref with a line in it", { settings: [], hives: [["web", [["refs/x\n", "0".repeat(40)]]]] }],
    ["a ref that is none", { settings: [], hives: [["web", [["refs/heads/main", "HEAD"]]]] }],
  ])("refuses a backup that was forged with %s", async (_, content) => {
    const dir = realFolder();
    const forged = { format: 1, backup: { time: "2026-01-01T00:00:00.000Z", ...content } };
    fs.writeFileSync(join(dir, "skep-backup.json"), JSON.stringify(forged));
    const empty = openLocalStorage(realFolder());
    await expect(restore(empty, dir, { force: true })).rejects.toThrow("cannot be read");
  });

  it("restores nothing of a backup that is damaged, unless it is told to", async () => {
    const { storage, dir, repo } = await setUp("app");
    await backup(storage, dir);
    const blob = (await git(repo, "rev-parse", "main:locales/fr/a.php.json")).trim();
    const path = join(dir, "hives/web.git/objects", blob.slice(0, 2), blob.slice(2));
    fs.rmSync(path);
    const folder = realFolder();
    const { done, problems } = await restore(openLocalStorage(folder), dir, { force: false });
    expect(done).toBe(false);
    expect(problems.map(({ hive }) => hive)).toContain("web");
    expect(fs.readdirSync(folder)).toEqual(["locks"]);
    expect(await restore(openLocalStorage(folder), dir, { force: true })).toMatchObject({ done: true });
    expect(fs.existsSync(join(folder, "hives/app.git"))).toBe(true);
  });
});

it("a backup has the persons, also removed ones, and none of their sessions", async () => {
  const [folder, into, restored] = [
    realFolder(),
    join(realFolder(), "backup"),
    join(realFolder(), "restored"),
  ];
  const storage = openLocalStorage(folder);
  await makeHive(storage, "web");
  const person = await makePerson(storage, { hives: ["web"] });
  const token = await makePersonalToken(storage);
  await makePerson(storage, { id: "gone", name: "Gone" });
  await removePerson(storage, ownerGrant(acme), "gone");
  const session = await signInAs(storage, person);
  await backup(storage, into);
  const copy = openLocalStorage(restored);
  await restore(copy, into, { force: false });
  expect(await copy.registry.person(person.id)).toEqual(person);
  expect(await copy.registry.person(toPersonId("gone"))).toMatchObject({ name: "Gone" });
  expect((await harness(copy, token).call("GET", "/api/me")).json.person).toBe("anna");
  expect(await resumeSession(copy, session)).toBeUndefined();
  expect(await findings(copy)).toEqual([]);
});
