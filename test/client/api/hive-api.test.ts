import { describe, expect, it } from "vitest";
import { z } from "zod";
import { HiveApi } from "../../../src/client/api/hive-api.ts";
import { HivePart } from "../../../src/client/api/hive-part.ts";
import { HttpClient } from "../../../src/client/api/http.ts";
import type { HttpRequest } from "../../../src/client/api/transport.ts";

interface Sent {
  readonly body: {
    readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly expected?: unknown;
  };
  readonly isDry: boolean;
  readonly ifMatch: string | undefined;
  readonly key: string | undefined;
}

/** A Hive whose server takes so many texts at once, and the requests that it took. */
function limitedHive(limit: number) {
  const taken: Sent[] = [];
  const transport = async (url: string, request: HttpRequest): Promise<Response> => {
    const { files, ...rest }: Sent["body"] = JSON.parse(request.body ?? "");
    const count = Object.values(files).reduce((sum, texts) => sum + Object.keys(texts).length, 0);
    const headers = { "x-skep-commit": String(taken.length + 1) };
    if (count > limit) return Response.json({ message: "Too large.", code: "x" }, { status: 413 });
    taken.push({
      body: { files, ...rest },
      isDry: url.includes("dry_run"),
      ifMatch: request.headers["if-match"],
      key: request.headers["idempotency-key"],
    });
    const counts = { created: count, updated: 0, unchanged: 0, skipped: 0, unknown: 0 };
    return Response.json(counts, { headers });
  };
  const http = new HttpClient({ server: "https://skep.example.org", token: "t", transport });
  return { hive: new HiveApi(http, "web"), taken };
}

/** A part that sends what its caller gives. */
class AnyPart extends HivePart {
  ask(operation: Parameters<AnyPart["call"]>[0], options: Parameters<AnyPart["call"]>[1]) {
    return this.call(operation, options);
  }
}

describe("a declared request", () => {
  it.each([
    ["that may be repeated", true],
    ["that may not", undefined],
  ] as const)("%s is a dry run where that is wanted", async (_, isRepeatable) => {
    const asked: string[] = [];
    const transport = async (url: string): Promise<Response> => {
      asked.push(new URL(url).search);
      return Response.json({});
    };
    const http = new HttpClient({ server: "https://skep.example.org", token: "t", transport });
    const part = new AnyPart(http, "/api/hives/web");
    const operation = { method: "PUT", path: "/x", response: z.object({}), hasCommit: false } as const;
    await part.ask({ ...operation, isRepeatable }, { dryRun: true });
    await part.ask({ ...operation, isRepeatable }, {});
    expect(asked).toEqual(["?dry_run=true", ""]);
  });
});

const options = { dryRun: false, ref: undefined, overwrite: true, strict: false };
const files = { "a.json": { a: "1", b: "2", c: "3" }, "b.json": { a: "4" } };

describe("an import that is larger than the server takes at once", () => {
  it("is sent in parts, each a write of its own, and counted as one", async () => {
    const { hive, taken } = limitedHive(2);
    const { data, commit } = await hive.translations.import("fr", files, { ...options, ifAt: "0" });
    expect([data.created, commit]).toEqual([4, "2"]);
    expect(taken.map(({ body }) => body.files)).toEqual([
      { "a.json": { a: "1", b: "2" } },
      { "a.json": { c: "3" }, "b.json": { a: "4" } },
    ]);
    expect(taken.map(({ ifMatch }) => ifMatch)).toEqual(['"0"', '"1"']);
    expect(new Set(taken.map(({ key }) => key)).size).toBe(2);
  });

  it("is checked as a whole before any of it is sent, where one text may refuse all", async () => {
    const { hive, taken } = limitedHive(3);
    const expected = { "a.json": { a: "0", c: null }, "b.json": { a: "0" } };
    await hive.translations.import("fr", files, { ...options, expected });
    expect(taken.map(({ isDry }) => isDry)).toEqual([true, true, false, false]);
    expect(taken.map(({ body }) => body.expected).slice(2)).toEqual([
      { "a.json": { a: "0" } },
      { "a.json": { c: null }, "b.json": { a: "0" } },
    ]);
  });

  it("is sent in parts where it brings source strings, too", async () => {
    const { hive, taken } = limitedHive(2);
    const { data, commit } = await hive.importSource(files, options);
    expect([data.created, commit, taken.length]).toEqual([4, "2", 2]);
    expect(new Set(taken.map(({ key }) => key)).size).toBe(2);
  });

  it("is refused where one text is too large", async () => {
    const { hive, taken } = limitedHive(0);
    await expect(hive.importSource(files, options)).rejects.toMatchObject({ status: 413 });
    await expect(hive.translations.import("fr", files, options)).rejects.toMatchObject({ status: 413 });
    expect(taken).toEqual([]);
  });
});

describe("declared requests", () => {
  /** A Hive on a branch whose server answers all requests with one body, and what it was asked. */
  function answeringHive(answer: object) {
    const asked: (readonly [method: string, path: string, body: unknown, key: unknown])[] = [];
    const transport = async (url: string, { method, body, headers }: HttpRequest): Promise<Response> => {
      const { pathname, search } = new URL(url);
      asked.push([method, pathname + search, body && JSON.parse(body), headers["idempotency-key"]]);
      return Response.json(answer, { headers: { "x-skep-commit": "1" } });
    };
    const http = new HttpClient({ server: "https://skep.example.org", token: "t", transport });
    return { hive: new HiveApi(http, "web", "a/b"), asked };
  }

  it("go to the path of the Hive and its branch, and take what a newer server adds", async () => {
    const known = { hash: "0f", name: "a", width: 4, height: 4, strings: ["a:b"], boxes: [] };
    const { hive, asked } = answeringHive({ ...known, type: "avif", taken: "2026-01-31" });
    const sent = { name: "a", content: Buffer.from("x"), strings: ["a:b"], boxes: [] };
    expect(await hive.pictures.add(sent)).toEqual({ ...known, type: "avif" });
    const body = { ...sent, content: "eA==" };
    expect(asked).toEqual([["POST", "/api/hives/web/pictures?branch=a%2Fb", body, undefined]]);
  });

  it("have a key where they may be repeated, and none in a dry run", async () => {
    const { hive, asked } = answeringHive({ created: 1, updated: 0, unchanged: 0, found: 1 });
    const terms = [{ source: "file", translations: {} }];
    const { data } = await hive.glossary.send(terms, "merge", {});
    expect(data).toEqual({ created: 1, updated: 0, deleted: 0, unchanged: 0 });
    await hive.glossary.send(terms, "merge", { dryRun: true });
    const path = "/api/hives/web/glossary";
    expect(asked).toEqual([
      ["POST", path, { terms }, expect.any(String)],
      ["POST", `${path}?dry_run=true`, { terms }, undefined],
    ]);
  });

  const branch = {
    name: "x",
    commit: "1f",
    base: null,
    ahead: 1,
    behind: 0,
    time: "2026-01-31T00:00:00Z",
    author: { name: "Anna", email: "anna@example.org" },
  };
  const tag = { name: "v1", commit: "1f", time: null, tagger: branch.author, message: null, ref: null };
  const text = { locale: "fr", file: "a", key: "b", before: null, after: "c" };
  const commit = {
    commit: "1f",
    time: branch.time,
    author: branch.author,
    subject: "Import",
    message: null,
    ref: null,
    origin: null,
  };
  const replaced = {
    locale: "fr",
    file: "a",
    key: "b",
    before: "c",
    after: "d",
    findings: [],
    expected: { source: { other: "c" }, translation: { other: "c" }, more: 1 },
    code: "too_rare",
  };
  const finding = { locale: "fr", file: "a", key: "b", check: "rhyme", severity: "wish", message: "No." };
  const item = { file: "a", key: "b", expected: { source: 1 }, forms: [{ more: { x: 1 } }], state: "odd" };
  const waiting = {
    locale: "fr",
    file: "a",
    key: "b",
    source_value: "c",
    translation: "d",
    approved: null,
    author: "Anna",
  };
  const origin = { kind: "team", name: null, prompt: null };
  const undone = { restored: 1, updated: 0, deleted: 0, skipped: 0 };
  const meta = { current_page: 1, last_page: 1, per_page: 500, total: 1 };
  const changed = { change: "split", ...text };
  const differing = { base: null, main: "1f", conflicts: 0, locales: { fr: 1 } };

  const place = { file: "a", key: "b" };
  const moved = { moved: 1, translations_moved: 0, translations_deleted: 0 };
  const synced = { created: 1, updated: 0, unchanged: 0, deleted: 0, translations_cleared: 0 };
  const imported = { created: 1, updated: 0, skipped: 0, unknown: 1 };
  const open = {
    ...place,
    source_value: "c",
    state: "odd",
    translation: null,
    old_source_value: null,
    notes: null,
  };
  const noted = {
    ...place,
    app: { arguments: { a: { type: "text" } } },
    team: { note: "n", max_length: 5_000_000, max_length_unit: "ells", shade: "x" },
  };
  const job = {
    id: "j",
    state: "resting",
    reason: null,
    error: null,
    engine: "m",
    total: 1,
    saved: 0,
    refused: 0,
    left: 1,
  };

  it.each<readonly [what: string, answer: object, call: (hive: HiveApi) => Promise<unknown>, read: unknown]>([
    ["a branch of an older server", branch, (hive) => hive.branches.show("x"), branch],
    ["a branch of a newer server", { ...branch, more: 1 }, (hive) => hive.branches.create("x"), branch],
    [
      "a tag of git with what is new",
      { data: [{ ...tag, more: 1, tagger: { ...branch.author, more: 1 } }], meta },
      (hive) => hive.tags.list(),
      [tag],
    ],
    [
      "commits of an older server",
      { data: [commit], meta },
      (hive) => hive.history.list({}, 1),
      { commits: [commit], total: 1 },
    ],
    [
      "a commit of a newer server",
      { commit: { ...commit, origin, more: 1 }, data: [{ ...text, more: 1 }], meta },
      (hive) => hive.history.show("1f"),
      { commit: { ...commit, origin, more: 1 }, data: [{ ...text, more: 1 }] },
    ],
    [
      "all that an undo did",
      { ...undone, changes_total: 1 },
      (hive) => hive.history.undo({ commit: "1f" }, {}),
      { ...undone, changes_total: 1 },
    ],
    [
      "what waits with what is new",
      { data: [{ ...waiting, more: 1 }], meta },
      (hive) => hive.review.list(undefined),
      [waiting],
    ],
    [
      "what is to be sent back as it was seen",
      { replaced: 0, changed: 0, refused: 1, items: [replaced] },
      (hive) => hive.translations.previewReplacement({ find: "c", replace: "d" }),
      { replaced: 0, changed: 0, refused: 1, items: [replaced] },
    ],
    [
      "a finding of a check that is new",
      { data: [finding], meta, counts: {} },
      (hive) => hive.findings(),
      [finding],
    ],
    [
      "work with all that is said of it",
      { claim: "c", style: "", left: 0, items: [item] },
      (hive) => hive.work.next({ locale: "fr", want: ["missing"], max_items: 1, claim_seconds: 60 }),
      { claim: "c", style: "", left: 0, items: [item] },
    ],
    [
      "what became of an answer, in a new word",
      { items: [{ file: "a", key: "b", status: "parked", why: "x" }] },
      (hive) => hive.work.done({ locale: "fr", claim: "c", origin: { kind: "model", name: "m" }, items: [] }),
      [{ file: "a", key: "b", status: "parked", why: "x" }],
    ],
    [
      "moves with what is new",
      { ...moved, leaves: 1, moves: [{ from: place, to: place, why: "x" }], warnings: ["w"] },
      (hive) => hive.move([], { dryRun: true, ref: undefined }).then(({ data }) => data),
      { ...moved, moves: [{ from: place, to: place }], warnings: ["w"] },
    ],
    [
      "a sync in which checks find what is new",
      { ...synced, findings: [finding], findings_total: 1, leaves_skipped: 1, changes: [], more: 1 },
      (hive) => hive.sync({}, { dryRun: true, ref: undefined, detectMoves: true }).then(({ data }) => data),
      { ...synced, findings: [finding], findings_total: 1 },
    ],
    [
      "an import with a new reason for a key that is unknown",
      { ...imported, unknown_keys: [{ ...place, reason: "odd" }], changes_total: 1 },
      (hive) => hive.translations.import("fr", {}, options).then(({ data }) => data),
      { ...imported, unknown_keys: [{ ...place, reason: "odd" }] },
    ],
    [
      "what is to be translated, in a new state",
      { data: [{ ...open, more: 1 }], meta },
      (hive) => hive.untranslated("fr").then(({ data }) => data),
      [open],
    ],
    [
      "what is to be translated by an older server",
      { data: [{ ...open, notes: undefined }], meta },
      (hive) => hive.untranslated("fr").then(({ data }) => data),
      [{ ...open, notes: undefined }],
    ],
    [
      "notes with what is new",
      { data: [{ ...noted, more: 1 }], meta },
      async (hive) => (await hive.noteList({ file: undefined, tag: undefined })).data,
      [{ ...noted, team: { note: "n", max_length: 5_000_000, max_length_unit: "ells" }, more: 1 }],
    ],
    [
      "the notes of a string, without a length in a new unit",
      { data: [noted], meta },
      (hive) => hive.notes(place),
      { app: { arguments: { a: { type: "text" } } }, team: { note: "n" } },
    ],
    [
      "a job with all that is said of it",
      { ...job, more: 1 },
      (hive) => hive.engines.show("j"),
      { ...job, more: 1 },
    ],
    [
      "what a job would do",
      { items: 1, characters: 2, more: 1 },
      (hive) => hive.engines.estimate({ locales: ["fr"] }),
      { items: 1, characters: 2 },
    ],
    ["branches", { data: [branch], meta }, (hive) => hive.branches.list(), [branch]],
    [
      "a kind of change that is new",
      { data: [changed], meta, ...differing },
      (hive) => hive.branches.changes("x", false),
      { changes: [changed], ...differing },
    ],
  ])("read %s", async (_, answer, call, read) => {
    expect(await call(answeringHive(answer).hive)).toEqual(read);
  });

  it("encode what their paths name", async () => {
    const { hive, asked } = answeringHive({ deleted: 1 });
    await hive.pictures.remove("a/b?");
    expect(asked).toEqual([
      ["DELETE", "/api/hives/web/pictures/a%2Fb%3F?branch=a%2Fb", undefined, undefined],
    ]);
  });
});
