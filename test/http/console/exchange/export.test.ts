/** Files that people export in the console, and the archives that hold several. */
import { inflateRawSync, crc32 } from "node:zlib";
import { beforeEach, expect, it } from "vitest";
import type { Storage } from "../../../../src/service/storage.ts";
import { zipOf } from "../../../../src/http/responses/zip.ts";
import { appOn, type Call } from "../../../helpers/storage.ts";
import { host, prepareBrowser, type ConsoleBrowser } from "../browse.ts";

const at = "/hives/web/export";
let storage: Storage;
let browser: ConsoleBrowser;
let call: Call;

const prepared = prepareBrowser({ locales: ["fr"] }, async (web) => {
  ({ call } = web);
  const files = { "a.json": { nav: { home: "Home" } }, "deep/b.json": { bye: "Bye" } };
  await call("POST", "/api/hives/web/strings", { body: { files } });
  await call("POST", "/api/hives/web/translations/fr", {
    body: { files: { "a.json": { nav: { home: "Été" } } } },
  });
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

/** The files of an archive, as its directory has them. */
function unzipped(bytes: Buffer): Readonly<Record<string, string>> {
  const end = bytes.lastIndexOf(Buffer.from("PK\u0005\u0006"));
  const files: [string, string][] = [];
  let offset = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, packed, size] = [16, 20, 24].map((place) => bytes.readUInt32LE(offset + place));
    const nameLength = bytes.readUInt16LE(offset + 28);
    const name = bytes.toString("utf8", offset + 46, offset + 46 + nameLength);
    const local = bytes.readUInt32LE(offset + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    expect(bytes.toString("utf8", local + 30, local + 30 + nameLength)).toBe(name);
    const content = inflateRawSync(bytes.subarray(start, start + (packed ?? 0)));
    expect([crc32(content), content.length]).toEqual([crc, size]);
    files.push([name, content.toString("utf8")]);
    offset += 46 + nameLength;
  }
  expect([offset, offset - bytes.readUInt32LE(end + 16)]).toEqual([end, bytes.readUInt32LE(end + 12)]);
  return Object.fromEntries(files);
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
  const { json } = await call("GET", `/api/hives/web/export?${asked}`);
  const archive = await download(query);
  expect([archive.name, archive.type]).toEqual([name, "application/zip"]);
  expect(unzipped(archive.bytes)).toEqual(json.files);
});

it("gives a single file by itself", async () => {
  await call("PUT", "/api/hives/web/strings", { body: { files: { "a.json": {} } } });
  const { name, bytes } = await download("locale=en&format=json&shape=flat");
  expect([name, JSON.parse(bytes.toString("utf8"))]).toEqual(["b.json", { bye: "Bye" }]);
});

it("says what is wrong with an address", async () => {
  expect((await browser.get(`${at}/download?locale=xx`)).status).toBe(422);
  expect((await browser.get(`${at}/download?nope=1`)).status).toBe(422);
});

it("makes an archive of nothing", async () => {
  const none = async function* (): AsyncGenerator<readonly [string, Buffer]> {};
  expect(unzipped(await zipOf(none()))).toEqual({});
});
