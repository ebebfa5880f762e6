/** The page of work, by keyboard: what each key does is on the page. */
import { fieldOf, keepDraft, ownButton, textsOf } from "./drafts.js";
import { showPage } from "./morph.js";
import { asPage, readPage, say } from "./pages.js";
import { t } from "./texts.js";

/** The field that was written into last. @type {HTMLTextAreaElement | undefined} */
let lastField;

function workForm() {
  const form = document.querySelector("form.work");
  return form instanceof HTMLFormElement ? form : undefined;
}

/** Whether somebody writes into a field, or did last: the first has the focus before a script can hear of it. */
function isWrittenInto(/** @type {Element} */ field) {
  return field === document.activeElement || field === lastField;
}

/** The field that texts are inserted into. */
function targetField(/** @type {HTMLFormElement} */ form) {
  const fields = textsOf(form).filter(({ name }) => name === "text");
  return fields.find(isWrittenInto) ?? fields.find(({ value }) => value === "") ?? fields[0];
}

/**
 * Shows the string of another page of work in this one, and writes its address into the bar.
 * @param page the response to the form.
 * @param address where it is from; undefined where nothing was saved, and the same string is shown again.
 * @param isOther whether another string is shown although nothing was saved.
 * @returns whether both are pages of work.
 */
export function showNext(
  /** @type {Document} */ page,
  /** @type {string | undefined} */ address,
  isOther = false,
) {
  if ([document, page].some((one) => one.querySelector(".desk") === null)) return false;
  if (!showPage(page, workForm())) return false;
  if (address !== undefined) visit(address);
  begin();
  const form = workForm();
  if (address === undefined && !isOther && form !== undefined) keepDraft(form);
  return true;
}

/** How many strings of this page the browser's Back goes through. */
function depth() {
  const { state } = history;
  return typeof state === "object" && state !== null && typeof state.depth === "number" ? state.depth : 0;
}

/**
 * Gives the page the address of the string that it shows, so that it can be shared, loaded again and gone back to.
 * @param address where the page is from, which may name only the string before.
 */
function visit(/** @type {string} */ address) {
  const url = new URL(address);
  const shown = workForm()?.dataset.draft;
  if (shown !== undefined) url.searchParams.set("at", shown);
  if (url.href !== location.href) history.pushState({ depth: depth() + 1 }, "", url);
}

/** Goes on to another string without an answer; what was written stays as a draft. */
async function walk(/** @type {string} */ address) {
  try {
    const response = await fetch(address, { headers: asPage });
    const page = await readPage(response);
    if (!response.ok || !showNext(page, response.url, true)) location.assign(address);
  } catch {
    say(t("no_connection"), "wrong");
  }
}

/** Shows the string of the address again, to which the browser went back or forward. */
async function revisit() {
  const response = await fetch(location.href, { headers: asPage }).catch(() => undefined);
  const page = response?.ok === true ? await readPage(response) : undefined;
  if (page === undefined || !showNext(page, undefined, true)) location.reload();
}

function begin() {
  const desk = document.querySelector(".desk");
  if (!(desk instanceof HTMLElement)) return;
  lastField = undefined;
  const form = workForm();
  if (form === undefined) return;
  const { draft: name = "" } = form.dataset;
  if (name !== present.name) present = { name, since: performance.now() };
  nameApproval(form);
  const wrong = form.querySelector("[aria-invalid]");
  const field = wrong instanceof HTMLTextAreaElement ? wrong : targetField(form);
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
  // What was in the field before the first key has its length, too.
  field?.dispatchEvent(new Event("input", { bubbles: true }));
  askByItself(form);
}

/** Asks an engine that is asked without a key, where nothing is written yet. */
function askByItself(/** @type {HTMLFormElement} */ form) {
  const button = form.querySelector("button[data-auto]");
  const fields = form.querySelectorAll('textarea[name="text"]');
  const isEmpty = [...fields].every((one) => one instanceof HTMLTextAreaElement && one.value === "");
  if (button instanceof HTMLButtonElement && isEmpty) form.requestSubmit(button);
}

/** Asks for the suggestion of the next string, which the server keeps: never for more than that one. */
export function askAhead() {
  const form = workForm();
  const button = form?.querySelector("button[data-ahead]");
  if (form === undefined || !(button instanceof HTMLButtonElement)) return;
  const [formKey, locale] = [fieldOf(form, "form_key").value, fieldOf(form, "locale").value];
  const next = JSON.parse(button.dataset.ahead ?? "{}");
  const body = new URLSearchParams({ ...next, form_key: formKey, locale, ahead: button.value });
  // Without an answer, the string is asked for when it is opened.
  fetch(form.action, { method: "POST", headers: asPage, body, redirect: "manual" }).catch(() => undefined);
}

/** Inserts a text into the field of the page of work. */
function insert(/** @type {string} */ text, /** @type {boolean} */ isWhole) {
  const form = workForm();
  const field = form && targetField(form);
  if (field !== undefined) insertInto(field, text, isWhole);
}

/** Inserts a text where the cursor is, as if it was typed, so that it can be taken back. */
function insertInto(
  /** @type {HTMLTextAreaElement} */ field,
  /** @type {string} */ text,
  /** @type {boolean} */ isWhole,
) {
  // For no text, it would take away what is selected.
  if (field.readOnly || text === "") return;
  field.focus();
  if (isWhole) field.select();
  if (!document.execCommand("insertText", false, text)) {
    field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/** The source text that belongs to the field that is written into. */
function sourceOf(/** @type {HTMLTextAreaElement | undefined} */ field) {
  const source = field?.closest(".form-field")?.querySelector("[data-source]");
  return source instanceof HTMLElement ? source : undefined;
}

function press(/** @type {string} */ selector) {
  const found = document.querySelector(selector);
  if (found instanceof HTMLElement) found.click();
}

/** Opens a further answer, to write into it. */
function open(/** @type {string} */ selector) {
  const field = document.querySelector(`form.work ${selector}`);
  const details = field?.closest("details");
  if (!(details instanceof HTMLDetailsElement) || !(field instanceof HTMLElement)) return;
  details.open = true;
  field.focus();
}

/** For how long after another string has appeared no key decides about it: nobody has read it. */
const unreadMs = 300;
/** The string that is there, and since when. */
let present = { name: "", since: 0 };

/** Whether a string was there before a key is pressed that decides about it. */
function isRead(/** @type {HTMLFormElement} */ form) {
  const decides = form.querySelector('button.primary[value="approve"]') !== null;
  return !decides || performance.now() - present.since >= unreadMs;
}

/** Names the button that approves by what it will do: what was seen, or what was written instead. */
function nameApproval(/** @type {HTMLFormElement} */ form) {
  const button = form.querySelector("button[data-changed]");
  if (!(button instanceof HTMLButtonElement)) return;
  const label = button.querySelector("span") ?? button;
  const { changed = "", changedValue = "", same = label.textContent } = button.dataset;
  button.dataset.same = same;
  const isChanged = textsOf(form).some(
    ({ name, value, defaultValue }) => name === "text" && value !== defaultValue,
  );
  label.textContent = isChanged ? changed : same;
  button.value = isChanged ? changedValue : "approve";
}

/** Presses a button of the form. */
function pressing(/** @type {string} */ value) {
  return () => press(`form.work button[name="change"][value="${value}"]`);
}

/** There, Alt with a letter or a digit writes a character such as a brace, so its commands take Ctrl, too. */
const isMac = /^(Mac|iP)/.test(navigator.platform);

/** Whether a key has a letter; on a keyboard of another script, whether it is where Latin keyboards have it. */
function isLetter(/** @type {KeyboardEvent} */ { key, code }, /** @type {string} */ letter) {
  return /^[a-z]$/i.test(key) ? key.toLowerCase() === letter : code === `Key${letter.toUpperCase()}`;
}

/** What a combination of keys does; undefined for one that is none of these. */
function commandOf(/** @type {KeyboardEvent} */ event) {
  const { key, code, target } = event;
  const [ctrl, alt, shift] = [event.ctrlKey || event.metaKey, event.altKey, event.shiftKey];
  const digit = Number(/^Digit([1-9])$/.exec(code)?.[1] ?? 0);
  const form = workForm();
  if (key === "Enter" && ctrl) {
    const own = form && target instanceof Element ? ownButton(form, target) : null;
    if (own !== null && !alt) return () => own.click();
    if (shift) return () => open('textarea[name="reason"]');
    return alt ? pressing("approve") : () => press("form.work button.primary");
  }
  if (ctrl && !alt && !shift && isLetter(event, "s")) return pressing("save");
  if (digit > 0 && ((ctrl && !alt && !shift) || (alt && shift && ctrl === isMac)))
    return () => press(`button[name="take"][data-key="${digit}"]`);
  if (!alt || shift) return undefined;
  if (key === "ArrowDown" && !ctrl) return () => press('.desk-work a[rel="next"]');
  if (key === "ArrowUp" && !ctrl)
    return () => (depth() > 0 ? history.back() : press('.desk-work a[rel="prev"]'));
  if (ctrl !== isMac) return undefined;
  const source = sourceOf(form && targetField(form));
  if (digit > 0)
    return () => {
      const chips = source?.closest(".form-field")?.querySelectorAll("[data-insert]") ?? [];
      const chip = chips[digit - 1];
      if (chip instanceof HTMLElement) insert(chip.dataset.insert ?? "", false);
    };
  if (isLetter(event, "m") || code === "KeyM") return () => press('form.work button[name="suggest"]');
  if (code === "KeyC") return () => insert(source?.dataset.source ?? "", true);
  return undefined;
}

function showKeys() {
  const keys = document.getElementById("keys");
  if (!(keys instanceof HTMLDetailsElement)) return;
  keys.open = true;
  keys.scrollIntoView({ block: "nearest" });
  keys.querySelector("summary")?.focus();
}

/** Inserts an argument where its button is pressed, on every page with a form for texts. */
function offerInsertions() {
  // Buttons that only a script can answer are in sight with it alone.
  document.documentElement.classList.add("scripted");
  document.addEventListener("click", ({ target }) => {
    const chip = target instanceof Element ? target.closest("[data-insert]") : null;
    const field = chip?.closest(".form-field")?.querySelector("textarea");
    if (chip instanceof HTMLElement && field) insertInto(field, chip.dataset.insert ?? "", false);
  });
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLTextAreaElement && target.name === "text") lastField = target;
  });
}

/** Takes a whole text into the field of its form, on every page with such a form. */
function offerTexts() {
  document.addEventListener("click", (event) => {
    const { target } = event;
    const button = target instanceof Element ? target.closest('button[name="take"]') : null;
    // A text that is written by its branches is split by the server.
    if (!(button instanceof HTMLButtonElement) || button.form?.elements.namedItem("split")) return;
    const field = button.form && targetField(button.form);
    if (!field) return;
    event.preventDefault();
    insertInto(field, button.value, true);
    say(t("taken"), "busy");
  });
}

/** Begins what the page of work needs. */
export function startTranslating() {
  offerInsertions();
  offerTexts();
  if (document.querySelector(".desk") === null) return;
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || workForm() === undefined) return;
    if (event.key === "?" && event.target instanceof HTMLElement && !event.target.matches("input, textarea"))
      return showKeys();
    const command = commandOf(event);
    if (command === undefined) return;
    event.preventDefault();
    const form = workForm();
    const decides = event.key === "Enter";
    if (!event.repeat && (!decides || form === undefined || isRead(form))) command();
  });
  document.addEventListener("click", (event) => {
    const { target } = event;
    if (target instanceof Element && target.closest('.desk-work a[rel="prev"]') !== null && depth() > 0) {
      event.preventDefault();
      history.back();
      return;
    }
    const next = target instanceof Element ? target.closest('.desk-work a[rel="next"]') : null;
    if (next instanceof HTMLAnchorElement && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      void walk(next.href);
      return;
    }
  });
  document.addEventListener("input", ({ target }) => {
    const form = target instanceof HTMLTextAreaElement ? target.form : null;
    if (form !== null && form === workForm()) nameApproval(form);
  });
  window.addEventListener("popstate", () => void revisit());
  // Back to this page from another one, the browser shows it as it was.
  if (history.state === null) {
    const url = new URL(location.href);
    const shown = workForm()?.dataset.draft;
    if (shown !== undefined) url.searchParams.set("at", shown);
    history.replaceState({ depth: 0 }, "", url);
  }
  begin();
}
