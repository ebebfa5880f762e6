/** A read that was answered before is answered again only while everything it rests on is the same. */
import { beforeEach, describe, expect, it } from "vitest";
import { toHiveSlug, toTokenId } from "../../../src/domain/names.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { addLocales } from "../../../src/service/admin/locales.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { revokeToken } from "../../helpers/people/tokens.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import {
  harness,
  makeHive,
  makeToken,
  memoryDisk,
  memoryFolder,
  byCommand,
  type Call,
  type Harness,
} from "../../helpers/storage.ts";

let now = Date.UTC(2026, 0, 1);
let disk: Disk;
let folder: string;
let storage: Storage;
let token: string;
let call: Call;
let stats: Harness["stats"];
let isKnown: boolean;
const { post, put, fill } = hiveAt(() => call);
const observers = [
  {
    responded: (_trace: unknown, _status: number, ms: number | undefined) =>
      void (isKnown = ms === undefined),
  },
];

/** The same folder as another process has it open. */
function elsewhere(): Storage {
  return openStorage({ folder, disk, now: () => now });
}

const list = "/api/hives/web/strings";
const exported = "/api/hives/web/export";

beforeEach(async () => {
  disk = memoryDisk();
  folder = memoryFolder();
  storage = elsewhere();
  await makeHive(storage, "web", { locales: ["fr", "de"] });
  token = await makeToken(storage, { lifetimeMs: 60_000 });
  ({ call, stats } = harness(storage, token, { observers }));
  await post({ "app.json": { a: "A" } });
  // Twice: a cached read is used from the second time on.
  for (let i = 0; i < 2; i++) expect((await call("GET", list)).status).toBe(200);
});

async function texts(): Promise<readonly string[]> {
  const { json } = await call("GET", list);
  return json.data.map(({ source_value: text }: { source_value: string }) => text);
}

describe("a cached read", () => {
  it("is answered the same, with the commit it is of", async () => {
    const first = await call("GET", list, { headers: { "x-request-id": "same" } });
    const second = await call("GET", list, { headers: { "x-request-id": "same" } });
    expect(isKnown).toBe(true);
    expect(second.text).toBe(first.text);
    expect(Object.fromEntries(second.headers)).toEqual(Object.fromEntries(first.headers));
    expect(second.headers.get("x-skep-commit")).toMatch(/^[0-9a-f]{40}$/);
  });

  it("is made again after a commit of this server or of another", async () => {
    const commit = (await call("GET", list)).headers.get("x-skep-commit");
    await post({ "app.json": { a: "B" } });
    expect(await texts()).toEqual(["B"]);
    const other = harness(elsewhere(), token);
    await other.post({ "app.json": { a: "C" } });
    expect(await texts()).toEqual(["C"]);
    expect((await call("GET", list)).headers.get("x-skep-commit")).not.toBe(commit);
  });

  it.each([
    ["this server", () => storage],
    ["another", elsewhere],
  ])("is refused at once when its token is revoked by %s", async (_, revoker) => {
    const [, id = ""] = token.split("_");
    await revokeToken(revoker(), toTokenId(id));
    expect((await call("GET", list)).status).toBe(401);
  });

  it("is refused at once when its token has expired", async () => {
    now += 59_999;
    expect((await call("GET", list)).status).toBe(200);
    now += 1;
    expect((await call("GET", list)).status).toBe(401);
  });

  it("is not found when the Hive is gone", async () => {
    await deleteHive(elsewhere(), toHiveSlug("web"));
    expect((await call("GET", list)).status).toBe(404);
  });

  it("is not answered to another token, to none, or to another question", async () => {
    const stranger = await makeToken(storage, { abilities: ["write"] });
    expect((await call("GET", list, { token: stranger })).status).toBe(403);
    expect((await call("GET", list, { token: null })).status).toBe(401);
    expect((await call("GET", list, { token: `${token}x` })).status).toBe(401);
    expect((await call("GET", `${list}?page=2`)).json.data).toEqual([]);
    expect((await put({})).status).toBe(200);
  });

  it("is made again when its response was evicted", async () => {
    const small = harness(storage, token, { cacheBytes: 2_000, observers });
    await small.post({ "app.json": Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`k${i}`, "t"])) });
    for (let i = 0; i < 2; i++) {
      for (let page = 1; page <= 10; page++) {
        const path = `${list}?per_page=1&page=${page}`;
        // Of ten pages two have room: each was evicted before it is read in the second round.
        for (const expected of [false, true]) {
          const { json } = await small.call("GET", path);
          expect(json.data).toHaveLength(1);
          expect(isKnown).toBe(expected);
        }
      }
    }
  });
});

describe("a read of a branch", () => {
  const onBranch = `${list}?branch=feature%2Fx`;
  const read = async () => {
    const { status, json, headers } = await call("GET", onBranch);
    const told = json.data?.map((one: { source_value: string }) => one.source_value);
    return [isKnown, status, told ?? json.code, headers.get("x-skep-commit")];
  };

  it("is known until the branch or main moves, or the branch is deleted", async () => {
    await call("POST", "/api/hives/web/branches", { body: { name: "feature/x" } });
    const made = await post({ "app.json": { a: "X" } }, { query: "branch=feature%2Fx" });
    const commit = made.headers.get("x-skep-commit");
    expect([await read(), await read()]).toEqual([
      [false, 200, ["X"], commit],
      [true, 200, ["X"], commit],
    ]);
    // Main has the settings, so its commits count; the answer stays the same.
    await post({ "app.json": { a: "M" } });
    expect([await read(), await read()]).toEqual([
      [false, 200, ["X"], commit],
      [true, 200, ["X"], commit],
    ]);
    const other = harness(elsewhere(), token);
    const moved = await other.post({ "app.json": { a: "Y" } }, { query: "branch=feature%2Fx" });
    expect(await read()).toEqual([false, 200, ["Y"], moved.headers.get("x-skep-commit")]);
    await other.call("DELETE", "/api/hives/web/branches/feature%2Fx");
    expect(await read()).toEqual([false, 404, "unknown_branch", null]);
  });
});

describe("a read at a tag", () => {
  const tagged = `${list}?at=v1`;
  const textsAt = async (path: string): Promise<unknown> =>
    (await call("GET", path)).json.data?.map(({ source_value: text }: { source_value: string }) => text);

  beforeEach(async () => {
    await call("POST", "/api/hives/web/tags", { body: { name: "v1" } });
    await post({ "app.json": { a: "B" } });
    expect(await textsAt(tagged)).toEqual(["A"]);
  });

  it("is known until the branch moves, and answered the same then", async () => {
    expect(await textsAt(tagged)).toEqual(["A"]);
    expect(isKnown).toBe(true);
    await post({ "app.json": { a: "C" } });
    expect(await textsAt(tagged)).toEqual(["A"]);
    expect(isKnown).toBe(false);
  });

  it("follows the tag, also when git moves, packs or removes it", async () => {
    const gitdir = `${folder}/hives/web.git`;
    const loose = `${gitdir}/refs/tags/v1`;
    const target = String(disk.readFileSync(loose)).trim();
    const head = (await call("GET", list)).headers.get("x-skep-commit") ?? "";
    const files = new DurableFs(disk);
    await files.write(loose, `${head}\n`);
    expect(await textsAt(tagged)).toEqual(["B"]);
    await files.write(`${gitdir}/packed-refs`, `${target} refs/tags/v1\n`);
    await files.removeFile(loose);
    expect(await textsAt(tagged)).toEqual(["A"]);
    expect(await textsAt(tagged)).toEqual(["A"]);
    expect(isKnown).toBe(true);
    await files.write(`${gitdir}/packed-refs`, "# pack-refs\n");
    expect((await call("GET", tagged)).status).toBe(422);
  });
});

describe("an export of all locales", () => {
  it("is made of parts that are cached for themselves, also for locales with equal content", async () => {
    const read = async () => {
      const { misses, hits } = stats().responses;
      const { files } = (await call("GET", exported)).json;
      const now = stats().responses;
      return { files, made: now.misses - misses, cached: now.hits - hits };
    };
    // The response is made, too.
    const { files: before, made } = await read();
    expect(made).toBe(1 + 3);
    expect(Object.keys(before)).toEqual(["en.json", "fr.json", "de.json"]);
    await fill("de", { "app.json": { a: "D" } });
    const files = { ...before, "de.json": '{\n  "a": "D"\n}\n' };
    expect(await read()).toEqual({ files, made: 1 + 1, cached: 2 });
    // The settings are part of each version.
    await addLocales(elsewhere(), toHiveSlug("web"), [toLocale("it")], byCommand);
    expect(await read()).toEqual({ files: { ...files, "it.json": "{}\n" }, made: 1 + 4, cached: 0 });
  });
});
