/** One pack instead of those of changes, made of what the database has. */
import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { HeldLock } from "../../../src/disk/held-lock.ts";
import { toBranchName } from "../../../src/domain/commits/branch-name.ts";
import { toTagName } from "../../../src/domain/commits/ref-name.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { toHiveSlug, type HiveSlug } from "../../../src/domain/names.ts";
import { createBranch, deleteBranch } from "../../../src/service/content/branches.ts";
import { importSource } from "../../../src/service/content/imports.ts";
import { createTag } from "../../../src/service/content/tags.ts";
import { compactionJob } from "../../../src/service/operations/compaction-worker.ts";
import { maintain, type Maintained } from "../../../src/service/operations/maintenance.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { Database } from "../../../src/store/postgres/database.ts";
import { tidy } from "../../../src/store/postgres/compaction.ts";
import type { Compacted, Compaction } from "../../../src/store/record/record.ts";
import { sourceFiles } from "../../helpers/hive.ts";
import { isCommit } from "../../helpers/postgres/cuttable.ts";
import { isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase, type TestDatabase } from "../../helpers/postgres/records.ts";
import { git } from "../../helpers/process.ts";
import { byCommand, makeHive } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const held: HeldLock = {
  assertHeld: () => Promise.resolve(),
  advance: (change) => change(),
  lose: () => {},
};
const never = new AbortController().signal;

/** A lock that is checked by a test's own function, which is told how often it was checked. */
function checkedBy(check: (count: number) => Promise<void>): HeldLock {
  let count = 0;
  return { ...held, assertHeld: () => check(++count) };
}

describe.skipIf(isMissing())("the compaction of a repository", () => {
  let test: TestDatabase;
  let database: Database;
  let here: Storage;

  const open = async (): Promise<Storage> => openStorage((await test.prepare()).options);

  function compactionOf({ record }: Storage): Compaction {
    const { compaction } = record.repositories;
    if (compaction === undefined) throw new Error("it has none");
    return compaction;
  }

  const compact = (lock = held, storage = here): Promise<Compacted | undefined> =>
    compactionOf(storage).compact(web, lock, never);

  async function write(texts: Record<string, string>): Promise<void> {
    const files = sourceFiles({ "a.json": texts });
    await importSource(here, web, { files, mode: "import", conflictStrategy: "keep" }, byCommand);
  }

  /** How many rows there are, and how many parts no pack has. */
  async function rows(): Promise<Record<string, number>> {
    const [row] = await database.query(
      (sql) => sql<Record<string, number>[]>`
        SELECT (SELECT count(*)::int FROM change) AS changes, (SELECT count(*)::int FROM pack) AS packs,
          (SELECT sum(parts)::int FROM pack) AS parts, (SELECT count(*)::int FROM part) AS stored,
          (SELECT count(*)::int FROM retired) AS retired`,
    );
    if (row === undefined) throw new Error("no answer");
    return row;
  }

  /** Lets an hour pass, and removes what may leave then. */
  async function tidyLater(): Promise<void> {
    await database.query((sql) => sql`UPDATE part SET uploaded = uploaded - INTERVAL '2 hours'`);
    await database.query((sql) => sql`UPDATE retired SET at = at - INTERVAL '2 hours'`);
    await tidy(database);
  }

  /** All refs of a server's copy, which is complete. */
  async function contentOf(storage: Storage): Promise<string> {
    await storage.hives.recorded(web).refresh();
    const gitdir = storage.hives.folderOf(web);
    await git(gitdir, "fsck", "--connectivity-only", "--no-dangling");
    return git(gitdir, "for-each-ref");
  }

  beforeEach(async () => {
    test = await testDatabase();
    database = new Database({ url: test.url });
    here = await open();
    await makeHive(here, "web", { locales: ["fr"] });
    for (let i = 0; i < 6; i++) await write({ [`k${i}`]: "text ".repeat(i + 1) });
    await createBranch(here, web, { name: toBranchName("fix") }, byCommand);
    await createTag(here, web, { name: toTagName("v1") }, byCommand);
    return () => database.close();
  });

  it("keeps all objects that the refs reach, in fewer bytes, also after the old packs are removed", async () => {
    await deleteBranch(here, web, toBranchName("fix"), byCommand);
    const before = await rows();
    const content = await contentOf(here);
    const result = await compact();
    expect(result).toMatchObject({ changes: before.changes });
    expect(result?.after).toBeLessThan(result?.before ?? 0);
    await tidyLater();
    expect(await rows()).toEqual({ changes: 1, packs: 1, parts: 1, stored: 1, retired: 0 });
    expect(await contentOf(await open())).toBe(content);
    expect(await compact()).toBeUndefined();
    await write({ more: "x" });
    expect(await contentOf(await open())).toBe(await contentOf(here));
    expect(await compact()).toMatchObject({ changes: 1 });
    await write({ more: "y" });
    await tidyLater();
    expect(await rows()).toEqual({ changes: 2, packs: 2, parts: 2, stored: 2, retired: 0 });
    expect(await contentOf(await open())).toBe(await contentOf(here));
  });

  it("stores objects that several commits share once", async () => {
    const texts = Array.from({ length: 200 }, (_, i) => [`long${i}`, randomBytes(30).toString("hex")]);
    await write(Object.fromEntries(texts));
    for (let i = 0; i < 8; i++) await write({ [`more${i}`]: "x" });
    const { before = 0, after = before } = (await compact()) ?? {};
    expect(after * 4).toBeLessThan(before);
  });

  it("lets the copies of other servers catch up, whichever change they have", async () => {
    const [old, newer] = [await open(), await open()];
    await contentOf(old);
    await write({ one: "1" });
    await contentOf(newer);
    await compact();
    await write({ two: "2" });
    expect(await contentOf(old)).toBe(await contentOf(here));
    await tidyLater();
    await write({ three: "3" });
    for (const storage of [old, newer, await open()]) {
      expect(await contentOf(storage)).toBe(await contentOf(here));
    }
  });

  it("loses and duplicates nothing wherever it is killed", async () => {
    const before = await rows();
    let result: Compacted | undefined;
    let kills = 0;
    for (; result === undefined; kills++) {
      const killed = checkedBy(async (count) => {
        if (count > kills) throw new Error("killed");
      });
      result = await compact(killed).catch((error: unknown) => {
        expect(String(error)).toContain("killed");
        return undefined;
      });
      if (result === undefined) {
        expect(await rows()).toMatchObject({ changes: before.changes, packs: before.packs, retired: 0 });
      }
    }
    expect(kills).toBeGreaterThan(6);
    const { packs = 0 } = before;
    expect(await rows()).toMatchObject({ packs: packs + 1, retired: 1 });
    await tidyLater();
    expect(await rows()).toEqual({ changes: 1, packs: 1, parts: 1, stored: 1, retired: 0 });
    expect(await contentOf(await open())).toBe(await contentOf(here));
  });

  it("is made once when the connection is cut at its commit", async () => {
    for (const verdict of ["cut", "cut-after"] as const) {
      await write({ [verdict]: "x" });
      const before = await rows();
      // Its connections have no prepared statements yet.
      const there = await open();
      let isSwitching = false;
      test.proxy.judge((sent) => {
        if (sent.includes("INSERT INTO retired")) isSwitching = true;
        if (!isSwitching || !isCommit(sent)) return "pass";
        test.proxy.judge(() => "pass");
        return verdict;
      });
      expect(await compact(held, there)).toBeDefined();
      expect(isSwitching).toBe(true);
      const { packs, parts, stored } = await rows();
      expect([packs, stored]).toEqual([(before.packs ?? 0) + 1, parts]);
      await tidyLater();
      expect(await rows()).toMatchObject({ changes: 1, packs: 1, stored: 1 });
      expect(await contentOf(await open())).toBe(await contentOf(here));
    }
  });

  it("is refused to a server that lost the job in the middle, and made by the server that has it", async () => {
    const there = await open();
    const job = `compact-${web}`;
    let other: Compacted | undefined;
    const lost = here.record.jobs.hold(job, (lock) =>
      compact({
        ...lock,
        assertHeld: async () => {
          if (other === undefined) {
            other = { changes: 0, before: 0, after: 0 };
            await database.query((sql) => sql`UPDATE job SET until = clock_timestamp() WHERE name = ${job}`);
            other = await there.record.jobs.hold(job, (theirs) => compact(theirs, there));
            await write({ later: "x" });
          }
          return lock.assertHeld();
        },
      }),
    );
    await expect(lost).rejects.toSatisfy((error: unknown) => isFailure(error, "lock-lost"));
    expect(other).toMatchObject({ changes: 9 });
    expect(await rows()).toMatchObject({ retired: 1 });
    await tidyLater();
    expect(await rows()).toEqual({ changes: 2, packs: 2, parts: 2, stored: 2, retired: 0 });
    expect(await contentOf(await open())).toBe(await contentOf(there));
  });

  it("changes nothing when another compaction has replaced the base meanwhile", async () => {
    const there = await open();
    const first = checkedBy(async (count) => {
      if (count === 1) expect(await compact(held, there)).toBeDefined();
    });
    expect(await compact(first)).toBeUndefined();
    expect(await rows()).toMatchObject({ retired: 1 });
  });

  it("lets a first fetch begin again when its packs are removed in its middle", async () => {
    const there = await open();
    let isRead = false;
    test.proxy.judge((sent) => {
      if (isRead || !sent.includes("data FROM part")) return "pass";
      isRead = true;
      return "stop";
    });
    const reading = contentOf(there);
    await expect.poll(() => isRead).toBe(true);
    expect(await compact()).toBeDefined();
    await tidyLater();
    test.proxy.release();
    expect(await reading).toBe(await contentOf(here));
  });

  it("is due when the changes are many or large, and together larger than the largest pack", async () => {
    const grown = (): Promise<readonly string[]> => compactionOf(here).grown("all");
    const setBytes = (bytes: number): Promise<unknown> =>
      database.query((sql) => sql`UPDATE pack SET bytes = ${bytes}`);
    expect(await grown()).toEqual([]);
    await setBytes(5_000_000);
    expect(await grown()).toEqual([web]);
    expect(await compactionOf(here).grown([toHiveSlug("docs")])).toEqual([]);
    await compact();
    await database.query(
      (sql) => sql`UPDATE pack SET bytes = 50000000 WHERE id = (SELECT base FROM repository)`,
    );
    await write({ more: "x" });
    expect(await grown()).toEqual([]);
    const add = (from: number, to: number, bytes: number): Promise<unknown> =>
      database.query(
        (sql) => sql`
          WITH added AS (
            INSERT INTO pack SELECT gen_random_uuid(), 1, ${bytes}, 1, '' FROM generate_series(${from}::int, ${to}) RETURNING id
          )
          INSERT INTO change SELECT (SELECT id FROM repository), ${from} + row_number() OVER (), gen_random_uuid(), '{}', id,
            clock_timestamp() FROM added`,
      );
    await add(1_000, 1_300, 100);
    expect(await grown()).toEqual([]);
    await add(2_000, 2_300, 200_000);
    expect(await grown()).toEqual([web]);
    await database.query((sql) => sql`UPDATE pack SET bytes = 100 WHERE bytes = 200000`);
    expect(await grown()).toEqual([]);
    await add(10_000, 14_000, 1);
    expect(await grown()).toEqual([web]);
  });

  it("is done by hand for a Hive that is named or has grown, unless a server does it", async () => {
    const maintained = async (slug?: HiveSlug): Promise<readonly Maintained[]> => {
      const all: Maintained[] = [];
      for await (const one of maintain(here, slug)) all.push(one);
      return all;
    };
    expect(await maintained()).toEqual([]);
    const { changes = 0 } = await rows();
    expect(await maintained(web)).toMatchObject([{ hive: web, packing: { kind: "compacted", changes } }]);
    expect(await maintained(web)).toEqual([{ hive: web, packing: { kind: "nothing-to-do" } }]);
    await write({ more: "x" });
    await write({ more: "y" });
    await database.query((sql) => sql`UPDATE pack SET bytes = 5000000`);
    const there = await open();
    const busy = there.record.jobs.hold(compactionJob(web), () => maintained());
    expect(await busy).toEqual([{ hive: web, packing: { kind: "busy" } }]);
    expect(await maintained()).toMatchObject([{ packing: { kind: "compacted", changes: 2 } }]);
  });
});
