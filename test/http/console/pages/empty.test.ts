/** Pages that have nothing yet: each says in a sentence what would be there, and has one thing to do. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../../src/service/storage.ts";
import { makeHive, type Call } from "../../../helpers/storage.ts";
import { prepareBrowser, signedIn } from "../browse.ts";

let storage: Storage;
let call: Call;

const prepared = prepareBrowser({ locales: ["fr"], token: { abilities: ["admin"] } });
beforeEach(async () => {
  ({ storage, call } = await prepared());
});

describe("a page that has nothing yet", () => {
  /** What the buttons and links of a page say that stand out. */
  const primaryOf = (html: string): readonly string[] =>
    Array.from(
      html.matchAll(/<(?:a|button) class="(?:button )?primary"[^>]*>(.*?)<\/(?:a|button)>/g),
      ([, text]) => String(text),
    );

  const withoutLanguage: readonly (readonly [path: string, says: string, action: string])[] = [
    ["", "The texts of the app will be here.", "Add a language"],
    ["/strings", "They come with a push of the app", "Import a file"],
    ["/translate", "no language to translate into yet", "Add a language"],
    ["/review", "no language to translate into yet", "Add a language"],
    ["/figures", "no language to translate into yet", "Add a language"],
    ["/glossary", "A term is a word of the app", "Add"],
    ["/branches", "There is no branch besides main.", "Create"],
    ["/tags", "A tag names a state for ever", "Tag"],
    ["/channels", "an address from which an app reads the texts", "Set"],
    ["/comments", "Nobody has asked or said anything yet.", "All strings"],
    ["/pictures", "Pictures show translators where a text stands", "Add"],
  ];
  it.each(withoutLanguage)(
    "says what would be there, and has one thing to do: %s",
    async (path, says, action) => {
      await makeHive(storage, "new", { locales: [] });
      const admin = await signedIn(storage, { abilities: ["admin"] });
      const { html, text } = await admin.get(`/hives/new${path}`);
      expect(text).toContain(says);
      expect(primaryOf(html)).toEqual([action]);
    },
  );

  it.each([
    ["/inbox", "No work waits for you", "Hives"],
    ["/team/deleted", "can be restored here for 30 days", "Hives"],
  ])("of the team says so, too: %s", async (path, says, action) => {
    const admin = await signedIn(storage, { abilities: ["admin"] });
    const { html, text } = await admin.get(path);
    expect(text).toContain(says);
    expect(primaryOf(html)).toEqual([action]);
  });

  it("is the first one before there is a Hive: whoever may makes one", async () => {
    await call("DELETE", "/api/hives/web");
    const admin = await signedIn(storage, { abilities: ["admin"] });
    expect(primaryOf((await admin.get("/")).html)).toEqual(["New Hive…"]);
  });

  it("leads on from a language of which all is done", async () => {
    await makeHive(storage, "new", { locales: ["fr"] });
    const admin = await signedIn(storage, { abilities: ["admin"] });
    const { html, text } = await admin.get("/hives/new/translate/fr");
    expect(text).toContain("New texts and those that change come here by themselves.");
    expect(primaryOf(html)).toEqual(["All strings"]);
    const filtered = await admin.get("/hives/new/translate/fr?q=nothing");
    expect(primaryOf(filtered.html)).toEqual(["Clear the filters"]);
    expect(primaryOf((await admin.get("/hives/new")).html)).toEqual(["Import a file"]);
  });
});
