/** All that a list has found, selected at once: the whole list is shown first, and what changes meanwhile is left out. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../src/service/storage.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import type { Call } from "../../helpers/storage.ts";
import {
  actionOf,
  formIn,
  hiddenIn,
  prepareBrowser,
  signedIn,
  unescaped,
  type ConsoleBrowser,
  type Fields,
  type Page,
} from "./browse.ts";

const hive = "/api/hives/web";
const list = "/hives/web/strings?locale=fr&state=waiting";
let storage: Storage;
let call: Call;
let lead: ConsoleBrowser;
const web = hiveAt(() => call);
const { post, undo, exported, history } = web;

const keys = Array.from({ length: 60 }, (_, i) => `k${i}`);
const textsOf = (prefix: string, of = keys) => Object.fromEntries(of.map((key) => [key, `${prefix} ${key}`]));
const translate = (texts: object, headers = {}) => web.translate("fr", { "a.json": texts }, { headers });
const byModel = { "x-commit-origin": "model" };

const prepared = prepareBrowser({ locales: ["fr", "de"] }, async (web) => {
  ({ call } = web);
  const sources = { ...textsOf("Text"), other: "Other", n_one: "{{count}} file", n_other: "{{count}} files" };
  await post({ "a.json": sources });
  await translate({ ...textsOf("Vieux"), n_one: "{{count}} vieux", n_other: "{{count}} vieux" });
  await translate(
    { ...textsOf("Texte"), n_one: "{{count}} fichier", n_other: "{{count}} fichiers" },
    byModel,
  );
});
beforeEach(async () => {
  ({ storage, call } = await prepared());
  lead = await signedIn(storage, { abilities: ["read", "write", "approve"] });
});

const french = async (): Promise<Record<string, string>> =>
  JSON.parse((await exported("locale=fr")).json.files["a.json"]);
const commits = async (): Promise<number> => (await history()).json.meta.total;

/** The page to which a list leads, and its address. */
async function selection(
  from = list,
  label = /Select all \d+ found/,
): Promise<Page & { readonly path: string }> {
  const { html } = await lead.get(from);
  const [, href = ""] =
    html.split("<a ").flatMap((link) => (label.test(link) ? [/href="([^"]*)"/.exec(link)] : []))[0] ?? [];
  const { pathname, search } = new URL(unescaped(href), `http://skep.example${from}`);
  return { ...(await lead.get(pathname + search)), path: pathname + search };
}

/** Sends the form with the boxes as they are, but for some. */
async function decide(
  { html, path }: Page & { readonly path: string },
  change: string,
  { but = [], ...more }: (Fields & { readonly but?: readonly string[] }) | { but?: readonly string[] } = {},
): Promise<Page> {
  const form = html.split("<form").find((one) => one.includes('id="bulk"')) ?? "";
  const fields = hiddenIn(form);
  const listed: readonly { readonly key: string }[] = JSON.parse(fields["listed"] ?? "[]");
  const sent = new URLSearchParams({ ...fields, ...more, change });
  for (const [, place = ""] of html.matchAll(/name="selected" value="(\d+)" checked/g))
    if (!but.includes(listed[Number(place)]?.key ?? "")) sent.append("selected", place);
  return lead.send(actionOf(form, path), sent);
}

describe("all that a list has found", () => {
  it("is shown as a whole, selected, before anything is done", async () => {
    expect((await lead.get(list)).text).toContain("Select all 62 found");
    const shown = await selection();
    expect(shown.text).toContain("62 strings found");
    expect(shown.html).toContain("<del>Vieux</del><ins>Texte</ins>");
    // The forms of a plural are one.
    expect(shown.html.match(/name="selected" value="\d+" checked/g)).toHaveLength(61);
    expect(shown.html).not.toContain("inplace");
  });

  it("is approved by one commit, which the list then offers to undo", async () => {
    const before = await commits();
    const { status, headers } = await decide(await selection(), "approve-listed", { but: ["k0"] });
    expect([status, headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/strings\?.*state=waiting/),
    ]);
    expect(await commits()).toBe(before + 1);
    const after = await lead.get(list);
    expect(after.text).toContain("Approved by a commit, which you can undo.");
    expect(after.text).toContain("1 string found");
  });

  it("is rejected and removed as it was seen: what was changed since is left, and counted", async () => {
    const shown = await selection();
    await translate({ k1: "Anders", k2: "Auch" }, byModel);
    await decide(shown, "reject-listed", { reason: "Too long" });
    expect((await lead.get(list)).text).toContain("2 of them were changed since you saw them, or refused");
    expect(await french()).toMatchObject({ k0: "Vieux k0", k1: "Anders", k2: "Auch", k3: "Vieux k3" });
    const left = await selection();
    await translate({ k1: "Neu", k2: "Neu" }, byModel);
    const none = await decide(left, "remove-listed");
    expect([none.status, none.text]).toEqual([
      409,
      expect.stringContaining("Nothing was done: what was selected was changed"),
    ]);
    await decide(await selection(), "remove-listed");
    expect(await french()).not.toHaveProperty("k1");
  });

  it("are its first thousand strings", async () => {
    const many = Array.from({ length: 1_005 }, (_, i) => `m${i}`);
    await post({ "b.json": textsOf("Much", many) });
    const shown = await selection("/hives/web/strings?locale=fr&file=b.json", /Select the first 1,000 found/);
    expect(shown.text).toContain("These are the first 1,000 of 1,005 strings.");
    expect(shown.html.match(/name="selected" value="\d+" checked/g)).toHaveLength(1_000);
  });

  it("is offered to whom something may be done, and keeps the filters and the branch", async () => {
    await call("POST", `${hive}/branches`, { body: { name: "next" } });
    const { path } = await selection(`${list}&q=k1&branch=next`);
    expect(Object.fromEntries(new URL(path, "http://x").searchParams)).toEqual({
      branch: "next",
      state: "waiting",
      q: "k1",
    });
    const reader = await signedIn(storage, { abilities: ["read"] });
    expect((await reader.get(list)).text).not.toContain("Select all");
    const writer = await signedIn(storage);
    const shown = await writer.get(path);
    expect([shown.html.includes("approve-listed"), shown.html.includes("remove-listed")]).toEqual([
      false,
      true,
    ]);
    expect((await lead.get("/hives/web/selection/en")).status).toBe(422);
    expect((await lead.get("/hives/web/selection/fr?state=new")).status).toBe(422);
  });
});

describe.each([
  ["the list", async () => ({ ...(await lead.get(`${list}&q=k`)), path: `${list}&q=k` }), 50],
  ["the page of all that were found", () => selection(`${list}&q=k`), 60],
])("a decision that is refused on %s", (_, shown, count) => {
  const places = Array.from({ length: count }, (_each, i) => i);
  /** Sends the form with some of its strings selected. */
  const send = async (
    { html, path }: Page & { readonly path: string },
    change: string,
    selected: readonly number[],
    written: Fields = {},
  ): Promise<Page & { readonly path: string }> => {
    const form = html.split("<form").find((one) => one.includes('id="bulk"')) ?? "";
    const sent = new URLSearchParams({ ...hiddenIn(form), ...written, change });
    for (const place of selected) sent.append("selected", String(place));
    const to = actionOf(form, path);
    return { ...(await lead.send(to, sent)), path: to };
  };
  const selectedOn = ({ html }: Page): readonly number[] =>
    Array.from(html.matchAll(/name="selected" value="(\d+)" checked/g), ([, place]) => Number(place));
  /** The keys at some places of the form. */
  const keysAt = ({ html }: Page, of: readonly number[]): readonly string[] => {
    const form = html.split("<form").find((one) => one.includes('id="bulk"')) ?? "";
    const listed: readonly { readonly key: string }[] = JSON.parse(hiddenIn(form)["listed"] ?? "[]");
    return of.map((place) => listed[place]?.key ?? "");
  };
  const written = { reason: "Too <long>", tags: `menu, ${"x".repeat(60)}` };
  const writtenOn = ({ html }: Page): Fields => {
    const field = (name: string): string =>
      unescaped(new RegExp(`id="bulk-${name}"[^>]* value="([^"]*)"`).exec(html)?.[1] ?? "");
    return { reason: field("reason"), tags: field("tags") };
  };

  it.each([
    ["tags that cannot be", "tag-listed", written, 422, "commas: must have at most 50 characters"],
    ["no tags", "untag-listed", { ...written, tags: " , " }, 422, "commas: must not be empty"],
    [
      "a reason that cannot be",
      "reject-listed",
      { ...written, reason: "a\u0000b" },
      422,
      "Why it is rejected: ",
    ],
  ])("for %s keeps what was selected and written", async (_why, change, fields, status, said) => {
    const selected = [1, 3, count - 1];
    const before = await shown();
    const refused = await send(before, change, selected, fields);
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(said)]);
    expect(refused.text).not.toContain("selected any more");
    expect(refused.html).toMatch(/<p class="notice wrong" id="notice" role="alert">/);
    for (const [, id = ""] of refused.html.matchAll(/aria-describedby="(problem-bulk-[^"]*)"/g))
      expect(refused.html).toContain(`<p class="problem" id="${id}">`);
    expect(refused.html).toMatch(/<p class="problem" id="problem-bulk-(?:tags|reason)">(?!<\/p>)/);
    expect(selectedOn(refused)).toEqual(selected);
    expect(writtenOn(refused)).toEqual(fields);
    // It is sent again from there, and leads to the list.
    const done = await send(refused, "tag-listed", selectedOn(refused), { tags: "menu" });
    expect([done.status, done.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/strings\?.*q=k/),
    ]);
    const { data } = (await call("GET", `${hive}/notes?tag=menu`)).json;
    expect(data).toHaveLength(selected.length);
  });

  it.each(["approve-listed", "remove-listed", "reject-listed"])(
    "because others have changed all of it is not made by a second press: %s",
    async (change) => {
      const before = await shown();
      await translate(textsOf("Anders"), byModel);
      const refused = await send(before, change, [1, 3, count - 1], written);
      expect([refused.status, refused.text]).toEqual([
        409,
        expect.stringContaining(
          "Nothing was done: what was selected was changed since you saw it, or is refused. " +
            "3 texts of the selection have been changed, or are not listed any more",
        ),
      ]);
      expect(selectedOn(refused)).toEqual([]);
      expect(writtenOn(refused)).toEqual(written);
      const again = await send(refused, change, selectedOn(refused), written);
      expect(again.text).toContain("Nothing was done: no text was selected.");
    },
  );

  it("keeps selected what is as it was alone, wherever it is by now, and says how many are not", async () => {
    const before = await shown();
    const [first = "", other = "", last = ""] = keysAt(before, [1, 4, 6]);
    // It does not wait any more.
    await send(before, "approve-listed", [2]);
    await lead.get(list);
    await translate({ [other]: "Anders" }, byModel);
    const refused = await send(before, "tag-listed", [1, 2, 4, 6], { tags: " , " });
    expect(keysAt(refused, selectedOn(refused))).toEqual([first, last]);
    expect(refused.text).toContain("2 texts of the selection have been changed, or are not listed any more");
  });

  it("for nothing that was selected keeps what was written", async () => {
    const refused = await send(await shown(), "tag-listed", [], { tags: "menu" });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("no text was selected")]);
    expect(selectedOn(refused)).toEqual([]);
    expect(refused.html).toMatch(/id="bulk-tags"[^>]* value="menu"/);
    expect(refused.html.match(/name="selected"/g)).toHaveLength(places.length);
  });
});

describe("the tags of selected strings", () => {
  const tagsOf = async (key: string): Promise<readonly string[]> =>
    (await call("GET", `${hive}/notes?key=${key}`)).json.data[0]?.team?.tags ?? [];

  it("are set and taken away by one commit each, of all forms of a plural, and the rest of notes stays", async () => {
    const note = { files: { "a.json": { k0: { note: "First", tags: ["old"] } } } };
    await call("PATCH", `${hive}/notes`, { body: note });
    const before = await commits();
    const { status } = await decide(await selection(), "tag-listed", { but: ["k5"], tags: "menu, shop" });
    expect([status, await commits()]).toEqual([303, before + 1]);
    expect((await lead.get(list)).text).toContain("Tagged by a commit, which you can undo. Undo");
    expect(await Promise.all(["k0", "k1", "n_one", "n_other", "k5"].map(tagsOf))).toEqual([
      ["old", "menu", "shop"],
      ["menu", "shop"],
      ["menu", "shop"],
      ["menu", "shop"],
      [],
    ]);
    await decide(await selection(`${list}&tag=shop`), "untag-listed", { but: ["k1"], tags: "shop" });
    expect((await lead.get(list)).text).toContain("Tags removed by a commit");
    expect(await Promise.all(["k0", "k1", "n_one"].map(tagsOf))).toEqual([
      ["old", "menu"],
      ["menu", "shop"],
      ["menu"],
    ]);
    expect((await call("GET", `${hive}/notes?key=k0`)).json.data[0].team.note).toBe("First");
    const { data } = (await history("per_page=1")).json;
    await undo(data[0].commit);
    expect(await tagsOf("k0")).toEqual(["old", "menu", "shop"]);
  });

  it("stay where the string is another by now, has too many, or has the tag from the app", async () => {
    const many = Array.from({ length: 20 }, (_, i) => `t${i}`);
    await call("PATCH", `${hive}/notes`, { body: { files: { "a.json": { k1: { tags: many } } } } });
    await post(
      { "a.json": { k2: "Text k2" } },
      { body: { notes: { "a.json": { k2: { tags: ["menu"] } } } } },
    );
    const shown = await selection();
    await post({ "a.json": { k0: "Changed" } });
    await decide(shown, "tag-listed", { tags: "menu" });
    expect((await lead.get(list)).text).toContain("2 of them were changed since you saw them, or refused");
    expect(await Promise.all(["k0", "k1", "k2", "k3"].map(tagsOf))).toEqual([[], many, [], ["menu"]]);
    await decide(await selection(), "untag-listed", { tags: "menu" });
    expect((await lead.get(list)).text).toContain("1 of them was changed since you saw it, or refused");
  });

  it("are changed by those alone who may change notes, and are tags", async () => {
    const shown = await selection();
    const { status, text } = await decide(shown, "tag-listed", { tags: "x".repeat(60) });
    expect([status, text]).toEqual([422, expect.stringContaining("must have at most 50 characters")]);
    expect((await decide(shown, "tag-listed", { tags: " , " })).text).toContain("must not be empty");
    const before = await commits();
    for (const rights of [
      { abilities: ["read", "write"] as const, locales: ["fr"] },
      { abilities: ["read", "approve"] as const },
    ]) {
      lead = await signedIn(storage, { ...rights, abilities: [...rights.abilities] });
      const own = await selection();
      expect(own.html).not.toContain("tag-listed");
      expect((await decide(own, "tag-listed", { tags: "x" })).status).toBe(403);
    }
    expect(await commits()).toBe(before);
  });
});

describe("find and replace in selected strings", () => {
  it("looks in these alone, also in all forms of a plural, and its address keeps them", async () => {
    await translate({ ...textsOf("Texte"), n_one: "{{count}} Texte", n_other: "{{count}} Texte" });
    const all = "/hives/web/strings?locale=fr";
    const shown = await selection(all);
    const { status, headers } = await decide(shown, "replace-listed", {
      but: keys.filter((key) => !["k1", "k2"].includes(key)),
    });
    expect(status).toBe(303);
    const { pathname, search } = new URL(headers.get("location") ?? "", `http://x${shown.path}`);
    const { path, fields } = formIn(await lead.get(pathname + search), pathname, 'class="filters"');
    const query = new URLSearchParams({ ...fields, locale: "fr", find: "Texte", replace: "Mot" }).toString();
    const preview = await lead.get(`${path}?${query}`);
    expect(preview.text).toContain("4 texts found.");
    // One of them has no translation.
    expect(preview.text).toContain("4 selected strings");
    const sent = new URLSearchParams({ form_key: await lead.formKey() });
    for (const [, value = ""] of preview.html.matchAll(/name="selected" value="([^"]*)" checked/g))
      sent.append("selected", unescaped(value));
    await lead.send(`${path}?${query}`, sent);
    expect(await french()).toMatchObject({
      k1: "Mot k1",
      k2: "Mot k2",
      k3: "Texte k3",
      n_one: "{{count}} Mot",
      n_other: "{{count}} Mot",
    });
  });

  it("needs a selection, takes a thousand strings, and no other text as one", async () => {
    const shown = await selection();
    const none = await decide(shown, "replace-listed", { but: [...keys, "n_other"] });
    expect(none.text).toContain("Nothing was done: no text was selected.");
    const page = "/hives/web/replace?find=Texte&replace=x&among=";
    expect((await lead.get(page + "abcdef".repeat(1_000))).text).toContain("Nothing is found.");
    for (const wrong of ["abc", "abcde!", "abcdef".repeat(1_001)])
      expect((await lead.get(page + encodeURIComponent(wrong))).status).toBe(422);
  });
});
