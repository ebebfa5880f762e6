/** A real browser, where the machine has one. */
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";
import { onTestFinished } from "vitest";

const executablePath = process.env.SKEP_TEST_CHROMIUM ?? "/usr/bin/chromium";
/** `.ci/run` says so: there its absence is a failure. */
const isRequired = process.env.SKEP_TEST_BROWSER === "required";

/** Whether tests in a browser are skipped. */
export const isBrowserMissing = !isRequired && !existsSync(executablePath);
if (isBrowserMissing) {
  console.warn(
    `Tests in a browser are skipped: there is no ${executablePath}; SKEP_TEST_CHROMIUM names another.`,
  );
}

/** Starts the browser, and ends it with the test. */
export async function launch(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  onTestFinished(() => browser.close());
  return browser;
}
