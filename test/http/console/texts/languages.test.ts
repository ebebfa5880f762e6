/** In which language a page is. */
import { beforeEach, describe, expect, it } from "vitest";
import { pageLanguageCodes } from "../../../../src/domain/access/page-language.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { languageFor, pageLanguages } from "../../../../src/http/console/texts/catalogues.ts";
import { browse, prepareBrowser, type ConsoleBrowser } from "../browse.ts";

let storage: Storage;
let browser: ConsoleBrowser;
const prepared = prepareBrowser({ locales: ["fr"] }, async ({ post, fill }) => {
  await post({ "a.json": { hello: "Hello {name}" } });
  await fill("fr", { "a.json": { hello: "Salut {nom}" } });
});
beforeEach(async () => {
  ({ storage, browser } = await prepared());
});

describe("the language of a page", () => {
  it.each<readonly [chosen: string | undefined, accepted: readonly string[], expected: string]>([
    [undefined, [], "en"],
    [undefined, ["pl", "xx-nonsense!"], "en"],
    [undefined, ["en-GB", "fr"], "en"],
    ["nonsense", ["en"], "en"],
    [undefined, ["en-XA"], "en-XA"],
    [undefined, ["ar-XB", "en"], "ar-XB"],
    ["en", ["ar-XB"], "en"],
  ])("with %s chosen and %s accepted is %s", (chosen, accepted, expected) => {
    expect(languageFor(chosen, accepted).code).toBe(expected);
  });

  it.each([
    ["en-XA;q=0.5, en;q=0.4", '<html lang="en-XA">'],
    ["ar-XB", '<html lang="ar-XB" dir="rtl">'],
  ])(
    "is said by the page, which is turned where it is read from the right: %s",
    async (accepted, expected) => {
      const { html } = await browser.get("/", { "accept-language": accepted });
      expect(html).toContain(expected);
      expect(html).toContain("⟦");
      const script = /src="\.\/(assets\/console-[0-9a-f]+\.js)"/.exec(html)?.[1] ?? "";
      const { html: code } = await browser.get(`/${script}`);
      expect(code).toContain("⟦");
    },
  );

  it("is also that of what checks find, with what was found and expected", async () => {
    const address = "/hives/web/strings/a.json/hello?locale=fr";
    const found = async (accepted: string): Promise<string> => {
      const { html } = await browser.get(address, { "accept-language": accepted });
      return /<ul class="findings">.*?<\/ul>/s.exec(html)?.[0].replaceAll(/<[^>]*>/g, "") ?? "";
    };
    expect(await found("en")).toContain("{nom} is not in the source text, which has {name}");
    const other = await found("en-XA");
    expect(other).toMatch(/^⟦.*⟧ \{nom\}.*⟦.*\{name\}/s);
    expect(other.replaceAll(/\{\w+\}/g, "")).not.toMatch(/[A-Za-z]{3}/);
  });

  it("is chosen without a session, kept in the browser, and left to it again; no other is taken", async () => {
    const stranger = browse(storage);
    const chosen = await stranger.post("/language", { language: "en", to: "" });
    expect([chosen.status, stranger.cookies.get("skep-language")]).toEqual([303, "en"]);
    expect((await stranger.get("/", { "accept-language": "ar-XB" })).html).toContain('<html lang="en">');
    await stranger.post("/language", { language: "", to: "" });
    expect((await stranger.get("/", { "accept-language": "ar-XB" })).html).toContain('<html lang="ar-XB"');
    expect((await stranger.post("/language", { language: "tlh", to: "" })).status).toBe(422);
    stranger.cookies.set("skep-language", '"><script>');
    expect((await stranger.get("/")).html).toContain('<html lang="en">');
  });

  it("is one of those that the API knows, and has its own name in each", () => {
    expect(pageLanguages.map(({ code }) => code).toSorted()).toEqual(pageLanguageCodes.toSorted());
    for (const { code, name } of pageLanguages)
      expect(new Intl.DisplayNames(code, { type: "language" }).of(code)?.toLowerCase()).toBe(
        name.toLowerCase(),
      );
  });
});
