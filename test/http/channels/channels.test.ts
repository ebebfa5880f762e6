/** Channels over HTTP: set, moved, listed and removed, and what they publish. */
import { noLimits } from "../../../src/domain/plans/quota.ts";
import { beforeEach, describe, expect, it } from "vitest";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { restoreHive } from "../../../src/service/admin/trash.ts";
import { changeLocale } from "../../../src/service/admin/locales.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { backup } from "../../../src/service/operations/backup.ts";
import { restore } from "../../../src/service/operations/record-transfer.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import {
  byCommand,
  harness,
  makeHive,
  makeToken,
  memoryFolder,
  type Call,
  type Reply,
  prepareWeb,
} from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const hive = "/api/hives/web";
const channels = `${hive}/channels`;
let disk: Disk;
let storage: Storage;
let call: Call;
const { translate, put, exported } = hiveAt(() => call);

const options: Parameters<typeof prepareWeb>[0] = {
  locales: ["fr", "pt-BR=pt_BR"],
  storage: { limits: { ...noLimits, maxChannels: 3 } },
  token: { abilities: ["admin"] },
};
const prepared = prepareWeb(options, async (made) => {
  ({ call } = made);
  await put({ "auth.php": { login: { failed: "Failed." } }, "menu.php": { home: "Home" } });
  await translate("fr", { "auth.php": { "login.failed": "Échec." } });
});
beforeEach(async () => {
  ({ disk, storage, call } = await prepared());
});

const set = (name: string, body: object = {}) =>
  call("PUT", `${channels}/${name}`, { body: { public: true, ...body } });
/** Asks as anybody can. */
const ask = (path: string, headers = {}): Promise<Reply> => call("GET", path, { token: null, headers });
const failedIn = async (path: string): Promise<unknown> => (await ask(path)).json.auth.login.failed;
const manifestOf = async (path: string): Promise<Record<string, string>> =>
  (await ask(`${path}manifest.json`)).json.files;

describe("the settings of channels", () => {
  it("follow main unless they are told otherwise, and are listed in the order in which they were made", async () => {
    const made = await set("production");
    expect([made.status, made.json]).toEqual([
      200,
      {
        name: "production",
        branch: "main",
        at: null,
        commit: storage.hives.at(web).head(),
        locales: null,
        shape: "nested",
        state: null,
        failing: null,
        tag: null,
        missing: null,
        min_complete: null,
        pseudo: false,
        public: true,
        updated: expect.any(String),
        path: expect.stringMatching(/^\/p\/[0-9a-f]{24}\/production\/$/),
      },
    ]);
    const other = await set("a", { locales: ["pt-BR", "en"], shape: "flat", public: false });
    expect(other.json).toMatchObject({ locales: ["pt_BR", "en"], shape: "flat", public: false });
    const list = await call("GET", channels);
    expect(list.json).toEqual({ data: [made.json, other.json] });
    expect((await call("GET", `${channels}/a`)).json).toEqual(other.json);
    const again = await set("production");
    expect(again.json.path).toBe(made.json.path);
    expect((await call("GET", channels)).json.data).toHaveLength(2);
  });

  it.each<[string, object, string, number]>([
    ["Production", {}, "name", 422],
    ["-a", {}, "name", 422],
    ["c", {}, "name", 422],
    ["a", { public: "yes" }, "public", 422],
    ["a", { branch: "nope" }, "branch", 422],
    ["a", { branch: "..", public: true }, "branch", 422],
    ["a", { at: "v9" }, "at", 422],
    ["a", { at: "v9", branch: "main" }, "at", 422],
    ["a", { locales: ["xx"] }, "locale", 422],
    ["a", { locales: "fr" }, "locales", 422],
    ["a", { shape: "deep" }, "shape", 422],
  ])("refuse what is wrong, naming it, and change nothing: %s %j", async (name, body, field, status) => {
    const reply = await set(name, body);
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([status, [field]]);
    expect((await call("GET", channels)).json).toEqual({ data: [] });
  });

  it("have as many channels as the limit says, and commands more", async () => {
    for (const name of ["a", "b", "d"]) expect((await set(name)).status).toBe(200);
    expect((await set("e")).json.code).toBe("limit_reached");
    expect((await set("a", { public: false })).status).toBe(200);
    await call("DELETE", `${channels}/a`);
    expect((await set("e")).status).toBe(200);
  });

  it("need the ability to manage the Hive", async () => {
    const token = await makeToken(storage, { abilities: ["read", "write"] });
    expect((await call("PUT", `${channels}/a`, { token, body: { public: true } })).status).toBe(403);
    await set("a");
    expect((await call("DELETE", `${channels}/a`, { token })).status).toBe(403);
    expect((await call("GET", channels, { token })).json.data).toHaveLength(1);
    expect((await call("DELETE", `${channels}/a`)).json).toEqual({ name: "a" });
    expect((await call("DELETE", `${channels}/a`)).json.code).toBe("unknown_channel");
  });
});

describe("the files of a channel", () => {
  it("are those of each locale, whole or one by one, nested or flat", async () => {
    const { path } = (await set("production")).json;
    expect((await ask(`${path}fr.json`)).json).toEqual({ auth: { login: { failed: "Échec." } } });
    expect((await ask(`${path}en.json`)).json).toEqual({
      auth: { login: { failed: "Failed." } },
      menu: { home: "Home" },
    });
    expect((await ask(`${path}fr/auth.json`)).json).toEqual({ login: { failed: "Échec." } });
    expect((await ask(`${path}fr/menu.json`)).json).toEqual({});
    // i18next asks for a locale by its BCP 47 code.
    expect((await ask(`${path}pt-BR.json`)).text).toBe((await ask(`${path}pt_BR.json`)).text);
    await set("production", { shape: "flat" });
    expect((await ask(`${path}fr.json`)).json).toEqual({ "auth.login.failed": "Échec." });
    expect((await ask(`${path}fr/auth.json`)).json).toEqual({ "login.failed": "Échec." });
  });

  it("are as an export at the same commit has them", async () => {
    const { path } = (await set("production")).json;
    const { files } = (await exported("shape=nested")).json;
    for (const [name, text] of Object.entries(files)) expect((await ask(path + name)).text).toBe(text);
    const one = (await exported("locale=fr&shape=nested")).json.files;
    for (const [name, text] of Object.entries(one)) expect((await ask(`${path}fr/${name}`)).text).toBe(text);
  });

  it("can be kept by shared caches for a moment, and by those that cannot reach the server for a day", async () => {
    const { path } = (await set("production")).json;
    const first = await ask(`${path}fr.json`, { origin: "https://app.example.org" });
    expect(Object.fromEntries(first.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=1, s-maxage=2, stale-while-revalidate=1, stale-if-error=86400",
      "content-type": "application/json",
      vary: "Accept-Encoding",
      "x-skep-commit": storage.hives.at(web).head(),
      etag: expect.stringMatching(/^W\//),
    });
    const again = await ask(`${path}fr.json`, { "if-none-match": first.headers.get("etag") ?? "" });
    expect([again.status, again.text, again.headers.get("cache-control")]).toEqual([
      304,
      "",
      first.headers.get("cache-control"),
    ]);
    const head = await call("HEAD", `${path}fr.json`, { token: null });
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", first.headers.get("etag")]);
    expect((await call("POST", `${path}fr.json`, { token: null })).status).toBe(405);
    const preflight = await call("OPTIONS", `${path}fr.json`, {
      token: null,
      headers: { origin: "https://app.example.org", "access-control-request-method": "GET" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    ({ call } = harness(storage, undefined, {
      channelMaxAge: 60_000,
      corsOrigin: new Set(["https://a.example"]),
    }));
    const longer = await ask(`${path}fr.json`);
    expect(longer.headers.get("cache-control")).toContain(
      "max-age=30, s-maxage=60, stale-while-revalidate=30,",
    );
    // One value for all, as caches give one answer to all.
    expect(longer.headers.get("access-control-allow-origin")).toBe("*");
    expect(longer.headers.get("vary")).toBe("Accept-Encoding");
  });

  it("are those of the branch that it follows, at the next request after each commit", async () => {
    await call("POST", `${hive}/branches`, { body: { name: "next" } });
    const next = (await set("preview", { branch: "next" })).json.path;
    const main = (await set("production")).json.path;
    expect(await failedIn(`${next}fr.json`)).toBe("Échec.");
    await translate("fr", { "auth.php": { "login.failed": "Raté." } }, { query: "branch=next" });
    expect([await failedIn(`${next}fr.json`), await failedIn(`${main}fr.json`)]).toEqual(["Raté.", "Échec."]);
    await translate("fr", { "auth.php": { "login.failed": "Non." } });
    expect([await failedIn(`${next}fr.json`), await failedIn(`${main}fr.json`)]).toEqual(["Raté.", "Non."]);
    await call("DELETE", `${hive}/branches/next`);
    expect((await ask(`${next}fr.json`)).status).toBe(404);
    expect((await call("GET", `${channels}/preview`)).json.commit).toBeNull();
  });

  it("stand at a release until the channel is moved, forwards and back", async () => {
    await call("POST", `${hive}/tags`, { body: { name: "v1" } });
    await translate("fr", { "auth.php": { "login.failed": "Raté." } });
    await call("POST", `${hive}/tags`, { body: { name: "v2" } });
    const { path, at } = (await set("production", { at: "v1" })).json;
    expect(at).toBe("v1");
    expect(await failedIn(`${path}fr.json`)).toBe("Échec.");
    await translate("fr", { "auth.php": { "login.failed": "Non." } });
    expect(await failedIn(`${path}fr.json`)).toBe("Échec.");
    await set("production", { at: "v2" });
    expect(await failedIn(`${path}fr.json`)).toBe("Raté.");
    await set("production", { at: "v1" });
    expect(await failedIn(`${path}fr.json`)).toBe("Échec.");
    const pinned = await set("production", { at: "main" });
    expect(pinned.json.at).toBe(storage.hives.at(web).head());
    expect(await failedIn(`${path}fr.json`)).toBe("Non.");
  });

  it("are only those of the channel's locales", async () => {
    const { path } = (await set("production", { locales: ["fr"] })).json;
    expect(Object.keys(await manifestOf(path))).toEqual(["fr.json"]);
    const [address = ""] = Object.values(await manifestOf(path));
    for (const name of ["en.json", "en/auth.json", "pt_BR.json"]) {
      expect((await ask(path + name)).status).toBe(404);
    }
    await set("production", { locales: ["en"] });
    expect((await ask(address)).status).toBe(404);
  });
});

describe("content addresses", () => {
  it("never change, and are the same until what they name changes", async () => {
    const { path } = (await set("production")).json;
    const before = await manifestOf(path);
    expect((await ask(`${path}manifest.json`)).json.namespaces).toEqual(["auth", "menu"]);
    const first = await ask(before["fr.json"] ?? "");
    expect(first.text).toBe((await ask(`${path}fr.json`)).text);
    expect(first.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    await translate("fr", { "auth.php": { "login.failed": "Raté." } });
    const after = await manifestOf(path);
    expect(after["fr.json"]).not.toBe(before["fr.json"]);
    expect([after["en.json"], after["pt_BR.json"]]).toEqual([before["en.json"], before["pt_BR.json"]]);
    expect(await failedIn(before["fr.json"] ?? "")).toBe("Échec.");
    expect(await failedIn(after["fr.json"] ?? "")).toBe("Raté.");
    const folder = (after["fr.json"] ?? "").slice(0, -".json".length);
    expect((await ask(`${folder}/auth.json`)).json).toEqual({ login: { failed: "Raté." } });
    expect((await ask(`${folder}/nope.json`)).status).toBe(404);
    // Another server that has never seen the channel.
    ({ call } = harness(storage.open(storage.folder), undefined));
    expect(await failedIn(before["fr.json"] ?? "")).toBe("Échec.");
    const etag = (await ask(before["en.json"] ?? "")).headers.get("etag") ?? "";
    expect((await ask(before["en.json"] ?? "", { "if-none-match": etag })).status).toBe(304);
  });

  it("outlive a rollback, a change of shape and a new code of the locale", async () => {
    const { path } = (await set("production")).json;
    const before = await manifestOf(path);
    await set("production", { shape: "flat" });
    await changeLocale(storage, web, "fr", { customCode: toLocale("fr=fr_FR").customCode }, byCommand);
    const after = await manifestOf(path);
    expect(Object.keys(after)).toEqual(["en.json", "fr_FR.json", "pt_BR.json"]);
    expect(await failedIn(before["fr.json"] ?? "")).toBe("Échec.");
    expect((await ask(after["fr_FR.json"] ?? "")).json).toEqual({ "auth.login.failed": "Échec." });
  });
});

describe("a channel that keeps failing translations back", () => {
  it("publishes the source text, or nothing, and changes with what is accepted", async () => {
    const failing = async (body: object) => {
      const { path } = (await set("production", body)).json;
      const { login } = (await ask(`${path}fr.json`)).json.auth ?? {};
      const kept = (await manifestOf(path))["fr.json"] ?? "";
      expect((await ask(kept)).json).toEqual((await ask(`${path}fr.json`)).json);
      return { text: login?.failed, kept };
    };
    await translate("fr", { "auth.php": { "login.failed": "Échec :raison." } });
    await call("PATCH", hive, { body: { checks: { syntax: [{ files: "*", syntax: "laravel" }] } } });
    const stored = await failing({});
    expect(stored.text).toBe("Échec :raison.");
    expect(stored.kept).toHaveLength(`/p/${"0".repeat(24)}/c/${"0".repeat(103)}/fr.json`.length);
    const source = await failing({ failing: "source" });
    expect(source.text).toBe("Failed.");
    expect((await failing({ failing: "omit" })).text).toBeUndefined();
    expect((await call("GET", `${channels}/production`)).json.failing).toBe("omit");
    const finding = { locale: "fr", file: "auth.php", key: "login.failed", check: "argument-extra" };
    const accepted = await call("POST", `${hive}/checks/accept`, { body: finding });
    expect(accepted.json).toMatchObject({ accepted: 1 });
    expect((await failing({ failing: "source" })).text).toBe("Échec :raison.");
    expect(await failedIn(source.kept)).toBe("Failed.");
    expect((await set("production", { failing: "hide" })).status).toBe(422);
  });
});

describe("a channel of strings with some tags", () => {
  it("publishes these alone, at addresses that stay when the notes change", async () => {
    const say = (tags: readonly string[] | null) =>
      call("PATCH", `${hive}/notes`, { body: { files: { "auth.php": { "login.failed": { tags } } } } });
    await say(["login", "café"]);
    for (const rules of [{}, { failing: "omit", state: "approved" }]) {
      const { path } = (await set("production", { tag: "café,x", ...rules })).json;
      const kept = (await manifestOf(path))["fr.json"] ?? "";
      for (const at of [`${path}fr.json`, kept])
        expect((await ask(at)).json).toEqual({ auth: { login: { failed: "Échec." } } });
      expect((await ask(`${path}en/menu.json`)).json).toEqual({});
      await say(null);
      expect((await ask(`${path}fr.json`)).json).toEqual({});
      expect(await failedIn(kept)).toBe("Échec.");
      expect((await manifestOf(path))["fr.json"]).not.toBe(kept);
      await say(["login", "café"]);
      expect((await manifestOf(path))["fr.json"]).toBe(kept);
    }
    expect((await call("GET", `${channels}/production`)).json.tag).toBe("café,x");
    expect((await set("production", { tag: "," })).status).toBe(422);
    expect((await set("production", { tag: "x".repeat(501) })).status).toBe(422);
  });
});

describe("a channel of approved texts", () => {
  it("publishes the text that was approved last, at addresses that stay", async () => {
    const published = async (body: object) => {
      const { path } = (await set("production", body)).json;
      const kept = (await manifestOf(path))["fr.json"] ?? "";
      expect(await failedIn(kept)).toBe(await failedIn(`${path}fr.json`));
      return { text: await failedIn(kept), kept };
    };
    const before = await published({ state: "approved" });
    await translate(
      "fr",
      { "auth.php": { "login.failed": "Modèle" } },
      { headers: { "x-commit-origin": "model" } },
    );
    expect((await published({})).text).toBe("Modèle");
    const waiting = await published({ state: "approved" });
    expect(waiting.text).toBe("Échec.");
    expect(waiting.kept).not.toBe(before.kept);
    for (const failing of ["source", "omit"]) {
      const both = await published({ state: "approved", failing });
      expect(both.text).toBe("Échec.");
      expect(both.kept).toHaveLength(`/p/${"0".repeat(24)}/c/${"0".repeat(156)}/fr.json`.length);
    }
    const body = { locale: "fr", file: "auth.php", keys: ["login.failed"] };
    expect((await call("POST", `${hive}/review/approve`, { body })).json.approved).toBe(1);
    expect((await published({ state: "approved" })).text).toBe("Modèle");
    expect(await failedIn(waiting.kept)).toBe("Échec.");
    expect((await call("GET", `${channels}/production`)).json.state).toBe("approved");
    expect((await set("production", { state: "waiting" })).status).toBe(422);
  });
});

describe("channels are kept", () => {
  it("in the trash, and come back with their Hive", async () => {
    const { path } = (await set("production")).json;
    const [address = ""] = Object.values(await manifestOf(path));
    await deleteHive(storage, web);
    expect([(await ask(`${path}fr.json`)).status, (await ask(address)).status]).toEqual([404, 404]);
    await restoreHive(storage, { text: "web" });
    expect([(await ask(`${path}fr.json`)).status, (await ask(address)).status]).toEqual([200, 200]);
    await deleteHive(storage, web);
    await makeHive(storage, "web");
    expect([(await ask(`${path}fr.json`)).status, (await call("GET", channels)).json.data]).toEqual([
      404,
      [],
    ]);
  });

  it("by backups, with their addresses", async () => {
    const { path } = (await set("production")).json;
    const [address = ""] = Object.values(await manifestOf(path));
    const copy = memoryFolder("copy");
    await backup(storage, copy);
    const restored = storage.open(memoryFolder("restored"));
    expect((await restore(restored, copy, { force: false })).problems).toEqual([]);
    ({ call } = harness(restored, undefined));
    expect(await failedIn(`${path}fr.json`)).toBe("Échec.");
    expect((await ask(address)).status).toBe(200);
  });

  it("and checked: files that belong to no Hive are removed, and unreadable ones reported", async () => {
    const { path } = (await set("production")).json;
    const folder = `${storage.folder}/channels`;
    const files = new DurableFs(disk);
    const [name = ""] = await files.list(folder);
    const text = (await files.readText(`${folder}/${name}`)) ?? "";
    const foreign = name.replace("web", "gone");
    await files.write(`${folder}/${foreign}`, text);
    await files.write(`${folder}/note.txt`, text);
    const problems = async (repair: boolean): Promise<readonly string[]> => {
      const found = [];
      for await (const { problem } of verify(storage, { repair })) found.push(problem);
      return found;
    };
    expect(await problems(true)).toEqual([
      `channels/${foreign} belongs to no Hive`,
      "channels/note.txt is not a settings file",
    ]);
    await files.write(`${folder}/${name}`, "channels: 1\n");
    expect(await problems(false)).toEqual([
      "channels/note.txt is not a settings file",
      `The settings file channels/${name} is invalid: channels: Invalid input: expected array, received number.`,
    ]);
    const reopened = harness(storage.open(storage.folder), undefined);
    expect((await reopened.call("GET", `${path}fr.json`, { token: null })).json.code).toBe("content_invalid");
  });
});
