/**
 * Makes pictures of the console: `npm run docs:pictures`, on a machine with Chromium. Those of the README and the pages
 * go to docs/images (`npm run docs:pictures docs` makes these alone); all pages, wide and narrow, light and dark, to the
 * folder `pictures`, which git ignores.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { defaults } from "../../src/config/settings.ts";
import { createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/server.ts";
import { openLocalStorage } from "../../src/service/storage.ts";
import { makePerson, makePersonalToken } from "../helpers/people/people.ts";
import { makeHive, makeToken } from "../helpers/storage.ts";
import { fillHive } from "./picture-texts.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "skep-pictures-"));
const storage = openLocalStorage(folder);
await makeHive(storage, "web", { locales: ["de", "fr", "ja", "ar", "pt-BR=pt_BR", "nl", "pl"] });
await makeHive(storage, "app", { locales: ["de", "fr"] });
await makeHive(storage, "empty", { locales: [] });
await makeHive(storage, "old");
await makePerson(storage, { id: "marie", name: "Marie", abilities: ["admin"] });
const token = await makePersonalToken(storage, { id: "marie" });
await makeToken(storage, { name: "CI", abilities: ["read", "write"], hives: ["web"] });
await makeToken(storage, { name: "Luc", locales: ["fr"], lifetimeMs: 30 * 86_400_000 });
await makePerson(storage, { id: "luc", name: "Luc", locales: ["fr"] });
const luc = await makePersonalToken(storage, { id: "luc" });
const app = createApp({ ...defaults, storage, log: { error: () => {} } });
const { url, close } = await listen(app, { ...defaults, port: 0, timeouts: { closing: 500 } });

const looks = ["light", "dark"] as const;
const widths = [1440, 360, 1920];
const only = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: process.env.SKEP_TEST_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless=new", "--no-sandbox", "--hide-scrollbars"],
});
const commits = await fillHive(storage, { url, token, another: luc, picture: await pictureOfSignIn() });

/** All pages, by the names of their pictures. */
const pages: Readonly<Record<string, string>> = {
  home: "/",
  hive: "/hives/web",
  "hive-empty": "/hives/empty",
  "hive-branch": "/hives/web?branch=feature%2Flogin",
  strings: "/hives/web/strings?locale=fr",
  "strings-stale": "/hives/web/strings?locale=fr&state=stale",
  "strings-waiting": "/hives/web/strings?locale=fr&state=waiting",
  "strings-failing": "/hives/web/strings?locale=fr&state=failing",
  "strings-all": "/hives/web/strings?locale=*&q=password",
  "strings-none": "/hives/web/strings?locale=nl&q=Passwort",
  "strings-wrong": "/hives/web/strings?locale=fr&since=soon&q=sign",
  replace: "/hives/web/replace?find=mot+de+passe&replace=code",
  selection: "/hives/web/selection/fr?state=stale",
  "strings-arabic": "/hives/web/strings?locale=ar",
  string: "/hives/web/strings/auth.php/password",
  "string-plural": "/hives/web/strings/cart.json/items_other",
  "string-long": "/hives/web/strings/legal.json/terms",
  translate: "/hives/web/translate/fr?at=auth.php%3Apassword",
  "translate-plural": "/hives/web/translate/pl?at=cart.json%3Aitems_other",
  "translate-first": "/hives/web/translate/de",
  "translate-arabic": "/hives/web/translate/ar?want=stale",
  "translate-done": "/hives/web/translate/fr?q=nothinglikethis",
  "translate-wrong": "/hives/web/translate/fr?want=nope",
  history: "/hives/web/history",
  "history-key": "/hives/web/history?key=password",
  commit: `/hives/web/history/${commits.last}`,
  undo: `/hives/web/history/${commits.undoable}/undo`,
  "undo-conflict": `/hives/web/history/${commits.first}/undo`,
  branches: "/hives/web/branches",
  branch: "/hives/web/branches/feature%2Flogin",
  merge: "/hives/web/branches/feature%2Flogin/merge",
  "merge-branch": "/hives/web/branches/feature%2Flogin/merge?on_conflict=branch",
  compare: "/hives/web/compare",
  "compare-tag": "/hives/web/compare/v1.0...main",
  tags: "/hives/web/tags",
  channels: "/hives/web/channels",
  glossary: "/hives/web/glossary?locale=fr",
  comments: "/hives/web/comments",
  settings: "/hives/web/settings/general",
  "settings-languages": "/hives/web/settings/languages",
  inbox: "/inbox",
  "settings-checks": "/hives/web/settings/checks",
  "settings-files": "/hives/web/settings/files",
  search: "/search?q=pass",
  choose: "/hives/web/translate",
  "new-hive": "/new-hive",
  team: "/team",
  tokens: "/team/tokens",
  engines: "/team/engines",
  webhooks: "/team/webhooks",
  mirrors: "/team/mirrors",
  deleted: "/team/deleted",
  people: "/team/people",
  audit: "/team/audit",
  account: "/account",
  device: "/device",
  missing: "/hives/nope",
  "missing-string": "/hives/web/strings/auth.php/nope",
};

mkdirSync(join(root, "pictures"), { recursive: true });
for (const colorScheme of looks) {
  for (const width of widths) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    const take = (name: string): Promise<Buffer> =>
      page.screenshot({
        path: join(root, "pictures", `${name}-${width}-${colorScheme}.png`),
        fullPage: true,
      });
    await page.goto(url);
    if (only.length === 0) await take("sign-in");
    await signIn(page);
    for (const [name, path] of Object.entries(pages)) {
      if (only.length > 0 && !only.includes(name)) continue;
      await page.goto(url + path);
      await take(name);
    }
    await context.close();
  }
}
if (only.length === 0 || only.includes("docs")) await forDocs();
await browser.close();
await close();
rmSync(folder, { recursive: true });

/** A picture of a page that asks for a password, as an app could have. */
async function pictureOfSignIn(): Promise<{
  content: Buffer;
  box: Record<"x" | "y" | "width" | "height", number>;
}> {
  const page = await browser.newPage({ viewport: { width: 640, height: 420 } });
  await page.goto(url);
  const found = await page.getByLabel("Token").boundingBox();
  const [x, y, width, height] = [found?.x, found?.y, found?.width, found?.height].map((side = 0) =>
    Math.round(side),
  );
  const content = await page.screenshot();
  await page.close();
  return { content, box: { x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0 } };
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Hives" }).waitFor();
}

/** Pictures that the README and the pages show. */
async function forDocs(): Promise<void> {
  const page = await browser.newPage({ colorScheme: "light", viewport: { width: 1000, height: 640 } });
  await page.goto(url);
  await signIn(page);
  await page.goto(`${url}/hives/web/replace?find=mot+de+passe&replace=code`);
  await keep(page, "replace");
  await page.setViewportSize({ width: 1440, height: 640 });
  await page.goto(`${url}/hives/web/translate/de?at=auth.php%3Apassword`);
  await keep(page, "translate");
  await page.goto(`${url}/hives/web/translate/pl?at=cart.json%3Aitems_other`);
  await keep(page, "plural");
  await page.goto(`${url}/hives/web/translate/fr?at=auth.php%3Athrottle`);
  await page.locator("textarea").first().fill("Trop de tentatives. Réessayez dans :minutes s.");
  await page.getByText(":minutes is not in the source text").first().waitFor();
  await keep(page, "findings");
  await page.goto(`${url}/hives/web/translate/fr?want=review`);
  await keep(page, "review");
}

/** Keeps what can be seen of a page as WebP, which takes half of PNG. */
async function keep(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 70 });
  writeFileSync(join(root, "docs/images", `${name}.webp`), Buffer.from(data, "base64"));
  await session.detach();
}
