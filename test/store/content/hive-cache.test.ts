import { beforeEach, describe, expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import type { HiveSettings } from "../../../src/domain/hives/hive-settings.ts";
import { toCustomCode, toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug, type Oid } from "../../../src/domain/names.ts";
import { HiveCache } from "../../../src/store/content/hive-cache.ts";
import { memfsDisk } from "../../disk/memfs-disk.ts";
import { harness, makeHive, makeToken, memoryFolder, type Harness } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const disk = memfsDisk();
const fs = new DurableFs(disk);
let folder: string;
let token: string;
let file: string;
let commit: Oid;

/** A storage as after a start, with how often something was counted in it. */
function restarted(): Harness & { readonly storage: Storage; readonly counted: string[] } {
  const storage = openStorage({ folder, disk });
  const counted: string[] = [];
  const cache = storage.hives.at(web).cache;
  const progress = cache.progress.bind(cache);
  cache.progress = (code, basis, count) => progress(code, basis, () => (counted.push(code), count()));
  return { ...harness(storage, token), storage, counted };
}

const keptText = async (): Promise<string> => (await fs.readText(file)) ?? "";
const keptProgress = async (): Promise<unknown> => JSON.parse((await keptText()) || "{}").progress;

beforeEach(async () => {
  folder = memoryFolder();
  const storage = openStorage({ folder, disk });
  await makeHive(storage, "web", { locales: ["fr", "de"] });
  commit = (await storage.hives.at(web).snapshot()).commit.oid;
  token = await makeToken(storage);
  file = `${storage.hives.folderOf(web)}/skep-cache`;
  const { post, fill } = harness(storage, token);
  await post({ "a.json": { a: "A", b: "B" } });
  await fill("fr", { "a.json": { a: "A fr" } });
});

const half = { translated: 1, empty: 1, total: 2 };
const none = { translated: 0, empty: 2, total: 2 };

describe("the progress of a Hive", () => {
  it("is counted once, and again only where it has changed", async () => {
    const first = restarted();
    const { json } = await first.call("GET", "/api/hives/web");
    expect(json.locales).toMatchObject({ fr: half, de: none });
    expect(first.counted).toEqual(["fr", "de"]);
    await expect.poll(keptText).toContain('"de":{');
    const second = restarted();
    expect((await second.call("GET", "/api/hives/web")).json).toEqual(json);
    expect(second.counted).toEqual([]);
    await second.fill("de", { "a.json": { a: "A de" } });
    expect((await second.call("GET", "/api/hives/web")).json.locales).toMatchObject({ fr: half, de: half });
    expect(second.counted).toEqual(["de"]);
  });

  it("is counted again when the cache is damaged, or of other rules", async () => {
    await restarted().call("GET", "/api/hives/web");
    await expect.poll(keptText).toContain('"de":{');
    const whole = await keptText();
    const damaged = [
      "",
      "{",
      "\0".repeat(200),
      whole.replace('"version":5', '"version":0'),
      whole.replace('"total":2', '"total":-2'),
    ];
    for (const text of damaged) {
      await fs.writeCache(file, text);
      const { call, counted } = restarted();
      expect((await call("GET", "/api/hives/web")).json.locales).toMatchObject({ fr: half, de: none });
      expect(counted).toEqual(["fr", "de"]);
      await expect.poll(keptProgress).toEqual(JSON.parse(whole).progress);
    }
  });

  it("the progress of a branch is counted as it is, and that of main stays cached", async () => {
    const { call, counted, fill } = restarted();
    await call("GET", "/api/hives/web");
    await call("POST", "/api/hives/web/branches", { body: { name: "new" } });
    expect((await fill("fr", { "a.json": { b: "B fr" } }, { query: "branch=new" })).status).toBe(200);
    const whole = { translated: 2, empty: 0, total: 2 };
    expect((await call("GET", "/api/hives/web?branch=new")).json.locales).toMatchObject({ fr: whole });
    expect((await call("GET", "/api/hives/web")).json.locales).toMatchObject({ fr: half });
    expect(counted).toEqual(["fr", "de"]);
  });
});

describe("the overview of a Hive", () => {
  it("is cached with every member that settings can have", async () => {
    const settings: Required<HiveSettings> = {
      name: "Web: no",
      sourceLocale: { ...toLocale("en"), customCode: toCustomCode("no", "code") },
      targetLocales: [toLocale("fr"), toLocale("nb")],
      maxDeletions: 12,
      plurals: "nested",
      push: "all",
      checks: { level: "refuse", syntax: [{ files: "*.json", syntax: "i18next" }] },
      glossary: toHiveSlug("brand"),
      engines: false,
    };
    await new HiveCache(fs, folder).keepOverview(commit, { settings, stringCount: 3, translatableCount: 2 });
    const overview = await new HiveCache(fs, folder).overview(commit);
    expect(overview).toEqual({ settings, stringCount: 3, translatableCount: 2 });
  });
});

describe("the cache of a Hive", () => {
  it("keeps what another process wrote into its other parts", async () => {
    const [one, other] = [new HiveCache(fs, folder), new HiveCache(fs, folder)];
    const folders = [commit];
    expect(await one.checkedFolders()).toEqual([]);
    await other.keepCheckedFolders(folders);
    const { settings } = await openStorage({ folder, disk }).hives.at(web).snapshot();
    await one.keepOverview(commit, { settings, stringCount: 0, translatableCount: 0 });
    expect(await one.checkedFolders()).toEqual(folders);
  });
});
