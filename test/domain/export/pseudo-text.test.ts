import { describe, expect, it } from "vitest";
import { checkTranslation, maxCheckedLength } from "../../../src/domain/checks/check-text.ts";
import type { CheckFinding } from "../../../src/domain/checks/message.ts";
import { syntaxNames, type SyntaxName } from "../../../src/domain/checks/syntax-names.ts";
import type { PseudoKind } from "../../../src/domain/export/pseudo-locales.ts";
import { pseudoText } from "../../../src/domain/export/pseudo-text.ts";
import { codeIn, type TextCode } from "../../../src/domain/glossary/literal-text.ts";
import { anyText } from "../../helpers/arbitraries.ts";
import { forAllSync } from "../../helpers/runs.ts";
import { structureOf, textsOf } from "../glossary/syntax-texts.ts";

const kinds = ["accents", "right-to-left"] as const;
/** A text that passes the checks by itself, as a language with the plurals of its source has it. */
function made(kind: PseudoKind, syntax: SyntaxName, source: string): string {
  return pseudoText(kind, syntax, source, (text) => findings(syntax, source, text).length === 0);
}

/** What is made of a text that is too long. */
function short(kind: PseudoKind, syntax: SyntaxName, source: string): string {
  return pseudoText(kind, syntax, source, (text) => text.length <= source.length);
}

function findings(syntax: SyntaxName, source: string, text: string): readonly CheckFinding[] {
  return checkTranslation(syntax, source, text, { locale: "en", isGettext: true });
}

const shown = (text: string) => text.replaceAll("\u200f\u202e", "<").replaceAll("\u202c\u200f", ">");

describe.each(syntaxNames)("a pseudo-text of the syntax %s", (syntax) => {
  const texts = textsOf(syntax);

  it.each(kinds)("keeps its code and passes the checks against its source text, with %s", (kind) => {
    forAllSync(150, texts, (source) => {
      const all = [made(kind, syntax, source), pseudoText(kind, syntax, source, () => true)];
      for (const text of all) expect(structureOf(syntax, text)).toEqual(structureOf(syntax, source));
      expect(findings(syntax, source, all[0] ?? "")).toEqual([]);
    });
  });

  it("has no letter of the prose, and what is no prose as it was", () => {
    forAllSync(150, texts, (source) => {
      const text = made("accents", syntax, source);
      const [before, after] = [codeIn(syntax, source), codeIn(syntax, text)];
      expect(before && codeOf(source, before)).toEqual(after && codeOf(text, after));
      if (after === undefined) expect(text).toBe(source);
      else expect(proseOf(text, after)).not.toMatch(/[A-Za-z]/);
    });
  });

  it("is made of every text", () => {
    forAllSync(75, anyText(), (source) => {
      for (const kind of kinds)
        expect(structureOf(syntax, made(kind, syntax, source))).toEqual(structureOf(syntax, source));
    });
  });
});

function codeOf(text: string, { ranges, units }: TextCode): string {
  return [...ranges, ...units].map((range) => text.slice(...range)).join("");
}

function proseOf(text: string, { ranges, units }: TextCode): string {
  let prose = text;
  for (const [start, end] of [...ranges, ...units])
    prose = prose.slice(0, start) + " ".repeat(end - start) + prose.slice(end);
  // Arguments of other syntaxes stay, too.
  return prose.replaceAll(/[%$]?\{+[^{}]*\}+|%(?:1\$)?[sd]/g, "");
}

describe("a text with accents", () => {
  it.each<readonly [SyntaxName, source: string, made: string]>([
    ["text", "Save", "⟦Šååṽéé⟧"],
    ["text", "OK", "⟦ÖĶĶ⟧"],
    ["text", "100 %", "100 %"],
    ["text", " See\n", " ⟦ŠŠééé⟧\n"],
    ["text", String.raw`a\nb \u00e9 \'x`, String.raw`⟦å\nƀƀ \u00e9 \'ẋẋ⟧`],
    ["text", "保存する", "⟦保存存するる⟧"],
    ["text", "at https://example.org/a?b=c", "⟦åţţ https://example.org/a?b=c⟧"],
    ["text", '<a href="/help">Help</a>&nbsp;me', '⟦<a href="/help">Ĥééļþþ</a>&nbsp;ɱé⟧'],
    ["icu", "{n, plural, one {# file} other {# files}}", "⟦{n, plural, one {# ƒƒîļļé} other {# ƒƒîļļéš}}⟧"],
    ["icu", "{count} a|{count} b", "⟦{count} åå⟧|⟦{count} ƀƀ⟧"],
    ["laravel", "{count} a|{count} of %1$s at %@", "{count} ⟦åå⟧|{count} ⟦ööƒ %1$s ååţţ %@⟧"],
    ["none", "%{a} {{ b }} ${c} 5%", "%{a} {{ b }} ${c} 5%"],
    ["laravel", "{0} none|[1,*] :count of :all", "{0} ⟦ññöññé⟧|[1,*] ⟦:count ööƒƒ :all⟧"],
    ["symfony", "{0} no|]1,Inf] %n%", "{0} ⟦ññö⟧|]1,Inf] %n%"],
    ["brace", "{{ day | date }} at {'@'}", "⟦{{ day | date }} ååţ {'@'}⟧"],
    ["brace", "a | {n} b", "⟦å⟧ | ⟦{n} ƀƀ⟧"],
    ["printf", "%d of 50%", "⟦%d ööƒ 50%⟧"],
    ["fluent", "{ $n ->\n   *[other] files\n}", "⟦{ $n ->\n   *[other] ƒîîļééš\n}⟧"],
  ])("of %s: %j", (syntax, source, text) => {
    expect(made("accents", syntax, source)).toBe(text);
  });

  it("is about 40 % longer", () => {
    const source = "The quick brown fox jumps over the lazy dog. ".repeat(20).trim();
    expect(made("accents", "text", source).length / source.length).toBeCloseTo(1.4, 1);
    expect(short("accents", "text", source)).toMatch(/^Ţĥé ǫûîçķ /);
    expect(short("accents", "text", source)).toHaveLength(source.length);
  });
});

describe("a text from right to left", () => {
  it.each<readonly [SyntaxName, source: string, made: string]>([
    ["icu", "Hello {name}, it''s on", "<Hello> {name}, <it>''<s> <on>"],
    ["text", "12 <b>new</b> …", "<12> <b><new></b> …"],
    ["laravel", "{0} none|[1,*] :count files", "{0} <none>|[1,*] :count <files>"],
  ])("of %s: %j", (syntax, source, text) => {
    expect(shown(made("right-to-left", syntax, source))).toBe(text);
    expect(short("right-to-left", syntax, source)).toBe(source);
  });
});

describe("a text that is no pseudo-text", () => {
  it.each<readonly [SyntaxName, source: string]>([
    ["icu", "{name"],
    ["text", "a".repeat(maxCheckedLength + 1)],
    ["text", ""],
  ])("of %s stays where its code cannot be told", (syntax, source) => {
    for (const kind of kinds) expect(made(kind, syntax, source)).toBe(source);
  });
});
