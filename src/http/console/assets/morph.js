/**
 * The one way in which a page becomes another: what is the same stays, with its focus, its place and what somebody has written
 * into it; what differs is changed.
 */
import { Idiomorph } from "idiomorph";
import { editForms, isDirty, restoreDrafts, writtenForms } from "./drafts.js";
import { showAges } from "./pages.js";

/** How often this page was changed: an answer that was asked for before the last time may be out of date. */
let changed = 0;

export function changes() {
  return changed;
}

/** The form that a page is the answer to. @type {Element | undefined} */
let answered;

/**
 * Shows what another page shows.
 * @param {Document} page
 * @param {Element} [form] the form that the page is the answer to: whatever is in it, it becomes what the page has of it.
 * @param {string} [part] a selector of the part that changes; the main part if not given.
 * @returns whether both pages have the part.
 */
export function showPage(page, form, part = "#main") {
  const [here, next] = [document, page].map((one) => one.querySelector(part));
  if (!here || !next) return false;
  changed++;
  answered = form;
  const selected = new Map(
    selectableRows(here).flatMap(({ box, row, seen }) => (box.checked ? [[row, seen]] : [])),
  );
  const own = form?.closest(".string")?.id;
  const listed = new Map(selectableRows(next).map(({ box, row, seen }) => [row, { place: box.value, seen }]));
  void Idiomorph.morph(here, next, {
    ignoreActiveValue: true,
    callbacks: {
      beforeNodeMorphed,
      beforeAttributeUpdated: (name, node, change) =>
        !(name === "open" && change === "remove" && node.matches(folded)),
      beforeNodeRemoved: (node) => node === answered || !isWritten(node),
    },
  });
  // A box says by its place in the list which string it is of, also in a row that stays as it was, such as one that somebody
  // writes in. What others have made of a string meanwhile is not what was selected; what the reader has written is.
  for (const { box, row } of selectableRows(here)) {
    const now = listed.get(row);
    box.disabled = now === undefined;
    box.value = now?.place ?? "";
    box.checked = now !== undefined && selected.has(row) && (row === own || selected.get(row) === now.seen);
  }
  showAges(here);
  restoreDrafts(here);
  return true;
}

/**
 * The rows of a list that can be selected, each with its box, and with what its form says was seen of it.
 * @returns {{ box: HTMLInputElement, row: string, seen: string | undefined }[]}
 */
function selectableRows(/** @type {Element} */ within) {
  const field = within.querySelector('form.bulk input[name="listed"]');
  /** @type {{ seen: string }[]} */
  const listed = JSON.parse(field instanceof HTMLInputElement ? field.value : "[]");
  return [...within.querySelectorAll('.string input[name="selected"]')].flatMap((box) =>
    box instanceof HTMLInputElement
      ? [{ box, row: box.closest(".string")?.id ?? "", seen: listed[Number(box.value)]?.seen }]
      : [],
  );
}

/** @returns whether a part of the page becomes the other; otherwise it is as it is to be. */
function beforeNodeMorphed(/** @type {Node} */ node, /** @type {Node} */ next) {
  if (!(node instanceof HTMLElement) || !(next instanceof HTMLElement)) return true;
  // A field that takes over another text takes over what can be undone in it, too.
  const isOther = node.matches(writtenForms) && node.dataset.draft !== next.dataset.draft;
  if (node === answered || isOther) {
    node.replaceWith(next);
    return false;
  }
  if (isWritten(node) || node.id === "last-answer") return false;
  if (node instanceof HTMLInputElement && node.matches(reasons)) return node.value === node.defaultValue;
  if (!node.matches(filters)) return true;
  node.toggleAttribute("aria-invalid", next.hasAttribute("aria-invalid"));
  return false;
}

/** The filters of a list that is filtered as they are filled in: they say what is looked for, and the page what was found. */
const filters = "form[data-live] :is(input, select)";

/** What somebody has unfolded stays so; a page has it folded. */
const folded = "details:is(.further, .found)";

/** Fields of decisions about several strings; what is typed into one is for the next decision. */
const reasons = 'form.bulk input:is([name="reason"], [name="tags"])';

/** Whether somebody writes in a row of a list, or has written into a form. */
function isWritten(/** @type {Node} */ node) {
  if (!(node instanceof HTMLElement)) return false;
  if (node.matches(".strings > .string"))
    return node.querySelector(`details.editing[open] > ${editForms}`) !== null;
  return node instanceof HTMLFormElement && node.matches(writtenForms) && isDirty(node);
}
