/** The pages in other languages: a pseudo-locale shows every text that does not come from the catalogue. */
import { describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { isMissing, openInChromium } from "./browser.ts";
import { crowdedTeam } from "./crowded.ts";
import { layoutFaults } from "./layout.ts";

/** Names, keys and examples where no element can mark them, such as in the label of a field. */
const written = [
  /\*\.json=icu|messages\.xml=xliff|BCDF-GHJK|Web shop|web-shop|production|noun|anna|mistral-small-latest|feature\/login|\bapp\b/g,
  /https:\S*/g,
  /(?<=⟦Šééļééçţ )\S+(?=⟧)|(?<=îîññ?\s).+(?=⟧)/g,
  /^[a-z_.]+(?:_key)?$|^(?:French|German)$/g,
];

/** The texts of a page that are not marked as what somebody has written, or as what one types. */
const plainTexts = `html => {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  const data = "bdi, code, pre, [lang], kbd, samp, script, textarea, time, [translate=no]";
  const found = [];
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Element)
      for (const name of ["aria-label", "alt", "placeholder", "data-label"]) found.push(node.getAttribute(name) ?? "");
    else if (node.parentElement?.closest(data) === null) found.push(node.textContent);
  }
  return found.map((text) => text.trim()).filter((text) => /[A-Za-z]{3}/.test(text));
}`;

/** What is wrong with a page in some languages, on a small and a large screen. */
async function faultsIn(
  page: Page,
  address: string,
  languages: readonly string[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const language of languages) {
    await page.setExtraHTTPHeaders({ "accept-language": language });
    await page.goto(address);
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const found = await layoutFaults(page);
      faults.push(...found.map((each) => `${address}, ${language}, at ${width}: ${each}`));
    }
  }
  return faults;
}

describe.skipIf(isMissing("chromium"))("a page in another language", () => {
  it(
    "has no text that is not of its catalogue, and stands with longer texts and turned round",
    { timeout: 600_000 },
    async () => {
      const page = await openInChromium();
      const left: Record<string, string> = {};
      const faults: string[] = [];
      for (const address of await crowdedTeam(page)) {
        faults.push(...(await faultsIn(page, address, ["en-XA", "ar-XB"])));
        const answer = await page.request.get(address, {
          headers: { accept: "text/html", "accept-language": "en-XA" },
        });
        const read = `(${plainTexts})(${JSON.stringify(await answer.text())})`;
        for (const text of await page.evaluate<readonly string[]>(read)) {
          const rest = written.reduce((before, pattern) => before.replaceAll(pattern, ""), text);
          if (/[A-Za-z]{3}/.test(rest)) left[text.slice(0, 120)] = address;
        }
      }
      expect(left).toEqual({});
      expect(faults).toEqual([]);
    },
  );

  it("tells what is found while one types in its language", { timeout: 60_000 }, async () => {
    const page = await openInChromium();
    const addresses = await crowdedTeam(page);
    await page.setExtraHTTPHeaders({ "accept-language": "en-XA" });
    const address = addresses.find((each) => each.includes("/translate/fr"));
    await page.goto(new URL(`/hives/web/translate/fr?q=hello`, address).href);
    await page.locator('textarea[name="text"]').first().fill("Salut {{prénom}}");
    const found = page.locator("[data-check] .mark");
    await found.first().waitFor();
    expect((await found.allTextContents()).join().replaceAll(/\{\{[^}]*\}\}/g, "")).not.toMatch(
      /[A-Za-z]{3}/,
    );
  });
});
