/**
 * What agencies get and send is worked on in proportion to its size: each row is the worst file or text of its kind, of
 * which twice as much may take no more than about twice the steps. Steps are counted, not timed.
 */
import { leastGrowth, mostGrowth, numbered, repeated, type Make, runaway } from "../../security/steps.ts";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../../src/formats/format.ts";
import { readCsv, writeCsv } from "../../../src/formats/exchange/csv.ts";
import type { ExchangeTerm } from "../../../src/formats/exchange/exchange-term.ts";
import { writePo } from "../../../src/formats/exchange/po-write.ts";
import { readTermsCsv, writeTermsCsv } from "../../../src/formats/exchange/term-csv.ts";
import { readTermsTbx, writeTermsTbx } from "../../../src/formats/exchange/term-tbx.ts";
import type { ExchangeUnit } from "../../../src/formats/exchange/unit.ts";
import { readXliff } from "../../../src/formats/exchange/xliff-read.ts";
import { writeXliff } from "../../../src/formats/exchange/xliff-write.ts";
import { bytesOf } from "../../helpers/format-properties.ts";

/** Fewer steps than these do not show how the work grows. */
const size = 10_000;
const locales = { source: "en", targets: ["fr", "de"] };

const in12 =
  (inner: Make): Make =>
  (length) =>
    `<xliff version="1.2"><file source-language="en" target-language="fr" original="f">${inner(length)}</file></xliff>`;
const in21 =
  (inner: Make): Make =>
  (length) =>
    `<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="fr"><file id="f">${inner(length)}</file></xliff>`;
const unit12 = (id: string, inner: string): string => `<trans-unit id="${id}">${inner}</trans-unit>`;
const segment = (inner: string): string => `<segment>${inner}</segment>`;
const inTbx =
  (inner: Make): Make =>
  (length) =>
    `<martif><text><body>${inner(length)}</body></text></martif>`;
const wrapped =
  (open: string, close: string, inner: Make): Make =>
  (length) =>
    open + inner(length) + close;

const tbx = (file: Uint8Array): unknown => readTermsTbx(file, locales);
const termsCsv = (file: Uint8Array): unknown => readTermsCsv(file);

const files: readonly (readonly [what: string, read: (file: Uint8Array) => unknown, make: Make])[] = [
  ["CSV: rows", readCsv, numbered((i) => `f,a${i},b\n`, "file,key,translation\n")],
  ["CSV: one key again and again", readCsv, numbered((i) => `f,a,b${i}\n`, "file,key,translation\n")],
  ["CSV: columns", readCsv, numbered((i) => `,c${i}`, "file,key,translation")],
  ["CSV: empty columns", readCsv, repeated(",", "file,key,translation")],
  ["CSV: empty fields", readCsv, repeated(",,,\n", "file,key,translation\n")],
  ["CSV: fields behind the last column", readCsv, repeated(",", "file,key,translation\nf,a,b")],
  ["CSV: quotes", readCsv, repeated('""', 'file,key,translation\nf,a,"', '"\n')],
  ["CSV: open quotes", readCsv, repeated('"', "file,key,translation\nf,a,")],
  ["CSV: apostrophes", readCsv, repeated("'", "file,key,translation\nf,a,")],
  ["CSV: apostrophes behind quotes", readCsv, repeated(',""', 'file;key;translation\nf;a;"', '"')],
  ["CSV: other delimiters", readCsv, repeated("a;b\tc,d\n", "file;key;translation\n")],
  [
    "XLIFF 1.2: units",
    readXliff,
    in12(numbered((i) => unit12(`a${i}`, "<source>b</source><target>c</target>"))),
  ],
  [
    "XLIFF 1.2: one id",
    readXliff,
    in12(numbered((i) => unit12("a", `<source>b</source><target>c${i}</target>`))),
  ],
  [
    "XLIFF 1.2: groups",
    readXliff,
    in12(numbered((i) => `<group>${unit12(`a${i}`, "<source>b</source>")}</group>`)),
  ],
  [
    "XLIFF 1.2: nested groups",
    readXliff,
    in12(
      wrapped(
        "<group>".repeat(90),
        "</group>".repeat(90),
        numbered((i) => unit12(`a${i}`, "<source>b</source>")),
      ),
    ),
  ],
  [
    "XLIFF 1.2: files",
    readXliff,
    (length) =>
      `<xliff version="1.2">${numbered((i) => `<file original="f${i}" source-language="en" target-language="fr"/>`)(length)}</xliff>`,
  ],
  [
    "XLIFF 1.2: inline elements",
    readXliff,
    in12(wrapped('<trans-unit id="a"><target>', "</target></trans-unit>", repeated("<ph>b</ph>"))),
  ],
  [
    "XLIFF 1.2: nested marks",
    readXliff,
    in12(
      wrapped(
        `<trans-unit id="a"><target>${"<mrk>".repeat(80)}`,
        `${"</mrk>".repeat(80)}</target></trans-unit>`,
        repeated("<ph>b</ph>"),
      ),
    ),
  ],
  ["XLIFF 1.2: refused units", readXliff, in12(numbered((i) => unit12(`a${i}`, "<target><g/></target>")))],
  [
    "XLIFF 1.2: children that are not read",
    readXliff,
    in12(wrapped('<trans-unit id="a">', "</trans-unit>", repeated("<note>b</note>"))),
  ],
  [
    "XLIFF 1.2: attributes",
    readXliff,
    in12(
      wrapped(
        '<trans-unit id="a"',
        "/>",
        numbered((i) => ` a${i}="b"`),
      ),
    ),
  ],
  [
    "XLIFF 1.2: escaped names",
    readXliff,
    in12(numbered((i) => unit12(`_x0041_${i}_x`, "<target>b</target>"))),
  ],
  [
    "XLIFF 1.2: a long escaped name",
    readXliff,
    in12(wrapped('<trans-unit id="', '"><target>b</target></trans-unit>', repeated("_x0041"))),
  ],
  [
    "XLIFF 2: units",
    readXliff,
    in21(numbered((i) => `<unit id="a${i}">${segment("<source>b</source><target>c</target>")}</unit>`)),
  ],
  [
    "XLIFF 2: segments",
    readXliff,
    in21(wrapped('<unit id="a">', "</unit>", repeated(segment("<source>b</source><target>c</target>")))),
  ],
  [
    "XLIFF 2: ordered segments",
    readXliff,
    in21(
      wrapped(
        '<unit id="a">',
        "</unit>",
        numbered((i) => segment(`<target order="${9e5 - i}">c</target>`)),
      ),
    ),
  ],
  [
    "XLIFF 2: what stands between segments",
    readXliff,
    in21(
      wrapped(
        `<unit id="a">${segment("<target>b</target>")}`,
        "</unit>",
        repeated("<ignorable><source> </source></ignorable>"),
      ),
    ),
  ],
  [
    "XLIFF 2: codes",
    readXliff,
    in21(
      (length) =>
        `<unit id="a"><originalData>${numbered((i) => `<data id="d${i}">b</data>`)(length)}</originalData>${segment(`<target>${numbered((i) => `<ph dataRef="d${i}"/>`)(length)}</target>`)}</unit>`,
    ),
  ],
  ["terms in CSV: rows", termsCsv, numbered((i) => `a${i},b\n`, "source,fr\n")],
  ["terms in CSV: spellings", termsCsv, numbered((i) => `c${i}|`, "source,fr,fr:accepted\na,b,")],
  ["terms in CSV: columns", termsCsv, numbered((i) => `,c${i}`, "source,fr")],
  [
    "terms in TBX: concepts",
    tbx,
    inTbx(
      numbered(
        (i) => `<termEntry><langSet xml:lang="en"><tig><term>a${i}</term></tig></langSet></termEntry>`,
      ),
    ),
  ],
  [
    "terms in TBX: terms",
    tbx,
    inTbx(
      wrapped(
        '<termEntry><langSet xml:lang="en">',
        "</langSet></termEntry>",
        numbered((i) => `<tig><term>a${i}</term></tig>`),
      ),
    ),
  ],
  [
    "terms in TBX: translations",
    tbx,
    inTbx(
      wrapped(
        '<termEntry><langSet xml:lang="en"><tig><term>a</term></tig></langSet><langSet xml:lang="fr">',
        "</langSet></termEntry>",
        numbered((i) => `<tig><term>a${i}</term></tig>`),
      ),
    ),
  ],
  [
    "terms in TBX: languages",
    tbx,
    inTbx(
      wrapped(
        "<termEntry>",
        "</termEntry>",
        numbered((i) => `<langSet xml:lang="fr-x-${i.toString(36)}"/>`),
      ),
    ),
  ],
  [
    "terms in TBX: notes",
    tbx,
    inTbx(
      wrapped(
        "<termEntry>",
        "</termEntry>",
        numbered((i) => `<note type="a${i}">b</note>`),
      ),
    ),
  ],
  [
    "terms in TBX: nested groups",
    tbx,
    inTbx(
      wrapped(
        `<termEntry>${"<ntig><termGrp>".repeat(20)}`,
        `${"</termGrp></ntig>".repeat(20)}</termEntry>`,
        repeated("<note>b</note>"),
      ),
    ),
  ],
];

describe("a file of translators is read in proportion to its size, or refused", () => {
  it.each(files)("%s", { timeout: runaway }, (_, read, make) => {
    const work = (length: number) => {
      const file = bytesOf(make(length));
      return () => {
        try {
          read(file);
        } catch (error) {
          if (!(error instanceof FormatError)) throw error;
        }
      };
    };
    expect(leastGrowth(work, size, mostGrowth)).toBeLessThan(mostGrowth);
  });
});

const unitOf = (more: Partial<ExchangeUnit>): ExchangeUnit => {
  return { file: "f", key: "a", source: "b", state: "missing", ...more };
};
const term = (more: Partial<ExchangeTerm>): ExchangeTerm => ({ source: "a", translations: {}, ...more });

/** Long texts, each as a source text, a translation, a key and a note; and many units. */
const texts: Readonly<Record<string, Make>> = {
  words: repeated("a "),
  blanks: repeated(" "),
  lines: repeated("a\n"),
  "carriage returns": repeated("\r"),
  quotes: repeated('"'),
  apostrophes: repeated("'"),
  "apostrophes and a formula": repeated("'", "", "="),
  "delimiters and quotes": repeated(',"'),
  "delimiters and formulas": repeated(",="),
  "characters that XML does not have": repeated("\u0001"),
  markup: repeated("<a>&"),
  "ends of CDATA": repeated("]]>"),
  backslashes: repeated("\\"),
  "escapes of names": repeated("_x0041_"),
  "open escapes of names": repeated("_x"),
  "pairs of surrogates": repeated("🐝"),
};

const writers: Readonly<Record<string, (units: readonly ExchangeUnit[]) => unknown>> = {
  CSV: writeCsv,
  "XLIFF 1.2": (units) => writeXliff({ sourceLocale: "en", targetLocale: "fr", units }),
  "XLIFF 2.1": (units) => writeXliff({ sourceLocale: "en", targetLocale: "fr", units }, "2.1"),
  PO: (units) => writePo({ sourceLocale: "en", targetLocale: "fr", units }),
};

const termWriters: Readonly<Record<string, (terms: readonly ExchangeTerm[]) => unknown>> = {
  CSV: (terms) => writeTermsCsv(terms, locales.targets),
  TBX: (terms) => writeTermsTbx(terms, locales),
};

describe.each(Object.entries(writers))("%s is written in proportion to its texts", (_, write) => {
  it.each(Object.entries(texts))("with %s", { timeout: runaway }, (_name, make) => {
    const work = (length: number) => {
      const text = make(length);
      const units = [
        unitOf({ source: text, translation: text }),
        unitOf({ key: text, notes: [text, text], where: ["c"] }),
      ];
      return () => write(units);
    };
    expect(leastGrowth(work, size, mostGrowth)).toBeLessThan(mostGrowth);
  });

  it.each<[string, (i: number) => Partial<ExchangeUnit>]>([
    ["units of one file", (i) => ({ key: `a${i}`, translation: "b", state: "stale" })],
    ["units of many files", (i) => ({ file: `f${i}` })],
  ])("with %s", { timeout: runaway }, (_name, make) => {
    const work = (length: number) => {
      const units = Array.from({ length: length / 20 }, (_unit, i) => unitOf(make(i)));
      return () => write(units);
    };
    expect(leastGrowth(work, size, mostGrowth)).toBeLessThan(mostGrowth);
  });
});

describe.each(Object.entries(termWriters))(
  "terms in %s are written in proportion to their texts",
  (_, write) => {
    // What XML has no spelling for is no term.
    const legal = Object.entries(texts).filter(([name]) => name !== "characters that XML does not have");
    it.each(legal)("with %s", { timeout: runaway }, (_name, make) => {
      const work = (length: number) => {
        const text = make(length);
        const translations = { fr: { text, accepted: [text], forbidden: [text] } };
        return () => write([term({ source: text, meaning: text, translations })]);
      };
      expect(leastGrowth(work, size, mostGrowth)).toBeLessThan(mostGrowth);
    });

    it("with many terms and spellings", { timeout: runaway }, () => {
      const work = (length: number) => {
        const spellings = Array.from({ length: length / 20 }, (_spelling, i) => `b${i}`);
        const terms = spellings.map((source) => term({ source, translations: { fr: { text: "b" } } }));
        return () => write([...terms, term({ translations: { de: { text: "b", accepted: spellings } } })]);
      };
      expect(leastGrowth(work, size, mostGrowth)).toBeLessThan(mostGrowth);
    });
  },
);
