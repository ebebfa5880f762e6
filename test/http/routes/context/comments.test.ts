/** Comments over HTTP: who may say what, which questions withhold a string from work, and what follows a string. */
import { beforeEach, describe, expect, it } from "vitest";
import { toHiveSlug } from "../../../../src/domain/names.ts";
import { threadLimits } from "../../../../src/domain/notes/thread.ts";
import { countComments } from "../../../../src/service/content/comment-lists.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import type { Disk } from "../../../../src/disk/disk.ts";
import { commitOutside } from "../../../helpers/outside.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeToken, prepareWeb, type Call, type Reply } from "../../../helpers/storage.ts";

const hive = "/api/hives/web";
const path = `${hive}/comments`;
let disk: Disk;
let storage: Storage;
let call: Call;
/** Tokens that may read and write, read and approve, and do all. */
let [writer, approver, admin] = ["", "", ""];
const { put, undo, history } = hiveAt(() => call);
const clock = { now: Date.parse("2026-01-02T03:04:05Z") };

const prepared = prepareWeb(
  { locales: ["fr", "de=de_DE"], storage: { now: () => clock.now } },
  async (web) => {
    const files = { "a.json": { open: "Open", close: "Close", n_one: "One", n_other: "Many" } };
    await web.put(files);
  },
);
beforeEach(async () => {
  clock.now = Date.parse("2026-01-02T03:04:05Z");
  ({ disk, storage, call } = await prepared());
  writer = await makeToken(storage, { name: "Writer", abilities: ["read", "write"] });
  approver = await makeToken(storage, { name: "Approver", abilities: ["read", "approve"] });
  admin = await makeToken(storage, { name: "Lead", abilities: ["admin"] });
});

const idOf = (token: string): string => token.split("_")[1] ?? "";
const say = (more: object = {}, token = writer): Promise<Reply> =>
  call("POST", path, { body: { file: "a.json", key: "open", text: "Hm", ...more }, token });
const ask = async (more: object = {}, token = writer): Promise<string> =>
  (await say({ ask: true, text: "A verb?", ...more }, token)).json.id;
const change = (id: string, body: object, token = writer): Promise<Reply> =>
  call("PATCH", `${path}/${id}`, { body, token });
const remove = (id: string, token = writer): Promise<Reply> => call("DELETE", `${path}/${id}`, { token });
const list = async (query = "", token = writer) => (await call("GET", path + query, { token })).json.data;
const textsOf = async (query = ""): Promise<readonly string[]> =>
  (await list(query)).map(({ text }: { text: string }) => text);
const handedOut = async (locale: string): Promise<readonly string[]> => {
  const body = { locale, memory: 0 };
  const { items, claim } = (await call("POST", `${hive}/work`, { body, token: writer })).json;
  await call("DELETE", `${hive}/work/${claim}`, { token: writer });
  return items.map(({ key }: { key: string }) => key);
};
const asked = async () => (await call("GET", `${hive}/notes?key=open`)).json.data[0]?.team?.ask;

describe("a comment", () => {
  it("is a commit of its own kind, by the caller, and is listed, the newest first", async () => {
    const { status, json, headers } = await say({ text: "<b>One</b>\n=cmd()", locale: "de" });
    expect([status, json]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        file: "a.json",
        key: "open",
        locale: "de_DE",
        by: idOf(writer),
        author: "Writer",
        at: "2026-01-02T03:04:05.000Z",
        text: "<b>One</b>\n=cmd()",
        ask: false,
        withholds: false,
        settled: false,
      },
    ]);
    expect(headers.get("x-skep-commit")).toMatch(/^[0-9a-f]{40}$/);
    const [commit] = (await history()).json.data;
    expect(commit).toMatchObject({ subject: "Comment on a.json: open", operation: "comment" });
    await say({ text: "Two", by: "somebody" }, admin);
    expect((await list())[0]).toMatchObject({ text: "Two", author: "Lead", locale: null });
    expect((await list())[1]).toEqual(json);
  });

  it("on one form of a plural string is about the whole string", async () => {
    expect((await say({ key: "n_one" })).json.key).toBe("n_other");
    expect(await textsOf("?file=a.json&key=n_one")).toEqual(["Hm"]);
    expect(await textsOf("?file=a.json&key=open")).toEqual([]);
  });

  it.each([
    ["key", { key: "nope" }],
    ["key", { file: "../x" }],
    ["locale", { locale: "ja" }],
    ["locale", { locale: "en" }],
    ["text", { text: " \n" }],
    ["text", { text: "x".repeat(threadLimits.text + 1) }],
    ["text", { text: "a\0" }],
    ["ask", { ask: "yes" }],
  ])("is refused for its %s", async (member, more) => {
    const { status, json } = await say(more);
    expect([status, Object.keys(json.errors)]).toEqual([422, [member]]);
  });

  it("is in no list of notes, which have the oldest open question", async () => {
    await say();
    expect((await call("GET", `${hive}/notes`)).json.data).toEqual([]);
    expect((await call("GET", `${hive}/strings?include=notes`)).json.data[0].notes).toBeNull();
    await ask();
    await ask({ text: "A noun?" });
    expect((await call("GET", `${hive}/notes`)).json.data).toEqual([
      { file: "a.json", key: "open", app: null, team: { ask: "A verb?" } },
    ]);
  });

  it("leaves a token that is limited to other locales free to speak", async () => {
    const limited = await makeToken(storage, { abilities: ["read", "write"], locales: ["fr"] });
    expect(await say({ locale: "de", ask: true }, limited)).toMatchObject({
      status: 201,
      json: { withholds: false },
    });
    expect((await say({ locale: "fr", ask: true }, limited)).json.withholds).toBe(true);
    expect((await say({ ask: true }, limited)).json.withholds).toBe(true);
  });

  it("is one of at most 60 an hour", async () => {
    for (let i = 0; i < 60; i++) expect((await say({ text: String(i) })).status).toBe(201);
    const refused = await say();
    expect([refused.status, refused.json.code, refused.headers.get("retry-after")]).toEqual([
      429,
      "too_many_changes",
      "3600",
    ]);
    expect((await say({}, admin)).status).toBe(201);
    clock.now += 3_600_000;
    expect((await say()).status).toBe(201);
    // Of more than a string can keep, the oldest have left.
    expect((await textsOf("?per_page=500")).length).toBe(threadLimits.comments);
  });

  it("finds no room among open questions", async () => {
    for (let i = 0; i < threadLimits.comments; i++) await ask({ text: `${i}?` });
    expect(await say({ still_open: true })).toMatchObject({ status: 422, json: { code: "limit_reached" } });
    const item = { file: "a.json", key: "open", ask: "More?" };
    const { json } = await call("POST", `${hive}/work/done`, {
      body: { locale: "fr", items: [item] },
      token: admin,
    });
    expect(json.items).toMatchObject([{ status: "refused", code: "limit_reached" }]);
  });
});

describe("a question", () => {
  it("of a writer withholds its string, in its language or in all, until it is settled", async () => {
    await ask({ text: "Who?" }, approver);
    expect(await handedOut("fr")).toContain("open");
    const french = await ask({ locale: "fr" });
    expect([await handedOut("fr"), await handedOut("de")]).toEqual([
      ["close", "n_other"],
      ["open", "close", "n_other"],
    ]);
    expect((await change(french, { settled: true })).json).toMatchObject({ settled: true });
    expect(await handedOut("fr")).toContain("open");
    await change(french, { settled: false });
    expect(await handedOut("fr")).not.toContain("open");
    await ask();
    expect(await handedOut("de")).not.toContain("open");
  });

  it("is settled by an answer, the oldest first, unless it is to stay open", async () => {
    const [first, second] = [await ask(), await ask({ text: "A noun?" })];
    expect(await asked()).toBe("A verb?");
    await say({ text: "Wait", still_open: true });
    expect(await asked()).toBe("A verb?");
    await say({ text: "No", answers: second });
    expect(await asked()).toBe("A verb?");
    await say({ text: "Yes" });
    expect(await asked()).toBeUndefined();
    expect((await list("?open=false")).map(({ id }: { id: string }) => id)).toEqual([second, first]);
    const subjects = (await history()).json.data.map((one: { subject: string }) => one.subject);
    expect(subjects.slice(0, 4)).toEqual([
      "Answer about a.json: open",
      "Answer about a.json: open",
      "Comment on a.json: open",
      "Ask about a.json: open",
    ]);
  });

  it("about one language is not settled by an answer about another", async () => {
    await ask({ locale: "fr" });
    await say({ locale: "de" });
    expect(await asked()).toBe("A verb?");
    await say({ locale: "fr" });
    expect(await asked()).toBeUndefined();
  });

  it("is not settled by those who neither asked nor may write", async () => {
    const theirs = await ask();
    expect((await say({ text: "Yes" }, approver)).status).toBe(201);
    expect(await asked()).toBe("A verb?");
    expect((await change(theirs, { settled: true }, approver)).status).toBe(403);
    const own = await ask({ text: "Mine?" }, approver);
    expect((await change(own, { settled: true }, approver)).status).toBe(200);
  });

  it("is asked, replaced and settled by notes, too", async () => {
    const note = (open: object) =>
      call("PATCH", `${hive}/notes`, { body: { files: { "a.json": { open } } }, token: writer });
    expect((await note({ ask: "A verb?" })).json).toMatchObject({ created: 1 });
    expect((await note({ ask: "A verb?" })).json).toMatchObject({ unchanged: 1 });
    await note({ ask: "A noun?" });
    expect(await list()).toMatchObject([
      { text: "A noun?", ask: true, settled: false, withholds: true, author: "Writer" },
      { text: "A verb?", ask: true, settled: true },
    ]);
    expect((await note({ ask: null })).json).toMatchObject({ deleted: 1 });
    expect(await textsOf("?open=true")).toEqual([]);
  });

  it("from work is one of the thread, and may be asked once", async () => {
    const item = { file: "a.json", key: "n_other", ask: "Of what?" };
    for (const token of [writer, admin])
      await call("POST", `${hive}/work/done`, { body: { locale: "fr", items: [item] }, token });
    expect(await list()).toMatchObject([{ key: "n_other", text: "Of what?", author: "Writer" }]);
    expect(await countComments(storage, toHiveSlug("web"))).toMatchObject({ all: 1, open: 1 });
  });
});

describe("who may", () => {
  it("comment are all but tokens that only read", async () => {
    const reader = await makeToken(storage, { abilities: ["read"] });
    const id = await ask({}, approver);
    for (const reply of [
      await say({}, reader),
      await change(id, { settled: true }, reader),
      await remove(id, reader),
    ])
      expect(reply).toMatchObject({ status: 403, json: { code: "missing_ability" } });
    expect(await list("", reader)).toHaveLength(1);
    const blind = await makeToken(storage, { abilities: ["write"] });
    expect((await say({}, blind)).status).toBe(403);
  });

  it("change a text is its author, and delete it an admin, too", async () => {
    const { id } = (await say()).json;
    expect((await change(id, { text: "Mine" }, admin)).status).toBe(403);
    expect((await change(id, { text: "Changed" })).json).toMatchObject({ id, text: "Changed" });
    expect((await change(id, { settled: true })).json.errors).toHaveProperty("settled");
    expect((await change(id, {})).status).toBe(422);
    expect((await remove(id, approver)).status).toBe(403);
    expect((await remove(id, admin)).json).toMatchObject({ id, text: "Changed" });
    expect(await remove(id)).toMatchObject({ status: 404, json: { code: "unknown_comment" } });
    expect(await list()).toEqual([]);
  });

  it("undo a comment are its author and admins, and others leave it", async () => {
    const commit = (await say()).headers.get("x-skep-commit");
    const undo = (token: string) => call("POST", `${hive}/undo`, { body: { commit }, token });
    const other = await makeToken(storage, { abilities: ["read", "write"] });
    await undo(other);
    expect(await textsOf()).toEqual(["Hm"]);
    expect((await undo(writer)).status).toBe(200);
    expect(await textsOf()).toEqual([]);
  });
});

describe("lists", () => {
  it("have what is wanted", async () => {
    await ask({ text: "1", locale: "fr" });
    await ask({ text: "2", key: "close" }, admin);
    await say({ text: "3", locale: "de" }, admin);
    expect(await textsOf("?open=true")).toEqual(["2", "1"]);
    expect(await textsOf("?ask=false")).toEqual(["3"]);
    expect(await textsOf("?locale=de")).toEqual(["3", "2"]);
    expect(await textsOf("?by=me")).toEqual(["1"]);
    expect((await list("?by=me", admin)).map(({ text }: { text: string }) => text)).toEqual(["3", "2"]);
    expect(await textsOf(`?by=${idOf(admin)}`)).toEqual(["3", "2"]);
    expect(await textsOf("?key=close")).toEqual(["2"]);
    expect(await textsOf("?file=nope.json")).toEqual([]);
    expect(await textsOf("?page=2&per_page=2")).toEqual(["1"]);
    for (const query of ["?open=yes", "?locale=ja", "?state=open"])
      expect((await call("GET", path + query)).status).toBe(422);
  });

  it("have questions from before there were comments, each by an id of its own", async () => {
    const notes = { open: { team: { ask: "Why?" } }, close: { team: { note: "N", ask: "Why?" } } };
    await commitOutside(
      { storage, disk, slug: "web" },
      { files: { "notes/a.json.json": JSON.stringify(notes) } },
    );
    const all = await list();
    expect(all).toMatchObject([
      { key: "open", by: null, author: null, at: null, text: "Why?", withholds: true },
      { key: "close", text: "Why?" },
    ]);
    const [open, close] = all;
    expect(open.id).not.toBe(close.id);
    expect((await change(close.id, { settled: true })).json).toMatchObject({ key: "close", settled: true });
    expect(await textsOf("?open=true")).toEqual(["Why?"]);
    expect((await remove(open.id)).status).toBe(403);
    expect((await remove(open.id, admin)).status).toBe(200);
  });
});

describe("comments follow", () => {
  it("a string that is moved, deleted and brought back", async () => {
    await ask();
    const moves = [{ from: { file: "a.json", key: "open" }, to: { file: "b.json", key: "start" } }];
    await call("POST", `${hive}/keys/move`, { body: { moves } });
    expect(await list()).toMatchObject([{ file: "b.json", key: "start", text: "A verb?" }]);
    const gone = await put({ "b.json": {} });
    expect(await list()).toEqual([]);
    await undo(gone.headers.get("x-skep-commit"));
    expect(await list()).toMatchObject([{ key: "start", text: "A verb?" }]);
  });

  it("a branch, which never conflicts", async () => {
    const id = await ask();
    await call("POST", `${hive}/branches`, { body: { name: "next" } });
    const onBranch = (body: object) =>
      call("POST", `${path}?branch=next`, { body: { file: "a.json", key: "open", ...body }, token: writer });
    await onBranch({ text: "There", still_open: true });
    await call("PATCH", `${path}/${id}?branch=next`, { body: { settled: true }, token: writer });
    await change(id, { text: "A verb, or not?" });
    await say({ text: "Here", still_open: true });
    expect((await call("POST", `${hive}/branches/next/merge`, { body: {} })).status).toBe(200);
    // Those of one moment have no order that two branches could agree on.
    const byText = (one: { text: string }, other: { text: string }) => one.text.localeCompare(other.text);
    expect((await list()).toSorted(byText)).toMatchObject([
      { text: "A verb, or not?", settled: true },
      { text: "Here" },
      { text: "There" },
    ]);
  });
});
