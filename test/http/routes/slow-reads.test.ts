/** Reads that may cost seconds: how many at once, whose, and how long. */
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { App } from "../../../src/http/app.ts";
import type { Storage } from "../../../src/service/storage.ts";
import type { StreamGit } from "../../../src/git/process/git-stream.ts";
import { eventually } from "../../helpers/eventually.ts";
import { holdLimit } from "../../helpers/limits/held-limit.ts";
import { appOn, makeHive, makeToken, memoryStorage } from "../../helpers/storage.ts";

const history = "/api/hives/web/history?key=absent";

let storage: Storage;
let token: string;
let other: string;
/** How many searches of git's are under way in the Hive `web`. */
let searching: number;
let release: () => void;

/** A git that searches the Hive `web` until it is ended or released, and is not there for the others. */
const slowGit: StreamGit = async (gitdir, _args, _lines, signal) => {
  if (!gitdir.endsWith("/web.git")) return undefined;
  searching++;
  try {
    await new Promise<void>((resolve, reject) => {
      release = resolve;
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  } finally {
    searching--;
  }
  return undefined;
};

beforeEach(async () => {
  searching = 0;
  storage = memoryStorage({ git: { stream: slowGit } });
  await makeHive(storage, "web");
  await makeHive(storage, "app", { team: "other" });
  token = await makeToken(storage);
  other = await makeToken(storage, { team: "other" });
});

interface Started {
  readonly get: (path: string, token: string, signal?: AbortSignal) => Promise<Response>;
  readonly stats: App["stats"];
  readonly logged: unknown[];
}

function start(limits: { readonly maxSlowReads?: number; readonly slowReadTimeout?: number }): Started {
  const { app, logged } = appOn(storage, limits);
  const { fetch, stats } = app;
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const get: Started["get"] = async (path, bearer, signal = leaving.signal) => {
    const headers = { authorization: `Bearer ${bearer}`, host: "localhost" };
    return fetch(new Request(`http://localhost${path}`, { headers, signal }));
  };
  return { get, stats, logged };
}

describe("slow reads", () => {
  it.each([history, "/api/hives/web/export?at=2020-01-01", "/api/hives/web/strings?at=2020-01-01"])(
    "of one team leave room for another's: %s",
    async (path) => {
      const { get, stats } = start({ maxSlowReads: 4 });
      const waiting = Array.from({ length: 12 }, () => get(path, token));
      for (const one of waiting) one.catch(() => {});
      await eventually(() => expect(stats().slowReads).toBe(2));
      expect((await get("/api/hives/app/history?key=absent", other)).status).toBe(200);
      expect((await get("/api/hives/web/strings", token)).status).toBe(200);
    },
  );

  it("are refused where too many of a team wait", async () => {
    const { get } = start({ maxSlowReads: 1 });
    for (let i = 0; i < 65; i++) void get(`${history}${i}`, token);
    const refused = await get(`${history}more`, token);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await refused.json()).toEqual({
      message: "Too many slow reads of this team at once; try again soon.",
      code: "busy",
    });
  });

  it("end with their caller, with git, and are not logged as errors", async () => {
    const { get, stats, logged } = start({});
    const caller = new AbortController();
    const answer = get(history, token, caller.signal);
    await eventually(() => expect(searching).toBe(1));
    caller.abort();
    expect((await answer).status).toBe(400);
    await eventually(() => expect([searching, stats().slowReads]).toEqual([0, 0]));
    expect(logged).toEqual([]);
  });

  it("end for one caller and not for another who asks the same", async () => {
    const { get } = start({});
    const caller = new AbortController();
    const first = get(history, token, caller.signal);
    await eventually(() => expect(searching).toBe(1));
    const second = get(history, token);
    caller.abort();
    await first;
    await eventually(() => expect(searching).toBe(1));
    release();
    const answer = await second;
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: [] }]);
  });

  it("end when they have taken too long", async () => {
    const slowReadTimeout = 54_321;
    const limit = holdLimit(slowReadTimeout);
    const { get, stats, logged } = start({ slowReadTimeout });
    const reading = get(history, token);
    await eventually(() => expect(searching).toBe(1));
    await limit.pass();
    const answer = await reading;
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await answer.json()).toEqual({
      message: "This read took too long; try again later.",
      code: "busy",
    });
    expect([searching, stats().slowReads, logged]).toEqual([0, 0, []]);
  });
});
