/** Locales of which too little is translated do not go out. */
import { beforeEach, describe, expect, it } from "vitest";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeToken, prepareWeb, type Call } from "../../../helpers/storage.ts";

const hive = "/api/hives/web";
let call: Call;
/** Writes texts that wait for a review. */
let suggest: (locale: string, files: object) => Promise<unknown>;
const { history } = hiveAt(() => call);

const prepared = prepareWeb(
  { locales: ["fr", "de", "pt-BR=pt_BR"], token: { abilities: ["admin"] } },
  async (made) => {
    await made.put({ "app.json": { a: "A {a}", b: "B", c: "C", d: "D" } });
    await made.call("PATCH", hive, { body: { checks: { syntax: [{ files: "*", syntax: "icu" }] } } });
    await translate(made.call, "fr", { a: "A {a}", b: "B", c: "C" });
    await translate(made.call, "de", { a: "A", b: "B", c: "C", d: "D" });
    await translate(made.call, "pt_BR", { a: "A {a}", b: "B", c: "C" });
    return makeToken(made.storage, { abilities: ["read", "write"], review: "always" });
  },
);

const translate = (send: Call, locale: string, texts: object, token?: string) =>
  send("POST", `${hive}/translations/${locale}`, {
    body: { files: { "app.json": texts }, overwrite_strategy: "overwrite" },
    token,
  });

beforeEach(async () => {
  const { call: send, made: token } = await prepared();
  call = send;
  suggest = (locale, texts) => translate(send, locale, texts, token);
});

const exported = async (query: string) => {
  const { status, json } = await call("GET", `${hive}/export?${query}`);
  expect(status).toBe(200);
  return { files: Object.keys(json.files), left: json.left_out };
};

describe("an export of all locales", () => {
  it("names the locales that it leaves out, and never the source locale", async () => {
    expect(await exported("min_complete=75")).toEqual({
      files: ["en.json", "fr.json", "de.json", "pt_BR.json"],
      left: [],
    });
    expect(await exported("min_complete=76&format=php")).toMatchObject({
      files: ["en/app.php", "de/app.php"],
      left: [
        { locale: "fr", percent: 75 },
        { locale: "pt_BR", percent: 75 },
      ],
    });
    expect((await exported("")).left).toBeUndefined();
  });

  it("counts what goes out by the state of reviews and by errors", async () => {
    await suggest("fr", { b: "Bé", d: "D" });
    const left = async (query: string) => (await exported(`min_complete=100&${query}`)).left;
    expect(await left("")).toEqual([{ locale: "pt_BR", percent: 75 }]);
    // The former text of b goes out, d never was approved.
    expect(await left("state=approved")).toEqual([
      { locale: "fr", percent: 75 },
      { locale: "pt_BR", percent: 75 },
    ]);
    expect(await left("failing=omit")).toEqual([
      { locale: "de", percent: 75 },
      { locale: "pt_BR", percent: 75 },
    ]);
  });

  it("is of the state that is asked for, on branches and at commits, too", async () => {
    const { json } = await history();
    await call("POST", `${hive}/branches`, { body: { name: "next" } });
    await translate(call, "fr", { d: "D" });
    const of = async (query: string) =>
      (await exported(`min_complete=80&${query}`)).left.map(({ locale }: { locale: string }) => locale);
    for (let i = 0; i < 2; i++) {
      expect(await of("")).toEqual(["pt_BR"]);
      expect(await of("branch=next")).toEqual(["fr", "pt_BR"]);
      expect(await of(`at=${json.data[0].commit}`)).toEqual(["fr", "pt_BR"]);
    }
  });
});

it("an export of one locale has no files where it is left out", async () => {
  expect(await exported("locale=fr&min_complete=76")).toEqual({
    files: [],
    left: [{ locale: "fr", percent: 75 }],
  });
  expect(await exported("locale=en&min_complete=100")).toEqual({ files: ["app.json"], left: [] });
  expect(await exported("locale=en-XA&min_complete=100")).toEqual({ files: ["app.json"], left: [] });
});

it.each(["0", "101", "50.5", "", "x", "50&min_complete=50"])(
  "a percentage is from 1 to 100: %j",
  async (given) => {
    const { status, json } = await call("GET", `${hive}/export?min_complete=${given}`);
    expect([status, Object.keys(json.errors)]).toEqual([422, ["min_complete"]]);
  },
);

describe("a channel", () => {
  const ask = (path: string) => call("GET", path, { token: null });

  it("publishes no locale of which too little is translated, and names it in its manifest", async () => {
    const { json: channel } = await call("POST", `${hive}/channels`, {
      body: { name: "app", min_complete: 76, pseudo: true },
    });
    expect(channel.min_complete).toBe(76);
    const manifest = async () => (await ask(`${channel.path}manifest.json`)).json;
    const before = await manifest();
    expect(Object.keys(before.files)).toEqual(["en.json", "de.json", "en-XA.json", "ar-XB.json"]);
    expect(before.left_out).toEqual([
      { locale: "fr", percent: 75 },
      { locale: "pt_BR", percent: 75 },
    ]);
    for (const name of ["fr.json", "fr/app.json", "pt-BR.json"])
      expect((await ask(channel.path + name)).status).toBe(404);
    await translate(call, "fr", { d: "D" });
    expect((await manifest()).left_out).toEqual([{ locale: "pt_BR", percent: 75 }]);
    expect((await ask(`${channel.path}fr.json`)).json).toMatchObject({ d: "D" });
    const changed = await call("PATCH", `${hive}/channels/app`, { body: { min_complete: null } });
    expect(changed.json.min_complete).toBeNull();
    expect((await manifest()).left_out).toBeUndefined();
    expect((await ask(`${channel.path}pt_BR.json`)).status).toBe(200);
  });

  it.each([0, 101, 1.5, "80"])("takes a percentage from 1 to 100 alone: %j", async (given) => {
    const { status, json } = await call("PUT", `${hive}/channels/app`, {
      body: { public: true, min_complete: given },
    });
    expect([status, Object.keys(json.errors)]).toEqual([422, ["min_complete"]]);
  });
});
