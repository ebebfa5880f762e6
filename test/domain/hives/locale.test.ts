import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkDistinctCodes,
  checkFormerNames,
  codeOf,
  findLocale,
  formatLocale,
  localeToGive,
  toLocale,
} from "../../../src/domain/hives/locale.ts";
import { forAllSync } from "../../helpers/runs.ts";

describe("parsing a locale", () => {
  it.each([
    ["fr", "fr"],
    ["PT-br=pt_BR", "pt-BR=pt_BR"],
    ["zh-hant-tw=zh@trad", "zh-Hant-TW=zh@trad"],
    ["iw", "he=iw"],
    ["tl", "fil=tl"],
    ["SH", "sr-Latn=SH"],
    ["tl=tagalog", "fil=tagalog"],
    ["fil", "fil"],
  ])("%s becomes %s", (given, kept) => expect(formatLocale(toLocale(given))).toBe(kept));

  it.each([
    "",
    "e",
    "pt_BR",
    "en=",
    "en=a b",
    "en=a.b",
    "en=-x",
    "en=a=b",
    "x".repeat(70),
    "../etc",
    "en\n",
    "aux",
  ])("refuses %j", (given) => expect(() => toLocale(given)).toThrow(/^locale: /));

  it("the error for a code with underscores suggests the right arguments", () => {
    expect(() => toLocale("ru_RU")).toThrow(
      "give ru-RU with the custom code ru_RU, on the command line as ru-RU=ru_RU",
    );
  });

  it("the code of a locale has at most 64 bytes", () => {
    const code = `en-x${"-abcdefgh".repeat(6)}-abcde`;
    expect(code).toHaveLength(64);
    expect(toLocale(code).code).toBe(code);
    expect(() => toLocale(`${code}f`)).toThrow("locale: must be at most 64 bytes");
  });
});

describe("finding a locale", () => {
  const locales = ["en=en_US", "pt-BR=pt_BR", "de"].map((text) => toLocale(text));

  it.each([
    ["pt_BR", "pt-BR"],
    ["pt-br", "pt-BR"],
    ["PT_br", "pt-BR"],
    ["DE", "de"],
    ["en_US", "en"],
    ["EN", "en"],
  ])("by %s gives %s", (text, code) => expect(findLocale(locales, text)?.code).toBe(code));

  it.each(["en_us", "pt", "", "pt_BR ", "fr"])("%j finds no locale", (text) =>
    expect(findLocale(locales, text)).toBeUndefined(),
  );

  it.each(["tl", "fil", "FIL", "tl_PH"])("%s finds fil unless it is another locale's custom code", (text) => {
    const made = ["en", "fil", "fil-PH"].map((one) => toLocale(one));
    expect(findLocale(made, text)?.code).toBe(text === "tl_PH" ? "fil-PH" : "fil");
    expect(findLocale([...made, toLocale(`xx=${text}`)], text)?.code).toBe("xx");
  });

  it("finds each locale by both of its codes, whatever the others are", () => {
    const code = fc.constantFrom("en", "fr", "de", "pt-BR", "pt", "zh-Hant", "sr-Latn", "he");
    const custom = fc.option(fc.constantFrom("x1", "pt_BR", "fr", "en_GB", "EN", "sh", "iw"), {
      nil: undefined,
    });
    forAllSync(75, fc.uniqueArray(fc.tuple(code, custom), { selector: ([first]) => first }), (given) => {
      const made = given.map(([one, own]) => toLocale(own === undefined ? one : `${one}=${own}`));
      try {
        checkDistinctCodes(made);
        checkFormerNames(made, made);
      } catch {
        return;
      }
      for (const locale of made) {
        if (locale.code === "sr-Latn") expect(findLocale(made, "SH")).toBe(locale);
        expect(findLocale(made, locale.code)).toBe(locale);
        expect(findLocale(made, codeOf(locale))).toBe(locale);
      }
    });
  });
});

describe("the codes of a Hive's locales", () => {
  it("a new custom code must not be a former name of another locale's code", () => {
    const [xx, he, fr] = [toLocale("xx=iw"), toLocale("he"), toLocale("fr")];
    const why = "xx=iw cannot be distinguished from he: iw is another name of he";
    expect(() => checkFormerNames([xx, he, fr], [xx])).toThrow(why);
    expect(() => checkFormerNames([xx, he, fr], [he])).toThrow(why);
    expect(() => checkFormerNames([xx, he, fr], [fr])).not.toThrow();
    expect(() => checkFormerNames([toLocale("iw"), fr], [fr])).not.toThrow();
  });

  it("must differ after lower-casing and reading _ as -", () => {
    const locales = (...texts: string[]) => texts.map((text) => toLocale(text));
    expect(() => checkDistinctCodes(locales("fr=pt_br", "pt-BR"))).toThrow(
      /pt-BR cannot be distinguished from fr=pt_br/,
    );
    expect(() => checkDistinctCodes(locales("fr", "de=FR"))).toThrow("cannot be distinguished");
    expect(() => checkDistinctCodes(locales("en", "EN=x"))).toThrow("locale: en is given twice");
    expect(() => checkDistinctCodes(locales("tl", "fil"))).toThrow(
      "fil is given twice (tl is another name of it)",
    );
    expect(() => checkDistinctCodes(locales("fr=x", "de=X"))).toThrow("cannot be distinguished");
    expect(() => checkDistinctCodes(locales("pt-BR=pt_BR", "pt=pt", "fr=fr-FR"))).not.toThrow();
  });
});

it.each([
  ["fr", "fr"],
  ["tl", "tl"],
  ["ru_RU", "ru-RU --custom-code ru_RU"],
  ["$(rm)", undefined],
  ["no such", undefined],
])("for %s, the suggested locale is %s", (text, given) => expect(localeToGive(text)).toBe(given));
