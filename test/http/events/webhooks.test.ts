import { beforeEach, expect, it } from "vitest";
import type { DeliveryOutcome } from "../../../src/domain/hives/webhook.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { disableWebhook } from "../../../src/service/admin/webhooks.ts";
import type { Storage } from "../../../src/service/storage.ts";
import type { WebhookRequest } from "../../../src/service/webhook-request.ts";
import { verified } from "../../helpers/events/verify-webhook.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { makeHive, makeToken, type Call, setUpWeb } from "../../helpers/storage.ts";

const url = "https://ci.example.org/hook";
let storage: Storage;
let call: Call;
let sent: WebhookRequest[];
let outcome: DeliveryOutcome;
const { post } = hiveAt(() => call);

beforeEach(async () => {
  [sent, outcome] = [[], { kind: "received" }];
  ({ storage, call } = await setUpWeb({
    storage: {
      sendWebhook: async (request) => {
        sent.push(request);
        return outcome;
      },
    },
    token: { abilities: ["admin"] },
  }));
  await makeHive(storage, "theirs", { team: "other" });
});

it("webhooks are added, listed, tested and removed, and their secrets are shown once", async () => {
  const added = await call("POST", "/api/webhooks", { body: { url, hive: "web" } });
  expect(added.status).toBe(201);
  const { secret, ...shown } = added.json;
  expect(shown).toMatchObject({ url, hive: "web", state: "received", pending: 0, error: null });
  await post({ "a.php": { a: "A" } });
  const { text, json } = await call("GET", "/api/webhooks");
  expect(json.data).toEqual([{ ...shown, state: "waiting", pending: 1 }]);
  expect(text).not.toContain("whsec_");

  const tested = await call("POST", `/api/webhooks/${shown.id}/test`);
  expect(tested.json).toEqual({ received: true, error: null });
  const [{ headers, body } = { headers: {}, body: "" }] = sent;
  expect(JSON.parse(body)).toMatchObject({ type: "ping", data: {} });
  expect(verified(headers, body, secret)).toBe(true);
  outcome = { kind: "failed", error: "it answered with 500" };
  const again = await call("POST", `/api/webhooks/${shown.id}/test`);
  expect(again.json).toEqual({ received: false, error: "it answered with 500" });

  await disableWebhook(storage, toTeamName("acme"), shown.id);
  expect((await call("GET", "/api/webhooks")).json.data).toMatchObject([{ state: "disabled" }]);
  expect((await call("POST", `/api/webhooks/${shown.id}/resend`)).json).toMatchObject({ state: "waiting" });

  const rotated = await call("POST", `/api/webhooks/${shown.id}/secret`);
  expect(rotated.json.secret).not.toBe(secret);
  expect((await call("DELETE", `/api/webhooks/${shown.id}`)).status).toBe(200);
  expect((await call("GET", "/api/webhooks")).json.data).toEqual([]);
  const log = await call("GET", "/api/audit");
  expect(log.text).not.toContain("whsec_");
  const by = { token: expect.any(String) };
  expect(log.json.data.slice(0, 3)).toMatchObject([
    { event: "webhook_removed", by, before: { hive: "web", url } },
    { event: "webhook_secret_changed", by, after: { hive: "web", url } },
    { event: "webhook_added", by, after: { hive: "web", url } },
  ]);
  for (const [method, path] of [
    ["GET", shown.id],
    ["PATCH", shown.id],
    ["DELETE", shown.id],
    ["POST", `${shown.id}/test`],
    ["POST", `${shown.id}/secret`],
    ["POST", `${shown.id}/resend`],
  ] as const) {
    const body = method === "PATCH" ? {} : undefined;
    expect((await call(method, `/api/webhooks/${path}`, { body })).status).toBe(404);
  }
});

it("only admins of a whole team manage its webhooks, and no other team's", async () => {
  const theirs = await makeToken(storage, { team: "other", abilities: ["admin"] });
  const { json } = await call("POST", "/api/webhooks", { body: { url } });
  expect((await call("GET", "/api/webhooks", { token: theirs })).json.data).toEqual([]);
  expect((await call("DELETE", `/api/webhooks/${json.id}`, { token: theirs })).status).toBe(404);
  expect((await call("POST", `/api/webhooks/${json.id}/test`, { token: theirs })).status).toBe(404);
  expect(sent).toEqual([]);
  const limited = await makeToken(storage, { abilities: ["admin"], hives: ["web"] });
  const writer = await makeToken(storage);
  for (const [token, code] of [
    [limited, "limited_token"],
    [writer, "missing_ability"],
  ] as const) {
    expect((await call("GET", "/api/webhooks", { token })).json.code).toBe(code);
    expect((await call("POST", "/api/webhooks", { token, body: { url } })).json.code).toBe(code);
  }
});

it("what cannot be a webhook is refused", async () => {
  const add = async (body: unknown): Promise<string> => {
    const { status, json } = await call("POST", "/api/webhooks", { body });
    return `${status} ${json.code}`;
  };
  expect(await add({ url })).toBe("201 undefined");
  expect(await add({ url })).toBe("409 conflict");
  expect(await add({ url, hive: "theirs" })).toBe("422 invalid_request");
  expect(await add({ url: "file:///etc/passwd" })).toBe("422 invalid_request");
  expect(await add({ url: "https://user:pw@example.org" })).toBe("422 invalid_request");
  expect(await add({})).toBe("422 invalid_request");
  for (let i = 1; i < 50; i++) expect(await add({ url: `${url}/${i}` })).toBe("201 undefined");
  expect(await add({ url: `${url}/more` })).toBe("422 limit_reached");
});

it("a change keeps what was received, and lets new Hives begin now", async () => {
  await makeHive(storage, "app");
  const { json: made } = await call("POST", "/api/webhooks", { body: { url, hive: "web" } });
  const change = (body: object) => call("PATCH", `/api/webhooks/${made.id}`, { body });
  const write = (slug: string) =>
    call("POST", `/api/hives/${slug}/strings`, { body: { files: { "a.php": { a: "A" } } } });
  await write("app");
  await write("web");
  const moved = `${url}/moved`;
  const { secret: _, ...shown } = made;
  expect((await change({ url: moved })).json).toEqual({ ...shown, url: moved, state: "waiting", pending: 1 });
  expect((await change({ hive: null })).json).toMatchObject({ url: moved, hive: null, pending: 1 });
  expect((await change({ hive: "app" })).json).toMatchObject({ hive: "app", state: "received", pending: 0 });
  expect((await call("GET", `/api/webhooks/${made.id}`)).json).toMatchObject({ url: moved, hive: "app" });
  expect(made.comments).toBe(true);
  for (const comments of [false, true]) {
    expect((await change({ comments })).json).toMatchObject({ comments, hive: "app" });
    expect((await change({ url: moved })).json).toMatchObject({ comments });
  }
  const log = await call("GET", "/api/audit");
  expect(log.json.data.slice(2, 5)).toMatchObject([
    { event: "webhook_changed", before: { url: moved }, after: { hive: "app", url: moved } },
    { event: "webhook_changed", before: { hive: "web", url: moved }, after: { url: moved } },
    { event: "webhook_changed", before: { hive: "web", url }, after: { hive: "web", url: moved } },
  ]);
  expect((await change({})).status).toBe(200);
  expect((await call("GET", "/api/audit")).json.meta.total).toBe(log.json.meta.total);
});

it("a Hive that a webhook had before begins anew when it has it again", async () => {
  await makeHive(storage, "app");
  const { json: made } = await call("POST", "/api/webhooks", { body: { url, hive: "web" } });
  const change = (hive: string) => call("PATCH", `/api/webhooks/${made.id}`, { body: { hive } });
  await post({ "a.php": { a: "A" } });
  const web = toHiveSlug("web");
  const commit = storage.hives.at(web).head();
  await storage.webhooks.lockDeliveries(web, (lock) =>
    storage.webhooks.saveState(
      web,
      { id: made.id, received: { commit, at: made.added } },
      { present: [made.id], lock },
    ),
  );
  await change("app");
  await post({ "a.php": { a: "B" } });
  expect((await change("web")).json).toMatchObject({ hive: "web", pending: 0, received: null });
});

it("a new address is tried although the one before wanted nothing more", async () => {
  const { json: made } = await call("POST", "/api/webhooks", { body: { url, hive: "web" } });
  await disableWebhook(storage, toTeamName("acme"), made.id);
  const change = (body: object) => call("PATCH", `/api/webhooks/${made.id}`, { body });
  expect((await change({ url })).json.state).toBe("disabled");
  expect((await change({ url: `${url}/new` })).json.state).toBe("received");
});

it("a change to what cannot be a webhook is refused", async () => {
  const { json: made } = await call("POST", "/api/webhooks", { body: { url, hive: "web" } });
  await call("POST", "/api/webhooks", { body: { url } });
  const refused = async (body: unknown): Promise<string> => {
    const { status, json } = await call("PATCH", `/api/webhooks/${made.id}`, { body });
    return `${status} ${json.code}`;
  };
  expect(await refused({ hive: null })).toBe("409 conflict");
  expect(await refused({ hive: "theirs" })).toBe("422 invalid_request");
  expect(await refused({ url: "ftp://example.org" })).toBe("422 invalid_request");
  expect((await call("GET", `/api/webhooks/${made.id}`)).json).toMatchObject({ url, hive: "web" });
});
