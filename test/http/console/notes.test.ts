/** Notes in the console: shown with their strings, and what the team says changed by a form. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../src/service/storage.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import type { Call } from "../../helpers/storage.ts";
import { prepareBrowser, signedIn, type ConsoleBrowser, type Page } from "./browse.ts";

let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;
const { post, fill } = hiveAt(() => call);

const strings = "/hives/web/strings";
const open = `${strings}/a.json/open`;
const say = (note: object) =>
  call("PATCH", "/api/hives/web/notes", { body: { files: { "a.json": { open: note } } } });
const said = async () => (await call("GET", "/api/hives/web/notes?key=open")).json.data[0]?.team ?? null;

const prepared = prepareBrowser({ locales: ["fr"], token: { name: "Lead" } }, async (web) => {
  await web.put(
    { "a.json": { open: "Open", close: "Close" } },
    {
      body: {
        notes: { "a.json": { open: { note: "From <b>the app</b>", where: ["src/a.ts:1"], tags: ["menu"] } } },
      },
    },
  );
});
beforeEach(async () => {
  ({ storage, call, browser } = await prepared());
});

/** What the form on the page knows that the team said. */
function seenIn({ html }: Page): string {
  return (/name="seen" value="([^"]*)" ?\/?><div class="field wide"/.exec(html)?.[1] ?? "").replaceAll(
    "&quot;",
    '"',
  );
}

async function save(fields: Readonly<Record<string, string>>, seen?: string): Promise<Page> {
  const known = seen ?? seenIn(await browser.get(open));
  return browser.submit(open, { change: "note", seen: known, ...fields });
}

describe("the notes of a string", () => {
  it("stand on its page, the team's first, and in lists, without markup of their own", async () => {
    await say({ note: "Ours", max_length: 9 });
    const page = await browser.get(open);
    expect(page.text).toContain("Note Ours From <b>the app</b> At most 9 characters. menu src/a.ts:1");
    expect(page.html).not.toContain("From <b>");
    expect(page.html).toContain(`${strings}?tag=menu"`);
    const list = await browser.get(strings);
    expect(list.text).toContain("Ours");
    expect((await browser.get(`${strings}?tag=menu`)).text).toContain("1 string found open");
    expect((await browser.get(`${strings}?tag=x`)).text).toContain("No string found");
    for (const path of [strings, "/hives/web/translate/fr"])
      expect((await browser.get(path)).html).toMatch(/<datalist id="options-filter-tag">.*?value="menu"/);
    expect((await browser.get(`${strings}?tag=,`)).status).toBe(422);
  });

  it("that keep a text as it is take it out of every figure and every queue", async () => {
    const files = { "cart.json": { n_one: "Acme One", n_other: "Acme Ones", brand: "Acme Cloud" } };
    await post(files);
    // What is said of one plural form holds for all.
    const notes = { files: { "cart.json": { n_one: { keep: true }, brand: { keep: true } } } };
    await call("PATCH", "/api/hives/web/notes", { body: notes });
    expect((await browser.get("/hives/web")).text).toContain("5 strings, of which 3 need no translation");
    // French has another form.
    expect((await browser.get(strings)).text).toContain("6 strings, of which 4 need no translation");
    expect((await call("GET", "/api/hives/web")).json.locales.fr).toMatchObject({ empty: 2, total: 2 });
    expect((await browser.get(`${strings}?state=missing`)).text).toContain("2 strings found");
    expect((await browser.get("/hives/web/translate/fr")).text).toContain("2 left");
    const list = await browser.get(`${strings}?file=cart.json`);
    expect(list.html).not.toContain("mark missing");
    // A translation all the same is none that a check wants to be another.
    const same = { "cart.json": { brand: "Acme Cloud" } };
    await fill("fr", same);
    expect((await call("GET", "/api/hives/web/checks?severity=hint")).json.data).toEqual([]);
    await call("PATCH", "/api/hives/web/notes", {
      body: { files: { "cart.json": { brand: { keep: null } } } },
    });
    expect((await call("GET", "/api/hives/web/checks?severity=hint")).json.data).toMatchObject([
      { key: "brand", check: "same-as-source" },
    ]);
  });

  it("of a plural stand on the page of each form, once", async () => {
    const files = { "cart.json": { item_one: "{{n}} item", item_other: "{{n}} items" } };
    const note = { note: "In the cart" };
    for (const notes of [{ item_one: note }, { item_one: note, item_other: note }])
      await post(files, { body: { notes: { "cart.json": notes } } });
    for (const key of ["item_one", "item_other", "item_many"])
      expect((await browser.get(`${strings}/cart.json/${key}`)).text.match(/In the cart/g)).toHaveLength(1);
  });

  it("are changed by a form, which keeps what it does not show", async () => {
    await say({ where: ["src/team.ts:1"], ask: "Which?" });
    const { status, headers } = await save({ note: "On the button", max_length: "12", tags: "menu, start" });
    expect([status, headers.get("location")]).toEqual([303, expect.stringContaining(open)]);
    expect(await said()).toEqual({
      note: "On the button",
      max_length: 12,
      tags: ["menu", "start"],
      where: ["src/team.ts:1"],
      ask: "Which?",
    });
    await save({ note: "On the button", keep: "true" });
    expect(await said()).toEqual({
      note: "On the button",
      ask: "Which?",
      keep: true,
      where: ["src/team.ts:1"],
    });
    expect((await browser.get(`${strings}?state=missing`)).text).toContain("1 string found close");
    await save({});
    expect(await said()).toEqual({ ask: "Which?", where: ["src/team.ts:1"] });
  });

  it("are not replaced unseen: the form comes back with both", async () => {
    const seen = seenIn(await browser.get(open));
    await say({ note: "Theirs" });
    const refused = await save({ note: "Mine" }, seen);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Others have changed the note since you saw it");
    expect(refused.text).toContain("Theirs");
    expect(refused.html).toContain("\nMine</textarea>");
    expect(await said()).toEqual({ note: "Theirs" });
    expect((await save({ note: "Mine" }, seenIn(refused))).status).toBe(303);
    expect(await said()).toEqual({ note: "Mine" });
  });

  it("are refused with what no note can have, and what was written is not lost", async () => {
    const refused = await save({ note: "Mine", max_length: "1.5", tags: "x".repeat(60) });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("must be a whole number");
    expect(refused.text).toContain("must have at most 50 characters");
    expect(refused.html).toContain("\nMine</textarea>");
    expect(await said()).toBeNull();
  });

  it("cannot be changed by a token that is limited to locales", async () => {
    const limited = await signedIn(storage, { locales: ["de"] });
    expect((await limited.get(open)).html).not.toContain('name="max_length"');
    const fields = { change: "note", note: "x", seen: "{}" };
    expect((await limited.submit(open, fields)).status).toBe(403);
  });
});
