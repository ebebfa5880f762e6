/** A client of the Model Context Protocol that a person allows in a real browser, and the program's own page in the end. */
import { createServer } from "node:http";
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../deploy/proxy.ts";
import { oauthClient } from "../../helpers/people/oauth-client.ts";
import { acmeStorage, french, skepOk, startServer } from "../../helpers/process.ts";
import { isMissing, sharedBrowsers } from "./browser.ts";
import { faultsOf } from "./faults.ts";

const openPage = sharedBrowsers();
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

describe.each(["chromium", "firefox"] as const)("in %s", (browser) => {
  it.skipIf(isMissing(browser))("a person signs in, allows a program, and is led back to it", async () => {
    const storage = await acmeStorage({ web: french });
    await skepOk(storage, ..."person create anna --team acme --name Anna --role translator".split(" "));
    const url = `http://localhost:${await freePort()}`;
    await startServer(storage, "--port", new URL(url).port, "--public-url", url);
    const link = await skepOk(storage, "person", "invite", "anna", "--public-url", url);
    const page = await openPage(browser, look);
    await page.goto(link.trim());
    await page.getByLabel("Choose a password").fill("twelve letters");
    await page.getByRole("button", { name: "Save and sign in" }).click();
    await page.getByRole("heading", { name: "Hives" }).waitFor();
    await page.context().clearCookies();

    const { redirect, answered } = await listening();
    const { kept, authProvider } = oauthClient(redirect, ({ href }) => void page.goto(href));
    const open = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider });
    const first = open();
    await expect(new Client({ name: "test", version: "1" }).connect(first)).rejects.toThrow(
      UnauthorizedError,
    );
    await page.getByLabel("User name").fill("anna");
    await page.getByLabel("Password", { exact: true }).fill("twelve letters");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
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
