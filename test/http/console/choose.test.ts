/** The ways to work that name no language: from the first page and from the tabs of a Hive. */
import { beforeEach, describe, expect, it } from "vitest";
import { prepareBrowser, signedIn, type ConsoleBrowser, type Fields } from "./browse.ts";
import { makeHive, type Call } from "../../helpers/storage.ts";
import type { Storage } from "../../../src/service/storage.ts";
import type { Ability } from "../../../src/domain/access/token.ts";

const api = "/api/hives/web";
const files = (texts: object): { body: object } => ({ body: { files: { "a.json": texts } } });
let storage: Storage;
let call: Call;

const prepared = prepareBrowser(
  { locales: ["de", "fr", "pt-BR=pt_BR"], token: { abilities: ["admin"] } },
  async (web) => {
    await web.call("POST", `${api}/strings`, files({ open: "Open", close: "Close" }));
    await web.call("POST", `${api}/translations/de`, files({ open: "Öffnen", close: "Schließen" }));
  },
);
beforeEach(async () => {
  ({ storage, call } = await prepared());
});

const abilities = (names: string): readonly Ability[] => names.split(" ") as Ability[];

async function person(rights: string, locales?: readonly string[]): Promise<ConsoleBrowser> {
  return signedIn(storage, { abilities: abilities(rights), ...(locales && { locales }) });
}

/** Answers a string of a locale as its page does. */
async function answer(browser: ConsoleBrowser, locale: string, fields: Fields): Promise<void> {
  const address = `/hives/web/translate/${locale}`;
  const { html } = await browser.get(address);
  const seen = /name="seen" value="([^"]*)"/.exec(html)?.[1]?.replaceAll("&quot;", '"') ?? "";
  const about = { locale, file: "a.json", key: "open", seen, form: "other", change: "next" };
  const { status } = await browser.submit(address, { ...about, ...fields });
  expect(status).toBe(303);
}

const leadsTo = async (browser: ConsoleBrowser, path: string): Promise<string> => {
  const { status, headers, text } = await browser.get(path);
  return status === 303 ? (headers.get("location") ?? "").replace(/^(\.\.\/)+/, "/") : text;
};

describe.each([
  ["translate", "read write", ""],
  ["review", "read write approve", "?want=review"],
])("the tab to %s", (kind, rights, query) => {
  const tab = `/hives/web/${kind}`;

  it("leads to the only language of a token, by the code of the Hive, and keeps the branch", async () => {
    const browser = await person(rights, ["pt-BR"]);
    expect(await leadsTo(browser, tab)).toBe(`/hives/web/translate/pt_BR${query}`);
    await call("POST", `${api}/branches`, { body: { name: "b" } });
    expect(await leadsTo(browser, `${tab}?branch=b`)).toContain("branch=b");
  });

  it("shows all languages to those who may work on all of them, until they have worked on one", async () => {
    const browser = await person(rights);
    const shown = await leadsTo(browser, tab);
    expect(shown).toMatch(/German 100% 0 texts .*French 0% .*Brazilian Portuguese 0%/);
    await answer(browser, "fr", { text: "Ouvrir" });
    expect(await leadsTo(browser, tab)).toBe(`/hives/web/translate/fr${query}`);
    await call("DELETE", `${api}/locales/fr`);
    expect(await leadsTo(browser, tab)).toMatch(/^(?!\/).*German/);
  });
});

it("a tab to translate skips languages of a token that are complete", async () => {
  expect(await leadsTo(await person("read write", ["de", "fr"]), "/hives/web/translate")).toBe(
    "/hives/web/translate/fr",
  );
});

it("a text that is stale and failing is one text to translate, here and in the inbox", async () => {
  await call("PUT", `${api}/strings`, files({ open: "Open {{n}}", close: "Close" }));
  const german = { "a.json": { open: "{{n}} öffnen", close: "Schließen" } };
  await call("POST", `${api}/translations/de`, { body: { files: german, overwrite_strategy: "overwrite" } });
  await call("PUT", `${api}/strings`, files({ open: "Open {{name}}", close: "Close!" }));
  const stats = (await call("GET", "/api/hives/web")).json.locales.de;
  expect(stats).toMatchObject({ warning: 2, failing: 1 });
  const browser = await person("read write");
  expect(await leadsTo(browser, "/hives/web/translate")).toMatch(/German \d+% 2 texts to translate/);
  expect((await browser.get("/inbox")).text).toContain("German 2 to translate");
});

it.each([
  ["read", [], ["Translate", "Review"]],
  ["read write", ["Translate"], ["Review", "Settings"]],
  ["read approve", ["Review"], ["Translate"]],
  ["admin", ["Translate", "Review", "Settings"], []],
])("the tabs of somebody with %s are those that they can use", async (rights, has, lacks) => {
  const { html } = await (await person(rights)).get("/hives/web");
  const tabs = /<nav class="tabs".*?<\/nav>/s.exec(html)?.[0] ?? "";
  for (const name of has) expect(tabs).toContain(`>${name}</a>`);
  for (const name of lacks) expect(tabs).not.toContain(`>${name}</a>`);
});

it("a Hive without languages, and one without any of the caller's, say so", async () => {
  await makeHive(storage, "empty", { locales: [] });
  const browser = await person("read write");
  expect(await leadsTo(browser, "/hives/empty/translate")).toContain("no language to translate into yet");
  const reader = await person("read");
  expect(await leadsTo(reader, "/hives/web/review")).toContain(
    "no language of this Hive that you may work on",
  );
});

describe("the first page", () => {
  it("leads back to the language that was worked on last, of another Hive if there nothing is left", async () => {
    const browser = await person("read write approve");
    expect((await browser.get("/")).text).not.toContain("→");
    await answer(browser, "fr", { text: "Ouvrir" });
    expect((await browser.get("/")).text).toContain("web → French Translate 1 text");
    await call("POST", `${api}/translations/fr`, {
      ...files({ close: "Fermer" }),
      headers: { "x-commit-origin": "model" },
    });
    const { text, html } = await browser.get("/");
    expect(text).toContain("web → French Review 1 text");
    expect(html).toContain('class="button primary" href="./hives/web/translate/fr?want=review"');
    await call("POST", "/api/hives", { body: { slug: "shop", locales: ["fr"] } });
    await call("POST", "/api/hives/shop/strings", files({ buy: "Buy" }));
    await call("POST", `${api}/review/approve`, { body: { locale: "fr", file: "a.json", keys: ["close"] } });
    expect((await browser.get("/")).text).toContain("shop → French Translate 1 text");
  });

  it.each(["sr@latin", "pt_BR", "zh-Hant", `x@${"_-".repeat(31)}`])(
    "leads back to a language of the code %s, which has an address at every door",
    async (code) => {
      await call("POST", `${api}/locales`, { body: { code: "sr-Latn", custom_code: code } });
      const browser = await person("read write");
      await answer(browser, encodeURIComponent(code), { text: "Otvori" });
      const { html } = await browser.get("/");
      const [, link = ""] = /href="(\.[^"]*)"[^>]*> *Translate 1 text/.exec(html) ?? [];
      expect(decodeURIComponent(link)).toBe(`./hives/web/translate/${code}`);
      for (const address of [code, encodeURIComponent(code)]) {
        expect((await browser.get(`/hives/web/translate/${address}`)).status).toBe(200);
        const sent = await call("POST", `${api}/translations/${address}`, files({ open: "Отвори" }));
        expect(sent.status).toBe(200);
      }
      const { json } = await call("GET", `${api}/export`);
      expect(Object.keys(json.files)).toContain(`${code}.json`);
    },
  );

  it("leads those who are limited to languages to the first with work, and takes no cookie at its word", async () => {
    const browser = await person("read write", ["de", "fr"]);
    expect((await browser.get("/")).text).toContain("web → French Translate 2 texts");
    for (const value of ["web.<script>", "../x.fr", "nope.fr", "web.nope", "x".repeat(3000)]) {
      browser.cookies.set("skep-last", value);
      const { status, text } = await browser.get("/");
      expect([status, text]).toEqual([200, expect.stringContaining("web → French")]);
      expect(await leadsTo(browser, "/hives/web/translate")).toBe("/hives/web/translate/fr");
    }
  });
});
