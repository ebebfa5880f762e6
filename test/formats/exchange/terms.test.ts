/** Glossaries as CSV and TBX: what comes back, and what of strangers is refused. */
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { ExchangeTerm } from "../../../src/formats/exchange/exchange-term.ts";
import { readTermsCsv, writeTermsCsv } from "../../../src/formats/exchange/term-csv.ts";
import { readTermsTbx, writeTermsTbx } from "../../../src/formats/exchange/term-tbx.ts";
import { FormatError } from "../../../src/formats/format.ts";
import { runs } from "../../helpers/runs.ts";

const locales = { source: "en", targets: ["fr", "pt_BR"] };

const spelling = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 8, unit: "grapheme" }),
    fc.constantFrom("=1+1", "@SUM", "-x", "'=a", "a|b", "a\\", "a;b", '"', "<b>&amp;", "]]>", "設定"),
  )
  .map((text) => text.replaceAll(/[\p{C}\u2028\u2029]/gu, "").trim())
  .filter((text) => text !== "");
const spellings = fc.uniqueArray(spelling, { maxLength: 3 });
const translation = fc.record({
  text: fc.option(spelling),
  accepted: spellings,
  forbidden: spellings,
  keep: fc.boolean(),
});
const term = fc.record({
  source: spelling,
  part_of_speech: fc.option(spelling),
  meaning: fc.option(spelling),
  case: fc.boolean(),
  match: fc.constantFrom("word", "prefix", "exact"),
  keep: fc.boolean(),
  translations: fc.record({ fr: translation, pt_BR: translation }, { requiredKeys: [] }),
});

/** What a term says, without what is as if it were not given. */
function said(terms: readonly ExchangeTerm[]): unknown {
  return terms.map(
    ({ source, part_of_speech: part, meaning, match = "word", keep = false, translations, ...rest }) => [
      source,
      part ?? null,
      meaning ?? null,
      match,
      rest.case ?? false,
      keep,
      Object.entries(translations)
        .map(([code, { text, accepted = [], forbidden = [], keep: isKept = false }]) => [
          code,
          text ?? null,
          accepted,
          forbidden,
          isKept,
        ])
        .filter(
          ([, text, accepted, forbidden, isKept]) =>
            text !== null || isKept === true || [accepted, forbidden].flat().length > 0,
        )
        .toSorted(),
    ],
  );
}

describe("terms", () => {
  it("come back from CSV", () => {
    fc.assert(
      fc.property(fc.array(term, { minLength: 1, maxLength: 4 }), (terms) => {
        const csv = writeTermsCsv(terms, locales.targets);
        expect(said(readTermsCsv(Buffer.from(csv)))).toEqual(said(terms));
        for (const line of csv.slice(1).split("\r\n")) expect(line).not.toMatch(/^"?[=+@-]/);
      }),
      { numRuns: runs(300) },
    );
  });

  it("come back from TBX", () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 4 }), (terms) => {
        const tbx = writeTermsTbx(terms, locales);
        expect(said(readTermsTbx(Buffer.from(tbx), locales).terms)).toEqual(said(terms));
      }),
      { numRuns: runs(300) },
    );
  });

  it("have translations into locales of any name, which the server judges", () => {
    const csv = readTermsCsv(Buffer.from("source,__proto__,constructor:accepted,toString\na,b,c,d\n"));
    const sets = ["en", "__proto__", "constructor", "toString"].map(
      (code) => `<langSet xml:lang="${code}"><tig><term>a</term></tig></langSet>`,
    );
    const tbx = readTermsTbx(
      Buffer.from(`<martif><text><body><termEntry>${sets.join("")}</termEntry></body></text></martif>`),
      { source: "en", targets: ["__proto__", "constructor", "toString"] },
    );
    for (const terms of [csv, tbx.terms])
      expect(terms.flatMap(({ translations }) => Object.keys(translations))).toEqual([
        "__proto__",
        "constructor",
        "toString",
      ]);
  });

  it("are written as CSV with the columns of their locales, and of what else they say", () => {
    const terms: readonly ExchangeTerm[] = [
      { source: "file", match: "prefix", translations: { fr: { text: "fichier", accepted: ["a|b", "c"] } } },
      { source: "=cmd", translations: { pt_BR: { forbidden: ["x"] } } },
    ];
    expect(writeTermsCsv(terms, locales.targets)).toBe(
      "\u{FEFF}source,fr,pt_BR,fr:accepted,fr:forbidden,pt_BR:accepted,pt_BR:forbidden,match\r\n" +
        "file,fichier,,a\\|b|c,,,,prefix\r\n'=cmd,,,,,,x,\r\n",
    );
  });

  it.each([
    ["source,fr\n,x\n", 2, "has no source"],
    ["fr\nx\n", 1, "has no column source"],
    ["source,fr:colour\na,b\n", 1, "has a column fr:colour"],
    ["source,keep\na,maybe\n", 2, 'has "maybe" in the column keep'],
    ["source,fr,fr\na,b,c\n", 1, "names the column fr twice"],
  ])("in %j are refused with the line", (text, line, problem) => {
    const read = () => readTermsCsv(Buffer.from(text));
    expect(read).toThrow(FormatError);
    expect(read).toThrow(expect.objectContaining({ message: expect.stringContaining(problem), line }));
  });
});

const entry = (inner: string): string =>
  `<martif type="TBX"><text><body><termEntry>${inner}</termEntry></body></text></martif>`;
const read = (text: string) => readTermsTbx(Buffer.from(text), locales);

describe("TBX of other tools", () => {
  it("is read with its document type, and languages that the Hive calls otherwise", () => {
    const text = `<?xml version="1.0"?><!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">${entry(
      '<descripGrp><descrip type="definition">A document</descrip></descripGrp>' +
        '<langSet xml:lang="en-US"><ntig><termGrp><term>file</term><termNote type="partOfSpeech">noun</termNote></termGrp></ntig></langSet>' +
        '<langSet xml:lang="FR"><tig><term>archive</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>' +
        "<tig><term>fichier</term></tig></langSet>" +
        '<langSet xml:lang="pt"><tig><term>arquivo</term></tig></langSet><langSet xml:lang="de"><tig><term>Datei</term></tig></langSet>',
    )}`;
    expect(read(text)).toEqual({
      terms: [
        expect.objectContaining({
          source: "file",
          part_of_speech: "noun",
          meaning: "A document",
          translations: { fr: { text: "fichier", forbidden: ["archive"] }, pt_BR: { text: "arquivo" } },
        }),
      ],
      forbidden: [],
      unknownLocales: ["de"],
    });
  });

  it("is read in the edition of 2019, whose synonyms are terms each", () => {
    const text =
      '<tbx type="TBX-Basic" style="dct" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2" xmlns:min="http://www.tbxinfo.net/ns/min">' +
      '<text><body><conceptEntry id="c1"><langSec xml:lang="en"><termSec><term>file</term><min:partOfSpeech>noun</min:partOfSpeech></termSec>' +
      '<termSec><term>document</term></termSec></langSec><langSec xml:lang="fr"><termSec><term>fichier</term>' +
      "<min:administrativeStatus>admittedTerm-admn-sts</min:administrativeStatus></termSec></langSec></conceptEntry></body></text></tbx>";
    const { terms } = read(text);
    expect(terms.map(({ source, part_of_speech: part }) => [source, part])).toEqual([
      ["file", "noun"],
      ["document", undefined],
    ]);
    expect(terms[1]?.translations).toEqual({ fr: { accepted: ["fichier"] } });
  });

  it.each([
    ["an entity", `<!DOCTYPE martif [<!ENTITY a "b">]>${entry("")}`, "document type"],
    [
      "an entity of a file",
      `<!DOCTYPE martif [<!ENTITY a SYSTEM "file:///etc/passwd">]>${entry("&a;")}`,
      "document type",
    ],
    [
      "an entity that nothing defines",
      `<!DOCTYPE martif SYSTEM "x.dtd">${entry('<langSet xml:lang="en">&a;</langSet>')}`,
      "well-formed",
    ],
    ["other XML", "<html/>", "is not TBX"],
    ["endless nesting", "<martif>".repeat(200), "nested deeper"],
    ["no XML", "source,fr", "well-formed"],
  ])("is refused with %s", (_, text, problem) => {
    expect(() => read(text)).toThrow(problem);
  });

  // `.ci/run` says that no program is missing.
  const isRequired = process.env.SKEP_TEST_DEPLOY === "required";
  test.skipIf(!isRequired && spawnSync("xmllint", ["--version"]).status !== 0)(
    "is well-formed to xmllint",
    () => {
      fc.assert(
        fc.property(fc.array(term, { maxLength: 6 }), (terms) => {
          const { status, stderr } = spawnSync("xmllint", ["--noout", "--nonet", "-"], {
            input: writeTermsTbx(terms, locales),
          });
          expect([status, stderr.toString()]).toEqual([0, ""]);
        }),
        { numRuns: runs(20) },
      );
    },
  );
});
