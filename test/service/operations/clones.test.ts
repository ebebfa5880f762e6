/** Clones that wait for their turn. Git is a stream that ends when it is told to. */
import { PassThrough, type Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { authenticate, authorizeHive, type HiveGrant } from "../../../src/service/access.ts";
import { Clones } from "../../../src/service/operations/clones.ts";
import { toTokenId } from "../../../src/domain/names.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { revokeToken } from "../../helpers/people/tokens.ts";
import { makeHive, makeToken, memoryStorage } from "../../helpers/storage.ts";

let storage: Storage;
/** What git answers at the moment, oldest first. */
let answering: PassThrough[];
let hives: Record<"acme" | "rival", HiveGrant>;

beforeEach(async () => {
  answering = [];
  storage = memoryStorage({
    git: {
      uploadPack: () => {
        const output = new PassThrough();
        answering.push(output);
        output.once("close", () => answering.splice(answering.indexOf(output), 1));
        return Promise.resolve(output);
      },
    },
  });
  const reached = async (team: string, slug: string): Promise<HiveGrant> => {
    await makeHive(storage, slug, { team });
    return authorizeHive(await authenticate(storage, await makeToken(storage, { team })), slug, "read");
  };
  hives = { acme: await reached("acme", "web"), rival: await reached("rival", "shop") };
});

const there = new AbortController().signal;

/** Asks for references, or goes on with a clone that has begun. */
function ask(clones: Clones, team: keyof typeof hives, hasBegun = false, signal = there): Promise<Readable> {
  const body = hasBegun ? { body: Buffer.from("0000") } : {};
  return clones.serve(storage, hives[team], { ...body, version: 2, signal });
}

/** Ends what git answers until nobody waits any more. */
async function endAll(): Promise<void> {
  for (let idle = 0; idle < 20; idle++) {
    if (answering.length > 0) idle = 0;
    for (const output of answering.slice()) output.destroy();
    await setImmediate();
  }
}

it("many clones at once are all answered, in turn", async () => {
  const clones = new Clones({ maxClones: 16, cloneTimeout: 60_000 });
  let most = 0;
  const all = Array.from({ length: 40 }, async (_, i) => {
    await ask(clones, "acme", i % 3 !== 0);
    most = Math.max(most, answering.length);
  });
  await setImmediate();
  await endAll();
  expect(await Promise.allSettled(all)).toEqual(all.map(() => ({ status: "fulfilled", value: undefined })));
  expect(most).toBeLessThanOrEqual(16);
  expect(clones.running).toBe(0);
});

it("slow clones of one team leave room for another's", async () => {
  const clones = new Clones({ maxClones: 16, cloneTimeout: 60_000 });
  const slow = Array.from({ length: 40 }, () => ask(clones, "acme", true));
  await Promise.all([ask(clones, "rival"), ask(clones, "rival", true)]);
  expect(clones.running).toBe(10);
  await endAll();
  await Promise.all(slow);
});

it("first requests of clones are refused when too many wait, later ones are not", async () => {
  const clones = new Clones({ maxClones: 1, cloneTimeout: 60_000 });
  const waiting = Array.from({ length: 257 }, () => ask(clones, "acme"));
  await expect(ask(clones, "acme")).rejects.toMatchObject({
    code: "busy",
    message: "Too many clones at once; try again soon.",
  });
  waiting.push(ask(clones, "acme", true), ask(clones, "rival"));
  await setImmediate();
  await endAll();
  await Promise.all(waiting);
});

it("a waiting clone whose client disconnects leaves the queue", async () => {
  const clones = new Clones({ maxClones: 1, cloneTimeout: 60_000 });
  await ask(clones, "acme");
  const gone = new AbortController();
  const waiting = ask(clones, "acme", true, gone.signal);
  gone.abort();
  await expect(waiting).rejects.toMatchObject({ code: "busy" });
  expect(answering).toHaveLength(1);
  await endAll();
  expect(clones.running).toBe(0);
});

it("a clone that does not get a place in time gets an error", async () => {
  const clones = new Clones({ maxClones: 1, cloneTimeout: 20 });
  await ask(clones, "acme");
  await expect(ask(clones, "acme")).rejects.toMatchObject({
    code: "busy",
    message: "The turn of this clone did not come in time; try again soon.",
  });
});

it("a clone of a Hive that went out of reach meanwhile is not answered", async () => {
  const clones = new Clones({ maxClones: 1, cloneTimeout: 60_000 });
  await ask(clones, "acme");
  const waiting = ask(clones, "acme", true);
  await revokeToken(storage, toTokenId(hives.acme.token ?? ""));
  const [refused] = await Promise.all([waiting.catch((error: unknown) => error), endAll()]);
  expect(refused).toMatchObject({ code: "unauthenticated" });
});
