/** Find and replace in the console, without its scripts: the preview, what is sent, and what is said then. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../src/service/storage.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { makeToken, type Call } from "../../helpers/storage.ts";
import { actionOf, prepareBrowser, signedIn, unescaped, type ConsoleBrowser, type Page } from "./browse.ts";

const hive = "/api/hives/web";
const page = "/hives/web/replace";
let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;
const { translate, post, exported } = hiveAt(() => call);

const prepared = prepareBrowser({ locales: ["fr", "de", "pt-BR=pt_BR"] }, async (web) => {
  ({ call } = web);
  const source = { hello: "Hello {{name}}", board: "Board", note: "A board" };
  await post({ "a.json": source, "b.strings": { p: "%s, 5" } });
  const french = { hello: "Tableau de {{name}}", board: "Tableau", note: "Un tableau" };
  await translate("fr", { "a.json": french, "b.strings": { p: "%s, 5 tableau" } });
  await translate("pt_BR", { "a.json": { board: "tableau" } });
});
beforeEach(async () => {
  ({ storage, call, browser } = await prepared());
});

const texts = async (locale = "fr", branch = "main"): Promise<unknown> => {
  const { json } = await exported(`locale=${locale}&branch=${branch}`);
  return JSON.parse(json.files["a.json"]);
};

interface Box {
  readonly name: string;
  readonly value: string;
  readonly isChecked: boolean;
  readonly isDisabled: boolean;
}

function boxesIn({ html }: Pick<Page, "html">): readonly Box[] {
  return Array.from(
    html.matchAll(/<input type="checkbox" name="(selected|failing)" value="([^"]*)"([^>]*)>/g),
  ).map(([, name = "", value = "", rest = ""]) => ({
    name,
    value: unescaped(value),
    isChecked: rest.includes("checked"),
    isDisabled: rest.includes("disabled"),
  }));
}

/** Sends the form of a preview. @param chosen the boxes that are checked. */
async function send(
  path: string,
  shown: Page,
  chosen: (boxes: readonly Box[]) => readonly Box[],
): Promise<Page> {
  const form = shown.html.split("<form").find((one) => one.includes('name="selected"')) ?? "";
  const fields = new URLSearchParams({ form_key: await browser.formKey() });
  for (const { name, value } of chosen(boxesIn(shown))) fields.append(name, value);
  return browser.send(actionOf(form, path), fields);
}

const checked = (boxes: readonly Box[]): readonly Box[] => boxes.filter(({ isChecked }) => isChecked);
/** The page that a form leads to. */
const after = async ({ status, headers }: Page): Promise<Page & { readonly address: string }> => {
  expect(status).toBe(303);
  const { pathname, search } = new URL(headers.get("location") ?? "", `http://skep.example${page}`);
  const address = pathname + search;
  return { ...(await browser.get(address)), address };
};

describe("the preview", () => {
  it("shows each change word by word, with a box that is checked", async () => {
    const { text, html } = await browser.get(`${page}?find=tableau&replace=panneau&whole_words=true`);
    expect(text).toContain("5 texts found.");
    expect(html).toContain("<del>Tableau</del><ins>panneau</ins> de");
    expect(boxesIn({ html }).map(({ isChecked }) => isChecked)).toEqual([true, true, true, true, true]);
    expect(text).toContain("Replace 5");
  });

  it.each([
    ["locale=pt_BR", 1],
    ["match_case=true", 3],
    ["q=hello", 1],
    ["q=HELLO&exact=true", 0],
    ["state=missing", 0],
    ["file=a.json&locale=fr", 3],
    ["origin=model", 0],
    ["since=main", 0],
  ])("finds what the filters select: %s", async (filter, count) => {
    const shown = await browser.get(`${page}?find=tableau&replace=x&${filter}`);
    expect([shown.status, boxesIn(shown).length]).toEqual([200, count]);
  });

  it("names the texts that stay, and does not check them", async () => {
    const error = await browser.get(`${page}?find=tableau&replace=%25&locale=fr`);
    expect(error.text).toContain("1 of them stays as it is, for the reason beside it.");
    expect(error.text).toContain("a percent sign that begins no argument is written %%");
    expect(boxesIn(error).map(({ name, isChecked, isDisabled }) => [name, isChecked, isDisabled])).toEqual([
      ["selected", true, false],
      ["selected", true, false],
      ["selected", true, false],
      ["failing", false, false],
    ]);
    const changed = await browser.get(`${page}?find=tableau&replace={{x}}&q=hello`);
    expect(changed.text).toContain("Its arguments or tags would be others, so it stays as it is.");
    expect(boxesIn(changed)).toMatchObject([{ isChecked: false, isDisabled: true }]);
  });

  it("offers no text that would break to those who may not let errors pass", async () => {
    const strict = await signedIn(storage, { checks: "strict" });
    const shown = await strict.get(`${page}?find=tableau&replace=%25&locale=fr`);
    expect(shown.text).toContain("a percent sign that begins no argument is written %%");
    expect(boxesIn(shown).map(({ isChecked, isDisabled }) => [isChecked, isDisabled])).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [false, true],
    ]);
  });

  it("says what is wrong with a field, and looks for nothing without one", async () => {
    const empty = await browser.get(page);
    expect([empty.status, empty.text.includes("found"), boxesIn(empty)]).toEqual([200, true, []]);
    const long = await browser.get(`${page}?find=${"x".repeat(201)}&replace=y`);
    expect([long.status, long.text]).toEqual([
      422,
      expect.stringContaining("must be at most 200 characters"),
    ]);
    expect((await browser.get(`${page}?find=x&locale=xx`)).status).toBe(422);
    expect((await browser.get(`${page}?find=absent`)).text).toContain("Nothing is found.");
  });

  it("is linked from the list of strings, with its filters", async () => {
    const { html } = await browser.get("/hives/web/strings?locale=fr&state=translated&q=board&file=a.json");
    const [, href = ""] = /href="([^"]*)">Find and replace</.exec(html) ?? [];
    const { pathname, searchParams } = new URL(unescaped(href), "http://skep.example/hives/web/strings");
    expect([pathname, Object.fromEntries(searchParams)]).toEqual([
      page,
      { locale: "fr", state: "translated", q: "board", file: "a.json" },
    ]);
    const reader = await signedIn(storage, { abilities: ["read"] });
    expect((await reader.get("/hives/web/strings?locale=fr")).text).not.toContain("Find and replace");
    expect((await reader.get(page)).status).toBe(403);
  });

  it("has the locales that one may write alone", async () => {
    const limited = await signedIn(storage, { locales: ["pt-BR"] });
    const shown = await limited.get(`${page}?find=tableau&replace=x`);
    expect([shown.text.includes("French"), boxesIn(shown).length]).toEqual([false, 1]);
    expect((await limited.get(`${page}?find=tableau&replace=x&locale=fr`)).status).toBe(403);
  });
});

describe("the form", () => {
  const path = `${page}?find=tableau&replace=panneau&file=a.json`;

  it("replaces the texts that are selected, as one commit that can be undone", async () => {
    const shown = await browser.get(path);
    const done = await after(await send(path, shown, (boxes) => boxes.slice(1, 4)));
    expect(done.text).toContain("Replaced by one commit, which you can undo.");
    expect(done.html).toMatch(/href="[^"]*\/history\/[0-9a-f]{40}\/undo"/);
    expect(await texts()).toMatchObject({
      hello: "Tableau de {{name}}",
      board: "panneau",
      note: "Un panneau",
    });
    expect(await texts("pt_BR")).toMatchObject({ board: "panneau" });
    expect(boxesIn(done)).toHaveLength(1);
  });

  it("shows what it has replaced in place of a search that finds nothing any more", async () => {
    const done = await after(await send(path, await browser.get(path), checked));
    expect(done.text).not.toContain("Nothing is found.");
    expect(done.html).toMatch(/<h2><a href="[^"]*\/history\/[0-9a-f]{40}">4 texts replaced<\/a>/);
    expect(done.html).toContain("<del>Tableau</del><ins>panneau</ins>");
    const [, commit = ""] = /done=([0-9a-f]{40})/.exec(done.address) ?? [];
    expect((await browser.get(`${path}&done=${commit}`)).text).toContain("4 texts replaced");
    for (const other of ["x", "0".repeat(40)])
      expect([422, 404]).toContain((await browser.get(`${path}&done=${other}`)).status);
  });

  it("says how many of the replaced texts wait for a review", async () => {
    const token = await makeToken(storage, { abilities: ["admin"] });
    const review = (value: "all" | null) =>
      call("PATCH", `${hive}/locales/fr`, { token, body: { review: value } });
    await review("all");
    const done = await after(await send(path, await browser.get(path), checked));
    expect(done.text).toContain(
      "Replaced by one commit, which you can undo. 3 of the texts wait for a review.",
    );
    await review(null);
    const back = `${page}?find=panneau&replace=tableau&file=a.json`;
    const free = await after(await send(back, await browser.get(back), checked));
    expect(free.text).toContain("Replaced by one commit, which you can undo.");
    expect(free.text).not.toContain("wait for a review");
  });

  it("leaves what somebody else has changed, and says so", async () => {
    const shown = await browser.get(path);
    await translate("fr", { "a.json": { board: "Notre tableau" } });
    const done = await after(await send(path, shown, checked));
    expect(done.text).toContain("1 of them was changed since you saw it, or refused");
    expect(await texts()).toMatchObject({ board: "Notre tableau", note: "Un panneau" });
    const again = await after(await send(path, shown, (boxes) => boxes.slice(0, 2)));
    expect(again.text).toContain(
      "Nothing was done: what was selected was changed since you saw it, or is refused.",
    );
    const none = await after(await send(path, shown, () => []));
    expect(none.text).toContain("Nothing was done: no text was selected.");
  });

  it("lets the error pass beside which somebody has selected a text", async () => {
    const failing = `${page}?find=tableau&replace=%25&file=b.strings`;
    const shown = await browser.get(failing);
    const done = await after(await send(failing, shown, (boxes) => boxes));
    expect(done.text).toContain("Replaced by one commit");
    const { json } = await call("GET", `${hive}/checks`);
    expect(json.data).toMatchObject([{ key: "p", check: "syntax" }]);
  });

  it("leaves the error of somebody who may not let it pass, and replaces the other texts", async () => {
    const failing = `${page}?find=tableau&replace=%25&locale=fr`;
    const shown = await browser.get(failing);
    await browser.signIn(await makeToken(storage, { checks: "strict" }));
    const done = await after(await send(failing, shown, (boxes) => boxes));
    expect(done.text).toContain("1 of them was changed since you saw it, or refused");
    expect(await texts()).toMatchObject({ board: "%", note: "Un %" });
    const { data } = (await call("GET", `${hive}/checks`)).json;
    expect(data).not.toContainEqual(expect.objectContaining({ key: "p" }));
  });

  it("is about the branch of the page", async () => {
    await call("POST", `${hive}/branches`, { body: { name: "next" } });
    const at = `${path}&branch=next`;
    const done = await after(await send(at, await browser.get(at), checked));
    expect(done.text).toContain("Replaced by one commit");
    expect(await texts("fr", "next")).toMatchObject({ board: "panneau" });
    expect(await texts()).toMatchObject({ board: "Tableau" });
  });

  it("takes nothing that no page has", async () => {
    for (const value of [
      "x",
      "[]",
      '["fr","a.json","board"]',
      '["xx","a.json","board","x"]',
      '["fr",1,2,3]',
    ]) {
      const refused = await browser.submit(path, { selected: value });
      expect([value, refused.status]).toEqual([value, 422]);
    }
  });
});
