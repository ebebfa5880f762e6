/** Whose a storage's files are: what verify, /readyz and commands make of it. */
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { requireOwner } from "../../../src/service/storage-owner.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { harness, makeHive, makeToken, realFolder } from "../../helpers/storage.ts";

const own = process.geteuid?.() ?? 0;
const other = own + 1;

/** The real disk, on which some paths belong to somebody else, who lets nobody in. */
function shared(isForeign: (path: string) => boolean): Disk {
  return {
    ...fs,
    promises: {
      ...fs.promises,
      lstat: async (path) => {
        const stats = await fs.promises.lstat(path);
        if (isForeign(path)) stats.uid = other;
        return stats;
      },
      access: async (path, mode) => {
        if (isForeign(path)) throw Object.assign(new Error(`EACCES: ${path}`), { code: "EACCES" });
        return fs.promises.access(path, mode);
      },
    },
  };
}

async function setUp() {
  const folder = join(realFolder(), "storage");
  const storage = openStorage({ folder, disk: fs });
  await makeHive(storage, "web");
  const token = await makeToken(storage);
  const [, id = ""] = token.split("_");
  const objects = join(storage.hives.folderOf(toHiveSlug("web")), "objects");
  const [prefix = ""] = fs.readdirSync(objects);
  const findings = async (isForeign: (path: string) => boolean): Promise<readonly string[]> => {
    const problems: string[] = [];
    for await (const { problem } of verify(openStorage({ folder, disk: shared(isForeign) }), {
      repair: false,
    }))
      problems.push(problem);
    return problems;
  };
  return {
    folder,
    storage,
    tokenFile: join(folder, "tokens", `${id}.yaml`),
    prefix: join(objects, prefix),
    findings,
  };
}

describe("files of another user", () => {
  it("are found by verify, wherever they are", async () => {
    const { folder, tokenFile, prefix, findings } = await setUp();
    expect(await findings(() => false)).toEqual([]);
    for (const path of [join(folder, "locks"), tokenFile, prefix, join(folder, "settings-version")]) {
      const name = path.slice(folder.length + 1);
      expect(await findings((one) => one === path)).toEqual([
        `${name} and 0 other paths belong not to the user ${own} like the storage; to repair it: chown -R ${own} ${folder}`,
      ]);
    }
    // A mount point may be anybody's.
    expect(await findings((one) => one === folder)).toEqual([]);
  });

  it("make a server not ready if it may not work on them", async () => {
    const { folder, tokenFile, prefix } = await setUp();
    for (const path of ["", "locks", "teams", "tokens", "hives"]
      .map((name) => join(folder, name))
      .concat(tokenFile, prefix)) {
      const { call, logged } = harness(
        openStorage({ folder, disk: shared((one) => one === path) }),
        undefined,
      );
      const reply = await call("GET", "/readyz");
      expect([reply.status, reply.json.message], path).toEqual([503, "The storage cannot be written to."]);
      expect(JSON.stringify(logged)).toContain(`may not work on ${path.slice(folder.length + 1)}`);
    }
  });

  it("are noticed later, and also when they are repaired", async () => {
    const { folder, prefix } = await setUp();
    let isForeign = false;
    let now = 0;
    const disk = shared((path) => isForeign && path === prefix);
    const storage = openStorage({ folder, disk, now: () => (now += 1_000), accessCheckMs: 0 });
    const { call } = harness(storage, undefined);
    expect((await call("GET", "/readyz")).status).toBe(200);
    isForeign = true;
    fs.mkdirSync(join(prefix, "../new"));
    expect((await call("GET", "/readyz")).status).toBe(503);
    isForeign = false;
    expect((await call("GET", "/readyz")).status).toBe(200);
  });
});

describe("a command", () => {
  it("works only for the owner of the storage", async () => {
    const { folder } = await setUp();
    await requireOwner(folder, own);
    await requireOwner(folder, undefined);
    await expect(requireOwner(folder, other)).rejects.toThrow(
      `belongs to the user ${own}, who could not change files that this user, ${other}, creates`,
    );
    fs.rmSync(join(folder, "teams"), { recursive: true });
    await expect(requireOwner(folder, other)).rejects.toThrow("--other-user allow");
  });

  it("of the superuser creates no storage in another user's folder", async () => {
    const folder = realFolder();
    const disk = shared((path) => path === folder);
    await expect(requireOwner(folder, 0, other === 0 ? fs : disk)).rejects.toThrow("this user, 0,");
    await requireOwner(folder, other + 1, disk);
    await requireOwner(join(folder, "new"), 0, disk);
  });
});

describe("a storage's folder", () => {
  it("is closed to others, with all in it; verify closes one that is open", async () => {
    const umask = process.umask(0);
    try {
      const { folder, findings, tokenFile, prefix, storage } = await setUp();
      const modeOf = (path: string) => fs.statSync(path).mode & 0o777;
      expect([folder, join(folder, "locks"), prefix].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
      expect([tokenFile, join(folder, "settings-version")].map(modeOf)).toEqual([0o600, 0o600]);
      fs.chmodSync(folder, 0o755);
      const problem = "every user of this machine can enter the storage folder";
      expect(await findings(() => false)).toEqual([problem]);
      for await (const found of verify(storage, { repair: true })) {
        expect(found).toEqual({ problem, repaired: "closed it to other users" });
      }
      expect(modeOf(folder)).toBe(0o750);
    } finally {
      process.umask(umask);
    }
  });
});
