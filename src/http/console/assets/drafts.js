/**
 * What was written and not yet saved. It is kept in the browser, for this tab alone, until the server has answered: so it
 * survives a reload, a change of the filters, and signing in again.
 */

import { t } from "./texts.js";

const prefix = "skep-draft:";

/** The forms that change a translation. */
export const editForms = "form.edit";

/** The forms of which drafts are kept: those, and what people say about a string. */
export const writtenForms = `${editForms}, form.comment`;

/** A field of a form. */
export function fieldOf(/** @type {HTMLFormElement} */ form, /** @type {string} */ name) {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field;
  throw new Error(`There is no field ${name}.`);
}

/** The fields into which texts are written: one, or one for each plural form. */
export function textsOf(/** @type {HTMLFormElement} */ form) {
  return [...form.querySelectorAll("textarea")];
}

/** A field's name in drafts, which is the same wherever the form stands; that of a text names its plural form. */
export function keyOf(/** @type {HTMLInputElement | HTMLTextAreaElement} */ { dataset, name }) {
  return dataset.form === undefined ? name : `${name} ${dataset.form}`;
}

/** What is written into a form now. @returns {Record<string, string>} */
export function valuesOf(/** @type {HTMLFormElement} */ form) {
  return Object.fromEntries(keptFields(form).map((field) => [keyOf(field), field.value]));
}

/** The fields of a form that were written into since it was sent. @param sent its values then. */
export function writtenSince(
  /** @type {HTMLFormElement} */ form,
  /** @type {Record<string, string>} */ sent,
) {
  return keptFields(form).filter((field) => field.value !== sent[keyOf(field)]);
}

/** Puts what was written since a form was sent into its next version. */
export function carryOver(
  /** @type {HTMLFormElement} */ form,
  /** @type {HTMLFormElement} */ next,
  /** @type {Record<string, string>} */ sent,
) {
  const fields = new Map(keptFields(next).map((field) => [keyOf(field), field]));
  for (const written of writtenSince(form, sent)) {
    const field = fields.get(keyOf(written));
    if (field !== undefined) field.value = written.value;
  }
}

/** The form of another page that changes the same texts. */
export function sameForm(/** @type {HTMLFormElement} */ form, /** @type {Document} */ page) {
  const forms = [...page.querySelectorAll(editForms)];
  return forms.find((one) => one instanceof HTMLFormElement && nameOf(one) === nameOf(form));
}

/** What is kept of a form: all that is written, and what the server had when it was begun. */
export function keptFields(/** @type {HTMLFormElement} */ form) {
  return [...textsOf(form), ...form.querySelectorAll('input[name="message"], input[name="seen"]')].filter(
    (field) => field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement,
  );
}

function nameOf(/** @type {HTMLFormElement} */ form) {
  const { pathname, search, searchParams } = new URL(form.action);
  // The page of work has its filters in its address; of these, only the branch says which text is meant.
  const branch = searchParams.get("branch");
  const place = branch === null ? "" : `?${new URLSearchParams({ branch })}`;
  const own = form.dataset.draft === undefined ? search : `${place} ${form.dataset.draft}`;
  const locale = form.matches(editForms) ? ` ${fieldOf(form, "locale").value}` : "";
  return `${prefix}${pathname}${own}${locale}`;
}

/**
 * The button that belongs to a field and not to its whole form: a part of the form may have a text of its own, such as the
 * reason of a rejection.
 */
export function ownButton(/** @type {HTMLFormElement} */ form, /** @type {Element} */ field) {
  const part = field.closest("details");
  const button = part !== null && form.contains(part) ? part.querySelector('button[name="change"]') : null;
  return button instanceof HTMLButtonElement ? button : null;
}

/** Whether there is something in a form that is not saved. */
export function isDirty(/** @type {HTMLFormElement} */ form) {
  const written = keptFields(form).filter(({ name }) => name !== "seen");
  return form.dataset.unsaved !== undefined || written.some((field) => field.value !== field.defaultValue);
}

/** Keeps what is in a form, with what the server had when it was begun. */
export function keepDraft(/** @type {HTMLFormElement} */ form) {
  if (!isDirty(form)) return dropDraft(form);
  try {
    sessionStorage.setItem(nameOf(form), JSON.stringify(valuesOf(form)));
  } catch {
    // There is no room, or no right to it: the form itself has the text still.
  }
}

export function dropDraft(/** @type {HTMLFormElement} */ form) {
  sessionStorage.removeItem(nameOf(form));
  form.querySelector(".restored")?.remove();
}

/** Opens the forms for which there are drafts, with these in them. */
export function restoreDrafts(/** @type {ParentNode} */ within) {
  for (const form of within.querySelectorAll(writtenForms)) {
    if (!(form instanceof HTMLFormElement)) continue;
    if (form.dataset.unsaved !== undefined) continue;
    const draft = JSON.parse(sessionStorage.getItem(nameOf(form)) ?? "null") ?? {};
    // A draft may be of other forms of a plural.
    const isOfForm = textsOf(form).every((text) => text.name !== "text" || keyOf(text) in draft);
    if (!isOfForm) continue;
    const written = writtenSince(form, { ...valuesOf(form), ...draft });
    for (const field of written) field.value = draft[keyOf(field)];
    if (written.some(({ name }) => name !== "seen")) {
      const mark = document.createElement("p");
      mark.className = "notice warn restored";
      mark.textContent = t("restored");
      form.prepend(mark);
    }
    const details = form.closest("details");
    if (details === null || details.open) continue;
    details.dataset.restored = "";
    details.open = true;
  }
}

/** Keeps drafts as they are written, and asks before a page is left on which there are any. */
export function keepDrafts() {
  document.addEventListener("input", ({ target }) => {
    const form = target instanceof HTMLElement ? target.closest(writtenForms) : null;
    if (form instanceof HTMLFormElement) keepDraft(form);
  });
  window.addEventListener("beforeunload", (event) => {
    const forms = [...document.querySelectorAll(writtenForms)];
    if (forms.some((form) => form instanceof HTMLFormElement && isDirty(form))) event.preventDefault();
  });
  // Whoever uses this browser next must not find them.
  document.addEventListener("submit", ({ target }) => {
    if (!(target instanceof HTMLFormElement) || !target.action.endsWith("/sign-out")) return;
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(prefix)) sessionStorage.removeItem(name);
  });
}
