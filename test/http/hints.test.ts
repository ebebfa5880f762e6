/** Errors and warnings that say what to do instead. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { toHiveSlug, toTeamName } from "../../src/domain/names.ts";
import type { Storage } from "../../src/service/storage.ts";
import { updateTeam } from "../../src/service/admin/teams.ts";
import type { Disk } from "../../src/disk/disk.ts";
import { commitOutside } from "../helpers/outside.ts";
import { hiveAt } from "../helpers/http/hive-api.ts";
import { makeHive, type Call, setUpWeb } from "../helpers/storage.ts";

const strings = "/api/hives/web/strings";
let disk: Disk;
let storage: Storage;
let call: Call;
const { post, put, history, exported } = hiveAt(() => call);

beforeEach(async () => {
  ({ disk, storage, call } = await setUpWeb());
});

describe("an unknown address", () => {
  it.each([
    ["/hives", "/api/hives"],
    ["/hives/web/strings", strings],
    ["/hives/web", "/api/hives/web"],
    ["/team", "/api/team"],
    ["/api/api/hives", "/api/hives"],
    ["/api/api/api/hives/web/export", "/api/hives/web/export"],
  ])("%s is answered with a suggestion of the address that was meant", async (path, meant) => {
    for (const token of [undefined, null]) {
      const { status, json } = await call("GET", path, token === null ? { token } : {});
      expect([status, json.message]).toEqual([
        404,
        `There is nothing at this address. Did you mean ${meant}?`,
      ]);
    }
  });

  it("is looked up without compiling expressions for each request", async () => {
    await call("GET", "/hives/web/strings");
    const expressions = vi.spyOn(globalThis, "RegExp");
    await call("GET", "/hives/web.git/info/refs", { token: null });
    await call("GET", "/nope", { token: null });
    const compiled = expressions.mock.calls.length;
    expressions.mockRestore();
    expect(compiled).toBeLessThan(10);
  });

  it.each(["/api", "/api/nope", "/nope/hives"])("the error for %s says where the API is", async (path) => {
    const { status, json } = await call("GET", path);
    expect([status, json.message]).toEqual([
      404,
      "There is nothing at this address. The API is below /api; /docs and /openapi.json describe it.",
    ]);
  });
});

it("the error for a Hive without write access suggests a misspelt slug, whether the Hive exists or not", async () => {
  await makeHive(storage, "theirs", { team: "other" });
  for (const slug of ["theirs", "wbe"]) {
    const { status, json } = await call("PUT", `/api/hives/${slug}/strings`, { body: { files: {} } });
    expect([status, json.message]).toEqual([
      403,
      "This token has no write access to that Hive; is its slug right?",
    ]);
  }
});

describe("a dry run", () => {
  it.each([
    ["POST", "strings", "conflict_strategy", {}],
    ["PUT", "strings", "conflict_strategy", {}],
    ["POST", "translations/fr", "overwrite_strategy", {}],
    ["POST", "undo", "on_conflict", { commit: "" }],
  ])("of %s %s warns of members of the body that it does not know", async (method, path, known, more) => {
    await post({ "a.php": { a: "A" } });
    const commit = (await history()).json.data[0].commit;
    const body = { files: {}, overwrite: true, ...more, ...(path === "undo" ? { commit } : {}) };
    const at = `/api/hives/web/${path}`;
    const { json } = await call(method, `${at}?dry_run=true`, { body });
    const warning = json.warnings.find((text: string) => text.startsWith("overwrite:"));
    expect(warning).toContain("is not a known member of the body, and is ignored; known: ");
    expect(warning).toContain(known);
    const real = await call(method, at, { body });
    expect(real.status).toBe(200);
    expect(real.json).not.toHaveProperty("warnings");
  });

  it("warns of unknown members only, and of at most twenty", async () => {
    const files = { "a.php": { a: "A" } };
    const quiet = await put(files, { query: "dry_run=true" });
    expect(quiet.json).not.toHaveProperty("warnings");
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`m${i}`, i]));
    const { json } = await call("PUT", `${strings}?dry_run=true`, { body: { files, ...many } });
    expect(json.warnings).toHaveLength(20);
  });
});

describe("the quota's error", () => {
  it("has the message that clients match, details for people and numbers for programs", async () => {
    await makeHive(storage, "app");
    await call("POST", "/api/hives/app/strings", { body: { files: { "a.php": { a: "A", b: "B" } } } });
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 2 });
    const { status, json } = await post({ "a.php": { a: "A" } });
    expect([status, json]).toEqual([
      422,
      {
        message: "String limit reached for your plan.",
        code: "quota_exceeded",
        limit: 2,
        used: 2,
        requested: 3,
        details:
          "This change would bring the Hive from 0 source strings to 1, and all Hives of its team together may have 2; nothing was written. The limit is changed with: skep team edit",
      },
    ]);
  });
});

describe("an error that depends on what a Hive holds", () => {
  it("names the commit that the Hive is at", async () => {
    const { commit } = await storage.hives.at(toHiveSlug("web")).snapshot();
    await call("POST", "/api/hives/web/tags", { body: { name: "v1" } });
    const refused = [
      await call("POST", "/api/hives/web/tags", { body: { name: "v1" } }),
      await exported("locale=xx"),
      await call("POST", strings, { body: {} }),
    ];
    expect(refused.map(({ status, headers }) => [status, headers.get("x-skep-commit")])).toEqual([
      [409, commit.oid],
      [422, commit.oid],
      [422, commit.oid],
    ]);
    const broken = await commitOutside(
      { storage, disk, slug: "web" },
      { files: { "hive.yaml": "nonsense: [" } },
    );
    const { status, headers } = await call("GET", strings);
    expect([status, headers.get("x-skep-commit")]).toEqual([503, broken]);
  });

  it("an error names no commit if the caller reached no Hive", async () => {
    const { status, headers } = await call("GET", "/api/hives?x=1");
    expect([status, headers.has("x-skep-commit")]).toEqual([422, false]);
    const out = await call("PUT", "/api/hives/web/strings", { token: null, body: {} });
    expect([out.status, out.headers.has("x-skep-commit")]).toEqual([401, false]);
  });
});
