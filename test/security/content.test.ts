/** Content that tries to be more than text: JavaScript's prototypes, PHP's code, JSON's depths. */
import { beforeEach, describe, expect, it } from "vitest";
import { readPhpArray } from "../helpers/php.ts";
import { hiveAt } from "../helpers/http/hive-api.ts";
import { type Call, makeToken, setUpWeb } from "../helpers/storage.ts";

let call: Call;
let admin: string;
const { fill, exported } = hiveAt(() => call);

beforeEach(async () => {
  const web = await setUpWeb({
    locales: ["fr"],
    app: {
      bodyLimit: 32 * 1024 * 1024,
      bodyBudget: 64 * 1024 * 1024,
    },
  });
  ({ call } = web);
  admin = await makeToken(web.storage, { abilities: ["admin"] });
});

const strings = "/api/hives/web/strings";
const put = (body: string | Uint8Array) => call("PUT", strings, { body });

describe("object prototypes", () => {
  const hostile =
    '{"__proto__":{"polluted":"a"},"constructor":{"prototype":{"polluted":"b"}},"toString":"c","hasOwnProperty":"d"}';

  it("are not polluted by files, keys, translations, queries or unknown members", async () => {
    const reply = await put(`{"files":{"__proto__":${hostile},"a.php":${hostile}},"__proto__":{"files":{}}}`);
    expect(reply.json).toMatchObject({ created: 8 });
    const translated = await call("POST", "/api/hives/web/translations/fr", {
      body: `{"files":{"__proto__":${hostile}}}`,
    });
    expect(translated.json).toEqual({ created: 4, updated: 0, skipped: 0, unknown: 0 });
    await call("GET", `${strings}?__proto__=x&__proto__[polluted]=y&constructor=z`);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect("polluted" in {}).toBe(false);
    const exported = await call("GET", "/api/hives/web/export?locale=fr");
    expect(exported.text).toContain('"__proto__.json":"{\\n  \\"__proto__.polluted\\": \\"a\\"');
    const list = await call("GET", `${strings}?file=__proto__`);
    expect(list.json.data.map(({ key }: { key: string }) => key)).toEqual([
      "__proto__.polluted",
      "constructor.prototype.polluted",
      "toString",
      "hasOwnProperty",
    ]);
  });

  it("are not fields of errors", async () => {
    const reply = await put('{"files":{"a.php":{"__proto__":1}}}');
    expect(reply.text).toBe(
      '{"message":"files.a.php.__proto__: must be text, not number; ?leaves=skip leaves out what is not text","code":"invalid_request","errors":{"files.a.php.__proto__":["files.a.php.__proto__: must be text, not number"]}}',
    );
  });
});

/** Names that members of every object of JavaScript have, or that change its prototype. */
const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "__defineGetter__"];
const member = (name: string, value: unknown): unknown =>
  JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`);
const each = (value: (name: string) => unknown): object =>
  Object.fromEntries(inherited.map((name) => [name, value(name)]));

describe("names that every object has", () => {
  const hive = "/api/hives/web";
  const flat = each((name) => `The ${name}.`);

  it("are names of files, groups, keys, locales and notes like any other", async () => {
    for (const [code, custom_code] of [
      ["de", "constructor"],
      ["ja", "toString"],
    ])
      await call("POST", `${hive}/locales`, { body: { code, custom_code }, token: admin });
    const files = each((name) => ({ ...flat, g: each(() => flat), [`p_${name}`]: flat }));
    const perFile = inherited.length * (2 + inherited.length);
    expect((await put(JSON.stringify({ files }))).json).toMatchObject({ created: 6 * perFile });
    for (const locale of ["constructor", "toString"]) {
      const reply = await fill(locale, files);
      expect(reply.json).toMatchObject({ created: 6 * perFile, unknown: 0 });
      const { json } = await call("GET", `${hive}/export?locale=${locale}&shape=nested`);
      const exported = new Map(
        Object.entries<string>(json.files).map(([name, text]) => [name, JSON.parse(text)]),
      );
      expect(exported).toEqual(
        new Map(Object.entries(files).map(([name, content]) => [`${name}.json`, content])),
      );
    }
    const { json: progress } = await call("GET", hive);
    expect(Object.keys(progress.locales)).toEqual(["fr", "constructor", "toString"]);
    const notes = each((file) => each((key) => ({ note: `${file} ${key}` })));
    expect((await call("PATCH", `${hive}/notes`, { body: { files: notes } })).json).toMatchObject({
      unknown: 0,
    });
    for (const name of inherited) {
      const shown = await call("GET", `${hive}/string?file=${name}&key=${name}`);
      expect(shown.json).toMatchObject({
        source_value: `The ${name}.`,
        notes: { team: { note: `${name} ${name}` } },
      });
      const gone = await call("DELETE", `${hive}/files?file=${name}`, { token: admin });
      expect(gone.status).toBe(200);
    }
    expect((await call("GET", hive)).json.string_count).toBe(0);
  });

  it.each(inherited)(
    "are kept or refused, never dropped, where only some names are valid: %s",
    async (name) => {
      await put('{"files":{"a.php":{"x":"X"}}}');
      const address = { file: "a.php", key: "x", expected: { source: { other: "X" }, translation: {} } };
      const forms = member(name, "Y");
      const done = await call("POST", `${hive}/work/done`, {
        body: { locale: "fr", items: [{ ...address, forms }] },
      });
      expect(done.text).toMatch(/"code":"(unknown_form|invalid_request)"/);
      const terms = [{ source: "x", translations: member(name, { text: "Y" }) }];
      const glossary = await call("POST", `${hive}/glossary`, { body: { terms } });
      expect([glossary.status, glossary.text]).toEqual([422, expect.stringContaining(name)]);
      const note = { arguments: member(name, { example: "5" }) };
      const noted = await call("PATCH", `${hive}/notes`, { body: { files: { "a.php": { x: note } } } });
      const { json } = await call("GET", `${hive}/notes`);
      if (noted.status === 200) expect(Object.keys(json.data[0].team.arguments)).toEqual([name]);
      else expect([noted.status, noted.text]).toEqual([422, expect.stringContaining(name)]);
      const settings = await call("PATCH", hive, { body: member(name, "x") });
      expect(settings.status).not.toBe(500);
    },
  );
});

describe("PHP", () => {
  const payloads = [
    "'; system('id'); //",
    "\\'; system('id'); //",
    "\\\\'; system('id'); //",
    "'.system('id').'",
    "${system('id')}",
    "{$GLOBALS}",
    "?><?php system('id'); ?>",
    "\r\n'; die; '",
    "*/ system('id'); /*",
    "#\nsystem('id');",
    "<<<EOT\nEOT;\nsystem('id');",
    "\u2028'; system('id'); //",
    "\\",
    "'",
    "\\'",
  ];

  it.each(payloads)("PHP stays a string as a text and as a key: %j", async (payload) => {
    const content = { [payload]: payload, nested: { [payload]: [payload] } };
    expect((await put(JSON.stringify({ files: { "a.php": content } }))).status).toBe(200);
    const { json } = await exported("locale=en&format=php");
    expect(readPhpArray(json.files["a.php"])).toEqual(content);
  });

  it("never comes from a file name, which is no part of the content", async () => {
    expect((await put(JSON.stringify({ files: { "'; system('id'); $x='.php": { a: "x" } } }))).status).toBe(
      200,
    );
    const { json } = await exported("locale=en&format=php");
    expect(Object.values(json.files)).toEqual(["<?php\n\nreturn [\n    'a' => 'x',\n];\n"]);
  });
});

describe("JSON", () => {
  const mebibytes = (n: number, unit: string) => unit.repeat(Math.floor((n * 1024 * 1024) / unit.length));

  it.each<[string, () => string, number]>([
    ["a bomb of brackets", () => `{"files":${"[".repeat(1_500_000)}${"]".repeat(1_500_000)}}`, 422],
    ["a bomb of open brackets", () => "[".repeat(3_000_000), 422],
    ["a bomb of objects", () => `${mebibytes(3, '{"a":')}1${"}".repeat(600_000)}`, 422],
    ["a crowd of empty objects", () => `{"files":{"a.php":[${mebibytes(3, "{},")}{}]}}`, 413],
    ["a crowd of texts", () => `{"files":{"a.php":[${mebibytes(3, '"",')}""]}}`, 413],
    [
      "a crowd of files",
      () => `{"files":{${Array.from({ length: 20_000 }, (_, i) => `"f${i}":{}`).join(",")}}}`,
      422,
    ],
    ["a deep key", () => `{"files":{"a.php":${'{"a":'.repeat(40)}"x"${"}".repeat(40)}}}`, 422],
    ["a huge key", () => `{"files":{"a.php":{"${"k".repeat(5_000_000)}":"x"}}}`, 422],
    [
      "a prefix for every key",
      () =>
        `{"files":{"a.php":{"${"p".repeat(4_000)}":{${Array.from({ length: 9_000 }, (_, i) => `"${i}":""`).join(",")}}}}}`,
      422,
    ],
    [
      "a thousand double spellings",
      () =>
        `{"files":{"a.php":{"a":{${range(4_000, (i) => `"k${i}":""`)}},${range(4_000, (i) => `"a.k${i}":""`)}}}}`,
      422,
    ],
    ["many wrong texts", () => `{"files":{"a.php":[${range(150_000, () => "1")}]}}`, 422],
    ["more texts than a request may hold", () => `{"files":{"a.php":[${range(200_000, () => '""')}]}}`, 413],
    ["strings that look like brackets", () => `{"files":{"a.php":{"a":"${"[{".repeat(500_000)}"}}}`, 200],
    ["a huge text", () => `{"files":{"a.php":{"a":"${"x".repeat(8_000_000)}"}}}`, 200],
  ])("%s is answered soon, by a small answer", async (_, body, status) => {
    const reply = await put(body());
    expect(reply.status).toBe(status);
    expect(reply.text.length).toBeLessThan(20_000);
  });

  it.each([[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]])(
    "with bytes that are not UTF-8 is refused: %j",
    async (...bytes) => {
      const body = Buffer.concat([
        Buffer.from('{"files":{"a.php":{"a":"'),
        Buffer.from(bytes),
        Buffer.from('"}}}'),
      ]);
      const reply = await put(body);
      expect([reply.status, reply.json.message]).toEqual([400, "The body is not valid UTF-8."]);
    },
  );

  it.each(["\\ud800", "\\udc00", "\\ud800\\ud800", "\\u0000"])(
    "with %s in texts, keys and names is refused",
    async (escape) => {
      for (const body of [
        `{"a.php":{"a":"${escape}"}}`,
        `{"a.php":{"${escape}":"a"}}`,
        `{"a${escape}":{"a":"x"}}`,
      ]) {
        expect((await put(`{"files":${body}}`)).status).toBe(422);
      }
    },
  );
});

function range(n: number, item: (i: number) => string): string {
  return Array.from({ length: n }, (_, i) => item(i)).join(",");
}
