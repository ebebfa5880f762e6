/** Claims: what bounds their file, and how long they last. */
import { beforeEach, describe, expect, it } from "vitest";
import { isFileName, toHiveSlug, type HiveSlug } from "../../../src/domain/names.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import type { ClaimStore, ClaimPlace } from "../../../src/store/settings/claims.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { toSkipped } from "../../../src/service/work/claims.ts";
import { makeHive, memoryStorage } from "../../helpers/storage.ts";

const clock = { now: 0 };
const texts = { source: {}, translation: {} };
const yearMs = 365 * 24 * 60 * 60 * 1000;
let storage: Storage;
let slug: HiveSlug;
let claims: ClaimStore;

beforeEach(async () => {
  clock.now = Date.parse("2026-01-01T00:00:00Z");
  storage = memoryStorage({ now: () => clock.now });
  await makeHive(storage, "web");
  slug = toHiveSlug("web");
  ({ claims } = storage);
});

const place = (owner: string): ClaimPlace => ({ owner, branch: "main", locale: toLocale("fr").code });
const strings = (count: number) =>
  ["a.php"]
    .filter(isFileName)
    .flatMap((file) =>
      Array.from({ length: count }, (_, i) => ({ file, key: `key${i}`, source: "", translation: "" })),
    );

const claim = (owner: string, count: number): Promise<void> =>
  claims.change(slug, async (before) => {
    const made = { id: owner, by: owner, ...place(owner), ends: clock.now + 60_000, items: strings(count) };
    return [{ ...before, claims: [...before.claims, made] }, undefined];
  });

describe("claims", () => {
  it("of very many tokens stay few: the oldest end for new ones", async () => {
    for (let i = 0; i < 60; i++) await claim(`token ${i}`, 200);
    const owners = (await claims.read(slug)).claims.map(({ owner }) => owner);
    expect(owners).toEqual(Array.from({ length: 50 }, (_, i) => `token ${i + 10}`));
  });

  const long = "k".repeat(4000);
  const skip = (owner: string, count: number, n = 0): Promise<void> =>
    claims.change(slug, async (before) => {
      const skipped = strings(count).map(({ file, key }) =>
        toSkipped(place(owner), { file, key: `${long}${n}${key}` }, texts, clock.now + 60_000),
      );
      return [{ ...before, skipped: [...before.skipped, ...skipped] }, undefined];
    });
  const claimLong = (owner: string, count: number, n: number): Promise<void> =>
    claims.change(slug, async (before) => {
      const items = strings(count).map(({ file, key }) => ({
        file,
        key: long + key,
        source: "",
        translation: "",
      }));
      const made = { id: `${owner} ${n}`, by: owner, ...place(owner), ends: clock.now + 60_000, items };
      return [{ ...before, claims: [...before.claims, made] }, undefined];
    });
  const bytes = async (): Promise<number> => JSON.stringify(await claims.read(slug)).length;

  it.each([
    ["claimed", (owner: string, n: number) => claimLong(owner, 20, n), 5_000_000],
    ["skipped", (owner: string, n: number) => skip(owner, 200, n), 5_000_000],
  ])(
    "and long keys that are %s keep the file small, and one owner takes no place of others",
    async (_, add, most) => {
      await add("person modest", 0);
      for (let n = 0; n < 60; n++) await add("person greedy", n);
      const after = await claims.read(slug);
      const owners = [...after.claims, ...after.skipped].map(({ owner }) => owner);
      expect(new Set(owners)).toEqual(new Set(["person modest", "person greedy"]));
      expect(await bytes()).toBeLessThan(most);
      for (let n = 0; n < 30; n++) await add(`person ${n}`, n);
      expect(await bytes()).toBeLessThan(most);
    },
  );

  it("end with the Hive, so that another team's of the same slug shows none of them", async () => {
    await claim("token a", 1);
    await deleteHive(storage, slug);
    await makeHive(storage, "web", { team: "other" });
    expect((await claims.read(slug)).claims).toEqual([]);
  });

  it("do not last for as long as a clock was wrong that is set back", async () => {
    clock.now += yearMs;
    await claim("token a", 1);
    await claims.change(slug, async (before) => {
      const skipped = strings(1).map((one) =>
        Object.assign(one, place("token a"), { ends: clock.now + 60_000 }),
      );
      return [{ ...before, skipped }, undefined];
    });
    clock.now -= yearMs;
    expect(await claims.read(slug)).toEqual({ claims: [], skipped: [] });
  });
});
