/** Makes the pictures of the console for the README: `npm run docs:pictures`, on a machine with Chromium. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { defaults } from "../../src/config/settings.ts";
import { toHiveSlug } from "../../src/domain/names.ts";
import { createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/server.ts";
import { openLocalStorage } from "../../src/service/storage.ts";
import { makeHive, makeToken } from "../helpers/storage.ts";

const pictures = fileURLToPath(new URL("../../docs/images", import.meta.url));

const english = {
  failed: "These credentials do not match our records.",
  password: "The password is wrong.",
  throttle: "Too many login attempts. Please try again in :seconds seconds.",
  welcome: "Welcome back, :name!",
  sign_in: "Sign in",
  sign_out: "Sign out",
};
const french = {
  failed: "Ces identifiants ne correspondent pas à nos enregistrements.",
  password: "Le mot de passe est faux.",
  welcome: "Bon retour, :name !",
  sign_in: "Se connecter",
};
const german = {
  ...french,
  failed: "Diese Zugangsdaten sind unbekannt.",
  sign_out: "Abmelden",
  throttle: "Zu viele Versuche. Bitte in :seconds Sekunden noch einmal.",
};
const japanese = { welcome: "おかえりなさい、:name さん", sign_in: "ログイン", sign_out: "ログアウト" };

const folder = mkdtempSync(join(tmpdir(), "skep-pictures-"));
const storage = openLocalStorage(folder);
await makeHive(storage, "web", { locales: ["de", "fr", "ja"] });
const slug = toHiveSlug("web");
const token = await makeToken(storage, { name: "Marie" });
const app = createApp({ ...defaults, storage, log: { error: () => {} } });
const { url, close } = await listen(app, { ...defaults, port: 0, timeouts: { closing: 500 } });

async function send(path: string, texts: object, message: string): Promise<void> {
  const { status } = await fetch(`${url}/api/hives/${slug}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "x-commit-message": message,
    },
    body: JSON.stringify({ files: { "auth.php": texts } }),
  });
  if (status !== 200) throw new Error(`${path}: ${status}`);
}

await send("/strings", english, "First import");
await send("/translations/de", german, "From the agency");
await send("/translations/fr", french, "From the agency");
await send("/translations/ja", japanese, "From the agency");
await send("/strings", { password: "This password is not right." }, "Kinder words");

const browser = await chromium.launch({
  executablePath: process.env.SKEP_TEST_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless=new", "--no-sandbox", "--hide-scrollbars"],
});
const page = await browser.newPage({ colorScheme: "light", viewport: { width: 1000, height: 640 } });
await page.goto(url);
await page.getByLabel("Token").fill(token);
await page.getByRole("button", { name: "Sign in" }).click();
await page.getByRole("heading", { name: "Hives" }).waitFor();
await page.goto(`${url}/hives/${slug}`);
await page.screenshot({ path: join(pictures, "hive.png") });
await page.goto(`${url}/hives/${slug}/strings?locale=fr`);
await page.getByText("Edit", { exact: false }).nth(1).click();
await page.evaluate("scrollTo(0, 0)");
await page.screenshot({ path: join(pictures, "strings.png") });
await browser.close();
await close();
rmSync(folder, { recursive: true });
