/** TMX: what is written is read again, and what strangers write is read or refused. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { notXml } from "../../../src/formats/patch/xml-content.ts";
import { readTmx, writeTmx } from "../../../src/formats/moving/tmx.ts";
import { forAllSync } from "../../helpers/runs.ts";

const bytes = (text: string): Buffer => Buffer.from(text);
const read = (body: string) =>
  readTmx(bytes(`<tmx version="1.4"><header srclang="en"/><body>${body}</body></tmx>`));

describe("a memory", () => {
  it("comes back as it was written", () => {
    const text = fc
      .string({ unit: "binary", maxLength: 12 })
      .filter((one) => one.isWellFormed() && !notXml.test(one));
    const unit = fc.record({
      id: fc.stringMatching(/^[a-z:.&<"]{1,8}$/),
      source: text,
      texts: fc
        .dictionary(fc.constantFrom("fr", "pt-BR", "zh-Hans"), text)
        .map((all) => new Map(Object.entries(all))),
    });
    forAllSync(75, fc.array(unit), (units) => {
      const found = readTmx(bytes(writeTmx(units, "en")));
      expect(found.map(({ id, source, texts }) => [id, source, Object.fromEntries(texts)])).toEqual(
        units.map(({ id, source, texts }) => [id, "en", { en: source, ...Object.fromEntries(texts) }]),
      );
    });
  });

  it("is written without a text that XML has no spelling for", () => {
    const units = [
      { id: "a", source: "\u001B", texts: new Map([["fr", "x"]]) },
      { id: "b", source: "B", texts: new Map([["fr", "b"]]) },
    ];
    expect(readTmx(bytes(writeTmx(units, "en"))).map(({ id }) => id)).toEqual(["b"]);
  });

  it("has the codes of other programs in its texts, and nothing of what stands within them", () => {
    const [unit] = read(
      '<tu srclang="en-US"><tuv xml:lang="en-US"><seg>a <bpt i="1">&lt;b></bpt>b<ept i="1">&lt;/b></ept></seg></tuv><tuv lang="fr"><seg>c<ph>x<sub>y</sub></ph></seg></tuv><tuv xml:lang="de"/></tu>',
    );
    expect(unit?.source).toBe("en-US");
    expect(Object.fromEntries(unit?.texts ?? [])).toEqual({ "en-US": "a <b>b</b>", fr: "cx" });
  });

  it.each([
    ["another root", "<xliff/>", "is not TMX"],
    ["entities of its own", '<!DOCTYPE tmx [<!ENTITY a "b">]><tmx/>', "document type"],
    ["no end", "<tmx><body>", "is not well-formed XML"],
  ])("with %s is refused", (_, text, problem) => {
    expect(() => readTmx(bytes(text))).toThrow(problem);
  });
});
