/** Signing in at an identity provider in a real browser, where the provider is another site. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acmeStorage, french, skepOk, startServer } from "../../helpers/process.ts";
import { clientSecret } from "../../helpers/people/made-provider.ts";
import { realProvider } from "../../helpers/people/real-provider.ts";
import { realFolder } from "../../helpers/storage.ts";
import { freePort } from "../../deploy/proxy.ts";
import { isMissing, openIn } from "./browser.ts";
import { axeFaults } from "./faults.ts";

const look = { colorScheme: "light", width: 1440, hasScript: true } as const;

// Browsers differ in when they send a cookie that is for one site.
describe.each(["chromium", "firefox"] as const)("a person of a provider in %s", (name) => {
  it.skipIf(isMissing(name))("opens a page, signs in at the provider, and is at the page", async () => {
    const storage = await acmeStorage({ web: french });
    const url = `http://localhost:${await freePort()}`;
    const claims = () => ({ name: "Lea Dupont", preferred_username: "lea", groups: ["translators"] });
    const real = await realProvider({ claims, isInIdToken: true, publicUrl: url, host: "127.0.0.1" });
    const folder = realFolder();
    writeFileSync(join(folder, "secret"), clientSecret);
    writeFileSync(
      join(folder, "rules.yaml"),
      "groups:\n  - {group: translators, team: acme, hives: [web]}\n",
    );
    const flags = {
      "--port": new URL(url).port,
      "--public-url": url,
      "--sign-in": "oidc,token",
      "--oidc-issuer": real.options.issuer,
      "--oidc-client-id": real.options.clientId,
      "--oidc-client-secret-file": join(folder, "secret"),
      "--oidc-name": "Example",
      "--oidc-scopes": "openid profile",
      "--oidc-rules": join(folder, "rules.yaml"),
    };
    await startServer(storage, ...Object.entries(flags).flat());
    const page = await openIn(name, look);
    await page.goto(`${url}/hives/web/strings`);
    const signIn = page.getByRole("link", { name: "Sign in with Example" });
    await signIn.waitFor();
    expect(await axeFaults(page, true)).toEqual([]);
    await signIn.click();
    await page.waitForURL(`${url}/hives/web/strings`);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    const log = JSON.parse(await skepOk(storage, "audit", "--json"));
    expect(log[0]).toMatchObject({ event: "signed_in", by: { person: "lea" }, client: "127.0.0.1" });
  });
});
