/** Which file of the Hive a file of an export is. */
import { describe, expect, it } from "vitest";
import { localeFinder, placerFor, withNewLocales } from "../../../src/client/moving/places.ts";

const locale = (code: string, canonical = code) => ({ code, canonical });
const locales = {
  source: locale("en"),
  targets: [locale("fr"), locale("pt_BR", "pt-BR"), locale("zh-Hans"), locale("sr@latin", "sr-Latn")],
};

const placer = (paths: readonly string[], names: readonly string[] = [], more: object = {}) => {
  const place = placerFor({ entries: [], locales, names, paths, as: undefined, ...more });
  return (path: string, code?: string): string => {
    const placed = place(path, code);
    return "unknown" in placed ? `no ${placed.unknown}` : `${placed.file} in ${placed.locale}`;
  };
};

describe("by the names of a path", () => {
  it.each([
    ["fr.json", "en.json in fr"],
    ["fr/auth.php", "auth.php in fr"],
    ["pt-BR/admin/menu.php", "admin/menu.php in pt_BR"],
    ["values-pt-rBR/strings.xml", "strings.xml in pt_BR"],
    ["values/strings.xml", "strings.xml in en"],
    ["zh-Hans.lproj/App.strings", "App.strings in zh-Hans"],
    ["fr/LC_MESSAGES/app.po", "app.po in fr"],
    ["app.fr.xlf", "app.xlf in fr"],
    ["app_pt_BR.properties", "app.properties in pt_BR"],
    ["app.pot", "app.po in en"],
    ["shop/fr-FR.json", "shop/en.json in fr"],
    ["sr@latin.json", "en.json in sr@latin"],
    ["sr@latin/auth.php", "auth.php in sr@latin"],
    ["app_sr@latin.properties", "app.properties in sr@latin"],
    ["de/auth.php", "no de"],
    ["uz@cyrillic.json", "no uz@cyrillic"],
    ["de-AT.json", "no de-AT"],
    ["texts.json", "texts.json in en"],
  ])("%s is %s", (path, placed) => {
    expect(placer([path, "other.json"])(path)).toBe(placed);
  });

  it("the Hive's file is found without the first folders, and with another ending", () => {
    const place = placer(["main/lang/fr/auth.json", "other.json"], ["auth.php", "menu.php"]);
    expect(place("main/lang/fr/auth.json")).toBe("auth.php in fr");
    expect(place("/main/lang/en/menu.php", "fr")).toBe("menu.php in fr");
  });

  it("a file that a tool names by less than its path in the export is found", () => {
    const place = placer(["components/app.json", "vcs/app/i18n/en.json"], ["en.json"]);
    expect(place("i18n/en.json", "en")).toBe("en.json in en");
    expect(place("i18n/fr.json", "fr")).toBe("en.json in fr");
  });

  it("two files of the export are never one of the Hive", () => {
    const paths = ["en.json", "shop/en.json", "a/menu.json", "b/menu.json", "x.txt"];
    const place = placer(paths, ["en.json", "menu.json"]);
    expect(paths.slice(0, 4).map((path) => place(path))).toEqual([
      "en.json in en",
      "shop/en.json in en",
      "a/menu.json in en",
      "b/menu.json in en",
    ]);
    const components = placer([], ["menu.json"]);
    expect(["a/fr/menu.json", "b/fr/menu.json"].map((path) => components(path, "fr"))).toEqual([
      "menu.json in fr",
      "b/menu.json in fr",
    ]);
  });

  it("the folders that all files lie in say nothing", () => {
    expect(placer(["out/i18n/en.json", "out/i18n/fr.json"])("out/i18n/fr.json")).toBe("en.json in fr");
    expect(placer(["out/fr/a.json", "out/fr/b.json", "terms.tbx"])("out/fr/a.json")).toBe("a.json in fr");
    expect(placer(["out/de/a.json"])("out/de/a.json")).toBe("no de");
  });
});

describe("by skep.yaml", () => {
  const entries = [{ path: "lang/{locale}/**/*.php" }, { path: "i18n/{locale}.json", name: "app.json" }];

  it("whatever folders the tool puts before the app's own", () => {
    const place = placer([], [], { entries });
    expect(place("branch/lang/fr/admin/menu.php")).toBe("admin/menu.php in fr");
    expect(place("i18n/en.json")).toBe("app.json in en");
    expect(place("i18n/en.json", "fr")).toBe("app.json in fr");
    expect(place("elsewhere/fr/x.json")).toBe("elsewhere/x.json in fr");
  });

  it("but by --as where that is given", () => {
    expect(placer([], [], { entries, as: "one.json" })("lang/fr/menu.php")).toBe("one.json in fr");
  });
});

describe("a code of a tool", () => {
  it.each([
    ["fr", "fr"],
    ["fr-FR", "fr"],
    ["pt-BR", "pt_BR"],
    ["pt_br", "pt_BR"],
    ["zh-Hans-CN", "zh-Hans"],
    ["en-US", "en"],
    ["pt", "pt_BR"],
    ["de", undefined],
  ])("%s is the locale %s", (code, found) => {
    expect(localeFinder(locales)(code)).toBe(found);
  });

  it("is none where several locales of its language could be meant", () => {
    const two = { ...locales, targets: [locale("pt-BR"), locale("pt-PT")] };
    expect(localeFinder(two)("pt")).toBeUndefined();
    expect(localeFinder(two)("pt-PT")).toBe("pt-PT");
  });

  it.each([
    ["zh_Hans", "zh-CN"],
    ["zh_Hant", "zh-TW"],
    ["zh_Hant_HK", undefined],
    ["zh", undefined],
    ["sr_Cyrl", "sr"],
    ["sr_Latn", "sr-Latn"],
  ])("%s is the locale %s where scripts and regions mean the same", (code, found) => {
    const some = { ...locales, targets: ["zh-CN", "zh-TW", "sr", "sr-Latn"].map((own) => locale(own)) };
    expect(localeFinder(some)(code)).toBe(found);
  });

  it("makes a new locale once, by its canonical code", () => {
    const { targets } = withNewLocales(locales, ["de_AT", "de-AT", "fr", "x y"]);
    expect(targets.map(({ code }) => code)).toEqual(["fr", "pt_BR", "zh-Hans", "sr@latin", "de-AT"]);
  });
});
