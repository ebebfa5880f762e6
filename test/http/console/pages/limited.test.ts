/** What the pages offer to those who may write into some locales alone: nothing that is always refused. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../../src/service/storage.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call } from "../../../helpers/storage.ts";
import { png } from "../../../domain/pictures/images.ts";
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
  await post({ "a.json": { open: "Open", close: "Close", stale: "Old", greet: "Hi {{name}}" } });
  await translate("fr", { "a.json": { open: "Ouvrir" } }, { body: { review: "always" } });
  const byModel = { headers: { "x-commit-origin": "model" } };
  await translate("fr", { "a.json": { stale: "Vieux", greet: "Salut" } }, byModel);
  await translate("de", { "a.json": { open: "Öffnen", stale: "Alt", greet: "Hallo" } });
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

const at = (locale: string, key: string) => ({ locale, file: "a.json", keys: [key] });
const alarm = (locale: string) => ({ locale, file: "a.json", key: "greet", check: "argument-missing" });
const terms = { terms: [{ source: "close" }] };
const notes = { files: { "a.json": { open: { note: "A button" } } } };
const picture = {
  name: "a.png",
  content: Buffer.from(png(1, 1)).toString("base64"),
  strings: ["a.json:open"],
};
const texts = { files: { "a.json": { close: "–" } } };

/** What is written, and the locale whose persons may write it, and so undo and merge it; `null` for none. */
const changes = [
  ["texts", "POST", "/translations/fr", texts, "fr"],
  ["texts", "POST", "/translations/de", texts, "de"],
  ["an approval", "POST", "/review/approve", at("fr", "open"), "fr"],
  ["a confirmation", "POST", "/stale/confirm", at("de", "stale"), "de"],
  ["a false alarm", "POST", "/checks/accept", alarm("fr"), "fr"],
  ["a false alarm", "POST", "/checks/accept", alarm("de"), "de"],
  ["strings", "POST", "/strings", { files: { "a.json": { more: "More" } } }, null],
  ["a note", "PATCH", "/notes", notes, null],
  ["a picture", "POST", "/pictures", picture, null],
] as const;
const ofMain = [...changes, ["terms", "POST", "/glossary", terms, null]] as const;

async function write(method: string, path: string, body: object, branch = ""): Promise<void> {
  const { status } = await call(method, `${api}${path}${branch && `?branch=${branch}`}`, { body });
  expect(status).toBeLessThan(300);
}

describe.each(["fr", "de"] as const)("those who may write %s alone", (own) => {
  /** Expects the same offer on a page, and the same answer at where it leads to. */
  async function expectOffer(page: string, offer: string, leads: string, isOffered: boolean): Promise<void> {
    const limited = await signedIn(storage, { ...limits, locales: [own] });
    expect(offersOf(await browser.get(page), page)).toContain(offer);
    expect(offersOf(await limited.get(page), page).includes(offer)).toBe(isOffered);
    expect((await limited.get(leads)).status).toBe(isOffered ? 200 : 403);
  }

  it.each(ofMain)("are offered the undo of %s (%s %s, %j) if they may do it", async (...change) => {
    const [, method, path, body, of] = change;
    await write(method, path, body);
    const commit = `${hive}/history/${await head()}`;
    await expectOffer(commit, `GET ${commit}/undo?`, `${commit}/undo`, of === own);
  });

  it.each(changes)("are offered the merge of %s (%s %s, %j) if they may do it", async (...change) => {
    const [, method, path, body, of] = change;
    await write("POST", "/branches", { name: "new" });
    await write(method, path, body, "new");
    const page = `${hive}/branches/new`;
    await expectOffer(page, `GET ${page}/merge?into`, `${page}/merge`, of === own);
  });

  it.each(["main", "branch"])(
    "are offered a merge into %s of what it does not have yet alone",
    async (into) => {
      await write("POST", "/branches", { name: "new" });
      const [there, here] = into === "main" ? ["new", ""] : ["", "new"];
      await write("POST", "/translations/de", texts, here);
      // A string that both get, as by CI, and a text that one of them has.
      for (const branch of [there, here])
        await write("POST", "/strings", { files: { "a.json": { more: "More" } } }, branch);
      await write("POST", "/translations/fr", texts, there);
      const page = `${hive}/branches/new`;
      const limited = await signedIn(storage, { ...limits, locales: [own] });
      const links = Array.from((await limited.get(page)).html.matchAll(/merge\?into=(\w+)/g), ([, to]) => to);
      expect(links.includes(into)).toBe(own === "fr");
      expect((await limited.get(`${page}/merge?into=${into}`)).status).toBe(own === "fr" ? 200 : 403);
    },
  );

  it.each(changes)(
    "are offered an update of a branch by %s (%s %s, %j) if they may do it",
    async (...change) => {
      const [, method, path, body, of] = change;
      await write("POST", "/branches", { name: "new" });
      await write(method, path, body);
      const page = `${hive}/branches/new`;
      await expectOffer(page, `GET ${page}/merge?into`, `${page}/merge?into=branch`, of === own);
    },
  );
});

describe("the undo of all of an origin is offered to those who may write", () => {
  const path = `${hive}/history?origin=model`;
  const offer = `GET ${hive}/undo?origin`;

  it.each([
    ["all languages", ["fr", "de"], true],
    ["the one that it wrote", ["fr"], true],
    ["another", ["de"], false],
  ])("%s", async (_, locales, isOffered) => {
    const limited = await signedIn(storage, { ...limits, locales });
    // A source text makes translations stale, which is not undone.
    await post({ "a.json": { greet: "Hello {{name}}" } }, { headers: { "x-commit-origin": "model" } });
    expect(offersOf(await limited.get(path), path).includes(offer)).toBe(isOffered);
    const sent = new URLSearchParams({ form_key: await limited.formKey(), origin: "model" });
    const { status, text } = await limited.send(`${hive}/undo`, sent);
    expect(status, text).toBe(isOffered ? 303 : 403);
  });

  it("something, where it wrote more than the page has", async () => {
    for (let i = 0; i <= 50; i++)
      await translate("fr", { "a.json": { open: `O${i}` } }, { headers: { "x-commit-origin": "model" } });
    const limited = await signedIn(storage, { ...limits, locales: ["de"] });
    expect(offersOf(await limited.get(path), path)).toContain(offer);
  });
});
