/** Every way by which a text comes into a Hive passes the checks; what is wrong there already stops none of them. */
import { beforeEach, describe, expect, it } from "vitest";
import { maxCheckedLength } from "../../../src/domain/checks/check-text.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { harness, makeToken, prepareWeb, type Call } from "../../helpers/storage.ts";

const hive = "/api/hives/web";
const finding = { locale: "fr", file: "app.json", key: "hi", check: "argument-extra" };
let web: Awaited<ReturnType<typeof prepared>>;
let call: Call;
const api = hiveAt(() => call);
const { put, undo, head, fill } = api;

const translate = (texts: object, query = "") => api.translate("fr", { "app.json": texts }, { query });
const importSource = (texts: object, query = "") => api.post({ "app.json": texts }, { query });
const branch = (name: string) => call("POST", `${hive}/branches`, { body: { name } });
const merge = (name: string, what = "merge", query = "") =>
  call("POST", `${hive}/branches/${name}/${what}${query}`, { body: {} });
const accept = (query = "") => call("POST", `${hive}/checks/accept${query}`, { body: finding });
const failing = async (query = "") => {
  const { json } = await call("GET", `${hive}/checks${query}`);
  return json.data.map(({ key, check }: { key: string; check: string }) => `${key} ${check}`);
};

const prepared = prepareWeb({ token: { abilities: ["admin"] } }, async (made) => {
  ({ call } = made);
  await importSource({ hi: "Hi {{name}}", bye: "Bye", old: "Old {{n}}" });
  await translate({ old: "Vieux {{m}}" });
  await call("PATCH", hive, { body: { checks: { level: "refuse" } } });
});
beforeEach(async () => {
  web = await prepared();
  ({ call } = web);
});

/** What brings a wrong translation of `hi`. */
const doors: readonly [string, (wrong: string) => Promise<{ status: number; json: { code?: string } }>][] = [
  ["an import", (wrong) => translate({ hi: wrong })],
  [
    "a merge",
    async (wrong) => {
      await branch("work");
      await translate({ hi: wrong }, "branch=work&checks=warn");
      return merge("work");
    },
  ],
  [
    "a text that settles a conflict of a merge",
    async (wrong) => {
      await branch("work");
      await translate({ hi: "Salut {{name}}" }, "branch=work");
      await translate({ hi: "Bonjour {{name}}" });
      const resolutions = [{ locale: "fr", file: "app.json", key: "hi", text: wrong }];
      return call("POST", `${hive}/branches/work/merge`, { body: { resolutions } });
    },
  ],
  [
    "a merge of two changes that are right by themselves",
    async () => {
      await branch("work");
      await translate({ hi: "Salut {{name}}" }, "branch=work");
      await importSource({ hi: "Hi {{user}}" });
      return merge("work");
    },
  ],
  [
    "an undo",
    async (wrong) => {
      await translate({ hi: wrong }, "checks=warn");
      await translate({ hi: "Salut {{name}}" });
      return undo(await head());
    },
  ],
  [
    "a move to a file of another syntax",
    async (wrong) => {
      await put({ "app.json": { bye: "Bye", old: "Old {{n}}" }, "plain.txt": { hi: "Hi {{name}}" } });
      const syntax = [{ files: "plain.txt", syntax: "none" }];
      await call("PATCH", hive, { body: { checks: { level: "refuse", syntax } } });
      await fill("fr", { "plain.txt": { hi: wrong } });
      const moves = [{ from: { file: "plain.txt", key: "hi" }, to: { file: "app.json", key: "hi" } }];
      return call("POST", `${hive}/keys/move`, { body: { moves } });
    },
  ],
  [
    "another process",
    async (wrong) => {
      const { folder, disk } = web;
      const other = harness(openStorage({ folder, disk }), await makeToken(web.storage));
      return other.fill("fr", { "app.json": { hi: wrong } });
    },
  ],
];

describe("an error in a text that comes by", () => {
  it.each(doors)("%s is refused, and nothing is written", async (_, bring) => {
    const reply = await bring("{{nom}}");
    expect([reply.status, reply.json.code]).toEqual([422, "check_failed"]);
    expect(await failing()).toEqual(["old argument-extra"]);
  });

  it.each(doors)("%s is refused if the text is made too long to be checked", async (_, bring) => {
    const reply = await bring(`{{nom}}${" ".repeat(maxCheckedLength)}`);
    expect([reply.status, reply.json.code]).toEqual([422, "check_failed"]);
    expect(await failing()).toEqual(["old argument-extra"]);
  });

  it("a move to a file of a format that cannot hold the text is refused", async () => {
    await put({ "app.json": { bye: "Bye", old: "Old {{n}}" }, "plain.txt": { hi: "Hi {{name}}" } });
    const syntax = ["plain.txt", "app.resx"].map((files) => ({ files, syntax: "i18next" }));
    await call("PATCH", hive, { body: { checks: { level: "refuse", syntax } } });
    await fill("fr", { "plain.txt": { hi: "\u000B{{name}}" } });
    const moves = [{ from: { file: "plain.txt", key: "hi" }, to: { file: "app.resx", key: "hi" } }];
    const reply = await call("POST", `${hive}/keys/move`, { body: { moves } });
    expect(reply).toMatchObject({ status: 422, json: { code: "check_failed" } });
    expect(reply.json.message).toContain("no spelling for: U+000B");
    expect(await failing()).toEqual(["old argument-extra"]);
  });

  it("a source text that cannot be read is refused in an import, a sync and a merge", async () => {
    await call("PATCH", hive, { body: { checks: { syntax: [{ files: "*", syntax: "icu" }] } } });
    expect((await importSource({ bye: "{n, plural, one {" })).json.code).toBe("check_failed");
    expect((await put({ "app.json": { bye: "{n, plural, one {" } })).json.code).toBe("check_failed");
    await branch("work");
    await importSource({ bye: "{n, plural, one {" }, "branch=work&checks=warn");
    expect((await merge("work")).json.code).toBe("check_failed");
  });
});

describe("a bad text that an undo brings back", () => {
  it("stops no sync that moves its string to a file of another syntax", async () => {
    await put({ "app.json": { bye: "Bye", old: "Old {{n}}" }, "plain.txt": { hi: "Hi {{name}}" } });
    const syntax = [{ files: "plain.txt", syntax: "none" }];
    await call("PATCH", hive, { body: { checks: { level: "refuse", syntax } } });
    await fill("fr", { "plain.txt": { hi: "{{nom}}" } });
    const files = { "app.json": { bye: "Bye", old: "Old {{n}}", hi: "Hi {{name}}" }, "plain.txt": {} };
    expect(await put(files, { query: "detect_moves=true" })).toMatchObject({
      status: 200,
      json: { moved: 1 },
    });
    expect(await failing()).toEqual(["old argument-extra", "hi argument-extra"]);
  });

  it("is let in by `?checks=warn`, and is found then", async () => {
    await translate({ hi: "{{nom}}" }, "checks=warn");
    await translate({ hi: "Salut {{name}}" });
    const mended = await head();
    expect((await undo(mended)).json.code).toBe("check_failed");
    const reply = await undo(mended, { query: "checks=warn" });
    expect([reply.status, reply.json.findings]).toEqual([200, [expect.objectContaining(finding)]]);
    expect(await failing("?key=hi")).toEqual(["hi argument-extra"]);
  });
});

describe("an error that is there already", () => {
  it("stops no import, sync, merge, update, undo or move of others, nor of its own string", async () => {
    const steps = [
      () => importSource({ more: "More" }),
      () => translate({ bye: "Salut" }),
      async () => undo(await head()),
      () => branch("work"),
      () => translate({ bye: "Salut" }, "branch=work"),
      () => importSource({ again: "Again" }),
      () => merge("work", "update"),
      () => merge("work"),
      () => move("old", "older"),
      () => put({ "app.json": { hi: "Hi {{name}}", renamed: "Old {{n}}" } }, { query: "detect_moves=true" }),
      () => importSource({ renamed: "Older {{k}}" }),
    ];
    for (const [i, step] of steps.entries())
      expect([i, (await step()).status]).toEqual([i, i === 3 ? 201 : 200]);
    expect(await failing()).toEqual(["renamed argument-extra"]);
  });

  const move = (from: string, to: string) =>
    call("POST", `${hive}/keys/move`, {
      body: { moves: [{ from: { file: "app.json", key: from }, to: { file: "app.json", key: to } }] },
    });

  it("comes with an update into a branch that began before it", async () => {
    await branch("work");
    await translate({ hi: "{{nom}}" }, "checks=warn");
    await importSource({ more: "More" }, "branch=work");
    expect((await merge("work", "update")).status).toBe(200);
    expect((await merge("work")).status).toBe(200);
  });

  it("makes no change of a source text fail: its translations become stale and failing", async () => {
    await translate({ hi: "Salut {{name}}" });
    for (const change of [importSource, (texts: object) => put({ "app.json": texts })]) {
      const reply = await change({ hi: `Hi {{user}} ${change.name}`, old: "Old {{n}}" });
      expect(reply.status).toBe(200);
      expect(await failing("?key=hi")).toContain("hi argument-extra");
      const { fr } = (await call("GET", hive)).json.locales;
      expect(fr).toMatchObject({ warning: 1, failing: 2 });
    }
  });
});

describe("an accepted finding", () => {
  const stored = async () => {
    const snapshot = await web.storage.hives.at(toHiveSlug("web")).snapshot();
    const files = [...(await snapshot.values.accepted.read([toLocale("fr").code])).values()];
    return files.flatMap((one) =>
      [...one].flatMap(([file, keys]) =>
        [...keys].flatMap(([key, checks]) => [...checks.keys()].map((check) => `${file} ${key}.${check}`)),
      ),
    );
  };

  it("comes with a merge, and lets the text in that it was accepted for", async () => {
    await branch("work");
    await translate({ hi: "{{name}} {{nom}}" }, "branch=work&checks=warn");
    await accept("?branch=work");
    await importSource({ more: "More" });
    expect((await merge("work")).status).toBe(200);
    expect(await failing("?key=hi")).toEqual([]);
    expect(await stored()).toEqual(["app.json hi.argument-extra"]);
  });

  it("is taken back by a merge from where it was taken back, and by an undo", async () => {
    await translate({ hi: "{{name}} {{nom}}" }, "checks=warn");
    await accept();
    const made = await head();
    expect((await undo(made)).status).toBe(200);
    expect(await stored()).toEqual([]);
    expect((await undo(await head())).status).toBe(200);
    expect(await stored()).toHaveLength(1);
    await branch("work");
    await call("DELETE", `${hive}/checks/accept?branch=work`, { body: finding });
    await importSource({ more: "More" });
    expect((await merge("work")).status).toBe(200);
    expect(await stored()).toEqual([]);
  });

  it("goes with its string and its locale, and comes back with an undo", async () => {
    await translate({ hi: "{{name}} {{nom}}" }, "checks=warn");
    await accept();
    await put({ "app.json": { bye: "Bye" } });
    expect(await stored()).toEqual([]);
    await undo(await head(), { query: "checks=warn" });
    expect(await stored()).toEqual(["app.json hi.argument-extra"]);
    expect(await failing("?key=hi")).toEqual([]);
    await call("DELETE", `${hive}/locales/fr`);
    expect(await stored()).toEqual([]);
  });

  it("moves with its string, back by an undo, and can be taken back there", async () => {
    await translate({ hi: "{{name}} {{nom}}" }, "checks=warn");
    await accept();
    const to = { file: "menu.json", key: "hello" };
    await call("POST", `${hive}/keys/move`, {
      body: { moves: [{ from: { file: "app.json", key: "hi" }, to }] },
    });
    expect(await stored()).toEqual(["menu.json hello.argument-extra"]);
    const moved = await head();
    expect((await undo(moved)).status).toBe(200);
    expect(await stored()).toEqual(["app.json hi.argument-extra"]);
    expect((await call("DELETE", `${hive}/checks/accept`, { body: finding })).json).toMatchObject({
      withdrawn: 1,
    });
    expect(await failing("?key=hi")).toEqual(["hi argument-extra"]);
  });
});
