import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxCheckedLength } from "../../../src/domain/checks/check-text.ts";
import { syntaxNames, type SyntaxName } from "../../../src/domain/checks/syntax-names.ts";
import { codeIn } from "../../../src/domain/glossary/literal-text.ts";
import {
  placesIn,
  replaceIn,
  type Replaced,
  type Replacement,
} from "../../../src/domain/glossary/replacement.ts";
import { anyText } from "../../helpers/arbitraries.ts";
import { forAllSync } from "../../helpers/runs.ts";
import { structureOf, textsOf } from "./syntax-texts.ts";

function replacing(find: string, replace: string, options: Partial<Replacement> = {}): Replacement {
  return { find, replace, isWholeWord: false, isCaseSensitive: true, ...options };
}

function afterOf(replaced: Replaced | undefined): string | undefined {
  return replaced !== undefined && "after" in replaced ? replaced.after : undefined;
}

const finds = fc.oneof(
  fc.constantFrom(
    "file",
    "File",
    "fil",
    "s",
    "n",
    "e",
    "a",
    "'",
    "%",
    "{",
    "}",
    "|",
    "amp",
    " ",
    "other",
    "#",
    "$",
  ),
  anyText({ minLength: 1, maxLength: 3 }),
);
const replaces = fc.oneof(
  fc.constantFrom("", "datei", "e", "'", "%", "{", "}", "|", "<", ">", "%s", "{x}", "''", "#", "&", "\n."),
  anyText({ maxLength: 5 }),
);
const locales = fc.constantFrom("en", "tr", "lt", "el", "ja", "th", "fr");
const rules = fc.record({ isWholeWord: fc.boolean(), isCaseSensitive: fc.boolean() });

describe.each(syntaxNames)("in texts of the syntax %s", (syntax) => {
  const texts = textsOf(syntax);

  it("keeps arguments, branches and tags, and all that is not found", () => {
    forAllSync(150, texts, finds, replaces, locales, rules, (text, find, replace, locale, options) => {
      const replacement = replacing(find, replace, options);
      const replaced = replaceIn(syntax, locale, text, replacement);
      if (replaced?.status !== "replaced") return;
      const { after } = replaced;
      expect(structureOf(syntax, after)).toEqual(structureOf(syntax, text));
      const code = codeIn(syntax, text);
      if (code === undefined) throw new Error("what cannot be read was replaced");
      // Made again from the places, each of which has what is looked for, character by character.
      let [rest, end] = ["", 0];
      for (const [from, to] of placesIn(text, locale, replacement, code)) {
        expect(from).toBeGreaterThanOrEqual(end);
        expect(to - from).toBe(find.length);
        expect(code.ranges.some(([start, last]) => start < to && from < last)).toBe(false);
        if (options.isCaseSensitive) expect(text.slice(from, to)).toBe(find);
        rest += text.slice(end, from) + replace;
        end = to;
      }
      expect(after).toBe(rest + text.slice(end));
    });
  });

  it("never fails, and leaves every text that has not what is looked for", () => {
    forAllSync(75, anyText(), finds, replaces, locales, rules, (text, find, replace, locale, options) => {
      const replaced = replaceIn(syntax, locale, text, replacing(find, replace, options));
      if (options.isCaseSensitive && !text.includes(find)) expect(replaced).toBeUndefined();
      expect(afterOf(replaced)).not.toBe(text);
    });
  });

  it("replaces letters of plain text as a program without rules does", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "B", " "), maxLength: 12 });
    const wanted = fc.string({ unit: fc.constantFrom("a", "b", "B"), minLength: 1, maxLength: 2 });
    forAllSync(75, letters, wanted, letters, fc.boolean(), (text, find, replace, isCaseSensitive) => {
      const plain = text.replaceAll(new RegExp(find, isCaseSensitive ? "g" : "gi"), () => replace);
      const replaced = replaceIn(syntax, "en", text, replacing(find, replace, { isCaseSensitive }));
      expect(afterOf(replaced)).toBe(plain === text ? undefined : plain);
    });
  });
});

describe("what is code", () => {
  it.each<[SyntaxName, text: string, find: string, after: string | undefined]>([
    [
      "icu",
      "{n, plural, one {# file of file} other {# files}}",
      "file",
      "{n, plural, one {# X of X} other {# Xs}}",
    ],
    [
      "icu",
      "{file, select, file {the file} other {no file}}",
      "file",
      "{file, select, file {the X} other {no X}}",
    ],
    ["icu", "{n, plural, one {one other} other {other}}", "other", "{n, plural, one {one X} other {X}}"],
    ["icu", "it''s '{file}', a file", "file", "it''s '{file}', a X"],
    ["icu", "it''s", "'", undefined],
    ["icu", "d''accord", "d''accord", "X"],
    ["flutter", "it's {file} file", "'", "itXs {file} file"],
    ["i18next", "{{file}} file $t(file)", "file", "{{file}} X $t(file)"],
    ["i18next", "{{ if file }}file{{ end }}", "file", "{{ if file }}X{{ end }}"],
    ["laravel", ":file file|:file files", "file", ":file X|:file Xs"],
    ["laravel", "{0} 0 files|[1,*] 1 file", "0", "{0} X files|[1,*] 1 file"],
    ["laravel", "a file|files", "|", undefined],
    ["rails", "%{file} file 5%%", "%", undefined],
    ["printf", "%(file)s file", "file", "%(file)s X"],
    ["printf", "%s and s", "s", "%s and X"],
    ["printf", "100%% of", "%% of", "100X"],
    ["android", '<a href="file">%1$s file</a>', "file", '<a href="file">%1$s X</a>'],
    ["brace", "{file} file | {file} files @:file", "file", "{file} X | {file} Xs @:file"],
    ["fluent", "{ $file } file { -file } \nfile", "file", "{ $file } X { -file } \nX"],
    [
      "fluent",
      "{ $file ->\n    [one] a file\n   *[other] { $file } files\n} of file",
      "file",
      "{ $file ->\n    [one] a X\n   *[other] { $file } Xs\n} of X",
    ],
    ["java", "{0,choice,0#no file|1#a file} file", "file", "{0,choice,0#no file|1#a file} X"],
    ["qt", "%1 of 1, %n in n", "1", "%1 of X, %n in n"],
    ["chrome", "$FILE$ FILE $1 1", "FILE", "$FILE$ X $1 1"],
    ["symfony", "%file% file", "file", "%file% X"],
    ["text", '<file x="file">file</file> &file;', "file", '<file x="file">X</file> &file;'],
    ["none", "<b>b</b> <!-- b -->", "b", "<b>X</b> <!-- b -->"],
    ["text", "a &amp; amp", "amp", "a &amp; X"],
    ["text", "a &amp; b", "&amp;", "a X b"],
    ["text", "a < b, c > d", "b", "a < X, c > d"],
  ])("%s: %s, find %s", (syntax, text, find, after) => {
    expect(afterOf(replaceIn(syntax, "en", text, replacing(find, "X")))).toBe(after);
  });

  it.each<[SyntaxName, text: string, find: string, replace: string]>([
    ["icu", "of {name}", "of ", "'"],
    ["icu", "{n, plural, other {no.}}", "no.", "#"],
    ["icu", "the name", "name", "{name}"],
    ["laravel", "name", "name", ":name"],
    ["laravel", "a or b", " or ", "|"],
    ["printf", "5 percent done", " percent ", "%"],
    ["i18next", "name", "name", "{{name}}"],
    ["fluent", "of { $name }", "of ", '{ "'],
    ["java", "l’{0}", "’", "'"],
    ["text", "bold", "bold", "<b>bold</b>"],
  ])("%s: %s is not changed where arguments or tags would be (%s to %s)", (syntax, text, find, replace) => {
    expect(replaceIn(syntax, "en", text, replacing(find, replace))?.status).toBe("arguments_changed");
  });

  it.each<[SyntaxName, string]>([
    ["icu", "a {file"],
    ["i18next", "a file {{name}"],
    ["fluent", "a file { $"],
    ["text", `file ${"x".repeat(maxCheckedLength)}`],
  ])("nothing is replaced in a text of the syntax %s that cannot be read: %#", (syntax, text) => {
    expect(replaceIn(syntax, "en", text, replacing("file", "x"))).toEqual({ status: "unreadable" });
    expect(replaceIn(syntax, "en", text, replacing("folder", "x"))).toBeUndefined();
  });

  it("does not make what is longer than texts are read", () => {
    const text = "a".repeat(1_000);
    expect(replaceIn("text", "en", text, replacing("a", "b".repeat(101)))).toEqual({ status: "too_long" });
    expect(replaceIn("text", "en", text, replacing("a", "b".repeat(100)))?.status).toBe("replaced");
  });
});

describe("upper and lower case", () => {
  it.each<[locale: string, text: string, find: string, after: string | undefined]>([
    ["en", "File, FILE, file", "file", "X, X, X"],
    ["en", "İİ file İ", "FILE", "İİ X İ"],
    ["en", "İstanbul", "istanbul", undefined],
    ["tr", "İSTANBUL ISPARTA", "istanbul", "X ISPARTA"],
    ["tr", "ISPARTA ısparta isparta", "ısparta", "X X isparta"],
    ["lt", "Ìjungti FILE", "file", "Ìjungti X"],
    ["de", "Straße STRASSE", "straße", "X STRASSE"],
    ["de", "Straße STRASSE", "strasse", "Straße X"],
    ["de", "GROẞ groß", "groß", "X X"],
    ["el", "ΟΔΟΣ οδος ΟΔΟΣΑ", "οδος", "X X XΑ"],
    ["el", "οδός οδόσ", "ΟΔΌΣ", "X X"],
    ["fr", "ÉTÉ été ete", "Été", "X X ete"],
    ["fr", "Nom : Nom\u00a0:", "nom :", "X Nom\u00a0:"],
    ["en", "👩‍👧 👩", "👩", "👩‍👧 X"],
    ["en", "e\u0301 e", "E", "e\u0301 X"],
    ["en", "😀", "\ude00", undefined],
  ])("%s: %s, find %s", (locale, text, find, after) => {
    const replacement = replacing(find, "X", { isCaseSensitive: false });
    expect(afterOf(replaceIn("text", locale, text, replacement))).toBe(after);
  });

  it.each<[text: string, find: string, after: string | undefined]>([
    ["File file", "file", "File X"],
    ["ΟΔΟΣ οδος", "οδοσ", undefined],
    ["İi", "i", "İX"],
  ])("match where they make a difference: %s, find %s", (text, find, after) => {
    expect(afterOf(replaceIn("text", "en", text, replacing(find, "X")))).toBe(after);
  });
});

describe("whole words", () => {
  it.each<[locale: string, text: string, find: string, after: string | undefined]>([
    ["en", "file files profile file.", "file", "X files profile X."],
    ["en", "well-file file_name file2", "file", "well-X file_name file2"],
    ["fr", "l'application, applications", "application", "l'X, applications"],
    ["ja", "東京都に行く", "東京", "X都に行く"],
    ["th", "ภาษาไทย", "ภาษา", "Xไทย"],
    ["en", "%ss s", "s", "%ss X"],
    ["en", "sign in, sign inside", "sign in", "X, sign inside"],
    ["ru", "файл файлы", "файл", "X файлы"],
  ])("%s: %s, find %s", (locale, text, find, after) => {
    const replacement = replacing(find, "X", { isWholeWord: true });
    expect(afterOf(replaceIn("printf", locale, text, replacement))).toBe(after);
  });
});
