/** Decisions that are made in a list: the page stays where it is, and the next row has the focus. */
import { dropDraft, writtenForms } from "./drafts.js";
import { showPage } from "./morph.js";
import { asPage, errorOn, leaveFor, noticeOn, readPage, say } from "./pages.js";
import { t } from "./texts.js";

/** Forms that decide something, and forms of comments, of whose text a draft is kept until the server has it. */
const forms = "form.inplace";

async function decide(/** @type {HTMLFormElement} */ form, /** @type {HTMLElement | null} */ button) {
  const fields = [...new FormData(form, button)].flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  );
  const row = form.closest(".string");
  const ids = [row?.id, row?.nextElementSibling?.id, row?.previousElementSibling?.id];
  form.dataset.saving = "";
  say(t("saving"), "busy");
  try {
    const response = await fetch(form.action, {
      method: "POST",
      headers: asPage,
      body: new URLSearchParams(fields),
    });
    const page = await readPage(response);
    if (!response.ok) {
      const why = page.getElementById("notice")?.textContent?.trim() ?? errorOn(page);
      // What it was about is another text by now. It is shown before it is said that there is something to look at.
      const now = await fetch(location.href, { headers: asPage }).catch(() => undefined);
      if (now?.ok) showPage(await readPage(now));
      say(t("not_saved_because", { why }), "wrong");
      return;
    }
    const said = noticeOn(page, response.url);
    if (form.matches(writtenForms)) dropDraft(form);
    // What was selected, and why, was for this decision.
    form.reset();
    const isHere = new URL(response.url).pathname === location.pathname;
    if (!isHere || !showPage(page, form)) return leaveFor(response.url, said);
    say(said.text, "done", said.undo);
    const next = ids.map((id) => document.getElementById(id ?? "")).find((one) => one !== null);
    const target = next?.querySelector(`${forms} button, summary`);
    if (row !== null && target instanceof HTMLElement) target.focus();
  } catch {
    say(t("not_saved_because", { why: t("no_connection") }), "wrong");
  } finally {
    delete form.dataset.saving;
  }
}

/** The box that was checked last. @type {HTMLInputElement | undefined} */
let last;

/** Shift and a click select all boxes between the last one and this one. */
function selectUpTo(/** @type {HTMLInputElement} */ box) {
  const boxes = [...document.querySelectorAll('input[name="selected"]')].filter(
    (one) => one instanceof HTMLInputElement,
  );
  const [from, to] = [last, box].map((one) => boxes.findIndex((other) => other === one));
  if (from === undefined || to === undefined || from === -1) return;
  for (const one of boxes.slice(Math.min(from, to), Math.max(from, to) + 1))
    one.checked = box.checked && !one.disabled;
}

/** Says on the button of a form how many of its boxes are checked. */
function countSelected(/** @type {ParentNode | null} */ form) {
  const count = form?.querySelector("[data-selected]");
  const boxes = form?.querySelectorAll('input[type="checkbox"]:checked') ?? [];
  if (count) count.textContent = boxes.length.toLocaleString(navigator.language);
}

/** Begins all of it. */
export function decideInPlace() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches(forms)) return;
    if (event.submitter?.dataset.leaves !== undefined) return;
    event.preventDefault();
    if (form.dataset.saving === undefined) void decide(form, event.submitter);
  });
  document.addEventListener("click", ({ target, shiftKey }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== "checkbox") return;
    if (target.name === "selected") {
      if (shiftKey) selectUpTo(target);
      last = target;
    }
    countSelected(target.form);
  });
  // Browsers check the boxes again that were checked when one comes back.
  addEventListener("pageshow", () => countSelected(document.querySelector("form:has([data-selected])")));
}
