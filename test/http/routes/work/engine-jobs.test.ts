/** Jobs of engines: nothing of people's is lost or replaced, no broken text gets in, and budgets hold. */
import { beforeEach, describe, expect, it } from "vitest";
import { toHiveSlug, toTeamName } from "../../../../src/domain/names.ts";
import { runJobs } from "../../../../src/service/engines/run-jobs.ts";
import { verify } from "../../../../src/service/operations/verify.ts";
import type { OutgoingRequest, SendOutgoing } from "../../../../src/service/outgoing-request.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { answerOf, askedOf, completionOf, modelOf } from "../../../helpers/engines/answering.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeToken, type Call, setUpWeb } from "../../../helpers/storage.ts";

const hive = "/api/hives/web";
const [team, slug] = [toTeamName("acme"), toHiveSlug("web")];
let storage: Storage;
let call: Call;
let sent: OutgoingRequest[];
let answer: SendOutgoing;
let clock: { now: number };
const { put, fill, post, exported, history } = hiveAt(() => call);

const good = modelOf((source) => `[fr] ${source}`);
const texts = { a: "One", b: "Two {{name}}", c: "Three" };

beforeEach(async () => {
  [sent, answer, clock] = [[], good, { now: Date.parse("2026-03-04T12:00:00Z") }];
  ({ storage, call } = await setUpWeb({
    storage: {
      now: () => clock.now,
      sendToEngine: (request) => {
        sent.push(request);
        return answer(request);
      },
    },
    token: { abilities: ["admin"] },
  }));
  await put({ "a.json": texts });
  await call("POST", "/api/engines", { body: { name: "gpt", type: "openai", model: "m" } });
});

const start = (body: object = {}, token?: string) =>
  call("POST", `${hive}/translate`, { body: { locales: ["fr"], ...body }, token });
const show = async (id: string) => (await call("GET", `${hive}/translate/${id}`)).json;
const run = (signal = new AbortController().signal) => runJobs(storage, team, slug, signal);
const french = async () => JSON.parse((await exported("locale=fr")).json.files["a.json"] ?? "{}");
const whole = { a: "[fr] One", b: "[fr] Two {{name}}", c: "[fr] Three" };

async function finished(body: object = {}) {
  const { json } = await start(body);
  await run();
  return show(json.id);
}

it("a job is started, runs, and is listed", async () => {
  expect((await call("POST", `${hive}/translate?dry_run=true`, { body: { locales: ["fr"] } })).json).toEqual({
    items: 3,
    characters: 20,
  });
  const started = await start();
  expect([started.status, started.json]).toMatchObject([
    202,
    { state: "waiting", reason: null, error: null, ended: null, total: 3, left: 3, engine: "gpt" },
  ]);
  await run();
  const done = await show(started.json.id);
  expect(done).toMatchObject({
    state: "done",
    reason: "complete",
    saved: 3,
    refused: 0,
    left: 0,
    requests: 1,
    tokens: 7,
  });
  expect((await call("GET", `${hive}/translate`)).json.data).toEqual([done]);
  expect(await french()).toEqual(whole);
  const [commit] = (await history()).json.data;
  expect(commit).toMatchObject({
    operation: "work",
    origin: { kind: "model", name: "gpt/small-1" },
    ref: `job ${done.id}`,
  });
  expect((await call("GET", "/api/engines/gpt")).json.used).toMatchObject({ saved: 3, requests: 1 });
  expect((await call("GET", `${hive}/work`)).json.data).toEqual([]);
  for await (const { problem } of verify(storage, { repair: false })) expect(problem).toBeUndefined();
});

it("texts of people stay, also those that they write while the engine thinks", async () => {
  const write = (some: object) => fill("fr", { "a.json": some });
  await write({ a: "Un" });
  answer = async (request) => {
    await write({ b: "Deux {{name}}" });
    return good(request);
  };
  expect(await finished()).toMatchObject({ state: "done", saved: 1, refused: 0 });
  expect(await french()).toEqual({ a: "Un", b: "Deux {{name}}", c: "[fr] Three" });
});

it("all files and locales are gone through, with a commit for each batch", async () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`s${i}`, `Text ${i}`]));
  await put({ "a.json": many });
  expect(await finished({ locales: ["fr", "de"] })).toMatchObject({ total: 120, saved: 120, requests: 6 });
  expect(sent.map((request) => [askedOf(request).locale, askedOf(request).items.length])).toEqual([
    ["fr", 25],
    ["fr", 25],
    ["fr", 10],
    ["de", 25],
    ["de", 25],
    ["de", 10],
  ]);
});

describe("an answer that breaks a text", () => {
  it("is asked for once more with what is wrong, then left to people and not asked for again", async () => {
    answer = modelOf((source) => source.replace("{{name}}", "{{nom}}"));
    expect(await finished()).toMatchObject({ state: "done", saved: 2, refused: 1, requests: 2 });
    expect(sent[1] && askedOf(sent[1]).items).toMatchObject([
      { refused: { findings: [{ check: expect.any(String) }] }, forms: [{ source: texts.b }] },
    ]);
    expect(await french()).toEqual({ a: "One", c: "Three" });
    expect(await finished()).toMatchObject({ state: "done", total: 1, saved: 0, requests: 0 });
    // Another source text, or another engine, is another question.
    await post({ "a.json": { b: "Two of {{name}}" } });
    answer = good;
    expect(await finished()).toMatchObject({ saved: 1 });
  });

  it.each([
    ["no JSON", "I cannot do that"],
    ["other ids", '{"items":[{"id":77,"forms":[{"form":"other","text":"x"}]}]}'],
    ["no forms", '{"items":[{"id":1,"forms":[]},{"id":2},{"id":3,"forms":"x"}]}'],
    ["empty texts", '{"items":[{"id":1,"forms":[{"form":"other","text":""}]}]}'],
    ["other forms", '{"items":[{"id":1,"forms":[{"form":"many","text":"x"}]}]}'],
  ])("%s stores nothing", async (_, content) => {
    answer = async () => answerOf(completionOf(content));
    expect(await finished()).toMatchObject({ state: "done", saved: 0, refused: 3 });
    expect(await french()).toEqual({});
  });

  it("the first answer to a string counts, and an instruction in a text is data", async () => {
    const item = (id: number, text: string) => ({ id, forms: [{ form: "other", text }] });
    const items = [item(1, "Un"), item(1, "Deux"), item(2, "D {{name}}"), item(3, "Trois")];
    answer = async () => answerOf(completionOf(JSON.stringify({ items })));
    expect(await finished()).toMatchObject({ saved: 3 });
    expect(await french()).toMatchObject({ a: "Un" });
  });
});

describe("an engine that fails", () => {
  it("is asked again after a while, and the job goes on", async () => {
    const { json } = await start();
    answer = async () => answerOf("", 503, { "retry-after": "30" });
    await run();
    expect(await show(json.id)).toMatchObject({ state: "running", error: "it answered with 503", saved: 0 });
    expect((await call("GET", `${hive}/work`)).json.data).toEqual([]);
    answer = good;
    await run();
    expect(sent).toHaveLength(1);
    clock.now += 31_000;
    await run();
    expect(await show(json.id)).toMatchObject({ state: "done", saved: 3, error: null });
  });

  it("ten times ends it, and so does a wrong key or a day without characters", async () => {
    const { json } = await start();
    answer = async () => answerOf("", 500);
    for (let i = 0; i < 12; i++) {
      await run();
      clock.now += 40 * 60_000;
    }
    expect(await show(json.id)).toMatchObject({ state: "failed", reason: "engine", requests: 0 });
    clock.now += 24 * 3_600_000;
    answer = async () => answerOf({ error: { message: "bad key" } }, 401);
    expect(await finished()).toMatchObject({
      state: "failed",
      reason: "engine",
      error: "it answered with 401: bad key",
    });
    clock.now += 24 * 3_600_000;
    answer = good;
    await call("PATCH", "/api/engines/gpt", { body: { max_characters_per_day: 5 } });
    expect(await finished()).toMatchObject({ state: "done", reason: "budget", saved: 0 });
  });
});

describe("a job ends", () => {
  it("at its limits", async () => {
    expect(await finished({ max_items: 2 })).toMatchObject({
      state: "done",
      reason: "limit",
      saved: 2,
      left: 1,
    });
  });

  it("before it sends more characters than it may, also where an answer is refused", async () => {
    expect(await finished({ max_characters: 2 })).toMatchObject({ reason: "limit", saved: 0, characters: 0 });
    expect(sent).toEqual([]);
    answer = modelOf((source) => source.replace("{{name}}", "{{nom}}"));
    // One, and a text with an argument that the answer loses; there is no room to ask for it again, nor for the third.
    const ended = { reason: "limit", saved: 1, refused: 1, characters: 15, requests: 1 };
    expect(await finished({ max_characters: 15 })).toMatchObject(ended);
  });

  it("when its engine has refused so many strings that the first would be forgotten", async () => {
    answer = modelOf(() => "");
    const { json } = await start({ max_items: 1_000_000 });
    await storage.engineJobs.changeJob(team, json.id, (job) => ({ ...job, refused: 9_999 }));
    await run();
    expect(await show(json.id)).toMatchObject({
      state: "failed",
      reason: "engine",
      error: "it gave no text that passes for 10000 strings",
      saved: 0,
    });
    // One batch more, and what its engine was asked for is known from then on.
    const asked = sent.length;
    expect(await finished()).toMatchObject({ state: "done", requests: 0 });
    expect(sent).toHaveLength(asked);
  });

  it("when somebody stops it, also while the engine thinks, whatever comes of that", async () => {
    for (const thinks of [async () => answerOf("", 401), good]) {
      const begun = await start();
      answer = async (request) => {
        await call("DELETE", `${hive}/translate/${begun.json.id}`);
        return thinks(request);
      };
      await run();
      expect(await show(begun.json.id)).toMatchObject({ state: "stopped", reason: "stopped" });
    }
  });

  it("when somebody stops it before it began", async () => {
    const { json } = await start();
    expect((await call("DELETE", `${hive}/translate/${json.id}`)).json).toMatchObject({ state: "stopped" });
    await run();
    expect([sent.length, await french()]).toEqual([0, {}]);
  });

  it("when whoever started it may not write any more, or the Hive forbids engines", async () => {
    const token = await makeToken(storage, { abilities: ["read", "write"] });
    const { json } = await start({}, token);
    const { data } = (await call("GET", "/api/tokens")).json;
    const own = data.find(({ abilities }: { abilities: string[] }) => !abilities.includes("admin"));
    await call("DELETE", `/api/tokens/${own.id}`);
    await run();
    expect(await show(json.id)).toMatchObject({ state: "failed", reason: "access" });
    const second = await start();
    await call("PATCH", hive, { body: { engines: false } });
    await run();
    expect(await show(second.json.id)).toMatchObject({ state: "failed", reason: "access" });
    expect([(await start()).json.code, sent.length]).toEqual(["engines_off", 0]);
  });
});

it("a kill in the middle of a batch costs that batch: another server goes on when its claim is over", async () => {
  const { json } = await start();
  const killed = new AbortController();
  // The claims of what is killed stay; here they are given back to nobody.
  const { claims } = storage;
  answer = async () => {
    killed.abort(new Error("killed"));
    storage.claims.change = () => Promise.reject(new Error("killed"));
    throw new Error("killed");
  };
  const change = claims.change.bind(claims);
  await run(killed.signal).catch(() => undefined);
  storage.claims.change = change;
  answer = good;
  expect(await show(json.id)).toMatchObject({ state: "running", saved: 0 });
  // Its characters count: nobody knows whether the engine has got them.
  expect((await call("GET", "/api/engines/gpt")).json.used.characters).toBe(20);
  await run();
  expect([(await show(json.id)).state, sent.length]).toEqual(["running", 1]);
  clock.now += 181_000;
  await run();
  expect(await show(json.id)).toMatchObject({ state: "done", reason: "complete", saved: 3 });
  expect(await french()).toEqual(whole);
});

it("what cannot be started is refused, and names why", async () => {
  expect((await start({ locales: [] })).json.errors).toHaveProperty("locales");
  expect((await start({ locales: ["es"] })).json.code).toBe("unknown_locale");
  expect((await start({ engine: "nope" })).json.code).toBe("unknown_engine");
  await call("POST", "/api/engines", {
    body: { name: "second", type: "openai", model: "m", locales: ["de"] },
  });
  expect((await start({ engine: "second" })).json.errors).toHaveProperty("engine");
  expect((await start({ locales: ["de"] })).json.errors.engine[0]).toContain("gpt, second");
  for (const abilities of [["read"], ["write"]] as const)
    expect((await start({}, await makeToken(storage, { abilities }))).status).toBe(403);
  for (let i = 0; i < 20; i++) expect((await start()).status).toBe(202);
  expect((await start()).json.code).toBe("limit_reached");
});
