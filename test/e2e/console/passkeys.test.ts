/** Passkeys in a real browser, with its own virtual authenticator. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { acmeStorage, french, skepOk, startServer } from "../../helpers/process.ts";
import { freePort } from "../../deploy/proxy.ts";
import { isMissing, openIn } from "./browser.ts";
import { axeFaults } from "./faults.ts";

const look = { colorScheme: "light", width: 1440, hasScript: true } as const;

/** Gives a browser a device that keeps passkeys and verifies its user. */
async function addDevice(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

describe.skipIf(isMissing("chromium"))("a person in Chromium", () => {
  it("makes a passkey with an invitation, signs out, and signs in with it", async () => {
    const storage = await acmeStorage({ web: french });
    await skepOk(storage, "person", "add", "anna", "--team", "acme", "--name", "Anna");
    const url = `http://localhost:${await freePort()}`;
    await startServer(storage, "--port", new URL(url).port, "--public-url", url);
    const link = await skepOk(storage, "person", "invite", "anna", "--public-url", url);
    const page = await openIn("chromium", look);
    await addDevice(page);
    await page.goto(link.trim());
    const create = page.getByRole("button", { name: "Create a passkey and sign in" });
    await create.waitFor();
    expect(await axeFaults(page, true)).toEqual([]);
    await create.click();
    await page.getByRole("heading", { name: "Hives" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    const signIn = page.getByRole("button", { name: "Sign in with a passkey" });
    await signIn.waitFor();
    expect(await axeFaults(page, true)).toEqual([]);
    await signIn.click();
    await page.getByRole("heading", { name: "Hives" }).waitFor();
    expect((await page.goto(link.trim()))?.status()).toBe(410);
  });
});
