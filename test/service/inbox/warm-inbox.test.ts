/**
 * An inbox of a server that has answered before, against that of one that has just been opened: no cache tells anything
 * else.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { toPersonId } from "../../../src/domain/names.ts";
import { clearModuleCaches } from "../../../src/module-caches.ts";
import { callerOf } from "../../../src/service/access.ts";
import { countWork } from "../../../src/service/inbox/counts.ts";
import { readInbox } from "../../../src/service/inbox/inbox.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { makePersonalToken } from "../../helpers/people/people.ts";
import { forAll } from "../../helpers/runs.ts";
import { memoryStorage, prepareWeb } from "../../helpers/storage.ts";

const people = ["anna", "ben"] as const;
const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
const options = { locales: ["fr"], storage: { now: () => clock.now } };

const prepared = prepareWeb(options, async ({ storage, put }) => {
  const files = { "a.json": { a: "A", b: "B" } };
  await put(files);
  const all = ["read", "write", "approve"] as const;
  const own = { name: "x", abilities: all, review: "always" } as const;
  return {
    anna: await makePersonalToken(storage, { ...own, id: "anna" }),
    ben: await makePersonalToken(storage, { ...own, id: "ben" }),
  };
});

/** What two servers may differ in: the inbox of each person, and what waits for them. */
async function inboxesOf(storage: Storage): Promise<unknown> {
  const all = people.map(async (id) => {
    const person = (await storage.registry.person(toPersonId(id))) ?? expect.fail();
    const caller = (await callerOf(storage, person)) ?? expect.fail();
    return [await readInbox(storage, caller), await countWork(storage, caller, () => false)];
  });
  return Promise.all(all);
}

const key = fc.constantFrom("a", "b");
const by = fc.constantFrom(...people);
const change = fc.oneof(
  fc.record({ kind: fc.constant("write"), by, key, text: fc.constantFrom("un", "deux", "trois") }),
  fc.record({ kind: fc.constantFrom("reject", "approve", "comment", "undo", "move", "branch"), by, key }),
);

it("an inbox is the same on a server that was just opened", async () => {
  await forAll(60, fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
    const { call, storage, disk, made } = await prepared();
    const hive = "/api/hives/web";
    let last = "";
    for (const one of changes) {
      clock.now += 1_000;
      const token = made[one.by];
      const send = async (path: string, body: object): Promise<void> => {
        const { headers } = await call("POST", hive + path, { token, body });
        last = headers.get("x-skep-commit") ?? last;
      };
      const review = { locale: "fr", file: "a.json", keys: [one.key] };
      if ("text" in one) {
        const files = { "a.json": { [one.key]: one.text } };
        await send("/translations/fr", { files, overwrite_strategy: "overwrite" });
      } else if (one.kind === "reject") await send("/review/reject", { ...review, reason: "No." });
      else if (one.kind === "approve") await send("/review/approve", review);
      else if (one.kind === "comment")
        await send("/comments", { file: "a.json", key: one.key, text: "Hm", ask: true });
      else if (one.kind === "undo" && last !== "") await send("/undo", { commit: last });
      else if (one.kind === "move") {
        const at = { file: "a.json", key: one.key };
        await send("/keys/move", { moves: [{ from: at, to: { ...at, key: `${one.key}x` } }] });
      } else await send("/branches", { name: "fix" });
      await inboxesOf(storage);
    }
    const warm = await inboxesOf(storage);
    clearModuleCaches();
    const fresh = memoryStorage({ disk, folder: storage.folder, now: () => clock.now });
    expect(await inboxesOf(fresh)).toEqual(warm);
  });
});
