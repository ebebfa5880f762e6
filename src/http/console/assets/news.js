/** Says that others have changed what a page shows, while somebody looks at it. */
import { asPage, readPage } from "./pages.js";

/** How often is asked, beside each time that somebody comes back to the page. */
const everyMs = 60_000;

/** Asks what is new since the page was made; it stays as it is until somebody wants to see that. */
export function tellNews() {
  setInterval(() => void ask(), everyMs);
  document.addEventListener("visibilitychange", () => void ask());
}

async function ask() {
  const main = document.getElementById("main");
  const address = main?.dataset.news;
  if (main === null || address === undefined || document.hidden) return;
  const response = await fetch(address, { headers: asPage }).catch(() => undefined);
  const news = response?.ok === true ? (await readPage(response)).getElementById("news") : null;
  // What is on the page may be newer by now.
  if (news === null || main.dataset.news !== address) return;
  news.querySelector("a")?.setAttribute("href", location.href);
  document.getElementById("news")?.remove();
  (main.querySelector(".tabs") ?? main.firstElementChild)?.after(document.adoptNode(news));
}
