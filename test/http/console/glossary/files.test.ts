/** Glossaries as files: downloaded, and imported after a preview. */
import { beforeEach, expect, it } from "vitest";
import type { Storage } from "../../../../src/service/storage.ts";
import type { Call } from "../../../helpers/storage.ts";
import { prepareBrowser, signedIn, type ConsoleBrowser } from "../browse.ts";

const page = "/hives/web/glossary";
let browser: ConsoleBrowser;
let call: Call;
let storage: Storage;

const prepared = prepareBrowser(
  { locales: ["fr", "pt-BR=pt_BR"], token: { abilities: ["admin"] } },
  async (web) => {
    const terms = [
      { source: "cart", translations: { fr: { text: "panier" }, pt_BR: { text: "carrinho" } } },
      { source: "file", translations: { fr: { text: "fichier" } } },
    ];
    await web.call("POST", "/api/hives/web/glossary", { body: { terms } });
  },
);
beforeEach(async () => {
  ({ call, storage, browser } = await prepared());
});

const sources = async (): Promise<readonly string[]> =>
  (await call("GET", "/api/hives/web/glossary")).json.data.map(({ source }: { source: string }) => source);

/** The address of the preview that a page leads to. */
const ledTo = (headers: Headers): string => headers.get("location")?.replace(/^(\.\.\/)+/, "/") ?? "";

it.each([
  ["csv", "text/csv; charset=utf-8", "source,fr,pt_BR"],
  ["tbx", "application/xml; charset=utf-8", '<martif type="TBX-Basic" xml:lang="en">'],
])("a glossary is downloaded as %s, which changes nothing when it is imported", async (format, type, has) => {
  const file = await browser.get(`${page}/files/download?format=${format}`);
  expect([file.status, file.headers.get("content-type")]).toEqual([200, type]);
  expect(file.headers.get("content-disposition")).toContain(`web-glossary.${format}`);
  expect(file.html).toContain(has);
  const sent = { upload: [`terms.${format}`, file.html] } as const;
  const kept = await browser.upload(`${page}/files`, { mode: "sync" }, sent);
  const { text, html } = await browser.get(ledTo(kept.headers));
  expect(text).toContain("Terms added: 0 Terms changed: 0 Terms deleted: 0 As they are: 2");
  expect(html).not.toContain("Import it");
});

it("a file is imported as its preview showed it, and not over what was changed since", async () => {
  const sent = { upload: ["new.csv", "source,fr\nfile,dossier\nbasket,panier\n"] } as const;
  const kept = await browser.upload(`${page}/files`, { mode: "sync" }, sent);
  const preview = ledTo(kept.headers);
  const { text, html } = await browser.get(preview);
  expect(text).toContain("Terms added: 1 Terms changed: 1 Terms deleted: 1 As they are: 0");
  expect(await sources()).toEqual(["cart", "file"]);
  const [, head = ""] = /name="head" value="(\w+)"/.exec(html) ?? [];
  await call("POST", "/api/hives/web/glossary", { body: { terms: [{ source: "another" }] } });
  expect((await browser.submit(preview, { head })).status).toBe(412);
  const [, now = ""] = /name="head" value="(\w+)"/.exec((await browser.get(preview)).html) ?? [];
  expect((await (await signedIn(storage)).get(preview)).status).toBe(303);
  const imported = await browser.submit(preview, { head: now, message: "From the agency" });
  expect([imported.status, ledTo(imported.headers)]).toEqual([303, expect.stringContaining("/history/")]);
  expect(await sources()).toEqual(["basket", "file"]);
  // It waits no more.
  expect((await browser.submit(preview, { head: now })).headers.get("location")).toContain("glossary");
});

it("names the languages that the Hive does not have, and what the file forbids itself", async () => {
  const wrong = '<termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote>';
  const entry = (...sets: readonly string[]): string => `<termEntry>${sets.join("")}</termEntry>`;
  const set = (language: string, text: string, note = ""): string =>
    `<langSet xml:lang="${language}"><tig><term>${text}</term>${note}</tig></langSet>`;
  const entries = entry(set("en", "x"), set("ja", "y")) + entry(set("en", "old", wrong));
  const tbx = `<martif type="TBX"><text><body>${entries}</body></text></martif>`;
  const kept = await browser.upload(`${page}/files`, { mode: "merge" }, { upload: ["x.tbx", tbx] });
  const { text } = await browser.get(ledTo(kept.headers));
  expect(text).toContain("because the Hive does not have these languages: ja");
  expect(text).toContain("because the file forbids these terms themselves: old");
  expect(text).toContain("Terms added: 1 Terms changed: 0 As they are: 0");
});

it.each([
  ["terms.docx", "x", "must be a file whose name ends in .csv or .tbx"],
  ["terms.csv", "fr\nfichier\n", "source"],
  ["terms.csv", 'source,fr\n"open', "line 2"],
  ["terms.csv", "source,xx\nfile,x\n", "this Hive has no such locale"],
  ["terms.tbx", "<html></html>", "is not TBX"],
  ["terms.tbx", '<!DOCTYPE a [<!ENTITY b "c">]><martif>&b;</martif>', "line 1"],
  ["", "", "choose a file"],
])("says beside the file what is wrong with %s: %j", async (name, content, problem) => {
  const { status, html } = await browser.upload(
    `${page}/files`,
    { mode: "merge" },
    { upload: [name, content] },
  );
  const [, said] = /id="problem-glossary\/files-upload">(.*?)<\/p>/.exec(html) ?? [];
  expect([status, said]).toEqual([422, expect.stringContaining(problem)]);
  expect(await sources()).toEqual(["cart", "file"]);
});

it("whoever may only read downloads it, and imports nothing", async () => {
  const reader = await signedIn(storage, { abilities: ["read"] });
  const { html, text } = await reader.get(page);
  expect([html.includes('type="file"'), text.includes("Download as CSV")]).toEqual([false, true]);
  expect(
    (await reader.upload(`${page}/files`, { mode: "merge" }, { upload: ["x.csv", "source\nx"] })).status,
  ).toBe(403);
});
