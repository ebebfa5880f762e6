/** Real browsers, where the machine has them. */
import { existsSync } from "node:fs";
import {
  chromium,
  firefox,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Dialog,
  type Page,
} from "playwright-core";
import { onTestFinished } from "vitest";

/** Chromium without windows needs half the time of the one that people have, and shows pages by the same code. */
const chromiums = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;

const programs = {
  chromium: process.env.SKEP_TEST_CHROMIUM ?? chromiums.find((path) => existsSync(path)) ?? chromiums[1],
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

/**
 * The browsers of this worker, for all files of tests that it runs: to start one takes longer than most tests. They end
 * with the process.
 */
const started = new Map<string, Promise<Browser>>();

/** A browser, which is started if it does not run. @param id tells it from others with other settings. */
function running(id: string, start: () => Promise<Browser>): Promise<Browser> {
  const known = started.get(id);
  if (known !== undefined) return known;
  const browser = start();
  started.set(id, browser);
  const forget = () => void started.delete(id);
  browser.then((it) => it.once("disconnected", forget), forget);
  return browser;
}

/** Opens a page in Chromium, which ends with the test. */
export async function openInChromium(options?: BrowserContextOptions): Promise<Page> {
  const browser = await running("chromium", startChromium);
  return pageOf(browser, options);
}

async function pageOf(browser: Browser, options?: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  return newPage(context);
}

async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const { keyboard } = page;
  const press = keyboard.press.bind(keyboard);
  // What is seen of a page can be there before its script listens to keys.
  keyboard.press = async (key, how) => {
    await page.waitForLoadState();
    await press(key, how);
  };
  return page;
}

/** How a page is looked at. */
export interface Look {
  readonly colorScheme: "light" | "dark";
  /** Of the window, in pixels. */
  readonly width: number;
  readonly hasScript: boolean;
}

/**
 * How pages are looked at with scripts and without, where their colours do not matter. A Firefox has one look for all of its
 * pages: that of the stories has one running already.
 */
export function lookWith(hasScript: boolean, width: number): Look {
  return { colorScheme: hasScript ? "light" : "dark", width, hasScript };
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
      // Nobody looks at the window, which would be painted 60 times in a second: that takes a tenth of the browser's time.
      "layout.frame_rate": 20,
    },
  });
}

/** Opens a page in one of the browsers, which ends with the test. */
export async function openIn(name: BrowserName, look: Look): Promise<Page> {
  const { colorScheme, width, hasScript } = look;
  const viewport = { width, height: 800 };
  if (name === "chromium") return openInChromium({ colorScheme, javaScriptEnabled: hasScript, viewport });
  const browser = await running(`firefox ${colorScheme} ${hasScript}`, () => startFirefox(look));
  const page = free.get(browser)?.pop() ?? (await newPage(await browser.newContext()));
  onTestFinished(({ task }) => leave(page, task.result?.state === "pass"));
  await page.setViewportSize(viewport);
  return page;
}

/** Pages of Firefox that no test has: to open one takes half a second, and to leave one a tenth. */
const free = new WeakMap<Browser, Page[]>();

/**
 * Leaves a page of Firefox to the next test as a new one is, or closes it.
 * @param isSound that of a test that failed is not.
 */
async function leave(page: Page, isSound: boolean): Promise<void> {
  const context = page.context();
  const browser = context.browser();
  if (!isSound || browser === null || page.isClosed()) return context.close();
  // A page asks whether what is typed into it may be lost.
  const goOn = (dialog: Dialog): Promise<void> => dialog.accept();
  page.on("dialog", goOn);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.evaluate("sessionStorage.clear()");
  await page.goto("about:blank");
  page.off("dialog", goOn);
  await page.mouse.move(0, 0);
  await context.clearCookies();
  for (const other of context.pages()) if (other !== page) await other.close();
  free.set(browser, [...(free.get(browser) ?? []), page]);
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
