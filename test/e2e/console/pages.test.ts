/** The console in a real browser: with JavaScript and without, light and dark, narrow and wide. */
import { beforeEach, describe, expect, it } from "vitest";
import { createToken, type Served } from "../../helpers/process.ts";
import { isMissing, openInChromium, typeText } from "./browser.ts";
import { faultsOf, widthFaults } from "./faults.ts";
import { files, withTexts, type WithTexts } from "./texts.ts";

let server: Served;
let token: string;
let send: WithTexts["send"];

beforeEach(async () => {
  const made = await withTexts();
  ({ server, send } = made);
  token = await createToken(made.storage, ["admin"]);
  await send("/strings", files({ failed: "Your password is wrong." }));
});

describe.skipIf(isMissing("chromium"))("the console in a browser", () => {
  it("the console in a browser, light and dark, wide and narrow, has no fault that axe finds, and asks nobody else", async () => {
    await send("/strings", files({ broken: "Hi {{name}}" }));
    await send("/translations/fr", files({ broken: "Salut {{nom}}" }));
    const terms = [
      {
        source: "Hi",
        meaning: "a greeting",
        translations: { fr: { text: "Bonjour", forbidden: ["Salut"] } },
      },
    ];
    await send("/glossary", { terms });
    const asked = { file: "auth.json", key: "broken", text: "Is <b>this</b> a greeting?", ask: true };
    for (const locale of [undefined, "fr"]) await send("/comments", { ...asked, locale });
    const page = await openInChromium();
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
      "/strings?locale=ar&state=stale",
      "/strings/auth.json/failed?locale=ar",
      "/strings?locale=fr&state=failing",
      "/strings/auth.json/broken?locale=fr",
      "/replace?find=salut&replace=%7B%7Bx%7D%7D",
      "/selection/ar",
      "/glossary?locale=fr",
      "/comments",
      "/history",
      "/history?key=failed",
      "/settings/general",
      "/settings/languages",
      "/settings/checks",
      "/settings/files",
      "/tags",
      "/channels",
      "/compare",
      "/branches",
    ];
    for (const path of paths) {
      await page.goto(`${server.url}/hives/web${path}`);
      await page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
      if (/failing|broken/.test(path)) {
        await page.getByText("{{nom}} is not in the source text").first().waitFor();
        await page.getByRole("button", { name: "False alarm" }).first().waitFor();
      }
      // A field that gets the focus, once its form is open, scrolls targets under the filters, which stay in sight.
      await page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => scrollTo(0, 0))",
      );
      faults[path] = await faultsOf(page);
    }
    expect(said).toEqual([]);
    const others = ["", "/people", "/tokens", "/webhooks", "/mirrors", "/deleted", "/audit"];
    for (const path of [
      ...others.map((one) => `team${one}`),
      "hives/web/translate/fr",
      "hives/web/translate",
      "search?q=log",
      "inbox",
      "new-hive",
    ]) {
      await page.goto(`${server.url}/${path}`);
      await page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
      faults[path] = await faultsOf(page);
    }
    await page.goto(`${server.url}/hives/nope`);
    faults.missing = await faultsOf(page);
    expect(Object.entries(faults).filter(([, found]) => found.length > 0)).toEqual([]);
  });

  it("the console in a browser finds strings as one types, and saves translations by keyboard alone without leaving the list", async () => {
    const page = await openInChromium();
    await page.goto(`${server.url}/?to=hives%2Fweb%2Fstrings`);
    await typeText(page, token);
    await page.keyboard.press("Enter");
    await page.getByText("3 strings").waitFor();
    await page.keyboard.press("/");
    await typeText(page, "OUT");
    await page.getByText("1 string found").waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe("OUT");
    await page.locator("summary", { hasText: "Translate" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("textarea:focus").waitFor();
    await typeText(page, "Déconnexion");
    await page.keyboard.press("Control+Enter");
    await page.locator("summary:focus", { hasText: "Edit" }).waitFor();
  });

  it("the focus stays in its row when a list is replaced, and a listed filter is not asked for again", async () => {
    const page = await openInChromium();
    await page.goto(`${server.url}/?to=hives%2Fweb%2Fstrings`);
    await typeText(page, token);
    await page.keyboard.press("Enter");
    await page.getByText("3 strings").waitFor();
    const asked: URL[] = [];
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/strings\?.*q=/, async (route) => {
      asked.push(new URL(route.request().url()));
      await held;
      await route.continue();
    });
    await page.keyboard.press("/");
    await page.keyboard.insertText("OUT");
    await page.waitForRequest(/q=OUT/);
    const row = page.locator(".string", { hasText: "Log out" });
    await row.locator("summary").first().focus();
    answer();
    await page.getByText("1 string found").waitFor();
    await row.locator("summary:focus").waitFor();
    // A change that nothing came of is followed by one that something comes of.
    await page.locator('input[type="search"]').dispatchEvent("change");
    await page.locator('input[type="search"]').fill("ou");
    await expect.poll(() => asked.map((each) => each.searchParams.get("q"))).toEqual(["OUT", "ou"]);
  });

  it("the console in a browser says how long ago things were, and copies commands", async () => {
    const page = await openInChromium({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`${server.url}/?to=hives%2Fweb`);
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await page.getByText("just now").first().waitFor();
    await page.getByText("Use it").click();
    await page.getByRole("button", { name: "Copy" }).last().click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      `git clone ${server.url}/hives/web.git`,
    );
  });

  it("a long key shows its beginning and its end, and leaves room for the file's name", async () => {
    const key = `checkout.payment.errors.${"of_the_provider.".repeat(12)}card_declined`;
    const file = `${"a-folder-of-the-app/".repeat(5)}texts.json`;
    await send("/strings", { files: { [file]: { [key]: "Declined", short: "Short" } } });
    const page = await openInChromium();
    await page.goto(`${server.url}/`);
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Hives" }).waitFor();
    const where = encodeURIComponent(file);
    for (const width of [1440, 1000, 700, 360]) {
      await page.setViewportSize({ width, height: 800 });
      for (const path of [`strings?file=${where}`, `translate/fr?file=${where}`]) {
        await page.goto(`${server.url}/hives/web/${path}`);
        await page.getByRole("link", { name: key, exact: true }).waitFor();
        const found: unknown = await page.evaluate(`(() => {
          const row = document.querySelector(".where:has(.cut-key)");
          const [all, key, file, end] = ["", " > .key", " > .file", " .cut-key span:last-child"].map((selector) =>
            (selector === "" ? row : row.querySelector(":scope" + selector)).getBoundingClientRect());
          const [start] = row.querySelectorAll(".cut-key span");
          const { fontSize } = getComputedStyle(start);
          return {
            startIsShown: start.getBoundingClientRect().width > 4 * parseFloat(fontSize),
            middleIsCut: start.scrollWidth > start.clientWidth,
            endIsShown: end.right <= key.right + 0.5 && end.width > 0,
            areApart: file.left >= key.right + 4 || file.top >= key.bottom,
            fileIsShown: file.width > 30,
            areInRow: Math.max(key.right, file.right) <= all.right + 0.5,
          };
        })()`);
        expect([width, path, found]).toEqual([
          width,
          path,
          {
            startIsShown: true,
            middleIsCut: true,
            endIsShown: true,
            areApart: true,
            fileIsShown: true,
            areInRow: true,
          },
        ]);
      }
    }
  });

  it("no page is wider than a small window, however long names are", async () => {
    const long = "a_name_that_is_far_longer.than_anybody_would_write.by_hand/but_which_a_program_made".repeat(
      2,
    );
    const file = `${long.replaceAll("/", "-")}.json`;
    await send("/strings", {
      files: { [file]: { [long]: long, x: "x ".repeat(3_000), failing: "Hello {{name}}" } },
    });
    await send("/translations/fr", { files: { [file]: { [long]: long, failing: `{{${long}}} {{ name }` } } });
    await send("/branches", { name: long });
    await send("/tags", { name: long });
    await send(`/strings?branch=${long}`, { files: { [file]: { [long]: `${long}!` } } });
    const page = await openInChromium({ viewport: { width: 360, height: 740 } });
    await page.goto(server.url);
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Hives" }).waitFor();
    const name = encodeURIComponent(long);
    const ofHive = `/history /history?file=${file}&key=${name} /branches /branches/${name} /branches/${name}/merge
      /compare/${name}...main /strings /strings/${file}/${name}?locale=fr /strings?branch=${name} /strings?q=${name}
      /strings?since=nothing /strings?locale=fr&state=failing /strings/${file}/failing /tags /channels /settings/general /settings/languages
      /settings/checks /settings/files`;
    const paths = ["/", "/team", "/team/tokens", "/team/webhooks", "/new-hive", "/hives/web"].concat(
      ofHive.split(/\s+/).map((path) => `/hives/web${path}`),
    );
    for (const path of paths) {
      await page.goto(`${server.url}${path}`);
      await page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
      for (const width of [360, 320]) {
        await page.setViewportSize({ width, height: 740 });
        expect([width, path, await widthFaults(page)]).toEqual([width, path, []]);
      }
    }
  });
});
