/**
 * Every step is a crash point: each operation of each kind of write is once the last one before the power goes, and
 * once one that fails.
 */
import { describe, expect, it } from "vitest";
import { failure, isFailure } from "../../src/domain/errors.ts";
import { toMirrorUrl } from "../../src/domain/hives/mirror-url.ts";
import { toHiveSlug, toTeamName, type Oid } from "../../src/domain/names.ts";
import { deleteHive } from "../../src/service/admin/hives.ts";
import { addMirror, removeMirror } from "../../src/service/admin/mirrors.ts";
import { listTrash, restoreHive } from "../../src/service/admin/trash.ts";
import { openStorage, type Storage } from "../../src/service/storage.ts";
import { createTeam, setQuota } from "../../src/service/admin/teams.ts";
import { createToken, listTokens, revokeToken } from "../../src/service/admin/tokens.ts";
import { BareRepo } from "../../src/git/bare-repo.ts";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { filesOf } from "../../src/git/objects/tree.ts";
import { CrashDisk, losses, PowerCut, SystemError, type Loss } from "../helpers/crash-disk.ts";
import { harness, makeHive, makeToken } from "../helpers/storage.ts";

const web = toHiveSlug("web");
const acme = toTeamName("acme");
let mounts = 0;

/** Opens the storage on a disk as a process of its own would. */
function open(disk: CrashDisk): Storage {
  mounts++;
  return openStorage({ disk, folder: `/mount-${mounts}/storage` });
}

/** Where mirrors are. */
const remote = "https://example.org";

interface Prepared {
  readonly disk: CrashDisk;
  readonly token: string;
  /** The commit that made one translation stale. */
  readonly changed: Oid;
}

/** A team, a Hive with some content and a token. */
async function makePrepared(): Promise<Prepared> {
  const disk = new CrashDisk();
  const storage = open(disk);
  await makeHive(storage, "web", { locales: ["fr", "de"] });
  const token = await makeToken(storage);
  const { call } = harness(storage, token);
  const files = { "a.php": { a: "A", n: { b: "B" } }, "dir/b.json": { c: "C" } };
  await call("POST", "/api/hives/web/strings", { body: { files } });
  await call("POST", "/api/hives/web/translations/fr", { body: { files: { "a.php": { a: "AA" } } } });
  await call("POST", "/api/hives/web/tags", { body: { name: "v1" } });
  await addMirror(storage, web, toMirrorUrl(`${remote}/a.git`));
  await call("POST", "/api/hives/web/strings", { body: { files: { "a.php": { a: "A1" } } } });
  await makeHive(storage, "old", { locales: ["fr"] });
  await call("POST", "/api/hives/old/strings", { body: { files } });
  await deleteHive(storage, toHiveSlug("old"));
  return { disk, token, changed: (await storage.hives.snapshot(web)).commit.oid };
}

let prepared: Promise<Prepared> | undefined;

/** The same on a disk of its own; it is made once. */
async function prepare(): Promise<Prepared> {
  prepared ??= makePrepared();
  const { disk, ...rest } = await prepared;
  return { disk: disk.copy(), ...rest };
}

/** What is in a storage: everything a caller could ask for, and every object that a HEAD reaches, whole. */
async function stateOf(disk: CrashDisk): Promise<unknown> {
  const storage = open(disk);
  const teams = await storage.registry.teams();
  const tokens = await listTokens(storage);
  const hives = await Promise.all(
    teams
      .flatMap((team) => team.hives)
      .map(async (slug) => {
        const snapshot = await storage.hives.snapshot(slug);
        await readHistory(disk, `/mount/storage/hives/${slug}.git`, snapshot.commit.oid);
        const { source, translations } = await snapshot.content("all");
        const revisions = storage.hives.revisions(slug);
        const tags = await Promise.all(
          [...(await revisions.listTags())].map(([name, oid]) => revisions.readTag(name, oid)),
        );
        const markers = await snapshot.staleMarkers.read([...translations.keys()]);
        return [
          slug,
          (await storage.mirrors.list(slug)).map(({ url }) => url),
          // A tag that is there leads to a commit that is whole.
          tags.map((tag) => [tag?.name, tag?.commit, tag?.written?.message]),
          snapshot.settings,
          Array.from(source, ([name, { group }]) => [name, JSON.stringify(group)]),
          Array.from(translations, ([code, files]) => [
            code,
            Array.from(files, ([name, texts]) => [name, [...texts]]),
          ]),
          Array.from(markers, ([code, files]) => [
            code,
            Array.from(files, ([name, texts]) => [name, [...texts]]),
          ]),
        ];
      }),
  );
  // What a creation left that was cut off was nobody's. A move that was cut off may leave a repository in both places,
  // and so in the trash twice, or beside the restored one: that is a copy too many, not one too few.
  const listed = new Set(teams.flatMap((team) => team.hives));
  const trash = (await listTrash(storage)).filter(
    ({ team, slug }) => team !== undefined && !listed.has(slug),
  );
  return {
    teams,
    trash: new Set(trash.map(({ slug, team }) => `${slug} of ${team}`)),
    tokens: tokens.map(({ id: _id, hash: _hash, created: _created, ...token }) => token),
    hives,
  };
}

/** Reads every object of a history. @throws Error when one is missing or torn. */
async function readHistory(disk: CrashDisk, gitdir: string, head: Oid): Promise<void> {
  const repo = new BareRepo(new DurableFs(disk), gitdir);
  const read = new Set<Oid>();
  for (const waiting = [head]; ;) {
    const oid = waiting.pop();
    if (oid === undefined) return;
    const commit = await repo.readCommit(oid);
    waiting.push(...commit.parents);
    for (const { path, oid } of filesOf(await repo.readTree(commit.tree))) {
      if (!read.has(oid)) await repo.readBlob(oid, path);
      read.add(oid);
    }
  }
}

interface Write {
  readonly name: string;
  /** Does it; gives the status of the answer, or throws. */
  readonly run: (storage: Storage, token: string, changed: Oid) => Promise<number>;
}

const viaHttp =
  (method: string, path: string, files: unknown) =>
  async (storage: Storage, token: string): Promise<number> =>
    (await harness(storage, token).call(method, path, { body: { files, conflict_strategy: "clear" } }))
      .status;

/** Makes a tag; one that was made before it was acknowledged is there already. */
const tag =
  (name: string) =>
  async (storage: Storage, token: string): Promise<number> => {
    const { call } = harness(storage, token);
    const { status } = await call("POST", "/api/hives/web/tags", { body: { name } });
    if (status === 409) throw failure("conflict", "there already");
    return status === 201 ? 200 : status;
  };

const viaService =
  (run: (storage: Storage) => Promise<unknown>) =>
  async (storage: Storage): Promise<number> => {
    await run(storage);
    return 200;
  };

const writes: readonly Write[] = [
  {
    name: "import",
    run: viaHttp("POST", "/api/hives/web/strings", { "a.php": { a: "A2", z: "Z" }, "new/c.php": { d: "D" } }),
  },
  {
    name: "sync",
    run: viaHttp("PUT", "/api/hives/web/strings", { "a.php": { n: { b: "B" } }, "dir/b.json": {} }),
  },
  {
    name: "translation import",
    run: viaHttp("POST", "/api/hives/web/translations/de", { "dir/b.json": { c: "CC" } }),
  },
  { name: "tag", run: tag("v2") },
  { name: "tag in a folder", run: tag("release/2026/1") },
  {
    name: "stale confirmation",
    run: async (storage, token) => {
      const body = { locale: "fr", file: "a.php", keys: ["a"] };
      return (await harness(storage, token).call("POST", "/api/hives/web/stale/confirm", { body })).status;
    },
  },
  {
    name: "undo",
    run: async (storage, token, changed) => {
      // The second time there is nothing left to undo.
      const body = { commit: changed, on_conflict: "skip" };
      return (await harness(storage, token).call("POST", "/api/hives/web/undo", { body })).status;
    },
  },
  { name: "mirror", run: viaService((storage) => addMirror(storage, web, toMirrorUrl(`${remote}/b.git`))) },
  {
    name: "mirror removal",
    run: viaService(async (storage) => {
      await removeMirror(storage, web, `${remote}/a.git`).catch((error: unknown) => {
        throw isFailure(error, "not-found") ? failure("conflict", "removed already") : error;
      });
    }),
  },
  { name: "Hive creation", run: viaService((storage) => makeHive(storage, "app")) },
  { name: "Hive deletion", run: viaService((storage) => deleteHive(storage, web)) },
  {
    name: "Hive restoration",
    run: viaService(async (storage) => restoreHive(storage, { text: "old" })),
  },
  { name: "team creation", run: viaService((storage) => createTeam(storage, toTeamName("new"), 5)) },
  { name: "team change", run: viaService((storage) => setQuota(storage, acme, 7)) },
  {
    name: "token creation",
    run: viaService((storage) => createToken(storage, { team: acme, abilities: [], hives: [web] })),
  },
  {
    name: "token revocation",
    run: viaService(async (storage) => {
      const [token] = await listTokens(storage);
      if (token !== undefined) await revokeToken(storage, token.id);
    }),
  },
];

/** Does a write again after a restart: it succeeds, or finds that it was done. */
async function redo(write: Write, disk: CrashDisk, token: string, changed: Oid): Promise<void> {
  try {
    expect(await write.run(open(disk), token, changed)).toBe(200);
  } catch (error) {
    // A Hive that is deleted is not there to be deleted, and one that is restored not to be restored.
    if (!isFailure(error, "conflict") && !isFailure(error, "not-found")) throw error;
  }
}

describe.each(writes)("$name", (write) => {
  async function measure() {
    const { disk: base, token, changed } = await prepare();
    const before = await stateOf(base.copy());
    const disk = base.copy();
    await write.run(open(disk), token, changed);
    const operations = [...disk.operations];
    const after = await stateOf(disk);
    expect(after).not.toEqual(before);
    return { base, token, changed, before, after, operations };
  }
  let measuring: ReturnType<typeof measure> | undefined;
  const measured = () => (measuring ??= measure());

  it.each(Object.keys(losses) as Loss[])(
    "survives a power cut after every operation that loses %s",
    async (loss) => {
      const { base, token, changed, before, after, operations } = await measured();
      expect(operations.length).toBeGreaterThan(15);
      let left: { readonly changes: number; readonly state: unknown } | undefined;
      for (let last = 1; last <= operations.length; last++) {
        const disk = base.copy();
        disk.cutAfter = last;
        const acknowledged = await write.run(open(disk), token, changed).then(
          (status) => status === 200,
          (error: unknown) => {
            if (!(error instanceof PowerCut)) throw error;
            return false;
          },
        );
        const recovered = disk.recover(loss);
        // An operation that only looks leaves what the one before it left.
        const isLeftBefore = left?.changes === disk.changes;
        const state = isLeftBefore ? left?.state : await stateOf(recovered);
        left = { changes: disk.changes, state };
        const step = `${last}: ${operations[last - 1]}`;
        if (acknowledged) expect(state, step).toEqual(after);
        else expect([before, after], step).toContainEqual(state);
        if (isLeftBefore) continue;
        await redo(write, recovered, token, changed);
        if (!write.name.startsWith("token")) expect(await stateOf(recovered), step).toEqual(after);
      }
    },
  );

  it.each(["ENOSPC", "EIO", "EMFILE"])(
    "changes nothing when any operation fails with %s, and works the next time",
    async (code) => {
      const { base, token, changed, before, after, operations } = await measured();
      for (let failing = 1; failing <= operations.length; failing++) {
        const disk = base.copy();
        disk.before = (operation, name, path) => {
          if (operation === failing) throw new SystemError(code, name, path);
        };
        const storage = open(disk);
        const done = await write.run(storage, token, changed).catch((error: unknown) => {
          expect(error instanceof SystemError || isFailure(error, "disk-full")).toBe(true);
          return 500;
        });
        const step = `${failing}: ${operations[failing - 1]}`;
        expect([200, 500, 507], step).toContain(done);
        const restarted = disk.recover("nothing");
        expect(await stateOf(restarted), step).toEqual(done === 200 ? after : before);
        if (done === 200) continue;
        disk.before = () => {};
        // The same process goes on, as far as locks allow: one whose removal failed is stale in two seconds.
        const again = operations[failing - 1]?.endsWith(".lock") ? open(restarted) : storage;
        expect(await write.run(again, token, changed), step).toBe(200);
      }
    },
  );
});

describe("a request with an Idempotency-Key", () => {
  const files = { "a.php": { a: "A2", z: "Z" } };
  const send = (storage: Storage, token: string) =>
    harness(storage, token).call("POST", "/api/hives/web/strings", {
      body: { files, conflict_strategy: "clear" },
      headers: { "idempotency-key": "run-1" },
    });

  it.each(Object.keys(losses) as Loss[])(
    "is done once and has one answer, if it is sent again after a power cut that loses %s",
    async (loss) => {
      const { disk: base, token, changed } = await prepare();
      const whole = base.copy();
      const first = await send(open(whole), token);
      expect(first.status).toBe(200);
      let replayed = 0;
      for (let last = 1; last <= whole.operations.length; last++) {
        const disk = base.copy();
        disk.cutAfter = last;
        await send(open(disk), token).catch((error: unknown) => {
          if (!(error instanceof PowerCut)) throw error;
        });
        const recovered = open(disk.recover(loss));
        const again = await send(recovered, token);
        const step = `${last}: ${whole.operations[last - 1]}`;
        expect([again.status, again.json], step).toEqual([200, first.json]);
        const { commit } = await recovered.hives.snapshot(web);
        expect([commit.oid, commit.parents], step).toEqual([again.headers.get("x-skep-commit"), [changed]]);
        if (again.headers.has("idempotency-replayed")) replayed++;
      }
      expect(replayed).toBeGreaterThan(0);
      expect(replayed).toBeLessThan(whole.operations.length);
    },
  );
});

describe("a server that runs while a command is cut off", () => {
  it.each<[string, (storage: Storage) => Promise<unknown>, (storage: Storage) => Promise<unknown>]>([
    [
      "token revocation",
      async (storage) => {
        const [token] = await listTokens(storage);
        if (token !== undefined) await revokeToken(storage, token.id);
      },
      listTokens,
    ],
    ["quota change", (storage) => setQuota(storage, acme, 7), (storage) => storage.registry.team(acme)],
    ["Hive deletion", (storage) => deleteHive(storage, web), (storage) => storage.registry.team(acme)],
  ])("sees what a new one would see, after every operation of a %s", async (_, run, look) => {
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

describe("what else must not depend on luck", () => {
  it("makes a folder durable that somebody made and did not", async () => {
    const disk = new CrashDisk();
    await disk.promises.mkdir("/mount/a");
    await new DurableFs(disk).makeFolder("/mount/a");
    await new DurableFs(disk).write("/mount/a/c", "x");
    expect(await disk.recover("everything").promises.readdir("/mount/a")).toEqual(["c"]);
  });

  it("makes a folder again that git removed because it was empty", async () => {
    const disk = new CrashDisk();
    await new DurableFs(disk).write("/mount/objects/ab/cd", "x");
    expect(await disk.promises.readdir("/mount/objects/ab")).toEqual(["cd"]);
  });

  it("opens few files at once, however many a request has", async () => {
    const { disk, token } = await prepare();
    const files = Object.fromEntries(Array.from({ length: 400 }, (__, i) => [`f${i}.php`, { a: String(i) }]));
    const { call } = harness(open(disk), token);
    expect((await call("POST", "/api/hives/web/strings", { body: { files } })).status).toBe(200);
    expect(disk.mostOpen).toBeLessThan(50);
  });
});
