/** Progress on pages: the same of a text in bars, figures and lists. */
import { beforeEach, expect, it } from "vitest";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call } from "../../../helpers/storage.ts";
import { prepareBrowser, type ConsoleBrowser } from "../browse.ts";

let browser: ConsoleBrowser;
let call: Call;
const { post, fill } = hiveAt(() => call);

const prepared = prepareBrowser({ locales: ["de", "de-AT"], token: { abilities: ["admin"] } });
beforeEach(async () => {
  ({ call, browser } = await prepared());
  await post({ "a.json": { a: "One", b: "Two", c: "Three", d: "Four" } });
  await fill("de", { "a.json": { a: "Eins", b: "Zwei", c: "Drei" } });
  await fill("de-AT", { "a.json": { a: "Eins" } });
  await call("PATCH", "/api/hives/web/locales/de-AT", { body: { inherits: "de" } });
});

/** The bar of a language on the overview: what screen readers say, and what is drawn. */
async function barOf(locale: string): Promise<{ readonly label: string; readonly widths: object }> {
  const { html } = await browser.get("/hives/web?sort=added");
  const row = html.split("<tr>").find((one) => one.includes(`>${locale}</code>`)) ?? "";
  const widths = row.matchAll(/<rect class="(\w+)"(?: x="[\d.]+")? width="([\d.]+)"/g);
  return {
    label: /class="bar"[^>]* aria-label="([^"]*)"/.exec(row)?.[1] ?? "",
    widths: Object.fromEntries(Array.from(widths, ([, name = "", width]) => [name, Number(width)])),
  };
}

it("shows what a language inherits as such, and not as missing", async () => {
  expect(await barOf("de-AT")).toEqual({
    label: "1 of 4 strings translated, 2 inherited, 0 stale, 1 missing",
    widths: { missing: 1000, inherited: 750, translated: 250, stale: 0 },
  });
  expect(await barOf("de")).toEqual({
    label: "3 of 4 strings translated, 0 stale, 1 missing",
    widths: { missing: 1000, translated: 750, stale: 0 },
  });
  expect((await browser.get("/hives/web/strings?locale=de-AT&state=missing")).text).toContain(
    "1 string found",
  );
  expect((await browser.get("/hives/web/strings?locale=de-AT&q=Two")).text).toContain("not needed");
});

it.each([
  ["of the languages of a Hive", "/hives/web?sort=added", /de-AT.*?25%/],
  ["of all languages", "/", /50%.*?4 translated 2 inherited 2 missing/],
  ["of a day", "/hives/web/figures?locale=de-AT&by=day", /20\d\d-\d\d-\d\d 4 4 1 1 25%/],
])("has the percentage of the API, which leaves inherited texts out, %s", async (_, page, shown) => {
  expect((await browser.get(page)).text).toMatch(shown);
});

it("draws stale texts behind those that are inherited", async () => {
  await post({ "a.json": { a: "One more" } });
  const { html } = await browser.get("/hives/web?sort=added");
  const row = html.split("<tr>").find((one) => one.includes(">de-AT</code>")) ?? "";
  expect(row).toMatch(/<rect class="stale" x="500.0" width="250.0"/);
});
