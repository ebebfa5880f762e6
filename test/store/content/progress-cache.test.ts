import { beforeEach, describe, expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { memfsDisk } from "../../disk/memfs-disk.ts";
import { harness, makeHive, makeToken, memoryFolder } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const disk = memfsDisk();
const fs = new DurableFs(disk);
let folder: string;
let token: string;
let file: string;

/** A storage as after a start, with how often something was counted in it. */
function restarted(): { storage: Storage; counted: string[]; call: ReturnType<typeof harness>["call"] } {
  const storage = openStorage({ folder, disk });
  const counted: string[] = [];
  const { progress } = storage;
  const get: typeof progress.get = (slug, what, count) =>
    progress.get(slug, what, () => (counted.push(what.code), count()));
  Object.defineProperty(storage, "progress", { value: { get } });
  return { storage, counted, call: harness(storage, token).call };
}

const keptText = async (): Promise<string> => (await fs.readText(file)) ?? "";

beforeEach(async () => {
  folder = memoryFolder();
  const storage = openStorage({ folder, disk });
  await makeHive(storage, "web", { locales: ["fr", "de"] });
  token = await makeToken(storage);
  file = `${storage.hives.folderOf(web)}/skep-progress`;
  const { call } = harness(storage, token);
  await call("POST", "/api/hives/web/strings", { body: { files: { "a.json": { a: "A", b: "B" } } } });
  await call("POST", "/api/hives/web/translations/fr", { body: { files: { "a.json": { a: "A fr" } } } });
});

const half = { translated: 1, empty: 1, total: 2 };
const none = { translated: 0, empty: 2, total: 2 };

describe("the progress of a Hive", () => {
  it("the progress of a Hive is counted once, and again only where it has changed", async () => {
    const first = restarted();
    const { json } = await first.call("GET", "/api/hives/web");
    expect(json.locales).toMatchObject({ fr: half, de: none });
    expect(first.counted).toEqual(["fr", "de"]);
    await expect.poll(keptText).toContain('"de"');
    const second = restarted();
    expect((await second.call("GET", "/api/hives/web")).json).toEqual(json);
    expect(second.counted).toEqual([]);
    const body = { files: { "a.json": { a: "A de" } } };
    await second.call("POST", "/api/hives/web/translations/de", { body });
    expect((await second.call("GET", "/api/hives/web")).json.locales).toMatchObject({ fr: half, de: half });
    expect(second.counted).toEqual(["de"]);
  });

  it("the progress of a Hive is counted again when the cache is damaged, or of other rules", async () => {
    await restarted().call("GET", "/api/hives/web");
    await expect.poll(keptText).toContain('"de"');
    const whole = await keptText();
    const damaged = [
      "",
      "{",
      "\0".repeat(200),
      whole.replace('"rules":"2', '"rules":"0'),
      whole.replace('"total":2', '"total":-2'),
    ];
    for (const text of damaged) {
      await fs.writeCache(file, text);
      const { call, counted } = restarted();
      expect((await call("GET", "/api/hives/web")).json.locales).toMatchObject({ fr: half, de: none });
      expect(counted).toEqual(["fr", "de"]);
      await expect
        .poll(async () => Array.from(await keptText()).toSorted())
        .toEqual(Array.from(whole).toSorted());
    }
  });

  it("the progress of a branch is counted as it is, and that of main stays cached", async () => {
    const { call, counted } = restarted();
    await call("GET", "/api/hives/web");
    await call("POST", "/api/hives/web/branches", { body: { name: "new" } });
    const body = { files: { "a.json": { b: "B fr" } } };
    expect((await call("POST", "/api/hives/web/translations/fr?branch=new", { body })).status).toBe(200);
    const whole = { translated: 2, empty: 0, total: 2 };
    expect((await call("GET", "/api/hives/web?branch=new")).json.locales).toMatchObject({ fr: whole });
    expect((await call("GET", "/api/hives/web")).json.locales).toMatchObject({ fr: half });
    expect(counted).toEqual(["fr", "de"]);
  });
});
