/** Long work: many strings in three scripts, and one error that stands in many texts. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { acmeStorage, createToken, request, serveInProcess, type Served } from "../../helpers/process.ts";
import { isMissing, openIn, typeText } from "./browser.ts";
import { files } from "./texts.ts";

const look = { colorScheme: "light", width: 1280, hasScript: true } as const;

/** How many strings of each language; Firefox takes keys far more slowly. */
const counts = { chromium: 20, firefox: 4 };
/** What is typed into each string, before its argument and after it. */
const languages = {
  fr: ["Le fichier n° ", " est prêt"],
  ar: ["الملف رقم ", " جاهز"],
  ja: ["ファイル", "の準備ができました"],
} as const;

let server: Served;
let token: string;
const call = (method: string, path: string, body?: object) =>
  request(server, token, method, `/api/hives/web${path}`, body);

beforeEach(async () => {
  const locales = Object.keys(languages).flatMap((code) => ["--locale", code]);
  const storage = await acmeStorage({ web: locales });
  token = await createToken(storage, ["read", "write"]);
  server = await serveInProcess(storage);
});

async function signIn(page: Page, path: string): Promise<void> {
  await page.goto(`${server.url}/?to=${encodeURIComponent(`hives/web/${path}`)}`);
  await typeText(page, token);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/hives/web/**`);
  await page.waitForLoadState("load");
}

async function textsOf(locale: string): Promise<unknown> {
  const { json } = await call("GET", `/export?locale=${locale}`);
  return JSON.parse(json.files["auth.json"]);
}

describe.each(["chromium", "firefox"] as const)("long work in %s", (name) => {
  describe.skipIf(isMissing(name))("somebody", () => {
    const count = counts[name];
    const keys = Array.from({ length: count }, (_, i) => `s${String(i).padStart(2, "0")}`);

    it(`translates ${3 * count} strings into French, Arabic and Japanese by keyboard alone, in the order of the source`, async () => {
      await call(
        "POST",
        "/strings",
        files(Object.fromEntries(keys.map((key) => [key, `File {{n}} of ${key} is ready`]))),
      );
      const page = await openIn(name, look);
      await signIn(page, "translate/fr");
      for (const [locale, [before, after]] of Object.entries(languages)) {
        if (locale !== "fr") await page.goto(`${server.url}/hives/web/translate/${locale}`);
        const passed: (string | null)[] = [];
        for (const key of keys) {
          const form = page.locator(`form.work[data-draft="auth.json:${key}"]`);
          await form.waitFor();
          passed.push(await form.getAttribute("data-draft"));
          await typeText(page, before);
          await page.keyboard.press("Alt+1");
          await page.keyboard.type(after);
          await page.keyboard.press("Control+Enter");
        }
        await page.getByText("Nothing is left").waitFor();
        expect([locale, passed]).toEqual([locale, keys.map((key) => `auth.json:${key}`)]);
        const all = Object.fromEntries(keys.map((key) => [key, `${before}{{n}}${after}`]));
        expect(await textsOf(locale)).toEqual(all);
      }
      // Each answer is a commit of its own, and the last strings come last.
      const { json } = await call("GET", "/history?locale=ja&per_page=100");
      expect(json.meta.total).toBe(count);
    }, 240_000);

    it("mends one error in forty strings by five interactions, and no other text", async () => {
      const many = Array.from({ length: 40 }, (_, i) => `e${i}`);
      const toTexts = (text: (key: string) => string): object =>
        Object.fromEntries(many.map((key) => [key, text(key)]));
      await call(
        "POST",
        "/strings",
        files({ ...toTexts((key) => `Sign in to ${key}`), other: "The connection" }),
      );
      const other = "La connection du réseau";
      await call(
        "POST",
        "/translations/fr",
        files({ ...toTexts((key) => `Connection à ${key}`), other: `${other}s` }),
      );
      const page = await openIn(name, look);
      await signIn(page, "replace?locale=fr");
      let interactions = 0;
      const press = async (key: string): Promise<void> => {
        interactions++;
        await page.keyboard.press(key);
      };
      const type = async (text: string): Promise<void> => {
        interactions++;
        await typeText(page, text);
      };
      await page.getByLabel("Find", { exact: true }).and(page.locator(":focus")).waitFor();
      await type("Connection à");
      await press("Tab");
      await type("Connexion à");
      await press("Enter");
      await page.getByText("40 texts found.").waitFor();
      const button = page.getByRole("button", { name: "Replace 40" });
      interactions++;
      await button.click();
      await page.getByText("Replaced by one commit").waitFor();
      expect(interactions).toBe(5);
      expect(await textsOf("fr")).toEqual({ ...toTexts((key) => `Connexion à ${key}`), other: `${other}s` });
    }, 120_000);
  });
});
