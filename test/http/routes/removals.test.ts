/** What is removed: translations by their keys, files and locales; and that an undo brings each back. */
import { beforeEach, describe, expect, it } from "vitest";
import { translations } from "../../../src/api/content/translations.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { makeToken, type Call, prepareWeb, type WebOptions } from "../../helpers/storage.ts";

let storage: Storage;
let call: Call;
const { undo, post, history, exported } = hiveAt(() => call);

const source = {
  "auth.php": { failed: "Wrong.", nav: { home: "Home", out: "Out" }, list: ["one", "two"] },
  "en.json": { "Hello. You": "Hello. You", bye: "Bye" },
};
const french = {
  "auth.php": { failed: "Faux.", nav: { home: "Accueil", out: "Sortir" }, list: ["un", "deux"] },
  "en.json": { "Hello. You": "Bonjour", bye: "Salut" },
};
const path = "/api/hives/web/translations/fr";

const options: WebOptions = { locales: ["de", "fr"], token: { abilities: ["admin"] } };
const prepared = prepareWeb(options, async (web) => {
  await web.post(source);
  await web.fill("fr", french);
});
beforeEach(async () => {
  ({ storage, call } = await prepared());
});

const remove = (files: unknown, at = path) => call("DELETE", at, { body: { files } });

/** Everything that an app can pull. */
async function exports(): Promise<string[]> {
  const paths = [
    "export",
    "export?format=php",
    "export?locale=fr",
    "export?locale=fr&format=php",
    "strings",
    "stale",
  ];
  return Promise.all(paths.map(async (at) => (await call("GET", `/api/hives/web/${at}`)).text));
}

async function undoLast() {
  const commit = (await history("per_page=1")).json.data[0].commit;
  return undo(commit);
}

describe("translations", () => {
  it("are removed by one commit, and every key is counted once", async () => {
    const before = (await history()).json.meta.total;
    const files = { "auth.php": ["failed", "nav.home", "list.0", "nope", "nav"], "none.php": ["a", "b"] };
    const reply = await call("DELETE", path, { body: { files }, headers: { "x-commit-ref": "run/9" } });
    expect([
      reply.status,
      translations.operations.removeTranslations.response.strict().parse(reply.json),
    ]).toEqual([200, { deleted: 3, skipped: 0, unknown: 4 }]);
    const { data, meta } = (await history()).json;
    expect(meta.total).toBe(before + 1);
    expect(data[0]).toMatchObject({
      commit: reply.headers.get("x-skep-commit"),
      subject: "Remove fr translations: 3 deleted",
      operation: "remove-translations",
      ref: "run/9",
      counts: { deleted: 3, skipped: 0, unknown: 4 },
    });
    const left = JSON.parse((await exported("locale=fr")).json.files["auth.json"]);
    expect(left).toEqual({ "nav.out": "Sortir", "list.1": "deux" });
    const again = await remove({ "auth.php": ["failed", "failed"] });
    expect(again.json).toEqual({ deleted: 0, skipped: 2, unknown: 0 });
    expect((await history()).json.meta.total).toBe(before + 1);
  });

  it.each([
    ["an exported name", { "auth.json": ["failed"] }],
    ["a name in a folder", { "fr/auth.php": ["failed"] }],
    ["the locale's own name", { "fr.json": ["bye"] }],
    ["a key of an export of all locales", { "fr.json": ["auth.failed"] }],
    ["a sentence with dots", { "fr.json": ["Hello. You"] }],
  ])("are found as an import finds them: %s", async (_, files) => {
    expect((await remove(files)).json).toEqual({ deleted: 1, skipped: 0, unknown: 0 });
  });

  it("the file is removed with its last translation", async () => {
    expect((await remove({ "en.json": ["Hello. You", "bye"] })).json.deleted).toBe(2);
    const { files } = (await exported("locale=fr")).json;
    expect(JSON.parse(files["en.json"])).toEqual({});
  });

  it.each<[string, unknown]>([
    ["files", undefined],
    ["files", "auth.php"],
    ["files", ["auth.php"]],
    ["files.auth.php", { "auth.php": "failed" }],
    ["files.auth.php", { "auth.php": { failed: "x" } }],
    ["files.auth.php", { "auth.php": ["failed", 1] }],
    ["files.auth.php", { "auth.php": ["failed", null], "en.json": ["bye"] }],
  ])("are refused with a message on %s: %j", async (field, files) => {
    const before = await exports();
    const reply = await remove(files);
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
    expect(await exports()).toEqual(before);
  });

  it("no translations are removed if nothing is named, or the locale is unknown", async () => {
    const before = await exports();
    for (const files of [{}, [], { "auth.php": [] }]) {
      expect((await remove(files)).json).toEqual({ deleted: 0, skipped: 0, unknown: 0 });
    }
    expect((await remove({ "auth.php": ["__proto__", "constructor", ""] })).json.unknown).toBe(3);
    for (const at of ["it", "en", "..%2fde"]) {
      expect((await remove({ "auth.php": ["failed"] }, `/api/hives/web/translations/${at}`)).status).toBe(
        422,
      );
    }
    expect((await call("DELETE", `${path}?dry=1`, { body: { files: {} } })).status).toBe(422);
    const token = await makeToken(storage, { abilities: ["read"] });
    expect((await call("DELETE", path, { token, body: "{" })).status).toBe(403);
    expect(await exports()).toEqual(before);
  });
});

describe("an undo", () => {
  it("of a removal of translations brings them back byte for byte, stale markers too", async () => {
    await post({ "auth.php": { failed: "New." } });
    const before = await exports();
    expect(
      (await remove({ "auth.php": ["failed", "list.0", "nav.out"], "en.json": ["bye", "Hello. You"] })).json
        .deleted,
    ).toBe(5);
    expect(await exports()).not.toEqual(before);
    expect((await undoLast()).json.restored).toBe(5);
    expect(await exports()).toEqual(before);
  });

  it("of a removal of a file brings it back byte for byte", async () => {
    const before = await exports();
    expect((await call("DELETE", "/api/hives/web/files?file=auth.php")).status).toBe(200);
    expect((await undoLast()).status).toBe(200);
    expect(await exports()).toEqual(before);
  });

  it("of a removal of a locale brings its translations back, once the locale is there again", async () => {
    const before = await exports();
    expect((await call("DELETE", "/api/hives/web/locales/fr")).json).toEqual({ translations_deleted: 7 });
    const { commit } = (await history("per_page=1")).json.data[0];
    const refused = await undoLast();
    expect([refused.status, refused.json.total]).toEqual([409, 7]);
    expect(refused.json.conflicts[0]).toMatchObject({ locale: "fr" });
    await call("POST", "/api/hives/web/locales", { body: { code: "fr" } });
    expect((await undo(commit)).json.restored).toBe(7);
    expect(await exports()).toEqual(before);
  });
});
