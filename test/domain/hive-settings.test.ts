import { describe, expect, it } from "vitest";
import {
  formatHiveSettings,
  parseHiveSettings,
  withCustomCode,
  withLocale,
  withMaxDeletions,
  withoutLocale,
} from "../../src/domain/hive-settings.ts";
import { toLocale } from "../../src/domain/locale.ts";

const settings = {
  name: "Web: shop #1",
  sourceLocale: toLocale("en=en_US"),
  targetLocales: [toLocale("no"), toLocale("pt-BR=pt_BR")],
};

describe("hive.yaml", () => {
  it("gives back the settings it was made from", () => {
    expect(parseHiveSettings(formatHiveSettings(settings))).toEqual(settings);
    expect(parseHiveSettings(formatHiveSettings({ ...settings, name: "null" })).name).toBe("null");
  });

  it("may hold a limit on deletions", () => {
    for (const max of [0, 1, 999_999_999_999_999]) {
      const limited = withMaxDeletions(settings, max);
      expect(limited).toEqual({ ...settings, maxDeletions: max });
      expect(parseHiveSettings(formatHiveSettings(limited))).toEqual(limited);
      expect(withMaxDeletions(limited, undefined)).toEqual(settings);
      expect(withoutLocale(withLocale(limited, toLocale("fr")), toLocale("fr"))).toEqual(limited);
    }
    expect(parseHiveSettings("name: x\nsource_locale: de\nmax_deletions:\n")).not.toHaveProperty(
      "maxDeletions",
    );
  });

  it("reads to the same under YAML 1.1", () => expect(formatHiveSettings(settings)).toContain('code: "no"'));

  it("may be written by hand", () => {
    expect(
      parseHiveSettings("name: 12\nsource_locale: de\nextra: x\nlocales:\n- code: no\n  custom_code:\n"),
    ).toEqual({
      name: "12",
      sourceLocale: { code: "de" },
      targetLocales: [{ code: "no" }],
    });
  });

  it("keeps a stored code that Intl would spell in another way", () => {
    expect(parseHiveSettings("name: x\nsource_locale: iw\n").sourceLocale.code).toBe("iw");
  });

  it.each([
    "",
    "[]",
    "name: x",
    "name: x\nsource_locale: ../x\n",
    "name: x\nsource_locale: en\nlocales: x\n",
    "name: x\nsource_locale: en\nlocales: [{}]\n",
    "name: x\nsource_locale: en\nlocales: [{code: a/b}]\n",
    "name: x\nsource_locale: en\nlocales: [{code: fr, custom_code: a.b}]\n",
    "name: x\nsource_locale: en\nlocales: [{code: fr}, {code: FR}]\n",
    "name: x\nsource_locale: en\nlocales: [{code: en}, {code: en}]\n",
    "name: x\nsource_locale: en\nmax_deletions: some\n",
    "name: x\nsource_locale: en\nmax_deletions: -1\n",
    "name: x\nsource_locale: en\nmax_deletions: [1]\n",
    "name: &a x\nsource_locale: *a\n",
    "name: [unclosed",
    "\t- x: y: z",
  ])("is invalid as %j", (text) => expect(() => parseHiveSettings(text)).toThrow());
});

describe("changing locales", () => {
  it("adds at the end, and not twice", () => {
    expect(withLocale(settings, toLocale("fr")).targetLocales.map(({ code }) => code)).toEqual([
      "no",
      "pt-BR",
      "fr",
    ]);
    expect(() => withLocale(settings, toLocale("no=nb"))).toThrow(/no is there already.*skep locale set/);
    expect(() => withLocale(settings, toLocale("en"))).toThrow("en is the source locale");
    expect(() => withLocale(settings, toLocale("fr=pt-br"))).toThrow("cannot be told from");
  });

  it("sets and takes away custom codes, of the source locale too", () => {
    expect(withCustomCode(settings, toLocale("en")).sourceLocale).toEqual({ code: "en" });
    expect(withCustomCode(settings, toLocale("no=nb_NO")).targetLocales[0]).toEqual({
      code: "no",
      customCode: "nb_NO",
    });
    expect(() => withCustomCode(settings, toLocale("fr"))).toThrow(
      /no locale "fr" \(it has en_US, no, pt_BR\)/,
    );
    expect(() => withCustomCode(settings, toLocale("no=PT-BR"))).toThrow("cannot be told from");
  });

  it("removes", () => {
    expect(withoutLocale(settings, toLocale("no")).targetLocales.map(({ code }) => code)).toEqual(["pt-BR"]);
  });
});
