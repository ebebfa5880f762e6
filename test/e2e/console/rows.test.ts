/** Lists of strings: their filters, their marks, and what can be done in their rows. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { createToken, type Served } from "../../helpers/process.ts";
import { isMissing, lookWith, openIn, type BrowserName } from "./browser.ts";
import { files, withTexts, type WithTexts } from "./texts.ts";

let server: Served;
let token: string;
let send: WithTexts["send"];

beforeEach(async () => {
  const made = await withTexts();
  ({ server, send } = made);
  await made.send("/strings", files({ hello: "Hello {{name}}" }));
  await made.send("/translations/fr", files({ hello: "Salut {{nom}}", out: "Sortir" }));
  token = await createToken(made.storage);
});

async function open(name: BrowserName, path: string, hasScript: boolean): Promise<Page> {
  const page = await openIn(name, lookWith(hasScript, 1440));
  await page.goto(`${server.url}/?to=${encodeURIComponent(`hives/web/${path}`)}`);
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/${path.replace(/\?.*/, "")}*`);
  return page;
}

const row = (page: Page, key: string) =>
  page.locator(".string", { has: page.getByText(key, { exact: true }) });

describe.each(["chromium", "firefox"] as const)("a list of strings in %s", (name) => {
  // Without scripts, Firefox cannot be told to write.
  const kinds = name === "firefox" ? [true] : [true, false];
  describe.skipIf(isMissing(name)).each(kinds)("where scripts run: %s", (hasScript) => {
    it("adds filters, shows each as a chip, and takes it away by that", async () => {
      const page = await open(name, "strings?locale=fr", hasScript);
      await page.getByText("+ Filter").click();
      await page.getByLabel("State").selectOption("missing");
      if (!hasScript) await page.locator(".further").getByRole("button", { name: "Show" }).click();
      await page.getByText("2 strings found").waitFor();
      await page.getByLabel("Search in keys and texts").fill("in");
      await page.keyboard.press("Enter");
      await page.getByText("1 string found").waitFor();
      const chip = page.getByRole("link", { name: "State: missing" });
      await chip.click();
      await chip.waitFor({ state: "detached" });
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ locale: "fr", q: "in" });
    });

    it.skipIf(!hasScript)(
      "says how much others have changed meanwhile, and shows it when asked",
      async () => {
        const page = await open(name, "strings?locale=fr&q=hello", hasScript);
        const comeBack = `document.dispatchEvent(new Event("visibilitychange"))`;
        const news = page.locator("#news");
        await send("/strings", files({ helloThere: "Hello there" }));
        await send("/translations/fr", files({ helloThere: "Bonjour" }));
        // What somebody is writing stays.
        await row(page, "hello").getByText("Edit").click();
        await row(page, "hello").locator(`textarea[name="text"]`).fill("Bonjour {{name}}");
        await page.evaluate(comeBack);
        await news.getByText("2 new changes").waitFor();
        expect(await row(page, "helloThere").count()).toBe(0);
        expect(await row(page, "hello").locator(`textarea[name="text"]`).inputValue()).toBe(
          "Bonjour {{name}}",
        );
        await send("/strings", files({ another: "Another" }));
        await page.evaluate(comeBack);
        await news.getByText("3 new changes").waitFor();
        await news.getByRole("link", { name: "Show" }).click();
        await row(page, "helloThere").waitFor();
        expect(await news.count()).toBe(0);
      },
    );

    it("says in one line what checks have found, and opens it", async () => {
      const page = await open(name, "strings?locale=fr&state=failing", hasScript);
      const found = row(page, "hello").locator("details.found");
      const height = async (): Promise<number | undefined> =>
        (await row(page, "hello").boundingBox())?.height;
      expect(await height()).toBe(44);
      expect(await found.getByRole("button", { name: "False alarm" }).isVisible()).toBe(false);
      await found.locator("summary").click();
      await found.getByRole("button", { name: "False alarm" }).first().click();
      await expect.poll(() => found.getByRole("button", { name: "False alarm" }).count()).toBeLessThan(2);
    });

    // Without a screen, Firefox has no pointer that hovers.
    it.skipIf(name === "firefox")(
      "shows what can be done in a row to the pointer and to the focus",
      async () => {
        const page = await open(name, "strings?locale=fr", hasScript);
        const edit = row(page, "out").locator(".target > .editing > summary");
        // Where it is not seen, it has its place, and can have the focus.
        const isSeen = (): Promise<boolean> =>
          edit.evaluate((element) => element.checkVisibility({ opacityProperty: true }));
        await page.mouse.move(0, 0);
        expect(await isSeen()).toBe(false);
        await row(page, "out").hover();
        expect(await isSeen()).toBe(true);
        await page.mouse.move(0, 0);
        expect(await isSeen()).toBe(false);
        await edit.focus();
        expect(await isSeen()).toBe(true);
        await page.keyboard.press("Enter");
        await row(page, "out").getByLabel("French translation").waitFor();
      },
    );
  });

  it.skipIf(isMissing(name))("keeps what is unfolded while it is filtered", async () => {
    const page = await open(name, "strings?locale=fr", true);
    await page.getByText("+ Filter").click();
    await page.getByLabel("State").selectOption("failing");
    await page.getByText("1 string found").waitFor();
    await row(page, "hello").locator("details.found > summary").click();
    await page.getByLabel("File").fill("auth");
    await page.getByRole("link", { name: "File: auth" }).waitFor();
    expect(await page.getByLabel("State").isVisible()).toBe(true);
    expect(await row(page, "hello").getByRole("button", { name: "False alarm" }).first().isVisible()).toBe(
      true,
    );
  });
});
