/** Engines of a team over HTTP: managed like webhooks, and their keys are never shown. */
import { beforeEach, expect, it } from "vitest";
import { answersOwner } from "../../../src/http/in-process.ts";
import { engineOperations } from "../../../src/http/operations/engines.ts";
import { defaults } from "../../../src/config/settings.ts";
import { toTeamName } from "../../../src/domain/names.ts";
import type { SendOutgoing } from "../../../src/service/outgoing-request.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { answerOf, modelOf } from "../../helpers/engines/answering.ts";
import { type Call, setUpWeb } from "../../helpers/storage.ts";

let storage: Storage;
let call: Call;
let answer: SendOutgoing;

beforeEach(async () => {
  answer = modelOf((source) => source.replace("Hello", "Hola"));
  ({ storage, call } = await setUpWeb({
    storage: { sendToEngine: (request) => answer(request) },
    token: { abilities: ["admin"] },
  }));
});

const model = {
  name: "gpt",
  type: "openai",
  url: "https://e.example/v1",
  model: "m",
  key: "s3cret",
} as const;

it("they are added, listed, changed, tried and removed, and their keys are never shown", async () => {
  const added = await call("POST", "/api/engines", { body: { ...model, locales: ["fr"] } });
  const shown = {
    name: "gpt",
    type: "openai",
    url: "https://e.example/v1",
    model: "m",
    has_key: true,
    locales: ["fr"],
    max_characters_per_day: 200_000,
    instructions: null,
    formality: null,
    suggest: "ask",
    state: "ready",
    error: null,
    retry: null,
    used: { characters: 0, tokens: 0, requests: 0, saved: 0, refused: 0 },
  };
  expect([added.status, added.json]).toMatchObject([201, shown]);
  const tried = await call("POST", "/api/engines/gpt/try", { body: { text: "Hello {name}", to: "es" } });
  const result = { text: "Hola {name}", model: "small-1", characters: 12, tokens: 7, findings: [] };
  expect(tried.json).toEqual(result);
  const used = { characters: 12, tokens: 7, requests: 1, saved: 0, refused: 0 };
  const changed = { locales: null, suggest: "auto", max_characters_per_day: null };
  expect((await call("PATCH", "/api/engines/gpt", { body: changed })).json).toMatchObject({
    ...shown,
    ...changed,
    used,
  });
  expect((await call("GET", "/api/engines/gpt")).json).toMatchObject({ ...changed, has_key: true });
  expect((await call("GET", "/api/engines")).json.data).toMatchObject([changed]);
  expect((await call("DELETE", "/api/engines/gpt")).status).toBe(200);
  expect((await call("GET", "/api/engines")).json.data).toEqual([]);
  const audit = await call("GET", "/api/audit");
  const events = ["engine_removed", "engine_changed", "engine_added"];
  expect(audit.json.data.map(({ event }: { event: string }) => event).slice(0, 3)).toEqual(events);
  for (const { text } of [added, tried, audit]) expect(text).not.toContain("s3cret");
  // Another one of its name begins anew.
  expect((await call("POST", "/api/engines", { body: model })).json.used.characters).toBe(0);
});

it.each([
  [{ name: "A b" }, "name"],
  [{ name: "-a" }, "name"],
  [{ type: "google" }, "type"],
  [{ url: "ftp://e.example" }, "url"],
  [{ url: "https://user:pw@e.example" }, "url"],
  [{ url: "https://e.example/?key=1" }, "url"],
  [{ model: null }, "model"],
  [{ type: "libretranslate", url: null, model: null }, "url"],
  [{ type: "deepl", url: null }, "model"],
  [{ type: "deepl", model: null, instructions: "Be brief" }, "instructions"],
  [{ formality: { fr: "more" } }, "formality"],
  [{ type: "deepl", model: null, formality: { fr: "very" } }, "formality.fr"],
  [{ key: "env:SECRET" }, "key"],
  [{ key: "file:/etc/passwd" }, "key"],
  [{ key: "a\nb" }, "key"],
  [{ key: "schlüssel" }, "key"],
  [{ locales: [] }, "locales"],
  [{ max_characters_per_day: 0 }, "max_characters_per_day"],
  [{ instructions: "x".repeat(4_001) }, "instructions"],
])("%j is refused, and names the member", async (members, field) => {
  const { status, json } = await call("POST", "/api/engines", { body: { ...model, ...members } });
  expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
});

it("a key is not sent to another address than it was given for", async () => {
  await call("POST", "/api/engines", { body: model });
  for (const body of [{ url: "https://thief.example" }, { url: null }, { type: "apertium", model: null }]) {
    const { status, json } = await call("PATCH", "/api/engines/gpt", { body });
    expect([status, Object.keys(json.errors)]).toEqual([422, ["key"]]);
  }
  const moved = { url: "https://other.example", key: "another" };
  expect((await call("PATCH", "/api/engines/gpt", { body: moved })).status).toBe(200);
  expect((await call("PATCH", "/api/engines/gpt", { body: { url: null, key: null } })).json.has_key).toBe(
    false,
  );
});

it("the owner of the storage may say where a key is, which is read when it is needed", async () => {
  const team = await storage.registry.team(toTeamName("acme"));
  if (team === undefined) throw new Error("there is no team");
  const owner = answersOwner({ ...defaults, storage, log: { error: () => {} } }, "engine create");
  const body = JSON.stringify({ ...model, key: "env:SKEP_TEST_ENGINE_KEY" });
  const headers = { "content-type": "application/json" };
  const request = new Request("http://storage.invalid/api/engines", { method: "POST", body, headers });
  expect((await owner(engineOperations.routes.addEngine, { params: {}, request }, team)).status).toBe(201);
  const trial = { body: { text: "Hello", to: "es" } };
  expect((await call("POST", "/api/engines/gpt/try", trial)).json).toMatchObject({
    code: "engine_failed",
    message: "The engine gpt failed: the server has no such environment variable as its key names.",
  });
  process.env["SKEP_TEST_ENGINE_KEY"] = "from-here";
  let header = "";
  answer = async (sent) => {
    header = sent.headers["authorization"] ?? "";
    return modelOf((source) => source)(sent);
  };
  expect((await call("POST", "/api/engines/gpt/try", trial)).status).toBe(200);
  delete process.env["SKEP_TEST_ENGINE_KEY"];
  expect(header).toBe("Bearer from-here");
});

it("one that fails is down for a while, and a trial that it answers makes it ready", async () => {
  await call("POST", "/api/engines", { body: model });
  const trial = { body: { text: "Hello", to: "es" } };
  answer = async () => answerOf({ error: { message: "overloaded" } }, 503);
  for (let i = 0; i < 5; i++) {
    const { status, json } = await call("POST", "/api/engines/gpt/try", trial);
    expect([status, json.message]).toEqual([502, "The engine gpt failed: it answered with 503: overloaded."]);
  }
  expect((await call("GET", "/api/engines/gpt")).json).toMatchObject({
    state: "down",
    error: "it answered with 503: overloaded",
    retry: expect.any(String),
  });
  answer = modelOf((source) => source);
  expect((await call("POST", "/api/engines/gpt/try", trial)).status).toBe(200);
  expect((await call("GET", "/api/engines/gpt")).json).toMatchObject({ state: "ready", error: null });
});

it("twenty is the most, and names are unique in a team", async () => {
  for (let i = 0; i < 20; i++) await call("POST", "/api/engines", { body: { ...model, name: `e${i}` } });
  expect((await call("POST", "/api/engines", { body: { ...model, name: "e3" } })).json.code).toBe(
    "engine_exists",
  );
  expect((await call("POST", "/api/engines", { body: model })).json.code).toBe("limit_reached");
});
