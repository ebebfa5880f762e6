/** What pages ask for while somebody looks at them: how much others have changed since. */
import { beforeEach, expect, it } from "vitest";
import type { Storage } from "../../../../src/service/storage.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call } from "../../../helpers/storage.ts";
import { prepareBrowser, signedIn, type ConsoleBrowser } from "../browse.ts";

const api = "/api/hives/web";
let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;
const { post } = hiveAt(() => call);

const prepared = prepareBrowser({ locales: ["fr"], token: { abilities: ["admin"] } });
beforeEach(async () => {
  ({ storage, call, browser } = await prepared());
});

const change = (texts: object, query = "") => post({ "a.json": texts }, { query });

/** The address at which a page asks, as the browser sees it. */
const newsOf = (html: string, path: string): string => {
  const [, address = expect.fail("no news")] = /data-news="([^"]*)"/.exec(html) ?? [];
  const { pathname, search } = new URL(address.replaceAll("&amp;", "&"), `http://x${path}`);
  return pathname + search;
};

it.each(["", "/strings", "/history"])(
  "a page says where its news are, which count others' commits: %s",
  async (page) => {
    const path = `/hives/web${page}`;
    const other = await signedIn(storage, { abilities: ["read"] });
    const address = newsOf((await other.get(path)).html, path);
    expect((await other.get(address)).html).not.toContain('id="news"');
    await change({ a: "A" });
    expect((await other.get(address)).text).toContain("1 new change Show");
    await change({ b: "B" });
    expect((await other.get(address)).text).toContain("2 new changes Show");
    // Whoever made them knows of them.
    expect((await browser.get(address)).html).not.toContain('id="news"');
    expect((await other.get(newsOf((await other.get(path)).html, path))).html).not.toContain('id="news"');
  },
);

it("news are of the branch of the page, and of a commit alone", async () => {
  await change({ a: "A" });
  await call("POST", `${api}/branches`, { body: { name: "b" } });
  const other = await signedIn(storage, { abilities: ["read"] });
  const path = "/hives/web/strings?branch=b";
  const address = newsOf((await other.get(path)).html, path);
  await change({ c: "C" });
  expect((await other.get(address)).html).not.toContain('id="news"');
  await change({ d: "D" }, "branch=b");
  expect((await other.get(address)).text).toContain("1 new change");
  for (const since of ["", "?since=main", "?since=1234567"])
    expect((await other.get(`/hives/web/news${since}`)).status).toBe(422);
});
