/** Every link of the pages leads to a page: nobody is led to an error. */
import { expect, it } from "vitest";
import { prepareWeb, type WebOptions } from "../../helpers/storage.ts";
import { signedIn } from "./browse.ts";

/** How many pages of one kind are read. */
const perKind = 2;

/** What a page is: of its path without names, and of its path with each of its parameters. */
function kindsOf(address: string): readonly string[] {
  const { pathname, searchParams } = new URL(address, "http://skep.invalid");
  const path = pathname
    .replace(/history\/[0-9a-f]{10,}/, "history/commit")
    .replace(/strings\/[^/]+(\/.+)?/, "strings/file/key")
    .replace(/translate\/.+/, "translate/locale");
  return [path, ...Array.from(searchParams.keys(), (name) => `${path}?${name}`)];
}

const options: WebOptions = { locales: ["fr", "ar"], token: { abilities: ["admin"] } };
const prepared = prepareWeb(options, async ({ call, put, fill, translate }) => {
  const api = "/api/hives/web";
  const texts = { open: "Open", close: "Close", item_one: "{{n}} item", item_other: "{{n}} items" };
  await put({ "a.json": { ...texts, gone: "Gone" } });
  const notes = { "a.json": { open: { note: "A button", tags: ["menu"] } } };
  await put({ "a.json": texts }, { body: { notes } });
  for (const locale of ["fr", "ar"]) await fill(locale, { "a.json": { open: "O" } });
  await call("POST", `${api}/tags`, { body: { name: "v1" } });
  // What was changed in a locale that the Hive had is still told.
  await call("POST", `${api}/locales`, { body: { code: "it" } });
  for (const open of ["Apri", "Aprire"]) {
    await translate("it", { "a.json": { open } });
  }
  await call("DELETE", `${api}/locales/it`);
  await call("POST", `${api}/branches`, { body: { name: "feature/x" } });
  const onBranch = { ...texts, close: "Shut", added: "Added" };
  await put({ "a.json": onBranch }, { query: "branch=feature/x" });
  await put({ "a.json": { ...texts, close: "End" } });
  await call("POST", `${api}/glossary`, { body: { terms: [{ source: "open" }] } });
});

it.each([
  ["an admin", { abilities: ["admin"] }],
  ["a reader", { abilities: ["read"] }],
  ["a translator of one language", { abilities: ["read", "write"], locales: ["fr"] }],
] as const)("for %s", async (_, rights) => {
  const { storage } = await prepared();
  const browser = await signedIn(storage, rights);

  const found = new Map([["/", ""]]);
  const kinds = new Map<string, number>();
  const failing: string[] = [];
  for (const [path, from] of found) {
    const rare = kindsOf(path).filter((kind) => (kinds.get(kind) ?? 0) < perKind);
    if (rare.length === 0) continue;
    for (const kind of rare) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const { status, html } = await browser.get(path);
    if (status >= 400) failing.push(`${path} from ${from}: ${status}`);
    for (const [, href = ""] of html.matchAll(/<a [^>]*href="([^"#]+)/g)) {
      const to = new URL(href.replaceAll("&amp;", "&"), `http://skep.invalid${path}`);
      const isPage = to.host === "skep.invalid" && !/^\/(docs|api|openapi)/.test(to.pathname);
      if (isPage && !found.has(to.pathname + to.search)) found.set(to.pathname + to.search, path);
    }
  }
  expect(failing).toEqual([]);
  expect(kinds.size).toBeGreaterThan(30);
});
