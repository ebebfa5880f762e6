/** What concerns a person, and what work waits for them, over HTTP. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Disk } from "../../../../src/disk/disk.ts";
import { toPersonId, toTeamName } from "../../../../src/domain/names.ts";
import { removePerson } from "../../../../src/service/people/people.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { commitOutside } from "../../../helpers/outside.ts";
import { makePersonalToken } from "../../../helpers/people/people.ts";
import { ownerGrant } from "../../../helpers/people/tokens.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeHive, makeToken, prepareWeb, type Call } from "../../../helpers/storage.ts";

const inbox = "/api/me/inbox";
const dayMs = 24 * 60 * 60 * 1000;

const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
const options = { locales: ["fr", "de"], storage: { now: () => clock.now } };
const prepared = prepareWeb(options, async ({ storage, put }) => {
  const files = { "a.json": { a: "A", b: "B", n_one: "{{count}} file", n_other: "{{count}} files" } };
  await put(files);
  const all = ["read", "write", "approve"] as const;
  const token = (id: string, more: object = {}) =>
    makePersonalToken(storage, { id, name: `Name of ${id}`, abilities: all, ...more });
  return {
    anna: await token("anna", { review: "always", locales: ["fr"] }),
    ben: await token("ben"),
    cara: await token("cara", { abilities: ["read", "write"], locales: ["de"] }),
    reader: await token("reader", { abilities: ["read"] }),
    admin: await makeToken(storage, { abilities: ["admin"] }),
  };
});

let disk: Disk;
let storage: Storage;
let call: Call;
const { translate, put } = hiveAt(() => call);
let made: Awaited<ReturnType<typeof prepared>>["made"];
beforeEach(async () => {
  clock.now = Date.parse("2026-01-02T00:00:00Z");
  ({ disk, storage, call, made } = await prepared());
});

const write = (token: string, texts: object) => {
  clock.now += 60_000;
  return translate("fr", { "a.json": texts }, { token });
};
const decide = (token: string, what: "approve" | "reject", more: object = {}) => {
  clock.now += 60_000;
  const body = { locale: "fr", file: "a.json", keys: ["a"], ...more };
  return call("POST", `/api/hives/web/review/${what}`, { token, body });
};
const say = async (token: string, more: object = {}) => {
  clock.now += 60_000;
  const body = { file: "a.json", key: "b", text: "Hm", ...more };
  return (await call("POST", "/api/hives/web/comments", { token, body })).json;
};
const eventsOf = async (token: string) => (await call("GET", inbox, { token })).json.data;

describe("an inbox", () => {
  it("tells of a text that was rejected, with the reason, and of one that was changed", async () => {
    await write(made.anna, { a: "Un" });
    await decide(made.ben, "reject", { reason: "Too short." });
    await write(made.anna, { a: "Une" });
    await decide(made.ben, "approve");
    const { json: changed } = await write(made.ben, { a: "Deux" });
    expect(changed).toMatchObject({ updated: 1 });
    const { json, status } = await call("GET", inbox, { token: made.anna });
    expect(status).toBe(200);
    expect(json).toMatchObject({ new: 2, seen: null, meta: { total: 2 } });
    const common = { hive: "web", file: "a.json", key: "a", locale: "fr", by: "ben", author: "Name of ben" };
    expect(json.data).toEqual([
      expect.objectContaining({ kind: "changed", ...common, before: "Une", after: "Deux", reason: null }),
      expect.objectContaining({
        kind: "rejected",
        ...common,
        before: "Un",
        after: null,
        reason: "Too short.",
      }),
    ]);
    expect(await eventsOf(made.ben)).toEqual([]);
  });

  it("tells of a plural form that only translations have", async () => {
    await write(made.ben, { n_many: "{{count}} de fichiers" });
    await write(made.anna, { n_many: "{{count}} fichiers" });
    expect(await eventsOf(made.ben)).toEqual([expect.objectContaining({ kind: "changed", key: "n_many" })]);
  });

  it("tells of answers where one had said something, and not of what came before", async () => {
    await say(made.ben, { text: "Before" });
    const asked = await say(made.cara, { text: "A verb?", ask: true, locale: "fr" });
    const answered = await say(made.anna, { text: "Yes", answers: asked.id });
    await say(made.cara, { text: "Thanks" });
    expect(await eventsOf(made.cara)).toEqual([
      expect.objectContaining({
        kind: "answered",
        hive: "web",
        file: "a.json",
        key: "b",
        comment: answered.id,
        text: "Yes",
        author: "Name of anna",
        before: null,
        commit: null,
      }),
    ]);
    expect((await eventsOf(made.ben)).map(({ text }: { text: string }) => text)).toEqual([
      "Thanks",
      "Yes",
      "A verb?",
    ]);
  });

  it("forgets after 30 days", async () => {
    await write(made.anna, { a: "Un" });
    await decide(made.ben, "reject", { reason: "No." });
    await say(made.cara);
    await say(made.anna);
    clock.now += 30 * dayMs - 300_000;
    expect([await eventsOf(made.anna), await eventsOf(made.cara)].map(({ length }) => length)).toEqual([
      1, 1,
    ]);
    clock.now += 600_000;
    expect([await eventsOf(made.anna), await eventsOf(made.cara)]).toEqual([[], []]);
  });

  it("has what is new until it was seen, on each server of the storage", async () => {
    await say(made.cara);
    await say(made.anna, { text: "First" });
    const [{ at }] = await eventsOf(made.cara);
    const seen = await call("POST", `${inbox}/seen`, { token: made.cara, body: { until: at } });
    expect([seen.status, seen.json]).toEqual([200, { seen: at }]);
    await say(made.anna, { text: "Second" });
    const { json } = await call("GET", inbox, { token: made.cara });
    expect([json.new, json.seen]).toEqual([1, at]);
    expect(json.data.map((one: { new: boolean }) => one.new)).toEqual([true, false]);
    const early = { until: "2026-01-01T00:00:00Z" };
    const again = await call("POST", `${inbox}/seen`, { token: made.cara, body: early });
    expect(again.json).toEqual({ seen: at });
    expect(await storage.inboxes.read(toPersonId("cara"))).toEqual({ seen: at });
    await removePerson(storage, ownerGrant(toTeamName("acme")), "cara");
    expect(await storage.record.documents.read("inboxes/cara.json")).toBeUndefined();
  });

  it.each([
    ["no time", { until: "yesterday" }],
    ["a time that has not come", { until: "2026-01-03T00:00:00Z" }],
    ["nothing", {}],
  ])("is not seen up to %s", async (_, body) => {
    const { status, json } = await call("POST", `${inbox}/seen`, { token: made.anna, body });
    expect([status, Object.keys(json.errors)]).toEqual([422, ["until"]]);
  });

  it("is of no use to a token of nobody but for what waits", async () => {
    await write(made.anna, { a: "Un" });
    await say(made.cara, { ask: true });
    const { json } = await call("GET", inbox);
    expect(json).toMatchObject({ data: [], new: 0, seen: null, counted: true });
    expect(json.waiting).toMatchObject([{ hive: "web", questions: 1 }]);
    const seen = await call("POST", `${inbox}/seen`, { body: { until: "2026-01-01T00:00:00Z" } });
    expect([seen.status, seen.json.code]).toEqual([403, "no_person"]);
  });

  it("tells nothing of Hives that a person, or their token, cannot read", async () => {
    await makeHive(storage, "other", { locales: ["fr"] });
    await say(made.cara);
    await say(made.anna);
    expect(await eventsOf(made.cara)).toHaveLength(1);
    const reach = await call("PATCH", "/api/people/cara", {
      token: made.admin,
      body: { hives: ["other"] },
    });
    expect(reach.status).toBe(200);
    expect((await call("GET", inbox, { token: made.cara })).json).toMatchObject({ data: [], waiting: [] });
    const some = await makePersonalToken(storage, { id: "anna" }, { abilities: ["read"], hives: ["other"] });
    expect((await call("GET", inbox, { token: some })).json).toMatchObject({ data: [], waiting: [] });
  });

  it("leaves out a Hive that cannot be read", async () => {
    await makeHive(storage, "other", { locales: ["fr"] });
    await say(made.cara);
    await say(made.anna);
    await commitOutside({ storage, disk, slug: "other" }, { files: { "hive.yaml": "no settings" } });
    const { status, json } = await call("GET", inbox, { token: made.cara });
    expect([status, json.data.length, json.waiting.length]).toEqual([200, 1, 1]);
  });
});

describe("what waits", () => {
  const waitingFor = async (token: string) => (await call("GET", inbox, { token })).json.waiting;

  it("is what the caller may do in their languages, and what is open", async () => {
    await write(made.anna, { a: "Un" });
    await say(made.cara, { ask: true });
    expect(await waitingFor(made.anna)).toEqual([
      {
        hive: "web",
        name: "web",
        reviews: 1,
        missing: 3,
        to_translate: 3,
        questions: 1,
        conflicts: 0,
        locales: [{ code: "fr", reviews: 1, missing: 3, to_translate: 3 }],
      },
    ]);
    expect(await waitingFor(made.ben)).toMatchObject([
      { missing: 7, to_translate: 7, locales: [{ code: "fr" }, { code: "de", reviews: 0, missing: 4 }] },
    ]);
    expect(await waitingFor(made.reader)).toMatchObject([
      { reviews: 0, missing: 0, to_translate: 0, questions: 1, locales: [] },
    ]);
  });

  it("is what a release has made stale, and what fails, each text once", async () => {
    const plural = { n_one: "{{count}} file", n_other: "{{count}} files" };
    await put({ "a.json": { a: "A", b: "B {{n}}", ...plural } });
    const texts = { a: "Un", b: "Deux {{n}}", ...plural, n_many: "{{count}} files" };
    await translate("fr", { "a.json": texts }, { token: made.ben });
    const french = async () =>
      (await waitingFor(made.ben))[0].locales.find(({ code }: { code: string }) => code === "fr");
    expect(await french()).toBeUndefined();
    await put({ "a.json": { a: "A!", b: "B {{name}}", ...plural } });
    expect((await call("GET", "/api/hives/web")).json.locales.fr).toMatchObject({ warning: 2, failing: 1 });
    expect(await french()).toEqual({ code: "fr", reviews: 0, missing: 0, to_translate: 2 });
  });

  it("is no question of one's own, which waits for others, whichever token asked it", async () => {
    await say(made.anna, { ask: true });
    const other = await makePersonalToken(storage, { id: "anna" }, { abilities: ["read"] });
    for (const own of [made.anna, other]) {
      const [waiting] = await waitingFor(own);
      expect(waiting?.questions ?? 0).toBe(0);
    }
    expect(await waitingFor(made.cara)).toMatchObject([{ questions: 1 }]);
    await say(made.cara, { ask: true });
    expect(await waitingFor(made.anna)).toMatchObject([{ questions: 1 }]);
  });

  it("has the conflicts of branches for those who may write", async () => {
    await write(made.ben, { a: "Un" });
    await call("POST", "/api/hives/web/branches", { token: made.ben, body: { name: "fix" } });
    await write(made.ben, { a: "Deux" });
    await translate("fr", { "a.json": { a: "Trois" } }, { query: "branch=fix", token: made.ben });
    expect(await waitingFor(made.ben)).toMatchObject([{ conflicts: 1 }]);
    expect(await waitingFor(made.reader)).toEqual([]);
  });
});
