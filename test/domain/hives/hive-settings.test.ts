import { describe, expect, it } from "vitest";
import {
  withChangedLocale,
  withLocale,
  withChange,
  withoutLocale,
} from "../../../src/domain/hives/hive-settings.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";

const settings = {
  name: "Web: shop #1",
  sourceLocale: toLocale("en=en_US"),
  targetLocales: [toLocale("no"), toLocale("pt-BR=pt_BR")],
};

describe("changing the limit on deletions", () => {
  it("sets or removes it, and leaves the rest", () => {
    const limited = withChange(settings, { maxDeletions: 0 });
    expect(limited).toEqual({ ...settings, maxDeletions: 0 });
    expect(withChange(limited, { maxDeletions: "none" })).toEqual(settings);
    expect(withoutLocale(withLocale(limited, toLocale("fr")), toLocale("fr"))).toEqual(limited);
  });
});

describe("changing locales", () => {
  it("a locale is added at the end, and not twice", () => {
    expect(withLocale(settings, toLocale("fr")).targetLocales.map(({ code }) => code)).toEqual([
      "no",
      "pt-BR",
      "fr",
    ]);
    expect(() => withLocale(settings, toLocale("no=nb"))).toThrow(/no is there already.*skep locale edit/);
    expect(() => withLocale(settings, toLocale("en"))).toThrow("en is the source locale");
    expect(() => withLocale(settings, toLocale("fr=pt-br"))).toThrow("cannot be distinguished from");
  });

  it("custom codes are set and removed, also that of the source locale", () => {
    expect(withChangedLocale(settings, toLocale("en")).sourceLocale).toEqual({ code: "en" });
    expect(withChangedLocale(settings, toLocale("no=nb_NO")).targetLocales[0]).toEqual({
      code: "no",
      customCode: "nb_NO",
    });
    expect(() => withChangedLocale(settings, toLocale("fr"))).toThrow(
      /no locale "fr" \(it has en_US, no, pt_BR\)/,
    );
    expect(() => withChangedLocale(settings, toLocale("no=PT-BR"))).toThrow("cannot be distinguished from");
  });

  it("a locale is removed", () => {
    expect(withoutLocale(settings, toLocale("no")).targetLocales.map(({ code }) => code)).toEqual(["pt-BR"]);
  });
});
