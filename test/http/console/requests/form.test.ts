/** Forms with very many fields: what reads them takes no more than their length. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { prepareWeb } from "../../../helpers/storage.ts";
import { browse, type ConsoleBrowser, type Fields, type Page } from "../browse.ts";

const maxFields = 20_000;
const prepared = prepareWeb({ locales: ["fr"] }, async () => undefined);
let browser: ConsoleBrowser;
beforeEach(async () => {
  const { storage, token } = await prepared();
  browser = browse(storage, { bodyLimit: 16_777_216, bodyBudget: 67_108_864 });
  await browser.signIn(token);
});

/** As many fields of other names, beside the key of the session. */
const many = (count: number): Fields =>
  Object.fromEntries(Array.from({ length: count - 1 }, (_, i) => [`n${i}`, ""]));

/** The ways in which browsers send forms. */
const ways: Readonly<Record<string, (fields: Fields) => Promise<Page>>> = {
  "without files": (fields) => browser.submit("/hives/web/glossary", fields),
  "with files": (fields) => browser.upload("/hives/web/glossary/files", fields, {}),
};

describe.each(Object.entries(ways))("a form %s", (_, send) => {
  it("is refused with more fields than any page has", async () => {
    const refused = await send(many(maxFields + 1));
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining("more than 20000 fields")]);
    expect((await send(many(maxFields))).status).toBe(422);
  });

  it("is gone through once, however many names it has", async () => {
    const gone = vi.spyOn(URLSearchParams.prototype, Symbol.iterator);
    const searched = vi.spyOn(URLSearchParams.prototype, "getAll");
    expect((await send(many(500))).status).toBe(422);
    expect(gone.mock.calls.length).toBeLessThan(10);
    expect(searched.mock.calls.length).toBeLessThan(10);
  });
});
