/** Somebody who uses the console with a keyboard alone. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Served } from "../../helpers/process.ts";
import { typeText, type BrowserName, type Look } from "./browser.ts";
import { contrastOnce, structureFaults, targetFaults, widthFaults } from "./faults.ts";

/** What the focused element is called: its label, where it is a field. */
const focused = `(() => {
  const { activeElement: at } = document;
  const texts = [at.getAttribute("aria-label"), at.labels?.[0]?.textContent, at.textContent];
  return (texts.find((text) => text) ?? "").replace(/\\s+/g, " ").trim();
})()`;
/**
 * Whether the focused element looks focused, in a page that has the focus: in Firefox, Tab leads from the last element of a
 * page to the browser's own buttons, while the driver still sends all keys to the page.
 */
const isFocusSeen = `document.hasFocus() && parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2`;
/** Whether Enter opens a form here, to write into. */
const opensFormHere = `(() => {
  const details = document.activeElement.closest("summary")?.parentElement;
  return details !== undefined && !details.open && details.querySelector("textarea") !== null;
})()`;

/** Of the pages of all stories, which are drawn alike. */
const contrastOf = contrastOnce();

/** The most elements of a page that Tab leads through. */
const maxStops = 80;

export interface PersonOptions {
  readonly browser: BrowserName;
  readonly look: Look;
}

/**
 * Whether what is called so begins with whole words: "Comments" does not begin with "Comment", and "SearchCtrl K" does
 * with "Search".
 */
function beginsWith(text: string, words: string): boolean {
  return text.startsWith(words) && !/^\p{Ll}/u.test(text.slice(words.length));
}

export class Person {
  readonly #page: Page;
  readonly #url: string;
  readonly #options: PersonOptions;
  readonly #faults = new Map<string, readonly string[]>();

  constructor(page: Page, { url }: Served, options: PersonOptions) {
    this.#page = page;
    this.#url = url;
    this.#options = options;
  }

  /** Types an address. */
  async open(path: string): Promise<void> {
    await this.#page.goto(this.#url + path);
  }

  /** Waits until a text is there, in upper and lower case as it is given, and has the page checked. */
  async sees(text: string | RegExp): Promise<void> {
    const page = this.#page;
    // A string is found in any case: "Why it is rejected", where "Rejected" is waited for.
    const asGiven = new RegExp(typeof text === "string" ? text.replaceAll(/[^\w\s]/g, "\\$&") : text);
    await page.getByText(asGiven).filter({ visible: true }).first().waitFor();
    const { browser, look } = this.#options;
    // The pages are the same in each browser, and axe takes longer than all the rest.
    const byAxe =
      browser === "chromium"
        ? [...(await structureFaults(page, look.hasScript)), ...(await contrastOf(page, look.hasScript))]
        : [];
    const measured = [...(await targetFaults(page)), ...(await widthFaults(page))];
    this.#faults.set(`${page.url()} with ${text}`, [...byAxe, ...measured]);
  }

  /** Goes on with the Tab key, or back with Shift, to what is called so, unless the focus is there already. */
  async goTo(name: string, by: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    const passed: unknown[] = [];
    for (let stops = 0; stops < maxStops; stops++) {
      const here = await this.#page.evaluate(focused);
      if (typeof here === "string" && beginsWith(here, name)) {
        expect([name, await this.#page.evaluate(isFocusSeen)]).toEqual([name, true]);
        return;
      }
      passed.push(here);
      await this.#page.keyboard.press(by);
    }
    throw new Error(`No ${by} leads to "${name}", but to ${JSON.stringify(passed)}.`);
  }

  /** Goes to a link or a button, and presses Enter. */
  async follow(name: string, by?: "Tab" | "Shift+Tab"): Promise<void> {
    await this.goTo(name, by);
    const opensForm = await this.#page.evaluate(opensFormHere);
    await this.press("Enter");
    // The script of the page then moves the focus by an event: a Tab before it would lead past the field.
    if (opensForm && this.#options.look.hasScript) await this.#page.locator("textarea:focus").waitFor();
  }

  /** Goes to a field, and writes into it, over what is there. */
  async fill(name: string, text: string): Promise<void> {
    await this.goTo(name);
    await this.press("Control+a");
    await (text === "" ? this.press("Delete") : typeText(this.#page, text));
  }

  /** Sets a filter of a list, which scripts apply at once. @param set is done while its field has the focus. */
  async filter(name: string, set: () => Promise<void>): Promise<void> {
    if (!(await this.#page.getByLabel(name, { exact: true }).isVisible())) await this.follow("+ Filter");
    await this.goTo(name);
    await set();
    if (this.#options.look.hasScript) return;
    const before = this.#page.url();
    await this.follow("Show");
    // Otherwise what comes next may be looked for in the page that goes.
    await this.#page.waitForURL(({ href }) => href !== before);
  }

  /** Looks for something from any page: by the keys where scripts run, else by the page of the search. */
  async search(text: string): Promise<void> {
    const untyped = "Two letters find";
    if (this.#options.look.hasScript) {
      await this.press("Control+k");
      await typeText(this.#page, text);
    } else {
      await this.follow("Search");
      await this.sees(untyped);
      await this.fill("Pages, Hives, languages, keys and texts", text);
      await this.press("Enter");
    }
    // What is offered before anything is typed can have the same names, and goes when the results come.
    await this.#page.getByText(untyped).waitFor({ state: "hidden" });
  }

  /**
   * Has the browser send a file of this name, as somebody chooses it in a window of their system.
   * @param form a selector of CSS.
   */
  async choose(form: string, name: string, content: string): Promise<void> {
    const file = { name, mimeType: "text/plain", buffer: Buffer.from(content) };
    await this.#page.locator(`${form} input[type="file"]`).setInputFiles(file);
  }

  async press(key: string): Promise<void> {
    await this.#page.keyboard.press(key);
  }

  /** Signs in where that is asked for. */
  async signIn(token: string): Promise<void> {
    await this.sees("A token stands for you");
    await this.fill("Token", token);
    await this.press("Enter");
  }

  /** The texts of elements that a selector of CSS finds. */
  texts(selector: string): Promise<readonly string[]> {
    return this.#page.locator(selector).allTextContents();
  }

  /** The pages that were seen and have faults, with these. */
  faults(): readonly (readonly [page: string, faults: readonly string[]])[] {
    return [...this.#faults].filter(([, faults]) => faults.length > 0);
  }
}
