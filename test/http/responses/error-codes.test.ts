/** The words by which programs tell errors apart: every one is documented, and every one is answered. */
import { describe, expect, it, vi } from "vitest";
import type { Disk } from "../../../src/disk/disk.ts";
import { publicCodes, SkepError, failure } from "../../../src/domain/errors.ts";
import { toTeamName } from "../../../src/domain/names.ts";
import { errorCodes, type transportCodes } from "../../../src/http/schemas/error-codes.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { readPage } from "../../docs/pages.ts";
import { statusesOf } from "../../docs/reference.ts";
import { document } from "../../helpers/http/described.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { makePersonalToken } from "../../helpers/people/people.ts";
import type { HiveApi } from "../../helpers/http/hive-api.ts";
import { harness, makeHive, makeToken, type Call, type Reply, setUpWeb } from "../../helpers/storage.ts";

interface Server extends HiveApi {
  readonly storage: Storage;
  readonly disk: Disk;
  readonly call: Call;
  readonly token: string;
  /** The server's clock, in milliseconds. */
  readonly clock: { now: number };
  /** Changes a Hive as git would. */
  readonly outside: (files: Readonly<Record<string, string | undefined>>) => Promise<unknown>;
}

const hive = "/api/hives/web";
const strings = `${hive}/strings`;
const files = { "a.php": { a: "A" } };

async function start(): Promise<Server> {
  const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const limits = {
    fileStrings: 9,
    maxTokens: 100,
    maxHives: 2,
    maxTrash: 9,
    maxTags: 9,
    maxBranches: 9,
    maxChannels: 9,
    mirrorAllow: [],
  };
  const web = await setUpWeb({
    storage: { now: () => clock.now, limits },
    token: { abilities: ["admin"] },
    app: { bodyValues: 1_000, publicUrl: "https://skep.example.org" },
  });
  const { storage, disk } = web;
  await web.post(files);
  return {
    ...web,
    clock,
    outside: async (changed) => commitOutside({ storage, disk, slug: "web" }, { files: changed }),
  };
}

/** A write that fails. */
function failing({ storage, post }: Server, error: Error): Promise<Reply> {
  vi.spyOn(storage.writer, "commitUnderTeamLock").mockRejectedValueOnce(error);
  return post(files);
}

type Produced = Exclude<
  (typeof errorCodes)[number],
  (typeof transportCodes)[408 | 417 | 431] | "too_many_attempts" | "gone"
>;

/**
 * How each is got. `server.test.ts` gets those of requests that the application never sees, `attempts.test.ts` and
 * `invitation.test.ts` those of sign-ins.
 */
const produce: Record<Produced, (server: Server) => Promise<Reply>> = {
  malformed_request: ({ call }) => call("GET", "/api/hives/%ff/strings"),
  invalid_json: ({ call }) => call("POST", strings, { body: "{" }),
  invalid_token: ({ call }) => call("GET", strings, { token: "skep_x_y" }),
  missing_token: ({ call }) => call("GET", strings, { token: null }),
  expired_token: async ({ call, storage, clock }) => {
    const token = await makeToken(storage, { lifetimeMs: 1_000 });
    clock.now += 1_001;
    return call("GET", strings, { token });
  },
  check_failed: async ({ call, post, fill }) => {
    await call("PATCH", hive, { body: { checks: { level: "refuse" } } });
    await post({ "a.json": { a: "{{name}}" } });
    return fill("fr", { "a.json": { a: "{{nom}}" } });
  },
  not_acceptable: ({ call }) =>
    call("GET", "/api/hives/web/events", { headers: { accept: "application/json" } }),
  forbidden: ({ call }) => call("GET", "/hives/web.git/info/refs"),
  missing_ability: async ({ call, storage }) =>
    call("POST", strings, { token: await makeToken(storage, { abilities: ["read"] }) }),
  no_hive_access: ({ call }) => call("POST", "/api/hives/nope/strings", { body: { files } }),
  limited_token: async ({ call, storage }) =>
    call("POST", "/api/hives", {
      token: await makeToken(storage, { abilities: ["admin"], hives: ["web"] }),
      body: { slug: "new" },
    }),
  own_text: async ({ call, token, fill }) => {
    await call("PATCH", `${hive}/locales/fr`, { body: { review: "all", two_people: true } });
    await fill("fr", { "a.php": { a: "fa" } });
    const body = { locale: "fr", file: "a.php", keys: ["a"] };
    return call("POST", `${hive}/review/approve`, { body, token });
  },
  push_refused: async ({ call }) => {
    await call("PATCH", hive, { body: { push: "none" } });
    return call("POST", "/hives/web.git/git-receive-pack");
  },
  not_found: ({ call }) => call("GET", "/api/nope"),
  unknown_hive: ({ call }) => call("GET", "/api/hives/nope/strings"),
  unknown_commit: ({ call }) => call("GET", `${hive}/history/1234567`),
  unknown_file: ({ call }) => call("DELETE", `${hive}/files?file=nope.php`),
  unknown_comment: ({ call }) => call("DELETE", `${hive}/comments/nope`),
  unknown_token: ({ call }) => call("DELETE", "/api/tokens/nope"),
  unknown_person: ({ call }) => call("DELETE", "/api/people/nobody"),
  person_exists: async ({ call }) => {
    await call("POST", "/api/people", { body: { id: "anna", name: "Anna" } });
    return call("POST", "/api/people", { body: { id: "anna", name: "Another" } });
  },
  authorization_pending: async ({ call }) => {
    const body = { device_code: (await call("POST", "/api/device", { body: {} })).json.device_code };
    return call("POST", "/api/device/token", { body });
  },
  slow_down: async ({ call }) => {
    const body = { device_code: (await call("POST", "/api/device", { body: {} })).json.device_code };
    await call("POST", "/api/device/token", { body });
    return call("POST", "/api/device/token", { body });
  },
  access_denied: async ({ call, storage }) => {
    const body = { device_code: (await call("POST", "/api/device", { body: {} })).json.device_code };
    await storage.deviceCodes.update(([request]) =>
      request === undefined ? [] : [{ ...request, isDenied: true }],
    );
    return call("POST", "/api/device/token", { body });
  },
  expired_code: ({ call }) => call("POST", "/api/device/token", { body: { device_code: "nope" } }),
  unknown_session: async ({ call, storage }) =>
    call("DELETE", "/api/me/sessions/nope", { token: await makePersonalToken(storage) }),
  no_person: ({ call }) => call("GET", "/api/me/tokens"),
  sign_in_needed: async ({ call, storage, clock }) => {
    const token = await makePersonalToken(storage, { identity: { iss: "https://id.test", sub: "1" } });
    clock.now += 31 * 24 * 60 * 60 * 1000;
    return call("GET", "/api/me", { token });
  },
  unknown_deleted_hive: ({ call }) => call("POST", "/api/trash/nope/restore"),
  unknown_picture: ({ call }) => call("DELETE", `${hive}/pictures/nope`),
  unknown_term: ({ call }) => call("DELETE", `${hive}/glossary/nope`),
  unknown_claim: ({ call }) => call("DELETE", `${hive}/work/nope`),
  unknown_channel: ({ call }) => call("GET", `${hive}/channels/nope`),
  method_not_allowed: ({ call }) => call("DELETE", strings),
  conflict: async ({ call }) => {
    await call("POST", `${hive}/tags`, { body: { name: "v1" } });
    return call("POST", `${hive}/tags`, { body: { name: "v1/x" } });
  },
  channel_exists: async ({ call }) => {
    const body = { name: "twice" };
    await call("POST", `${hive}/channels`, { body });
    return call("POST", `${hive}/channels`, { body });
  },
  branch_exists: ({ call }) => call("POST", `${hive}/branches`, { body: { name: "main" } }),
  tag_exists: async ({ call }) => {
    await call("POST", `${hive}/tags`, { body: { name: "v1" } });
    return call("POST", `${hive}/tags`, { body: { name: "v1" } });
  },
  slug_taken: ({ call }) => call("POST", "/api/hives", { body: { slug: "web" } }),
  request_under_way: async ({ call, storage }) => {
    const post = () => call("POST", strings, { headers: { "idempotency-key": "run-1" }, body: { files } });
    let twin: Promise<Reply> | undefined;
    vi.spyOn(storage.writer, "commitUnderTeamLock").mockImplementationOnce(async () => {
      await (twin = post());
      throw new Error("a fault");
    });
    const first = await post();
    return twin ?? first;
  },
  undo_conflict: async ({ post, undo }) => {
    const made = await post({ "a.php": { a: "B" } });
    await post({ "a.php": { a: "C" } });
    return undo(made.headers.get("x-skep-commit"));
  },
  merge_conflict: async ({ call, post }) => {
    await call("POST", `${hive}/branches`, { body: { name: "x" } });
    await post({ "a.php": { a: "B" } }, { query: "branch=x" });
    await post({ "a.php": { a: "C" } });
    return call("POST", `${hive}/branches/x/merge`, { body: {} });
  },
  base_conflict: async ({ post, put }) => {
    await post({ "a.php": { a: "B" } });
    const { headers } = await post({ "a.php": { a: "C" } });
    await post({ "a.php": { a: "D" } });
    const base = headers.get("x-skep-commit");
    return put({ "a.php": { a: "E" } }, { query: `base=${base}` });
  },
  expected_conflict: ({ fill }) => fill("fr", {}, { body: { expected: { "a.php": { a: "B" } } } }),
  precondition_failed: ({ post }) => post(files, { headers: { "if-match": `"${"0".repeat(40)}"` } }),
  body_too_large: ({ call }) => call("POST", strings, { body: " ".repeat(1024 * 1024 + 1) }),
  too_many_values: ({ call }) => call("POST", strings, { body: `[${"0,".repeat(2_000)}0]` }),
  unsupported_media_type: ({ call }) =>
    call("POST", strings, { headers: { "content-type": "text/plain" }, body: "{}" }),
  invalid_request: ({ call }) => call("GET", `${strings}?page=0`),
  unknown_parameter: ({ call }) => call("GET", `${strings}?local=fr`),
  unknown_locale: ({ call }) => call("GET", `${hive}/export?locale=ja`),
  unknown_branch: ({ call }) => call("GET", `${strings}?branch=nope`),
  unknown_revision: ({ call }) => call("GET", `${strings}?at=nope`),
  too_many_deletions: ({ put }) => put({ "a.php": {} }, { query: "max_deletions=0" }),
  idempotency_key_reused: async ({ post }) => {
    const headers = { "idempotency-key": "run-1" };
    await post({ "b.php": { b: "B" } }, { headers });
    return post({ "b.php": { b: "C" } }, { headers });
  },
  unknown_keys: ({ fill }) => fill("fr", { "a.php": { nope: "?" } }, { query: "strict=true" }),
  quota_exceeded: async ({ storage, post }) => {
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 1 });
    return post({ "b.php": { b: "B", c: "C" } });
  },
  too_many_changes: async ({ storage, token, disk }) => {
    const small = openStorage({ folder: storage.folder, disk: disk, audit: { ofActor: 500 } });
    const { call } = harness(small, token);
    await call("POST", "/api/tokens", { body: {} });
    await call("POST", "/api/tokens", { body: {} });
    return call("POST", "/api/tokens", { body: {} });
  },
  limit_reached: async ({ call }) => {
    await call("POST", "/api/hives", { body: { slug: "second" } });
    return call("POST", "/api/hives", { body: { slug: "third" } });
  },
  busy: (server) => failing(server, new SkepError("busy", "Try again.", { retryAfter: 1 })),
  not_ready: ({ storage, token }) => {
    const probe = () => Promise.reject(new Error("EROFS"));
    return harness({ ...storage, probe }, token).call("GET", "/readyz");
  },
  read_only: async ({ storage, post }) => {
    await storage.moved.write({ to: "postgres://localhost/skep", isComplete: false });
    return post({ "b.php": { b: "B" } });
  },
  lagging: ({ call }) => {
    vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(AbortSignal.abort());
    return call("GET", `${strings}?min_commit=${"1".repeat(40)}`);
  },
  content_invalid: async ({ call, outside }) => {
    await outside({ "locales/en/a.php.json": "{" });
    return call("GET", strings);
  },
  disk_full: (server) => failing(server, failure("disk-full", "There is no room left to store this.")),
  storage_missing: (server) => failing(server, failure("storage-missing", "The storage is not there.")),
  record_unavailable: (server) =>
    failing(
      server,
      new SkepError("record-unavailable", "The database does not answer; try again soon.", { retryAfter: 1 }),
    ),
  unknown_engine: ({ call }) => call("GET", "/api/engines/nope"),
  engine_exists: async ({ call }) => {
    const body = { name: "a", type: "openai", model: "m" };
    await call("POST", "/api/engines", { body });
    return call("POST", "/api/engines", { body });
  },
  unknown_job: ({ call }) => call("GET", `${hive}/translate/nope`),
  engines_off: async ({ call }) => {
    await call("PATCH", hive, { body: { engines: false } });
    return call("POST", `${hive}/suggestions`, { body: { locale: "fr", file: "a.php", key: "a" } });
  },
  engine_failed: async ({ call }) => {
    await call("POST", "/api/engines", { body: { name: "b", type: "deepl" } });
    return call("POST", "/api/engines/b/try", { body: { text: "Hello", to: "fr" } });
  },
  not_implemented: ({ call }) => call("GET", "/hives/web.git/info/refs?service=git-upload-pack"),
  internal_error: (server) => failing(server, new Error("a fault")),
};

describe("the code of an error", () => {
  it.each(Object.entries(produce))("is %s", async (code, produceIt) => {
    const { status, json } = await produceIt(await start());
    expect(json.code).toBe(code);
    expect(statusesOf(code)).toContain(status);
    // Clients take a 422 without them for a limit.
    const isOfLimit = code === "quota_exceeded" || code === "limit_reached";
    expect(Object.keys(json.errors ?? {}).length > 0).toBe(status === 422 && !isOfLimit);
  });

  it("is one of those that docs/errors.md lists with their status", () => {
    const rows = Array.from(
      readPage("docs/errors.md").matchAll(/^\| `([a-z_]+)` +\| (\d{3}(?:, \d{3})*) +\|/gm),
      ([, code, status]) => [code, status?.split(", ").map(Number)],
    );
    expect(rows.toSorted()).toEqual(errorCodes.map((code) => [code, statusesOf(code)]).toSorted());
  });

  it("is one of those that the OpenAPI document lists", () => {
    expect(document.components.schemas.Error.properties.code.enum).toEqual(errorCodes);
    const { allOf } = document.components.responses.unauthenticated.content["application/json"].schema;
    expect(allOf[1].properties.code.enum).toEqual([...publicCodes.unauthenticated]);
  });

  it("tells only holders of the whole token that it expired", async () => {
    const { call, storage, clock } = await start();
    const token = await makeToken(storage, { lifetimeMs: 1_000 });
    clock.now += 1_001;
    const wrong = token.slice(0, -1) + (token.endsWith("x") ? "y" : "x");
    const unknown = `skep_nope_${"a".repeat(32)}`;
    const replies = [wrong, unknown].map((bad) => call("GET", strings, { token: bad }));
    for (const { text } of await Promise.all(replies)) {
      expect(JSON.parse(text)).toEqual({ message: "Unauthenticated.", code: "invalid_token" });
    }
    expect((await call("GET", strings, { token })).json.code).toBe("expired_token");
  });

  it("comes with the numbers of a quota, over all the team's Hives", async () => {
    const { call, storage, post } = await start();
    await makeHive(storage, "app");
    await call("POST", "/api/hives/app/strings", { body: { files: { "a.php": { a: "A", b: "B" } } } });
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 4 });
    const { json } = await post({ "b.php": { b: "B", c: "C" } });
    expect(json).toMatchObject({ code: "quota_exceeded", limit: 4, used: 3, requested: 5 });
    expect(json.message).toBe("String limit reached for your plan.");
  });

  it("the code for unknown parameters is not used if there are other faults", async () => {
    const { call } = await start();
    expect((await call("GET", `${strings}?local=fr&page=0`)).json.code).toBe("invalid_request");
  });
});
