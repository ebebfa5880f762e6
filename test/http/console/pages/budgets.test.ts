/** What the page of work costs a browser, in bytes: with everything that it loads, in each language of the pages. */
import { gzipSync } from "node:zlib";
import { transform } from "esbuild";
import { beforeEach, describe, expect, it } from "vitest";
import { pageLanguages } from "../../../../src/http/console/texts/catalogues.ts";
import { prepareBrowser, type ConsoleBrowser } from "../browse.ts";

const kilobyte = 1024;
const desk = "/hives/web/translate/fr?at=a.json:string.1";
let browser: ConsoleBrowser;

const prepared = prepareBrowser({ locales: ["fr", "de"], token: { abilities: ["admin"] } }, async (web) => {
  const send = (path: string, body: object): unknown => web.call("POST", `/api/hives/web${path}`, { body });
  const text = (i: number): string => `String ${i} of {{count}} with a file and a folder`;
  const texts = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`string.${i}`, text(i)]));
  await send("/strings", { files: { "a.json": texts } });
  await send("/translations/de", { files: { "a.json": texts } });
  const translations = { fr: { text: "fichier", forbidden: ["archive"] } };
  await send("/glossary", { terms: [{ source: "file", translations }] });
  await send("/comments", { file: "a.json", key: "string.1", text: "Which file?", ask: true });
});
beforeEach(async () => {
  ({ browser } = await prepared());
});

/** The addresses of what a page loads beside itself. */
const assetsOf = (html: string): readonly string[] =>
  [/href="([^"]*\.css)"/, /src="([^"]*console-[^"]*\.js)"/, /data-checks="([^"]*)"/].map((pattern) => {
    const [, address = expect.fail(`no ${pattern.source}`)] = pattern.exec(html) ?? [];
    return new URL(address, `http://x${desk}`).pathname;
  });

describe.each(pageLanguages.map(({ code }) => code))("the page of work in %s", (code) => {
  it("is at most 60 KB with all that it loads, packed, and its script 40 KB as it runs", async () => {
    browser.cookies.set("skep-language", code);
    const { html } = await browser.get(desk);
    expect(html).toContain(`<html lang="${code}"`);
    const [style = "", script = "", checks = ""] = await Promise.all(
      assetsOf(html).map(async (address) => (await browser.get(address)).html),
    );
    // The build does this, too; scripts are bundled as it does.
    const { code: css } = await transform(style, { loader: "css", minify: true });
    const packed = [html, css, script, checks].map((text) => gzipSync(text).byteLength);
    expect(packed.every((size) => size > kilobyte)).toBe(true);
    expect(packed.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60 * kilobyte);
    expect(Buffer.byteLength(script)).toBeLessThanOrEqual(40 * kilobyte);
  });
});
