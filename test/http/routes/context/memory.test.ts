/** Translation memory, over HTTP. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { toHiveSlug } from "../../../../src/domain/names.ts";
import { deleteHive } from "../../../../src/service/admin/hives.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import type { Disk } from "../../../../src/disk/disk.ts";
import { commitOutside } from "../../../helpers/outside.ts";
import { runs } from "../../../helpers/runs.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import {
  byCommand,
  type Call,
  harness,
  makeHive,
  makeToken,
  memoryStorage,
  setUpWeb,
} from "../../../helpers/storage.ts";

let disk: Disk;
let storage: Storage;
let token: string;
let call: Call;
const { put, translate } = hiveAt(() => call);
const app = hiveAt(() => call, "app");
const german = hiveAt(() => call, "german");

beforeEach(async () => {
  ({ disk, storage, token, call } = await setUpWeb({ locales: ["fr", "pt-BR=pt_BR"] }));
});

/** `score hive file:key text`, with `waiting` and `former` where they are so. */
async function hits(
  text: string,
  query = "",
  options: { token?: string; locale?: string } = {},
): Promise<string[]> {
  const { locale = "fr", ...rest } = options;
  const path = `/api/hives/web/memory?locale=${locale}&text=${encodeURIComponent(text)}${query}`;
  const { status, json } = await call("GET", path, { token, ...rest });
  expect(status).toBe(200);
  return json.data.map((one: Record<string, unknown>) =>
    [one.score, one.hive, `${String(one.file)}:${String(one.key)}`, one.text]
      .concat(one.approved === true ? [] : "waiting", one.former === true ? "former" : [])
      .join(" "),
  );
}

describe("GET /memory", () => {
  it("gives the translations of equal texts, then of similar ones", async () => {
    await put({
      "a.php": { x: "Delete files", y: "Delete file", z: "Sign out" },
      "b.php": { x: "Delete file" },
    });
    expect(await hits("Delete file")).toEqual([]);
    await translate("fr", { "a.php": { x: "Supprimer les fichiers", y: "Supprimer", z: "Partir" } });
    const { json } = await call("GET", "/api/hives/web/memory?locale=fr&text=Delete%20file&limit=1");
    expect(json).toEqual({
      data: [
        {
          source: "Delete file",
          text: "Supprimer",
          hive: "web",
          file: "a.php",
          key: "y",
          score: 100,
          approved: true,
          former: false,
        },
      ],
    });
    expect(await hits("Delete file")).toEqual([
      "100 web a.php:y Supprimer",
      "86 web a.php:x Supprimer les fichiers",
    ]);
    await translate("fr", { "b.php": { x: "Effacer" } });
    expect((await hits("Delete file")).slice(0, 2)).toEqual([
      "100 web a.php:y Supprimer",
      "100 web b.php:x Effacer",
    ]);
    await translate("fr", { "b.php": { x: "Supprimer" } });
    expect(await hits("Delete file", "&limit=1000")).toEqual([
      "100 web a.php:y Supprimer",
      "86 web a.php:x Supprimer les fichiers",
    ]);
    expect(await hits("Delete file", "", { locale: "pt_BR" })).toEqual([]);
  });

  it("gives approved translations before those that wait", async () => {
    const model = await makeToken(storage, { review: "always" });
    await put({ "a.php": { x: "Home" }, "b.php": { x: "Home" } });
    await translate("fr", { "a.php": { x: "Maison" } }, { token: model });
    await translate("fr", { "b.php": { x: "Accueil" } });
    expect(await hits("Home")).toEqual(["100 web b.php:x Accueil", "100 web a.php:x Maison waiting"]);
    await call("POST", "/api/hives/web/review/approve", {
      body: { locale: "fr", file: "a.php", keys: ["x"] },
      token: await makeToken(storage, { abilities: ["read", "approve"] }),
    });
    expect(await hits("Home")).toEqual(["100 web a.php:x Maison", "100 web b.php:x Accueil"]);
  });

  it("gives stale translations for their former source text alone", async () => {
    await put({ "a.php": { x: "Home", y: "Hone" } });
    await translate("fr", { "a.php": { x: "Accueil", y: "Affûter" } });
    await put({ "a.php": { x: "Start page", y: "Hone" } });
    expect(await hits("Start page")).toEqual([]);
    expect(await hits("Home")).toEqual(["100 web a.php:x Accueil former"]);
    await call("POST", "/api/hives/web/stale/confirm", {
      body: { locale: "fr", file: "a.php", keys: ["x"] },
    });
    expect(await hits("Start page")).toEqual(["100 web a.php:x Accueil"]);
    expect(await hits("Home")).toEqual(["100 web a.php:x Accueil former"]);
  });

  it("gives translations that strings had when their source texts were replaced", async () => {
    await put({ "a.php": { x: "Home", y: "Delete file", z: "Open" } });
    await translate("fr", { "a.php": { x: "Accueil", y: "Supprimer" } });
    await put({ "a.php": { x: "Start page", z: "Opened" } });
    await translate("fr", { "a.php": { x: "Page d’accueil", z: "Ouvert" } });
    expect(await hits("Home")).toEqual(["100 web a.php:x Accueil former"]);
    expect(await hits("Delete files")).toEqual(["86 web a.php:y Supprimer former"]);
    expect(await hits("Open")).toEqual(["60 web a.php:z Ouvert"]);
    // Present texts come first, and the same pair of texts once.
    await put({ "a.php": { x: "Home" }, "b.php": { n: "Delete file", o: "Home", p: "Delete files" } });
    expect(await hits("Home")).toEqual(["100 web a.php:x Accueil former"]);
    expect(await hits("Start page")).toEqual(["100 web a.php:x Page d’accueil former"]);
    await translate("fr", { "b.php": { n: "Effacer", o: "Accueil", p: "Effacer tout" } });
    expect(await hits("Home")).toEqual(["100 web b.php:o Accueil"]);
    expect(await hits("Delete file")).toEqual([
      "100 web b.php:n Effacer",
      "100 web a.php:y Supprimer former",
      "86 web b.php:p Effacer tout",
    ]);
    expect(await hits("Delete file", "", { locale: "pt_BR" })).toEqual([]);
  });

  it("gives no former translation that was stale, and says of one that it waited", async () => {
    const model = await makeToken(storage, { review: "always" });
    await put({ "a.php": { x: "Home", y: "Save" } });
    await translate("fr", { "a.php": { x: "Accueil" } });
    await translate("fr", { "a.php": { y: "Garder" } }, { token: model });
    await put({ "a.php": { x: "Start page", y: "Save" } });
    await put({ "a.php": { other: "Other" } });
    expect(await hits("Start page")).toEqual([]);
    expect(await hits("Home")).toEqual(["100 web a.php:x Accueil former"]);
    expect(await hits("Save")).toEqual(["100 web a.php:y Garder waiting former"]);
  });

  it("gives former translations of another Hive as long as it is there and can be read", async () => {
    await makeHive(storage, "app", { locales: ["fr"] });
    await app.put({ "m.json": { h: "Home", i: "x" } });
    await app.translate("fr", { "m.json": { h: "Accueil" } });
    await app.put({ "m.json": { i: "x" } });
    const limited = await makeToken(storage, { hives: ["web"] });
    expect(await hits("Home")).toEqual(["100 app m.json:h Accueil former"]);
    expect(await hits("Home", "", { token: limited })).toEqual([]);
    await deleteHive(storage, toHiveSlug("app"), byCommand);
    expect(await hits("Home")).toEqual([]);
  });

  it("gives a string that is worked on its own former translation, but not the one that it has", async () => {
    await put({ "a.php": { x: "Home" } });
    await translate("fr", { "a.php": { x: "Accueil" } });
    await put({ "a.php": { x: "Start page" } });
    const work = async () => {
      const body = { locale: "fr", want: ["missing", "stale"], max_items: 1 };
      const { json } = await call("POST", "/api/hives/web/work", { body });
      await call("DELETE", `/api/hives/web/work/${json.claim}`);
      return json.items[0].memory.map((hit: Record<string, unknown>) => hit.text);
    };
    await put({ "a.php": { x: "Home page" } });
    expect(await work()).toEqual([]);
    await translate("fr", { "a.php": { x: "Page" } });
    await put({ "a.php": { x: "Home pages" } });
    await put({ "a.php": { x: "Home page." } });
    expect(await work()).toEqual([]);
    await call("DELETE", "/api/hives/web/translations/fr", { body: { files: { "a.php": ["x"] } } });
    expect(await work()).toEqual(["Page"]);
  });

  it("looks in other Hives with the same source and target locale, as they are now", async () => {
    await put({ "a.php": { x: "Home" } });
    await makeHive(storage, "app", { locales: ["de"] });
    await makeHive(storage, "german", { source: "de", locales: ["fr"] });
    await app.put({ "m.json": { h: "Home" } });
    await german.put({ "m.json": { h: "Home" } });
    await german.translate("fr", { "m.json": { h: "Nest" } });
    expect(await hits("Home")).toEqual([]);
    await call("POST", "/api/hives/app/locales", {
      body: { code: "fr" },
      token: await makeToken(storage, { abilities: ["admin"] }),
    });
    await app.translate("fr", { "m.json": { h: "Accueil" } });
    expect(await hits("Home")).toEqual(["100 app m.json:h Accueil"]);
    await translate("fr", { "a.php": { x: "Maison" } });
    expect(await hits("Home")).toEqual(["100 web a.php:x Maison", "100 app m.json:h Accueil"]);
    await deleteHive(storage, toHiveSlug("app"), byCommand);
    expect(await hits("Home")).toEqual(["100 web a.php:x Maison"]);
  });

  it("never looks in a Hive that the token cannot read", async () => {
    await makeHive(storage, "app", { locales: ["fr"] });
    await makeHive(storage, "rival", { team: "other", locales: ["fr"] });
    const rival = await makeToken(storage, { team: "other" });
    for (const [hive, by] of [
      ["app", token],
      ["rival", rival],
    ] as const) {
      await call("PUT", `/api/hives/${hive}/strings`, {
        body: { files: { "a.php": { x: "Home" } } },
        token: by,
      });
      await hiveAt(() => call, hive).translate("fr", { "a.php": { x: `Accueil ${hive}` } }, { token: by });
    }
    const limited = await makeToken(storage, { hives: ["web"] });
    const french = await makeToken(storage, { locales: ["pt-BR"] });
    // In this order, so that no answer to one token is an answer to another.
    expect(await hits("Home")).toEqual(["100 app a.php:x Accueil app"]);
    expect(await hits("Home", "", { token: limited })).toEqual([]);
    expect(await hits("Home", "", { token: french })).toEqual(["100 app a.php:x Accueil app"]);
    expect(await hits("Home")).toEqual(["100 app a.php:x Accueil app"]);
  });

  it("leaves out another Hive that cannot be read, and fails for its own", async () => {
    await makeHive(storage, "app", { locales: ["fr"] });
    await commitOutside({ storage, disk, slug: "app" }, { files: { "hive.yaml": "[" } });
    expect(await hits("Home")).toEqual([]);
    await commitOutside({ storage, disk, slug: "web" }, { files: { "hive.yaml": "[" } });
    const { status } = await call("GET", "/api/hives/web/memory?locale=fr&text=Home");
    expect(status).toBe(503);
  });

  it.each(["locales/fr/a.php.json", "locales/en/a.php.json", "stale/fr/a.php.json", "review/fr/a.php.json"])(
    "leaves out another Hive with %s that cannot be read, and lets work of its own Hive go on",
    async (path) => {
      await makeHive(storage, "app", { locales: ["fr"] });
      for (const hive of ["web", "app"]) {
        const { put, translate } = hiveAt(() => call, hive);
        await put({ "a.php": { x: "Home", y: "Home" } });
        await translate("fr", { "a.php": { x: "Accueil" } });
      }
      await commitOutside({ storage, disk, slug: "app" }, { files: { [path]: "{" } });
      expect(await hits("Home")).toEqual(["100 web a.php:x Accueil"]);
      const { status, json } = await call("POST", "/api/hives/web/work", { body: { locale: "fr" } });
      expect([status, json.items.map((item: { key: string }) => item.key)]).toEqual([200, ["y"]]);
    },
  );

  it("has the texts of a branch", async () => {
    await put({ "a.php": { x: "Home" } });
    await translate("fr", { "a.php": { x: "Accueil" } });
    await call("POST", "/api/hives/web/branches", { body: { name: "next" } });
    await translate("fr", { "a.php": { x: "Maison" } }, { query: "branch=next" });
    expect(await hits("Home", "&branch=next")).toEqual(["100 web a.php:x Maison"]);
    expect(await hits("Home")).toEqual(["100 web a.php:x Accueil"]);
  });

  it("refuses a query without a locale or a text, or with one that cannot be", async () => {
    const faulty = [
      ["text=x", "locale"],
      ["locale=xx&text=x", "locale"],
      ["locale=en&text=x", "locale"],
      ["locale=fr", "text"],
      ["locale=fr&text=", "text"],
      [`locale=fr&text=${"x".repeat(5_001)}`, "text"],
      ["locale=fr&text=x&limit=0", "limit"],
    ] as const;
    for (const [query, field] of faulty) {
      const { status, json } = await call("GET", `/api/hives/web/memory?${query}`);
      expect([query, status, Object.keys(json.errors)]).toEqual([query, 422, [field]]);
    }
  });

  it("is the same after commits as after a start", async () => {
    const text = fc.constantFrom("Save", "Save file", "Save files", "Save all files", "Open");
    const file = fc.dictionary(fc.constantFrom("a", "b", "c"), text, { minKeys: 1 });
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("source" as const),
        files: fc.dictionary(fc.constantFrom("x", "y"), file, { minKeys: 1 }),
      }),
      fc.record({
        kind: fc.constant("texts" as const),
        files: fc.dictionary(fc.constantFrom("x", "y"), file, { minKeys: 1 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), text, async (steps, wanted) => {
        const web = await setUpWeb({ locales: ["fr"] });
        const former = new Set<string>();
        let before: readonly Pair[] = [];
        const ask = (own: Call) =>
          own("GET", `/api/hives/web/memory?locale=fr&text=${encodeURIComponent(wanted)}&limit=50`);
        for (const { kind, files } of steps) {
          await ask(web.call);
          if (kind === "source") await web.put(files);
          else await web.translate("fr", files);
          const { pairs, source: now } = await everything(web.storage);
          for (const { source, text: own, file: name, key } of before)
            if (now.get(name)?.get(key) !== source) former.add(JSON.stringify([source, own]));
          before = pairs;
        }
        const restarted = memoryStorage({ disk: web.disk, folder: web.folder });
        expect((await ask(web.call)).json).toEqual((await ask(harness(restarted, web.token).call)).json);
        const { content } = await everything(restarted);
        const { data } = (await ask(web.call)).json;
        expect(
          data.filter((hit: Record<string, unknown>) => hit.score === 100 && hit.former === false),
        ).toEqual(content.filter(({ source }) => source === wanted));
        const ended = data.filter((hit: Record<string, unknown>) => hit.score === 100 && hit.former === true);
        const present = new Set(content.map(({ source, text: own }) => JSON.stringify([source, own])));
        expect(
          ended.map((hit: Record<string, unknown>) => JSON.stringify([hit.source, hit.text])).toSorted(),
        ).toEqual(
          [...former].filter((pair) => JSON.parse(pair)[0] === wanted && !present.has(pair)).toSorted(),
        );
      }),
      { numRuns: runs(15) },
    );
  });
});

interface Pair {
  readonly source: string;
  readonly text: string;
  readonly file: string;
  readonly key: string;
}

/**
 * The present source texts with their translations, and as hits each pair of texts once, in the order of the first place of
 * each.
 */
async function everything(from: Storage) {
  const snapshot = await from.hives.at(toHiveSlug("web")).snapshot();
  const content = await snapshot.content("all");
  const pairs: Pair[] = [];
  const hitsOf = new Map<string, Record<string, unknown>>();
  for (const [file, { texts }] of content.source) {
    for (const [key, source] of texts) {
      for (const [code, files] of content.translations) {
        const text = files.get(file)?.get(key);
        const markers = await snapshot.values.stale.read([code]);
        if (text === undefined || markers.get(code)?.get(file)?.has(key) === true) continue;
        pairs.push({ source, text, file, key });
        const name = JSON.stringify([source, text]);
        const hit = { source, text, hive: "web", file, key, score: 100, approved: true, former: false };
        if (!hitsOf.has(name)) hitsOf.set(name, hit);
      }
    }
  }
  const source = new Map<string, ReadonlyMap<string, string>>(
    Array.from(content.source, ([file, { texts }]) => [file, texts]),
  );
  return { pairs, source, content: [...hitsOf.values()] };
}
