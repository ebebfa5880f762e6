/** Patterns: what they match, what the wildcards matched, and the paths they give back. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fillPattern,
  hasLocale,
  matcherOf,
  parsePattern,
  wildcardPart,
  wildcardsOf,
} from "../../../src/client/tree/pattern.ts";

function captured(pattern: string, code: string, path: string): readonly string[] | undefined {
  return matcherOf(parsePattern(pattern), code)(path);
}

describe("a pattern", () => {
  it.each([
    ["lang/{locale}/**/*.php", "lang/en/auth.php", ["", "auth"]],
    ["lang/{locale}/**/*.php", "lang/en/admin/menu.php", ["admin/", "menu"]],
    ["./lang/{locale}.json", "lang/en.json", []],
    ["modules/*/{locale}/*.json", "modules/blog/en/a.json", ["blog", "a"]],
    ["app/[lang]/{locale}.json", "app/[lang]/en.json", []],
    ["{locale}/a+b (1).json", "en/a+b (1).json", []],
    ["**/{locale}.json", "en.json", [""]],
  ])("%s matches %s", (pattern, path, captures) => {
    expect(captured(pattern, "en", path)).toEqual(captures);
  });

  it.each([
    ["lang/{locale}/**/*.php", "lang/fr/auth.php"],
    ["lang/{locale}/*.php", "lang/en/admin/menu.php"],
    ["lang/{locale}/**/*.php", "lang/en/.hidden/menu.php"],
    ["lang/{locale}/*.php", "lang/en/.php"],
    ["lang/{locale}.json", "lang/en-json"],
    ["lang/{locale}.json", "lang/en.json.orig"],
    ["lang/{locale}.json", "x/lang/en.json"],
  ])("%s does not match %s", (pattern, path) => {
    expect(captured(pattern, "en", path)).toBeUndefined();
  });

  it.each([
    ["", "must not be empty"],
    ["/etc/{locale}", "must be relative"],
    ["C:/{locale}", "must be relative"],
    [String.raw`lang\{locale}`, "must have / between folders"],
    ["../{locale}.json", "must not lead out"],
    ["a/./{locale}.json", "must not have the name"],
    ["a//{locale}.json", "must not have an empty name"],
    ["{locale}/**", "must end with the name of a file"],
    ["{locale}/**/**/a.json", "must not have ** twice"],
    ["{locale}/a**.json", "must have ** as a whole name"],
    ["{lang}.json", "has {: only"],
    ["{locale}/{a,b}.json", "has {: only"],
    ["{locale}/a?.json", "has ?: only"],
    ["!{locale}.json", "has !: only"],
    ["{locale}/a\0.json", "must not contain control characters"],
  ])("%j is refused", (pattern, problem) => {
    expect(() => parsePattern(pattern)).toThrow(problem);
  });

  it("says whether it has a locale, and which wildcards", () => {
    expect(hasLocale(parsePattern("a/x-{locale}.json"))).toBe(true);
    expect(hasLocale(parsePattern("a/x.json"))).toBe(false);
    expect(wildcardsOf(parsePattern("a*/{locale}/**/*-*.json"))).toEqual(["*", "**", "*", "*"]);
  });
});

describe("the name in the Hive", () => {
  it.each([
    ["lang/{locale}/**/*.php", "lang/en/admin/menu.php", "admin/menu.php"],
    ["lang/{locale}/**/*.php", "lang/en/auth.php", "auth.php"],
    ["lang/{locale}.json", "lang/en.json", "en.json"],
    ["public/locales/{locale}/translation.json", "public/locales/en/translation.json", "translation.json"],
    ["src/**/i18n/{locale}.json", "src/components/button/i18n/en.json", "components/button/en.json"],
    ["modules/*/{locale}/**/*.php", "modules/blog/en/admin/a.php", "blog/admin/a.php"],
    ["lib/l10n/app_{locale}.arb", "lib/l10n/app_en.arb", "app_en.arb"],
  ])("by %s of %s is %s", (text, path, name) => {
    const pattern = parsePattern(text);
    const captures = matcherOf(pattern, "en")(path) ?? [];
    expect(fillPattern(wildcardPart(pattern), captures, "en")).toBe(name);
  });
});

const word = fc.stringMatching(/^[a-z0-9_+()[\]$^|-]{1,6}$/);
const segment = fc.oneof(
  fc.constant("**"),
  fc.constant("{locale}"),
  fc
    .array(fc.oneof(word, fc.constant("*"), fc.constant("{locale}")), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join("").replaceAll(/\*+/g, "*")),
);
const patterns = fc
  .array(segment, { maxLength: 4 })
  .map((segments) => segments.filter((name, i) => name !== "**" || segments[i + 1] !== "**").concat("*.json"))
  .map((segments) => parsePattern(segments.join("/")));
const codes = fc.constantFrom("en", "fr", "pt-BR", "zh_Hans", "en.x");

const twelve = fc.array(word, { minLength: 12, maxLength: 12 });

describe("properties", () => {
  it("a path that a pattern gives is matched by it, and gives itself back", () => {
    fc.assert(
      fc.property(patterns, twelve, codes, (pattern, words, code) => {
        const captures = wildcardsOf(pattern).map((wildcard, i) =>
          wildcard === "*" ? (words[i] ?? "") : `${words[i]}/${words[i + 1]}/`,
        );
        const path = fillPattern(pattern, captures, code);
        const found = matcherOf(pattern, code)(path);
        expect(found).toBeDefined();
        expect(fillPattern(pattern, found ?? [], code)).toBe(path);
      }),
    );
  });

  it("a path in another locale is matched for that locale", () => {
    fc.assert(
      fc.property(patterns, twelve, codes, (pattern, words, code) => {
        const captures = wildcardsOf(pattern).map((wildcard, i) =>
          wildcard === "*" ? (words[i] ?? "") : "",
        );
        expect(matcherOf(pattern, code)(fillPattern(pattern, captures, code))).toBeDefined();
      }),
    );
  });
});
