/** Where things stand on every page of the console, on four screens. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isMissing, openInChromium } from "./browser.ts";
import { crowdedTeam } from "./crowded.ts";
import { contrastOnce, structureFaults } from "./faults.ts";
import { layoutFaults } from "./layout.ts";

/** The last is the one at which colours are looked at. */
const widths = [360, 768, 1920, 1440];
/** Opens what is folded, and says how much there is. Only a menu lies over what is below it. */
const openAll = `Array.from(document.querySelectorAll("details:not([open], .menu)")).map((one) => (one.open = true)).length`;

/** What is wrong with a page on each screen, as it is shown first and with all that is folded in it. */
async function faultsAt(
  page: Page,
  address: string,
  contrastOf: ReturnType<typeof contrastOnce>,
): Promise<readonly string[]> {
  const answer = await page.goto(address);
  expect([address, answer?.status()]).toEqual([address, address.endsWith("/nope") ? 404 : 200]);
  const faults: string[] = [];
  for (const state of ["closed", "open"]) {
    if (state === "open" && (await page.evaluate(openAll)) === 0) continue;
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      const found = await layoutFaults(page);
      faults.push(...found.map((each) => `${address}, ${state}, at ${width}: ${each}`));
    }
  }
  // Neither do roles, names and the order of headings depend on the colours.
  faults.push(...(await structureFaults(page)).map((each) => `${address}: ${each}`));
  // Colours do not depend on the width.
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    faults.push(...(await contrastOf(page)).map((each) => `${address}, ${colorScheme}: ${each}`));
  }
  return faults;
}

describe.skipIf(isMissing("chromium"))("every page of the console", () => {
  // All pages in one test, as it takes long to fill a team.
  it(
    "has nothing that overlaps, is cut, too wide, too small or beside its column, is readable in both themes, and has no fault that axe finds",
    { timeout: 600_000 },
    async () => {
      const page = await openInChromium();
      const pages = await crowdedTeam(page);
      const contrastOf = contrastOnce();
      const faults = [
        ...(await faultsAt(await openInChromium(), new URL("/", pages[0]).href, contrastOf)),
        // An invitation that nobody has taken yet is seen before the first of two goes on beside the other.
        ...(await faultsAt(page, pages[0] ?? "", contrastOf)),
      ];
      const left = pages.slice(1);
      const look = async (tab: Page): Promise<void> => {
        for (let next = left.shift(); next !== undefined; next = left.shift())
          faults.push(...(await faultsAt(tab, next, contrastOf)));
      };
      // One is measured while the other is fetched.
      await Promise.all([look(page), look(await page.context().newPage())]);
      expect(faults).toEqual([]);
    },
  );

  const faulty: readonly (readonly [fault: string, html: string])[] = [
    [
      "cut by 20: ",
      `<p style="width: 40px; overflow: hidden; white-space: pre"><span style="display: inline-block; width: 60px">x</span></p>`,
    ],
    [
      "cut by ",
      `<p style="width: 40px; overflow: hidden; text-overflow: ellipsis" title="x"><span style="display: inline-block; width: 60px">xyz</span></p>`,
    ],
    [
      "cut by 20: ",
      `<p style="height: 40px; overflow: clip"><span style="display: inline-block; height: 60px">x</span></p>`,
    ],
    [
      "stands out by ",
      `<div style="width: 40px; border: 1px solid; white-space: pre">much more than fits into it</div>`,
    ],
    ["texts overlap by ", `<p>One</p><p style="margin-top: -30px">Another</p>`],
    [
      "targets overlap by ",
      `<button style="width: 60px; height: 60px"></button><button style="width: 60px; height: 60px; margin-left: -30px"></button>`,
    ],
    [
      "aligned end below a head that is start",
      `<table><thead><tr><th style="text-align: start">Head</th></tr></thead><tbody><tr><td style="text-align: end">1</td></tr></tbody></table>`,
    ],
    [
      "out of its column by ",
      `<table style="table-layout: fixed; width: 80px"><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td style="white-space: pre">much more than fits</td><td></td></tr></tbody></table>`,
    ],
    [
      "off its column by 30",
      `<ul><li style="display: grid"><p>One</p></li><li style="display: grid"><p style="margin-left: 30px">Two</p></li></ul>`,
    ],
    ["row of 43.0 and not 44", `<ul class="strings"><li style="height: 43px">One</li></ul>`],
    ["too small (20.0 x 20.0)", `<button style="width: 20px; height: 20px; border: 0; padding: 0"></button>`],
    ["wider than the window", `<div style="width: 2000px">Wide</div>`],
    [
      "only 2.0 apart",
      `<p style="margin: 0; border: 1px solid">One</p><p style="margin: 2px 0; border: 1px solid">Two</p>`,
    ],
    ["one letter a line: ", `<p style="width: 12px; overflow-wrap: anywhere">Letters</p>`],
    ["placeholder cut by ", `<input style="width: 60px" placeholder="Much more than fits">`],
    ["word in two lines: Fermer of ", `<button style="width: 50px; overflow-wrap: anywhere">Fermer</button>`],
    ["choice cut by ", `<select style="width: 60px"><option>Much more than fits</option></select>`],
  ];
  it("has each fault found", async () => {
    const page = await openInChromium();
    for (const [fault, html] of faulty) {
      await page.setContent(html);
      expect(await layoutFaults(page)).toContainEqual(expect.stringContaining(fault));
    }
  });

  it("has each kind of text looked at once, in its colours and on its ground", async () => {
    const page = await openInChromium();
    const contrastOf = contrastOnce();
    const faultsIn = async (html: string): Promise<number> => {
      await page.setContent(html);
      return (await contrastOf(page)).length;
    };
    const [pale, other] = [`<p style="color: #ccc">Pale</p>`, `<p>Other</p>`];
    expect(await faultsIn(pale + pale + other)).toBe(1);
    expect(await faultsIn(pale + other)).toBe(0);
    expect(await faultsIn(`<div style="background: #bbb">${pale}</div>`)).toBe(1);
    expect(await faultsIn(`<div style="opacity: 0.3">${other}</div>`)).toBe(1);
    expect(await faultsIn(`<div style="background: #111"><p style="color: #222">Dark</p></div>`)).toBe(1);
    // What lies below another element is not decided about, and looked at again.
    const dim = `<p style="color: #ddd">Dim</p>`;
    expect(
      await faultsIn(
        `<div style="height: 1px; overflow: visible">${dim}</div><div style="position: absolute; inset: 0; background: #fff"></div>`,
      ),
    ).toBe(0);
    expect(await faultsIn(dim)).toBe(1);
  });

  it("may have texts that are cut where they say so, and can be read", async () => {
    const page = await openInChromium();
    const cut =
      "width: 40px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-height: 44px";
    await page.setContent(
      `<ul class="strings"><li style="${cut}" title="much more than fits">much more than fits</li></ul>`,
    );
    expect(await layoutFaults(page)).toEqual([]);
  });
});
