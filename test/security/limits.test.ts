/** What a team may have many of: how many, and that having them costs nobody else. */
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { noLimits } from "../../src/domain/plans/quota.ts";
import { toTeamName, toTokenId } from "../../src/domain/names.ts";
import { formatToken } from "../../src/store/settings/settings-files.ts";
import { setUpPushes } from "../helpers/git/pushes.ts";
import { serveInProcess } from "../helpers/process.ts";
import {
  harness,
  makeHive,
  makeToken,
  memoryDisk,
  memoryFolder,
  memoryStorage,
  type Reply,
} from "../helpers/storage.ts";

const abilities = ["read", "write", "admin"] as const;

async function limited(limits: Partial<typeof noLimits>) {
  const storage = memoryStorage({ limits: { ...noLimits, ...limits } });
  await makeHive(storage, "web");
  return harness(storage, await makeToken(storage, { abilities: [...abilities] }));
}

describe("the limit on the strings of a source file", () => {
  const web = "/api/hives/web";
  const problem = (size: number): string =>
    `files.app.json: would have ${size} strings; a file may have 3 (--file-strings of skep serve): split it`;
  const answer = ({ status, json }: Reply): unknown => [status, json.errors];
  const refusal = (size: number): unknown => [422, { "files.app.json": [problem(size)] }];
  const four = { "app.json": { a: "A", b: "B", c: "C", d: "D" } };
  const setUp = async () => {
    const { call } = await limited({ fileStrings: 3 });
    await call("POST", `${web}/strings`, { body: { files: { "app.json": { a: "A", b: "B" } } } });
    return call;
  };

  it.each(["POST", "PUT"])("holds for %s of strings, and their dry runs", async (method) => {
    const call = await setUp();
    for (const query of ["", "?dry_run=true"])
      expect(answer(await call(method, `${web}/strings${query}`, { body: { files: four } }))).toEqual(
        refusal(4),
      );
    expect((await call("GET", `${web}/strings`)).json.meta.total).toBe(2);
  });

  it("counts what is there already", async () => {
    const call = await setUp();
    expect(
      answer(await call("POST", `${web}/strings`, { body: { files: { "app.json": { e: "E", f: "F" } } } })),
    ).toEqual(refusal(4));
  });

  it("holds for moves into a file", async () => {
    const call = await setUp();
    await call("POST", `${web}/strings`, { body: { files: { "b.json": { c: "C", d: "D" } } } });
    const moves = ["c", "d"].map((key) => ({ from: { file: "b.json", key }, to: { file: "app.json", key } }));
    expect(answer(await call("POST", `${web}/keys/move`, { body: { moves } }))).toEqual(refusal(4));
  });

  it("holds for a merge of branches, each of which keeps it", async () => {
    const call = await setUp();
    await call("POST", `${web}/branches`, { body: { name: "x" } });
    const add = (key: string, at: string) =>
      call("POST", `${web}/strings${at}`, { body: { files: { "app.json": { [key]: key } } } });
    await add("c", "");
    await add("d", "?branch=x");
    expect(answer(await call("POST", `${web}/branches/x/merge`, { body: {} }))).toEqual(refusal(4));
  });

  it("lets a file that has more already change, but not grow", async () => {
    const [disk, folder] = [memoryDisk(), memoryFolder()];
    const before = memoryStorage({ disk, folder });
    await makeHive(before, "web");
    const token = await makeToken(before, { abilities: [...abilities] });
    await harness(before, token).call("POST", `${web}/strings`, { body: { files: four } });
    const storage = memoryStorage({ disk, folder, limits: { ...noLimits, fileStrings: 3 } });
    const { put } = harness(storage, token);
    const sent = (texts: object) => put({ "app.json": texts });
    expect((await sent({ ...four["app.json"], a: "A2" })).status).toBe(200);
    expect(answer(await sent({ ...four["app.json"], e: "E" }))).toEqual(refusal(5));
    expect((await sent({ a: "A" })).status).toBe(200);
  });

  it("holds for git push", async () => {
    const setUpPush = await setUpPushes({ serve: (folder) => serveInProcess(folder, { fileStrings: 3 }) });
    const clone = await setUpPush.clone();
    await clone.commit({
      "locales/en/app.json.json": { title: "Hello", nav: { home: "Home", back: "Back", up: "Up" } },
    });
    const pushed = await clone.push();
    expect([pushed.code, pushed.stderr]).toEqual([1, expect.stringContaining(problem(4))]);
  });
});

describe("a limit", () => {
  it("the number of a team's tokens is limited, until one is revoked", async () => {
    const { call } = await limited({ maxTokens: 2 });
    const made = await call("POST", "/api/tokens", { body: {} });
    expect(made.status).toBe(201);
    const refused = await call("POST", "/api/tokens", { body: {} });
    expect([refused.status, refused.json]).toEqual([
      422,
      { message: "This team has 2 tokens, and may have no more than 2.", code: "limit_reached" },
    ]);
    await call("DELETE", `/api/tokens/${made.json.id}`);
    expect((await call("POST", "/api/tokens", { body: {} })).status).toBe(201);
  });

  it("the number of a team's Hives is limited, whether created or restored", async () => {
    const { call } = await limited({ maxHives: 2 });
    expect((await call("POST", "/api/hives", { body: { slug: "app" } })).status).toBe(201);
    const message = "This team has 2 Hives, and may have no more than 2.";
    const refused = await call("POST", "/api/hives", { body: { slug: "shop" } });
    expect([refused.status, refused.json]).toEqual([422, { message, code: "limit_reached" }]);
    await call("DELETE", "/api/hives/app");
    expect((await call("POST", "/api/hives", { body: { slug: "shop" } })).status).toBe(201);
    const [deleted] = (await call("GET", "/api/trash")).json.data;
    const restored = await call("POST", `/api/trash/${deleted.id}/restore`);
    expect([restored.status, restored.json]).toEqual([422, { message, code: "limit_reached" }]);
  });

  it("the number of a team's deleted Hives is limited", async () => {
    const { call } = await limited({ maxTrash: 1 });
    await call("POST", "/api/hives", { body: { slug: "app" } });
    expect((await call("DELETE", "/api/hives/app")).status).toBe(200);
    const refused = await call("DELETE", "/api/hives/web");
    expect([refused.status, refused.json]).toEqual([
      422,
      { message: "This team has 1 deleted Hive, and may have no more than 1.", code: "limit_reached" },
    ]);
    expect((await call("GET", "/api/hives/web")).status).toBe(200);
  });

  it("the number of a Hive's tags is limited", async () => {
    const { call } = await limited({ maxTags: 1 });
    expect((await call("POST", "/api/hives/web/tags", { body: { name: "v1" } })).status).toBe(201);
    const refused = await call("POST", "/api/hives/web/tags", { body: { name: "v2" } });
    expect([refused.status, refused.json]).toEqual([
      422,
      { message: "This Hive has 1 tag, and may have no more than 1.", code: "limit_reached" },
    ]);
    expect((await call("POST", "/api/hives/web/tags", { body: { name: "v1" } })).status).toBe(409);
  });
});

it("thousands of tokens take few descriptors, and are not read again for another team", async () => {
  const [disk, folder] = [memoryDisk(), memoryFolder()];
  const storage = memoryStorage({ disk, folder });
  await makeHive(storage, "web");
  await makeHive(storage, "app", { team: "other" });
  const token = await makeToken(storage, { team: "other", abilities: [...abilities] });
  const [made] = await storage.registry.tokens();
  if (made === undefined) throw new Error("there is no token");
  const folderOfTokens = join(folder, "tokens");
  for (let i = 0; i < 300; i++) {
    const many = { ...made, id: toTokenId(`t${String(i).padStart(11, "0")}`), team: toTeamName("acme") };
    const file = await disk.promises.open(join(folderOfTokens, `${many.id}.yaml`), "wx");
    await file.writeFile(Buffer.from(formatToken(many)));
    await file.close();
  }
  const readFile = disk.promises.readFile.bind(disk.promises);
  let reading = 0;
  let most = 0;
  let tokensRead = 0;
  vi.spyOn(disk.promises, "readFile").mockImplementation(async (path) => {
    if (dirname(path) === folderOfTokens) tokensRead++;
    most = Math.max(most, ++reading);
    return readFile(path).finally(() => reading--);
  });
  const { call } = harness(storage, token);
  const list = async (): Promise<unknown[]> => (await call("GET", "/api/tokens")).json.data;
  expect(await list()).toHaveLength(1);
  expect(most).toBeLessThanOrEqual(64);
  // A change of settings, after which everything is looked at anew.
  expect((await call("POST", "/api/tokens", { body: {} })).status).toBe(201);
  tokensRead = 0;
  expect(await list()).toHaveLength(2);
  expect((await call("DELETE", "/api/hives/app")).status).toBe(200);
  expect(tokensRead).toBeLessThan(20);
});
