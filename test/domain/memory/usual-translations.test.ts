import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileChecker } from "../../../src/domain/plans/check-content.ts";
import { usualTranslation } from "../../../src/domain/memory/usual-translations.ts";
import { formatRulesOf } from "../../../src/formats/held/format-rules.ts";
import { contentOf, fileNamed, hiveOf } from "../../helpers/hive.ts";
import { forAllSync } from "../../helpers/runs.ts";

const texts = (found: Record<string, string>) => new Map(Object.entries(found));

describe("how most strings with a text are translated", () => {
  it("is the most frequent translation, and of equally frequent ones the first", () => {
    const source = contentOf({ a: "Open", b: "Open", c: "Open", d: "Close", e: "Close", f: "Save", g: "" });
    const french = texts({
      a: "Ouvert",
      b: "Ouvrir",
      c: "Ouvrir",
      d: "Fermer",
      e: "Fermé",
      f: "Garder",
      g: "x",
    });
    for (const key of ["a", "b", "c"])
      expect(usualTranslation(source, french, key)).toEqual({ key: "b", text: "Ouvrir" });
    expect(usualTranslation(source, french, "e")).toEqual({ key: "d", text: "Fermer" });
    for (const key of ["f", "g", "none"]) expect(usualTranslation(source, french, key)).toBeUndefined();
    // What is there has another source file now.
    expect(usualTranslation(contentOf({ a: "Open" }), french, "a")).toBeUndefined();
  });

  it("compares plural forms with the same forms alone", () => {
    const forms = { one: "{n} day", other: "{n} days" };
    const source = contentOf({ x: forms, y: forms, z: "{n} days" });
    const one = { one: "{n} день", few: "{n} дня", many: "{n} дней", other: "{n} дня" };
    const both = ["x", "y"].flatMap((key) =>
      Object.entries(one).map(([form, text]) => [`${key}.${form}`, text]),
    );
    const russian: Record<string, string> = Object.fromEntries([...both, ["z", "дней: {n}"]]);
    for (const key of Object.keys(russian))
      expect(usualTranslation(source, texts(russian), key)).toBeUndefined();
    const other = texts({ ...russian, "y.many": "{n} суток" });
    expect(usualTranslation(source, other, "y.many")).toEqual({ key: "x.many", text: "{n} дней" });
    expect(usualTranslation(source, other, "y.few")).toBeUndefined();
  });

  it("is a hint, the same for one text as among all", async () => {
    const name = fileNamed("a.json");
    const word = fc.constantFrom("a", "b", "c");
    const files = fc.dictionary(fc.constantFrom("k", "l", "m", "n", "o"), fc.tuple(word, fc.option(word)));
    forAllSync(75, files, (file) => {
      const source = Object.fromEntries(Object.entries(file).map(([key, [text]]) => [key, text]));
      const french = texts(
        Object.fromEntries(
          Object.entries(file).flatMap(([key, [, text]]) => (text === null ? [] : [[key, text]])),
        ),
      );
      const { settings } = hiveOf({ locales: ["fr"], files: { "a.json": source } });
      const [locale = expect.fail()] = settings.targetLocales;
      const content = contentOf(source);
      for (const [key, text] of french) {
        const found: unknown[] = [];
        const options = { rulesOf: formatRulesOf, settings, withHints: true, translations: french };
        new FileChecker(options, name, content).check({ locale: locale.code, key }, text, (one) => {
          if (one.check === "inconsistent") found.push(one.expected);
        });
        const same = [...french].filter(([other]) => source[other] === source[key]).map(([, one]) => one);
        const count = (one: string): number => same.filter((each) => each === one).length;
        const [most = ""] = same.toSorted((one, other) => count(other) - count(one));
        expect(found).toEqual(text === most ? [] : [most]);
      }
    });
  });
});
