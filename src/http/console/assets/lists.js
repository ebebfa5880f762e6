/** Lists that are filtered as their filters are filled in. */
import { changes, showPage } from "./morph.js";
import { asPage, errorOn, readPage, say } from "./pages.js";
import { t } from "./texts.js";

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
      const before = changes();
      try {
        const response = await fetch(address, { headers: asPage, signal });
        const page = await readPage(response);
        if (changes() !== before) {
          last = "";
          return await ask();
        }
        // What is wrong stands beside the filter, and the list stays.
        const part = response.ok ? "#main" : "form[data-live]";
        if (page.querySelector("form[data-live]") === null || !showPage(page, undefined, part))
          return say(t("not_listed", { why: errorOn(page) }), "wrong");
        if (!response.ok) return;
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
