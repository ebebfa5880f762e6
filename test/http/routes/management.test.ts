/** Hives, locales, files, tokens and the team, managed over REST. */
import { beforeEach, describe, expect, it } from "vitest";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { fileRemoved } from "../../../src/api/files.ts";
import { hiveLocales, locale, localeRemoved } from "../../../src/api/locales.ts";
import { issuedToken, token as tokenAnswer, tokens } from "../../../src/api/tokens.ts";
import { teams } from "../../../src/api/team/team.ts";
import { managedHive } from "../../../src/api/hives.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import {
  harness,
  makeHive,
  makeToken,
  realFolder,
  type Call,
  prepareWeb,
  type WebOptions,
} from "../../helpers/storage.ts";
import fs, { writeFileSync } from "node:fs";

let now: number;
let storage: Storage;
let call: Call;
const { post, fill, exported, translate } = hiveAt(() => call);

const options: WebOptions = {
  locales: ["fr", "pt-BR=pt_BR"],
  token: { name: "Ops", abilities: ["admin"] },
};
const prepared = prepareWeb({ ...options, storage: { now: () => now } }, (web) =>
  makeHive(web.storage, "theirs", { team: "other" }),
);
beforeEach(async () => {
  now = Date.parse("2026-01-01T00:00:00Z");
  ({ storage, call } = await prepared());
});

const head = async (slug = "web") => (await storage.hives.at(toHiveSlug(slug)).snapshot()).commit.oid;

async function lastEntry(slug = "web") {
  return (await call("GET", `/api/hives/${slug}/history?per_page=1`)).json.data[0];
}

/** What a locale says that no review was set for. */
const unreviewed = { review: null, two_people: false, inherits: null, auto: null };

describe("Hives", () => {
  it("are shown as their own change left them, wherever HEAD goes next", async () => {
    const folder = realFolder();
    let before = "";
    const committed = (): void => {
      if (before !== "") writeFileSync(`${folder}/hives/web.git/refs/heads/main`, `${before}\n`);
    };
    const onDisk = openStorage({
      folder,
      disk: fs,
      observer: { committed, refused: () => {}, lockWaited: () => {} },
    });
    await makeHive(onDisk, "web");
    const admin = harness(onDisk, await makeToken(onDisk, { abilities: ["admin"] }));
    before = (await onDisk.hives.at(toHiveSlug("web")).snapshot()).commit.oid;
    const { json, headers } = await admin.call("PATCH", "/api/hives/web", { body: { name: "Shop" } });
    expect(json.name).toBe("Shop");
    expect(headers.get("x-skep-commit")).not.toBe(before);
  });

  it("are created with everything that the command can set", async () => {
    const body = {
      slug: "app",
      name: "The app",
      source_locale: { code: "en-us", custom_code: "en_US" },
      locales: ["fr", { code: "pt-br", custom_code: "pt_BR" }, { code: "de", custom_code: null }],
      max_deletions: 5,
      push: "none",
      plurals: "i18next",
      checks: { level: "refuse" },
    };
    const reply = await call("POST", "/api/hives", { body, headers: { "x-commit-ref": "run/1" } });
    expect(reply.status).toBe(201);
    expect(managedHive.strict().parse(reply.json)).toEqual({
      slug: "app",
      max_deletions: 5,
      plurals: "i18next",
      push: "none",
      checks: { level: "refuse", syntax: [], formats: [] },
      engines: true,
      glossary: null,
      name: "The app",
      source_locale: "en_US",
      locales: ["fr", "pt_BR", "de"],
      string_count: 0,
    });
    expect(reply.headers.get("x-skep-commit")).toBe(await head("app"));
    const shown = { max_deletions: 5, plurals: "i18next", push: "none" };
    expect((await call("GET", "/api/hives/app")).json).toMatchObject(shown);
    const files = { "a.php": { a: "A" } };
    expect((await call("POST", "/api/hives/app/strings", { body: { files } })).status).toBe(200);
    const { data } = (await call("GET", "/api/hives/app/history")).json;
    expect(data.at(-1)).toMatchObject({
      operation: "create-hive",
      author: { name: "Ops" },
      ref: "run/1",
      token: expect.stringMatching(/^[0-9a-z]{12}$/),
    });
  });

  it("use the glossary of another Hive from their first commit on", async () => {
    const body = { slug: "app", source_locale: "en", glossary: "web" };
    expect((await call("POST", "/api/hives", { body })).json.glossary).toBe("web");
    expect((await call("GET", "/api/hives/app")).json.glossary).toBe("web");
  });

  it("a new Hive needs no more than a slug", async () => {
    const { json } = await call("POST", "/api/hives", { body: { slug: "app", unknown: 1, name: null } });
    expect(json).toMatchObject({ slug: "app", name: "app", source_locale: "en", locales: [] });
    expect(json).toMatchObject({ max_deletions: null, plurals: "auto", push: "branches", glossary: null });
  });

  it.each<[string, unknown]>([
    ["body", []],
    ["slug", {}],
    ["slug", { slug: "../x" }],
    ["slug", { slug: "A" }],
    ["name", { slug: "app", name: " " }],
    ["name", { slug: "app", name: 1 }],
    ["source_locale", { slug: "app", source_locale: "x_y" }],
    ["source_locale", { slug: "app", source_locale: 1 }],
    ["source_locale.custom_code", { slug: "app", source_locale: { code: "en", custom_code: "../x" } }],
    ["locales", { slug: "app", locales: "fr" }],
    ["locales.1", { slug: "app", locales: ["fr", "x_y"] }],
    ["locales.0.code", { slug: "app", locales: [{ code: "" }] }],
    ["locales.0", { slug: "app", locales: [{ custom_code: "fr" }] }],
    ["locales", { slug: "app", locales: ["fr", "FR"] }],
    ["name", { slug: "app", name: "a\u009b31m" }],
    ["name", { slug: "app", name: "a\u202eb" }],
    ["max_deletions", { slug: "app", max_deletions: -1 }],
    ["push", { slug: "app", push: "main" }],
    ["glossary", { slug: "app", glossary: "theirs" }],
    ["glossary", { slug: "app", glossary: "app" }],
    ["glossary", { slug: "app", glossary: "web", source_locale: "de" }],
  ])("are refused with a message on %s: %j", async (field, body) => {
    const reply = await call("POST", "/api/hives", { body });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
    expect(reply.json.message).toContain(field);
    expect(await storage.registry.team(toTeamName("acme"))).toMatchObject({ hives: ["web"] });
  });

  it("creating a Hive with a slug that is taken is a 409 that names no owner", async () => {
    const own = await call("POST", "/api/hives", { body: { slug: "web" } });
    const other = await call("POST", "/api/hives", { body: { slug: "theirs" } });
    expect([own.status, other.status]).toEqual([409, 409]);
    expect(other.json).toEqual({ message: 'The slug "theirs" is taken.', code: "slug_taken" });
    expect(own.text).toBe(other.text.replace("theirs", "web"));
  });

  it("are renamed by one commit, or by none where nothing changes", async () => {
    const reply = await call("PATCH", "/api/hives/web", { body: { name: "Web" } });
    expect([reply.status, managedHive.strict().parse(reply.json).name]).toEqual([200, "Web"]);
    const commit = await head();
    expect(reply.headers.get("x-skep-commit")).toBe(commit);
    expect(await lastEntry()).toMatchObject({ commit, operation: "update-hive", author: { name: "Ops" } });
    await call("PATCH", "/api/hives/web", { body: { name: "Web" } });
    expect(await head()).toBe(commit);
    expect((await call("PATCH", "/api/hives/web", { body: {} })).json.errors).toHaveProperty("name");
    const limited = await call("PATCH", "/api/hives/web", { body: { max_deletions: 5 } });
    expect(limited.json).toMatchObject({ name: "Web", max_deletions: 5 });
    const free = await call("PATCH", "/api/hives/web", { body: { name: "Shop", max_deletions: null } });
    expect(free.json).toMatchObject({ name: "Shop", max_deletions: null });
    const odd = await call("PATCH", "/api/hives/web", { body: { max_deletions: -1 } });
    expect(odd.json.errors).toEqual({ max_deletions: [expect.stringContaining("must be 0 or more")] });
    const formed = await call("PATCH", "/api/hives/web", { body: { plurals: "nested" } });
    expect(formed.json).toMatchObject({ name: "Shop", plurals: "nested" });
    expect((await call("PATCH", "/api/hives/web", { body: { name: "Shop" } })).json.plurals).toBe("nested");
    expect((await call("GET", "/api/hives/web")).json.plurals).toBe("nested");
    const other = await call("PATCH", "/api/hives/web", { body: { plurals: "rails" } });
    expect(other.json.errors).toEqual({ plurals: ["plurals: must be one of auto, i18next, nested, none"] });
    for (const max of [1e15, Number.MAX_SAFE_INTEGER]) {
      expect((await call("PATCH", "/api/hives/web", { body: { max_deletions: max } })).status).toBe(200);
      expect((await call("GET", "/api/hives/web/strings")).status).toBe(200);
    }
    for (const max of [2 ** 53, 1e21, 0.5]) {
      const beyond = await call("PATCH", "/api/hives/web", { body: { max_deletions: max } });
      expect([beyond.status, Object.keys(beyond.json.errors)]).toEqual([422, ["max_deletions"]]);
    }
  });

  it("are deleted, and gone at the next request", async () => {
    const reply = await call("DELETE", "/api/hives/web");
    expect([reply.status, reply.json.slug]).toEqual([200, "web"]);
    expect((await call("GET", "/api/hives/web/strings")).status).toBe(404);
    expect((await call("DELETE", "/api/hives/web")).status).toBe(403);
    expect((await call("POST", "/api/hives", { body: { slug: "web" } })).status).toBe(201);
  });
});

describe("locales", () => {
  const path = "/api/hives/web/locales";
  const list = async () => hiveLocales.parse((await call("GET", path)).json).data;

  it("are listed, added, changed and removed, each by one commit", async () => {
    expect(await list()).toEqual([
      { code: "en", custom_code: null, ...unreviewed, is_source: true },
      { code: "fr", custom_code: null, ...unreviewed, is_source: false },
      { code: "pt-BR", custom_code: "pt_BR", ...unreviewed, is_source: false },
    ]);
    const added = await call("POST", path, { body: { code: "de-at", custom_code: "de_AT" } });
    expect([added.status, locale.strict().parse(added.json)]).toEqual([
      201,
      { code: "de-AT", custom_code: "de_AT", ...unreviewed },
    ]);
    expect(await lastEntry()).toMatchObject({
      commit: added.headers.get("x-skep-commit"),
      operation: "add-locale",
      author: { name: "Ops" },
    });
    const changed = await call("PATCH", `${path}/de_AT`, { body: { custom_code: "at" } });
    expect([changed.status, changed.json]).toEqual([
      200,
      { code: "de-AT", custom_code: "at", ...unreviewed },
    ]);
    const plain = await call("PATCH", `${path}/at`, { body: { custom_code: null } });
    expect(plain.json).toEqual({ code: "de-AT", custom_code: null, ...unreviewed });
    const before = await head();
    await call("PATCH", `${path}/de-AT`, { body: { custom_code: null } });
    expect(await head()).toBe(before);
    await post({ "a.php": { a: "A", b: "B" } });
    await fill("de-AT", { "a.php": { a: "Ä" } });
    const removed = await call("DELETE", `${path}/DE_at`);
    expect([removed.status, localeRemoved.strict().parse(removed.json)]).toEqual([
      200,
      { translations_deleted: 1 },
    ]);
    expect(await lastEntry()).toMatchObject({
      commit: removed.headers.get("x-skep-commit"),
      operation: "remove-locale",
      counts: { deleted: 1 },
    });
    expect((await list()).length).toBe(3);
  });

  it("inherit from the beginning, by one commit", async () => {
    await call("POST", path, { body: { code: "es", custom_code: "spanish" } });
    const added = await call("POST", path, { body: { code: "es-MX", inherits: "spanish" } });
    expect([added.status, added.json]).toMatchObject([201, { code: "es-MX", inherits: "es" }]);
    expect(await lastEntry()).toMatchObject({ commit: added.headers.get("x-skep-commit") });
    const before = (await list()).length;
    for (const inherits of ["en", "xx", "es-PE"]) {
      const refused = await call("POST", path, { body: { code: "es-PE", inherits } });
      expect([refused.status, Object.keys(refused.json.errors)]).toEqual([422, ["inherits"]]);
    }
    expect((await list()).length).toBe(before);
  });

  it("keep a former code that was given, and are found by all of their names", async () => {
    expect((await call("POST", path, { body: { code: "tl" } })).json).toEqual({
      code: "fil",
      custom_code: "tl",
      ...unreviewed,
    });
    expect((await call("POST", path, { body: { code: "iw", custom_code: "hebrew" } })).json).toEqual({
      code: "he",
      custom_code: "hebrew",
      ...unreviewed,
    });
    await post({ "en.json": { a: "A" } });
    for (const [name, text] of Object.entries({
      tl: "1",
      fil: "2",
      FIL: "3",
      iw: "4",
      he: "5",
      hebrew: "6",
    })) {
      const { status, json } = await translate(name, { [`${name}.json`]: { a: text } });
      expect([name, status, json.created + json.updated]).toEqual([name, 200, 1]);
    }
    const { json } = await exported();
    expect(Object.keys(json.files)).toEqual(["en.json", "fr.json", "pt_BR.json", "tl.json", "hebrew.json"]);
    const again = await call("POST", path, { body: { code: "tl" } });
    expect([again.status, again.json.message]).toEqual([
      422,
      "code: fil (tl is another name of it) is there already; change its custom code with: skep locale edit",
    ]);
    const hive = { slug: "app", source_locale: "in", locales: ["tl", "fil"] };
    expect((await call("POST", "/api/hives", { body: hive })).json.message).toBe(
      "locales: fil is given twice (tl is another name of it)",
    );
    const made = await call("POST", "/api/hives", { body: { ...hive, locales: ["tl"] } });
    expect(made.json).toMatchObject({ source_locale: "in", locales: ["tl"] });
  });

  it.each<[string, string, unknown, string]>([
    ["POST", path, { code: "fr" }, "code"],
    ["POST", path, { code: "pt", custom_code: "pt-br" }, "code"],
    ["POST", path, { code: "x_y" }, "code"],
    ["POST", path, { code: "de", custom_code: "fre" }, "code"],
    ["POST", path, { code: "it", custom_code: "../x" }, "custom_code"],
    ["POST", path, {}, "code"],
    ["PATCH", `${path}/fr`, {}, "custom_code"],
    ["PATCH", `${path}/fr`, { custom_code: "a.b" }, "custom_code"],
    ["PATCH", `${path}/fr`, { custom_code: "pt_BR" }, "custom_code"],
    ["PATCH", `${path}/it`, { custom_code: "x" }, "locale"],
    ["DELETE", `${path}/it`, undefined, "locale"],
    ["DELETE", `${path}/en`, undefined, "locale"],
    ["DELETE", `${path}/..%2f..%2fx`, undefined, "locale"],
  ])("are refused: %s %s %j", async (method, at, body, field) => {
    const before = await head();
    const reply = await call(method, at, { body });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
    expect(await head()).toBe(before);
  });
});

describe("files", () => {
  const path = "/api/hives/web/files";

  it("are removed with their strings and translations by one commit, also with slashes in their names", async () => {
    const files = { "admin/menu.php": { a: "A", b: "B" }, "a.php": { a: "A" } };
    await post(files);
    const french = { "admin/menu.php": { a: "AA" } };
    await fill("fr", french);
    const reply = await call("DELETE", `${path}?file=admin/menu.php`);
    expect([reply.status, fileRemoved.strict().parse(reply.json)]).toEqual([
      200,
      { deleted: 2, translations_deleted: 1 },
    ]);
    expect(await lastEntry()).toMatchObject({
      commit: reply.headers.get("x-skep-commit"),
      operation: "remove-file",
      author: { name: "Ops" },
    });
    expect((await call("GET", "/api/hives/web/strings")).json.meta.total).toBe(1);
    expect((await call("DELETE", `${path}?file=admin%2Fmenu.php`)).status).toBe(404);
  });

  it("are kept where they hold more strings than may be deleted", async () => {
    await post({ "a.php": { a: "A", b: "B" } });
    const limited = await call("DELETE", `${path}?file=a.php&max_deletions=1`);
    expect([limited.status, Object.keys(limited.json.errors)]).toEqual([422, ["max_deletions"]]);
    await call("PATCH", "/api/hives/web", { body: { max_deletions: 1 } });
    expect((await call("DELETE", `${path}?file=a.php`)).json).toEqual(limited.json);
    expect((await call("GET", "/api/hives/web/strings")).json.meta.total).toBe(2);
    expect((await call("DELETE", `${path}?file=a.php&max_deletions=2`)).json.deleted).toBe(2);
  });

  it.each([path, `${path}?file=a.php&file=b.php`, `${path}?file=a.php&dry=1`, `${path}?name=a.php`])(
    "are not removed by %s",
    async (at) => {
      await post({ "a.php": { a: "A" } });
      expect((await call("DELETE", at)).status).toBe(422);
      expect((await call("GET", "/api/hives/web/strings")).json.meta.total).toBe(1);
    },
  );
});

describe("tokens", () => {
  it("are made, listed and revoked; the token is shown once", async () => {
    const body = {
      name: "CI",
      abilities: ["read", "write"],
      hives: ["web"],
      expires: "2026-02-01T02:00:00+02:00",
    };
    now += 1;
    const made = await call("POST", "/api/tokens", { body });
    expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"]);
    const { token, ...shown } = issuedToken.strict().parse(made.json);
    expect(shown).toEqual({
      id: token.split("_")[1],
      name: "CI",
      person: null,
      abilities: ["read", "write"],
      hives: ["web"],
      locales: null,
      checks: null,
      review: null,
      created: "2026-01-01T00:00:00.001Z",
      expires: "2026-02-01T00:00:00.000Z",
      expired: false,
    });
    expect((await call("GET", "/api/hives/web/strings", { token })).status).toBe(200);
    expect((await call("DELETE", "/api/hives/web", { token })).status).toBe(403);
    const listed = await call("GET", "/api/tokens");
    const { data, meta } = tokens.operations.listTokens.response.parse(listed.json);
    expect([data.map(({ name }) => name), meta.total]).toEqual([["Ops", "CI"], 2]);
    expect(data[1]).toEqual(shown);
    expect(listed.text).not.toContain(token.split("_")[2]);
    expect(listed.text).not.toContain("hash");
    const revoked = await call("DELETE", `/api/tokens/${shown.id}`);
    expect([revoked.status, tokenAnswer.strict().parse(revoked.json)]).toEqual([200, shown]);
    expect((await call("GET", "/api/hives/web/strings", { token })).status).toBe(401);
    expect((await call("DELETE", `/api/tokens/${shown.id}`)).status).toBe(404);
  });

  it("new tokens have the caller's own reach and expiry by default, but can only read", async () => {
    const token = await makeToken(storage, { abilities: ["admin"], hives: ["web"], lifetimeMs: 1_000 });
    const { json } = await call("POST", "/api/tokens", { token, body: {} });
    expect(json).toMatchObject({
      name: null,
      abilities: ["read"],
      hives: ["web"],
      expires: "2026-01-01T00:00:01.000Z",
    });
    const all = await call("POST", "/api/tokens", { body: { hives: "all", expires: null } });
    expect(all.json).toMatchObject({ hives: "all", expires: null });
  });

  it("may revoke themselves", async () => {
    const token = await makeToken(storage, { abilities: ["admin"], hives: ["web"] });
    expect((await call("DELETE", `/api/tokens/${token.split("_")[1]}`, { token })).status).toBe(200);
    expect((await call("GET", "/api/tokens", { token })).status).toBe(401);
  });

  it.each<[string, unknown]>([
    ["abilities", { abilities: "read" }],
    ["abilities.0", { abilities: ["root"] }],
    ["hives", { hives: "web" }],
    ["hives", { hives: [] }],
    ["hives", { hives: ["nope"] }],
    ["expires", { expires: "tomorrow" }],
    ["expires", { expires: "2026-01-01" }],
    ["expires", { expires: "2025-12-31T23:59:59Z" }],
    ["expires", { expires: "9999-12-31T23:59:59-01:00" }],
    ["name", { name: "" }],
    ["checks", { checks: "lax" }],
    ["abilities", { abilities: ["admin"], checks: "strict" }],
  ])("are refused with a message on %s: %j", async (field, body) => {
    const reply = await call("POST", "/api/tokens", { body });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
    expect((await call("GET", "/api/tokens")).json.meta.total).toBe(1);
  });

  it("are listed in pages", async () => {
    await makeToken(storage);
    const { data, meta } = (await call("GET", "/api/tokens?page=2&per_page=1")).json;
    expect([data.length, meta]).toEqual([1, { current_page: 2, last_page: 2, per_page: 1, total: 2 }]);
  });
});

describe("the team", () => {
  it("is shown with its quota and what is used of it", async () => {
    const show = async (token?: string) =>
      teams.operations.showTeam.response
        .strict()
        .parse((await call("GET", "/api/team", token === undefined ? {} : { token })).json);
    expect(await show()).toEqual({ name: "acme", string_count: 0, max_strings: null, strings_left: null });
    await post({ "a.php": { a: "A", b: "B" } });
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 5 });
    expect(await show()).toEqual({ name: "acme", string_count: 2, max_strings: 5, strings_left: 3 });
    await makeHive(storage, "app");
    const limited = await makeToken(storage, { abilities: ["read"], hives: ["app"] });
    expect(await show(limited)).toEqual({ name: "acme", string_count: 0, max_strings: 5 });
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 1 });
    expect((await show()).strings_left).toBe(0);
    expect(
      (await call("GET", "/api/team", { token: await makeToken(storage, { abilities: ["write"] }) })).status,
    ).toBe(403);
  });
});

describe("every request that changes something", () => {
  it.each([
    ["POST", "/api/hives", { slug: "app" }],
    ["PATCH", "/api/hives/web", { name: "x" }],
    ["DELETE", "/api/hives/web", undefined],
    ["POST", "/api/hives/web/locales", { code: "it" }],
    ["PATCH", "/api/hives/web/locales/fr", { custom_code: "x" }],
    ["DELETE", "/api/hives/web/locales/fr", undefined],
    ["POST", "/api/tokens", {}],
    ["DELETE", "/api/tokens/x", undefined],
  ])("every changing request refuses unknown parameters: %s %s", async (method, path, body) => {
    const before = await head();
    const reply = await call(method, `${path}?dry_rum=1`, { body });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, ["dry_rum"]]);
    expect(await head()).toBe(before);
    expect((await call("GET", "/api/tokens")).json.meta.total).toBe(1);
  });

  it.each([
    ["PUT", "/api/hives/web/locales", "GET, HEAD, POST"],
    ["GET", "/api/hives/web/locales/fr", "PATCH, DELETE"],
    ["GET", "/api/hives/web/files", "DELETE"],
    ["PUT", "/api/tokens", "GET, HEAD, POST"],
    ["POST", "/api/tokens/x", "GET, HEAD, DELETE"],
    ["POST", "/api/team", "GET, HEAD"],
  ])("every changing request names the possible parameters: %s %s", async (method, path, allow) => {
    const reply = await call(method, path);
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, allow]);
  });
});
