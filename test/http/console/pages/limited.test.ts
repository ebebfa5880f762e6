/** What the pages offer to those who may write into some locales alone: nothing that is always refused. */
import { beforeEach, expect, it } from "vitest";
import type { Storage } from "../../../../src/service/storage.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call } from "../../../helpers/storage.ts";
import { actionOf, prepareBrowser, signedIn, unescaped, type ConsoleBrowser, type Page } from "../browse.ts";

let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;
const { head, post, translate } = hiveAt(() => call);

const api = "/api/hives/web";
const hive = "/hives/web";
const limits = { abilities: ["read", "write"], locales: ["fr"] } as const;

/** A Hive with a stale text, one that waits for a review, a term, a branch that has changed its French, and one that was deleted. */
const prepared = prepareBrowser({ locales: ["fr", "de"], token: { abilities: ["admin"] } }, async (web) => {
  ({ call } = web);
  await post({ "a.json": { open: "Open", close: "Close", stale: "Old" } });
  await translate("fr", { "a.json": { open: "Ouvrir" } }, { body: { review: "always" } });
  await translate("fr", { "a.json": { stale: "Vieux" } });
  await translate("de", { "a.json": { open: "Öffnen", stale: "Alt" } });
  await post({ "a.json": { stale: "Older" } });
  await call("POST", `${api}/glossary`, { body: { terms: [{ source: "open" }] } });
  for (const name of ["next", "gone"]) await call("POST", `${api}/branches`, { body: { name } });
  await call("DELETE", `${api}/branches/gone`);
  await translate("fr", { "a.json": { close: "Fermer" } }, { query: "branch=next" });
});
beforeEach(async () => {
  ({ storage, call, browser } = await prepared());
});

/** The forms that a page has, its links by the names of their parameters, and its boxes. */
function offersOf({ html }: Page, path: string): readonly string[] {
  const posts = html.split("<form").filter((form) => form.startsWith(' method="post"'));
  const links = Array.from(html.matchAll(/<a [^>]*href="([^"#]+)/g), ([, href = ""]) => {
    const { pathname, searchParams } = new URL(unescaped(href), `http://x${path}`);
    return `GET ${pathname}?${[...searchParams.keys()].join()}`;
  });
  return [
    ...posts.map((form) => `POST ${actionOf(form, path)}`),
    ...links,
    ...Array.from(html.matchAll(/type="checkbox" name="([^"]+)"/g), ([, name]) => `box ${name}`),
  ];
}

it.each([
  ["/glossary", `POST ${hive}/glossary`],
  ["/glossary", `GET ${hive}/glossary?locale,edit`],
  ["/glossary", `POST ${hive}/glossary/remove`],
  ["/glossary", `POST ${hive}/glossary/style`],
  ["/glossary", `POST ${hive}/glossary/files`],
  ["/branches", `POST ${hive}/branches`],
  ["/branches", `POST ${hive}/branches/restore`],
  ["/branches/next", `POST ${hive}/branches/next/delete`],
  ["/branches/next/merge", "box delete"],
  ["/tags", `POST ${hive}/tags`],
  ["/history/main", `GET ${hive}/tags?at`],
  ["/strings", `GET ${hive}/source/add?`],
  ["/pictures", `POST ${hive}/pictures`],
])("%s has %s for those who may write everything alone", async (page, offer) => {
  const path = hive + page;
  const limited = await signedIn(storage, limits);
  const [all, some] = [await browser.get(path), await limited.get(path)];
  expect([all.status, some.status]).toEqual([200, 200]);
  expect(offersOf(all, path)).toContain(offer);
  expect(offersOf(some, path)).not.toContain(offer);
});

it("a branch that changed texts of their locales is still merged by them", async () => {
  const limited = await signedIn(storage, limits);
  const path = `${hive}/branches/next`;
  expect(offersOf(await limited.get(path), path)).toContain(`GET ${path}/merge?into`);
  expect(offersOf(await limited.get(`${path}/merge`), `${path}/merge`)).toContain(`POST ${path}/merge`);
});

const [open, stale] = ["open", "stale"].map((key) => ({ locale: "fr", file: "a.json", keys: [key] }));
const terms = { terms: [{ source: "close" }] };
const notes = { files: { "a.json": { open: { note: "A button" } } } };

it.each([
  ["an approval", "POST", "/review/approve", open, "fr", true],
  ["an approval", "POST", "/review/approve", open, "de", false],
  ["a confirmation", "POST", "/stale/confirm", stale, "fr", true],
  ["a confirmation", "POST", "/stale/confirm", stale, "de", false],
  ["terms", "POST", "/glossary", terms, "fr", false],
  ["a note", "PATCH", "/notes", notes, "fr", false],
] as const)(
  "the undo of %s (%s %s, %j) is offered to %s: %j",
  async (_, method, path, body, limit, isOffered) => {
    const before = await head();
    expect((await call(method, `${api}${path}`, { body })).status).toBeLessThan(300);
    expect(await head()).not.toBe(before);
    const commit = `${hive}/history/${await head()}`;
    const limited = await signedIn(storage, { ...limits, locales: [limit] });
    const undo = `GET ${commit}/undo?`;
    expect(offersOf(await browser.get(commit), commit)).toContain(undo);
    expect(offersOf(await limited.get(commit), commit).includes(undo)).toBe(isOffered);
    expect((await limited.get(`${commit}/undo`)).status).toBe(isOffered ? 200 : 403);
  },
);
