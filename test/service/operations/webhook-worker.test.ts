/** The worker with a network and a clock of the test's own: nothing sleeps, nothing is sent. */
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toWebhookUrl, type DeliveryOutcome } from "../../../src/domain/hives/webhook.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { toWebhookBody } from "../../../src/http/schemas/event-schemas.ts";
import { createHive, deleteHive } from "../../../src/service/admin/hives.ts";
import { restoreHive } from "../../../src/service/admin/trash.ts";
import {
  addWebhook,
  listWebhooks,
  removeWebhook,
  resend,
  rotateSecret,
} from "../../../src/service/admin/webhooks.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import type { HiveWorker } from "../../../src/service/operations/hive-worker.ts";
import { webhookWorker } from "../../../src/service/operations/webhook-worker.ts";
import type { Storage } from "../../../src/service/storage.ts";
import type { WebhookRequest } from "../../../src/service/webhook-request.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { toOid } from "../../../src/git/objects/git-object.ts";
import { looseObjectPath } from "../../../src/git/objects/loose.ts";
import { Clock } from "../../helpers/events/clock.ts";
import { verified } from "../../helpers/events/verify-webhook.ts";
import { faultOf } from "../../helpers/http/described.ts";
import { commitOutside } from "../../helpers/outside.ts";
import {
  byCommand,
  harness,
  makeHive,
  makeToken,
  memoryDisk,
  memoryFolder,
  memoryStorage,
  runBeforeRename,
  type Call,
} from "../../helpers/storage.ts";
import { webhookOwner } from "../../helpers/events/webhook-owner.ts";

const acme = webhookOwner(toTeamName("acme"));
const web = toHiveSlug("web");
const url = toWebhookUrl("https://ci.example.org/hook?key=1");
const received: DeliveryOutcome = { kind: "received" };
const failed: DeliveryOutcome = { kind: "failed", error: "it answered with 500" };

let clock: Clock;
let disk: Disk;
let folder: string;
let storage: Storage;
let call: Call;
let sent: WebhookRequest[];
let answer: (request: WebhookRequest) => DeliveryOutcome | Promise<DeliveryOutcome>;
let logged: Record<string, unknown>[];

const open = (): Storage =>
  memoryStorage({
    disk,
    folder,
    now: clock.now,
    sendWebhook: async (request) => {
      sent.push(request);
      return answer(request);
    },
  });
const startWorker = (on = storage): HiveWorker<string> => {
  const log = { error: (fields: object, message: string) => void logged.push({ ...fields, message }) };
  const worker = webhookWorker({
    storage: on,
    log,
    format: toWebhookBody,
    after: clock.after,
    random: () => 1,
  });
  worker.start();
  return worker;
};
const commit = async (text: string, slug = "web"): Promise<string> => {
  const reply = await call("POST", `/api/hives/${slug}/strings`, {
    body: { files: { "a.php": { a: text } } },
  });
  expect(reply.status).toBe(200);
  return reply.headers.get("x-skep-commit") ?? "";
};
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
const bodies = (): any[] => sent.map(({ body }) => JSON.parse(body));
const commitsSent = (): readonly string[] => bodies().map(({ data }) => data.commit);
const problems = async (repair = false): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const { problem } of verify(storage, { repair })) found.push(problem);
  return found;
};
const statuses = async (): Promise<readonly string[]> =>
  (await listWebhooks(storage, acme.team)).map(({ status, pending }) => `${status} ${pending}`);

beforeEach(async () => {
  clock = new Clock();
  [disk, folder, sent, logged] = [memoryDisk(), memoryFolder(), [], []];
  answer = () => received;
  storage = open();
  await makeHive(storage, "web", { locales: ["fr"] });
  ({ call } = harness(storage, await makeToken(storage)));
});

it("a webhook is told of each commit since it was added, signed, and described in the document", async () => {
  await commit("before");
  const { secrets } = await addWebhook(storage, acme, { url, hive: web });
  const worker = startWorker();
  await clock.advance(5_000, worker);
  expect(sent).toEqual([]);
  const made = [await commit("1")];
  await worker.settled();
  made.push(await commit("2"));
  await clock.advance(5_000, worker);
  expect(commitsSent()).toEqual(made);
  const [first] = sent;
  expect(first?.url).toBe(url);
  expect(first?.headers["webhook-id"]).toBe(`msg_web_${made[0]}`);
  for (const { headers, body } of sent) expect(verified(headers, body, secrets[0]?.secret ?? "")).toBe(true);
  expect(verified(first?.headers ?? {}, first?.body ?? "", "whsec_AAAA")).toBe(false);
  expect(verified(first?.headers ?? {}, `${first?.body} `, secrets[0]?.secret ?? "")).toBe(false);
  const place = ["webhooks", "commit", "post", "requestBody", "content", "application/json", "schema"];
  expect(faultOf(bodies()[0], place)).toBeUndefined();
  expect(bodies()[0]).toMatchObject({ type: "commit", data: { hive: "web", changed_keys: { en: 1 } } });
  expect(await statuses()).toEqual(["received 0"]);
  await worker.stop();
});

it("a webhook may leave out comments, and goes on behind them", async () => {
  const comments = toWebhookUrl("https://all.example.org/hook");
  await addWebhook(storage, acme, { url, comments: false });
  await addWebhook(storage, acme, { url: comments });
  const worker = startWorker();
  const first = await commit("1");
  const body = { file: "a.php", key: "a", text: "Why?", ask: true };
  const said = await call("POST", "/api/hives/web/comments", { body });
  const last = await commit("2");
  await clock.advance(5_000, worker);
  const sentTo = (address: string): readonly string[] =>
    commitsSent().filter((_, i) => sent[i]?.url === address);
  expect(sentTo(url)).toEqual([first, last]);
  expect(sentTo(comments)).toEqual([first, said.headers.get("x-skep-commit"), last]);
  const asked = await call("POST", "/api/hives/web/comments", { body: { ...body, text: "And now?" } });
  expect(asked.status).toBe(201);
  await clock.advance(5_000, worker);
  expect(await statuses()).toEqual(["received 0", "received 0"]);
  expect(sentTo(url)).toEqual([first, last]);
  await worker.stop();
});

it("a receiver that does not answer delays no other webhook of its Hive, at its first commit and at a retry", async () => {
  const slow = toWebhookUrl("https://slow.example.org/hook");
  const { id } = await addWebhook(storage, acme, { url: slow });
  await addWebhook(storage, acme, { url });
  let fail: (outcome: DeliveryOutcome) => void = () => undefined;
  answer = (request) =>
    request.url === slow ? new Promise<DeliveryOutcome>((resolve) => (fail = resolve)) : received;
  const worker = startWorker();
  const sentTo = (address: string): number => sent.filter((request) => request.url === address).length;
  for (const tries of [1, 2]) {
    for (const each of [1, 2, 3]) {
      await commit(`${tries} ${each}`);
      await clock.until(() => sentTo(url) === (tries - 1) * 3 + each);
      await clock.until(() => sentTo(slow) === tries);
    }
    fail(failed);
    await clock.until(() => logged.length === tries);
    if (tries === 1) await resend(storage, acme, id);
  }
  expect([sentTo(slow), sentTo(url)]).toEqual([2, 6]);
  const stopping = worker.stop();
  fail({ kind: "stopped" });
  await stopping;
});

it("a receiver that fails is tried again after 2, 4, 8 … seconds, over restarts, and misses nothing", async () => {
  await addWebhook(storage, acme, { url });
  answer = () => failed;
  let worker = startWorker();
  const made = [await commit("1"), await commit("2")];
  const waits: number[] = [];
  for (let attempts = 1; attempts <= 5; attempts++) {
    while (sent.length < attempts) await clock.advance(500, worker);
    const [{ failure: last } = { failure: undefined }] = await listWebhooks(storage, acme.team);
    waits.push(Date.parse(last?.retry ?? "") - Date.parse(last?.at ?? ""));
    expect(last?.attempts).toBe(attempts);
    expect(await statuses()).toEqual(["failed 1"]);
    await worker.stop();
    storage = open();
    worker = startWorker();
  }
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000]);
  expect(new Set(commitsSent())).toEqual(new Set(made.slice(0, 1)));
  expect(new Set(sent.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(logged[0]).toMatchObject({ hive: "web", host: "https://ci.example.org", attempts: 1 });
  expect(JSON.stringify(logged)).not.toContain("key=1");
  [answer, sent] = [() => received, []];
  await clock.advance(60_000, worker);
  expect(commitsSent()).toEqual(made);
  expect(await statuses()).toEqual(["received 0"]);
  await worker.stop();
});

it("a delivery that was cut off is repeated, before what comes after it", async () => {
  await addWebhook(storage, acme, { url });
  // The process ends before the answer comes.
  answer = ({ signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve({ kind: "stopped" })));
  const first = startWorker();
  await clock.advance(0, { settled: async () => {} });
  const made = [await commit("1")];
  await clock.until(() => sent.length > 0);
  await first.stop();
  made.push(await commit("2"));
  [answer, sent, storage] = [() => received, [], open()];
  const second = startWorker();
  await clock.advance(5_000, second);
  expect(commitsSent()).toEqual(made);
  await second.stop();
});

it("a receiver that is slow or fails holds up neither other webhooks nor other Hives", async () => {
  await makeHive(storage, "app");
  const bad = toWebhookUrl("https://bad.example.org/");
  await addWebhook(storage, acme, { url: bad });
  await addWebhook(storage, acme, { url });
  answer = ({ url: to }) => (to === bad ? failed : received);
  const worker = startWorker();
  await clock.advance(0, worker);
  const made = [await commit("1"), await commit("2"), await commit("3", "app")];
  await clock.advance(1_500, worker);
  const good = sent.filter((request) => request.url === url).map(({ body }) => JSON.parse(body).data.commit);
  expect(good.toSorted()).toEqual(made.toSorted());
  expect(await statuses()).toEqual(["failed 2", "received 0"]);
  await worker.stop();
});

it("a receiver that is slow with each of many commits does not keep later ones from other webhooks", async () => {
  const others = "https://example.net/";
  await addWebhook(storage, acme, { url });
  const worker = startWorker();
  for (let i = 0; i < 8; i++) await commit(`${i}`);
  await addWebhook(storage, acme, { url: toWebhookUrl(others) });
  const made = await commit("last");
  answer = ({ url: to }) => {
    if (to === url) clock.time += 10_000;
    return received;
  };
  const toOthers = (): number => sent.findIndex(({ url: to }) => to === others);
  await clock.until(() => toOthers() >= 0);
  expect(commitsSent()[toOthers()]).toBe(made);
  expect(toOthers()).toBeLessThan(5);
  await clock.until(() => sent.length === 10);
  await worker.stop();
});

it("a receiver that is gone is told nothing more", async () => {
  await addWebhook(storage, acme, { url });
  answer = () => ({ kind: "gone" });
  const worker = startWorker();
  await clock.advance(0, worker);
  await commit("1");
  await clock.advance(10_000, worker);
  await commit("2");
  await clock.advance(600_000, worker);
  expect(sent).toHaveLength(1);
  expect(await statuses()).toEqual(["disabled 1"]);
  await worker.stop();
});

it("two servers send one at a time, and do not repeat each other's deliveries", async () => {
  await addWebhook(storage, acme, { url });
  const other = open();
  const workers = [startWorker(), startWorker(other)];
  const made: string[] = [];
  for (const text of ["1", "2", "3"]) {
    made.push(await commit(text));
    await clock.advance(15_000, ...workers);
  }
  expect(commitsSent()).toEqual(made);
  for (const worker of workers) await worker.stop();
});

describe("Hives that come and go", () => {
  const options = { sourceLocale: toLocale("en"), targetLocales: [], ...acme };

  it("a team's webhook is told of new Hives from their beginning, and of restored ones from then on", async () => {
    await addWebhook(storage, acme, { url });
    const worker = startWorker();
    await clock.advance(0, worker);
    await createHive(storage, { slug: toHiveSlug("new"), ...options }, byCommand);
    await clock.advance(5_000, worker);
    expect(bodies().map(({ data }) => data.operation)).toEqual(["create-hive"]);
    await commit("1", "new");
    await deleteHive(storage, toHiveSlug("new"));
    await clock.advance(5_000, worker);
    sent = [];
    await restoreHive(storage, { text: "new" });
    await clock.advance(5_000, worker);
    expect(sent).toEqual([]);
    const made = await commit("2", "new");
    await clock.advance(5_000, worker);
    expect(commitsSent()).toEqual([made]);
    await worker.stop();
  });

  it("a Hive that is deleted leaves no state of a delivery that ends meanwhile", async () => {
    await addWebhook(storage, acme, { url });
    runBeforeRename(disk, "webhooks/web.state.yaml", () => deleteHive(storage, web));
    const worker = startWorker();
    await clock.advance(0, worker);
    await commit("1");
    await clock.advance(5_000, worker);
    expect(sent).toHaveLength(1);
    expect(await new DurableFs(disk).list(join(folder, "webhooks"))).toEqual(["acme.yaml"]);
    await worker.stop();
  });

  it("skep server verify names the states of a Hive that is gone, and removes them", async () => {
    const fs = new DurableFs(disk);
    await fs.makeFolder(join(folder, "webhooks"));
    for (const slug of ["gone", "web"]) {
      await fs.write(join(folder, `webhooks/${slug}.state.yaml`), "states: []\n");
    }
    expect(await problems()).toEqual(["webhooks/gone.state.yaml belongs to no Hive"]);
    await problems(true);
    expect(await fs.list(join(folder, "webhooks"))).toEqual(["web.state.yaml"]);
  });

  it("a new Hive does not inherit the webhooks of an earlier one of its slug", async () => {
    await addWebhook(storage, acme, { url, hive: web });
    await deleteHive(storage, web);
    await createHive(storage, { slug: web, ...options }, byCommand);
    expect(await listWebhooks(storage, acme.team)).toEqual([]);
  });

  it("a Hive whose history was rewritten is told as it is, and goes on from there", async () => {
    await addWebhook(storage, acme, { url });
    const worker = startWorker();
    await clock.advance(0, worker);
    await commit("1");
    await clock.advance(5_000, worker);
    sent = [];
    const rewritten = await commitOutside(
      { storage, disk, slug: "web" },
      { files: { "hive.yaml": "name: Web\nsource_locale: en\nlocales: []\n" }, parents: [] },
    );
    await clock.advance(5_000, worker);
    expect(bodies()).toMatchObject([
      { type: "reset", data: { hive: "web", branch: "main", commit: rewritten } },
    ]);
    const place = ["webhooks", "reset", "post", "requestBody", "content", "application/json", "schema"];
    expect(faultOf(bodies()[0], place)).toBeUndefined();
    await worker.stop();
  });
});

it.each([
  ["a commit between others", 1],
  ["the first new commit", 0],
])("a webhook goes on behind a commit whose object is missing: %s", async (_, missing) => {
  await addWebhook(storage, acme, { url });
  const made = [await commit("1"), await commit("2"), await commit("3")];
  await new DurableFs(disk).removeFile(
    looseObjectPath(join(folder, "hives/web.git"), toOid(made[missing] ?? "")),
  );
  // What this server has read is in its memory; another one delivers.
  const worker = startWorker(open());
  await clock.advance(5_000, worker);
  expect(bodies().at(-1)).toMatchObject({ type: "reset", data: { hive: "web", commit: made[2] } });
  sent = [];
  const later = await commit("4");
  await clock.advance(120_000, worker);
  expect(commitsSent()).toEqual([later]);
  expect(bodies()[0].type).toBe("commit");
  await worker.stop();
});

it("a removed webhook is told nothing more, and the storage is in order with and without it", async () => {
  const { id } = await addWebhook(storage, acme, { url });
  const worker = startWorker();
  await clock.advance(0, worker);
  await commit("1");
  await clock.advance(5_000, worker);
  expect(await problems()).toEqual([]);
  await removeWebhook(storage, acme, id);
  await commit("2");
  await clock.advance(5_000, worker);
  expect(sent).toHaveLength(1);
  expect(await problems()).toEqual([]);
  await worker.stop();
});

it("for a day both secrets sign, and then the new one alone", async () => {
  const { id, secrets } = await addWebhook(storage, acme, { url });
  const rotated = await rotateSecret(storage, acme, id);
  const [before = "", after = ""] = [secrets[0]?.secret, rotated.secrets[0]?.secret];
  const worker = startWorker();
  const check = async (): Promise<readonly boolean[]> => {
    sent = [];
    await commit(String(clock.time));
    await clock.advance(5_000, worker);
    const [{ headers, body } = { headers: {}, body: "" }] = sent;
    return [before, after].map((secret) => verified(headers, body, secret));
  };
  expect(await check()).toEqual([true, true]);
  clock.time += 24 * 3_600_000;
  expect(await check()).toEqual([false, true]);
  await worker.stop();
});

it("what failed is sent again at once when somebody asks for it, also to a receiver that was gone", async () => {
  const { id } = await addWebhook(storage, acme, { url, hive: web });
  const worker = startWorker();
  for (const outcome of [failed, { kind: "gone" } as const]) {
    answer = () => outcome;
    const lost = await commit(outcome.kind);
    await clock.advance(3_600_000, worker);
    [sent, answer] = [[], () => received];
    await resend(storage, acme, id);
    await clock.advance(2_000, worker);
    expect(commitsSent()).toEqual([lost]);
    expect(await statuses()).toEqual(["received 0"]);
  }
  await expect(resend(storage, acme, "nope")).rejects.toThrow("There is no webhook");
});
