/** Engines of all types: what they are sent, and what is taken of their answers. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../../src/domain/engines/engine.ts";
import { toEngineName } from "../../../src/domain/engines/engine.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toTeamName } from "../../../src/domain/names.ts";
import { createTeam } from "../../../src/service/admin/teams.ts";
import { translateItems, type EngineItem } from "../../../src/service/engines/translate-items.ts";
import type { OutgoingAnswer, OutgoingRequest, SendOutgoing } from "../../../src/service/outgoing-request.ts";
import { answerOf, askedOf, completionOf, modelOf } from "../../helpers/engines/answering.ts";
import {
  deeplRequest,
  libretranslateRequest,
  openaiRequest,
} from "../../helpers/engines/published-requests.ts";
import { memoryStorage } from "../../helpers/storage.ts";

const team = toTeamName("acme");
const base = { name: toEngineName("a"), suggest: "ask", added: "2026-01-02T03:04:05.000Z" } as const;
const engines: Readonly<Record<Engine["type"], Engine>> = {
  openai: {
    ...base,
    type: "openai",
    url: "https://e.example/v1/",
    model: "m",
    key: "sk-secret",
    instructions: "Be brief.",
  },
  deepl: { ...base, type: "deepl", key: "secret:fx", formality: { fr: "less" } },
  libretranslate: { ...base, type: "libretranslate", url: "https://e.example", key: "secret" },
  apertium: { ...base, type: "apertium", url: "https://e.example/apy" },
};

const form = (source: string, name = "other", isOwn = true) => ({
  form: name,
  source,
  example: undefined,
  isOwn,
});
const item = (...forms: EngineItem["forms"]): EngineItem => ({
  syntax: "brace",
  forms,
  context: { note: "Of a door" },
});

async function translating(engine: Engine, send: SendOutgoing, items: readonly EngineItem[], locale = "fr") {
  const sent: OutgoingRequest[] = [];
  const storage = memoryStorage({
    sendToEngine: (request) => {
      sent.push(request);
      return send(request);
    },
  });
  await createTeam(storage, team, undefined);
  const work = { team, engine, locale: toLocale(locale), sourceLocale: toLocale("en-GB"), style: "Tutoyer" };
  const run = () =>
    translateItems(storage, { ...work, signal: new AbortController().signal, timeoutMs: 1_000 }, items);
  const useOf = async () => (await storage.engines.uses(team))(engine.name);
  return { run, sent, useOf };
}

/** Each of these gives its texts in capitals, as the service would. */
const upper = (xml: string): string =>
  xml.toUpperCase().replaceAll("<X ID", "<x id").replaceAll("&AMP;", "&amp;");
const services: Readonly<Record<Engine["type"], SendOutgoing>> = {
  openai: modelOf((source) => source.toUpperCase().replaceAll("{NAME}", "{name}")),
  deepl: async ({ body }) =>
    answerOf({ translations: JSON.parse(body).text.map((text: string) => ({ text: upper(text) })) }),
  libretranslate: async ({ body }) => answerOf({ translatedText: JSON.parse(body).q.map(upper) }),
  apertium: async ({ body }) => {
    const q = new URLSearchParams(body).get("q") ?? "";
    return answerOf({
      responseData: { translatedText: upper(q).replaceAll(/<(\/?)P>/g, "<$1p>") },
      responseStatus: 200,
    });
  },
};
const all = Object.values(engines).map((engine) => [engine.type, engine, services[engine.type]] as const);

const published: Readonly<Partial<Record<Engine["type"], object>>> = {
  openai: openaiRequest,
  deepl: deeplRequest,
  libretranslate: libretranslateRequest,
};

describe("an engine of the type", () => {
  it.each(
    all.flatMap(([type, ...rest]) => (published[type] ? [[type, published[type], ...rest] as const] : [])),
  )("%s is asked as its published schema has it", async (_, schema, engine, service) => {
    const { run, sent } = await translating(engine, service, [item(form("Save {name}"), form("Go"))]);
    await run();
    const isValid = new Ajv2020({ strict: true, allErrors: true }).compile(schema);
    for (const { body } of sent) expect([isValid(JSON.parse(body)), isValid.errors]).toEqual([true, null]);
    expect(sent).toHaveLength(1);
  });

  it.each(all)("%s gives texts with their arguments", async (_, engine, service) => {
    const items = [item(form("Hello {name} & you")), item(form("Save")), item(form("Save"))];
    const { run, useOf } = await translating(engine, service, items);
    const { texts, characters } = await run();
    expect(texts.map((one) => one.get("other"))).toEqual(["HELLO {name} & YOU", "SAVE", "SAVE"]);
    expect(await useOf()).toMatchObject({ characters, requests: 1 });
  });

  it.each(all)("%s never shows its key, whatever it answers", async (_, engine, __) => {
    const { key = "none" } = engine;
    for (const status of [400, 401, 403, 429, 456, 500]) {
      const said = { error: { message: `wrong ${key}, see sk-proj-12345` }, message: `the key ${key}` };
      const { run, useOf } = await translating(engine, async () => answerOf(said, status), [item(form("A"))]);
      const error: unknown = await run().catch((thrown: unknown) => thrown);
      expect(String(error)).toContain(`The engine a failed: it answered with ${status}`);
      expect(`${String(error)} ${JSON.stringify(await useOf())}`).not.toMatch(/secret|12345/);
    }
  });

  const faults: readonly (readonly [string, OutgoingAnswer, string])[] = [
    ["that is not JSON", answerOf("<html>"), "its answer is not JSON"],
    ["that is too long", answerOf("{", 200, {}, false), "its answer broke off, or is longer than 2 MiB"],
    ["that redirects", answerOf("", 302), "it answered with 302; redirects are not followed"],
    ["of another shape", answerOf({ ok: true }), ""],
    ["that is a list", answerOf([]), ""],
  ];
  it.each(all.flatMap(([type, engine]) => faults.map((fault) => [type, engine, fault] as const)))(
    "%s fails for other answers",
    async (_, engine, [, answer, message]) => {
      const { run, useOf } = await translating(engine, async () => answer, [item(form("A"))]);
      await expect(run()).rejects.toMatchObject({
        code: "engine-failed",
        message: expect.stringContaining(message),
      });
      expect(await useOf()).toMatchObject({ failure: { attempts: 1, kind: "down" } });
    },
  );

  it.each(all)("%s gives no text where it loses an argument, or says nothing", async (type, engine) => {
    const broken: Readonly<Record<Engine["type"], unknown>> = {
      openai: completionOf('{"items": [{"id": 7, "forms": [{"form": "other", "text": "B"}]}]}'),
      deepl: { translations: [{ text: "Bonjour" }] },
      libretranslate: { translatedText: ["Bonjour <x id='9'/>"] },
      apertium: { responseData: { translatedText: "<p>Bonjour</p>" } },
    };
    const { run } = await translating(engine, async () => answerOf(broken[type]), [
      item(form("Hello {name}")),
    ]);
    expect((await run()).texts).toEqual([new Map()]);
  });
});

it("a text without prose is the same, and is not sent to an engine that knows no syntax", async () => {
  const items = [item(form("{count}")), item(form("Save"))];
  const { run, sent } = await translating(engines.libretranslate, services.libretranslate, items);
  expect((await run()).texts.map((one) => one.get("other"))).toEqual(["{count}", "SAVE"]);
  expect(JSON.parse(sent[0]?.body ?? "").q).toEqual(["Save"]);
});

describe("what is sent", () => {
  it("to a model are all forms, and what is known of the string, as data", async () => {
    const forms = [form("one file", "one"), { ...form("files"), example: 7 }, form("files", "many", false)];
    const { run, sent } = await translating(engines.openai, services.openai, [item(...forms)]);
    expect((await run()).texts[0]).toEqual(
      new Map([
        ["one", "ONE FILE"],
        ["other", "FILES"],
        ["many", "FILES"],
      ]),
    );
    const [request] = sent;
    expect(request?.url).toBe("https://e.example/v1/chat/completions");
    expect(request?.headers).toMatchObject({ authorization: "Bearer sk-secret" });
    const { messages, model, response_format: format } = JSON.parse(request?.body ?? "");
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(["system", "system", "user"]);
    expect([messages[1].content, model, format.type]).toEqual(["Be brief.", "m", "json_schema"]);
    expect(request && askedOf(request)).toEqual({
      locale: "fr",
      source_locale: "en-GB",
      style: "Tutoyer",
      items: [
        {
          id: 1,
          syntax: "brace",
          note: "Of a door",
          forms: [
            { form: "one", source: "one file" },
            { form: "other", source: "files", example: 7 },
            { form: "many", source: "files" },
          ],
        },
      ],
    });
  });

  it("to a model that knows no schemas asks for JSON alone, and fences around it are no fault", async () => {
    const answer =
      '```json\n{"items": [{"id": 1, "forms": [{"form": "other", "text": "B"}, {"form": 3}]}, "x"]}\n```';
    const { run, sent } = await translating(
      engines.openai,
      async ({ body }) => (body.includes("json_schema") ? answerOf({}, 400) : answerOf(completionOf(answer))),
      [item(form("A"))],
    );
    expect(await run()).toMatchObject({ texts: [new Map([["other", "B"]])], model: "small-1", tokens: 7 });
    expect(sent).toHaveLength(2);
  });

  it.each([
    ["fr", "FR"],
    ["pt-BR", "PT-BR"],
    ["pt", "PT-PT"],
    ["en-US", "EN-US"],
    ["zh-TW", "ZH-HANT"],
    ["zh-Hans", "ZH-HANS"],
    ["es-MX", "ES-419"],
    ["nb", "NB"],
  ])("to DeepL for %s has the target %s", async (locale, code) => {
    const { run, sent } = await translating(engines.deepl, services.deepl, [item(form("A b"))], locale);
    await run();
    expect(sent[0]?.url).toBe("https://api-free.deepl.com/v2/translate");
    const body = JSON.parse(sent[0]?.body ?? "");
    expect(body).toMatchObject({ target_lang: code, source_lang: "EN", tag_handling: "xml" });
    expect(body.formality).toBe(locale === "fr" ? "prefer_less" : undefined);
  });

  it("to others is each text once, fifty at a time, and no form that the source has not", async () => {
    const items = Array.from({ length: 60 }, (_, i) =>
      item(form(`Text ${i % 55}`), form("Text", "many", false)),
    );
    const { run, sent } = await translating(engines.libretranslate, services.libretranslate, items);
    const { texts } = await run();
    expect(sent.map(({ body }) => JSON.parse(body).q.length)).toEqual([50, 5]);
    expect(texts[59]).toEqual(new Map([["other", "TEXT 4"]]));
  });

  it("is not more than the day's characters, and nothing to one that is left alone", async () => {
    const engine = { ...engines.libretranslate, maxCharactersPerDay: 9 };
    const { run, sent, useOf } = await translating(engine, services.libretranslate, [item(form("Save"))]);
    await run();
    await run();
    await expect(run()).rejects.toThrow("it may be sent 9 characters a day, which are used up");
    expect(await useOf()).toMatchObject({ characters: 8, requests: 2 });
    const down = await translating(engines.apertium, async () => answerOf("", 503, { "retry-after": "60" }), [
      item(form("Save")),
    ]);
    await expect(down.run()).rejects.toThrow("it answered with 503");
    await expect(down.run()).rejects.toThrow("it answered with 503");
    expect([sent.length, down.sent.length]).toEqual([2, 1]);
  });
});
