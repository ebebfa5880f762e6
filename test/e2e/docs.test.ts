/** The reference page in a real browser. */
import { describe, expect, it } from "vitest";
import { routes } from "../../src/http/app.ts";
import { toTemplate } from "../../src/http/openapi/document.ts";
import { isMissing, openInChromium } from "./console/browser.ts";
import { contrastFaults, widthFaults } from "./console/faults.ts";
import { realFolder } from "../helpers/storage.ts";
import { acmeStorage, createToken, request, startServer } from "../helpers/process.ts";

describe.skipIf(isMissing("chromium"))("/docs in a browser", () => {
  it("/docs in a browser shows every operation, asks nobody else for anything, and breaks no policy", async () => {
    const server = await startServer(realFolder());
    const page = await openInChromium();
    const requested: string[] = [];
    const said: string[] = [];
    page.on("request", (request) => void requested.push(request.url()));
    page.on("console", (message) => void said.push(message.text()));
    page.on("pageerror", (error) => void said.push(error.message));
    await page.goto(`${server.url}/docs/`);
    await page.locator(".opblock").first().waitFor();
    const shown = await page
      .locator(".opblock-summary")
      .evaluateAll((operations) =>
        operations.map((operation) =>
          [".opblock-summary-method", ".opblock-summary-path"]
            .map((part) => operation.querySelector(part)?.textContent?.replaceAll("\u200b", ""))
            .join(" "),
        ),
      );
    const routed = routes.map(({ method, path }) => `${method} ${toTemplate(path)}`);
    // What the server sends to others has a name, and no path.
    const called = shown.filter((operation) => operation.includes(" /"));
    expect(called.toSorted()).toEqual(routed.toSorted());
    // Whatever an operation's details need is asked for when it is opened.
    await page.locator("#operations-Translations-importTranslations .opblock-summary-control").click();
    await page.getByText("Senha errada.").first().waitFor();
    expect(said).toEqual([]);
    expect(requested).toContain(`${server.url}/openapi.json`);
    // What a style sheet holds itself is requested of nobody.
    const elsewhere = requested.filter(
      (url) => !url.startsWith(`${server.url}/`) && !url.startsWith("data:"),
    );
    expect(elsewhere).toEqual([]);
    expect(await server.stop()).toBe(0);
  });

  it("/docs in a browser calls the server with a token, and shows exported files readably in either colour scheme", async () => {
    const storage = await acmeStorage();
    const token = await createToken(storage);
    const server = await startServer(storage);
    const strings = { files: { "auth.json": { failed: "Wrong." } } };
    await request(server, token, "POST", "/api/hives/web/strings", strings);
    const page = await openInChromium({ viewport: { width: 360, height: 740 } });
    await page.goto(`${server.url}/docs`);
    await page.locator(".authorize").first().click();
    await page.locator(".auth-container input").fill(token);
    // What is typed is not to be read over a shoulder.
    const shown = 'getComputedStyle(document.querySelector(".auth-container input")).webkitTextSecurity';
    expect(await page.evaluate(shown)).toBe("disc");
    await page.locator(".auth-btn-wrapper .authorize").click();
    await page.locator(".auth-btn-wrapper .btn-done").click();
    const operation = page.locator("#operations-Translations-exportTranslations");
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".try-out__btn").click();
    await operation.locator('tr[data-param-name="slug"] input').fill("web");
    await operation.locator('tr[data-param-name="locale"] input').fill("en");
    const answer = page.waitForResponse((response) => response.url().includes("/api/hives/web/export"));
    await operation.locator(".execute").click();
    expect((await answer).status()).toBe(200);
    await operation.locator(".live-responses-table").waitFor();
    expect(await operation.locator(".curl-command").innerText()).toContain("Bearer YOUR_TOKEN");
    expect(await page.locator("body").innerText()).not.toContain(token);
    // The file is there as it would be on the disk, and the example's file before it is asked for.
    expect(await operation.locator(".exported-file pre").allTextContents()).toEqual([
      '{\n  "failed": "Wrong."\n}\n',
      '{\n  "failed": "Senha errada."\n}\n',
    ]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      // The viewer fades from one colour into another.
      await expect.poll(() => contrastFaults(page), { timeout: 120_000 }).toEqual([]);
      expect(await widthFaults(page)).toEqual([]);
    }
  });
});
