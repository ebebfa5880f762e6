/**
 * What people of several roles do in the console, by keyboard alone; axe looks at each page in Chromium. Each role meets
 * Chromium and Firefox, light and dark, wide and narrow, JavaScript and none; and so does each browser.
 */
import { describe, expect, it } from "vitest";
import { isMissing, openIn, type BrowserName, type Look } from "./browser.ts";
import { Person } from "./person.ts";
import { caretaker, exchanger } from "./stories/admin-stories.ts";
import { answered, finder, sorter, undoer } from "./stories/work-stories.ts";
import {
  asker,
  editor,
  keeper,
  lead,
  operator,
  reviewer,
  translator,
  type Story,
} from "./stories/stories.ts";

const looks = {
  "light, wide": { colorScheme: "light", width: 1440, hasScript: true },
  "dark, narrow, without JavaScript": { colorScheme: "dark", width: 360, hasScript: false },
} as const satisfies Readonly<Record<string, Look>>;
type LookName = keyof typeof looks;

const [plain, other] = ["light, wide", "dark, narrow, without JavaScript"] as const;

/** Every two of a story, a browser and a look meet, but not all three. */
const stories: readonly (readonly [
  name: string,
  begin: () => Promise<Story>,
  looks: Readonly<Record<BrowserName, LookName>>,
])[] = [
  [
    "a lead compares, merges a branch with a conflict, and undoes that",
    lead,
    { chromium: plain, firefox: other },
  ],
  [
    "a translator searches, translates, meets another's change, and confirms",
    translator,
    { chromium: other, firefox: plain },
  ],
  [
    "a reviewer approves a text, meets another's change, and rejects it",
    reviewer,
    { chromium: plain, firefox: other },
  ],
  ["a lead adds, renames, changes and removes source strings", keeper, { chromium: other, firefox: plain }],
  ["a translator asks about a string, and settles the question", asker, { chromium: plain, firefox: other }],
  [
    "an editor replaces a word in several texts, and takes it back",
    editor,
    { chromium: plain, firefox: other },
  ],
  [
    "an admin brings files in, looks at the figures, and takes an import back",
    exchanger,
    { chromium: other, firefox: plain },
  ],
  [
    "an admin restores a branch, tags a state, and looks at what has happened",
    caretaker,
    { chromium: plain, firefox: other },
  ],
  [
    "a translator finds in the inbox what was rejected, mends it, and has seen it",
    answered,
    { chromium: plain, firefox: other },
  ],
  ["a person goes to a string by a few letters", finder, { chromium: other, firefox: plain }],
  [
    "an editor tags the selected strings of a list, and replaces in some of them",
    sorter,
    { chromium: plain, firefox: other },
  ],
  ["a lead takes back all that a model has written", undoer, { chromium: other, firefox: plain }],
  [
    "an operator begins with an empty storage, and sees to the team",
    operator,
    { chromium: other, firefox: plain },
  ],
];

for (const browser of ["chromium", "firefox"] as const) {
  describe.skipIf(isMissing(browser))(`the console in ${browser}`, () => {
    it.each(stories.map(([name, begin, { [browser]: look }]) => [name, look, begin] as const))(
      "%s (%s)",
      async (_, lookName, begin) => {
        const look = looks[lookName];
        const { server, tell } = await begin();
        const person = new Person(await openIn(browser, look), server, { browser, look });
        await tell(person);
        expect(person.faults()).toEqual([]);
      },
      180_000,
    );
  });
}
