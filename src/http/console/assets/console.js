/** Comfort for the console's pages; everything works without it. */

const units = /** @type {const} */ ([
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
]);

/** Says how long ago a time was, and when exactly, in the reader's own time zone, where the pointer rests. */
function showAges(/** @type {ParentNode} */ within) {
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const time of within.querySelectorAll("time[data-ago]")) {
    const date = new Date(time.getAttribute("datetime") ?? "");
    const seconds = (date.getTime() - Date.now()) / 1000;
    const [unit, length] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ["minute", 60];
    time.textContent =
      Math.abs(seconds) < 60 ? "just now" : format.format(Math.trunc(seconds / length), unit);
    time.setAttribute("title", date.toLocaleString());
  }
}

/** Puts a button beside each command that copies it; browsers allow that over TLS and on this machine only. */
function offerCopies() {
  if (navigator.clipboard === undefined) return;
  for (const command of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Copy";
    const say = (/** @type {string} */ word) => {
      button.textContent = word;
      setTimeout(() => (button.textContent = "Copy"), 2000);
    };
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(command.textContent ?? "").then(
        () => say("Copied"),
        () => say("Not allowed"),
      );
    });
    command.parentElement?.append(button);
  }
}

/** Asks for a page, as browsers do; programs get the API at the same address. */
const page = { accept: "text/html" };

/** Puts the part of a page with an id in the place of the part of this page. */
function take(/** @type {string} */ html, /** @type {string} */ id) {
  const part = new DOMParser().parseFromString(html, "text/html").getElementById(id);
  const here = document.getElementById(id);
  if (part === null || here === null) return false;
  here.replaceWith(part);
  showAges(part);
  return true;
}

/** Shows what a form of filters finds as it is filled in; without this, its button does. */
function filterLive() {
  for (const form of document.querySelectorAll("form[data-live]")) {
    if (!(form instanceof HTMLFormElement)) continue;
    /** @type {AbortController | undefined} */
    let asked;
    const ask = async () => {
      asked?.abort();
      asked = new AbortController();
      const { signal } = asked;
      await new Promise((resolve) => setTimeout(resolve, 150));
      if (signal.aborted) return;
      const fields = fieldsOf(form).filter(([, value]) => value !== "");
      const address = `${form.action.replace(/\?.*/, "")}?${new URLSearchParams(fields)}`;
      try {
        const response = await fetch(address, { headers: page, signal });
        if (!response.ok || !take(await response.text(), form.dataset.live ?? "")) form.requestSubmit();
        else history.replaceState(null, "", address);
      } catch {
        // Superseded, or the server is out of reach: the button still says so.
      }
    };
    form.addEventListener("input", () => void ask());
  }
}

/** The fields of a form, and the button that sent it. @returns {[string, string][]} */
function fieldsOf(/** @type {HTMLFormElement} */ form, /** @type {HTMLElement | null} */ button = null) {
  return [...new FormData(form, button)].map(([name, value]) => [
    name,
    typeof value === "string" ? value : "",
  ]);
}

/** Saves a translation of a list without leaving the page, and goes on to the next. */
function saveInPlace() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const row = form instanceof HTMLFormElement ? form.closest("#found .string") : null;
    if (!(form instanceof HTMLFormElement) || row === null) return;
    event.preventDefault();
    void save(form, event.submitter, [row.id, row.nextElementSibling?.id ?? ""]);
  });
}

async function save(
  /** @type {HTMLFormElement} */ form,
  /** @type {HTMLElement | null} */ button,
  /** @type {string[]} */ rows,
) {
  const body = new URLSearchParams(fieldsOf(form, button));
  const response = await fetch(form.action, { method: "POST", headers: page, body }).catch(() => undefined);
  const html = response?.ok === true ? await response.text() : undefined;
  if (html === undefined || !take(html, "found")) {
    // What cannot be saved is shown as the server tells it.
    HTMLFormElement.prototype.submit.call(withButton(form, button));
    return;
  }
  const row = rows.map((id) => document.getElementById(id)).find((found) => found !== null);
  // Where nothing is left to translate, the next thing to do is another search.
  const next = row?.querySelector("summary") ?? search();
  if (next instanceof HTMLElement) next.focus();
}

/** The field of a list's search. */
function search() {
  return document.querySelector('input[type="search"]');
}

/** A form that also sends the button it was sent by. */
function withButton(/** @type {HTMLFormElement} */ form, /** @type {HTMLElement | null} */ button) {
  if (button instanceof HTMLButtonElement && button.name !== "") {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = button.name;
    field.value = button.value;
    form.append(field);
  }
  return form;
}

/** `/` leads to the search; Escape closes a form; Ctrl and Enter send it. */
function offerKeys() {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const isTyping = target instanceof HTMLElement && target.matches("input, textarea, select");
    if (key === "/" && !isTyping) {
      const field = search();
      if (field instanceof HTMLElement) {
        event.preventDefault();
        field.focus();
      }
    }
    if (!(target instanceof HTMLElement)) return;
    const form = target.closest("form.edit");
    if (!(form instanceof HTMLFormElement)) return;
    if (key === "Enter" && (event.ctrlKey || event.metaKey))
      form.requestSubmit(form.querySelector("button.primary"));
    if (key !== "Escape") return;
    const details = form.closest("details");
    details?.removeAttribute("open");
    details?.querySelector("summary")?.focus();
  });
  // An opened form is for writing.
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.open) return;
      const field = target.querySelector("textarea");
      field?.focus();
      field?.setSelectionRange(field.value.length, field.value.length);
    },
    true,
  );
}

showAges(document);
offerCopies();
filterLive();
saveInPlace();
offerKeys();
