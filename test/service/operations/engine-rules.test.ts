/** Rules of locales with a clock of the test's own: an engine translates once a Hive has been quiet. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Disk } from "../../../src/disk/disk.ts";
import type { OutgoingRequest, SendOutgoing } from "../../../src/service/outgoing-request.ts";
import { engineWorker } from "../../../src/service/operations/engine-worker.ts";
import type { HiveWorker } from "../../../src/service/operations/hive-worker.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { answerOf, askedOf, modelOf } from "../../helpers/engines/answering.ts";
import { Clock } from "../../helpers/events/clock.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import {
  harness,
  makeHive,
  makeToken,
  memoryDisk,
  memoryFolder,
  memoryStorage,
  type Call,
} from "../../helpers/storage.ts";

const hive = "/api/hives/web";
let clock: Clock;
let disk: Disk;
let folder: string;
let storage: Storage;
let call: Call;
let sent: OutgoingRequest[];
let answer: SendOutgoing;
let worker: HiveWorker;
let logged: string[];
const { exported, history } = hiveAt(() => call);

const open = (): Storage =>
  memoryStorage({
    disk,
    folder,
    now: clock.now,
    sendToEngine: (request) => {
      sent.push(request);
      return answer(request);
    },
  });

function start(on: Storage): HiveWorker {
  const log = {
    error: (fields: object, message: string) => void logged.push(JSON.stringify([fields, message])),
  };
  const started = engineWorker({ storage: on, log, after: clock.after });
  started.start();
  return started;
}

beforeEach(async () => {
  [sent, logged, answer] = [[], [], modelOf((source) => `[fr] ${source}`)];
  clock = new Clock();
  clock.time = Date.parse("2026-03-04T12:00:00Z");
  disk = memoryDisk();
  folder = memoryFolder();
  storage = open();
  await makeHive(storage, "web");
  ({ call } = harness(storage, await makeToken(storage, { abilities: ["admin"] })));
  await push({ a: "One" });
  await call("POST", "/api/engines", { body: { name: "gpt", type: "openai", model: "m" } });
  worker = start(storage);
});

const push = (texts: object, query = "") =>
  call("POST", `${hive}/strings${query}`, { body: { files: { "a.json": texts } } });
const rule = (auto: object | null) => call("PATCH", `${hive}/locales/fr`, { body: { auto } });
const french = async (query = "") =>
  JSON.parse((await exported(`locale=fr${query}`)).json.files["a.json"] ?? "{}");
const jobs = async () => (await call("GET", `${hive}/translate`)).json.data;
const pass = (ms: number) => clock.advance(ms, worker);

describe("a rule", () => {
  it("is shown, begins with what is there, and goes on after each change of the source", async () => {
    const set = await rule({ engine: "gpt" });
    const auto = { engine: "gpt", want: ["missing", "stale"], branches: false, review: null };
    expect([set.status, set.json.auto]).toEqual([200, auto]);
    expect((await call("GET", `${hive}/locales`)).json.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: "en", auto: null }),
        expect.objectContaining({ code: "fr", auto }),
      ]),
    );
    await pass(4_000);
    expect(await french()).toEqual({ a: "[fr] One" });
    await push({ a: "Other", b: "Two" });
    await pass(4_000);
    expect(await french()).toEqual({ a: "[fr] Other", b: "[fr] Two" });
    const [commit] = (await history()).json.data;
    expect(commit).toMatchObject({ author: { name: "gpt" }, origin: { kind: "model", name: "gpt/small-1" } });
    // Texts of models wait, unless the rule says something else.
    expect((await call("GET", `${hive}/review?locale=fr`)).json.data).toHaveLength(2);
    expect(await jobs()).toMatchObject([
      { by: "gpt", state: "done", saved: 2 },
      { by: "gpt", state: "done", saved: 1 },
    ]);
    await pass(60_000);
    expect([sent.length, logged]).toEqual([2, []]);
  });

  it("lets no texts out that would wait if its maker wrote them", async () => {
    const token = await makeToken(storage, { abilities: ["admin"], review: "always" });
    const set = (review: string | null, by?: string) =>
      call("PATCH", `${hive}/locales/fr`, { body: { auto: { engine: "gpt", review } }, token: by });
    const refused = await set("never", token);
    expect([refused.status, refused.json.errors]).toEqual([
      422,
      { "auto.review": ["auto.review: must be always or null, as what you write waits for a review"] },
    ]);
    for (const review of ["always", null]) expect((await set(review, token)).status).toBe(200);
    // What others have set may stay.
    expect((await set("never")).status).toBe(200);
    expect((await set("never", token)).status).toBe(200);
  });

  it("waits for a quiet second, and for ten at the most", async () => {
    await rule({ engine: "gpt" });
    await pass(4_000);
    await push({ s0: "Text 0" });
    await pass(900);
    await push({ s1: "Text 1" });
    await pass(900);
    expect(sent).toHaveLength(1);
    await pass(200);
    expect(sent.at(-1) && askedOf(sent[1] ?? { body: "" }).items).toHaveLength(2);
    for (let i = 0; i < 14; i++) {
      await push({ [`t${i}`]: `Word ${i}` });
      await pass(800);
    }
    expect(sent.length).toBeGreaterThan(2);
  });

  it("translates the branches where it says so", async () => {
    await call("POST", `${hive}/branches`, { body: { name: "feature" } });
    await push({ f: "New" }, "?branch=feature");
    await rule({ engine: "gpt" });
    await pass(4_000);
    expect(await french("&branch=feature")).toEqual({});
    await rule({ engine: "gpt", branches: true });
    await pass(8_000);
    expect(await french("&branch=feature")).toMatchObject({ f: "[fr] New" });
  });

  it("decides whether its texts wait, unless all texts of the locale do", async () => {
    await rule({ engine: "gpt", review: "never" });
    await pass(4_000);
    expect((await call("GET", `${hive}/review?locale=fr`)).json.data).toEqual([]);
    // One that did not wait follows its source all the same.
    await push({ a: "Other" });
    await pass(4_000);
    expect([
      await french("&state=approved"),
      (await call("GET", `${hive}/review?locale=fr`)).json.data,
    ]).toEqual([{ a: "[fr] Other" }, []]);
    await call("PATCH", `${hive}/locales/fr`, { body: { review: "all" } });
    await push({ b: "Two" });
    await pass(4_000);
    expect((await call("GET", `${hive}/review?locale=fr`)).json.data).toMatchObject([{ key: "b" }]);
  });

  it("ended by a budget goes on the next day", async () => {
    await call("PATCH", "/api/engines/gpt", { body: { max_characters_per_day: 4 } });
    await push({ b: "Two" });
    await rule({ engine: "gpt" });
    await pass(60_000);
    expect(await jobs()).toMatchObject([{ reason: "budget" }]);
    await call("PATCH", "/api/engines/gpt", { body: { max_characters_per_day: 40 } });
    await pass(3_600_000);
    expect(await french()).toEqual({});
    clock.time = Date.parse("2026-03-05T00:00:01Z");
    await pass(4_000);
    expect(await french()).toEqual({ a: "[fr] One", b: "[fr] Two" });
  });

  it("is idle while its engine is no more, or the Hive forbids engines", async () => {
    await call("PATCH", hive, { body: { engines: false } });
    await rule({ engine: "gpt" });
    await pass(10_000);
    await call("DELETE", "/api/engines/gpt");
    await call("PATCH", hive, { body: { engines: true } });
    await pass(10_000);
    expect([sent.length, await jobs()]).toEqual([0, []]);
    // What is not about the rule can be changed all the same.
    const same = { custom_code: "fr_FR", auto: { engine: "gpt" } };
    expect((await call("PATCH", `${hive}/locales/fr`, { body: same })).status).toBe(200);
    await call("POST", "/api/engines", { body: { name: "gpt", type: "openai", model: "m" } });
    await pass(10_000);
    expect(await french()).toEqual({ a: "[fr] One" });
  });

  it("that ends stops its job", async () => {
    answer = async () => answerOf("", 503);
    await rule({ engine: "gpt" });
    await pass(2_000);
    answer = modelOf((source) => `[fr] ${source}`);
    await rule(null);
    await pass(60_000);
    expect(await french()).toEqual({});
    expect(await jobs()).toMatchObject([{ state: "stopped", saved: 0 }]);
  });

  it("starts one job, however many servers there are", async () => {
    const second = open();
    const other = start(second);
    await rule({ engine: "gpt" });
    await clock.advance(20_000, worker, other);
    await push({ b: "Two" });
    await clock.advance(20_000, worker, other);
    expect(await jobs()).toMatchObject([{ saved: 1 }, { saved: 1 }]);
    expect(sent).toHaveLength(2);
    await Promise.all([worker.stop(), other.stop()]);
    // Nor does one that was just started.
    worker = start(open());
    await pass(20_000);
    expect(sent).toHaveLength(2);
  });
});

it("a rule that cannot be is refused by name", async () => {
  await call("POST", "/api/engines", {
    body: { name: "german", type: "openai", model: "m", locales: ["de"] },
  });
  for (const [auto, code] of [
    [{ engine: "nope" }, "unknown_engine"],
    [{ engine: "german" }, "invalid_request"],
    [{ engine: "gpt", want: ["review"] }, "invalid_request"],
    [{ engine: "gpt", review: "sometimes" }, "invalid_request"],
    [{}, "invalid_request"],
  ] as const) {
    const { status, json } = await rule(auto);
    expect([status, json.code]).toEqual([422, code]);
    expect(Object.keys(json.errors)[0]).toMatch(/^auto\./);
  }
  const source = await call("PATCH", `${hive}/locales/en`, { body: { auto: { engine: "gpt" } } });
  expect(source.json.errors).toHaveProperty("auto");
});
