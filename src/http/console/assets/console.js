/** Comfort for the console's pages; everything works without it. */

const units = /** @type {const} */ ([
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
]);

/** Says how long ago a time was, and when exactly, in the reader's own time zone, where the pointer rests. */
function showAges() {
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const time of document.querySelectorAll("time[data-ago]")) {
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

showAges();
offerCopies();
