/** What is wrong with a page, as a machine can tell. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { changeLook } from "./browser.ts";

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
/** Where pages run no script, timers never fire; axe only waits for other events to pass with them. */
const timersAtOnce =
  "globalThis.setTimeout = (run, ms) => { if (!(ms > 1000)) Promise.resolve().then(run); return 0; }";

async function loadAxe(page: Page, hasScript = true): Promise<void> {
  if ((await page.evaluate("globalThis.axe === undefined")) !== true) return;
  if (!hasScript) await page.evaluate(timersAtOnce);
  await page.evaluate(axe);
}

/** Finds what axe does. @param hasScript whether the page may run scripts. */
export async function axeFaults(page: Page, hasScript = true): Promise<readonly string[]> {
  await loadAxe(page, hasScript);
  // Of WCAG 2.2, and not among what axe looks for by default.
  return runAxe(page, { rules: { "target-size": { enabled: true } } });
}

/**
 * Finds what axe does but for colours, which {@link contrastOnce} looks at on many pages, and the size of targets, of
 * which {@link targetFaults} asks more in a tenth of the time.
 * @param hasScript whether the page may run scripts.
 */
export async function structureFaults(page: Page, hasScript = true): Promise<readonly string[]> {
  await loadAxe(page, hasScript);
  return runAxe(page, { rules: { "color-contrast": { enabled: false } } });
}

/** Finds colours that can hardly be read on one another: what is left to decide on a page that others have made. */
export async function contrastFaults(page: Page): Promise<readonly string[]> {
  await loadAxe(page);
  return runAxe(page, { runOnly: ["color-contrast"] });
}

/** The name of a mark by which axe finds the texts that are looked at. */
const asked = "data-contrast";

/**
 * Marks one text of each kind that was not looked at before, and gives the kinds. Texts are of one kind if they, and all that
 * they stand in, are drawn alike: what is seen of one is seen of all.
 * @param known the kinds that were looked at.
 */
const unseenKinds = (known: readonly string[]): string => `(() => {
  const known = new Set(${JSON.stringify(known)});
  const clear = "rgba(0, 0, 0, 0)";
  const drawn = new Map();
  /** How an element, and all that it stands in, is drawn below a text. */
  const groundOf = (element) => {
    if (element === null) return "";
    if (!drawn.has(element)) {
      const { backgroundColor, backgroundImage, opacity, position, filter, mixBlendMode } = getComputedStyle(element);
      const isSeen = backgroundColor !== clear || backgroundImage !== "none" || opacity !== "1" || filter !== "none" || mixBlendMode !== "normal" || !/static|relative/.test(position);
      const own = isSeen ? [backgroundColor, backgroundImage, opacity, position, filter, mixBlendMode].join(",") + ";" : "";
      drawn.set(element, own + groundOf(element.parentElement));
    }
    return drawn.get(element);
  };
  const kinds = [];
  for (const each of document.querySelectorAll("[${asked}]")) each.removeAttribute("${asked}");
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const elements = new Set(document.querySelectorAll("input, select, textarea"));
  while (texts.nextNode() !== null) if (texts.currentNode.data.trim() !== "") elements.add(texts.currentNode.parentElement);
  for (const element of elements) {
    // Axe leaves out what is not seen, and what is disabled.
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || element.closest(".visually-hidden, .skip, :disabled") !== null) continue;
    const { width, height } = element.getBoundingClientRect();
    if (width === 0 || height === 0) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const kind = [color, fontSize, fontWeight, textShadow, element.matches("input, select, textarea"), groundOf(element)].join(" ");
    if (known.has(kind)) continue;
    known.add(kind);
    element.setAttribute("${asked}", kinds.push(kind) - 1);
  }
  return kinds;
})()`;

/**
 * Finds the same on many pages: axe takes longer to look at the texts of a page than to load it, and most of them are drawn as
 * those of the page before.
 * @returns looks at a page, at those of its texts that are drawn as none that axe could decide about.
 */
export function contrastOnce(): (page: Page, hasScript?: boolean) => Promise<readonly string[]> {
  const known = new Set<string>();
  return async (page, hasScript = true) => {
    const kinds: readonly string[] = await page.evaluate(unseenKinds([...known]));
    if (kinds.length === 0) return [];
    await loadAxe(page, hasScript);
    const { violations, incomplete } = await askAxe(page, { runOnly: ["color-contrast"] }, [`[${asked}]`]);
    const undecided = new Set(incomplete.map(({ html }) => new RegExp(`${asked}="(\\d+)"`).exec(html)?.[1]));
    for (const [index, kind] of kinds.entries()) if (!undecided.has(String(index))) known.add(kind);
    return violations.map(({ id, html }) => `${id}: ${html}`);
  };
}

interface Found {
  readonly id: string;
  readonly html: string;
}

async function runAxe(page: Page, options: RunOptions = {}): Promise<readonly string[]> {
  const { violations } = await askAxe(page, options);
  return violations.map(({ id, html }) => `${id}: ${html}`);
}

/** @param within the selectors of what is looked at; the whole page if not given. */
function askAxe(
  page: Page,
  options: RunOptions,
  within?: readonly string[],
): Promise<Record<"violations" | "incomplete", readonly Found[]>> {
  // Otherwise axe describes every element of every rule that holds, which takes longer than to look for faults.
  const run: RunOptions = { ...options, resultTypes: ["violations", "incomplete"], selectors: false };
  const context = within === undefined ? "document" : JSON.stringify({ include: within });
  return page.evaluate(`axe.run(${context}, ${JSON.stringify(run)}).then(({ violations, incomplete }) => {
    const found = (rules) => rules.flatMap(({ id, nodes }) => nodes.map(({ html }) => ({ id, html })));
    return { violations: found(violations), incomplete: found(incomplete) };
  })`);
}

/** Whether a page is wider than its window, or a cell of a table too narrow for what is in it. */
export async function widthFaults(page: Page): Promise<readonly string[]> {
  const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  const cells: readonly string[] = await page.evaluate(
    `Array.from(document.querySelectorAll("td, tbody th"))
      .filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
      .map((cell) => "too narrow: " + cell.textContent)`,
  );
  return isWide === true ? ["wider than the window", ...cells] : cells;
}

/** The least width and height of what is pressed, in pixels of CSS. */
const leastTarget = 24;

/**
 * What can be pressed and is smaller than a finger or a shaking hand needs. A checkbox or a radio button is as large as
 * its label, and links in a sentence are as high as its lines are apart.
 */
const smallTargets = `(() => {
  // The script turns an age into the time, and back.
  const targets = "a[href], button, summary, select, textarea, input:not([type=hidden]), time[data-ago][title]";
  const isLetter = /\\p{L}/u;
  /** Whether there are words around it, in the block that it stands in. */
  const isInSentence = (target) => {
    if (getComputedStyle(target).display !== "inline") return false;
    let block = target.parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    while (texts.nextNode() !== null) {
      const { currentNode: { data, parentElement: parent } } = texts;
      if (isLetter.test(data) && parent.closest(targets + ", .visually-hidden, time") === null) return true;
    }
    return false;
  };
  return Array.from(document.querySelectorAll(targets)).flatMap((target) => {
    if (!target.checkVisibility({ visibilityProperty: true }) || target.closest(".visually-hidden, .skip") !== null) return [];
    const whole = target.type === "checkbox" || target.type === "radio" ? target.closest("label") ?? target : target;
    const { width, height } = whole.getBoundingClientRect();
    if (width === 0 || height === 0 || isInSentence(target)) return [];
    // Scaled screens have fractions of pixels.
    if (Math.min(width, height) >= ${leastTarget} - 0.1) return [];
    return ["too small (" + width.toFixed(1) + " x " + height.toFixed(1) + "): " + target.outerHTML.slice(0, 200)];
  });
})()`;

/** Finds what can be pressed and is smaller than WCAG 2.5.8 asks for. */
export function targetFaults(page: Page): Promise<readonly string[]> {
  return page.evaluate(smallTargets);
}

const looks = {
  "light and wide": { colorScheme: "light", width: 1440 },
  "dark and narrow": { colorScheme: "dark", width: 320 },
} as const;

/** What is wrong with a page in each look: by axe, in the size of its targets, or wider than the window. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [name, look] of Object.entries(looks)) {
    await changeLook(page, look);
    const found = [...(await axeFaults(page)), ...(await targetFaults(page)), ...(await widthFaults(page))];
    faults.push(...found.map((one) => `${name}: ${one}`));
  }
  return faults;
}
