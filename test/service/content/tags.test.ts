/** What making and listing tags costs where a Hive has many, and what is seen of tags that git has made or moved. */
import { describe, expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { createTag, listTags } from "../../../src/service/content/tags.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { byCommand, makeHive, memoryDisk, memoryFolder } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const count = 20;

/** A Hive with tags as after a start, and the files of its repository that are read from then on. */
async function restarted() {
  const [disk, folder] = [memoryDisk(), memoryFolder()];
  const before = openStorage({ folder, disk });
  await makeHive(before, "web");
  for (let i = 0; i < count; i++) await createTag(before, web, { name: `v${i}` }, byCommand);
  const { promises } = disk;
  const read: string[] = [];
  const readFile: typeof promises.readFile = (path) => {
    read.push(path);
    return promises.readFile(path);
  };
  const watched = {
    ...disk,
    promises: { ...promises, readFile },
    readFileSync: (path: string) => (read.push(path), disk.readFileSync(path)),
  };
  const storage = openStorage({ folder, disk: watched });
  await storage.hives.at(web).snapshot();
  return { storage, disk, gitdir: storage.hives.folderOf(web), read: () => read.splice(0) };
}

const page = async (storage: Storage, limit: number) =>
  (await listTags(storage, web, { offset: 0, limit })).read();
const tagsAmong = (paths: readonly string[]) => paths.filter((path) => path.includes("/refs/tags/"));
const objectsAmong = (paths: readonly string[]) => paths.filter((path) => path.includes("/objects/"));

describe("a Hive with many tags", () => {
  it("gets another one without reading the others", async () => {
    const { storage, read } = await restarted();
    read();
    await createTag(storage, web, { name: "new" }, byCommand);
    const paths = read();
    expect(tagsAmong(paths).filter((path) => !path.endsWith("/new"))).toEqual([]);
    expect(objectsAmong(paths)).toEqual([]);
    for (const name of ["v1", "V1", "v1/x"])
      await expect(createTag(storage, web, { name }, byCommand)).rejects.toThrow("The tag");
  });

  it("is listed by reading only the tag objects of the page, and its refs once", async () => {
    const { storage, read } = await restarted();
    read();
    expect(await page(storage, 2)).toMatchObject({ entries: [{ name: "v0" }, { name: "v1" }], total: count });
    const paths = read();
    expect(tagsAmong(paths)).toHaveLength(count);
    // Two tags, and the commit that both mark.
    expect(new Set(objectsAmong(paths)).size).toBeLessThanOrEqual(3);
    await expect
      .poll(async () => {
        await page(storage, 2);
        return tagsAmong(read());
      })
      .toEqual([]);
  });

  it("is listed with the tags that git has made, moved or removed since", async () => {
    const { storage, disk, gitdir } = await restarted();
    const { entries } = await page(storage, count);
    const commit = entries[0]?.commit ?? "";
    const fs = new DurableFs(disk);
    await fs.write(`${gitdir}/refs/tags/v0`, `${commit}\n`);
    await fs.write(`${gitdir}/refs/tags/by-git`, `${commit}\n`);
    await disk.promises.unlink(`${gitdir}/refs/tags/v1`);
    const { entries: after, total } = await page(storage, 3);
    expect(total).toBe(count);
    expect(after).toEqual([
      { name: "by-git", commit },
      { name: "v0", commit },
      expect.objectContaining({ name: "v10" }),
    ]);
  });
});
