import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCsv, writeCsv } from "../../../src/formats/exchange/csv.ts";
import type { ExchangeUnit, ReceivedUnit } from "../../../src/formats/exchange/unit.ts";
import { FormatError } from "../../../src/formats/format.ts";
import { exchangeUnits, hostileText } from "./arbitraries.ts";

const unit: ExchangeUnit = { file: "auth.php", key: "login", source: "Log in", state: "missing" };

function read(text: string) {
  return readCsv(Buffer.from(text));
}

/** The translation of the only unit of a file with these columns. */
function translationOf(cell: string): string | undefined {
  return read(`file,key,translation\r\na,b,${cell}\r\n`).units[0]?.translation;
}

/** What a unit says of its text, with no text where it is empty. */
function content({ file, key, source, translation }: ExchangeUnit | ReceivedUnit) {
  return { file, key, source: source || undefined, translation: translation || undefined };
}

/** The error that reading gives. */
function failure(text: string): FormatError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
  throw new Error("The file was read.");
}

describe("writing CSV", () => {
  test("names the columns, ends lines as RFC 4180 does, and begins with a byte order mark", () => {
    const stale: ExchangeUnit = {
      ...unit,
      translation: "Se connecter",
      state: "stale",
      notes: ['was made for "Sign in"'],
    };
    expect(writeCsv([unit, stale])).toBe(
      "\u{FEFF}file,key,source,translation,state,note\r\n" +
        "auth.php,login,Log in,,missing,\r\n" +
        'auth.php,login,Log in,Se connecter,stale,"was made for ""Sign in"""\r\n',
    );
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\uFF1D1+1", "x;=1", "x\n=1", 'x;"=1', "'=1", "\r+1"])(
    "no spreadsheet finds a formula in %j, whichever delimiter it expects",
    (source) => {
      const csv = writeCsv([{ ...unit, source }]);
      for (const delimiter of [",", ";", "\t"]) {
        // As a lenient reader does: a quote in the middle of a cell is a character like any other.
        const cells = csv.split(new RegExp(`[${delimiter}\r\n]`)).map((cell) => cell.replace(/^"+/, ""));
        expect(cells.filter((cell) => /^[=+\-@\uFF1D]/.test(cell))).toEqual([]);
      }
      expect(readCsv(Buffer.from(csv)).units[0]?.source).toBe(source);
    },
  );
});

describe("reading CSV", () => {
  test("any units come back as they were", () => {
    fc.assert(
      fc.property(exchangeUnits(), (units) => {
        const { units: received, refused } = readCsv(Buffer.from(writeCsv(units)));
        expect(refused).toEqual([]);
        expect(received.map(content)).toEqual(units.map(content));
      }),
    );
  });

  test("text of any kind is read or refused with a FormatError, and never hangs", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', ",", ";", "\n", "\r", "a", "'", "=") }), (rows) => {
        try {
          read(`file,key,translation\n${rows}`);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
    );
  });

  test("columns may stand in any order, beside others, in any case", () => {
    const { units } = read("Comment,Translation,KEY,file\nnice,Bonjour,hello,a.json\n");
    expect(units).toEqual([{ file: "a.json", key: "hello", translation: "Bonjour", line: 2 }]);
  });

  test("semicolons as Excel writes them in Europe, with its line that names the delimiter", () => {
    const { units } = read('sep=;\r\n"file";"key";"translation"\r\na;b;"c; d"\r\n');
    expect(units).toEqual([{ file: "a", key: "b", translation: "c; d", line: 3 }]);
  });

  test("Excel's Unicode text: UTF-16 with tabs", () => {
    const text = "\u{FEFF}file\tkey\ttranslation\r\na\tb\tété 🐝\r\n";
    expect(readCsv(Buffer.from(text, "utf16le")).units[0]?.translation).toBe("été 🐝");
    expect(readCsv(Buffer.from(text, "utf16le").swap16()).units[0]?.translation).toBe("été 🐝");
  });

  test("quoted line ends and quotes stay, and lines are counted through them", () => {
    const { units } = read('file,key,translation\na,b,"one\r\ntwo ""three"""\r\na,c,d');
    expect(units.map(({ translation, line }) => [translation, line])).toEqual([
      ['one\r\ntwo "three"', 2],
      ["d", 4],
    ]);
  });

  test("blank lines, lines of delimiters alone, and cut off empty cells are no units and no errors", () => {
    const { units } = read("file,key,translation,note\n\na,b,c\n,,,\n\r\na,d\n");
    expect(units.map(({ key, translation }) => [key, translation])).toEqual([
      ["b", "c"],
      ["d", undefined],
    ]);
  });

  test("an apostrophe is taken off before what would be a formula, and left everywhere else", () => {
    expect(translationOf("'=1")).toBe("=1");
    expect(translationOf("''=1")).toBe("'=1");
    expect(translationOf("-5 %")).toBe("-5 %");
    expect(translationOf("'tis")).toBe("'tis");
    expect(translationOf("l'=a")).toBe("l'=a");
  });

  test("one key with two translations is refused, with the same twice it is one", () => {
    const { units, refused } = read("file,key,translation\na,b,c\na,b,d\na,e,f\na,e,f\na,e,\n");
    expect(units.map(({ key }) => key)).toEqual(["e"]);
    expect(refused).toEqual([{ file: "a", key: "b", line: 3, reason: "has another translation on line 2" }]);
  });

  test("a text that cannot be stored is refused by its key", () => {
    expect(read("file,key,translation\na,b,x\0y\n").refused).toMatchObject([{ key: "b", line: 2 }]);
  });

  test.each([
    ["", 1, "has no column file, key, translation"],
    ["a,b\n", 1, "has no column"],
    ["file,key\n", 1, "has no column translation: its first line must name the columns"],
    ["file,key,key,translation\n", 1, "names the column key twice"],
    ['file,key,translation\na,b,"c', 2, "has a quote that is not closed"],
    ['file,key,translation\na,b,c\na,b,"c"d\n', 3, "has text after a closing quote"],
    ["file,key,translation\na,b,c,d\n", 2, "has 4 fields, more than the 3 columns"],
  ])("%j is refused with its line", (text, line, message) => {
    const error = failure(text);
    expect(error.message).toContain(message);
    expect(error.line).toBe(line);
  });

  test("bytes that are not UTF-8 are refused with what to do", () => {
    expect(() => readCsv(Buffer.from("file,key,translation\na,b,été\n", "latin1"))).toThrow(
      "save it as UTF-8",
    );
  });

  test("hostile texts in every column come back", () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), (file, key) => {
        fc.pre(file !== "" || key !== "");
        const csv = writeCsv([{ file, key, source: "", translation: "x", state: "stale" }]);
        expect(readCsv(Buffer.from(csv)).units[0]).toMatchObject({ file, key });
      }),
    );
  });
});
