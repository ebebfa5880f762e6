/** The progress of a language over time, on its page and as CSV. */
import { beforeEach, expect, it } from "vitest";
import { changeStored, makePerson, signInAs } from "../../../helpers/people/people.ts";
import type { LocaleCode } from "../../../../src/domain/hives/locale.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call } from "../../../helpers/storage.ts";
import { browse, prepareBrowser, type ConsoleBrowser } from "../browse.ts";

const at = "/hives/web/figures";
const clock = { now: Date.parse("2026-01-20T11:00:00Z") };
let storage: Storage;
let browser: ConsoleBrowser;
let call: Call;
const { post, fill } = hiveAt(() => call);

const prepared = prepareBrowser(
  { token: { abilities: ["admin"] }, locales: ["fr", "de"], storage: { now: () => clock.now } },
  async (web) => {
    ({ call } = web);
    const source = (texts: object) => post({ "a.json": texts });
    const translate = (texts: object) => fill("fr", { "a.json": texts });
    clock.now = Date.parse("2026-01-20T12:00:00Z");
    await source({ hello: "Hello {{name}}", two: "Two words", empty: "" });
    clock.now = Date.parse("2026-02-28T23:59:59Z");
    await translate({ hello: "Salut {{name}}" });
    clock.now = Date.parse("2026-03-01T00:00:00Z");
    await translate({ two: "Deux mots" });
    clock.now = Date.parse("2026-03-05T12:00:00Z");
    await source({ two: "Two other words" });
  },
);
beforeEach(async () => {
  ({ storage, browser, call } = await prepared());
  clock.now = Date.parse("2026-03-05T13:00:00Z");
});

const rowsIn = (csv: string): readonly string[] => csv.trim().split("\r\n");

it("has the texts and words of each month as it ended, from the first commit on", async () => {
  const { html, headers } = await browser.get(`${at}.csv?locale=fr`);
  expect(headers.get("content-disposition")).toContain("web-fr-month.csv");
  expect(rowsIn(html)).toEqual([
    "period,texts,words,translated,translated_words,approved,own_commits",
    "2026-03,2,4,1,1,1,",
    "2026-02,2,3,1,1,1,",
    "2026-01,2,3,0,0,0,",
  ]);
});

it("has each day, and the language that is asked for", async () => {
  const days = rowsIn((await browser.get(`${at}.csv?locale=fr&by=day`)).html);
  expect(days.slice(1, 7)).toEqual([
    "2026-03-05,2,4,1,1,1,",
    "2026-03-04,2,3,2,3,2,",
    "2026-03-03,2,3,2,3,2,",
    "2026-03-02,2,3,2,3,2,",
    "2026-03-01,2,3,2,3,2,",
    "2026-02-28,2,3,1,1,1,",
  ]);
  expect(days).toHaveLength(1 + 31);
  expect(rowsIn((await browser.get(`${at}.csv?locale=de`)).html)[1]).toBe("2026-03,2,4,0,0,0,");
});

it("counts the commits of a person for them alone", async () => {
  const anna = await makePerson(storage);
  const own = browse(storage);
  own.cookies.set("skep", await signInAs(storage, anna));
  const fields = { file: "a.json", key: "new", text: "New" };
  const preview = await own.submit("/hives/web/source/add", fields);
  const [, plan = ""] = /name="plan" value="([^"]*)"/.exec(preview.html) ?? [];
  expect((await own.submit("/hives/web/source/add", { ...fields, plan })).status).toBe(303);
  const rows = rowsIn((await own.get(`${at}.csv?locale=fr`)).html);
  expect(rows.slice(1)).toEqual(["2026-03,3,5,1,1,1,1", "2026-02,2,3,1,1,1,0", "2026-01,2,3,0,0,0,0"]);
  expect((await own.get(at)).text).toContain("Your commits");
});

it("is a page, for the first language if none is named", async () => {
  const page = await browser.get(at);
  expect(page.text).toContain("2026-03 2 4 1 1 50%");
  expect(page.text).not.toContain("Your commits");
  expect(page.html).toContain("figures.csv?locale=fr&amp;by=month");
  expect((await browser.get("/hives/web")).html).toContain('/figures"');
});

it("is for the language that somebody may write into, unless they have chosen others", async () => {
  const shownTo = async (id: string, ...languages: LocaleCode[]): Promise<string | undefined> => {
    const made = await makePerson(storage, { id, locales: ["de"] });
    const person = await changeStored(storage, { ...made, languages });
    const own = browse(storage);
    own.cookies.set("skep", await signInAs(storage, person));
    return /figures\.csv\?locale=(\w+)/.exec((await own.get(at)).html)?.[1];
  };
  expect(await shownTo("dora")).toBe("de");
  expect(await shownTo("fred", "fr" as LocaleCode)).toBe("fr");
});

it.each([["?locale=xx"], ["?locale=en"], ["?by=year"], ["?nope=1"]])(
  "says what is wrong with an address: %s",
  async (query) => {
    expect((await browser.get(`${at}${query}`)).status).toBe(422);
    expect((await browser.get(`${at}.csv${query}`)).status).toBe(422);
  },
);

it("leaves out what was before the language was there", async () => {
  clock.now = Date.parse("2026-03-06T00:00:00Z");
  expect((await call("POST", "/api/hives/web/locales", { body: { code: "es" } })).status).toBe(201);
  const rows = rowsIn((await browser.get(`${at}.csv?locale=es&by=day`)).html);
  expect(rows.slice(1)).toEqual(["2026-03-06,2,4,0,0,0,"]);
});
