/** Pages whose figures the server was still counting when it made them. */
import { showPage } from "./morph.js";
import { asPage, readPage } from "./pages.js";

/** How often a page is asked for again whose figures are still counted, and how long is waited in between. */
const maxCounts = 30;
const countMs = 1000;

/** Fills in figures that the server was still counting when it made the page. */
export async function fillCounting() {
  for (let n = 1; n <= maxCounts && document.querySelector("[data-counting]") !== null; n++) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(n, 5) * countMs));
    const response = await fetch(location.href, { headers: asPage }).catch(() => undefined);
    if (response?.ok === true) showPage(await readPage(response));
  }
}
