import { describe, expect, it } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { makeToken, setUpWeb } from "../../helpers/storage.ts";

const hive = "/api/hives/web";
const french = `${hive}/translations/fr`;
const wrong = { files: { "app.json": { hi: "Salut {{nom}}" } } };
const right = { files: { "app.json": { hi: "Salut {{name}}" } } };

async function start(level?: "off" | "warn" | "refuse") {
  const web = await setUpWeb({ token: { abilities: ["admin"] } });
  if (level !== undefined) await web.call("PATCH", hive, { body: { checks: { level } } });
  await web.post({ "app.json": { hi: "Hi {{name}}", bye: "Bye" } });
  return web;
}

it("the findings of a locale are listed where the accepted ones of another cannot be read", async () => {
  const { call, storage, disk } = await start();
  for (const locale of ["fr", "de"]) {
    await call("POST", `${hive}/locales`, { body: { locale } });
    await call("POST", `${hive}/translations/${locale}?checks=warn`, { body: wrong });
  }
  await commitOutside(
    { storage, disk, slug: toHiveSlug("web") },
    { files: { "accepted/fr/app.json.json": "{" } },
  );
  const found = await call("GET", `${hive}/checks?locale=de`);
  expect([found.status, found.json.data.length]).toEqual([200, 1]);
  expect((await call("GET", `${hive}/checks?locale=fr`)).status).toBe(503);
  expect((await call("GET", `${hive}/checks`)).status).toBe(503);
});

describe("the settings of checks", () => {
  it("warn at first, and change by PATCH, a member at a time", async () => {
    const { call } = await start();
    const before = await call("GET", hive);
    expect(before.json).toMatchObject({ checks: { level: "warn" } });
    const syntax = [{ files: "*.json", syntax: "i18next" }];
    const formats = [{ files: "messages.xml", format: "xliff" }];
    await call("PATCH", hive, { body: { checks: { syntax } } });
    await call("PATCH", hive, { body: { checks: { formats } } });
    await call("PATCH", hive, { body: { checks: { level: "refuse" } } });
    expect((await call("GET", hive)).json.checks).toEqual({ level: "refuse", syntax, formats });
    await call("PATCH", hive, { body: { checks: { level: "warn", syntax: [] } } });
    expect((await call("GET", hive)).json.checks).toEqual({ level: "warn", syntax: [], formats });
    await call("PATCH", hive, { body: { checks: { formats: [] } } });
    expect((await call("GET", hive)).json.checks).toEqual({ level: "warn", syntax: [], formats: [] });
  });

  it("have as many rules of each kind as there may be, and no more", async () => {
    const { call } = await start();
    const rulesOf = (n: number, said: object) => Array.from({ length: n }, () => ({ files: "*", ...said }));
    for (const said of [{ syntax: "icu" }, { format: "ini" }]) {
      const member = "format" in said ? "formats" : "syntax";
      const set = (n: number) => call("PATCH", hive, { body: { checks: { [member]: rulesOf(n, said) } } });
      expect((await set(100)).status).toBe(200);
      const { status, json: body } = await set(101);
      expect([status, Object.keys(body.errors)]).toEqual([422, [`checks.${member}`]]);
    }
  });

  it.each([
    ["checks.level", { level: "strict" }],
    ["checks.syntax.0.syntax", { syntax: [{ files: "*.json", syntax: "xml" }] }],
    ["checks.syntax.0", { syntax: [{ files: "a\\b", syntax: "icu" }] }],
    ["checks.formats.0.format", { formats: [{ files: "*.json", format: "xml" }] }],
    ["checks.formats.0", { formats: [{ files: "***", format: "ini" }] }],
  ])("name %s where it is wrong", async (field, checks) => {
    const { call } = await start();
    const { status, json: body } = await call("PATCH", hive, { body: { checks } });
    expect(status).toBe(422);
    expect(Object.keys(body.errors)).toEqual([field]);
  });

  it("are given when a Hive is made", async () => {
    const { call } = await start();
    const checks = {
      level: "refuse",
      syntax: [{ files: "*.php", syntax: "laravel" }],
      formats: [{ files: "*.php", format: "ini" }],
    };
    const { json: body } = await call("POST", "/api/hives", { body: { slug: "other", checks } });
    expect(body.checks).toEqual(checks);
  });
});

it.each([
  [["python-brace-format"], "Salut {nom}", ["hi argument-extra"]],
  [["python-brace-format"], "Salut {name} %s", []],
  [["no-c-format"], "Salut %s", []],
  [["c-format"], "Salut %s", ["hi argument-extra"]],
  [[], "Salut {nom}", []],
])("a message with the flags %j is checked by them at every door: %j: %j", async (tags, text, found) => {
  const { call, exported } = await start("refuse");
  const files = { "app.po": { hi: "Hi {name}" } };
  const notes = { "app.po": { hi: { tags } } };
  const syntax = [{ files: "*.po", syntax: "printf" }];
  await call("PATCH", hive, { body: { checks: { syntax } } });
  await call("POST", `${hive}/strings`, { body: tags.length === 0 ? { files } : { files, notes } });
  const send = (query = "") =>
    call("POST", `${french}${query}`, { body: { files: { "app.po": { hi: text } } } });
  const isExtra = ({ check, key }: { check: string; key: string }): string[] =>
    check === "argument-extra" ? [`${key} ${check}`] : [];
  const { status } = await send();
  expect(status).toBe(found.length === 0 ? 200 : 422);
  await send("?checks=warn");
  const { json: listed } = await call("GET", `${hive}/checks?locale=fr&file=app.po`);
  expect(listed.data.flatMap(isExtra)).toEqual(found);
  const { json: failing } = await call("GET", `${hive}/search?locale=fr&state=failing`);
  expect(failing.data.map(({ key }: { key: string }) => key)).toEqual(found.length === 0 ? [] : ["hi"]);
  const { json: sound } = await exported("locale=fr&failing=omit");
  expect(JSON.stringify(sound).includes(text)).toBe(found.length === 0);
});

describe("the syntax of a file", () => {
  const rulesOf = async ({ call }: Awaited<ReturnType<typeof setUpWeb>>) =>
    (await call("GET", hive)).json.checks.syntax;
  const i18next = [{ files: "*.json", syntax: "i18next" }];

  it("is recorded with the first file that shows it, and does not change with its texts", async () => {
    const web = await setUpWeb({ token: { abilities: ["admin"] } });
    const put = (texts: object) => web.put({ "app.json": texts });
    await put({ bye: "Bye" });
    expect(await rulesOf(web)).toEqual([]);
    await put({ hi: "Hi {{name}}" });
    expect(await rulesOf(web)).toEqual(i18next);
    await put({ hi: "Hi {name}", other: "{n, plural, one {# item} other {# items}}" });
    expect(await rulesOf(web)).toEqual(i18next);
  });

  it("is not guessed where a rule says it, and a guess comes before the rules that there are", async () => {
    const web = await setUpWeb({ token: { abilities: ["admin"] } });
    const syntax = [{ files: "admin/*.json", syntax: "icu" }];
    await web.call("PATCH", hive, { body: { checks: { syntax } } });
    const files = { "admin/a.json": { a: "{{a}}" }, "b.json": { b: "{{b}}" }, none: { c: "{{c}}" } };
    await web.post(files);
    expect(await rulesOf(web)).toEqual([...i18next, ...syntax]);
  });

  it("goes with an undo, which leaves the Hive as it was, and comes again with an undo of that", async () => {
    const web = await setUpWeb({ token: { abilities: ["admin"] } });
    const { call, storage, post, history } = web;
    const treeOf = async () => (await storage.hives.at(toHiveSlug("web")).snapshot()).tree.oid;
    const undo = async () => {
      const commit = storage.hives.at(toHiveSlug("web")).head();
      expect((await call("POST", `${hive}/undo`, { body: { commit } })).status).toBe(200);
    };
    const trees = [await treeOf()];
    await post({ "app.json": { hi: "Hi {{name}}" } });
    trees.push(await treeOf());
    await undo();
    expect(await treeOf()).toBe(trees[0]);
    await undo();
    expect(await treeOf()).toBe(trees[1]);
    await call("PATCH", hive, { body: { checks: { level: "refuse" } } });
    await call("POST", `${hive}/undo`, {
      body: { commit: (await history()).json.data[3].commit },
    });
    expect(await rulesOf(web)).toEqual(i18next);
  });

  it("of a file that a branch brings is recorded when main gets it", async () => {
    const web = await setUpWeb({ token: { abilities: ["admin"] } });
    const { call, post } = web;
    await call("POST", `${hive}/branches`, { body: { name: "work" } });
    await post({ "app.json": { hi: "{{name}}" } }, { query: "branch=work" });
    expect(await rulesOf(web)).toEqual([]);
    await call("POST", `${hive}/branches/work/merge`, { body: {} });
    expect(await rulesOf(web)).toEqual(i18next);
  });
});

describe("a write of a text that would break an app", () => {
  const finding = {
    locale: "fr",
    file: "app.json",
    key: "hi",
    check: "argument-extra",
    severity: "error",
    message: "{{nom}} is not in the source text, which has {{name}}",
    found: "{{nom}}",
    expected: "{{name}}",
    range: [6, 13],
  };

  it("is told of at the level warn", async () => {
    const { call } = await start();
    const { status, json: body } = await call("POST", french, { body: wrong });
    expect(status).toBe(200);
    expect(body).toMatchObject({ created: 1, findings: [finding], findings_total: 1 });
    expect(
      (await call("POST", french, { body: { ...right, overwrite_strategy: "overwrite" } })).json,
    ).toEqual({
      created: 0,
      updated: 1,
      skipped: 0,
      unknown: 0,
    });
  });

  it("has tags that its source text has not, in Rails only where the key says that it is HTML", async () => {
    const { call } = await start("refuse");
    await call("PATCH", hive, { body: { checks: { syntax: [{ files: "*", syntax: "rails" }] } } });
    const keys = [
      "bold",
      "xhtml",
      "html.bold",
      "bold_html",
      "html",
      "menu.html",
      "n_html.one",
      "n_html.other",
    ];
    const texts = (text: string) => ({
      files: { "app.json": Object.fromEntries(keys.map((key) => [key, text])) },
    });
    await call("POST", `${hive}/strings`, { body: texts("Bold") });
    const { json: body } = await call("POST", french, { body: texts("<b>Gras</b>") });
    const found = body.findings.map(({ key, check }: { key: string; check: string }) => `${key} ${check}`);
    expect(found).toEqual(keys.slice(3).map((key) => `${key} tag-extra`));
  });

  it("is refused at the level refuse, with nothing written", async () => {
    const { call, exported } = await start("refuse");
    const { status, json: body, headers } = await call("POST", french, { body: wrong });
    expect(status).toBe(422);
    expect(body).toEqual({
      message: "fr, app.json, hi: {{nom}} is not in the source text, which has {{name}}",
      code: "check_failed",
      errors: { "files.app.json.hi": [finding.message] },
      findings: [finding],
      findings_total: 1,
    });
    const after = await exported("locale=fr");
    expect(after.json.files["app.json"]).toBe("{}\n");
    expect(headers.get("x-skep-commit")).toBe(after.headers.get("x-skep-commit"));
  });

  it("is not looked at where checks are off", async () => {
    const { call } = await start("off");
    const { status, json: body } = await call("POST", french, { body: wrong });
    expect([status, body.findings]).toEqual([200, undefined]);
  });

  it("is let through by checks=warn, which the commit notes", async () => {
    const { call, history } = await start("refuse");
    const { status } = await call("POST", `${french}?checks=warn`, { body: wrong });
    expect(status).toBe(200);
    const { json: body } = await history("per_page=1");
    expect(JSON.stringify(body.data[0])).toMatch(/findings_total/i);
  });

  it("is never let through for a token that is strict about checks", async () => {
    const { call, storage } = await start("refuse");
    const token = await makeToken(storage, { checks: "strict" });
    for (const query of ["checks=warn", "checks=warn&dry_run=1"]) {
      const reply = await call("POST", `${french}?${query}`, { token, body: wrong });
      expect([reply.status, reply.json.code]).toEqual([403, "limited_token"]);
    }
    expect((await call("POST", french, { token, body: wrong })).json.code).toBe("check_failed");
    expect((await call("POST", french, { token, body: right })).status).toBe(200);
  });

  it("is listed by a dry run, which refuses as the write does", async () => {
    const { call } = await start("refuse");
    expect((await call("POST", `${french}?dry_run=1`, { body: wrong })).json.code).toBe("check_failed");
    const { json: body } = await call("POST", `${french}?dry_run=1&checks=warn`, { body: wrong });
    expect(body).toMatchObject({ findings: [finding], findings_total: 1, changes_total: 1 });
  });

  it("stops no other write once it is there", async () => {
    const { call, fill } = await start();
    await call("POST", french, { body: wrong });
    await call("PATCH", hive, { body: { checks: { level: "refuse" } } });
    const other = await fill("fr", { "app.json": { bye: "Salut" } });
    expect(other.status).toBe(200);
    const again = await call("POST", french, { body: { ...wrong, overwrite_strategy: "overwrite" } });
    expect(again.json).toMatchObject({ skipped: 1 });
  });

  it("never stops a change of the source text", async () => {
    const { call, post } = await start("refuse");
    await call("POST", french, { body: right });
    expect((await post({ "app.json": { hi: "Hi {{user}}" } })).status).toBe(200);
    const { json: body } = await call("GET", `${hive}/checks`);
    expect(body.data).toMatchObject([{ check: "argument-extra", found: "{{name}}" }]);
  });
});

describe("GET /api/hives/{slug}/checks", () => {
  it("lists and counts findings, filtered and by pages", async () => {
    const { call, fill } = await start();
    await fill("fr", { "app.json": { hi: "Salut {{nom}}", bye: "Bye" } });
    const all = await call("GET", `${hive}/checks`);
    expect(all.json).toMatchObject({
      data: [{ key: "hi", check: "argument-extra" }],
      meta: { total: 1 },
      counts: { fr: { error: 1, warning: 0 } },
    });
    for (const query of ["locale=en", "file=x.json", "key=bye", "check=blanks", "severity=warning"]) {
      expect((await call("GET", `${hive}/checks?${query}`)).json.data).toEqual([]);
    }
    expect((await call("GET", `${hive}/checks?severity=hint`)).json.data).not.toEqual(all.json.data);
    expect((await call("GET", `${hive}/checks?check=nothing`)).status).toBe(422);
    expect((await call("GET", `${hive}/checks?locale=xx`)).status).toBe(422);
    expect((await call("GET", `${hive}/checks?at=main`)).json.data).toEqual(all.json.data);
  });
});

it("GET /api/hives/{slug}/checks lists what is translated otherwise elsewhere in its file, as a hint", async () => {
  const { call, post, fill, translate } = await start();
  const files = { "app.json": { a: "Open", b: "Open", c: "Open" }, "other.json": { d: "Open" } };
  await post(files);
  const translated = { "app.json": { a: "Ouvert", b: "Ouvrir", c: "Ouvrir" }, "other.json": { d: "Ouvre" } };
  await call("PATCH", hive, { body: { checks: { level: "refuse" } } });
  expect((await fill("fr", translated)).status).toBe(200);
  const listed = `${hive}/checks?check=inconsistent`;
  expect((await call("GET", listed)).json.data).toEqual([]);
  expect((await call("GET", `${listed}&severity=hint`)).json.data).toMatchObject([
    { file: "app.json", key: "a", expected: "Ouvrir", severity: "hint" },
  ]);
  await translate("fr", { "app.json": { a: "Ouvrir" } });
  expect((await call("GET", `${listed}&severity=hint`)).json.data).toEqual([]);
});

it("GET /api/hives/{slug}/checks gives each of several findings of one text a place on its pages", async () => {
  const { call, fill } = await start();
  const files = { "app.json": { hi: "{{a}} {{b}} {{c}} <b>x</b>", bye: "Salut {{d}}" } };
  await fill("fr", files);
  const page = async (n: number, query = "") =>
    (await call("GET", `${hive}/checks?per_page=2&page=${n}${query}`)).json.data.map(
      ({ found }: { readonly found: string }) => found,
    );
  expect([await page(1), await page(2), await page(3)]).toEqual([
    ["{{a}}", "{{b}}"],
    ["{{c}}", "<b>"],
    ["{{d}}"],
  ]);
  expect(await page(1, "&check=tag-extra")).toEqual(["<b>"]);
});

describe("the statistics of a locale", () => {
  const failing = async ({ call }: Awaited<ReturnType<typeof start>>) =>
    (await call("GET", hive)).json.locales.fr.failing;

  it("count translations with errors once, until they are corrected, accepted or not checked", async () => {
    const web = await start();
    const { call, post, fill } = web;
    expect(await failing(web)).toBe(0);
    await fill("fr", { "app.json": { hi: "Salut {{nom}} {{prénom}} <b>", bye: "Salut" } });
    expect(await failing(web)).toBe(1);
    await call("POST", french, { body: { ...wrong, overwrite_strategy: "overwrite" } });
    expect(await failing(web)).toBe(1);
    const finding = { locale: "fr", file: "app.json", key: "hi", check: "argument-extra" };
    await call("POST", `${hive}/checks/accept`, { body: finding });
    expect(await failing(web)).toBe(0);
    await call("DELETE", `${hive}/checks/accept`, { body: finding });
    expect(await failing(web)).toBe(1);
    await call("PATCH", hive, { body: { checks: { level: "off" } } });
    expect(await failing(web)).toBe(0);
    await call("PATCH", hive, { body: { checks: { level: "warn" } } });
    await post({ "app.json": { hi: "Hi {{nom}}" } });
    expect(await failing(web)).toBe(0);
  });
});

describe("an accepted finding", () => {
  const finding = { locale: "fr", file: "app.json", key: "hi", check: "argument-extra" };

  it("is not found again until the text changes", async () => {
    const { call, translate } = await start("refuse");
    await call("POST", `${french}?checks=warn`, { body: wrong });
    expect((await call("POST", `${hive}/checks/accept`, { body: finding })).json).toEqual({
      accepted: 1,
      unknown: 0,
    });
    expect((await call("POST", `${hive}/checks/accept`, { body: finding })).json).toEqual({
      accepted: 0,
      unknown: 0,
    });
    expect((await call("GET", `${hive}/checks`)).json.data).toEqual([]);
    expect((await translate("fr", { "app.json": { hi: "Bonjour {{nom}}" } })).json.code).toBe("check_failed");
  });

  it("lets the same text in again, and under another key", async () => {
    const { call } = await start("refuse");
    await call("POST", `${french}?checks=warn`, { body: wrong });
    await call("POST", `${hive}/checks/accept`, { body: finding });
    await call("DELETE", french, { body: { files: { "app.json": ["hi"] } } });
    expect((await call("POST", french, { body: wrong })).status).toBe(200);
  });

  it("is found again once that is taken back", async () => {
    const { call } = await start();
    await call("POST", french, { body: wrong });
    await call("POST", `${hive}/checks/accept`, { body: finding });
    expect((await call("DELETE", `${hive}/checks/accept`, { body: finding })).json).toEqual({
      withdrawn: 1,
      unknown: 0,
    });
    expect((await call("DELETE", `${hive}/checks/accept`, { body: finding })).json).toEqual({
      withdrawn: 0,
      unknown: 1,
    });
    expect((await call("GET", `${hive}/checks`)).json.meta.total).toBe(1);
  });

  it("must be one that there is", async () => {
    const { call } = await start();
    expect((await call("POST", `${hive}/checks/accept`, { body: finding })).json).toEqual({
      accepted: 0,
      unknown: 1,
    });
  });
});

describe("an export", () => {
  it("gives translations with errors as they are, as their source texts, or not at all", async () => {
    const { call, fill, exported } = await start();
    await fill("fr", { "app.json": { hi: "Salut {{nom}}", bye: "Salut" } });
    const textsOf = async (query: string) => {
      const { json } = await exported(`locale=fr${query}`);
      return JSON.parse(json.files["app.json"]);
    };
    expect(await textsOf("")).toEqual({ hi: "Salut {{nom}}", bye: "Salut" });
    expect(await textsOf("&failing=source")).toEqual({ hi: "Hi {{name}}", bye: "Salut" });
    expect(await textsOf("&failing=omit")).toEqual({ bye: "Salut" });
    const accepted = { locale: "fr", file: "app.json", key: "hi", check: "argument-extra" };
    await call("POST", `${hive}/checks/accept`, { body: accepted });
    expect(await textsOf("&failing=omit")).toEqual({ hi: "Salut {{nom}}", bye: "Salut" });
    const all = await exported("failing=omit");
    expect(JSON.parse(all.json.files["en.json"])).toHaveProperty("hi");
    expect((await exported("failing=x")).status).toBe(422);
  });
});
