/** Comments in the console: on the page of a string, on the page of work, and all of a Hive. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Ability } from "../../../src/domain/access/token.ts";
import { toTeamName } from "../../../src/domain/names.ts";
import { invitePerson } from "../../../src/service/people/invitations.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { makePerson } from "../../helpers/people/people.ts";
import { ownerGrant } from "../../helpers/people/tokens.ts";
import type { Call } from "../../helpers/storage.ts";
import {
  actionOf,
  browse,
  host,
  prepareBrowser,
  signedIn,
  type ConsoleBrowser,
  type Page,
} from "./browse.ts";

let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;

const api = "/api/hives/web/comments";
const list = "/hives/web/comments";
const open = "/hives/web/strings/a.json/open";
const desk = "/hives/web/translate/fr?at=a.json%3Aopen";

const prepared = prepareBrowser({ locales: ["fr", "de"], token: { name: "Lead" } }, async (web) => {
  const files = { "a.json": { open: "Open", close: "Close", n_one: "One", n_other: "Many" } };
  await web.put(files);
});
beforeEach(async () => {
  ({ storage, call, browser } = await prepared());
});

/** A person who has signed in with a password. */
async function personOf(id: string, abilities: readonly Ability[]): Promise<ConsoleBrowser> {
  const publicUrl = `http://${host}`;
  await makePerson(storage, { id, name: `Name of ${id}`, abilities });
  const { url } = await invitePerson(storage, ownerGrant(toTeamName("acme")), id, publicUrl);
  const own = browse(storage, { publicUrl });
  const code = new URL(url).searchParams.get("code") ?? "";
  await own.post("/invitation", { code, password: "twelve letters" });
  return own;
}

/** The hidden fields of a form on a page, by a field that it has. */
function hiddenOf({ html }: Page, change: string): Readonly<Record<string, string>> {
  const form = html.split("<form").find((one) => one.includes(`name="change" value="${change}"`)) ?? "";
  const fields = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries(
    Array.from(fields, ([, name = "", value = ""]) => [name, value.replaceAll("&quot;", '"')] as const),
  );
}

/** Sends the form of a page that makes a change of comments, as this page has it. */
async function send(
  by: ConsoleBrowser,
  page: string,
  change: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const hidden = hiddenOf(await by.get(page), change);
  return by.submit(list, { ...hidden, ...fields });
}

const said = async () => (await call("GET", api)).json.data;
const say = (more: object = {}) =>
  call("POST", api, { body: { file: "a.json", key: "open", text: "Hm", ...more } });

describe("the comments on a string", () => {
  it("are folded on its page, and open with a question, which an answer settles", async () => {
    expect((await browser.get(open)).html).toMatch(/<summary>Comments\s*<\/summary>/);
    const asked = await send(browser, open, "comment", { text: "A <b>verb</b>?\nOr not?", ask: "true" });
    expect([asked.status, asked.headers.get("location")]).toEqual([
      303,
      expect.stringContaining("a.json/open"),
    ]);
    const page = await browser.get(open);
    expect(page.html).toMatch(/<details class="comments" id="comments" open/);
    expect(page.text).toContain("1 comment 1 open question");
    expect(page.text).toContain("A <b>verb</b>?");
    expect(page.html).not.toContain("<b>verb");
    const tom = await personOf("tom", ["read", "write"]);
    const answered = await send(tom, open, "comment", { text: "Yes" });
    expect(answered.status).toBe(303);
    expect(await said()).toMatchObject([
      { text: "Yes", author: "Name of tom" },
      { text: "A <b>verb</b>?\nOr not?", settled: true, withholds: true },
    ]);
    const after = await browser.get(open);
    expect(after.html).not.toMatch(/<details class="comments" id="comments" open/);
    expect(after.html).toContain('<details class="settled">');
  });

  it("stay open by the box for that, which is ticked for whoever asked", async () => {
    await send(browser, open, "comment", { text: "A verb?", ask: "true" });
    const box = /<input type="checkbox" name="still_open" value="true"( checked="")?/;
    expect(box.exec((await browser.get(open)).html)?.[1]).toBeDefined();
    const tom = await personOf("tom", ["read", "write"]);
    expect(box.exec((await tom.get(open)).html)?.slice(1)).toEqual([undefined]);
    await send(tom, open, "comment", { text: "Wait", still_open: "true" });
    expect((await said())[1]).toMatchObject({ settled: false });
  });

  it("come back as they were written when they are refused", async () => {
    const text = "x".repeat(2_001);
    const refused = await send(browser, open, "comment", { text, locale: "de", ask: "true" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("must have at most 2000 characters");
    expect(refused.html).toContain(text);
    expect(refused.html).toMatch(/<option value="de" selected/);
    expect(refused.html).toMatch(/name="ask" value="true" checked/);
    const { id } = (await say()).json;
    const changed = await send(browser, open, "text", { text: " " });
    expect([changed.status, changed.text]).toEqual([422, expect.stringContaining("Nothing was saved")]);
    expect((await send(browser, open, "text", { text: "Changed" })).status).toBe(303);
    expect(await said()).toMatchObject([{ id, text: "Changed" }]);
  });

  it.each([
    ["the page of its string", open],
    ["the page of work", desk],
  ])("come back as they were changed on %s, when somebody has deleted them meanwhile", async (_, page) => {
    const { id } = (await say()).json;
    await say({ text: "Another" });
    const form = hiddenOf(await browser.get(page), "text");
    expect(form).toMatchObject({ id });
    expect((await call("DELETE", `${api}/${id}`)).status).toBe(200);
    const refused = await browser.submit(list, { ...form, text: "Changed at <b>length</b>" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("Nothing was saved. There is no such comment");
    expect(refused.html).toMatch(/<textarea[^>]*name="text"[^>]*>\n?Changed at &lt;b&gt;length/);
    const comment = hiddenOf(refused, "comment");
    expect((await browser.submit(list, { ...comment, text: "Changed at length" })).status).toBe(303);
    expect(await said()).toMatchObject([{ text: "Changed at length" }, { text: "Another" }]);
  });

  it("say so when they were deleted before they are settled", async () => {
    const { id } = (await say({ ask: true })).json;
    const form = hiddenOf(await browser.get(open), "settle");
    await call("DELETE", `${api}/${id}`);
    const refused = await browser.submit(list, form);
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining("There is no such comment"),
    ]);
  });

  it("are shown as they were written when there is no place or no time for them", async () => {
    const gone = await send(browser, open, "comment", { key: "gone", text: "Where is it?" });
    expect([gone.status, gone.text]).toEqual([422, expect.stringContaining("Where is it?")]);
    for (let i = 0; i < 60; i++) await say({ text: String(i) });
    const late = await send(browser, open, "comment", { text: "One more" });
    expect([late.status, late.text]).toEqual([429, expect.stringContaining("One more")]);
  });

  it("are changed, settled and deleted by whoever may, and by nobody else", async () => {
    const reader = await personOf("rita", ["read"]);
    const { html } = await reader.get(open);
    expect(html).toContain('name="change" value="comment"');
    expect((await send(reader, open, "comment", { text: "Why?", ask: "true" })).status).toBe(303);
    expect(await said()).toMatchObject([{ text: "Why?", author: "Name of rita", withholds: false }]);
    await say({ text: "Ours?", ask: true, key: "close" });
    const close = open.replace("open", "close");
    const { html: theirs } = await reader.get(close);
    for (const change of ["settle", "text", "delete"])
      expect(theirs).not.toContain(`name="change" value="${change}"`);
    const forged = { ...hiddenOf(await browser.get(close), "settle"), form_key: await reader.formKey() };
    expect((await reader.submit(list, forged)).status).toBe(403);
    // The writer of the Hive may settle the reader's question, but not change its text.
    expect((await browser.get(open)).html).not.toContain('name="change" value="text"');
    await send(browser, open, "settle");
    expect((await said())[1]).toMatchObject({ text: "Why?", settled: true });
    await send(browser, open, "open");
    expect((await said())[1]).toMatchObject({ settled: false });
    expect((await send(reader, open, "delete")).status).toBe(303);
    expect(await said()).toMatchObject([{ text: "Ours?" }]);
  });

  it("are read only for tokens that only read", async () => {
    await say();
    const reader = await signedIn(storage, { abilities: ["read"] });
    const { html, text } = await reader.get(open);
    expect(text).toContain("Hm");
    expect(html).not.toContain('name="change" value="comment"');
    const fields = { change: "comment", file: "a.json", key: "open", text: "x", in: "string" };
    expect((await reader.submit(list, fields)).status).toBe(403);
  });

  it("of a plural string stand on the page of each form", async () => {
    await say({ key: "n_one", text: "Of what?" });
    for (const key of ["n_one", "n_other"])
      expect((await browser.get(`/hives/web/strings/a.json/${key}`)).text).toContain("Of what?");
  });
});

describe("the page of work", () => {
  it("has the comments of its string, and stays there when one is added", async () => {
    await say({ text: "A verb?", ask: true });
    const page = await browser.get(desk);
    expect(page.text).toContain("1 comment 1 open question");
    const answered = await send(browser, `${desk}&want=asked`, "comment", { text: "Yes", locale: "fr" });
    expect(answered.status).toBe(303);
    const to = answered.headers.get("location") ?? "";
    expect(decodeURIComponent(to)).toContain("translate/fr?want=asked&at=a.json:open");
    expect(await said()).toMatchObject([{ text: "Yes", locale: "fr" }, { settled: true }]);
  });

  it("goes nowhere else by what a form says", async () => {
    const fields = {
      ...hiddenOf(await browser.get(desk), "comment"),
      into: "//evil.example/",
      filters: '{"want": "x", "y": {"z": 1}}',
      text: "x",
    };
    const { headers } = await browser.submit(list, fields);
    const to = new URL(headers.get("location") ?? "", `http://${host}${list}`);
    expect([to.host, to.pathname]).toEqual([host, "/hives/web/translate/%2F%2Fevil.example%2F"]);
  });
});

describe("the page of all comments", () => {
  beforeEach(async () => {
    await say({ text: "A verb?", ask: true, locale: "fr" });
    await say({ text: "Hm", key: "close" });
    await say({ text: "Settled?", ask: true, key: "close" });
    await say({ text: "Yes", key: "close" });
  });

  it("has the newest first, with filters", async () => {
    const textsOn = async (query: string): Promise<readonly (string | undefined)[]> => {
      const { html } = await browser.get(list + query);
      return Array.from(
        html.matchAll(/<p class="said"><span class="text"[^>]*>([^<]*)/g),
        ([, text]) => text,
      );
    };
    expect(await textsOn("")).toEqual(["Yes", "Settled?", "Hm", "A verb?"]);
    expect(await textsOn("?show=open")).toEqual(["A verb?"]);
    expect(await textsOn("?show=questions")).toEqual(["Settled?", "A verb?"]);
    expect(await textsOn("?show=mine")).toHaveLength(4);
    expect(await textsOn("?locale=de")).toEqual(["Yes", "Settled?", "Hm"]);
    expect(await textsOn("?file=b.json")).toEqual([]);
    const tom = await personOf("tom", ["read", "write"]);
    expect((await tom.get(`${list}?show=mine`)).text).toContain("0 comments found");
    expect((await tom.get(`${list}?show=others`)).text).toContain("1 comment found");
    expect((await browser.get(`${list}?show=others`)).text).toContain("0 comments found");
    expect((await browser.get(`${list}?show=all`)).status).toBe(422);
  });

  it("settles and deletes, and stays in its list", async () => {
    const settled = await send(browser, `${list}?show=open`, "settle");
    expect(settled.headers.get("location")).toMatch(/comments\?show=open$/);
    expect((await browser.get(`${list}?show=open`)).text).toContain("0 comments found");
  });

  it("is where the overview leads to", async () => {
    const overview = await browser.get("/hives/web");
    expect(overview.html).toMatch(/href="[^"]*comments\?show=open">1 open question</);
    await send(browser, `${list}?show=open`, "settle");
    expect((await browser.get("/hives/web")).html).toMatch(/href="[^"]*comments">4 comments</);
    expect((await browser.get("/hives/web")).status).toBe(200);
    const [form = ""] = (await browser.get(list)).html.match(/<form[^>]*class="filters"[^>]*>/) ?? [];
    expect(actionOf(form, list)).toBe(list);
  });
});

it("folds comments in the history, whoever made them and on whatever string", async () => {
  for (const key of ["open", "close", "n_other"]) await say({ key });
  const { html, text } = await browser.get("/hives/web/history");
  expect(text).toContain("3 × comments");
  expect(html).toMatch(/<option value="comment">comments/);
});
