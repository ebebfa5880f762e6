/** Real browsers, where the machine has them. */
import { existsSync } from "node:fs";
import { chromium, firefox, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, onTestFinished } from "vitest";

const programs = {
  chromium: process.env.SKEP_TEST_CHROMIUM ?? "/usr/bin/chromium",
  firefox: process.env.SKEP_TEST_FIREFOX ?? "/usr/bin/firefox-esr",
};
export type BrowserName = keyof typeof programs;

/** `.ci/run` says so: there their absence is a failure. */
const areRequired = process.env.SKEP_TEST_BROWSER === "required";

/** Whether tests in a browser are skipped, which is said once for each file of tests. */
export function isMissing(name: BrowserName): boolean {
  const program = programs[name];
  if (areRequired || existsSync(program)) return false;
  const variable = `SKEP_TEST_${name.toUpperCase()}`;
  console.warn(`Tests in a browser are skipped: there is no ${program}; ${variable} names another.`);
  return true;
}

function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: programs.chromium,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Opens pages in the Chromium that all tests of a file share; each page ends with its test. */
export function sharedChromium(): (options?: BrowserContextOptions) => Promise<Page> {
  let started: Promise<Browser> | undefined;
  afterAll(async () => (await started)?.close());
  return async (options) => {
    const context = await (await (started ??= startChromium())).newContext(options);
    onTestFinished(() => context.close());
    return context.newPage();
  };
}

/** How a page is looked at. */
export interface Look {
  readonly colorScheme: "light" | "dark";
  /** Of the window, in pixels. */
  readonly width: number;
  readonly hasScript: boolean;
}

/** Has a page of Chromium looked at in another way: that takes less than to load it again. */
export async function changeLook(page: Page, { colorScheme, width }: Omit<Look, "hasScript">): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
}

/** As people have it who use WebDriver: the browser itself, not one that is made for tests, is asked over BiDi. */
function startFirefox({ colorScheme, hasScript }: Look): Promise<Browser> {
  return firefox.launch({
    channel: "moz-firefox",
    executablePath: programs.firefox,
    // Over BiDi, neither can be chosen for a page.
    firefoxUserPrefs: {
      "javascript.enabled": hasScript,
      "ui.systemUsesDarkTheme": colorScheme === "dark" ? 1 : 0,
    },
  });
}

/**
 * Opens pages in browsers that all tests of a file share: each starts when a page in it is first asked for, and ends
 * with the file.
 */
export function sharedBrowsers(): (name: BrowserName, look: Look) => Promise<Page> {
  const openInChromium = sharedChromium();
  const started = new Map<string, Promise<Browser>>();
  afterAll(async () => {
    for (const browser of started.values()) await (await browser).close();
  });
  return async (name, look) => {
    const { colorScheme, width, hasScript } = look;
    const viewport = { width, height: 800 };
    if (name === "chromium") return openInChromium({ colorScheme, javaScriptEnabled: hasScript, viewport });
    const id = `${colorScheme} ${hasScript}`;
    const browser = started.get(id) ?? startFirefox(look);
    started.set(id, browser);
    const context = await (await browser).newContext({ viewport });
    onTestFinished(() => context.close());
    return context.newPage();
  };
}

/**
 * Types into the field that has the focus. Browsers give it to a field by events that come after a page is shown or a form
 * is opened: whoever types waits for that.
 */
export async function typeText(page: Page, text: string): Promise<void> {
  await page.locator("input:focus, textarea:focus").first().waitFor();
  await page.keyboard.type(text);
}

/** Holds back what a page posts to some addresses. @returns lets it go on. */
export async function holdPosts(page: Page, addresses: string): Promise<() => void> {
  let letGo = (): void => undefined;
  const isHeld = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(addresses, async (route) => {
    if (route.request().method() === "POST") await isHeld;
    await route.continue();
  });
  return letGo;
}
