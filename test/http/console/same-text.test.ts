/** Using a translation for the other strings with the same text, on the page of a string. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../src/service/storage.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { type Call } from "../../helpers/storage.ts";
import { prepareBrowser, signedIn, type ConsoleBrowser, type Page } from "./browse.ts";

let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;
const { translate, post, exported, history } = hiveAt(() => call);

const address = "/hives/web/strings/a.php/x";
const hive = "/api/hives/web";

const prepared = prepareBrowser({ locales: ["fr", "ru"] }, async (web) => {
  ({ call } = web);
  await post({
    "a.php": { x: "Cancel", y: "Cancel", z: "Close" },
    "b.php": { x: "Cancel", own: "Cancel" },
    "c.json": { n_one: "{count} file", n_other: "{count} files", m: "{count} files" },
  });
  await translate("fr", { "a.php": { x: "Annuler", y: "Abandonner" }, "b.php": { own: "Annuler" } });
});
beforeEach(async () => {
  ({ storage, call, browser } = await prepared());
});

const french = async (): Promise<unknown> => (await exported("locale=fr&names=hive")).json.files;

/** The form that offers it for a locale, and what is above it. */
function formIn(
  { html }: Page,
  locale = "fr",
): { readonly above: string; readonly seen: string } | undefined {
  const [above, form] = html.split(/(<form[^>]*>(?:(?!<\/form>)[^])*value="repeat")/);
  if (form?.includes(`name="locale" value="${locale}"`) !== true) return undefined;
  const seen = /name="seen" value="([^"]*)"/.exec(form)?.[1] ?? "";
  return { above: (above ?? "").slice((above ?? "").lastIndexOf('<details class="same')), seen };
}

const press = async (seen: string | undefined): Promise<Page> =>
  browser.submit(address, { locale: "fr", seen: seen ?? "", change: "repeat" });

describe("the page of a string", () => {
  it("uses its translation for all strings with the same text, as one commit", async () => {
    const page = await browser.get(address);
    expect(page.text).toContain("2 other strings with this text");
    expect(page.text).toContain("Use this translation in all 2 places");
    const form = formIn(page);
    expect(form?.above).toContain("Abandonner");
    expect(form?.above).toContain("no translation");
    const commits = async (): Promise<number> => (await history()).json.meta.total;
    const before = await commits();
    expect((await press(form?.seen)).status).toBe(303);
    expect(await commits()).toBe(before + 1);
    expect(await french()).toMatchObject({
      "a.php": expect.stringMatching(/"x": "Annuler",\s+"y": "Annuler"/),
      "b.php": expect.stringMatching(/"x": "Annuler",\s+"own": "Annuler"/),
    });
    expect(formIn(await browser.get(address))).toBeUndefined();
  });

  it("writes nothing when one of the texts has changed since, and shows them as they are", async () => {
    const form = formIn(await browser.get(address));
    await translate("fr", { "a.php": { y: "Renoncer" } });
    const refused = await press(form?.seen);
    expect(refused.status).toBe(409);
    expect(refused.html).toContain("Renoncer");
    expect(await french()).toMatchObject({ "a.php": expect.stringContaining("Renoncer") });
    expect((await press("")).status).toBe(409);
  });

  it("offers it neither for a stale translation nor for another form of a plural string", async () => {
    await translate("fr", { "c.json": { m: "{count} fichiers" } });
    expect(formIn(await browser.get("/hives/web/strings/c.json/m"))).toBeUndefined();
    await translate("ru", { "c.json": { n_few: "{count} файла", n_other: "{count} файлов" } });
    expect(formIn(await browser.get("/hives/web/strings/c.json/n_few"), "ru")).toBeUndefined();
    await post({ "a.php": { x: "Close" } });
    expect(formIn(await browser.get(address))).toBeUndefined();
  });

  it("offers nothing to who cannot translate, and refuses them", async () => {
    browser = await signedIn(storage, { abilities: ["read"] });
    expect(formIn(await browser.get(address))).toBeUndefined();
    expect((await press("")).status).toBe(403);
  });

  it("lets the texts of a reviewed writer wait", async () => {
    browser = await signedIn(storage, { review: "always" });
    await press(formIn(await browser.get(address))?.seen);
    const { data } = (await call("GET", `${hive}/review`)).json;
    expect(data.map(({ file, key }: Record<string, string>) => `${file}:${key}`)).toEqual([
      "a.php:y",
      "b.php:x",
    ]);
  });
});
