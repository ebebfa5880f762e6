import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PluralMode } from "../../../src/domain/hives/hive-settings.ts";
import { isStoredLocaleCode, toLocale, type LocaleCode } from "../../../src/domain/hives/locale.ts";
import { LocalePlurals } from "../../../src/domain/strings/plural-rules.ts";
import { translatableTexts } from "../../../src/domain/strings/string-file.ts";
import { stringFile } from "../../helpers/arbitraries.ts";
import { contentOf } from "../../helpers/hive.ts";
import { forAllSync } from "../../helpers/runs.ts";

const file = contentOf({ x_one: "1", x_other: "n", n: { one: "1", other: "n" }, title: "T" });

const plural = (locale: LocaleCode, plurals?: PluralMode, code = "en") =>
  new LocalePlurals(locale, { ...(plurals && { plurals }), sourceLocale: { code } });

function keysOf(
  locale: string,
  what: "accepts" | "requires",
  mode?: PluralMode,
  source = file,
  sourceLocale = "en",
): string {
  const plurals = plural(toLocale(locale).code, mode, sourceLocale);
  const keys = [...translatableTexts(source).keys()].filter((key) => plurals[what](source, key));
  return keys
    .map((key) => key.replace("x_", ""))
    .filter((key) => !key.includes(".") && key !== "title")
    .join(" ");
}

describe("the forms that a language takes, and those that it needs", () => {
  it.each([
    ["en", "one other", "one other"],
    ["fr", "one other many", "one other"],
    ["ru", "one other few many", "one few many"],
    ["pl", "one other few many", "one few many"],
    ["ja", "one other", "other"],
    ["he", "one other two", "one other two"],
    ["ar", "one other zero two few many", "one other zero two few many"],
    ["ru-XX", "one other few many", "one few many"],
    ["tlh", "one other zero two few many", "one other"],
    ["und", "one other zero two few many", "one other"],
  ])("the forms that a language takes and needs are those of %s", (locale, accepted, required) => {
    expect(keysOf(locale, "accepts")).toBe(accepted);
    expect(keysOf(locale, "requires")).toBe(required);
  });

  it("a stored code that Intl refuses has all plural forms", () => {
    const code = "a";
    if (!isStoredLocaleCode(code)) throw new Error("cannot be stored");
    expect(() => Intl.PluralRules.supportedLocalesOf(code)).toThrow(RangeError);
    expect(plural(code).accepts(file, "x_few")).toBe(true);
    expect(plural(code).requires(file, "x_few")).toBe(false);
    expect(plural(code).requires(file, "x_other")).toBe(true);
  });

  it.each([
    ["i18next", { x_zero: "none", x_one: "1", x_other: "n" }, "x_"],
    ["Rails, Apple", { x: { zero: "none", one: "1", other: "n" } }, "x."],
  ])("a form for no number at all is of every locale where the source has it: %s", (_of, source, stem) => {
    const content = contentOf(source);
    const own = `${stem}zero`;
    for (const locale of ["de", "fr", "ja", "ru", "ar", "lv", "tlh", "und"]) {
      const plurals = plural(toLocale(locale).code);
      expect([locale, plurals.accepts(content, own), plurals.requires(content, own)]).toEqual([
        locale,
        true,
        true,
      ]);
    }
    const form = content.plurals?.formOf(own) ?? expect.fail();
    expect(plural(toLocale("de").code).exampleOf(form)).toBe(0);
    // Numbers of the source language are no reason to ask other languages for them.
    for (const source of ["lv", "ar"])
      expect(plural(toLocale("de").code, "auto", source).requires(content, own)).toBe(false);
    const none = plural(toLocale("de").code, "none");
    expect([none.accepts(content, own), none.requires(content, own)]).toEqual([true, true]);
  });

  it("a form for no number at all is asked for neither where the source lacks it nor among ordinal numbers", () => {
    expect(keysOf("de", "requires")).toBe("one other");
    const places = contentOf({ x_ordinal_zero: "0th", x_ordinal_one: "1st", x_ordinal_other: "nth" });
    expect(keysOf("de", "requires", "auto", places)).toBe("ordinal_other");
  });

  it("ordinal numbers have other plural forms", () => {
    const places = contentOf({
      x_ordinal_one: "1st",
      x_ordinal_two: "2nd",
      x_ordinal_few: "3rd",
      x_ordinal_other: "nth",
    });
    expect(keysOf("fr", "requires", "auto", places)).toBe("ordinal_one ordinal_other");
    expect(keysOf("ru", "requires", "auto", places)).toBe("ordinal_other");
    expect(keysOf("it", "accepts", "auto", places)).toBe(
      "ordinal_one ordinal_two ordinal_few ordinal_other ordinal_many",
    );
  });

  it.each<[PluralMode, boolean, boolean]>([
    ["auto", true, true],
    ["i18next", true, false],
    ["nested", false, true],
    ["none", false, false],
  ])(
    "the forms of a language are added with %s to i18next's keys: %s, to groups: %s",
    (mode, suffixed, nested) => {
      const plurals = plural(toLocale("ru").code, mode);
      expect(plurals.accepts(file, "x_few")).toBe(suffixed);
      expect(plurals.requires(file, "x_few")).toBe(suffixed);
      expect(plurals.requires(file, "x_other")).toBe(!suffixed);
      expect(plurals.accepts(file, "n.few")).toBe(nested);
      expect(plurals.requires(file, "n.few")).toBe(nested);
      for (const key of file.texts.keys()) expect(plurals.accepts(file, key)).toBe(true);
    },
  );

  it("a form is needed only if it is taken, and taken only if it may be stored", () => {
    const locale = fc.constantFrom("ru", "fr", "ja", "ar", "tlh", "en");
    const mode = fc.constantFrom<PluralMode>("auto", "i18next", "nested", "none");
    forAllSync(75, stringFile, locale, mode, fc.string(), (source, code, how, key) => {
      const plurals = plural(toLocale(code).code, how);
      for (const one of [...translatableTexts(source).keys(), key, "a_few", "a.few", "few"]) {
        if (plurals.requires(source, one)) expect(plurals.accepts(source, one)).toBe(true);
        if (plurals.accepts(source, one)) expect(translatableTexts(source).has(one)).toBe(true);
        if (source.texts.has(one)) expect(plurals.accepts(source, one)).toBe(true);
      }
    });
  });
});
