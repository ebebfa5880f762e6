/**
 * Engines beside the field: a suggestion is asked for by a key or a button, and stays a machine's until somebody
 * changes it.
 */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { endpoints } from "../../../src/config/kinds.ts";
import { startModel } from "../../helpers/engines/model-server.ts";
import { createToken, request } from "../../helpers/process.ts";
import { isMissing, lookWith, openIn } from "./browser.ts";
import { axeFaults, widthFaults } from "./faults.ts";
import { files, withTexts, type WithTexts } from "./texts.ts";

const api = "/api/hives/web";

let web: WithTexts;
let token: string;
const call = (method: string, path: string, body?: object) => request(web.server, token, method, path, body);

beforeEach(async () => {
  web = await withTexts({ engineAllow: endpoints("loopback") });
  token = await createToken(web.storage, ["admin"], "--name", "Marie");
  const model = await startModel((source) => `[fr] ${source}`);
  const engine = { name: "gpt", type: "openai", url: `${model.url}/v1`, model: "gpt-4o" };
  expect((await call("POST", "/api/engines", engine)).status).toBe(201);
  await web.send("/strings", files({ out: "Log out of {{name}}" }));
});

const desk = "hives/web/translate/fr?at=auth.json%3Aout";

async function open(name: "chromium" | "firefox", hasScript: boolean, at = desk): Promise<Page> {
  const page = await openIn(name, lookWith(hasScript, hasScript ? 1440 : 360));
  await page.goto(`${web.server.url}/?to=${encodeURIComponent(at)}`);
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await page
    .locator(at === desk ? "form.work" : "details.editing")
    .first()
    .waitFor();
  await page.waitForLoadState("load");
  return page;
}

const field = (page: Page) => page.locator('textarea[name="text"]').first();
const originOf = async (): Promise<unknown> =>
  (await call("GET", `${api}/history?locale=fr`)).json.data[0].origin;

describe.each(["chromium", "firefox"] as const)("a suggestion in %s", (name) => {
  describe.skipIf(isMissing(name))("fills the field", () => {
    it("by a key, and stays a machine's", async () => {
      const page = await open(name, true);
      await page.keyboard.press("Alt+m");
      await expect.poll(() => field(page).inputValue()).toBe("[fr] Log out of {{name}}");
      await page.getByText("Suggested by gpt/gpt-4o").waitFor();
      expect(await axeFaults(page)).toEqual([]);
      expect(await widthFaults(page)).toEqual([]);
      await page.keyboard.press("Control+s");
      await page.locator("#status").filter({ hasText: "Saved as a commit" }).waitFor();
      expect(await originOf()).toMatchObject({ kind: "model", name: "gpt/gpt-4o" });
    });

    it("by itself, where the team wants that and nothing is written", async () => {
      await call("PATCH", "/api/engines/gpt", { suggest: "auto" });
      const page = await open(name, true);
      await expect.poll(() => field(page).inputValue()).toBe("[fr] Log out of {{name}}");
      await page.keyboard.press("Control+Enter");
      // The next string has its suggestion, too.
      await expect.poll(() => field(page).inputValue()).toBe("[fr] Log in");
    });

    it("and is a person's when it is changed; what somebody has written stays", async () => {
      const page = await open(name, true);
      await field(page).fill("Quitter {{name}}");
      await page.keyboard.press("Alt+m");
      await page.getByText("Suggested by gpt/gpt-4o").waitFor();
      expect(await field(page).inputValue()).toBe("Quitter {{name}}");
      await page.locator(".suggested .take").click();
      await expect.poll(() => field(page).inputValue()).toBe("[fr] Log out of {{name}}");
      await field(page).fill("Sortir de {{name}}");
      await page.keyboard.press("Control+s");
      await page.locator("#status").filter({ hasText: "Saved as a commit" }).waitFor();
      expect(await originOf()).toMatchObject({ kind: "person" });
    });

    it.each(["hives/web/strings?locale=fr&q=Log%20out", "hives/web/strings/auth.json/out"])(
      "in the form on %s, too",
      async (at) => {
        const page = await open(name, true, at);
        const editing = page
          .locator("details.editing")
          .filter({ has: page.locator('[name="text"][lang="fr"]') });
        // Comments have a field of that name, too.
        const text = editing.locator('textarea[name="text"]');
        await editing.locator("summary").first().click();
        await editing.getByRole("button", { name: "Suggest" }).click();
        await editing.getByText("Suggested by gpt/gpt-4o").waitFor();
        expect(await text.inputValue()).toBe("[fr] Log out of {{name}}");
        await text.fill("Quitter");
        await editing.locator(".suggested .take").click();
        await expect.poll(() => text.inputValue()).toBe("[fr] Log out of {{name}}");
        expect(await axeFaults(page)).toEqual([]);
        await editing.getByRole("button", { name: "Save", exact: true }).click();
        await page.locator("#status").filter({ hasText: "Saved as a commit" }).waitFor();
        expect(await originOf()).toMatchObject({ kind: "model", name: "gpt/gpt-4o" });
      },
    );
  });
});

it.skipIf(isMissing("chromium"))("a suggestion fills the field without JavaScript, too", async () => {
  const page = await open("chromium", false);
  await page.getByRole("button", { name: "Suggest" }).click();
  await page.getByText("Suggested by gpt/gpt-4o").waitFor();
  expect(await field(page).inputValue()).toBe("[fr] Log out of {{name}}");
  expect(await widthFaults(page)).toEqual([]);
  await page.getByRole("button", { name: /^Save and next/ }).click();
  await page.locator("form.work, .desk-work p").first().waitFor();
  expect(await originOf()).toMatchObject({ kind: "model", name: "gpt/gpt-4o" });
});
