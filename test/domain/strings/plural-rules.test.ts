import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PluralMode } from "../../../src/domain/hives/hive-settings.ts";
import { isStoredLocaleCode, toLocale } from "../../../src/domain/hives/locale.ts";
import { LocalePlurals } from "../../../src/domain/strings/plural-rules.ts";
import { translatableTexts } from "../../../src/domain/strings/string-file.ts";
import { stringFile } from "../../helpers/arbitraries.ts";
import { contentOf } from "../../helpers/hive.ts";
import { forAllSync } from "../../helpers/runs.ts";

const file = contentOf({ x_one: "1", x_other: "n", n: { one: "1", other: "n" }, title: "T" });

function keysOf(locale: string, what: "accepts" | "requires", mode?: PluralMode, source = file): string {
  const plurals = new LocalePlurals(toLocale(locale).code, mode);
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
    expect(new LocalePlurals(code).accepts(file, "x_few")).toBe(true);
    expect(new LocalePlurals(code).requires(file, "x_few")).toBe(false);
    expect(new LocalePlurals(code).requires(file, "x_other")).toBe(true);
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
      const plurals = new LocalePlurals(toLocale("ru").code, mode);
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
      const plurals = new LocalePlurals(toLocale(code).code, how);
      for (const one of [...translatableTexts(source).keys(), key, "a_few", "a.few", "few"]) {
        if (plurals.requires(source, one)) expect(plurals.accepts(source, one)).toBe(true);
        if (plurals.accepts(source, one)) expect(translatableTexts(source).has(one)).toBe(true);
        if (source.texts.has(one)) expect(plurals.accepts(source, one)).toBe(true);
      }
    });
  });
});
