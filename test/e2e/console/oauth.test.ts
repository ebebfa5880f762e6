/** Clients of the Model Context Protocol that a person allows in a real browser, and the program's own page in the end. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../deploy/proxy.ts";
import { eventually } from "../../helpers/eventually.ts";
import { oauthClient } from "../../helpers/people/oauth-client.ts";
import { acmeStorage, french, skepOk, startServer } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";
import { isMissing, openIn, type BrowserName } from "./browser.ts";
import { faultsOf } from "./faults.ts";

const look = { colorScheme: "light", width: 1440, hasScript: true } as const;

/** A program on the machine, to which the browser brings the answer. */
async function listening() {
  const server = createServer((_, response) => response.end("You can close this page.")).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const answered = once(server, "request").then(([{ url }]) => new URL(String(url), "http://x").searchParams);
  return { redirect: `http://127.0.0.1:${port}/callback`, answered };
}

/** A server with a person, who has chosen a password and is not signed in. */
async function serverOfAnna(browser: BrowserName): Promise<{ readonly url: string; readonly page: Page }> {
  const storage = await acmeStorage({ web: french });
  await skepOk(storage, ..."person create anna --team acme --name Anna --role translator".split(" "));
  const url = `http://localhost:${await freePort()}`;
  await startServer(storage, "--port", new URL(url).port, "--public-url", url);
  const link = await skepOk(storage, "person", "invite", "anna", "--public-url", url);
  const page = await openIn(browser, look);
  await page.goto(link.trim());
  await page.getByLabel("Choose a password").fill("twelve letters");
  await page.getByRole("button", { name: "Save and sign in" }).click();
  await page.getByRole("heading", { name: "Hives" }).waitFor();
  await page.context().clearCookies();
  return { url, page };
}

/** Signs in on the way to the page that asks. */
async function signIn(page: Page): Promise<void> {
  await page.getByLabel("User name").fill("anna");
  await page.getByLabel("Password", { exact: true }).fill("twelve letters");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

describe.each(["chromium", "firefox"] as const)("in %s", (browser) => {
  it.skipIf(isMissing(browser))("a person signs in, allows a program, and is led back to it", async () => {
    const { url, page } = await serverOfAnna(browser);
    const { redirect, answered } = await listening();
    const { kept, authProvider } = oauthClient(redirect, ({ href }) => void page.goto(href));
    const open = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider });
    const first = open();
    await expect(new Client({ name: "test", version: "1" }).connect(first)).rejects.toThrow(
      UnauthorizedError,
    );
    await signIn(page);
    await page.getByText("calls itself Chat").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("checkbox", { name: "write" }).uncheck();
    await page.getByRole("button", { name: "Allow" }).click();
    await first.finishAuth(await answered);
    await page.getByText("You can close this page.").waitFor();
    expect(kept.tokens).toMatchObject({ scope: "read" });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(open());
    const { content } = await client.callTool({ name: "hives", arguments: {} });
    expect(JSON.stringify(content)).toContain("web");
  });
});

// Installs the inspector, and the Node.js that it needs, from the registry: CI does it.
it.skipIf(process.env.SKEP_TEST_DEPLOY !== "required" || isMissing("chromium"))(
  "the protocol's inspector is allowed in the browser, and finds no fault in the tools",
  { timeout: 300_000 },
  async () => {
    const folder = realFolder();
    const wanted = ["node@24.21.0", "@modelcontextprotocol/inspector@2.12.0"];
    execFileSync("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", ...wanted], {
      stdio: "ignore",
    });
    const { url, page } = await serverOfAnna("chromium");
    const programs = join(folder, "node_modules/.bin");
    const port = await freePort();
    const args = ["--cli", `${url}/mcp`, "--method", "tools/list", "--strict"];
    const inspector = spawn(
      join(programs, "mcp-inspector"),
      [...args, "--callback-url", `http://127.0.0.1:${port}/oauth/callback`],
      {
        env: {
          PATH: `${programs}:${process.env.PATH}`,
          HOME: folder,
          // It would open a browser of its own where nobody looks at its output.
          BROWSER: "true",
          MCP_AUTO_OPEN_ENABLED: "true",
          MCP_INSPECTOR_SECRET_STORE: "memory",
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    onTestFinished(() => void inspector.kill("SIGKILL"));
    const ended = once(inspector, "exit");
    let [listed, said] = ["", ""];
    inspector.stdout.on("data", (bytes) => (listed += String(bytes)));
    inspector.stderr.on("data", (bytes) => (said += String(bytes)));
    const address = await eventually(() => {
      const [found] = /https?:\S*\/oauth\/authorize\S*/.exec(said) ?? [];
      expect(found, said).toBeDefined();
      return found ?? "";
    });
    await page.goto(address);
    await signIn(page);
    await page.getByText("calls itself MCP Inspector").waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    expect(await ended, said).toEqual([0, null]);
    expect(listed).toContain("work_next");
  },
);
