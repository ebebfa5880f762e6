/** Lists that change in place. A row in which somebody writes is never taken away or moved, and the focus stays in its row. */
import { asPage, errorOn, readPage, say, showAges } from "./pages.js";
import { t } from "./texts.js";
import { restoreDrafts } from "./drafts.js";

/** How often a list was replaced: an answer that was asked for before the last time may be out of date. */
let replaced = 0;

/** Shows in the list of this page what another page lists. @returns whether both have a list. */
export function patchList(/** @type {Document} */ page) {
  const found = document.getElementById("found");
  const list = found?.querySelector(".strings");
  const next = page.getElementById("found");
  const nextList = next?.querySelector(".strings");
  if (!found || !list || !next || !nextList) return false;
  replaced++;
  const focused = list.contains(document.activeElement) ? document.activeElement?.closest(".string") : null;
  const kept = new Map();
  for (const row of Array.from(list.children)) {
    if (row.querySelector("details.editing[open]") === null) row.remove();
    else kept.set(row.id, row);
  }
  /** @type {Element | null} */
  let following = null;
  for (const row of Array.from(nextList.children).toReversed()) {
    const same = kept.get(row.id);
    if (same === undefined) list.insertBefore(row, following);
    following = same ?? row;
  }
  for (const other of Array.from(found.children)) if (other !== list) other.remove();
  let isBefore = true;
  for (const other of Array.from(next.children)) {
    if (other === nextList) isBefore = false;
    else if (isBefore) list.before(other);
    else found.append(other);
  }
  showAges(found);
  restoreDrafts(found);
  if (focused?.isConnected === false) document.getElementById(focused.id)?.querySelector("summary")?.focus();
  return true;
}

/** Says beside each filter what is wrong with it, as another page does. */
function patchProblems(/** @type {Document} */ page) {
  for (const problem of page.querySelectorAll(".problem")) {
    document.getElementById(problem.id)?.replaceChildren(...problem.childNodes);
    const fields = document.querySelectorAll(`[aria-describedby="${problem.id}"]`);
    const isWrong = page.querySelector(`[aria-describedby="${problem.id}"][aria-invalid]`) !== null;
    for (const field of fields) field.toggleAttribute("aria-invalid", isWrong);
  }
}

/** Lists what filters find as they are filled in; without this, their button does. */
export function filterLive() {
  for (const form of document.querySelectorAll("form[data-live]")) {
    if (!(form instanceof HTMLFormElement)) continue;
    /** @type {AbortController | undefined} */
    let asked;
    const current = () => {
      const fields = [...new FormData(form)].flatMap(([name, value]) =>
        typeof value === "string" && value !== "" ? [[name, value]] : [],
      );
      return `${form.action.replace(/\?.*/, "")}?${new URLSearchParams(fields)}`;
    };
    let last = current();
    /** @returns {Promise<void>} */
    const ask = async () => {
      const address = current();
      // Leaving a field tells of a change that was asked about while it was typed.
      if (address === last) return;
      last = address;
      asked?.abort();
      asked = new AbortController();
      const { signal } = asked;
      await new Promise((resolve) => setTimeout(resolve, 150));
      if (signal.aborted) return;
      const before = replaced;
      try {
        const response = await fetch(address, { headers: asPage, signal });
        const page = await readPage(response);
        if (replaced !== before) {
          last = "";
          return await ask();
        }
        if (page.querySelector("form[data-live]") === null)
          say(t("not_listed", { why: errorOn(page) }), "wrong");
        else patchProblems(page);
        if (!response.ok || !patchList(page)) return;
        say("", "done");
        history.replaceState(null, "", address);
      } catch {
        if (signal.aborted) return;
        last = "";
        say(t("not_listed", { why: t("no_connection") }), "wrong");
      }
    };
    form.addEventListener("input", ({ target }) => {
      if (!isHalfTyped(target)) void ask();
    });
    form.addEventListener("change", () => void ask());
  }
}

/** Whether a field is one of those that find nothing by a part of what they are for, and nothing whole was chosen. */
function isHalfTyped(/** @type {EventTarget | null} */ field) {
  if (!(field instanceof HTMLInputElement) || field.dataset.whole === undefined || field.value === "")
    return false;
  return ![...(field.list?.options ?? [])].some(({ value }) => value === field.value);
}
