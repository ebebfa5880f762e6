/** Saves translations without leaving the page. Nothing that was written goes before the server has taken it. */
import {
  carryOver,
  dropDraft,
  editForms,
  fieldOf,
  keepDraft,
  keepDrafts,
  keptFields,
  keyOf,
  ownButton,
  restoreDrafts,
  sameForm,
  textsOf,
  valuesOf,
  writtenSince,
} from "./drafts.js";
import { showPage } from "./morph.js";
import { t } from "./texts.js";
import { askAhead, showNext } from "./translate.js";
import { asPage, errorOn, leaveFor, noticeOn, readPage, say, sayAgain } from "./pages.js";

/** How long the server has to answer, and to how long after a failure saving is tried again. */
const patienceMs = 30_000;
const longestWaitMs = 30_000;
/** Answers of servers that may take the same form a little later. */
const passing = new Set([429, 502, 503, 504]);

/** The next try of forms that could not be saved. @type {Map<HTMLFormElement, () => void>} */
const tries = new Map();

/** Saves forms as they are sent. */
function saveInPlace() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches(editForms)) return;
    event.preventDefault();
    if (form.dataset.saving === undefined) void save(form, event.submitter, 0);
  });
  window.addEventListener("online", () => {
    for (const again of tries.values()) again();
  });
}

async function save(
  /** @type {HTMLFormElement} */ form,
  /** @type {HTMLElement | null} */ button,
  /** @type {number} */ failures,
) {
  tries.delete(form);
  if (!form.isConnected) return;
  form.dataset.saving = "";
  const sent = valuesOf(form);
  const body = new URLSearchParams(
    [...new FormData(form, button)].map(([name, value]) => [name, typeof value === "string" ? value : ""]),
  );
  if (leavesText(button)) body.set("without_text", "yes");
  say(t("saving"), "busy");
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const response = await fetch(form.action, { method: "POST", headers: asPage, body, signal });
    const page = await readPage(response);
    if (passing.has(response.status)) failed(form, button, failures, errorOn(page));
    else if (!response.ok) refused(form, sent, page, response.status);
    else if (button instanceof HTMLButtonElement && /^(suggest|shape)$/.test(button.name))
      suggested(form, sent, page, button.name);
    else if (leavesText(button) || writtenSince(form, sent).length === 0)
      saved(form, button, page, response.url);
    else await savedBefore(form, sent, page);
  } catch {
    failed(form, button, failures, t("no_connection"));
  } finally {
    delete form.dataset.saving;
  }
}

/**
 * Whether a button does not send the text in its form, which may have been changed; this browser keeps it.
 * @returns {button is HTMLButtonElement}
 */
function leavesText(/** @type {HTMLElement | null} */ button) {
  return (
    button instanceof HTMLButtonElement && /^(skip|unskip|ask|reject|confirm|remove)$/.test(button.value)
  );
}

/** Stays in a form that was written into while it was saved. It goes on from what was saved. */
async function savedBefore(
  /** @type {HTMLFormElement} */ form,
  /** @type {Record<string, string>} */ sent,
  /** @type {Document} */ page,
) {
  let same = sameForm(form, page);
  if (same === undefined) {
    // The page of work has gone on to the next string, and a list may no longer have this one.
    const address = new URL(form.action);
    if (form.dataset.draft !== undefined) address.searchParams.set("at", form.dataset.draft);
    const response = await fetch(address, { headers: asPage }).catch(() => undefined);
    same = response?.ok === true ? sameForm(form, await readPage(response)) : undefined;
  }
  takeSeen(form, same, (text) => sent[keyOf(text)]);
  for (const text of textsOf(form)) if (text.name === "text") text.defaultValue = sent[keyOf(text)] ?? "";
  delete form.dataset.unsaved;
  form.parentElement?.querySelector(".refusal")?.remove();
  keepDraft(form);
  say(t("saved_before"), "wrong");
}

/** Goes on from what the server has now, if this change has left it so: a text of somebody else stays a conflict. */
function takeSeen(
  /** @type {HTMLFormElement} */ form,
  /** @type {Element | undefined} */ same,
  /** @type {(text: HTMLTextAreaElement) => string | undefined} */ stored,
) {
  if (!(same instanceof HTMLFormElement)) return;
  const now = textsOf(same).map((text) => text.defaultValue);
  const isOwn = textsOf(form).every((text, i) => text.name !== "text" || now[i] === stored(text));
  if (isOwn) fieldOf(form, "seen").value = fieldOf(same, "seen").value;
}

/** Keeps the form as it is, and sends it again after a while, or when the browser is back. */
function failed(
  /** @type {HTMLFormElement} */ form,
  /** @type {HTMLElement | null} */ button,
  /** @type {number} */ failures,
  /** @type {string} */ why,
) {
  keepDraft(form);
  say(t("not_saved_yet", { why }), "wrong");
  const again = () => {
    clearTimeout(timer);
    if (tries.get(form) === again) void save(form, button, failures + 1);
  };
  const timer = setTimeout(again, Math.min(longestWaitMs, 1000 * 2 ** failures));
  tries.set(form, again);
}

/** Shows the page as it is after a change, and goes on to the next row of a list. */
function saved(
  /** @type {HTMLFormElement} */ form,
  /** @type {HTMLElement | null} */ button,
  /** @type {Document} */ page,
  /** @type {string} */ address,
) {
  const row = form.closest(".string");
  const details = form.closest("details");
  const ids = [details?.id, row?.id, row?.nextElementSibling?.id];
  if (leavesText(button)) {
    for (const field of keptFields(form)) {
      if (field.name !== "text" && field.name !== "seen") field.value = field.defaultValue;
    }
    const isRemoved = button.value === "remove";
    takeSeen(form, sameForm(form, page), (text) => (isRemoved ? "" : text.defaultValue));
    keepDraft(form);
  } else dropDraft(form);
  form.reset();
  delete form.dataset.unsaved;
  details?.removeAttribute("open");
  const said = noticeOn(page, address);
  if (showNext(page, address)) return say(said.text, "done", said.undo);
  if (new URL(address).pathname !== location.pathname || !showPage(page, form))
    return leaveFor(address, said);
  say(said.text, "done", said.undo);
  const next = ids
    .map((id) => document.getElementById(id ?? ""))
    .find((place) => place?.isConnected)
    ?.querySelector("summary");
  // Where nothing is left to translate, the next thing to do is another search.
  (next ?? search())?.focus();
}

/** Shows what an engine suggests, or the text as one; what was written meanwhile stays. */
function suggested(
  /** @type {HTMLFormElement} */ form,
  /** @type {Record<string, string>} */ sent,
  /** @type {Document} */ page,
  /** @type {string} */ asked,
) {
  const next = sameForm(form, page);
  if (next instanceof HTMLFormElement) carryOver(form, next, sent);
  if (!showNext(page, undefined)) {
    if (!(next instanceof HTMLFormElement)) return say(t("not_saved"), "wrong");
    form.parentElement?.querySelector(".refusal")?.remove();
    form.replaceWith(next);
    keepDraft(next);
    textsOf(next)[0]?.focus();
  }
  if (asked === "suggest") askAhead();
  say(asked === "suggest" ? t("suggested") : "", "busy");
}

/** Shows why a form was not taken: in it, with what is there now, or for an ended session with the way back. */
function refused(
  /** @type {HTMLFormElement} */ form,
  /** @type {Record<string, string>} */ sent,
  /** @type {Document} */ page,
  /** @type {number} */ status,
) {
  const details = form.closest("details");
  const again = page.querySelector("details:has(.refusal)");
  const next = (again ?? page.querySelector(".desk-work"))?.querySelector(editForms);
  if (next instanceof HTMLFormElement) carryOver(form, next, sent);
  if (showNext(page, undefined)) return say(t("not_saved"), "wrong");
  if (details !== null && again !== null && next instanceof HTMLFormElement) {
    again.id = details.id;
    details.replaceWith(again);
    keepDraft(next);
    textsOf(next)[0]?.focus();
    return say(t("not_saved"), "wrong");
  }
  keepDraft(form);
  // The page of the error sends whoever has no script to another tab, where their text would be lost in this one.
  if (status !== 401) return say(t("not_saved_because", { why: errorOn(page) }), "wrong");
  say(t("session_ended"), "wrong");
  offerSignIn(form);
}

/** A way to sign in that comes back to this page, where drafts are opened again. */
function offerSignIn(/** @type {HTMLFormElement} */ form) {
  const link = document.createElement("a");
  const home = document.querySelector("a.brand")?.getAttribute("href") ?? "/";
  const root = new URL(home, location.href);
  const query = new URLSearchParams(location.search);
  // The page of work would show another string to a new session.
  if (form.classList.contains("work") && form.dataset.draft !== undefined)
    query.set("at", form.dataset.draft);
  const here = `${location.pathname.slice(root.pathname.length)}?${query}`;
  link.href = `${home}?${new URLSearchParams({ to: here })}`;
  link.textContent = t("sign_in_again");
  document.getElementById("status")?.append(" ", link);
}

/** The field of a list's search. */
function search() {
  const field = document.querySelector('input[type="search"]');
  return field instanceof HTMLInputElement ? field : undefined;
}

/** `/` leads to the search; Escape closes a form; Ctrl and Enter send it. */
function offerKeys() {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    // What belongs to an input method is no command.
    if (event.isComposing || !(target instanceof HTMLElement)) return;
    if (key === "/" && !target.matches("input, textarea, select") && search() !== undefined) {
      event.preventDefault();
      search()?.focus();
    }
    const form = target.closest(editForms);
    if (!(form instanceof HTMLFormElement)) return;
    if (form.classList.contains("work")) return;
    if (key === "Enter" && (event.ctrlKey || event.metaKey))
      form.requestSubmit(ownButton(form, target) ?? form.querySelector("button.primary"));
    if (key !== "Escape") return;
    const details = form.closest("details");
    details?.removeAttribute("open");
    details?.querySelector("summary")?.focus();
  });
  // A form that somebody opens is for writing.
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.open) return;
      const wasRestored = target.dataset.restored !== undefined;
      delete target.dataset.restored;
      const fields = [...target.querySelectorAll("textarea")];
      const field = fields.find((one) => one.closest("details") === target) ?? null;
      // Whoever is quicker than this event is left where they write.
      if (wasRestored || field === null || target.querySelector(":focus:not(summary)") !== null) return;
      field.focus();
      field.setSelectionRange(field.value.length, field.value.length);
    },
    true,
  );
}

/** Begins all of it. */
export function startEditing() {
  saveInPlace();
  offerKeys();
  keepDrafts();
  restoreDrafts(document);
  sayAgain();
}
