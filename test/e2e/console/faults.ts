/** What is wrong with a page, as a machine can tell. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
/** Where pages run no script, timers never fire; axe only waits for other events to pass with them. */
const timersAtOnce =
  "globalThis.setTimeout = (run, ms) => { if (!(ms > 1000)) Promise.resolve().then(run); return 0; }";

/** Finds what axe does. @param hasScript whether the page may run scripts. */
export async function axeFaults(page: Page, hasScript = true): Promise<readonly string[]> {
  if ((await page.evaluate("globalThis.axe === undefined")) === true) {
    if (!hasScript) await page.evaluate(timersAtOnce);
    await page.evaluate(axe);
  }
  return runAxe(page);
}

/** Finds colours that can hardly be read on one another: what is left to decide on a page that others have made. */
export async function contrastFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return runAxe(page, { runOnly: ["color-contrast"] });
}

async function runAxe(page: Page, options: object = {}): Promise<readonly string[]> {
  const { violations }: AxeResults = await page.evaluate(`axe.run(${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
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
