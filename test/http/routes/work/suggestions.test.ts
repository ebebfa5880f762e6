/** Translations that engines suggest: from all that is known of a string, checked, and never stored. */
import { beforeEach, expect, it, vi } from "vitest";
import type { OutgoingRequest, SendOutgoing } from "../../../../src/service/outgoing-request.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { answerOf, askedOf, completionOf, modelOf } from "../../../helpers/engines/answering.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { appOn, makeToken, type Call, setUpWeb } from "../../../helpers/storage.ts";
import { eventually } from "../../../helpers/eventually.ts";

const hive = "/api/hives/web";
let storage: Storage;
let call: Call;
let sent: OutgoingRequest[];
let answer: SendOutgoing;
const { put, fill, history } = hiveAt(() => call);

beforeEach(async () => {
  sent = [];
  answer = modelOf((source) => source.replace("Hello", "Bonjour"));
  ({ storage, call } = await setUpWeb({
    storage: {
      sendToEngine: (request) => {
        sent.push(request);
        return answer(request);
      },
    },
    token: { abilities: ["admin"] },
  }));
  await put({
    "a.json": { hi: "Hello {{name}}", file_one: "{{count}} file", file_other: "{{count}} files" },
  });
});

const engine = (members: object = {}) =>
  call("POST", "/api/engines", { body: { name: "gpt", type: "openai", model: "m", ...members } });
const suggest = async (members: object = {}, token?: string) =>
  call("POST", `${hive}/suggestions`, {
    body: { locale: "fr", file: "a.json", key: "hi", ...members },
    token,
  });

it("come from each engine that serves the locale, with what is wrong in them", async () => {
  await engine();
  await engine({ name: "german", locales: ["de"] });
  await engine({ name: "lazy", type: "libretranslate", url: "https://e.example", model: null });
  const { status, json } = await suggest();
  expect([status, json.suggestions]).toMatchObject([
    200,
    [
      { engine: "gpt", model: "small-1", forms: { other: "Bonjour {{name}}" }, findings: [], error: null },
      { engine: "lazy", model: null, forms: {}, error: expect.stringContaining("The engine lazy failed") },
    ],
  ]);
  answer = async () =>
    answerOf(completionOf('{"items":[{"id":1,"forms":[{"form":"other","text":"Bonjour"}]}]}'));
  const other = await suggest({ engine: "german", locale: "de" });
  expect(other.json.suggestions).toMatchObject([
    {
      forms: { other: "Bonjour" },
      findings: [{ check: "argument-missing", locale: "de", severity: "warning" }],
    },
  ]);
  expect((await history()).json.data[0].operation).not.toBe("work");
});

it("have all plural forms, and what is known of the string", async () => {
  await engine();
  await call("PATCH", `${hive}/notes`, {
    body: { files: { "a.json": { file_other: { note: "On a disk" } } } },
  });
  await call("POST", `${hive}/glossary`, {
    body: { terms: [{ source: "files", translations: { fr: { text: "fichiers" } } }] },
  });
  await call("PUT", `${hive}/style/fr`, { body: { text: "Say vous." } });
  await fill("fr", { "a.json": { hi: "Salut {{name}}" } });
  await call("PATCH", hive, { body: { plurals: "i18next" } });
  const { json } = await suggest({ key: "file_other" });
  expect(Object.keys(json.suggestions[0].forms)).toEqual(["one", "other"]);
  expect(sent[0] && askedOf(sent[0])).toMatchObject({
    locale: "fr",
    source_locale: "en",
    style: "Say vous.",
    items: [
      {
        syntax: "i18next",
        note: "On a disk",
        terms: [{ source: "files", translation: "fichiers" }],
        neighbours: [{ key: "hi", translation: "Salut {{name}}" }],
      },
    ],
  });
});

it("are not asked for again within the hour, unless something changes", async () => {
  await engine();
  for (let i = 0; i < 3; i++) await suggest();
  expect(sent).toHaveLength(1);
  await call("PATCH", `${hive}/notes`, { body: { files: { "a.json": { hi: { note: "To a person" } } } } });
  await suggest();
  expect(sent).toHaveLength(2);
  await call("PATCH", "/api/engines/gpt", { body: { model: "n" } });
  await suggest();
  expect(sent).toHaveLength(3);
});

it("are asked for once by all who ask at the same time, also when the first has left", async () => {
  await engine();
  const good = answer;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  answer = async (request) => {
    await released;
    return good(request);
  };
  const { app } = appOn(storage, {});
  const token = await makeToken(storage, { abilities: ["admin"] });
  const leaving = new AbortController();
  const first = Promise.resolve(
    app.fetch(
      new Request(`http://test${hive}/suggestions`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ locale: "fr", file: "a.json", key: "hi" }),
        signal: leaving.signal,
      }),
    ),
  );
  await eventually(() => expect(sent).toHaveLength(1));
  leaving.abort();
  const looked = vi.spyOn(storage.suggestions, "get");
  const others = [suggest(), suggest({ engine: "gpt" })];
  // None of them finds an answer, and all wait for the same one.
  await eventually(() => expect(looked).toHaveBeenCalledTimes(2));
  release();
  for (const { json } of await Promise.all(others))
    expect(json.suggestions).toMatchObject([{ forms: { other: "Bonjour {{name}}" } }]);
  await first.catch(() => undefined);
  expect([sent.length, storage.suggesting.size]).toEqual([1, 0]);
  // What fails is asked for anew.
  answer = async () => answerOf("", 500);
  for (const key of ["file_other", "file_other"]) await suggest({ key });
  expect(sent).toHaveLength(3);
});

it("are the same when others have translated its neighbours meanwhile", async () => {
  await engine();
  await suggest({ key: "hi" });
  const texts = { file_one: "{{count}} fichier", file_other: "{{count}} fichiers" };
  await fill("fr", { "a.json": texts });
  await suggest({ key: "hi" });
  expect(sent).toHaveLength(1);
});

it("need read and write, the locale, a string, an engine, and a Hive that allows them", async () => {
  await engine();
  for (const abilities of [["read"], ["write"]] as const)
    expect((await suggest({}, await makeToken(storage, { abilities }))).status).toBe(403);
  const german = await makeToken(storage, { abilities: ["read", "write"], locales: ["de"] });
  expect((await suggest({}, german)).json.code).toBe("limited_token");
  expect((await suggest({ key: "nope" })).status).toBe(404);
  expect((await suggest({ locale: "es" })).json.code).toBe("unknown_locale");
  expect((await suggest({ engine: "nope" })).json).toMatchObject({
    code: "unknown_engine",
    errors: { engine: [expect.any(String)] },
  });
  expect((await call("PATCH", hive, { body: { engines: false } })).json.engines).toBe(false);
  expect((await call("GET", hive)).json.engines).toBe(false);
  expect((await suggest()).json.code).toBe("engines_off");
  expect(sent).toEqual([]);
  expect((await call("PATCH", hive, { body: { engines: true } })).json.engines).toBe(true);
  expect((await suggest()).status).toBe(200);
});
