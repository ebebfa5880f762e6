/** Texts behind marks, for machines that know no syntax of messages. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkAgainst } from "../../../src/domain/checks/check-text.ts";
import type { SyntaxName } from "../../../src/domain/checks/syntax-names.ts";
import { markedText } from "../../../src/domain/engines/marked-text.ts";
import { forAllSync } from "../../helpers/runs.ts";

/** A machine that writes in capitals, and leaves marks alone. */
const shout = (xml: string): string =>
  xml.replaceAll(
    /(<[^>]*>|&[^;]*;)|([^<&]+)/g,
    (_, code: string | undefined, text: string) => code ?? text.toUpperCase(),
  );

const rows: readonly (readonly [SyntaxName, text: string, parts: readonly string[], translated: string])[] = [
  ["text", "Save", ["Save"], "SAVE"],
  ["text", " Save & <b>go</b>\n", ['Save &amp; <x id="1"/>go<x id="2"/>'], " SAVE & <b>GO</b>\n"],
  ["i18next", "Hi {{name}}!", ['Hi <x id="1"/>!'], "HI {{name}}!"],
  ["icu", "It''s {name}", ['It\'s <x id="1"/>'], "IT'S {name}"],
  [
    "icu",
    "Of {n, plural, one {# item} other {# items}} now",
    ["Of", '<x id="1"/> item', '<x id="1"/> items', "now"],
    "OF {n, plural, one {# ITEM} other {# ITEMS}} NOW",
  ],
  [
    "icu",
    "{g, select, a {He {n, plural, one {cat} other {cats}}} other {They}}",
    ["He", "cat", "cats", "They"],
    "{g, select, a {HE {n, plural, one {CAT} other {CATS}}} other {THEY}}",
  ],
  ["laravel", ":n item|:n items", ['<x id="1"/> item', '<x id="1"/> items'], ":n ITEM|:n ITEMS"],
  ["symfony", "{0} none|[1,Inf] %n% some", ["none", '<x id="1"/> some'], "{0} NONE|[1,Inf] %n% SOME"],
  ["printf", "%s: 100%% &amp; %1$d", [], "%s: 100%% &amp; %1$d"],
  ["java", "Go '{''0}' on", ['Go <x id="1"/> on'], "GO '{''0}' ON"],
  ["java", "It''s {0}", ['It\'s <x id="1"/>'], "IT''S {0}"],
  ["rails", "Hi %{name}", ['Hi <x id="1"/>'], "HI %{name}"],
];

describe("a text", () => {
  it.each(rows)("of %s: %j", (syntax, text, parts, translated) => {
    const marked = markedText(syntax, text);
    expect(marked?.parts).toEqual(parts);
    expect(marked?.join(parts.map(shout))).toBe(translated);
  });

  it("with branches whose places are not known, or half of a quotation, is left to people", () => {
    expect(markedText("java", "It's {0}")).toBeUndefined();
    expect(markedText("fluent", "{ $n ->\n [one] a\n *[other] b\n}")).toBeUndefined();
    expect(markedText("icu", "{n, plural, one {a}")).toBeUndefined();
  });
});

describe("an answer", () => {
  it.each([
    ['Hallo <x id="1"/> und <x id="2"/>', "Hallo {a} und {b}"],
    ['<x id="2"/>, hallo <x id="1"/>', "{b}, hallo {a}"],
    ['Hallo <x id="1"></x> <x id="2" />', "Hallo {a} {b}"],
    ['L&#39;an <x id="1"/> &lt; &quot;<x id="2"/>&quot;', 'L\'an {a} < "{b}"'],
    ['Hallo <x id="1"/>', undefined],
    ['Hallo <x id="1"/> <x id="1"/> <x id="2"/>', undefined],
    ['Hallo <x id="1"/> <x id="2"/> <x id="3"/>', undefined],
    ['Hallo <b><x id="1"/></b> <x id="2"/>', undefined],
    ["", undefined],
    ["Hallo {a} und {b}", undefined],
  ])("%j is %j", (answer, text) => {
    expect(markedText("brace", "Hello {a} and {b}")?.join([answer])).toBe(text);
  });

  it.each([
    ["java", "{0} of {1}", 'l\'an <x id="1"/> d\'<x id="2"/>', "l''an {0} d''{1}"],
    ["icu", "{a} of {b}", 'l\'an <x id="1"/> d\'<x id="2"/>', "l'an {a} d''{b}"],
  ] as const)("has apostrophes as %s has them", (syntax, source, answer, text) => {
    const joined = markedText(syntax, source)?.join([answer]);
    expect(joined).toBe(text);
    expect(checkAgainst(syntax, source)(joined ?? "", { locale: "fr" })).toEqual([]);
  });
});

/**
 * What Java's or ICU's formatter prints, with signs that are quoted in brackets: of a quotation mark that stands alone,
 * machines are told one, and give one back.
 */
function printed(text: string, opensQuote: RegExp): string {
  let [shown, isQuoted] = ["", false];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (sign !== "'") shown += isQuoted && /[{}]/.test(sign) ? `[${sign}]` : sign;
    else if (text[at + 1] === "'") shown += text[at++];
    else if (isQuoted || opensQuote.test(text.slice(at + 1))) isQuoted = !isQuoted;
    else shown += sign;
  }
  return shown;
}

const opensQuote: Partial<Record<SyntaxName, RegExp>> = { java: /^/, icu: /^[{}]/ };

it("any text comes back as it was where its parts do", () => {
  const piece = fc.constantFrom(
    "a",
    " ",
    "'",
    "''",
    "{n}",
    "{0}",
    "%s",
    "%%",
    "<b>",
    "</b>",
    "&amp;",
    "&",
    "|",
    ":n",
    "#",
    "é",
    "\n",
  );
  const syntax = fc.constantFrom<SyntaxName>(
    "icu",
    "java",
    "laravel",
    "printf",
    "brace",
    "i18next",
    "symfony",
    "text",
  );
  forAllSync(400, syntax, fc.array(piece, { maxLength: 12 }), (name, pieces) => {
    const text = pieces.join("");
    const marked = markedText(name, text);
    const back = marked?.join(marked.parts);
    if (back === undefined) return;
    // Java's texts are messages where they have braces, ICU's always.
    const opens = name === "icu" || /[{}]/.test(text) ? opensQuote[name] : undefined;
    if (opens === undefined) expect(back).toBe(text);
    else expect(printed(back, opens)).toBe(printed(text, opens));
  });
});
