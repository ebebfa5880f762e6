/** Content that tries to be more than text: JavaScript's prototypes, PHP's code, JSON's depths. */
import { beforeEach, describe, expect, it } from "vitest";
import { readPhpArray } from "../helpers/php.ts";
import { type Call, setUpWeb } from "../helpers/storage.ts";

let call: Call;

beforeEach(async () => {
  ({ call } = await setUpWeb({
    locales: ["fr"],
    app: {
      bodyLimit: 32 * 1024 * 1024,
      bodyBudget: 64 * 1024 * 1024,
    },
  }));
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
    const { json } = await call("GET", "/api/hives/web/export?locale=en&format=php");
    expect(readPhpArray(json.files["a.php"])).toEqual(content);
  });

  it("never comes from a file name, which is no part of the content", async () => {
    expect((await put(JSON.stringify({ files: { "'; system('id'); $x='.php": { a: "x" } } }))).status).toBe(
      200,
    );
    const { json } = await call("GET", "/api/hives/web/export?locale=en&format=php");
    expect(Object.values(json.files)).toEqual(["<?php\n\nreturn [\n    'a' => 'x',\n];\n"]);
  });
});

describe("JSON", () => {
  const mebibytes = (n: number, unit: string) => unit.repeat(Math.floor((n * 1024 * 1024) / unit.length));

  it.each<[string, () => string, number]>([
    ["a bomb of brackets", () => `{"files":${"[".repeat(8_000_000)}${"]".repeat(8_000_000)}}`, 422],
    ["a bomb of open brackets", () => "[".repeat(20_000_000), 422],
    ["a bomb of objects", () => `${mebibytes(20, '{"a":')}1${"}".repeat(4_000_000)}`, 422],
    ["a crowd of empty objects", () => `{"files":{"a.php":[${mebibytes(20, "{},")}{}]}}`, 413],
    ["a crowd of texts", () => `{"files":{"a.php":[${mebibytes(20, '"",')}""]}}`, 413],
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
