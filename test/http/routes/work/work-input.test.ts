/** What requests for work are refused for: malformed bodies, and tokens that may not do it. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Ability } from "../../../../src/domain/access/token.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { anyText } from "../../../helpers/arbitraries.ts";
import { runs } from "../../../helpers/runs.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeHive, makeToken, prepareWeb, type Call, type TokenOptions } from "../../../helpers/storage.ts";

const base = "/api/hives/web";
let storage: Storage;
let call: Call;
const { head } = hiveAt(() => call);

const prepared = prepareWeb({ locales: ["fr", "de"] }, (web) =>
  web.put({ "a.json": { a: "One", b: "Two" } }),
);
beforeEach(async () => {
  ({ storage, call } = await prepared());
});

const expected = { source: { other: "One" }, translation: { other: null } };
const item = { file: "a.json", key: "a", forms: { other: "Un" }, expected };
const next = (body: unknown, token?: string) => call("POST", `${base}/work`, { body, token });
const done = (body: unknown, token?: string) => call("POST", `${base}/work/done`, { body, token });

describe("a request for work", () => {
  it.each<[string, object]>([
    ["locale", {}],
    ["locale", { locale: "xx" }],
    ["locale", { locale: "en" }],
    ["locale", { locale: 1 }],
    ["want", { locale: "fr", want: [] }],
    ["want.0", { locale: "fr", want: ["all"] }],
    ["want", { locale: "fr", want: "missing" }],
    ["want", { locale: "fr", want: Array.from({ length: 7 }, () => "missing") }],
    ["files.0", { locale: "fr", files: [1] }],
    ["files", { locale: "fr", files: Array.from({ length: 1_001 }, () => "a") }],
    ["tags.0", { locale: "fr", tags: ["a,b"] }],
    ["tags", { locale: "fr", tags: Array.from({ length: 21 }, () => "a") }],
    ["max_items", { locale: "fr", max_items: 0 }],
    ["max_items", { locale: "fr", max_items: 201 }],
    ["max_items", { locale: "fr", max_items: 1.5 }],
    ["max_tokens", { locale: "fr", max_tokens: 0 }],
    ["claim_seconds", { locale: "fr", claim_seconds: 0 }],
    ["claim_seconds", { locale: "fr", claim_seconds: 3_601 }],
    ["other_locales", { locale: "fr", other_locales: ["de", "de", "de", "de", "de", "de"] }],
    ["memory", { locale: "fr", memory: 11 }],
  ])("is refused for its %s: %j", async (field, body) => {
    const { status, json } = await next(body);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  it("has the same limits at their ends", async () => {
    const most = {
      max_items: 200,
      max_tokens: 10_000_000,
      claim_seconds: 3_600,
      memory: 10,
      other_locales: ["de"],
    };
    expect((await next({ locale: "fr", ...most })).json.items).toHaveLength(2);
    expect(
      (await next({ locale: "de", max_items: 1, max_tokens: 1, claim_seconds: 1 })).json.items,
    ).toHaveLength(1);
  });
});

describe("answers", () => {
  it("may have null for what they do not answer, as handed out items have", async () => {
    const nothing = {
      approve: null,
      confirm: null,
      remove: null,
      accept: null,
      reject: null,
      skip: null,
      unskip: null,
      ask: null,
    };
    const { json } = await done({ locale: "fr", items: [{ ...item, ...nothing }] });
    expect(json.items).toMatchObject([{ status: "saved" }]);
    const unanswered = { locale: "fr", items: [{ ...item, ...nothing, forms: null }] };
    expect((await done(unanswered)).json.errors).toHaveProperty(["items.0"]);
  });

  it.each<[string, unknown]>([
    ["locale", { items: [item] }],
    ["locale", { locale: "xx", items: [item] }],
    ["items", { locale: "fr" }],
    ["items", { locale: "fr", items: [] }],
    ["items", { locale: "fr", items: {} }],
    ["items", { locale: "fr", items: Array.from({ length: 1_001 }, () => item) }],
    ["items.1.key", { locale: "fr", items: [item, { ...item, forms: undefined, skip: "x" }] }],
    ["items.0", { locale: "fr", items: [{ ...item, forms: undefined }] }],
    ["items.0", { locale: "fr", items: [{ ...item, forms: undefined, approve: false }] }],
    ["items.0", { locale: "fr", items: [{ ...item, skip: "x" }] }],
    ["items.0", { locale: "fr", items: [{ ...item, forms: undefined, approve: true, reject: "x" }] }],
    ["items.0", { locale: "fr", items: [{ ...item, ask: "x" }] }],
    ["items.0", { locale: "fr", items: [{ ...item, confirm: true }] }],
    ["items.0", { locale: "fr", items: [{ ...item, forms: undefined, remove: true, approve: true }] }],
    ["items.0.remove", { locale: "fr", items: [{ ...item, forms: undefined, remove: "yes" }] }],
    ["items.0.forms", { locale: "fr", items: [{ ...item, forms: {} }] }],
    ["items.0.forms", { locale: "fr", items: [{ ...item, forms: ["Un"] }] }],
    ["items.0.forms.other", { locale: "fr", items: [{ ...item, forms: { other: null } }] }],
    [
      "items.0.forms",
      {
        locale: "fr",
        items: [{ ...item, forms: Object.fromEntries(Array.from({ length: 13 }, (_, i) => [i, "x"])) }],
      },
    ],
    ["items.0.file", { locale: "fr", items: [{ ...item, file: undefined }] }],
    ["items.0.key", { locale: "fr", items: [{ ...item, key: 1 }] }],
    ["items.0.approve", { locale: "fr", items: [{ ...item, approve: "yes" }] }],
    ["items.0.reject", { locale: "fr", items: [{ ...item, forms: undefined, reject: " " }] }],
    ["items.0.reject", { locale: "fr", items: [{ ...item, forms: undefined, reject: "x".repeat(1_001) }] }],
    ["items.0.ask", { locale: "fr", items: [{ ...item, forms: undefined, ask: "\n" }] }],
    ["items.0.ask", { locale: "fr", items: [{ ...item, forms: undefined, ask: "x".repeat(2_001) }] }],
    ["items.0.ask", { locale: "fr", items: [{ ...item, forms: undefined, ask: "\0" }] }],
    ["items.0.skip", { locale: "fr", items: [{ ...item, forms: undefined, skip: 1 }] }],
    ["items.0.accept", { locale: "fr", items: [{ ...item, forms: undefined, accept: [] }] }],
    ["items.0.accept", { locale: "fr", items: [{ ...item, forms: undefined, accept: "length" }] }],
    ["items.0.accept.0", { locale: "fr", items: [{ ...item, forms: undefined, accept: ["nope"] }] }],
    ["items.0", { locale: "fr", items: [{ ...item, accept: ["length"] }] }],
    ["items.0.unskip", { locale: "fr", items: [{ ...item, forms: undefined, unskip: "yes" }] }],
    ["items.0", { locale: "fr", items: [{ ...item, forms: undefined, unskip: false }] }],
    ["items.0", { locale: "fr", items: [{ ...item, forms: undefined, skip: "x", unskip: true }] }],
    ["items.0.expected", { locale: "fr", items: [{ ...item, expected: undefined }] }],
    ["items.0.expected.source", { locale: "fr", items: [{ ...item, expected: { translation: {} } }] }],
    [
      "items.0.expected.translation.other",
      { locale: "fr", items: [{ ...item, expected: { source: {}, translation: { other: 1 } } }] },
    ],
    ["origin.kind", { locale: "fr", items: [item], origin: { kind: "robot" } }],
    ["origin.name", { locale: "fr", items: [item], origin: { kind: "model", name: "x".repeat(201) } }],
    ["origin.prompt", { locale: "fr", items: [item], origin: { kind: "model", prompt: "a\nb" } }],
    ["message", { locale: "fr", items: [item], message: "x".repeat(1_001) }],
    ["claim", { locale: "fr", items: [item], claim: 1 }],
  ])("are refused as a whole for %s", async (field, body) => {
    const before = await head();
    const admin = await makeToken(storage, { abilities: ["admin"] });
    const { status, json } = await done(body, admin);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    expect(await head()).toBe(before);
  });

  it("are at most a thousand, each of which has a status", async () => {
    const items = Array.from({ length: 1_000 }, (_, i) => ({ ...item, key: i === 0 ? "a" : `k${i}` }));
    const { status, json } = await done({ locale: "fr", items });
    expect([status, json.items.length]).toEqual([200, 1_000]);
    expect(json.items.slice(0, 2)).toMatchObject([{ status: "saved" }, { status: "unknown" }]);
  });

  it("are refused where the reasons of all rejections do not fit into a message", async () => {
    const admin = await makeToken(storage, { abilities: ["admin"] });
    const items = ["a", "b"].map((key) => ({ file: "a.json", key, reject: key.repeat(600), expected }));
    expect(await done({ locale: "fr", items }, admin)).toMatchObject({
      status: 422,
      json: { errors: { items: [expect.any(String)] } },
    });
  });

  it("of any form are refused or applied, and never a fault of the server", async () => {
    const text = fc.oneof(
      fc.constantFrom("a", "b", "a.json", "other", "", "__proto__", "\ud800"),
      anyText({ maxLength: 5 }),
    );
    const texts = fc.dictionary(text, fc.oneof(text, fc.constant(null)), { maxKeys: 3 });
    const given = fc.record(
      {
        file: text,
        key: text,
        forms: fc.oneof(texts, fc.jsonValue({ maxDepth: 1 })),
        approve: fc.oneof(fc.boolean(), fc.jsonValue({ maxDepth: 1 })),
        reject: text,
        skip: text,
        accept: fc.oneof(fc.array(fc.constantFrom("length", "blanks", "nope"), { maxLength: 2 }), text),
        unskip: fc.oneof(fc.boolean(), text),
        ask: text,
        expected: fc.oneof(fc.record({ source: texts, translation: texts }), fc.jsonValue({ maxDepth: 1 })),
      },
      { requiredKeys: ["file", "key"] },
    );
    const body = fc.record(
      {
        locale: fc.constantFrom("fr", "de", "xx"),
        items: fc.array(given, { maxLength: 3 }),
        claim: text,
        message: text,
      },
      { requiredKeys: ["locale", "items"] },
    );
    const admin = await makeToken(storage, { abilities: ["admin"] });
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const { status, json } = await done(sent, admin);
        expect([200, 400, 422]).toContain(status);
        if (status === 200) expect(json.items).toHaveLength(sent.items.length);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe("who may", () => {
  const token = (options: TokenOptions) => makeToken(storage, options);
  const seen = {
    file: "a.json",
    key: "b",
    expected: { source: { other: "Two" }, translation: { other: null } },
  };
  const requests = {
    missing: (by: string) => next({ locale: "fr", want: ["missing"], claim_seconds: 1 }, by),
    asked: (by: string) => next({ locale: "fr", want: ["asked"] }, by),
    review: (by: string) => next({ locale: "fr", want: ["review"] }, by),
    both: (by: string) => next({ locale: "fr", want: ["missing", "review"], claim_seconds: 1 }, by),
    forms: (by: string) => done({ locale: "fr", items: [item] }, by),
    approve: (by: string) => done({ locale: "fr", items: [{ ...seen, approve: true }] }, by),
    reject: (by: string) => done({ locale: "fr", items: [{ ...seen, reject: "x" }] }, by),
    "forms and approve": (by: string) => done({ locale: "fr", items: [{ ...item, approve: true }] }, by),
    accept: (by: string) => done({ locale: "fr", items: [{ ...seen, accept: ["length"] }] }, by),
    skipped: (by: string) => next({ locale: "fr", want: ["skipped"] }, by),
    unskip: (by: string) => done({ locale: "fr", items: [{ ...seen, unskip: true }] }, by),
    skip: (by: string) => done({ locale: "fr", items: [{ ...seen, skip: "x" }] }, by),
    ask: (by: string) => done({ locale: "fr", items: [{ ...seen, ask: "x" }] }, by),
    list: (by: string) => call("GET", `${base}/work`, { token: by }),
  };
  type Name = keyof typeof requests;
  const reading: Name[] = ["list"];
  const writing: Name[] = ["missing", "asked", "skipped", "accept", "forms", "skip", "unskip", "ask", "list"];
  const approving: Name[] = ["review", "skipped", "approve", "reject", "skip", "unskip", "list"];
  const all = Object.keys(requests);

  it.each<[Ability[], readonly string[]]>([
    [["read"], reading],
    [["write"], []],
    [["approve"], []],
    [["write", "approve"], []],
    [["read", "write"], writing],
    [["read", "approve"], approving],
    [["read", "write", "approve"], all],
    [["admin"], all],
  ])("with %j", async (abilities, allowed) => {
    const by = await token({ abilities });
    for (const [name, send] of Object.entries(requests)) {
      const { status, json } = await send(by);
      expect([name, status, status === 200 ? undefined : json.code]).toEqual(
        allowed.includes(name) ? [name, 200, undefined] : [name, 403, "missing_ability"],
      );
    }
  });

  it("is limited to the locales of the token, which may ask", async () => {
    const by = await token({ abilities: ["read", "write", "approve"], locales: ["de"] });
    for (const [name, send] of Object.entries(requests)) {
      const { status, json } = await send(by);
      const isAllowed = name === "list";
      expect([name, status, json.code]).toEqual(
        isAllowed ? [name, 200, undefined] : [name, 403, "limited_token"],
      );
    }
    const items = [
      { ...item, ask: "What?", forms: undefined },
      { ...seen, forms: { other: "Zwei" } },
    ];
    const { json } = await done({ locale: "de", items }, by);
    expect(json.items).toMatchObject([{ status: "asked" }, { status: "saved" }]);
  });

  it("is checked for tokens that are strict about checks, and that reach other Hives", async () => {
    const strict = await token({ checks: "strict" });
    const reply = await call("POST", `${base}/work/done?checks=warn`, {
      body: { locale: "fr", items: [item] },
      token: strict,
    });
    expect([reply.status, reply.json.code]).toEqual([403, "limited_token"]);
    await makeHive(storage, "app");
    const elsewhere = await token({ hives: ["app"] });
    for (const [name, send] of Object.entries(requests))
      expect([name, (await send(elsewhere)).status]).toEqual([name, 404]);
    expect((await call("POST", `${base}/work`, { body: { locale: "fr" }, token: null })).status).toBe(401);
  });
});
