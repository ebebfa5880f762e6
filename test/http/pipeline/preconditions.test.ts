/** What a caller guards a write by: a commit that HEAD must be at, a limit on deletions, a key, or only asking. */
import { beforeEach, describe, expect, it } from "vitest";
import { formatCommitMessage, parseCommitMessage } from "../../../src/domain/commits/commit-message.ts";
import { toHiveSlug, toTeamName, toTokenId } from "../../../src/domain/names.ts";
import type { Ability } from "../../../src/domain/access/token.ts";
import { updateHive } from "../../../src/service/admin/hives.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { revokeToken } from "../../helpers/people/tokens.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import {
  harness,
  makeToken,
  byCommand,
  type Call,
  type Reply,
  prepareWeb,
  watchLocks,
} from "../../helpers/storage.ts";

const slug = toHiveSlug("web");
const base = "/api/hives/web";
let now: number;
let place: { disk: Disk; folder: string; now: () => number };
let storage: Storage;
let token: string;
let call: Call;
const { post, put, head, fill, history } = hiveAt(() => call);

const options = { locales: ["fr", "pt-BR=pt_BR"], storage: { now: () => now } };
const prepared = prepareWeb(options, async (web) => {
  ({ call } = web);
  await write("POST", "strings", { files: { "a.php": { x: "X", y: "Y", z: "Z" } } });
  await write("POST", "translations/pt_BR", { files: { "a.php": { x: "PX" } } });
});
beforeEach(async () => {
  now = Date.parse("2026-01-01T00:00:00Z");
  const web = await prepared();
  ({ storage, token, call } = web);
  place = { disk: web.disk, folder: web.folder, now: () => now };
});

type Sent = readonly [method: string, path: string, body: object];

const write = (method: string, path: string, body: object, headers: Record<string, string> = {}) =>
  call(method, `${base}/${path}`, { body, headers });

async function commits(): Promise<number> {
  return (await history()).json.meta.total;
}

/** Holds the locks of the team and the Hive while something is done. */
function locked<T>(run: () => Promise<T>): Promise<T> {
  return storage.lockTeam(toTeamName("acme"), () => storage.hives.lock(slug, run));
}

const writes: readonly Sent[] = [
  ["POST", "strings", { files: { "a.php": { x: "X2", w: "W" } }, conflict_strategy: "clear" }],
  ["PUT", "strings", { files: { "a.php": { w: "W", z: "Z" } } }],
  ["POST", "translations/fr", { files: { "a.php": { x: "FX", nope: "?" } } }],
];

describe("a strict translation import", () => {
  const path = `${base}/translations/fr`;

  it.each(["?strict=true", "?strict=1", "?strict=true&dry_run=true"])(
    "is refused with unknown keys, and writes nothing: %s",
    async (query) => {
      const before = await head();
      const files = { "a.php": { x: "FX", nope: "?" }, "other.php": { a: { b: "?" } } };
      const token = await makeToken(storage, { abilities: ["write"] });
      const { status, json } = await call("POST", path + query, { body: { files }, token });
      expect([status, json]).toEqual([
        422,
        {
          message:
            "2 keys of the request match no source string, so nothing was written: a.php: nope, other.php: a.b",
          code: "unknown_keys",
          errors: {
            "files.a.php.nope": ["matches no source string"],
            "files.other.php.a.b": ["matches no source string"],
          },
          unknown_keys: [
            { file: "a.php", key: "nope" },
            { file: "other.php", key: "a.b" },
          ],
          total: 2,
        },
      ]);
      expect(await head()).toBe(before);
    },
  );

  it("is done if all keys match, also with the file names of a clone", async () => {
    const files = { "locales/fr/a.php.json": { x: "FX" }, "fr/a.php.json": { y: "FY" } };
    const { status, json } = await fill("fr", files, { query: "strict=true" });
    expect([status, json]).toEqual([200, { created: 2, updated: 0, skipped: 0, unknown: 0 }]);
    const lax = await fill("fr", { "a.php": { nope: "?" } }, { query: "strict=false" });
    expect([lax.status, lax.json.unknown]).toEqual([200, 1]);
  });
});

describe("a translation import that says what it expects", () => {
  const send = (expected: unknown, query = "", locale = "pt_BR") =>
    call("POST", `${base}/translations/${locale}${query}`, {
      body: { files: { "a.php": { x: "PX2", y: "PY" } }, overwrite_strategy: "overwrite", expected },
    });

  it.each([
    ["the present texts", { "a.php": { x: "PX", y: null } }],
    ["none by an empty text", { "a.php": { y: "" } }],
    ["by the names that files have elsewhere", { "a.php.json": { x: "PX" }, "pt_BR/a.json": { y: null } }],
    ["nothing of a key that there is not", { "a.php": { nope: null }, "other.php": { a: null } }],
    ["nothing", {}],
    ["nothing, as PHP says it", []],
  ])("is done where it expects %s", async (_, expected) => {
    const { status, json } = await send(expected);
    expect([status, json]).toEqual([200, { created: 1, updated: 1, skipped: 0, unknown: 0 }]);
  });

  it.each(["", "?dry_run=true"])("is refused with the places that differ, as a whole: %j", async (query) => {
    const before = await head();
    const { status, json, headers } = await send(
      { "a.php": { x: "Other", y: "Text", z: null }, "nope.php": { n: { o: "T" } } },
      query,
    );
    expect([status, json]).toEqual([
      409,
      {
        message: "Translations are not as expected, so nothing was written: pt_BR: a.php: x (and 2 more)",
        code: "expected_conflict",
        conflicts: [
          { locale: "pt_BR", file: "a.php", key: "x" },
          { locale: "pt_BR", file: "a.php", key: "y" },
          { locale: "pt_BR", file: "nope.php", key: "n.o" },
        ],
        total: 3,
      },
    ]);
    expect([headers.get("x-skep-commit"), await head()]).toEqual([before, before]);
    expect((await send({ "a.php": { x: null } }, query)).status).toBe(409);
  });

  it("is refused by the second of two who saw the same", async () => {
    const replies = await Promise.all([0, 1].map(() => send({ "a.php": { x: "PX" } })));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it.each([
    ["text", "expected"],
    [null, "expected"],
    [{ "a.php": 1 }, "expected.a.php"],
    [{ "a.php": { x: 1 } }, "expected.a.php.x"],
  ])("is refused where that cannot be read: %j", async (expected, field) => {
    const { status, json } = await send(expected);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });
});

describe("a dry run", () => {
  it.each(writes)(
    "of %s %s tells what the write then does, and writes nothing",
    async (method, path, body) => {
      const before = await head();
      const dry = await write(method, `${path}?dry_run=true`, body);
      expect(dry.status).toBe(200);
      expect(dry.headers.get("x-skep-commit")).toBe(before);
      expect(await head()).toBe(before);
      const { commit, changes, changes_total: total, unknown_keys: _, ...counts } = dry.json;
      const changed = changes.filter(isChange);
      expect([commit, total]).toEqual([before, changed.length]);

      const real = await write(method, path, body);
      expect(real.json).toEqual(counts);
      const shown = await call("GET", `${base}/history/${await head()}`);
      const predicted = changed.map(({ locale, file, key, before, after }: Record<string, unknown>) => ({
        locale,
        file,
        key,
        before,
        after,
      }));
      expect(sorted(predicted)).toEqual(sorted(shown.json.data));
    },
  );

  const isChange = ({ change }: { change: string }): boolean => !["unknown", "skipped"].includes(change);
  const sorted = (changes: object[]): string[] => changes.map((change) => JSON.stringify(change)).toSorted();

  it("names each change, by the codes that the app uses", async () => {
    const files = { "a.php": { x: "X2", y: "Y", w: "W" } };
    const body = { files, conflict_strategy: "clear" };
    const { json } = await write("PUT", "strings?dry_run=1", body);
    expect(json).toMatchObject({ created: 1, updated: 1, unchanged: 1, deleted: 1, translations_cleared: 1 });
    const at = { file: "a.php", locale: "en" };
    expect(json.changes).toEqual([
      { change: "created", ...at, key: "w", before: null, after: "W" },
      { change: "updated", ...at, key: "x", before: "X", after: "X2" },
      { change: "deleted", ...at, key: "z", before: "Z", after: null },
      { change: "cleared", ...at, locale: "pt_BR", key: "x", before: "PX", after: null },
    ]);
  });

  it("of an undo tells what it would take back", async () => {
    await put({ "a.php": { x: "X" } });
    const body = { commit: await head() };
    const { json } = await write("POST", "undo?dry_run=true", body);
    expect(json).toMatchObject({ restored: 2, updated: 0, deleted: 0, skipped: 0, changes_total: 2 });
    expect(await head()).toBe(body.commit);
    expect((await write("POST", "undo", body)).json).toMatchObject({ restored: 2 });
  });

  it.each([...writes, ["POST", "undo", { commit: "" }] as const])(
    "of %s %s shows no text to a token that cannot read",
    async (method, path, body) => {
      const secrets = ["X", "Y", "Z", "PX"].map((text) => JSON.stringify(text));
      const options = { body: path === "undo" ? { commit: await lastCommit() } : body };
      const ask = async (abilities: readonly Ability[]): Promise<Reply> =>
        call(method, `${base}/${path}?dry_run=true`, {
          ...options,
          token: await makeToken(storage, { abilities }),
        });
      const [reader, writer] = [await ask(["read", "write"]), await ask(["write"])];
      const { changes, unknown_keys: _, ...rest } = reader.json;
      expect([reader.status, changes.filter(isChange).length]).toEqual([200, rest.changes_total]);
      expect(writer.json).toEqual(rest);
      for (const secret of secrets) expect(writer.text).not.toContain(secret);
      expect(await ask(["admin"])).toMatchObject({ json: { changes } });
    },
  );

  /** The import of the translation, which can be undone. */
  async function lastCommit(): Promise<string> {
    return (await history()).json.data[0].commit;
  }

  it("lists the first thousand changes and counts all", async () => {
    const keys = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, "x"]));
    const { json } = await write("POST", "strings?dry_run=true", { files: { "b.php": keys } });
    expect([json.created, json.changes.length, json.changes_total]).toEqual([1_001, 1_000, 1_001]);
  });

  it("names the keys that a translation import does not know, and why, to tokens that can read", async () => {
    await put({ "dates.json": { months: ["January", "May"], today: "Today" } });
    const files = {
      "dates.json": { months: "janvier", "today.0": "aujourd'hui", nope: "x", "months.0": "janvier" },
      "other.json": { a: "x" },
      "fr.json": { "dates.months": "janvier", "nope.0": "x" },
    };
    const { json } = await fill("fr", files, { query: "dry_run=true" });
    expect([json.created, json.unknown]).toEqual([1, 6]);
    expect(json.unknown_keys).toEqual([
      { file: "dates.json", key: "months", reason: "group-in-source" },
      { file: "dates.json", key: "today.0", reason: "text-in-source" },
      { file: "dates.json", key: "nope", reason: "no-key" },
      { file: "other.json", key: "a", reason: "no-file" },
      { file: "fr.json", key: "dates.months", reason: "group-in-source" },
      { file: "fr.json", key: "nope.0", reason: "no-key" },
    ]);
    const token = await makeToken(storage, { abilities: ["write"] });
    const written = await fill("fr", files, { query: "dry_run=true", token });
    expect(written.json).not.toHaveProperty("unknown_keys");
    const real = await fill("fr", files);
    expect(real.json).toEqual({ created: 1, updated: 0, skipped: 0, unknown: 6 });
  });

  it("lists behind the changes what a translation import does not take, by the codes that the app uses", async () => {
    const files = { "a.php.json": { x: "PX2", y: "PY", nope: "?" }, "a.php": { y: "PY2", z: "" } };
    const { json } = await fill("pt_BR", files, { query: "dry_run=true" });
    const { created, skipped, unknown, changes_total: total } = json;
    expect({ created, skipped, unknown, total }).toEqual({ created: 1, skipped: 3, unknown: 1, total: 1 });
    const own = { locale: "pt_BR", file: "a.php" };
    expect(json.changes).toEqual([
      { change: "created", ...own, key: "y", before: null, after: "PY2" },
      { change: "unknown", ...own, file: "a.php.json", key: "nope", before: null, after: null },
      { change: "skipped", ...own, key: "z", before: null, after: null },
      { change: "skipped", ...own, key: "x", before: "PX", after: "PX" },
      { change: "skipped", ...own, key: "y", before: null, after: null },
    ]);
  });

  it("shortens a file name that is too long", async () => {
    const keys = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`k${i}`, "x"]));
    const body = { files: { ["n".repeat(500_000)]: keys } };
    const { json, text } = await call("POST", `${base}/translations/fr?dry_run=true`, { body });
    expect([json.unknown, json.unknown_keys.length, json.changes.length]).toEqual([1_200, 1_000, 1_000]);
    expect(text.length).toBeLessThan(3_000_000);
    const refused = await call("POST", `${base}/translations/fr?strict=true`, { body });
    expect([refused.status, refused.json.unknown_keys.length, refused.json.total]).toEqual([
      422, 1_000, 1_200,
    ]);
    expect(refused.json.message.length).toBeLessThan(4_000);
  });

  it("fails as the write would", async () => {
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 3 });
    const answers = await Promise.all([
      write("POST", "strings?dry_run=true", { files: { "a.php": { w: "W" } } }),
      write("POST", "translations/it?dry_run=true", { files: {} }),
      write("PUT", "strings?dry_run=true&max_deletions=2", { files: { "a.php": {} } }),
      write("POST", "strings?dry_run=true", { files: { "a.php": { x: "X" } } }, { "if-match": stale }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 412]);
    expect(answers[0]?.json).toMatchObject({
      message: "String limit reached for your plan.",
      details: expect.any(String),
    });
    expect(answers.slice(1, 3).map(({ json }) => Object.keys(json.errors))).toEqual([
      ["locale"],
      ["max_deletions"],
    ]);
  });

  it("waits for no lock", async () => {
    const answers = await locked(() =>
      Promise.all(writes.map(([method, path, body]) => write(method, `${path}?dry_run=true`, body))),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it.each(["false", "0"])("a write is not a dry run when dry_run is %s", async (no) => {
    expect((await put({ "a.php": { x: "X" } }, { query: `dry_run=${no}` })).json).toEqual({
      created: 0,
      updated: 0,
      unchanged: 1,
      translations_cleared: 0,
      deleted: 2,
    });
  });

  it.each(["dry_run", "dry_run=", "dry_run=TRUE", "dry_run=yes", "dry_run=true&dry_run=true", "dryrun=true"])(
    "a misspelt dry run is refused and never writes: ?%s",
    async (query) => {
      const before = await head();
      for (const [method, path, body] of writes) {
        const { status, json } = await write(method, `${path}?${query}`, body);
        expect([status, Object.keys(json.errors)]).toEqual([422, [query.split("=")[0]]]);
      }
      expect(await head()).toBe(before);
    },
  );
});

const stale = `"${"0".repeat(40)}"`;

describe("If-Match", () => {
  const guarded: readonly Sent[] = [
    ...writes,
    ["POST", "stale/confirm", { locale: "fr", file: "a.php", keys: [] }],
    ["POST", "undo", { commit: "0000000" }],
    ["POST", "tags", { name: "v1" }],
  ];

  it.each(guarded)("If-Match guards %s %s", async (method, path, body) => {
    const before = await head();
    const sent = path === "undo" ? { commit: before } : body;
    const refused = await write(method, path, sent, { "if-match": stale });
    expect(refused.status).toBe(412);
    expect(refused.headers.get("x-skep-commit")).toBe(before);
    expect(refused.json).toEqual({
      message: `If-Match: this Hive is at ${before}.`,
      code: "precondition_failed",
      commit: before,
    });
    expect([await head(), (await call("GET", `${base}/tags`)).json.meta.total]).toEqual([before, 0]);
    const done = await write(method, path, sent, { "if-match": `"${before}"` });
    expect([200, 201]).toContain(done.status);
  });

  it.each<readonly [string, string, unknown]>([
    ["PATCH", "", { name: "Other" }],
    ["POST", "/locales", { code: "it" }],
    ["PATCH", "/locales/fr", { custom_code: "fr_FR" }],
    ["DELETE", "/locales/fr", undefined],
    ["DELETE", "/files?file=a.php", undefined],
    ["DELETE", "/translations/fr", { files: { "a.php": ["x"] } }],
    ["DELETE", "", undefined],
  ])("guards management too: %s %s", async (method, path, body) => {
    const admin = await makeToken(storage, { abilities: ["admin"] });
    const before = await head();
    const send = (commit: string) =>
      call(method, base + path, { token: admin, body, headers: { "if-match": commit } });
    const refused = await send(stale);
    expect([refused.status, refused.json.commit, await head()]).toEqual([412, before, before]);
    expect((await send(`"${before}"`)).status).toBeLessThan(300);
  });

  it.each(["*", 'W/"x"', "x", '""', "", '"abc1234"', `${stale}, ${stale}`, "0".repeat(40), `W/${stale}`])(
    "accepts one quoted commit, not %j",
    async (value) => {
      const { status, json } = await post({ "a.php": { x: "X2" } }, { headers: { "if-match": value } });
      expect([status, Object.keys(json.errors)]).toEqual([422, ["If-Match"]]);
      expect(json.message).toContain("X-Skep-Commit");
    },
  );

  it("lets one of many writers win", async () => {
    const commit = await head();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        post({ "a.php": { [`k${i}`]: "x" } }, { headers: { "if-match": `"${commit}"` } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(412)]);
    const won = answers.find(({ status }) => status === 200)?.headers.get("x-skep-commit");
    expect(await head()).toBe(won);
    for (const { status, json } of answers) if (status === 412) expect([commit, won]).toContain(json.commit);
  });

  it("sees a commit that was made with git while the write waited", async () => {
    const commit = await head();
    const locksAskedFor = watchLocks();
    const waiting = await locked(async () => {
      const answer = post({ "a.php": { x: "X2" } }, { headers: { "if-match": `"${commit}"` } });
      await locksAskedFor(3);
      await commitOutside({ storage, disk: place.disk, slug }, { files: { "notes.txt": "x" } });
      return [answer];
    });
    expect((await waiting[0])?.status).toBe(412);
  });

  it("reveals nothing to a token that was revoked while the write waited", async () => {
    const locksAskedFor = watchLocks();
    const waiting = await storage.hives.lock(slug, async () => {
      const sent = { files: { "a.php": { x: "FX" } } };
      const answer = write("POST", "translations/fr", sent, { "if-match": stale });
      await locksAskedFor(2);
      await revokeToken(storage, toTokenId(token.split("_")[1] ?? ""));
      return [answer];
    });
    expect((await waiting[0])?.status).toBe(401);
  });
});

describe("max_deletions", () => {
  it("stops a sync that would delete more, and names how many", async () => {
    const before = await head();
    const { status, json } = await put({ "a.php": { x: "X" } }, { query: "max_deletions=1" });
    expect([status, Object.keys(json.errors)]).toEqual([422, ["max_deletions"]]);
    expect(json.message).toMatch(/would delete 2 source strings and may delete 1.*max_deletions=2/);
    expect(await head()).toBe(before);
    expect((await put({ "a.php": { x: "X" } }, { query: "max_deletions=2" })).json.deleted).toBe(2);
    expect((await put({ "a.php": { x: "X2" } }, { query: "max_deletions=0" })).status).toBe(200);
    expect((await put({ "a.php": {} }, { query: "max_deletions=0" })).status).toBe(422);
  });

  it("has a default for each Hive, which a request may raise or lower", async () => {
    await updateHive(storage, slug, { maxDeletions: 1 }, byCommand);
    expect((await put({ "a.php": { x: "X" } })).json.errors.max_deletions).toHaveLength(1);
    expect((await put({ "a.php": { x: "X", y: "Y" } }, { query: "max_deletions=0" })).status).toBe(422);
    expect((await put({ "a.php": { x: "X", y: "Y" } })).json.deleted).toBe(1);
    expect((await put({ "a.php": {} }, { query: "max_deletions=2" })).json.deleted).toBe(2);
    await post({ "a.php": { x: "X", y: "Y" } });
    await updateHive(storage, slug, { maxDeletions: "none" }, byCommand);
    expect((await put({ "a.php": {} })).json.deleted).toBe(2);
  });

  it("counts source strings alone", async () => {
    await write("POST", "translations/fr", { files: { "a.php": { x: "FX", y: "FY" } } });
    expect((await put({ "a.php": { y: "Y", z: "Z" } }, { query: "max_deletions=1" })).json.deleted).toBe(1);
    const clear = { files: { "a.php": { y: "Y2" } }, conflict_strategy: "clear" };
    expect((await write("POST", "strings?max_deletions=0", clear)).json.translations_cleared).toBe(1);
  });

  it("stops an undo that would take away more strings", async () => {
    await post({ "b.php": { a: "A", b: "B" } });
    const body = { commit: await head() };
    await updateHive(storage, slug, { maxDeletions: 1 }, byCommand);
    expect((await write("POST", "undo", body)).json.errors.max_deletions).toHaveLength(1);
    expect((await write("POST", "undo?max_deletions=2", body)).json.deleted).toBe(2);
  });

  it.each(["", "-1", "1.5", "x", "1e3", "1&max_deletions=1"])("is a whole number, not %j", async (value) => {
    const { status, json } = await put({ "a.php": {} }, { query: `max_deletions=${value}` });
    expect([status, Object.keys(json.errors)]).toEqual([422, ["max_deletions"]]);
  });

  it("is an unknown parameter of requests that delete nothing", async () => {
    const { status } = await write("POST", "translations/fr?max_deletions=1", { files: {} });
    expect(status).toBe(422);
  });
});

describe("Idempotency-Key", () => {
  const key = { "idempotency-key": "run-1" };
  const body = { "a.php": { x: "X2", w: "W" } };

  /** What an answer says, without what tells it from the first. */
  const said = ({ status, text, headers }: Reply) => [status, text, headers.get("x-skep-commit")];
  const isReplay = ({ headers }: Reply) => headers.get("idempotency-replayed") === "true";

  it.each<Sent>([
    ...writes,
    ["POST", "stale/confirm", { locale: "pt-BR", file: "a.php", keys: ["x", "y"] }],
    ["POST", "undo", {}],
    ["POST", "replace", { find: "px", replace: "py" }],
    ["PATCH", "notes", { files: { "a.php": { x: { note: "Seen" }, none: { note: "Lost" } } } }],
  ])("has %s %s done once, over restarts and the commits of others", async (method, path, given) => {
    if (path === "stale/confirm") await post({ "a.php": { x: "X1" } });
    const sent = path === "undo" ? { commit: (await head()).slice(0, 7) } : given;
    const first = await write(method, path, sent, key);
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    const made = await head();
    expect(said(first)[2]).toBe(made);

    const again = await write(method, path, sent, key);
    expect([said(again), isReplay(again), await head()]).toEqual([said(first), true, made]);

    await post({ "b.php": { a: "A" } });
    await commitOutside({ storage, disk: place.disk, slug }, { files: { "notes.txt": "x" } });
    const others = await head();
    storage = openStorage(place);
    ({ call } = harness(storage, token));
    const later = await write(method, path, sent, key);
    expect([said(later), isReplay(later), await head()]).toEqual([said(first), true, others]);
  });

  it.each<Sent>([
    ...writes,
    ["PATCH", "notes", { files: { "a.php": { x: { note: "Seen" } } } }],
    [
      "POST",
      "work/done",
      {
        locale: "fr",
        items: [
          {
            file: "a.php",
            key: "x",
            forms: { other: "FX" },
            expected: { source: { other: "X" }, translation: { other: null } },
          },
        ],
      },
    ],
  ])(
    "has %s %s on a branch done once, also when the branch is deleted, or made again",
    async (method, path, given) => {
      const branch = async (): Promise<void> => {
        expect((await write("POST", "branches", { name: "next" })).status).toBe(201);
      };
      await branch();
      const send = (headers = key): Promise<Reply> => write(method, `${path}?branch=next`, given, headers);
      const first = await send();
      expect([first.status, isReplay(first)]).toEqual([200, false]);
      expect((await call("DELETE", `${base}/branches/next`)).status).toBe(200);
      const gone = await send();
      expect([said(gone), isReplay(gone)]).toEqual([said(first), true]);
      const other = await send({ "idempotency-key": "run-2" });
      expect([other.status, other.json.code]).toEqual([422, "unknown_branch"]);
      await branch();
      const again = await send();
      expect([said(again), isReplay(again)]).toEqual([said(first), true]);
    },
  );

  it("has an update of a branch from main done once, also when the branch is deleted", async () => {
    await write("POST", "branches", { name: "next" });
    await post({ "a.php": { x: "X1" } });
    const send = (): Promise<Reply> => write("POST", "branches/next/update", { on_conflict: "main" }, key);
    const first = await send();
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    await call("DELETE", `${base}/branches/next`);
    const gone = await send();
    expect([gone.status, gone.json.counts, isReplay(gone)]).toEqual([200, first.json.counts, true]);
  });

  it("is refused with another body, byte by byte, and works again after that", async () => {
    const first = await post(body, { headers: key });
    for (const other of [`{"files": {"a.php": {"x": "X3"}}}`, ` ${JSON.stringify({ files: body })}`, "{"]) {
      const { status, json } = await call("POST", `${base}/strings`, { body: other, headers: key });
      expect([status, Object.keys(json.errors)]).toEqual([422, ["Idempotency-Key"]]);
    }
    expect(said(await post(body, { headers: key }))).toEqual(said(first));
  });

  it("an Idempotency-Key is scoped to one token, method, path and query", async () => {
    const first = await post(body, { headers: key });
    const other = await makeToken(storage);
    const answers = [
      await post(body, { headers: key, token: other }),
      await write("PUT", "strings", { files: body }, key),
      await write("POST", "strings?max_deletions=0", { files: body }, key),
      await write("POST", "translations/fr", { files: { "a.php": { w: "FW" } } }, key),
      await write("POST", "translations/pt-BR", { files: { "a.php": { w: "FW" } } }, key),
    ];
    for (const answer of answers) expect([answer.status, isReplay(answer)]).toEqual([200, false]);
    expect(said(await post(body, { headers: key }))).toEqual(said(first));
  });

  it("an Idempotency-Key is valid for a day", async () => {
    const first = await post(body, { headers: key });
    await put({ "a.php": { x: "X" } });
    now += 86_400_000;
    expect(said(await post(body, { headers: key }))).toEqual(said(first));
    now += 1_000;
    const late = await post(body, { headers: key });
    expect([late.json, isReplay(late)]).toEqual([
      { created: 1, updated: 1, unchanged: 0, translations_cleared: 0 },
      false,
    ]);
    expect(said(await post(body, { headers: key }))).toEqual(said(late));
  });

  it("many requests with one Idempotency-Key make one commit; the others get a conflict, or the response", async () => {
    const before = await commits();
    const twins = await Promise.all(Array.from({ length: 20 }, () => post(body, { headers: key })));
    const done = twins.filter(({ status }) => status === 200);
    expect(done.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(done.map((answer) => JSON.stringify(said(answer)))).size).toBe(1);
    for (const { status } of twins) expect([200, 409]).toContain(status);
    expect(await commits()).toBe(before + 1);
  });

  it("a second request with an Idempotency-Key under way gets 409", async () => {
    const locksAskedFor = watchLocks();
    const [first, twin] = await locked(async () => {
      const waiting = post(body, { headers: key });
      await locksAskedFor(3);
      return [[waiting], await post(body, { headers: key })] as const;
    });
    expect([twin.status, twin.json.message]).toEqual([409, expect.stringContaining("under way")]);
    expect((await first[0]).status).toBe(200);
    expect(isReplay(await post(body, { headers: key }))).toBe(true);
  });

  it("requests with one Idempotency-Key in two processes make one commit", async () => {
    const other = harness(openStorage(place), token);
    const before = await commits();
    const twins = await Promise.all([post(body, { headers: key }), other.post(body, { headers: key })]);
    expect(twins.map(isReplay).toSorted()).toEqual([false, true]);
    expect(said(twins[0])).toEqual(said(twins[1]));
    expect(await commits()).toBe(before + 1);
  });

  it("a repeated Idempotency-Key is answered before If-Match, the quota and the deletion limit are checked", async () => {
    const headers = { ...key, "if-match": `"${await head()}"` };
    const sent = { files: { "a.php": { w: "W" } } };
    const first = await write("PUT", "strings", sent, headers);
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 0 });
    await updateHive(storage, slug, { maxDeletions: 0 }, byCommand);
    await write("PUT", "strings", { files: { "a.php": { w: "W2" } } });
    const again = await write("PUT", "strings", sent, headers);
    expect([said(again), isReplay(again)]).toEqual([said(first), true]);
  });

  it("an Idempotency-Key is only recorded by commits: errors, dry runs and requests without changes leave no record", async () => {
    expect((await post({ "a.php": { x: 1 } }, { headers: key })).status).toBe(422);
    await write("POST", "strings?dry_run=true", { files: body }, key);
    const nothing = await post({ "a.php": { x: "X" } }, { headers: key });
    expect(nothing.json).toMatchObject({ created: 0, updated: 0 });
    await post({ "a.php": { x: "changed" } });
    const first = await post({ "a.php": { x: "X" } }, { headers: key });
    expect([first.json.updated, isReplay(first)]).toEqual([1, false]);
  });

  it("an Idempotency-Key in a commit from outside, or one that main does not reach, does not count", async () => {
    const before = await head();
    const first = await post(body, { headers: key });
    const { message } = await storage.hives.at(slug).revisions.history.readCommit(await head());
    const { idempotency } = parseCommitMessage(message, true);
    const counts = { Created: 9, Updated: 9, Unchanged: 9, "Translations-Cleared": 9 };
    const forged = formatCommitMessage({ subject: "s", operation: "import", counts, idempotency });
    const outside = { storage, disk: place.disk, slug };
    await commitOutside(outside, { files: { "notes.txt": "x" }, message: forged });
    expect(said(await post(body, { headers: key }))).toEqual(said(first));
    await commitOutside(outside, {
      files: { "notes.txt": "y", "locales/en/a.php.json": '{"x": "X"}' },
      message: forged,
      parents: [before],
    });
    const again = await post(body, { headers: key });
    expect([again.json.created, isReplay(again)]).toEqual([1, false]);
  });

  it.each(["", " ", "a b", "a\tb", "é", "x".repeat(256)])("is visible ASCII, not %j", async (value) => {
    const { status, json } = await post(body, { headers: { "idempotency-key": value } });
    expect([status, Object.keys(json.errors)]).toEqual([422, ["Idempotency-Key"]]);
  });

  it("may be 255 characters of any kind", async () => {
    const longest = { "idempotency-key": `~!"\\,;`.padEnd(255, "x") };
    const first = await post(body, { headers: longest });
    expect(said(await post(body, { headers: longest }))).toEqual(said(first));
  });

  it("cannot be used for a tag, whose name does the same", async () => {
    const { status, json } = await write("POST", "tags", { name: "v1" }, key);
    expect([status, Object.keys(json.errors)]).toEqual([422, ["Idempotency-Key"]]);
  });
});
