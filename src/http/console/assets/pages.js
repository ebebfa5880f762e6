/** Comfort for all pages of the console; everything works without it. */
import { t } from "./texts.js";

const units = /** @type {const} */ ([
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
]);

/** Says how long ago times were, and when exactly where the pointer rests or a finger touches. */
export function showAges(/** @type {ParentNode} */ within) {
  const { lang } = document.documentElement;
  const format = new Intl.RelativeTimeFormat(lang, { numeric: "auto" });
  const now = lang === "en" ? "just now" : format.format(0, "second");
  for (const time of within.querySelectorAll("time[data-ago]")) {
    const date = new Date(time.getAttribute("datetime") ?? "");
    const seconds = (date.getTime() - Date.now()) / 1000;
    const [unit, length] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ["minute", 60];
    time.textContent = Math.abs(seconds) < 60 ? now : format.format(Math.trunc(seconds / length), unit);
    // In the reader's own time zone.
    time.setAttribute("title", date.toLocaleString(lang === "en" ? undefined : lang));
  }
}

/** Turns the age of a time into the time, and back. */
export function turnAges() {
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLElement) || !target.matches("time[data-ago][title]")) return;
    const { title, textContent } = target;
    target.title = textContent;
    target.textContent = title;
  });
}

/** Puts a button beside each command that copies it; browsers allow that over TLS and on this machine only. */
export function offerCopies() {
  if (navigator.clipboard === undefined) return;
  for (const command of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = t("copy");
    const label = (/** @type {string} */ word) => {
      button.textContent = word;
      setTimeout(() => (button.textContent = t("copy")), 2000);
    };
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(command.textContent ?? "").then(
        () => label(t("copied")),
        () => label(t("not_allowed")),
      );
    });
    command.parentElement?.append(button);
  }
}

/** A choice of colours leads back to what the page shows by now. */
export function choosesHere() {
  document.addEventListener("submit", ({ target }) => {
    const to =
      target instanceof HTMLFormElement && target.matches(".themes") ? target.elements.namedItem("to") : null;
    const root = new URL(document.querySelector("a.brand")?.getAttribute("href") ?? "/", location.href)
      .pathname;
    if (to instanceof HTMLInputElement) to.value = location.pathname.slice(root.length) + location.search;
  });
}

/** Closes a menu that somebody leaves: by Escape, or by a press elsewhere. */
export function closeMenus() {
  const open = "details.menu[open]";
  document.addEventListener("click", ({ target }) => {
    for (const menu of document.querySelectorAll(open))
      if (!(target instanceof Node) || !menu.contains(target)) menu.removeAttribute("open");
  });
  document.addEventListener("keydown", ({ key, target }) => {
    const menu = key === "Escape" && target instanceof Element ? target.closest(open) : null;
    menu?.removeAttribute("open");
    menu?.querySelector("summary")?.focus();
  });
}

/** Shows all of a long text where it is, if the page has all of it. */
export function showLongTexts() {
  document.addEventListener("click", (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || target.dataset.unclamp === undefined) return;
    event.preventDefault();
    target.closest(".long")?.classList.remove("long");
    target.remove();
  });
}

/** How long the page says what was done: long enough to read it; the queue has the last answer after that. */
const saidMs = 6000;
/** How often something was said: what came later stays when its own time has not passed. */
let count = 0;

/**
 * Says something in the line of the page that screen readers read out, and that nothing ever replaces. What was done leaves
 * after a while.
 * @param {string} text
 * @param {"busy" | "done" | "wrong"} kind
 * @param {string} [undo] the address at which it can be undone.
 */
export function say(text, kind, undo) {
  const status = document.getElementById("status");
  if (status === null) return;
  const own = ++count;
  status.textContent = text;
  status.dataset.kind = kind;
  if (undo !== undefined) {
    const link = document.createElement("a");
    link.href = undo;
    link.textContent = t("undo");
    status.append(" ", link);
    keepLast(text, undo);
  }
  if (kind !== "done" || text === "") return;
  leave(status, () => {
    if (own === count) status.replaceChildren();
  });
}

/** Keeps the last answer beside the queue, where it can be undone. */
function keepLast(/** @type {string} */ text, /** @type {string} */ undo) {
  const last = document.getElementById("last-answer");
  if (last === null) return;
  const link = document.createElement("a");
  link.href = undo;
  link.textContent = t("undo");
  last.replaceChildren(text, " ", link);
}

/** Takes away what was said, but not while somebody is at it, or at another page. */
function leave(/** @type {HTMLElement} */ said, /** @type {() => void} */ take) {
  setTimeout(() => {
    if (document.hidden || said.matches(":hover, :focus-within")) return leave(said, take);
    take();
  }, saidMs);
}

/** What a page says of the form that led to it, and the address at which that can be undone. */
export function noticeOn(/** @type {Document} */ page, /** @type {string} */ address) {
  const notice = page.getElementById("notice");
  const link = notice?.querySelector("a");
  const href = link?.getAttribute("href");
  link?.remove();
  notice?.remove();
  return {
    text: (notice?.textContent ?? t("saved")).trim(),
    undo: typeof href === "string" ? new URL(href, address).href : undefined,
  };
}

/** Takes away what the server says of a form, unless it is shown once and never again. */
export function leaveNotice() {
  const notice = document.getElementById("notice");
  if (notice === null || notice.dataset.stays !== undefined) return;
  leave(notice, () => {
    const { text, undo } = noticeOn(document, location.href);
    if (undo !== undefined) keepLast(text, undo);
  });
}

/** Asks for a page, as browsers do; programs get the API at the same address. */
export const asPage = { accept: "text/html" };

/** The page in a response. Its forms can be shown on this page, from which their addresses would lead elsewhere. */
export async function readPage(/** @type {Response} */ response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const form of page.querySelectorAll("form[action]"))
    form.setAttribute("action", new URL(form.getAttribute("action") ?? "", response.url).href);
  return page;
}

/** What a page that tells of an error says. */
export function errorOn(/** @type {Document} */ page) {
  return (page.querySelector("main .notice.wrong")?.textContent ?? page.title).trim();
}

/** What the next page says of what this one did. */
const saidName = "skep-said";

/** Goes to another page, which says what was done on this one. */
export function leaveFor(
  /** @type {string} */ address,
  /** @type {{ text: string, undo: string | undefined }} */ said,
) {
  sessionStorage.setItem(saidName, JSON.stringify(said));
  location.assign(address);
}

/** Says what the page before had to say. */
export function sayAgain() {
  const { text = "", undo } = JSON.parse(sessionStorage.getItem(saidName) ?? "{}");
  say(text, "done", undo);
  sessionStorage.removeItem(saidName);
}
