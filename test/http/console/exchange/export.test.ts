/** Files that people export in the console, and the archives that hold several. */
import { beforeEach, expect, it } from "vitest";
import { readZip } from "../../../../src/formats/moving/zip.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { zipOf } from "../../../../src/http/responses/zip.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { appOn, type Call } from "../../../helpers/storage.ts";
import { host, prepareBrowser, type ConsoleBrowser } from "../browse.ts";

const at = "/hives/web/export";
let storage: Storage;
let browser: ConsoleBrowser;
let call: Call;
const { post, fill, put, exported } = hiveAt(() => call);

const prepared = prepareBrowser({ locales: ["fr"] }, async (web) => {
  ({ call } = web);
  const files = { "a.json": { nav: { home: "Home" } }, "deep/b.json": { bye: "Bye" } };
  await post(files);
  await fill("fr", { "a.json": { nav: { home: "Été" } } });
});
beforeEach(async () => {
  ({ storage, browser, call } = await prepared());
});

/** Downloads as the browser does, whose pages are texts. */
async function download(
  query: string,
): Promise<{ name: string | undefined; type: string | null; bytes: Buffer }> {
  const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join("; ");
  const { app } = appOn(storage, {});
  const headers = { host, accept: "text/html", cookie };
  const response = await app.fetch(new Request(`http://${host}${at}/download?${query}`, { headers }));
  expect(response.status).toBe(200);
  const [, name] =
    /^attachment; filename\*=UTF-8''(.*)$/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  return {
    name,
    type: response.headers.get("content-type"),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** The files of an archive. */
async function unzipped(bytes: Buffer): Promise<Readonly<Record<string, string>>> {
  const files = await readZip(bytes, () => true);
  return Object.fromEntries(
    Array.from(files, ([name, content]) => [name, Buffer.from(content).toString("utf8")]),
  );
}

it("offers the locales, also the pseudo-locales, and what is given of texts", async () => {
  const { html, text } = await browser.get(`${at}?locale=fr`);
  expect(html).toContain('<option value="fr" selected');
  for (const offered of ["en-XA: made from the source texts", "only approved texts", "PHP", "Download"])
    expect(text).toContain(offered);
});

it.each([
  ["locale=fr&format=json&shape=flat", "web-fr.zip"],
  ["locale=fr&format=json&shape=nested&missing=source", "web-fr.zip"],
  ["locale=fr&format=php&shape=flat", "web-fr.zip"],
  ["format=json&shape=nested", "web-all.zip"],
  ["format=php&shape=nested", "web-all.zip"],
  ["locale=en-XA&format=json&shape=flat&state=approved", "web-en-XA.zip"],
])("gives the files that the API gives, in an archive: %s", async (query, name) => {
  const asked = query.includes("php") ? query.replace(/&shape=\w+/, "") : query;
  const { json } = await exported(asked);
  const archive = await download(query);
  expect([archive.name, archive.type]).toEqual([name, "application/zip"]);
  expect(await unzipped(archive.bytes)).toEqual(json.files);
  // Nothing but the files is in it, such as the time.
  expect((await download(query)).bytes.equals(archive.bytes)).toBe(true);
});

it("gives a single file by itself", async () => {
  await put({ "a.json": {} });
  const { name, bytes } = await download("locale=en&format=json&shape=flat");
  expect([name, JSON.parse(bytes.toString("utf8"))]).toEqual(["b.json", { bye: "Bye" }]);
});

it("says what is wrong with an address", async () => {
  expect((await browser.get(`${at}/download?locale=xx`)).status).toBe(422);
  expect((await browser.get(`${at}/download?nope=1`)).status).toBe(422);
});

it("makes an archive of nothing", async () => {
  const none = async function* (): AsyncGenerator<readonly [string, Buffer]> {};
  expect(await unzipped(await zipOf(none()))).toEqual({});
});
