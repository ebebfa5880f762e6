/** What the pages' script does for those who write: nothing that was typed is lost, whatever happens to the page. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { createToken, request, startServer, type Served } from "../../helpers/process.ts";
import { holdPosts, isMissing, openIn, type BrowserName } from "./browser.ts";
import { files, withTexts, type WithTexts } from "./texts.ts";

const look = { colorScheme: "light", width: 1440, hasScript: true } as const;

let server: Served;
let storage: string;
let token: string;
let send: WithTexts["send"];
let texts: WithTexts["texts"];

beforeEach(async () => {
  const made = await withTexts();
  ({ server, storage, send, texts } = made);
  token = await createToken(storage);
});

async function open(name: BrowserName, path: string): Promise<Page> {
  const page = await openIn(name, look);
  await page.goto(`${server.url}/?to=${encodeURIComponent(`hives/web/${path}`)}`);
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForURL(`**/${path.replace(/\?.*/, "")}*`);
  return page;
}

const row = (page: Page, key: string) =>
  page.locator(".string", { has: page.getByText(key, { exact: true }) });
const fieldOf = (page: Page, key: string) => row(page, key).getByLabel("French translation");

async function write(page: Page, key: string, text: string): Promise<void> {
  await row(page, key).locator("summary").first().click();
  await fieldOf(page, key).fill(text);
}

/** Stores French texts that a model wrote, in place of those that are there. */
async function sendAsModel(french: Record<string, string>): Promise<void> {
  const body = { ...files(french), overwrite_strategy: "overwrite" };
  const origin = { "x-commit-origin": "model" };
  await request(server, token, "POST", "/api/hives/web/translations/fr", body, origin);
}

const said = (page: Page, text: string | RegExp) =>
  page.locator("#status").filter({ hasText: text }).waitFor();

describe.each(["chromium", "firefox"] as const)("writing in the console in %s", (name) => {
  describe.skipIf(isMissing(name))("keeps what was written", () => {
    it("while another row is saved, the filters change, and the page is loaded again", async () => {
      const page = await open(name, "strings?locale=fr");
      await write(page, "out", "Se dé");
      await write(page, "in", "Se connecter");
      await row(page, "in").getByRole("button", { name: "Save" }).click();
      await said(page, "Saved as a commit");
      expect(await fieldOf(page, "out").inputValue()).toBe("Se dé");
      await page.getByLabel("Search in keys and texts").fill("in");
      await page.getByText("1 string found").waitFor();
      expect(await fieldOf(page, "out").inputValue()).toBe("Se dé");
      await page.getByLabel("Search in keys and texts").fill("");
      await page.getByText("3 strings", { exact: true }).waitFor();
      await page.reload();
      expect(await fieldOf(page, "out").inputValue()).toBe("Se dé");
      await fieldOf(page, "out").press("Control+Enter");
      await said(page, "Saved as a commit");
      expect(await texts("fr")).toEqual({ in: "Se connecter", out: "Se dé" });
      await page.reload();
      expect(await row(page, "out").locator("details[open]").count()).toBe(0);
    });

    it("as a comment, through a reload and a refusal, until the server has it", async () => {
      const page = await open(name, "strings/auth.json/out");
      await page.locator(".comments > summary").click();
      const field = page.locator(".comments").getByLabel("Comment", { exact: true });
      await field.fill("A ver");
      await page.reload();
      expect(await field.inputValue()).toBe("A ver");
      await page.route("**/comments", (route) => route.abort(), { times: 1 });
      const button = page.locator(".comments").getByRole("button", { name: "Comment" });
      await field.fill("A verb?");
      await button.click();
      await said(page, "Not saved");
      expect(await field.inputValue()).toBe("A verb?");
      await page.goto(`${server.url}/hives/web/translate/fr?at=auth.json%3Aout`);
      expect(await field.inputValue()).toBe("A verb?");
      await button.click();
      await said(page, "Said.");
      await page.getByText("1 comment", { exact: true }).waitFor();
      expect(await field.inputValue()).toBe("");
      await page.reload();
      expect(await field.inputValue()).toBe("");
    });

    it("and offers to undo it, until that has been there for a while", async () => {
      const page = await openIn(name, look);
      await page.clock.install();
      await page.goto(`${server.url}/?to=${encodeURIComponent("hives/web/strings?locale=fr")}`);
      await page.getByLabel("Token").fill(token);
      await page.keyboard.press("Enter");
      await page.waitForURL("**/strings*");
      const save = async (key: string): Promise<void> => {
        await write(page, key, `Texte de ${key}`);
        await row(page, key).getByRole("button", { name: "Save" }).click();
        await said(page, "Saved as a commit");
      };
      await save("in");
      const undo = page.locator("#status").getByRole("link", { name: "Undo" });
      // Whoever goes to it finds it there.
      await undo.focus();
      await page.clock.fastForward(30_000);
      await undo.waitFor();
      await page.locator("input[type=search]").focus();
      await page.clock.fastForward(30_000);
      await page.locator("#status:empty").waitFor({ state: "attached" });
      await save("out");
      await undo.click();
      await page.getByText("1 text would be as before that commit").waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      const notice = page.locator("#notice");
      await notice.filter({ hasText: "Undone by this commit" }).waitFor();
      expect(await texts("fr")).toEqual({ in: "Texte de in" });
      await page.clock.fastForward(30_000);
      await notice.waitFor({ state: "detached" });
    });

    it("and selected before the browser says that the form is open", async () => {
      const page = await open(name, "strings?locale=fr");
      const selected = await row(page, "out").evaluate(async (element) => {
        const details = element.querySelector("details");
        const field = element.querySelector("textarea");
        if (details === null || field === null) return undefined;
        details.querySelector("summary")?.click();
        field.value = "Sortir";
        field.focus();
        field.select();
        await new Promise((resolve) => details.addEventListener("toggle", () => setTimeout(resolve)));
        return field.value.slice(field.selectionStart, field.selectionEnd);
      });
      expect(selected).toBe("Sortir");
    });

    it("when the server cannot be reached, says so, and saves it later", async () => {
      const page = await open(name, "strings?locale=fr");
      let isReached = false;
      await page.route("**/translate/fr*", (route) =>
        isReached ? route.continue() : route.abort("connectionfailed"),
      );
      await write(page, "out", "Sortir");
      await fieldOf(page, "out").press("Control+Enter");
      await said(page, "Not saved: no connection.");
      expect(await fieldOf(page, "out").inputValue()).toBe("Sortir");
      isReached = true;
      await said(page, "Saved as a commit");
      expect(await texts("fr")).toEqual({ out: "Sortir" });
    });

    it("when somebody else was faster, and shows both in the list", async () => {
      const page = await open(name, "strings?locale=fr");
      await write(page, "out", "Sortir");
      await send("/translations/fr", files({ out: "Quitter" }));
      await fieldOf(page, "out").press("Control+Enter");
      await said(page, "Not saved.");
      expect(new URL(page.url()).pathname).toBe("/hives/web/strings");
      expect(await row(page, "out").locator(".refusal").textContent()).toMatch(/Quitter.*Yours.*Sortir/);
      expect(await fieldOf(page, "out").inputValue()).toBe("Sortir");
      await row(page, "out").getByRole("button", { name: "Replace theirs" }).click();
      await said(page, "Saved as a commit");
      expect(await texts("fr")).toEqual({ out: "Sortir" });
    });

    it("while its text is saved and its row leaves the list", async () => {
      const page = await open(name, "strings?locale=fr&state=missing");
      const answer = await holdPosts(page, "**/translate/fr*");
      await write(page, "out", "Sor");
      await fieldOf(page, "out").press("Control+Enter");
      await said(page, "Saving");
      await fieldOf(page, "out").fill("Sortir");
      answer();
      await said(page, "Saved, but not what you wrote since");
      expect(await texts("fr")).toEqual({ out: "Sor" });
      await fieldOf(page, "out").press("Control+Enter");
      await said(page, "Saved as a commit");
      expect(await texts("fr")).toEqual({ out: "Sortir" });
    });

    it("when somebody else writes while its text is saved, and does not replace theirs", async () => {
      const page = await open(name, "strings?locale=fr&state=missing");
      const answer = await holdPosts(page, "**/translate/fr*");
      await write(page, "out", "Sor");
      await fieldOf(page, "out").press("Control+Enter");
      await said(page, "Saving");
      await fieldOf(page, "out").fill("Sortir");
      // Somebody else is faster than the request for what is stored after the change.
      await page.route("**/translate/fr*", async (route) => {
        const theirs = { ...files({ out: "Quitter" }), overwrite_strategy: "overwrite" };
        if (route.request().method() === "GET") await send("/translations/fr", theirs);
        await route.fallback();
      });
      answer();
      await said(page, "Saved, but not what you wrote since");
      await fieldOf(page, "out").press("Control+Enter");
      await said(page, "Not saved.");
      expect(await texts("fr")).toEqual({ out: "Quitter" });
      expect(await fieldOf(page, "out").inputValue()).toBe("Sortir");
    });

    it("while selected rows are decided where they are", async () => {
      const reviewed = await createToken(storage, ["read", "write", "approve"]);
      const origin = { "x-commit-origin": "model" };
      const french = files({ failed: "Faux", in: "Entrer", out: "Sortir" });
      await request(server, reviewed, "POST", "/api/hives/web/translations/fr", french, origin);
      token = reviewed;
      const page = await open(name, "strings?locale=fr");
      const box = (key: string) => page.getByRole("checkbox", { name: `Select ${key}` });
      await write(page, "in", "Entrez");
      await box("failed").click();
      await box("out").click({ modifiers: ["Shift"] });
      await page.getByRole("button", { name: "Approve", exact: true }).click();
      await said(page, "Approved by a commit");
      expect(new URL(page.url()).pathname).toBe("/hives/web/strings");
      // The row in which somebody writes stays as it is.
      expect(await page.locator(".mark.waiting").count()).toBe(1);
      expect(await fieldOf(page, "in").inputValue()).toBe("Entrez");
      expect(await texts("fr")).toEqual({ failed: "Faux", in: "Entrer", out: "Sortir" });
    });

    it("and selected, while another row is saved and while a decision is refused", async () => {
      token = await createToken(storage, ["read", "write", "approve"]);
      await sendAsModel({ failed: "Faux", in: "Entrer", out: "Sortir" });
      // A row that is saved leaves a list of those that wait, and the others move up.
      const page = await open(name, "strings?locale=fr&state=waiting");
      const box = (key: string) => page.getByRole("checkbox", { name: `Select ${key}` });
      const why = page.locator("form.bulk").getByLabel("Why it is rejected");
      await box("in").check();
      const tags = page.locator("form.bulk").getByLabel("Tags");
      await why.fill("  ");
      await tags.fill("menu");
      await write(page, "failed", "Échec");
      await row(page, "failed").getByRole("button", { name: "Save" }).first().click();
      await said(page, /Saved|approved/);
      expect([await why.inputValue(), await tags.inputValue()]).toEqual(["  ", "menu"]);
      expect([await box("in").isChecked(), await box("out").isChecked()]).toEqual([true, false]);
      await page.locator("form.bulk").getByRole("button", { name: "Reject" }).click();
      await said(page, "Not saved");
      expect([await box("in").isChecked(), await box("out").isChecked()]).toEqual([true, false]);
      expect(await tags.inputValue()).toBe("menu");
      await why.fill("Too long");
      await page.locator("form.bulk").getByRole("button", { name: "Reject" }).click();
      await said(page, "Rejected");
      expect(await texts("fr")).toEqual({ failed: "Échec", out: "Sortir" });
      expect([await why.inputValue(), await box("out").isChecked()]).toEqual(["", false]);
    });

    it("and selected, but not what others have changed before a decision that is refused", async () => {
      token = await createToken(storage, ["read", "write", "approve"]);
      await sendAsModel({ failed: "Faux", in: "Entrer", out: "Sortir" });
      const page = await open(name, "strings?locale=fr&state=waiting");
      const box = (key: string) => page.getByRole("checkbox", { name: `Select ${key}` });
      for (const key of ["failed", "in"]) await box(key).check();
      await sendAsModel({ in: "Dedans" });
      await page.locator("form.bulk").getByRole("button", { name: "Reject" }).click();
      await said(page, /Not saved.*1 text of the selection/);
      expect([await box("failed").isChecked(), await box("in").isChecked()]).toEqual([true, false]);
      await sendAsModel({ failed: "Manqué" });
      await page.locator("form.bulk").getByRole("button", { name: "Approve", exact: true }).click();
      await said(page, /Nothing was done/);
      await page.locator("form.bulk").getByRole("button", { name: "Approve", exact: true }).click();
      await said(page, /no text was selected/);
      expect(await page.locator(".mark.waiting").count()).toBe(3);
    });

    it("and selected, each box for its own string, also where its editor is open", async () => {
      token = await createToken(storage, ["read", "write", "approve"]);
      await sendAsModel({ failed: "Faux", in: "Entrer", out: "Sortir" });
      const page = await open(name, "strings?locale=fr&state=waiting");
      const box = (key: string) => page.getByRole("checkbox", { name: `Select ${key}` });
      await box("in").check();
      await write(page, "in", "Entrez");
      await write(page, "failed", "Échec");
      await row(page, "failed").getByRole("button", { name: "Save" }).first().click();
      await said(page, /Saved|approved/);
      expect([await box("in").isChecked(), await box("out").isChecked()]).toEqual([true, false]);
      expect([await box("in").inputValue(), await box("out").inputValue()]).toEqual(["1", "0"]);
      await sendAsModel({ in: "Dedans" });
      await page.locator("form.bulk").getByRole("button", { name: "Reject" }).click();
      await said(page, /Not saved.*1 text of the selection/);
      expect(await box("in").isChecked()).toBe(false);
      expect(await fieldOf(page, "in").inputValue()).toBe("Entrez");
    });

    it("when the stored text is confirmed or removed instead", async () => {
      await send("/translations/fr", files({ out: "Sors" }));
      await send("/strings", files({ out: "Log out now" }));
      const page = await open(name, "strings?locale=fr");
      await write(page, "out", "Sortir");
      await row(page, "out").getByRole("button", { name: "Still right" }).click();
      await said(page, "Confirmed");
      expect([await fieldOf(page, "out").inputValue(), await texts("fr")]).toEqual([
        "Sortir",
        { out: "Sors" },
      ]);
      await row(page, "out").getByLabel("Why, for the history").fill("Unused");
      await row(page, "out").getByRole("button", { name: "Remove" }).click();
      await said(page, "Removed");
      expect([await fieldOf(page, "out").inputValue(), await texts("fr")]).toEqual(["Sortir", {}]);
      await fieldOf(page, "out").press("Control+Enter");
      await said(page, "Saved as a commit");
      expect(await texts("fr")).toEqual({ out: "Sortir" });
      await row(page, "out").locator("summary").first().click();
      // The text gets the focus by an event that the browser sends after the click.
      await fieldOf(page, "out").and(page.locator(":focus")).waitFor();
      await row(page, "out").getByLabel("Why, for the history").fill("Unused");
      await row(page, "out").getByRole("button", { name: "Remove" }).click();
      await said(page, "Removed");
      expect(await row(page, "out").locator("details[open]").count()).toBe(0);
    });

    it("when the session has ended meanwhile, and leads back to it", async () => {
      const page = await open(name, "strings?locale=fr");
      await write(page, "out", "Sortir");
      await page.context().clearCookies();
      await fieldOf(page, "out").press("Control+Enter");
      await said(page, "Your session has ended, so nothing was saved. What you wrote is kept in this tab.");
      await page.getByRole("link", { name: "Sign in again" }).click();
      await page.getByLabel("Token").fill(token);
      await page.keyboard.press("Enter");
      await fieldOf(page, "out").waitFor();
      expect(await fieldOf(page, "out").inputValue()).toBe("Sortir");
    });
  });

  describe.skipIf(isMissing(name))("says", () => {
    it("what checks find in a text while it is written, and no more once it is right", async () => {
      await send("/strings", files({ hello: "Hello {{name}}" }));
      // The script is made by the build.
      server = await startServer(storage);
      const page = await open(name, "strings?locale=fr");
      await write(page, "hello", "Salut {{nom}}");
      await row(page, "hello").locator(".findings .failing", { hasText: "{{nom}}" }).waitFor();
      await fieldOf(page, "hello").fill("Salut ");
      await row(page, "hello").getByTitle("Insert {{name}}").click();
      expect(await fieldOf(page, "hello").inputValue()).toBe("Salut {{name}}");
      await expect.poll(() => row(page, "hello").locator(".findings p").count()).toBe(0);
    });

    it("that nothing changed, of a text that was not touched", async () => {
      await send("/translations/fr", files({ out: "eins\r\nzwei" }));
      const page = await open(name, "strings/auth.json/out?locale=fr");
      await page.getByRole("button", { name: "Save" }).click();
      await said(page, "Nothing was saved");
      expect(await texts("fr")).toEqual({ out: "eins\r\nzwei" });
    });

    it("beside a filter what is wrong with it, when all of it was typed, and lists on", async () => {
      const page = await open(name, "strings?locale=fr&q=in");
      await page.getByText("1 string found").waitFor();
      await page.getByText("+ Filter").click();
      const since = page.getByLabel("Changed since");
      await since.pressSequentially("2026-0");
      await page.getByLabel("Search in keys and texts").press("End");
      await page.locator("#problem-filter-since:not(:empty)").waitFor();
      expect(new URL(page.url()).searchParams.get("since")).toBeNull();
      expect(await since.inputValue()).toBe("2026-0");
      await page.getByText("1 string found").waitFor();
    });
  });
});

describe.each(["chromium", "firefox"] as const)("the search in front of any page in %s", (name) => {
  it.skipIf(isMissing(name))(
    "finds strings and pages by keys, and leads back to work by three of them",
    async () => {
      const page = await open(name, "strings/auth.json/out?locale=fr");
      const palette = page.getByRole("dialog");
      await page.keyboard.press("Control+k");
      await page.keyboard.type("WRONG pass");
      await palette.getByRole("link", { name: "failed" }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/hives/web/strings/auth.json/failed*");
      await page.keyboard.press("Control+k");
      await palette.getByRole("link", { name: "web · History" }).waitFor();
      await page.keyboard.press("Escape");
      await palette.waitFor({ state: "hidden" });
      await page.goto(`${server.url}/hives/web/translate/fr`);
      await page.locator("form.work textarea").first().fill("Faux");
      await page.keyboard.press("Control+Enter");
      await page.locator('form.work:not([data-draft="auth.json:failed"])').waitFor();
      await page.goto(`${server.url}/`);
      await page.keyboard.press("Control+k");
      await palette.getByRole("link", { name: "web → French" }).waitFor();
      for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
      await palette.getByRole("link", { name: "web → French" }).and(page.locator(":focus")).waitFor();
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/hives/web/translate/fr*");
      expect(await page.locator("form.work").count()).toBe(1);
    },
  );
});

describe.skipIf(isMissing("firefox"))("the bar of tabs", () => {
  it("shows all tabs, also on a telephone, with a menu of those that are used less", async () => {
    const page = await open("firefox", "strings");
    const menu = page.locator(".tabs .menu");
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await menu.locator("summary").click();
      await page.getByRole("link", { name: "Channels" }).waitFor();
      const edges = await page
        .locator(".tabs a")
        .evaluateAll((tabs) =>
          tabs.map((tab) => tab.getBoundingClientRect()).map(({ left, right }) => [left, right]),
        );
      expect(edges.length).toBeGreaterThan(8);
      for (const [left = -1, right = Infinity] of edges) {
        expect(left).toBeGreaterThan(0);
        expect(right).toBeLessThanOrEqual(width);
      }
      await page.keyboard.press("Escape");
      await page.locator(".tabs .menu:not([open]) summary:focus").waitFor();
    }
    await menu.locator("summary").click();
    await page.getByRole("heading", { level: 1 }).evaluate((heading) => heading.parentElement?.click());
    await page.locator(".tabs .menu:not([open])").waitFor();
  });
});
