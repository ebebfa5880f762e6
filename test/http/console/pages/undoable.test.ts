/** What the notice about a form offers: the undo of what it wrote; and what it says where nothing was written. */
import { beforeEach, describe, expect, it } from "vitest";
import { png } from "../../../domain/pictures/images.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call } from "../../../helpers/storage.ts";
import { prepareBrowser, unescaped, type ConsoleBrowser, type Page } from "../browse.ts";

let call: Call;
let browser: ConsoleBrowser;
const { put, translate } = hiveAt(() => call);

const api = "/api/hives/web";
const web = "/hives/web";
const hello = `${web}/strings/a.json/hello`;

const prepared = prepareBrowser(
  { locales: ["fr"], token: { name: "Lead", abilities: ["admin"] } },
  async (made) => {
    ({ call } = made);
    const files = { "a.json": { hello: "Hello {{name}}", bye: "Bye" }, "b.json": { x: "X" } };
    await put(files);
    await translate("fr", { "a.json": { hello: "Salut {{nom}}" }, "b.json": { x: "Ix" } });
  },
);
beforeEach(async () => {
  ({ call, browser } = await prepared());
});

/** All of the Hive that forms change. */
async function state(): Promise<readonly unknown[]> {
  const paths = ["strings", "notes", "glossary", "style/fr", "pictures", "comments", "checks"];
  const all = paths.map(async (path) => {
    const { status, json } = await call("GET", `${api}/${path}`);
    expect([path, status]).toEqual([path, 200]);
    return json;
  });
  return [...(await Promise.all(all)), (await call("GET", `${api}/export?locale=fr&format=json`)).json];
}

/** What the page says that a form leads to, and the address of the undo that it offers. */
async function noticeAfter(
  page: Page,
  path: string,
): Promise<{ readonly said: string; readonly undo: string }> {
  expect([page.status, page.text]).toEqual([303, ""]);
  const to = new URL(page.headers.get("location") ?? "", `http://x${path}`);
  const { html } = await browser.get(to.pathname + to.search);
  const [, said = "", href] =
    /id="notice" role="status">([^<]+)(?:<a href="([^"]*)">Undo<\/a>)?/.exec(html) ?? [];
  if (href === undefined) return { said: said.trim(), undo: "" };
  const undo = new URL(unescaped(href), to);
  return { said: said.trim(), undo: undo.pathname + undo.search };
}

interface Sending {
  readonly path: string;
  readonly send: () => Promise<Page>;
}

const submitting = (path: string, fields: Readonly<Record<string, string>>): Sending => ({
  path,
  send: () => browser.submit(path, fields),
});
const picture = { content: ["login.png", png(4, 4)] } as const;
const addition = (): Sending => {
  const path = `${web}/pictures`;
  return { path, send: () => browser.upload(path, { strings: "a.json:hello" }, picture) };
};
const addTerm = async (): Promise<string> => {
  await call("POST", `${api}/glossary`, { body: { terms: [{ source: "file" }] } });
  return (await call("GET", `${api}/glossary`)).json.data[0].id;
};
const addPicture = async (): Promise<string> => {
  await addition().send();
  return (await call("GET", `${api}/pictures`)).json.data[0].hash;
};
const term = { locale: "fr", source: "file", text: "fichier", match: "word" };
const style = () => submitting(`${web}/glossary/style`, { locale: "fr", text: "Be brief." });
const note = (seen: object = {}) =>
  submitting(hello, { change: "note", note: "A greeting", seen: JSON.stringify(seen) });
const alarm = (check = "argument-extra") => submitting(hello, { change: "accept", locale: "fr", check });

it.each<[what: string, prepare: () => Promise<Sending> | Sending]>([
  ["a term that was added", () => submitting(`${web}/glossary`, term)],
  [
    "a term that was changed",
    async () => submitting(`${web}/glossary`, { ...term, edit: await addTerm(), meaning: "a document" }),
  ],
  [
    "a term that was removed",
    async () => submitting(`${web}/glossary/remove`, { locale: "fr", id: await addTerm() }),
  ],
  [
    "a file of terms",
    async () => {
      const path = `${web}/glossary/files`;
      const sent = await browser.upload(
        path,
        { mode: "merge" },
        { upload: ["t.csv", "source,fr\nfile,fichier\n"] },
      );
      const { pathname } = new URL(sent.headers.get("location") ?? "", `http://x${path}`);
      return submitting(pathname, {});
    },
  ],
  ["a style", style],
  ["a note", () => note()],
  ["a false alarm", () => alarm()],
  ["a file that was removed", () => submitting(`${web}/settings/files/remove`, { file: "b.json" })],
  ["a picture that was added", addition],
  [
    "a string that was marked in a picture",
    async () => {
      const at = { picture: await addPicture(), file: "a.json", key: "hello" };
      return submitting(`${web}/pictures/box`, { ...at, x: "0", y: "1", width: "1", height: "1" });
    },
  ],
  [
    "a picture that was deleted",
    async () => submitting(`${web}/pictures/delete`, { hash: await addPicture() }),
  ],
  [
    "a comment that was deleted",
    async () => {
      const at = { file: "a.json", key: "hello" };
      const { id } = (await call("POST", `${api}/comments`, { body: { ...at, text: "Hm" } })).json;
      return submitting(`${web}/comments`, { ...at, in: "string", change: "delete", id });
    },
  ],
])("the notice offers the undo of %s", async (_, prepare) => {
  const { path, send } = await prepare();
  const before = await state();
  const { undo } = await noticeAfter(await send(), path);
  expect(await state()).not.toEqual(before);
  const { commit } = (await call("GET", `${api}/history`)).json.data[0];
  expect(undo).toBe(`${web}/history/${commit}/undo`);
  const preview = await browser.get(undo);
  expect(preview.html).toContain('name="on_conflict"');
  expect((await browser.submit(undo, { on_conflict: "fail", head: commit })).status).toBe(303);
  expect(await state()).toEqual(before);
});

describe("where nothing was written, the notice says so, and offers no undo", () => {
  const change = async () => submitting(`${web}/glossary`, { ...term, edit: await addTerm() });
  it.each<[what: string, first: () => Promise<Sending> | Sending, again?: () => Sending]>([
    ["a term", change],
    ["a style", style],
    ["a note", () => note(), () => note({ note: "A greeting" })],
    ["a false alarm", () => alarm()],
    ["a picture", addition],
  ])("of %s that was so already", async (_, first, again) => {
    await (await first()).send();
    const { path, send } = await (again ?? first)();
    const said = await noticeAfter(await send(), path);
    expect(said).toEqual({ said: "Nothing was saved: it was so already.", undo: "" });
  });

  it.each<[what: string, change: () => Promise<unknown>]>([
    ["that was mended", () => translate("fr", { "a.json": { hello: "Salut {{name}}" } })],
    ["whose string is gone", () => put({ "a.json": { bye: "Bye" } })],
  ])("of a false alarm %s meanwhile", async (_, change) => {
    await change();
    const { headers } = await alarm().send();
    expect(headers.getSetCookie().join()).toContain("skep-notice=done-none;");
  });

  it("of a note on a string that is gone meanwhile", async () => {
    await put({ "a.json": { bye: "Bye" } });
    const { headers } = await note().send();
    expect(headers.getSetCookie().join()).toContain("skep-notice=done-none;");
  });
});

it("the notice on a page of a branch offers no undo of what was written to main", async () => {
  await call("POST", `${api}/branches`, { body: { name: "next" } });
  const path = `${web}/glossary?branch=next`;
  const { said, undo } = await noticeAfter(await browser.submit(path, term), path);
  expect([said, undo]).toEqual(["Saved.", ""]);
});

it("the notice about a language that was removed offers no undo, as its settings stay removed", async () => {
  const path = `${web}/settings/languages/fr`;
  const { said, undo } = await noticeAfter(await browser.submit(path, { change: "delete" }), path);
  expect([said, undo]).toEqual(["Deleted.", ""]);
  const { commit } = (await call("GET", `${api}/history`)).json.data[0];
  expect((await browser.get(`${web}/history/${commit}/undo`)).html).not.toContain('name="on_conflict"');
});
