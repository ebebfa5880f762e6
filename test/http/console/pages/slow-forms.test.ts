/** Forms that are refused show pages that may take seconds: within the limit for these, and once. */
import { beforeEach, expect, it, vi } from "vitest";
import { invalid } from "../../../../src/domain/errors.ts";
import { SlowReads } from "../../../../src/service/slow-reads.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call } from "../../../helpers/storage.ts";
import { formIn, prepareBrowser, type ConsoleBrowser, type Fields, type Page } from "../browse.ts";

let call: Call;
let browser: ConsoleBrowser;
const { post, translate } = hiveAt(() => call);

const hive = "/hives/web";

const prepared = prepareBrowser({ locales: ["fr"], token: { abilities: ["admin"] } }, async (web) => {
  ({ call } = web);
  await post({ "a.json": { open: "Open", close: "Close" } });
  await translate("fr", { "a.json": { open: "Ouvrir" } });
  await call("POST", "/api/hives/web/branches", { body: { name: "next" } });
  await translate("fr", { "a.json": { open: "Ouvrez" } }, { query: "branch=next" });
  await translate("fr", { "a.json": { open: "Ouvre" } });
});
beforeEach(async () => {
  ({ call, browser } = await prepared());
});

/** The page, what the form has in its markup, and what is sent. */
const forms: readonly (readonly [what: string, page: string, has: string, sent: Fields])[] = [
  ["nothing selected in a list", "/strings?locale=fr", 'id="bulk"', { change: "approve-listed" }],
  ["nothing selected among all", "/selection/fr", 'id="bulk"', { change: "approve-listed" }],
  ["no tags of a list", "/strings?locale=fr", 'id="bulk"', { change: "tag-listed", selected: "0" }],
  ["no tags of all", "/selection/fr", 'id="bulk"', { change: "tag-listed", selected: "0" }],
  ["an empty question in the queue", "/translate/fr", 'class="edit', { change: "ask" }],
  ["an empty question", "/strings/a.json/open?locale=fr", 'name="at"', { change: "ask" }],
  ["an empty comment", "/strings/a.json/open", '"change" value="comment"', { change: "comment" }],
  ["a string without a key", "/source/add", "/source/add", { file: "a.json", key: "" }],
  ["a string before it is written", "/source/add", "/source/add", { file: "a.json", key: "more" }],
  ["a branch without a name", "/branches", 'name="from"', { name: "" }],
  ["a tag without a name", "/tags", 'name="at"', { name: "" }],
  ["conflicts that stay open", "/branches/next/merge", 'name="commit"', { delete: "yes" }],
];

/** Sends a form, and counts the reads within the limit from then on. */
async function send(page: string, has: string, more: Fields) {
  const { path, fields } = formIn(await browser.get(hive + page), hive + page, has);
  const run = vi.spyOn(SlowReads.prototype, "run");
  return { run, answer: (): Promise<Page> => browser.post(path, { ...fields, ...more }) };
}

it.each(forms)("%s: %s is read within the limit", async (_, page, has, sent) => {
  const { run, answer } = await send(page, has, sent);
  const { status, text } = await answer();
  expect([200, 409, 422], text).toContain(status);
  expect(run).toHaveBeenCalledTimes(1);
});

it.each(forms)("%s: %s is not read again if it cannot be", async (_, page, has, sent) => {
  const { run, answer } = await send(page, has, sent);
  run.mockRejectedValue(invalid("q", "cannot be searched"));
  expect((await answer()).status).toBe(422);
  expect(run).toHaveBeenCalledTimes(1);
});
