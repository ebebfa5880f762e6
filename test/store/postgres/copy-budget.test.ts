/** How much disk copies take. */
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { toHiveSlug, type HiveSlug } from "../../../src/domain/names.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { evictCopies } from "../../../src/store/postgres/copy-folder.ts";
import type { PostgresRecord } from "../../../src/store/postgres/postgres-record.ts";
import { isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase } from "../../helpers/postgres/records.ts";
import { harness, makeHive, makeToken } from "../../helpers/storage.ts";

const hour = 3_600_000;
const [web, docs, site] = [toHiveSlug("web"), toHiveSlug("docs"), toHiveSlug("site")];

describe.skipIf(isMissing())("copies that take too much", () => {
  it("are removed, the least recently used first, and fetched again when they are read", async () => {
    const prepared = await (await testDatabase()).prepare();
    let record: PostgresRecord | undefined;
    const { options } = prepared;
    const storage = openStorage({ ...options, record: (parts) => (record = prepared.open(parts)) });
    for (const slug of [web, docs, site]) await makeHive(storage, slug, { locales: ["fr"] });
    const { call } = harness(storage, await makeToken(storage));
    const read = async (slug: HiveSlug): Promise<number> =>
      (await call("GET", `/api/hives/${slug}/strings`)).status;
    const isThere = (slug: HiveSlug): boolean => existsSync(storage.hives.folderOf(slug));
    const keep = (maxBytes: number, afterMs: number): Promise<readonly HiveSlug[]> => {
      if (record === undefined) throw new Error("it is not open");
      const { repositories } = record;
      return evictCopies(
        {
          fs: new DurableFs(options.disk),
          root: storage.folder,
          maxBytes,
          copyOf: (slug) => repositories.copy(slug),
          watched: () => storage.changes.watchedHives(),
        },
        afterMs,
      );
    };
    for (const slug of [docs, site, web]) expect(await read(slug)).toBe(200);
    expect(await keep(0, hour)).toEqual([]);
    expect(await keep(Number.MAX_SAFE_INTEGER, 0)).toEqual([]);
    const unwatch = storage.changes.watchRefs(site, () => {});
    expect(await keep(0, 0)).toEqual([docs, web]);
    expect([docs, web, site].map(isThere)).toEqual([false, false, true]);
    unwatch();
    expect(await read(web)).toBe(200);
    expect(
      (await call("POST", "/api/hives/docs/strings", { body: { files: { "a.php": { a: "A" } } } })).status,
    ).toBe(200);
    expect(await keep(0, 0)).toEqual([site, web, docs]);
    expect(await Promise.all([docs, web, site].map(read))).toEqual([200, 200, 200]);
    expect((await call("GET", "/api/hives/docs/strings")).text).toContain('"a"');
  });
});
