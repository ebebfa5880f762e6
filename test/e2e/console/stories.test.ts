/**
 * What people of three roles do in the console, in Chromium and in Firefox, by keyboard alone; axe looks at each page in
 * Chromium. Each role meets light and dark, wide and narrow, with JavaScript and without.
 */
import { describe, expect, it } from "vitest";
import { isMissing, sharedBrowsers, type BrowserName, type Look } from "./browser.ts";
import { Person } from "./person.ts";
import { lead, operator, reviewer, translator, type Story } from "./stories.ts";

const looks = {
  "light, wide": { colorScheme: "light", width: 1440, hasScript: true },
  "dark, narrow, without JavaScript": { colorScheme: "dark", width: 360, hasScript: false },
} as const satisfies Readonly<Record<string, Look>>;
type LookName = keyof typeof looks;

const stories: Readonly<Record<string, () => Promise<Story>>> = {
  "a lead compares, merges a branch with a conflict, and undoes that": lead,
  "a translator searches, translates, meets another's change, and confirms": translator,
  "a reviewer approves a text, meets another's change, and rejects it": reviewer,
  "an operator begins with an empty storage, and sees to the team": operator,
};

const openPage = sharedBrowsers();

/** Firefox takes longer, so there each role has one look. */
const looksIn: Readonly<Record<BrowserName, (name: string) => readonly LookName[]>> = {
  chromium: () => ["light, wide", "dark, narrow, without JavaScript"],
  firefox: (name) =>
    name.startsWith("a translator") ? ["light, wide"] : ["dark, narrow, without JavaScript"],
};

for (const browser of ["chromium", "firefox"] as const) {
  describe.skipIf(isMissing(browser))(`the console in ${browser}`, () => {
    for (const [name, begin] of Object.entries(stories)) {
      it.each(looksIn[browser](name))(
        `${name} (%s)`,
        async (lookName) => {
          const look = looks[lookName];
          const { server, tell } = await begin();
          const person = new Person(await openPage(browser, look), server, { browser, look });
          await tell(person);
          expect(person.faults()).toEqual([]);
        },
        180_000,
      );
    }
  });
}
