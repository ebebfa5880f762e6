/** Makes passkeys, and signs in with them. The build bundles it with the library that it imports. */
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from "@simplewebauthn/browser";

/** For how long the challenge of a page is taken, less the time to answer it. */
const freshMs = 4 * 60 * 1000;
const opened = Date.now();

/** @returns {Promise<unknown>} */
function ask(/** @type {HTMLFormElement} */ form) {
  const optionsJSON = JSON.parse(form.dataset.passkey ?? "");
  return form.dataset.makes === undefined
    ? startAuthentication({ optionsJSON })
    : startRegistration({ optionsJSON });
}

/** Says on the page why there is no passkey. */
function say(/** @type {HTMLFormElement} */ form, /** @type {unknown} */ error) {
  const problem = form.querySelector("[role=alert]");
  if (!(problem instanceof HTMLElement)) return;
  const isCancelled = error instanceof Error && ["NotAllowedError", "AbortError"].includes(error.name);
  problem.textContent = isCancelled
    ? (form.dataset.cancelled ?? "")
    : (form.dataset.failed ?? "").replace("{error}", () => String(error));
  problem.hidden = false;
}

async function answer(/** @type {HTMLFormElement} */ form) {
  if (Date.now() - opened > freshMs) {
    location.reload();
    return;
  }
  const button = form.querySelector("button");
  const field = form.elements.namedItem("passkey");
  if (button === null || !(field instanceof HTMLInputElement)) return;
  button.disabled = true;
  try {
    field.value = JSON.stringify(await ask(form));
    form.submit();
  } catch (error) {
    button.disabled = false;
    say(form, error);
  }
}

if (browserSupportsWebAuthn()) {
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    if (!(form instanceof HTMLFormElement)) continue;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void answer(form);
    });
  }
}
