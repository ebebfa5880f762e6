/**
 * The scripts of deploy/ci for `skep translate`, against stand-ins for three APIs. These hold the
 * requests to the parts of the published schemas that the scripts use, closed for all other members.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { makeApp, type AppTree } from "../helpers/app-tree.ts";
import { closed, deeplRequest, list, openaiRequest, string } from "../helpers/engines/published-requests.ts";
import { request } from "../helpers/process.ts";
import { root } from "./pages.ts";

const folder = join(root, "deploy/ci");
const scripts = readdirSync(folder)
  .filter((name) => /^translate-.*\.mjs$/.test(name))
  .map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);

/** MessageCreateParamsBase of anthropics/anthropic-sdk-typescript at bfa9197f (2026-08-19), src/resources/messages. */
const anthropic = closed(
  {
    model: string,
    max_tokens: { type: "integer", minimum: 0 },
    system: string,
    messages: list(closed({ role: { enum: ["user", "assistant"] }, content: string }, ["role", "content"])),
    tools: list(
      closed(
        {
          name: { type: "string", pattern: "^[a-zA-Z0-9_-]{1,128}$" },
          description: string,
          input_schema: { type: "object", properties: { type: { const: "object" } }, required: ["type"] },
        },
        ["name", "input_schema"],
      ),
    ),
    tool_choice: closed({ type: { const: "tool" }, name: string }, ["type", "name"]),
  },
  ["model", "max_tokens", "messages"],
);

interface Item {
  readonly file: string;
  readonly key: string;
  readonly forms: readonly { readonly form: string; readonly source: string }[];
}

/** What stands for a translation: an argument stays as it is. */
const upper = (source: string): string =>
  source
    .split(/(\{[^}]*\}|<x>.*?<\/x>|&[a-z]+;)/)
    .map((part, i) => (i % 2 === 1 ? part : part.toUpperCase()))
    .join("");
const answersTo = (content: string): readonly Item[] => JSON.parse(content);

interface Api {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly schema: object;
  /** The response to a request. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the request has been held to its schema
  readonly answer: (body: any) => object;
  /** The environment of the script, for a server at a URL. */
  readonly env: (url: string) => string;
}

const apis: Readonly<Record<string, Api>> = {
  "translate-openai.mjs": {
    path: "/v1/chat/completions",
    headers: { authorization: "Bearer key", "content-type": "application/json" },
    schema: openaiRequest,
    env: (url) => `OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=key OPENAI_MODEL=m`,
    answer: ({ messages: [, { content }] }) => {
      const answers = answersTo(content).map(({ file, key, forms }) => ({
        file,
        key,
        forms: forms.map(({ form, source }) => ({ form, text: upper(source) })),
      }));
      const message = { role: "assistant", content: JSON.stringify({ answers }), refusal: null };
      return { object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] };
    },
  },
  "translate-anthropic.mjs": {
    path: "/v1/messages",
    headers: { "x-api-key": "key", "anthropic-version": "2023-06-01", "content-type": "application/json" },
    schema: anthropic,
    env: (url) => `ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=key ANTHROPIC_MODEL=m`,
    answer: ({ messages: [{ content }], tools: [{ name }] }) => {
      const answers = answersTo(content).map(({ file, key, forms }) => ({
        file,
        key,
        forms: Object.fromEntries(forms.map(({ form, source }) => [form, upper(source)])),
      }));
      const used = { type: "tool_use", id: "toolu_1", name, input: { answers } };
      return { type: "message", role: "assistant", content: [{ type: "text", text: "Sure." }, used] };
    },
  },
  "translate-deepl.mjs": {
    path: "/v2/translate",
    headers: { authorization: "DeepL-Auth-Key key", "content-type": "application/json" },
    schema: deeplRequest,
    env: (url) => `DEEPL_BASE_URL=${url} DEEPL_API_KEY=key`,
    answer: ({ text }) => ({
      translations: text.map((one: string) => ({ detected_source_language: "EN", text: upper(one) })),
    }),
  },
};

/** Stands for an API: answers requests that are as its schema says, and tells what is wrong with others. */
async function standIn({ path, headers, schema, answer }: Api): Promise<string> {
  const ajv = new Ajv2020();
  const isValid = ajv.compile(schema);
  const server = createServer((req, res) => {
    const respond = async (): Promise<void> => {
      const body: unknown = JSON.parse(await textOf(req));
      const given = Object.fromEntries(Object.keys(headers).map((name) => [name, req.headers[name]]));
      const wrong = isValid(body) ? undefined : ajv.errorsText(isValid.errors);
      const isRight = req.url === path && JSON.stringify(given) === JSON.stringify(headers);
      res.statusCode = wrong === undefined && isRight ? 200 : 400;
      res.end(JSON.stringify(res.statusCode === 200 ? answer(body) : { wrong, url: req.url, given }));
    };
    void respond();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["{ path: 'lang/{locale}.json' }"] });
  app.write(Object.fromEntries(scripts));
});

it("there is a script for each API", () => {
  expect(scripts.map(([name]) => name).toSorted()).toEqual(Object.keys(apis).toSorted());
});

describe.each(Object.entries(apis))("%s", (name, api) => {
  const run = async (locale: string) => {
    const command = `${api.env(await standIn(api))} "${process.execPath}" ${app.folder}/${name}`;
    return app.run("translate", locale, "--with", command, "--model", "m");
  };

  it("translates texts and plural forms by requests that are as published", async () => {
    await app.sync({
      "a.json": {
        hello: "Hello {name}",
        mail_one: "{count} mail",
        mail_other: "{count} mails",
        tags: "a < b & c",
      },
    });
    const { code, stdout, stderr } = await run("pt_BR");
    expect([code, stdout, stderr]).toEqual([0, "pt_BR: 3 saved.\n", ""]);
    expect(await app.texts("pt_BR")).toMatchObject({
      "a.json": {
        hello: "HELLO {name}",
        mail_one: "{count} MAIL",
        mail_other: "{count} MAILS",
        tags: "A < B & C",
      },
    });
    const { json } = await request(app, app.token, "GET", "/api/hives/web/review");
    expect(json.data.length).toBeGreaterThan(0);
  });

  it("fails where the API does, and says why", async () => {
    await app.sync({ "a.json": { hello: "Hello" } });
    const command = `${api.env(`${app.url}/nowhere`)} "${process.execPath}" ${app.folder}/${name}`;
    const { code, stderr } = await app.run("translate", "fr", "--with", command);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Error: 4\d\d: .*/);
  });
});

it("the script for DeepL keeps arguments, and skips what it cannot translate", async () => {
  const api = apis["translate-deepl.mjs"];
  if (api === undefined) throw new Error("no such API");
  const kept = { a: "Use %1$s or :name, {{who}}", b: "<b>Bold</b> & more", c: "50% sure: yes" };
  await app.sync({ "a.json": { ...kept, icu: "{n, plural, one {# dog} other {# dogs}}" } });
  const command = `${api.env(await standIn(api))} "${process.execPath}" ${app.folder}/translate-deepl.mjs`;
  const { code, stdout } = await app.run("translate", "fr", "--with", command);
  expect([code, stdout]).toEqual([0, "fr: 3 saved, 1 skipped.\n"]);
  expect(await app.texts("fr")).toMatchObject({
    "a.json": { a: "USE %1$s OR :name, {{who}}", b: "<b>BOLD</b> & MORE", c: "50% SURE: YES" },
  });
});
