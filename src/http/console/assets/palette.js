/** A dialog that finds everything from the keyboard: it shows in front of any page what the page of the search has. */
import { asPage, errorOn, readPage } from "./pages.js";
import { t } from "./texts.js";

/** How long is waited for the next letter. */
const waitMs = 120;

/** The link to the page of the search, which is on every page of somebody who is signed in. */
function searchLink() {
  const link = document.querySelector("a[data-palette]");
  return link instanceof HTMLAnchorElement ? link : undefined;
}

/** @param {HTMLAnchorElement} link */
function makePalette(link) {
  const dialog = document.createElement("dialog");
  dialog.className = "palette";
  dialog.setAttribute("aria-label", link.dataset.palette ?? "");
  const field = document.createElement("input");
  field.type = "search";
  field.setAttribute("aria-label", link.dataset.palette ?? "");
  field.placeholder = link.dataset.palette ?? "";
  const found = document.createElement("div");
  found.setAttribute("aria-live", "polite");
  dialog.append(field, found);
  document.body.append(dialog);

  /** @type {AbortController | undefined} */
  let asked;
  const ask = async () => {
    asked?.abort();
    const own = (asked = new AbortController());
    await new Promise((resolve) => setTimeout(resolve, field.value === "" ? 0 : waitMs));
    if (own.signal.aborted) return;
    const address = new URL(link.href);
    address.searchParams.set("q", field.value);
    try {
      const response = await fetch(address, { headers: asPage, signal: own.signal });
      const page = await readPage(response);
      const results = page.getElementById("results");
      for (const one of results?.querySelectorAll("a") ?? [])
        one.href = new URL(one.getAttribute("href") ?? "", response.url).href;
      found.replaceChildren(...(response.ok && results !== null ? results.childNodes : [errorOn(page)]));
    } catch {
      if (!own.signal.aborted) found.replaceChildren(t("no_connection"));
    }
  };
  const links = () => [...found.querySelectorAll("a")];
  field.addEventListener("input", () => void ask());
  dialog.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const { key, target } = event;
    const all = links();
    const at = all.findIndex((one) => one === target);
    if (key === "Enter" && target === field) {
      event.preventDefault();
      all[0]?.click();
    }
    const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    (at + step < 0 ? field : all[Math.min(at + step, all.length - 1)])?.focus();
  });
  // A press beside it closes it.
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  return () => {
    dialog.showModal();
    field.value = "";
    field.focus();
    void ask();
  };
}

/** Offers it by its keys, and in place of the page of the search. */
export function offerPalette() {
  const link = searchLink();
  if (link === undefined) return;
  /** @type {(() => void) | undefined} */
  let open;
  const show = () => (open ??= makePalette(link))();
  document.addEventListener("keydown", (event) => {
    const isAsked =
      (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.code === "KeyK";
    if (!isAsked || event.isComposing || document.querySelector("dialog[open]") !== null) return;
    event.preventDefault();
    show();
  });
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show();
  });
}
