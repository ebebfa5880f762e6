/** Shows what checks find in a translation while it is written: by the function that the server checks it with. */
import { t, textOf } from "./texts.js";

/** @typedef {typeof import("../../../domain/glossary/text-checks.ts")} Checks */

/** @type {Promise<Checks> | undefined} */
let loading;

/** @returns {Promise<Checks>} */
function load(/** @type {string} */ address) {
  return (loading ??= import(new URL(address, location.href).href));
}

/** Lists findings below the fields of forms that say how their text is checked. */
export function findAsTyped() {
  const script = document.querySelector("script[data-checks]");
  const address = script instanceof HTMLElement ? script.dataset.checks : undefined;
  if (address === undefined) return;
  document.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLTextAreaElement && target.name === "text") void show(target, address);
  });
}

async function show(/** @type {HTMLTextAreaElement} */ field, /** @type {string} */ address) {
  const place = field.closest(".form-field") ?? field.form;
  const list = place?.querySelector("[data-check]");
  if (!(list instanceof HTMLElement)) return;
  const { findingsWithHints, lengthIn } = await load(address);
  /** @type {Parameters<Checks["findingsWithHints"]>[0]} */
  const checks = JSON.parse(list.dataset.check ?? "");
  const length = place?.querySelector(".length");
  if (length && checks.limit !== undefined) {
    const { most, unit } = checks.limit;
    length.textContent = t(`length_in_${unit}`, { length: lengthIn(checks.limit, field.value), most });
  }
  // What is stored was checked by the server, which knows the false alarms that were accepted.
  const isStored = field.value === field.defaultValue;
  const found = isStored ? [] : findingsWithHints(checks, field.value);
  const stored = list.previousElementSibling;
  if (stored instanceof HTMLUListElement) stored.hidden = !isStored;
  list.replaceChildren(
    ...found.map((finding) => {
      const item = document.createElement("p");
      const mark = document.createElement("span");
      mark.className = `mark ${{ error: "failing", warning: "stale", hint: "none" }[finding.severity]}`;
      mark.textContent = textOf(finding);
      // An English one may begin with an Arabic argument.
      if (mark.textContent === finding.message) mark.dir = "ltr";
      item.append(mark);
      return item;
    }),
  );
}
