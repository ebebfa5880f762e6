import { describe, expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { toEngineName } from "../../../src/domain/engines/engine.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug, toPersonId, toTeamName } from "../../../src/domain/names.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { memfsDisk } from "../../disk/memfs-disk.ts";
import { fileNamed } from "../../helpers/hive.ts";
import { makeHive, memoryStorage } from "../../helpers/storage.ts";

const web = toTeamName("web");
const slug = toHiveSlug("web");
const anna = toPersonId("anna");
const engine = toEngineName("deepl");

interface Place {
  readonly path: string;
  readonly read: (storage: Storage) => Promise<unknown>;
  /** Changes the file such that {@link Place.read} gives something else than for a missing file. */
  readonly fill: (storage: Storage) => Promise<unknown>;
  /** A change that changes nothing. */
  readonly keep: (storage: Storage) => Promise<unknown>;
}

const noon = Date.parse("2026-01-31T12:00:00Z");
const skippedString = { file: fileNamed("a"), key: "k", source: "", translation: "" };
const places: readonly Place[] = [
  {
    path: "claims/web.json",
    read: ({ claims }) => claims.read(slug),
    fill: ({ claims }) =>
      claims.update(slug, (before) => ({
        ...before,
        skipped: [
          {
            owner: "anna",
            branch: "main",
            locale: toLocale("fr").code,
            ends: noon + 60_000,
            ...skippedString,
          },
        ],
      })),
    keep: ({ claims }) => claims.update(slug, (before) => before),
  },
  {
    path: "engine-jobs/web.json",
    read: ({ engineJobs }) => engineJobs.read(web),
    fill: ({ engineJobs }) => engineJobs.update(web, (before) => ({ ...before, tried: ["x"] })),
    keep: ({ engineJobs }) => engineJobs.update(web, (before) => before),
  },
  {
    path: "engine-use/web.json",
    read: async ({ engines }) => (await engines.uses(web))(engine).requests,
    fill: ({ engines }) =>
      engines.changeUse(web, engine, (before) => [{ ...before, requests: 1 }, undefined]),
    keep: ({ engines }) => engines.changeUse(web, engine, (before) => [before, undefined]),
  },
  {
    path: "inboxes/anna.json",
    read: ({ inboxes }) => inboxes.read(anna),
    fill: ({ inboxes }) => inboxes.update(anna, () => ({ seen: "2026-01-01T00:00:00.000Z" })),
    keep: ({ inboxes }) => inboxes.update(anna, (before) => before),
  },
  {
    path: "device-codes.json",
    read: ({ deviceCodes }) => deviceCodes.read(),
    fill: ({ deviceCodes }) =>
      deviceCodes.update(() => [
        { device: "0".repeat(64), user: "ABCDEFGH", place: "x", name: "", ends: noon + 60_000 },
      ]),
    keep: ({ deviceCodes }) => deviceCodes.update((before) => before),
  },
  {
    path: "authorization-codes.json",
    read: ({ authorizationCodes }) => authorizationCodes.update((before) => before),
    fill: ({ authorizationCodes }) =>
      authorizationCodes.update(() => [
        {
          code: "0".repeat(64),
          person: anna,
          name: "",
          client: "1".repeat(64),
          redirect: "x",
          challenge: "y",
          abilities: ["read"],
          ends: noon + 60_000,
        },
      ]),
    keep: ({ authorizationCodes }) => authorizationCodes.update((before) => before),
  },
];

describe.each(places)("the file $path", ({ path, read, fill, keep }) => {
  it("is as an empty one where it is damaged or of a later form, and is written anew", async () => {
    const disk = memfsDisk();
    const storage = memoryStorage({ disk, now: () => noon });
    await makeHive(storage, "other");
    const empty = await read(storage);
    await fill(storage);
    const filled = await read(storage);
    expect(filled).not.toEqual(empty);
    for (const text of ["", "{", "7", '{"format":2}', "\0"]) {
      await new DurableFs(disk).write(`${storage.folder}/${path}`, text);
      expect(await read(storage)).toEqual(empty);
      await fill(storage);
      expect(await read(storage)).toEqual(filled);
    }
  });

  it("is seen by another server, and not written by a change of nothing", async () => {
    const disk = memfsDisk();
    const storage = memoryStorage({ disk, now: () => noon });
    await makeHive(storage, "other");
    const file = `${storage.folder}/${path}`;
    await keep(storage);
    expect(await new DurableFs(disk).readText(file)).toBeUndefined();
    await fill(storage);
    const text = await new DurableFs(disk).readText(file);
    const other = memoryStorage({ disk, folder: storage.folder, now: () => noon });
    expect(await read(other)).toEqual(await read(storage));
    await keep(other);
    expect(await new DurableFs(disk).readText(file)).toBe(text);
  });
});
