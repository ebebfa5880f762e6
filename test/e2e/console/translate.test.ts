/** A day's work on the page of work, by keyboard alone. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { createToken, request, startServer, type Served } from "../../helpers/process.ts";
import {
  changeLook,
  holdPosts,
  isMissing,
  openIn,
  typeText,
  type BrowserName,
  type Look,
} from "./browser.ts";
import { axeFaults, widthFaults } from "./faults.ts";
import { files, withTexts, type WithTexts } from "./texts.ts";

const wide = { colorScheme: "light", width: 1440, hasScript: true } as const;
const narrow = { colorScheme: "dark", width: 360, hasScript: true } as const;

let server: Served;
let storage: string;
let token: string;
let send: WithTexts["send"];
let texts: WithTexts["texts"];

const count = 12;
const many = Object.fromEntries(Array.from({ length: count }, (_, i) => [`s${i}`, `Text ${i} of {{name}}`]));

beforeEach(async () => {
  ({ server, storage, send, texts } = await withTexts());
  token = await createToken(storage, ["admin"], "--name", "Marie");
});

async function open(name: BrowserName, path: string): Promise<Page> {
  const page = await openIn(name, wide);
  await signIn(page, path);
  return page;
}

async function signIn(page: Page, path: string): Promise<void> {
  await page.goto(`${server.url}/?to=${encodeURIComponent(`hives/web/${path}`)}`);
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await page.locator("form.work, .desk-work p").first().waitFor();
  // Keys are heard when the scripts have run.
  await page.waitForLoadState("load");
}

const key = (page: Page): Promise<string | null> => page.locator("form.work").getAttribute("data-draft");
const shows = (page: Page, name: string): Promise<void> =>
  page.locator(`form.work[data-draft="auth.json:${name}"]`).waitFor({ timeout: 90_000 });
const said = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator("#status").filter({ hasText: text }).waitFor();
const field = (page: Page) => page.locator('textarea[name="text"]').first();

describe.each(["chromium", "firefox"] as const)("translating by keyboard in %s", (name) => {
  describe.skipIf(isMissing(name))("works", () => {
    it("through many strings, with arguments from keys and buttons, and nothing is lost", async () => {
      await send("/strings", { files: { "auth.json": many } });
      const page = await open(name, "translate/fr?q=Text");
      for (let i = 0; i < count; i++) {
        await shows(page, `s${i}`);
        await typeText(page, `Texte ${i} de `);
        if (i % 2 === 0) await page.keyboard.press("Alt+1");
        else await page.getByTitle("Insert {{name}}").click();
        await page.keyboard.press("Control+Enter");
      }
      await page.getByText("Nothing is left").waitFor();
      const expected = Object.keys(many).map((one, i) => [one, `Texte ${i} de {{name}}`]);
      expect(await texts("fr")).toMatchObject(Object.fromEntries(expected));
    }, 600_000);

    it("takes from the memory, copies the source, saves, skips, goes back, and shows its keys", async () => {
      await send("/strings", { files: { "auth.json": { in2: "Log in", out2: "Log out" } } });
      await send("/translations/fr", { files: { "auth.json": { in2: "Se connecter" } } });
      const page = await open(name, "translate/fr?at=auth.json%3Ain");
      await page.keyboard.press(name === "chromium" ? "Control+1" : "Alt+Shift+1");
      await expect.poll(() => field(page).inputValue()).toBe("Se connecter");
      await page.keyboard.press("Control+s");
      await said(page, "Saved as a commit");
      expect(await key(page)).toBe("auth.json:in");
      await page.goto(`${server.url}/hives/web/translate/fr?at=auth.json%3Aout`);
      await page.keyboard.press("Alt+c");
      expect(await field(page).inputValue()).toBe("Log out");
      await field(page).fill("");
      await page.keyboard.press("Alt+ArrowDown");
      await shows(page, "out2");
      await page.keyboard.press("Alt+ArrowUp");
      await shows(page, "out");
      await page.keyboard.press("Escape");
      await page.locator("main").focus();
      await page.keyboard.press("?");
      await page.getByText("go on without an answer", { exact: true }).waitFor();
      expect(await texts("fr")).toEqual({ in: "Se connecter", in2: "Se connecter" });
    });

    it("and keeps the last answer beside the queue, with its undo, when the page no longer says it", async () => {
      const page = await openIn(name, wide);
      await page.clock.install();
      await signIn(page, "translate/fr?at=auth.json%3Ain");
      const last = page.locator("#last-answer");
      expect(await last.isVisible()).toBe(false);
      await field(page).fill("Entrer");
      await page.keyboard.press("Control+Enter");
      await said(page, "Saved as a commit");
      await page.clock.fastForward(7000);
      await page.locator("#status:empty").waitFor({ state: "attached" });
      const before = await key(page);
      await page.keyboard.press("Alt+ArrowDown");
      await expect.poll(() => key(page)).not.toBe(before);
      await last.getByRole("link", { name: "Undo" }).click();
      await page.getByText("1 text would be as before that commit").waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await page.locator("#notice").filter({ hasText: "Undone by this commit" }).waitFor();
      expect(await texts("fr")).toEqual({});
    });

    it("a plural of ICU by its branches, with arguments from keys, and as one text with what was typed", async () => {
      const syntax = [{ files: "*", syntax: "icu" }];
      await request(server, token, "PATCH", "/api/hives/web", { checks: { syntax } });
      const n = "{n, plural, one {# file of {name}} other {# files of {name}}}";
      await send("/strings", files({ n }));
      const page = await open(name, "translate/fr?at=auth.json%3An");
      const branch = (of: string) => page.locator(`textarea[data-form="${of}"]`);
      await typeText(page, "# fichier de ");
      await page.keyboard.press("Alt+1");
      await expect.poll(() => branch("one").inputValue()).toBe("# fichier de {name}");
      await branch("other").fill("# fichiers");
      await page.reload();
      expect(await branch("other").inputValue()).toBe("# fichiers");
      await page.getByText("The whole text").click();
      await page.getByRole("button", { name: "Edit as one text" }).click();
      await branch("one").waitFor({ state: "detached" });
      const whole = "{n, plural, one {# fichier de {name}} other {# fichiers}}";
      expect(await field(page).inputValue()).toBe(whole);
      await field(page).fill(whole.replace("# fichiers", "# fichiers de {name}"));
      await page.keyboard.press("Control+s");
      await said(page, "Saved as a commit");
      await expect.poll(() => branch("other").inputValue()).toBe("# fichiers de {name}");
    });

    it("keeps what was typed through a reload, a conflict and a refusal", async () => {
      const page = await open(name, "translate/fr?at=auth.json%3Aout");
      await typeText(page, "Sortir");
      await page.reload();
      await expect.poll(() => field(page).inputValue()).toBe("Sortir");
      await send("/translations/fr", { files: { "auth.json": { out: "Quitter" } } });
      await page.keyboard.press("Control+Enter");
      await page.getByText("From theirs to yours").waitFor();
      expect(await field(page).inputValue()).toBe("Sortir");
      await page.keyboard.press("Control+Enter");
      await said(page, "Saved as a commit");
      expect(await texts("fr")).toMatchObject({ out: "Sortir" });
    });

    it("has the address of the string that it shows, and goes back through all of them", async () => {
      const page = await open(name, "translate/fr");
      const at = (): string | null => new URL(page.url()).searchParams.get("at");
      const passed: (string | null)[] = [];
      for (let n = 0; n < 2; n++) {
        const here = await key(page);
        expect(at()).toBe(here);
        passed.push(here);
        await page.keyboard.press("Alt+ArrowDown");
        await page.locator(`form.work:not([data-draft="${here}"])`).waitFor();
      }
      const [, second] = passed;
      // By the key, by the link and by the browser itself.
      for (const back of [
        () => page.keyboard.press("Alt+ArrowUp"),
        () => page.locator('.desk-work a[rel="prev"]').click(),
      ]) {
        const wanted = passed.pop();
        await back();
        await page.locator(`form.work[data-draft="${wanted}"]`).waitFor();
        expect(at()).toBe(wanted);
      }
      await page.goForward();
      await page.locator(`form.work[data-draft="${second}"]`).waitFor();
      await page.reload();
      expect([await key(page), at()]).toEqual([second, second]);
    });

    it("sends a question by the keys that send a text, and saves no text with it", async () => {
      const page = await open(name, "translate/fr?at=auth.json%3Aout");
      await typeText(page, "Sort");
      await page.getByText("Ask about it").click();
      await page.locator('textarea[name="question"]:focus').waitFor();
      await typeText(page, "{Where?");
      // What checks find in a text is not looked for in a question.
      expect(await page.locator("[data-check] p").count()).toBe(0);
      await page.keyboard.press("Control+Enter");
      await page.locator('form.work:not([data-draft="auth.json:out"])').waitFor();
      const { json } = await request(server, token, "GET", "/api/hives/web/string?file=auth.json&key=out");
      expect(json.notes.team.ask).toBe("{Where?");
      expect(await texts("fr")).not.toHaveProperty("out");
    });

    it("inserts nothing for an argument that is not there, and saves by the place of S on any keyboard", async () => {
      const page = await open(name, "translate/fr?at=auth.json%3Aout");
      await typeText(page, "Sortir");
      await page.keyboard.press("Control+a");
      await page.keyboard.press("Alt+5");
      expect(await field(page).inputValue()).toBe("Sortir");
      await page.evaluate(
        `document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
          { bubbles: true, cancelable: true, ctrlKey: true, code: "KeyS", key: "ы" }))`,
      );
      await said(page, "Saved as a commit");
      expect(await texts("fr")).toMatchObject({ out: "Sortir" });
      await page.keyboard.press("Control+s");
      await said(page, "Nothing was saved: it was so already.");
    });

    it("keeps a text that was begun on a branch for that branch alone", async () => {
      await send("/branches", { name: "next" });
      const page = await open(name, "translate/fr?branch=next&at=auth.json%3Aout");
      await typeText(page, "Sortir");
      await page.goto(`${server.url}/hives/web/translate/fr?at=auth.json%3Aout`);
      await page.locator("form.work").waitFor();
      expect(await field(page).inputValue()).toBe("");
      await page.goto(`${server.url}/hives/web/translate/fr?branch=next&at=auth.json%3Aout`);
      await page.getByText("Not saved yet: you wrote this before.").waitFor();
      expect(await field(page).inputValue()).toBe("Sortir");
    });

    it("leads back to what was typed when the session has ended", async () => {
      const page = await open(name, "translate/fr");
      const first = await key(page);
      await typeText(page, "Mauvais");
      await page.context().clearCookies();
      await page.keyboard.press("Control+Enter");
      await page.getByRole("link", { name: "Sign in again" }).click();
      await page.getByLabel("Token").fill(token);
      await page.keyboard.press("Enter");
      await page.locator("form.work").waitFor();
      expect([await key(page), await field(page).inputValue()]).toEqual([first, "Mauvais"]);
    });

    it("goes on in a text that was typed while it was saved, and loses none of it", async () => {
      const page = await open(name, "translate/fr?at=auth.json%3Aout");
      const answer = await holdPosts(page, "**/translate/fr*");
      await typeText(page, "Sor");
      await page.keyboard.press("Control+Enter");
      await said(page, "Saving");
      await typeText(page, "tir");
      answer();
      await said(page, "Saved, but not what you wrote since");
      expect([await key(page), await field(page).inputValue()]).toEqual(["auth.json:out", "Sortir"]);
      expect(await texts("fr")).toEqual({ out: "Sor" });
      await page.keyboard.press("Control+Enter");
      await said(page, "Saved as a commit");
      expect(await texts("fr")).toEqual({ out: "Sortir" });
    });

    it("approves by the keys that save, says what they will do, and decides about nothing that nobody can have read", async () => {
      const made = files({ in: "Entrer", out: "Sortir", failed: "Faux" });
      const origin = { "x-commit-origin": "model", "x-commit-model": "m-1", "x-commit-prompt": "ui-v3" };
      await request(server, token, "POST", "/api/hives/web/translations/fr", made, origin);
      const page = await open(name, "translate/fr?want=review");
      await shows(page, "failed");
      expect(await page.locator(".desk-work .where").textContent()).toMatch(/m-1 · ui-v3 · just now/);
      const primary = page.locator("form.work button.primary > span");
      expect(await primary.textContent()).toBe("Approve and next");
      await typeText(page, "!");
      expect(await primary.textContent()).toBe("Save, approve and next");
      // Time passes when the test says so, and the keys are pressed once more as soon as the next string is there.
      await page.evaluate("const start = performance.now(); clock = start; performance.now = () => clock");
      const pass = () => page.evaluate("clock += 1000");
      await pass();
      await page.evaluate(`
        const draft = () => document.querySelector("form.work")?.dataset.draft;
        const before = draft();
        new MutationObserver((_, observer) => {
          if (draft() === before) return;
          observer.disconnect();
          setTimeout(() => {
            const enter = { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true };
            document.querySelector("form.work textarea").dispatchEvent(new KeyboardEvent("keydown", enter));
            document.body.dataset.pressed = "";
          });
        }).observe(document.body, { childList: true, subtree: true });
      `);
      await page.keyboard.press("Control+Enter");
      await said(page, "Approved");
      await shows(page, "out");
      await page.locator("body[data-pressed]").waitFor();
      expect(await texts("fr")).toMatchObject({ failed: "Faux!" });
      await pass();
      await page.keyboard.press("Control+Shift+Enter");
      await page.locator('textarea[name="reason"]:focus').waitFor();
      await typeText(page, "Too familiar");
      await page.keyboard.press("Control+Enter");
      await said(page, "Rejected");
      await shows(page, "in");
      await pass();
      await page.keyboard.press("Control+Enter");
      await page.getByText("Nothing is left").waitFor();
      expect(await texts("fr")).toEqual({ failed: "Faux!", in: "Entrer" });
    });

    it("hides a string, and shows it again by the keyboard", async () => {
      const page = await open(name, "translate/fr?at=auth.json%3Ain");
      await page.getByRole("button", { name: "Hide for a week" }).press("Enter");
      await said(page, "Hidden");
      expect(await key(page)).not.toBe("auth.json:in");
      await page.locator("#status").getByRole("link", { name: "Undo" }).press("Enter");
      await shows(page, "in");
      await page.waitForLoadState("load");
      await page.locator(".where").getByText("hidden", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Show again" }).press("Enter");
      await said(page, "shown again");
      await page.getByRole("button", { name: "Hide for a week" }).waitFor();
      expect(await key(page)).toBe("auth.json:in");
    });

    it("keeps what was typed of a string that is skipped, asked about or rejected", async () => {
      const page = await open(name, "translate/fr?at=auth.json%3Ain");
      await typeText(page, "Se conn");
      await page.getByRole("button", { name: "Hide for a week" }).click();
      await said(page, "Hidden");
      await page.keyboard.press("Alt+ArrowUp");
      await shows(page, "in");
      expect(await field(page).inputValue()).toBe("Se conn");
      await page.getByText("Not saved yet: you wrote this before.").waitFor();
      await page.getByText("Ask about it").click();
      // The field gets the focus by an event that the browser sends after the click.
      await page.locator('textarea[name="question"]:focus').waitFor();
      await typeText(page, "Where?");
      await page.getByRole("button", { name: "Ask and next" }).click();
      await said(page, "Asked");
      await page.goto(`${server.url}/hives/web/translate/fr?at=auth.json%3Ain`);
      expect(await field(page).inputValue()).toBe("Se conn");
      expect(await page.locator('textarea[name="question"]').inputValue()).toBe("");
      await request(server, token, "PATCH", "/api/hives/web/locales/fr", { review: "all" });
      await send("/translations/fr", { files: { "auth.json": { out: "Sors" } } });
      await page.goto(`${server.url}/hives/web/translate/fr?at=auth.json%3Aout`);
      await typeText(page, " d'ici");
      await page.getByText("Reject it").click();
      await page.locator('textarea[name="reason"]').fill("Too familiar");
      await page.getByRole("button", { name: "Reject and next" }).click();
      await said(page, "Rejected");
      await page.goto(`${server.url}/hives/web/translate/fr?at=auth.json%3Aout`);
      expect(await field(page).inputValue()).toBe("Sors d'ici");
    });
  });
});

describe.skipIf(isMissing("chromium"))("the page of work", () => {
  it.skipIf(isMissing("firefox")).each<[BrowserName, readonly Look[]]>([
    ["chromium", [wide, narrow, { ...wide, width: 1920, colorScheme: "dark" }]],
    ["firefox", [wide]],
  ])("has no faults for people who see, hear or feel it, in %s", async (name, looks) => {
    const api = async (method: string, path: string, body: object): Promise<void> => {
      const { status } = await request(server, token, method, `/api/hives/web${path}`, body);
      expect(status).toBeLessThan(300);
    };
    await api("POST", "/glossary", {
      terms: [{ source: "Log", meaning: "a book", translations: { fr: { text: "journal" } } }],
    });
    await api("PATCH", "/notes", {
      files: { "auth.json": { out: { note: "A button", max_length: 9, ask: "Where?" } } },
    });
    await api("POST", "/strings", {
      files: {
        "auth.json": { in: "Log in now", in2: "Log in", n_one: "{{count}} log", n_other: "{{count}} logs" },
      },
    });
    await api("POST", "/translations/fr", {
      files: { "auth.json": { in: "Entrer", in2: "Entrez", failed: "Faux {{x}}" } },
    });
    await api("PATCH", "/locales/fr", { review: "all" });
    await api("POST", "/translations/fr", { files: { "auth.json": { n_one: "{{count}} journal" } } });
    const page = await open(name, "translate/fr");
    for (const query of [
      "at=auth.json%3Ain",
      "at=auth.json%3Aout",
      "want=review",
      "want=failing",
      "want=nope",
      "q=nothing",
    ]) {
      await page.goto(`${server.url}/hives/web/translate/fr?${query}`);
      for (const look of looks) {
        if (name === "chromium") await changeLook(page, look);
        expect([query, look, await axeFaults(page), await widthFaults(page)]).toEqual([query, look, [], []]);
      }
    }
  });

  it("leaves characters to Macs that are written with Alt, and takes Ctrl there for its commands", async () => {
    const page = await openIn("chromium", wide);
    await page.addInitScript("Object.defineProperty(navigator, 'platform', { value: 'MacIntel' })");
    await signIn(page, "translate/fr?at=auth.json%3Aout");
    const isTaken = (pressed: object): Promise<boolean> =>
      page.evaluate(
        `!document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
          { bubbles: true, cancelable: true, altKey: true, ...${JSON.stringify(pressed)} }))`,
      );
    await typeText(page, "a");
    expect(await isTaken({ code: "KeyC", key: "ć" })).toBe(false);
    expect(await isTaken({ code: "Digit8", key: "{" })).toBe(false);
    expect(await isTaken({ code: "Digit9", key: "»", shiftKey: true })).toBe(false);
    expect(await field(page).inputValue()).toBe("a");
    await page.keyboard.press("Control+Alt+c");
    expect(await field(page).inputValue()).toBe("Log out");
  });

  it("finds terms, lengths and arguments while somebody types, and is small", async () => {
    const body = { files: { "auth.json": { hello: "The file of {{name}}" } } };
    await send("/strings", body);
    const api = (method: string, path: string, sent: object) =>
      request(server, token, method, `/api/hives/web${path}`, sent);
    const fr = { text: "fichier", forbidden: ["archive"] };
    await api("POST", "/glossary", { terms: [{ source: "file", translations: { fr } }] });
    await api("PATCH", "/notes", { files: { "auth.json": { hello: { max_length: 25 } } } });
    // The script is made by the build.
    server = await startServer(storage);
    const page = await open("chromium", "translate/fr?at=auth.json%3Ahello");
    const findings = page.locator(".form-field .findings[data-check]");
    await typeText(page, "L'archive de {{nom}} tout entière");
    await page.getByText("33 of 25 characters").waitFor();
    for (const text of [
      "{{nom}} is not in the source text",
      '"archive" is not to be used',
      "has 33 characters",
    ])
      await findings.getByText(text).waitFor();
    await field(page).fill("Le fichier de {{name}}");
    await expect.poll(() => findings.locator("p").count()).toBe(0);
    const loaded = await page.evaluate<number>(
      `performance.getEntries().filter((one) => "encodedBodySize" in one).reduce((sum, one) => sum + one.encodedBodySize, 0)`,
    );
    expect(loaded).toBeLessThan(60_000);
  });
});
