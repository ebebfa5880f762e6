/** The mirrors of a team over REST and in the console: what the operator allows, and nothing else. */
import { beforeEach, describe, expect, it } from "vitest";
import { toMirrorUrl } from "../../../../src/domain/hives/mirror-url.ts";
import type { PushOutcome } from "../../../../src/domain/hives/mirror.ts";
import { toHiveSlug } from "../../../../src/domain/names.ts";
import { noLimits } from "../../../../src/domain/plans/quota.ts";
import { addMirror, removeMirror } from "../../../../src/service/admin/mirrors.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import {
  harness,
  makeHive,
  makeToken,
  memoryStorage,
  type Call,
  setUpWeb,
} from "../../../helpers/storage.ts";
import { browse } from "../../console/browse.ts";

const url = "https://git.example.org/acme/web.git";
const web = toHiveSlug("web");
let storage: Storage;
let token: string;
let call: Call;
let pushed: string[];
let outcome: PushOutcome;

beforeEach(async () => {
  [pushed, outcome] = [[], { kind: "pushed" }];
  storage = memoryStorage({
    limits: { ...noLimits, mirrorAllow: ["https://git.example.org/{team}/", "git@example.org:{team}"] },
    git: {
      push: async (push) => {
        pushed.push(push.url);
        return outcome;
      },
    },
  });
  await makeHive(storage, "web");
  await makeHive(storage, "app");
  await makeHive(storage, "theirs", { team: "rival" });
  token = await makeToken(storage, { abilities: ["admin"], name: "Lead" });
  ({ call } = harness(storage, token));
});

const add = (body: object) => call("POST", "/api/mirrors", { body });

describe("mirrors over REST", () => {
  it("are added, listed, changed, pushed to and removed, each with an entry in the audit log", async () => {
    const added = await add({ hive: "web", url: "git@example.org:acme/web.git" });
    expect(added.status).toBe(201);
    expect(added.json).toMatchObject({
      hive: "web",
      url: "example.org:acme/web.git",
      branches: false,
      state: "waiting",
      pushed: null,
    });
    const of = (path = "") => `/api/mirrors/${added.json.id}${path}`;
    expect((await call("GET", "/api/mirrors")).json.data).toEqual([added.json]);

    outcome = { kind: "rejected", error: "main was rejected" };
    expect((await call("POST", of("/push"))).json).toMatchObject({ state: "rejected", attempts: 1 });
    expect((await call("POST", of("/push"))).json).toMatchObject({ error: "main was rejected", attempts: 1 });
    outcome = { kind: "pushed" };
    expect((await call("POST", of("/push"))).json).toMatchObject({ state: "pushed", error: null });
    expect(pushed).toEqual(Array(3).fill("git@example.org:acme/web.git"));

    // The address as it is shown, without the user, is no other.
    const all = await call("PATCH", of(), { body: { url: "example.org:acme/web.git", branches: true } });
    expect(all.json).toMatchObject({ id: added.json.id, branches: true });
    const moved = await call("PATCH", of(), { body: { url } });
    expect(moved.json).toMatchObject({ url, branches: true, state: "waiting", pushed: null });
    expect((await call("DELETE", of())).status).toBe(404);
    expect((await call("DELETE", `/api/mirrors/${moved.json.id}`)).json).toMatchObject({ url });
    expect((await call("GET", "/api/mirrors")).json.data).toEqual([]);

    const { data } = (await call("GET", "/api/audit")).json;
    const entries = data.filter(({ event }: { event: string }) => event.startsWith("mirror_"));
    expect(entries.map(({ event }: { event: string }) => event)).toEqual([
      "mirror_removed",
      "mirror_changed",
      "mirror_changed",
      "mirror_added",
    ]);
    expect(entries[0]).toMatchObject({ before: { hive: "web", url }, after: null });
    expect(entries[3]).toMatchObject({
      by: { token: expect.any(String) },
      after: { hive: "web", url: "example.org:acme/web.git", branches: false },
    });
  });

  it("lead only below what the operator allows to the team, since git has the server's credentials", async () => {
    for (const refused of [
      "https://git.example.org/rival/web.git",
      "https://git.example.org/acme",
      "https://git.example.org/acme/../rival/web.git",
      "https://git.example.org/acme/%2e%2e/rival/web.git",
      "https://git.example.org/acme%2f..%2frival/web.git",
      "https://git.example.org/acme/%252e%252e/rival/web.git",
      "https://git.example.org/acme/..%5crival/web.git",
      "https://git.example.org/acme/..;/rival/web.git",
      "https://git.example.org/acme-rival/web.git",
      "https://git.example.org:8443/acme/web.git",
      "https://git.example.org.evil.example/acme/web.git",
      "https://127.0.0.1/acme/web.git",
      "http://localhost/acme/web.git",
      "git@example.org:acme/../rival/web.git",
      "git@example.org:acmerival/web.git",
      "root@example.org:acme/web.git",
      "ssh://git@example.org/acme/web.git",
      "file:///srv/git/web.git",
      "/srv/git/web.git",
    ]) {
      const { status, json } = await add({ hive: "web", url: refused });
      expect([refused, status, Object.keys(json.errors)]).toEqual([refused, 422, ["url"]]);
    }
    expect((await call("GET", "/api/mirrors")).json.data).toEqual([]);
    const { json } = await add({ hive: "web", url });
    const changed = await call("PATCH", `/api/mirrors/${json.id}`, { body: { url: "/srv/git/web.git" } });
    expect(changed.json.errors.url[0]).toContain(
      "must be below https://git.example.org/acme/ or git@example.org:acme",
    );
    // What a command added may lead elsewhere, and is managed all the same.
    await addMirror(storage, web, toMirrorUrl("/srv/git/web.git"));
    const [, local] = (await call("GET", "/api/mirrors")).json.data;
    expect((await call("PATCH", `/api/mirrors/${local.id}`, { body: { branches: true } })).status).toBe(200);
    expect(await removeMirror(storage, web, "/srv/git/web.git")).toBe(1);
  });

  it("are refused where the operator allows none, twice, and beyond a limit", async () => {
    expect((await add({ hive: "web", url })).status).toBe(201);
    expect((await add({ hive: "web", url })).json.code).toBe("conflict");
    const other = (i: number) => add({ hive: "web", url: `https://git.example.org/acme/${i}.git` });
    for (let i = 1; i < 20; i++) expect((await other(i)).status).toBe(201);
    expect((await other(20)).json.code).toBe("limit_reached");
    const { call: ask } = await setUpWeb({ token: { abilities: ["admin"] } });
    const { status, json } = await ask("POST", "/api/mirrors", { body: { hive: "web", url } });
    expect([status, json.errors.url[0]]).toEqual([422, expect.stringContaining("--mirror-allow")]);
  });

  it("are those of the Hives that the token reaches, for admins alone", async () => {
    await addMirror(storage, toHiveSlug("theirs"), toMirrorUrl(url));
    const { json: ofApp } = await add({ hive: "app", url });
    expect((await add({ hive: "theirs", url })).json.errors).toHaveProperty("hive");
    const limited = await makeToken(storage, { abilities: ["admin"], hives: ["web"] });
    expect((await call("GET", "/api/mirrors", { token: limited })).json.data).toEqual([]);
    const writer = await makeToken(storage, { abilities: ["read", "write"] });
    for (const [by, status] of [
      [limited, 404],
      [writer, 403],
    ] as const) {
      const tried = [
        await call("POST", `/api/mirrors/${ofApp.id}/push`, { token: by }),
        await call("PATCH", `/api/mirrors/${ofApp.id}`, { token: by, body: { branches: true } }),
        await call("DELETE", `/api/mirrors/${ofApp.id}`, { token: by }),
      ];
      expect(tried.map((answer) => answer.status)).toEqual([status, status, status]);
    }
    expect(pushed).toEqual([]);
  });
});

describe("the page of mirrors", () => {
  it("adds, changes, pushes to and removes a mirror, and brings back what was refused", async () => {
    const browser = browse(storage);
    await browser.signIn(token);
    const post = async (path: string, fields: Readonly<Record<string, string>>) =>
      browser.post(path, { form_key: await browser.formKey(), ...fields });
    const refused = await post("/team/mirrors", { hive: "web", url: "https://elsewhere.example/web.git" });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("must be below")]);
    expect(refused.html).toMatch(/<input id="[^"]*-url"[^>]* autofocus[^>]* value="https:\/\/elsewhere/);
    await post("/team/mirrors", { hive: "web", url: "git@example.org:acme/web.git" });
    const [{ id }] = (await call("GET", "/api/mirrors")).json.data;
    expect((await browser.get("/team/mirrors")).text).toContain("has changes to get");

    outcome = { kind: "failed", error: "it is down" };
    const failed = await post(`/team/mirrors/${id}`, { change: "push" });
    expect(failed.text).toContain("The push failed; the list says why.");
    expect(failed.text).toContain("it is down");
    const form = await browser.get(`/team/mirrors?change=${id}`);
    expect(form.html).toContain('value="example.org:acme/web.git"');
    expect(form.html).not.toContain("git@example.org:acme/web.git");
    await post("/team/mirrors", { change: id, url: "example.org:acme/web.git", branches: "true" });
    expect((await browser.get("/team/mirrors")).text).toContain("all branches, tags");
    outcome = { kind: "pushed" };
    expect((await post(`/team/mirrors/${id}`, { change: "push" })).text).toContain("up to date");
    await post(`/team/mirrors/${id}`, { change: "delete" });
    expect((await call("GET", "/api/mirrors")).json.data).toEqual([]);
  });
});
