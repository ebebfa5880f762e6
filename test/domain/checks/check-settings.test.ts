import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  defaultChecks,
  matchesPattern,
  proposedRules,
  syntaxOf,
  toSyntaxRule,
  guessSyntax,
} from "../../../src/domain/checks/check-settings.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { forAllSync } from "../../helpers/runs.ts";

function fileOf(...texts: readonly string[]) {
  return { texts: new Map(texts.map((text, i) => [`k${i}`, text])) };
}

describe("matchesPattern", () => {
  it.each([
    ["*.json", "en.json", true],
    ["*.json", "admin/en.json", true],
    ["*.json", "en.json.php", false],
    ["admin/*.json", "admin/en.json", true],
    ["admin/*.json", "admin/deep/en.json", false],
    ["admin/**/*.json", "admin/en.json", true],
    ["admin/**/*.json", "admin/a/b/en.json", true],
    ["**/menu.php", "menu.php", true],
    ["auth.php", "auth.php", true],
    ["auth.php", "authXphp", false],
    ["a**", "abc", true],
    ["💡*", "💡x", true],
  ])("%s and %s: %s", (pattern, file, expected) => {
    expect(matchesPattern(pattern, file)).toBe(expected);
  });

  it("matches what a regular expression of the pattern matches", () => {
    const parts = fc
      .array(fc.constantFrom("a", "b", "/", "*", "."))
      .map((all) => all.join("").replaceAll(/\*+/g, "*"));
    const names = fc.array(fc.constantFrom("a", "b", "/", ".")).map((all) => all.join(""));
    forAllSync(300, parts, names, (pattern, name) => {
      const source = pattern.replaceAll(".", String.raw`\.`).replaceAll("*", "[^/]*");
      const target = pattern.includes("/") ? name : name.slice(name.lastIndexOf("/") + 1);
      expect(matchesPattern(pattern, name)).toBe(new RegExp(`^${source}$`).test(target));
    });
  });

  // A matcher that tries one way after the other runs into the time limit of tests.
  it("takes no longer with many stars", () => {
    expect(matchesPattern("*a".repeat(100), "a".repeat(255))).toBe(true);
    expect(matchesPattern(`${"*a".repeat(90)}b`, "a".repeat(255))).toBe(false);
  });
});

describe("toSyntaxRule", () => {
  it.each([
    ["", "icu"],
    ["a\\b", "icu"],
    ["a\u0000", "icu"],
    ["x".repeat(201), "icu"],
    ["*.json", "xml"],
    ["*.json", "__proto__"],
  ])("refuses %j with the syntax %s", (files, syntax) => {
    expect(() => toSyntaxRule(files, syntax, "checks")).toThrow(
      expect.toSatisfy((error: unknown) => isFailure(error, "invalid")),
    );
  });
});

describe("the syntax of a file", () => {
  const rules = [
    { files: "*.json", syntax: "icu" as const },
    { files: "admin/*.json", syntax: "none" as const },
  ];

  it("is that of the last rule that matches, else what its texts show", () => {
    const settings = { ...defaultChecks, syntax: rules };
    expect(syntaxOf(settings, "en.json", fileOf("{{x}}"))).toBe("icu");
    expect(syntaxOf(settings, "admin/en.json", fileOf("{{x}}"))).toBe("none");
    expect(syntaxOf(settings, "en.yml", fileOf("Hi %{x}"))).toBe("rails");
  });

  it.each([
    ["app_en.arb", "a", "flutter"],
    ["app_en.arb", "It's {name}'s", "flutter"],
    ["app_en.arb", "Open '{name}'", "flutter"],
    ["app_en.arb", "It''s {name}", "flutter-escaped"],
    ["app_en.arb", "Write '{' or '}'", "flutter-escaped"],
    ["auth.php", "a", "laravel"],
    ["res/strings.xml", "a", "android"],
    ["en.json", "{n, plural, one {#} other {#}}", "icu"],
    ["messages.xlf", 'Hi <x id="INTERPOLATION" equiv-text="{{name}}"/>', "icu"],
    ["en.json", "Hi {{name}}", "i18next"],
    ["en.json", "Hi {name}", "brace"],
    ["en.json", "%1$s of %d", "printf"],
    ["en.json", "50% off", "text"],
    ["en.json", "Hi $USER_NAME$, see $link$", "chrome"],
    ["en.json", "It costs $5 or 6$", "text"],
    ["messages.json", "See $1 of $2", "chrome"],
    ["ext/messages.json", "See {name}", "brace"],
    ["messages.yaml", "Hi %name%", "symfony"],
    ["messages.xlf", "%count% of %limit.max%", "symfony"],
    ["en.json", "%s%d%", "printf"],
    ["en.json", "100%sure%", "text"],
    ["app_en.ts", "plain", "qt"],
    ["l10n/App_en.properties", "File '%0' already exists.", "qt"],
    ["en.json", "%L1 of %2", "qt"],
    ["App.properties", "https://a.b/?q=1%26r=2", "text"],
    ["en.json", "https://a.b/?q=1%26r=2", "text"],
    ["en.yml", "a%20b, 10%10", "text"],
    ["en.json", "100%1$s", "printf"],
    ["en.json", "The :attribute is wrong", "laravel"],
    ["en.json", "At 12:30, see http://a.b", "text"],
  ])("%s with the text %j is guessed to be %s", (file, text, expected) => {
    expect(guessSyntax(file, [text, "plain"]).syntax).toBe(expected);
  });

  it.each([
    ["icu", ["{n, plural, other {#}}", "Write '{{name}}'", "Write '{{other}}'", "{a}"]],
    ["icu", ["{n, plural, other {#}}", "Hi {{name}}", "{a}", "{b}"]],
    ["i18next", ["{n, plural, other {#}}", "Hi {{name}}", "{{a}}"]],
    ["brace", ["Hi {name}", "it's {a}", "{b}'s"]],
  ] as const)("of several texts is %s: %j", (expected, texts) => {
    expect(guessSyntax("en.json", texts).syntax).toBe(expected);
  });

  it.each([
    ["printf", ["plain"]],
    ["printf", ["%s files", "Write {name}", "50%"]],
    ["printf", ["%(n)d", "%s", "{n, plural, other {#}}"]],
    ["icu", ["{n, plural, other {#}}", "Hi {name}", "Hi {other}"]],
    ["icu", ["See <0>this</0>"]],
    ["brace", ["Hi {name}", "plain"]],
    ["qt", ["Open %1", "%1 of %2"]],
  ] as const)("of gettext's files is %s with %j", (expected, texts) => {
    for (const name of ["de.po", "messages.pot"]) expect(guessSyntax(name, texts).syntax).toBe(expected);
  });

  it("is proposed by ending, for files that no rule matches and whose texts show it", () => {
    const files = new Map([
      ["en.json", fileOf("{{x}}")],
      ["a/menu.json", fileOf("plain")],
      ["mail.txt", fileOf("plain")],
      ["auth.php", fileOf("plain")],
    ]);
    expect(proposedRules(defaultChecks, files)).toEqual([
      { files: "*.json", syntax: "i18next" },
      { files: "*.php", syntax: "laravel" },
    ]);
    expect(proposedRules({ ...defaultChecks, syntax: rules }, files)).toEqual([
      { files: "*.php", syntax: "laravel" },
    ]);
  });
});
