/** Plural forms that the source language lacks, over HTTP: taken, stored, counted, exported, and gone with their string. */
import { createInstance } from "i18next";
import { beforeEach, describe, expect, it } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import type { Storage } from "../../../src/service/storage.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { readPhpArray } from "../../helpers/php.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { type Call, prepareWeb, type WebOptions } from "../../helpers/storage.ts";

const slug = toHiveSlug("web");
const base = "/api/hives/web";
const source = {
  "app.json": { item_one: "{{count}} item", item_other: "{{count}} items", title: "Shop" },
  "mail.yml": { inbox: { one: "%{count} letter", other: "%{count} letters" }, from: "From" },
};
const russian = {
  "app.json": {
    item_one: "{{count}} товар",
    item_few: "{{count}} товара",
    item_many: "{{count}} товаров",
    item_other: "{{count}} товара (дробь)",
    title: "Магазин",
  },
  "mail.yml": {
    inbox: {
      one: "%{count} письмо",
      few: "%{count} письма",
      many: "%{count} писем",
      other: "%{count} письма",
    },
    from: "От",
  },
};
let disk: Disk;
let storage: Storage;
let call: Call;
const web = hiveAt(() => call);
const { put, undo, post, history } = web;

const options: WebOptions = {
  locales: ["ru", "ja", "fr"],
  token: { abilities: ["read", "write", "admin"] },
};
const prepared = prepareWeb(options, async (web) => {
  ({ call } = web);
  await put(source);
});
beforeEach(async () => {
  ({ disk, storage, call } = await prepared());
});

const translate = async (locale: string, files: unknown) => (await web.translate(locale, files)).json;

async function exported(query: string): Promise<Record<string, string>> {
  return (await call("GET", `${base}/export?${query}`)).json.files;
}

async function stats(locale: string): Promise<Record<string, number>> {
  return (await call("GET", base)).json.locales[locale];
}

/** The keys of a file of translations, in their order. */
async function stored(locale: string, file: string): Promise<string[]> {
  const { translations } = await (await storage.hives.at(slug).snapshot()).content("all");
  for (const [code, files] of translations) {
    for (const [name, texts] of files) if (code === locale && name === file) return [...texts.keys()];
  }
  return [];
}

async function problems(): Promise<string[]> {
  const found: string[] = [];
  for await (const { problem } of verify(storage, { repair: false })) found.push(problem);
  return found;
}

describe("the forms of a language that the source lacks", () => {
  it("are taken, stored behind the others, exported in every shape, and taken back", async () => {
    expect(await translate("ru", russian)).toEqual({ created: 10, updated: 0, skipped: 0, unknown: 0 });
    expect(await stored("ru", "app.json")).toEqual([
      "item_one",
      "item_other",
      "item_few",
      "item_many",
      "title",
    ]);
    const flat = await exported("locale=ru");
    expect(JSON.parse(flat["app.json"] ?? "")).toEqual(russian["app.json"]);
    const nested = await exported("locale=ru&shape=nested");
    expect(JSON.parse(nested["mail.json"] ?? "")).toEqual(russian["mail.yml"]);
    const php = await exported("locale=ru&format=php");
    expect(readPhpArray(php["mail.php"] ?? "")).toEqual(russian["mail.yml"]);
    const folded = JSON.parse((await exported("shape=nested"))["ru.json"] ?? "");
    expect(folded).toMatchObject({
      app: { item_few: "{{count}} товара" },
      mail: { inbox: { few: "%{count} письма" } },
    });
    const all = JSON.parse((await exported(""))["ru.json"] ?? "");
    expect(all).toMatchObject({ "app.item_few": "{{count}} товара", "mail.inbox.many": "%{count} писем" });
    for (const files of [{ "ru.json": all }, { "app.json": JSON.parse(flat["app.json"] ?? "") }]) {
      expect(await translate("ru", files)).toMatchObject({ created: 0, updated: 0, unknown: 0 });
    }
    for (const locale of ["ja", "fr", "ru"]) {
      const files = await exported(`locale=${locale}`);
      const sent = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, JSON.parse(text)]));
      expect((await translate(locale, sent)).unknown).toBe(0);
    }
    expect(await problems()).toEqual([]);
  });

  it("are rendered by i18next as Russian has them", async () => {
    await translate("ru", russian);
    const { "app.json": text = "" } = await exported("locale=ru");
    const i18n = createInstance();
    await i18n.init({ lng: "ru", resources: { ru: { translation: JSON.parse(text) } } });
    expect([1, 3, 5, 21, 1.5].map((count) => i18n.t("item", { count }))).toEqual([
      "1 товар",
      "3 товара",
      "5 товаров",
      "21 товар",
      "1.5 товара (дробь)",
    ]);
  });

  it("are unknown where the language has them not", async () => {
    const sent = { "app.json": { item_few: "少し", item_other: "個", item_zero: "無" } };
    const counts = await translate("ja", sent);
    expect(counts).toMatchObject({ created: 1, updated: 0, skipped: 0, unknown: 2, findings_total: 1 });
    const removal = { files: { "app.json": ["item_few", "item_one", "item_other"] } };
    expect((await call("DELETE", `${base}/translations/ja`, { body: removal })).json).toEqual({
      deleted: 1,
      skipped: 1,
      unknown: 1,
    });
    expect((await translate("fr", { "app.json": { item_many: "de" } })).created).toBe(1);
  });

  it("count in the progress as far as whole numbers have them", async () => {
    const texts = async (locale: string) => {
      const { total, empty, warning } = await stats(locale);
      return { total, empty, warning };
    };
    expect(await texts("ru")).toEqual({ total: 8, empty: 8, warning: 0 });
    expect(await texts("ja")).toEqual({ total: 4, empty: 4, warning: 0 });
    expect(await texts("fr")).toEqual({ total: 6, empty: 6, warning: 0 });
    await translate("ru", { "app.json": { item_few: "F", item_other: "O", title: "T" } });
    expect(await texts("ru")).toEqual({ total: 8, empty: 6, warning: 0 });
    const left = (await call("GET", `${base}/untranslated?locale=ru&file=app.json`)).json.data;
    expect(left.map((one: Record<string, string>) => [one.key, one.source_value])).toEqual([
      ["item_one", "{{count}} item"],
      ["item_many", "{{count}} items"],
    ]);
    expect((await call("GET", base)).json.string_count).toBe(6);
  });

  it("are asked for everywhere where the source has one for no number at all", async () => {
    const withZero = {
      "app.json": { item_zero: "Nothing", ...source["app.json"] },
      "mail.yml": { inbox: { zero: "No letters", ...source["mail.yml"].inbox }, from: "From" },
    };
    await put(withZero);
    for (const locale of ["ru", "ja", "fr"]) {
      const all = (await call("GET", `${base}/untranslated?locale=${locale}`)).json;
      const keys = all.data.map(({ key }: { key: string }) => key);
      expect(keys).toEqual(expect.arrayContaining(["item_zero", "inbox.zero"]));
      expect((await stats(locale)).empty).toBe(all.data.length);
      const work = (await call("POST", `${base}/work`, { body: { locale, key: "item_other" } })).json;
      expect(work.items[0].forms).toEqual(
        expect.arrayContaining([expect.objectContaining({ form: "zero", source: "Nothing", example: 0 })]),
      );
      const sent = { "app.json": { item_zero: "–" }, "mail.yml": { inbox: { zero: "–" } } };
      expect(await translate(locale, sent)).toMatchObject({ created: 2, unknown: 0 });
      expect((await stats(locale)).empty).toBe(all.data.length - 2);
    }
  });

  it("are stale when `other` has another text, and are confirmed by their keys", async () => {
    await translate("ru", russian);
    const changed = { ...source["app.json"], item_other: "{{count}} things" };
    expect((await put({ "app.json": changed })).json).toMatchObject({ updated: 1, deleted: 0 });
    const stale = async () =>
      (await call("GET", `${base}/stale?locale=ru`)).json.data.map((one: Record<string, string>) => [
        one.key,
        one.old_source_value,
        one.source_value,
      ]);
    const [old, now] = ["{{count}} items", "{{count}} things"];
    expect(await stale()).toEqual([
      ["item_other", old, now],
      ["item_few", old, now],
      ["item_many", old, now],
    ]);
    // Whole numbers have no use for `other` in Russian.
    expect((await stats("ru")).warning).toBe(2);
    const body = { locale: "ru", file: "app.json", keys: ["item_few", "item_one"] };
    expect((await call("POST", `${base}/stale/confirm`, { body })).json).toEqual({
      confirmed: 1,
      unknown: 1,
    });
    await put({ "app.json": source["app.json"] });
    expect(await stale()).toEqual([["item_few", now, old]]);
    expect(await problems()).toEqual([]);
  });

  it("go with their string, which a dry run tells, and come back by an undo", async () => {
    await translate("ru", russian);
    const without = { "app.json": { title: "Shop" } };
    const dry = (await put(without, { query: "dry_run=true" })).json;
    expect(dry.changes.map((one: Record<string, string>) => `${one.locale} ${one.key}`)).toContain(
      "ru item_few",
    );
    const removed = await put(without);
    expect(removed.json).toMatchObject({ deleted: 2 });
    expect(await stored("ru", "app.json")).toEqual(["title"]);
    const commit = removed.headers.get("x-skep-commit") ?? "";
    const changes = (await call("GET", `${base}/history/${commit}`)).json.data;
    expect(changes.map((one: Record<string, string>) => `${one.locale} ${one.key}`).toSorted()).toEqual([
      "en item_one",
      "en item_other",
      "ru item_few",
      "ru item_many",
      "ru item_one",
      "ru item_other",
    ]);
    const undone = await undo(commit);
    expect(undone.json).toEqual({ restored: 6, updated: 0, deleted: 0, skipped: 0 });
    expect(JSON.parse((await exported("locale=ru"))["app.json"] ?? "")).toEqual(russian["app.json"]);
    const of = (await history("key=item_few")).json.data;
    expect(of.map((one: Record<string, string>) => one.operation)).toEqual([
      "undo",
      "sync",
      "import-translations",
    ]);
    expect(await problems()).toEqual([]);
  });

  it("stop the undo of the string's creation once they are translated", async () => {
    const made = await post({ "new.json": { n_one: "1", n_other: "n" } });
    await translate("ru", { "new.json": { n_few: "F" } });
    const refused = await undo(made.headers.get("x-skep-commit"));
    expect([refused.status, refused.json.total]).toEqual([409, 2]);
  });
});

describe("the setting of plural forms", () => {
  const set = (plurals: string) => call("PATCH", base, { body: { plurals } });

  it("decides what is taken and needed, and leaves what is stored", async () => {
    await translate("ru", russian);
    expect((await set("none")).json.plurals).toBe("none");
    expect(await stats("ru")).toMatchObject({ total: 6, empty: 0 });
    const files = await exported("locale=ru");
    expect(JSON.parse(files["app.json"] ?? "")).toEqual(russian["app.json"]);
    expect(await translate("ru", russian)).toEqual({ created: 0, updated: 0, skipped: 10, unknown: 0 });
    expect(await translate("fr", { "app.json": { item_many: "M" } })).toMatchObject({ unknown: 1 });
    expect(await problems()).toEqual([]);
    await set("nested");
    expect((await stats("ru")).total).toBe(7);
    await set("auto");
    expect((await stats("ru")).total).toBe(8);
  });

  it("is of the Hive that is made with it", async () => {
    const reply = await call("POST", "/api/hives", {
      body: { slug: "plain", plurals: "none", locales: ["ru"] },
    });
    expect(reply.json.plurals).toBe("none");
    const files = { "a.json": { x_one: "1", x_other: "n" } };
    await call("PUT", "/api/hives/plain/strings", { body: { files } });
    const sent = { files: { "a.json": { x_few: "F" } } };
    expect((await call("POST", "/api/hives/plain/translations/ru", { body: sent })).json.unknown).toBe(1);
  });
});

describe("a Hive from before there were plural forms", () => {
  it("keeps its bytes until it is written to, and takes them then", async () => {
    const hiveYaml = "name: web\nsource_locale: en\nlocales:\n  - code: en\n  - code: ru\n";
    await commitOutside({ disk, storage, slug }, { files: { "hive.yaml": hiveYaml } });
    const before = (await storage.hives.at(slug).snapshot()).commit.oid;
    await call("GET", `${base}/export?locale=ru`);
    expect((await call("GET", base)).json.plurals).toBe("auto");
    expect(await problems()).toEqual([]);
    expect((await storage.hives.at(slug).snapshot()).commit.oid).toBe(before);
    expect((await translate("ru", russian)).unknown).toBe(0);
  });

  it("keeps forms that no language of the server has, and takes them back", async () => {
    const texts = JSON.stringify({ item_few: "少し", item_other: "個" });
    await commitOutside({ disk, storage, slug }, { files: { "locales/ja/app.json.json": texts } });
    const found = await problems();
    expect(found.filter((problem) => problem.includes("without a source string"))).toEqual([]);
    expect(JSON.parse((await exported("locale=ja"))["app.json"] ?? "")).toEqual(JSON.parse(texts));
    expect(await translate("ja", { "app.json": JSON.parse(texts) })).toMatchObject({
      skipped: 2,
      unknown: 0,
    });
    await translate("ja", { "app.json": { title: "店" } });
    expect(await stored("ja", "app.json")).toEqual(["item_other", "item_few", "title"]);
    expect(await problems()).toEqual([]);
  });
});

it("keep their accepted findings when their plural string moves", async () => {
  await translate("ru", { "app.json": { ...russian["app.json"], item_few: "{{nom}} товара" } });
  const finding = { locale: "ru", file: "app.json", key: "item_few", check: "argument-extra" };
  expect((await call("POST", `${base}/checks/accept`, { body: finding })).json).toEqual({
    accepted: 1,
    unknown: 0,
  });
  const moves = ["one", "other"].map((form) => ({
    from: { file: "app.json", key: `item_${form}` },
    to: { file: "app.json", key: `good_${form}` },
  }));
  expect((await call("POST", `${base}/keys/move`, { body: { moves } })).status).toBe(200);
  const moved = { ...finding, key: "good_few" };
  const { data } = (await call("GET", `${base}/checks?locale=ru`)).json;
  expect(data).not.toContainEqual(expect.objectContaining({ check: finding.check }));
  expect((await call("DELETE", `${base}/checks/accept`, { body: moved })).json).toEqual({
    withdrawn: 1,
    unknown: 0,
  });
});
