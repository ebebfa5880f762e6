/** The console in a real browser: with JavaScript and without, light and dark, narrow and wide. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { request, serveInProcess, skepOk, type Served } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";
import { isBrowserMissing, launch } from "./browser.ts";

const axe = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));

let server: Served;
let token: string;
/** The commit that changed an English text. */
let changed: string;

beforeEach(async () => {
  const storage = realFolder();
  await skepOk(storage, "team", "create", "acme");
  await skepOk(storage, "hive", "create", "web", "--team", "acme", "--locale", "fr", "--locale", "ar");
  token = await skepOk(
    storage,
    "token",
    "create",
    "--team",
    "acme",
    "--ability",
    "read",
    "--ability",
    "write",
  );
  server = await serveInProcess(storage);
  const send = async (method: string, path: string, body: object, ref = ""): Promise<string> => {
    const headers = { "x-commit-ref": ref, "x-commit-message": "Kinder" };
    const { status, headers: got } = await request(
      server,
      token,
      method,
      `/api/hives/web${path}`,
      body,
      headers,
    );
    expect(status).toBeLessThan(300);
    return got.get("x-skep-commit") ?? "";
  };
  await send("POST", "/strings", { files: { "auth.php": { failed: "Wrong password.", out: "Log out" } } });
  await send("POST", "/translations/ar", { files: { "auth.php": { failed: "كلمة المرور خاطئة." } } });
  const text = "Your password is wrong.";
  changed = await send(
    "POST",
    "/strings",
    { files: { "auth.php": { failed: text } } },
    "https://ci.example/1",
  );
  await send("POST", "/tags", { name: "v1" });
});

/** What is wrong with a page: by axe, wider than the window, or said by the browser. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(await readFile(axe, "utf8"));
  const { violations }: AxeResults = await page.evaluate("axe.run()");
  const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    ...(isWide === true ? ["wider than the window"] : []),
  ];
}

describe.skipIf(isBrowserMissing)("the console in a browser", () => {
  it.each([
    ["light and wide", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
    ["dark and narrow", { colorScheme: "dark", viewport: { width: 360, height: 740 } }],
  ] as const)(
    "the console in a browser, %s, has no fault that axe finds, and asks nobody else",
    async (_, look) => {
      const page = await (await launch()).newPage(look);
      const said: string[] = [];
      page.on("console", (message) => void said.push(message.text()));
      page.on("pageerror", (error) => void said.push(error.message));
      page.on("request", (asked) => {
        if (!asked.url().startsWith(`${server.url}/`)) said.push(`asked for ${asked.url()}`);
      });
      const faults: Record<string, readonly string[]> = {};
      await page.goto(server.url);
      faults.signIn = await faultsOf(page);
      await page.getByLabel("Token").fill(token);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "Hives" }).waitFor();
      faults.home = await faultsOf(page);
      const paths = [
        "",
        "/strings",
        "/strings?locale=ar&state=stale",
        "/strings/auth.php/failed?locale=ar",
        "/branches",
        "/compare/v1...main",
        "/history",
        "/history?key=failed",
        `/history/${changed}`,
        `/history/${changed}/undo`,
      ];
      for (const path of paths) {
        await page.goto(`${server.url}/hives/web${path}`);
        faults[path] = await faultsOf(page);
      }
      await page.goto(`${server.url}/team`);
      faults.team = await faultsOf(page);
      expect(said).toEqual([]);
      await page.goto(`${server.url}/hives/nope`);
      faults.missing = await faultsOf(page);
      expect(Object.entries(faults).filter(([, found]) => found.length > 0)).toEqual([]);
    },
  );

  it("the console in a browser without JavaScript is used by keyboard alone, from signing in to an undo", async () => {
    const page = await (await launch()).newPage({ javaScriptEnabled: false });
    /** Goes on with the Tab key until the focus is on an element with this text. */
    const tabTo = async (text: string): Promise<void> => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press("Tab");
        if ((await page.locator(":focus", { hasText: text }).count()) > 0) return;
      }
      throw new Error(`no Tab leads to ${text}`);
    };
    await page.goto(`${server.url}/hives/web/history`);
    // The field has the focus.
    await page.keyboard.type(token);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "History" }).waitFor();
    await tabTo("Import source strings: 1 updated");
    await page.keyboard.press("Enter");
    await page.locator("del", { hasText: "Wrong" }).waitFor();
    await tabTo("Undo this commit");
    await page.keyboard.press("Enter");
    await page.getByText("1 text would be as before that commit").waitFor();
    await page.getByLabel("Why?").focus();
    await page.keyboard.type("It was right");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Undone by this commit").waitFor();
    expect(await page.getByText("It was right").count()).toBe(1);
    await tabTo("Sign out");
    await page.keyboard.press("Enter");
    await page.getByLabel("Token").waitFor();
  });

  it("the console in a browser finds strings as one types, and saves translations by keyboard alone without leaving the list", async () => {
    const page = await (await launch()).newPage();
    await page.goto(`${server.url}/?to=hives%2Fweb%2Fstrings`);
    await page.keyboard.type(token);
    await page.keyboard.press("Enter");
    await page.getByText("2 strings").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("LOG");
    await page.getByText("1 string found").waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe("LOG");
    await page.locator("summary", { hasText: "Translate" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.type("Déconnexion");
    await page.keyboard.press("Control+Enter");
    await page.locator(".state.translated").waitFor();
    await page.locator("summary:focus", { hasText: "Edit" }).waitFor();
    // What somebody else changes meanwhile is not replaced, and what was written is not lost.
    await page.keyboard.press("Enter");
    await request(server, token, "POST", "/api/hives/web/translations/fr", {
      files: { "auth.php": { out: "Quitter" } },
      overwrite_strategy: "overwrite",
    });
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.type(" !");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("French translation").inputValue()).toBe("Déconnexion !");
    expect(await page.locator(".string .text").first().textContent()).toBe("Quitter");
  });

  it("the console in a browser says how long ago things were, and copies commands", async () => {
    const browser = await launch();
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    await page.goto(`${server.url}/?to=hives%2Fweb`);
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await page.getByText("just now").first().waitFor();
    await page.getByRole("button", { name: "Copy" }).last().click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      `git clone ${server.url}/hives/web.git`,
    );
  });
});
