import { getAlpha2Codes } from "i18n-iso-countries";
import { describe, expect, it } from "vitest";
import { worldLocales, type LocaleData } from "../../../src/domain/hives/world-locales.ts";
import { listWorldLocales } from "../../../src/service/admin/locales.ts";

describe("the locales of the world", async () => {
  const locales = await listWorldLocales();
  const byCode = new Map(locales.map((locale) => [locale.code, locale]));

  it("are canonical and unique, and have a name", () => {
    const codes = locales.map(({ code }) => code);
    expect(Intl.getCanonicalLocales(codes)).toEqual(codes);
    expect(codes).toEqual(codes.toSorted());
    expect(codes.length).toBeGreaterThan(1_000);
    for (const { code, name } of locales) expect(["", code]).not.toContain(name);
    expect(codes).not.toContain("und");
  });

  it.each([
    ["en", "English", "", false],
    ["pt-BR", "Portuguese (Brazil)", "BR", false],
    ["zh-Hant", "Chinese (Traditional)", "", false],
    ["zh-TW", "Chinese (Taiwan)", "TW", false],
    ["es-419", "Spanish (Latin America)", "", false],
    ["ar", "Arabic", "", true],
    ["he-IL", "Hebrew (Israel)", "IL", true],
    ["pa-PK", "Punjabi (Pakistan)", "PK", true],
    ["pa-IN", "Punjabi (India)", "IN", false],
    ["ckb", "Central Kurdish", "", true],
    ["dv", "Divehi", "", true],
    ["sq-XK", "Albanian (Kosovo)", "", false],
  ])("have %s as %s in %j", (code, name, region, isRightToLeft) => {
    expect(byCode.get(code)).toMatchObject({ name, region, isRightToLeft });
  });

  it("have all countries of ISO 3166, and no others", () => {
    const countries = new Set(Object.keys(getAlpha2Codes()));
    const regions = new Set(locales.map(({ region }) => region));
    for (const region of regions) if (region !== "") expect(countries).toContain(region);
    expect(regions.size).toBeGreaterThan(235);
  });

  it("are popular when many people use them", () => {
    const popular = new Set(locales.filter(({ isPopular }) => isPopular).map(({ code }) => code));
    const expected =
      "en en-US en-GB es fr fr-CA de de-DE it ja ko nl pl pt pt-BR pt-PT ru tr uk ar he zh zh-CN zh-TW";
    for (const code of expected.split(" ")) expect(popular).toContain(code);
    for (const code of ["aa", "en-DE", "gv", "zh-Hant-TW", "de-LI"]) expect(popular).not.toContain(code);
  });
});

describe("a popular locale", () => {
  const data = {
    codes: ["sv", "sv-SE", "sv-FI", "az", "az-Latn", "az-Arab"],
    covered: ["sv", "az"],
    rightToLeft: new Set(["Arab"]),
    countries: new Set(["SE", "FI"]),
  };
  const popular = (speakers: LocaleData["speakers"]): readonly string[] =>
    worldLocales({ ...data, speakers })
      .filter(({ isPopular }) => isPopular)
      .map(({ code }) => code);
  const swedish = { language: "sv", region: "SE", isOfficial: true };

  it("has five million people over all regions, and in its own", () => {
    const inFinland = { ...swedish, region: "FI", people: 1 };
    expect(popular([{ ...swedish, people: 4_999_999 }])).toEqual([]);
    expect(popular([{ ...swedish, people: 4_999_999 }, inFinland])).toEqual(["sv"]);
    expect(popular([{ ...swedish, people: 5_000_000 }, inFinland])).toEqual(["sv", "sv-SE"]);
  });

  it("is official in its region, and commonly translated into in its script", () => {
    expect(popular([{ ...swedish, people: 9_000_000, isOfficial: false }])).toEqual(["sv"]);
    const azeri = { language: "az", region: "AZ", people: 9_000_000, isOfficial: true };
    expect(popular([azeri])).toEqual(["az", "az-Latn"]);
    expect(popular([{ ...azeri, language: "az-Arab", region: "IR" }])).toEqual([]);
  });
});
