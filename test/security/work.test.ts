/**
 * What a stranger can send is worked on in proportion to its size: each row is the worst text or file of its kind, of which
 * twice as much may take no more than about twice the steps. Steps are counted, not timed.
 */
import { leastGrowth, mostGrowth, numbered, repeated, stepsOf, type Make, runaway } from "./steps.ts";
import { describe, expect, it, vi } from "vitest";
import {
  checkSource,
  checkStyle,
  checkTranslation,
  maxCheckedLength,
} from "../../src/domain/checks/check-text.ts";
import { knownReferences, unknownReferences } from "../../src/domain/checks/fluent.ts";
import { syntaxNames } from "../../src/domain/checks/syntax-names.ts";
import { SaxesParser } from "saxes";
import { checkLength, type LengthUnit } from "../../src/domain/checks/length.ts";
import { pseudoText } from "../../src/domain/export/pseudo-text.ts";
import { codeIn } from "../../src/domain/glossary/literal-text.ts";
import { markedText } from "../../src/domain/engines/marked-text.ts";
import { replaceIn } from "../../src/domain/glossary/replacement.ts";
import { wordCounter } from "../../src/domain/queries/figures.ts";
import { partsOf } from "../../src/domain/glossary/text-parts.ts";
import { pictureFinder } from "../../src/domain/pictures/picture-strings.ts";
import { pictureLimits, type Picture } from "../../src/domain/pictures/picture.ts";
import { starMatcher } from "../../src/domain/pictures/star-pattern.ts";
import { maxKeyBytes } from "../../src/domain/strings/string-file.ts";
import { toGitObject } from "../../src/git/objects/git-object.ts";
import { pause } from "../../src/slices.ts";
import { fileNamed, hiveOf } from "../helpers/hive.ts";
import { FormatError } from "../../src/formats/format.ts";
import { formatNamed } from "../../src/formats/formats.ts";
import { toLocale } from "../../src/domain/hives/locale.ts";
import { FileChecker } from "../../src/domain/plans/check-content.ts";
import {
  checkTerms,
  hiddenParts,
  maxSearched,
  type ExpectedTerm,
} from "../../src/domain/glossary/term-findings.ts";
import { TermIndex } from "../../src/domain/glossary/term-index.ts";
import { maxSpelling, maxSpellings } from "../../src/domain/glossary/term-schema.ts";
import type { Term } from "../../src/domain/glossary/term.ts";
import { formatRulesOf } from "../../src/formats/held/format-rules.ts";

/** What is hard for the parser of one syntax or another; each is given to all. */
const texts: Readonly<Record<string, Make>> = {
  "one letter": repeated("a"),
  blanks: repeated(" "),
  "{ and blanks": repeated(" ", "{", "!}"),
  "{": repeated("{"),
  "}": repeated("}"),
  "{{": repeated("{{ "),
  "{{a}": repeated("{{a} "),
  "{{a}}": numbered((i) => `{{a${i}}}`),
  "{a}": numbered((i) => `{a${i}}`),
  "{a} on lines": numbered((i) => `{ $a${i} }\n`),
  "{ $a": repeated("{ $a "),
  "'": repeated("'"),
  "''{": repeated("'{a}' "),
  "%": repeated("%"),
  "%s": repeated("%s"),
  "%'": repeated("%'"),
  "%0": repeated("0", "%"),
  "%(a)s": numbered((i) => `%(a${i})s`),
  "%1$s": numbered((i) => `%${i % 900}$s `),
  "%{a}": numbered((i) => `%{a${i}}`),
  "%<a>0": repeated("0", "%<a>"),
  "%1": numbered((i) => `%${i % 100} `),
  "%#@a": repeated("%#@a"),
  ":a": numbered((i) => `:a${i.toString(36)} `),
  ":": repeated(":"),
  ":aa": repeated(":aaa"),
  choice: (length) => `{0,choice,${numbered((i) => `${i}#a|`)(length)}1<b}`,
  "number,": repeated(",", "{0,number,", ".,}"),
  "number#": repeated("#", "{0,number,", "0#}"),
  "number'": repeated("0'a'", "{0,number,", "'}"),
  date: repeated("d'a'", "{0,date,", "}"),
  "%a%": numbered((i) => `%a${i}% `),
  "%a": repeated("%a"),
  $a$: numbered((i) => `$a${i}$ `),
  $a: repeated("$a"),
  "%a.": repeated("a.", "%"),
  "|": repeated("|"),
  "$t(": repeated("$t("),
  "$t(a)": numbered((i) => `$t(a${i})`),
  "<": repeated("<"),
  "<a>": repeated("<a>"),
  "<a1>": numbered((i) => `<a${i}>`),
  '<a "': repeated('<a "'),
  "<!-- -->": repeated("<!-- a -->"),
  "<!--": repeated("<!--"),
  "<?a?>": repeated('<?a "?>'),
  "<![CDATA[": repeated("<![CDATA["),
  "<![CDATA[]]>": repeated("<![CDATA[a]]>"),
  "&amp;amp;": repeated("amp;", "&"),
  "<a></a>": numbered((i) => `<a${i}></a${i}>`),
  "<a/b/": repeated("b/", "<a/"),
  "<a x=&#1;>": repeated("&#106;", '<a x="', '">'),
  "<a x=1>": repeated(' x="1"', "<a", "></a>"),
  "&lt;": repeated("a", "<b>x</b>&lt;"),
  "&lt;&lt;": repeated("&lt;"),
  "&": repeated("&a;"),
  "@": repeated("a@"),
  "://": repeated("a://"),
  words: repeated("a "),
  select: (length) => `{a, select, ${numbered((i) => `b${i} {x} `)(length - 40)} other {x}}`,
  "select of arguments": (length) =>
    `{a, select, ${numbered((i) => `b${i} {{a${i}}} `)(length - 40)} other {x}}`,
  plural: (length) => `{a, plural, ${numbered((i) => `=${i} {x} `)(length - 40)} other {#}}`,
  selects: numbered((i) => `{a${i}, select, other {x}}`),
  "nested selects": (length) => {
    const inner = repeated("b {x}")(0);
    void inner;
    let text = numbered((i) => `b${i} {x} `)(length / 2) + "other {x}";
    for (let i = 0; i < 40; i++)
      text = `{a${i}, select, other {${text.startsWith("{") ? text : `{z, select, ${text}}`}}}`;
    return text;
  },
  "fluent select": (length) => `{ $a ->\n${numbered((i) => `  [b${i}] x\n`)(length - 40)} *[other] x\n}`,
  lines: repeated("\n"),
  "lines of text": repeated("a\n"),
  ".a": repeated("\n.a = b"),
};
/** How long a text is at first: those with branches have more of these than may be, so that their limit bounds the work. */
function lengthOf(name: string): number {
  return maxCheckedLength / (name === "selects" ? 10 : 25);
}

describe("a text is checked in proportion to its length", () => {
  const context = { locale: "fr", sourceLocale: "en" };

  describe.each(["a.ftl", "a.ini", "a.resx", "a.stringsdict", "a.xlf", "strings.xml"])("for %s", (file) => {
    it.each(Object.entries(texts))("%s", { timeout: runaway }, (_, make) => {
      const rules = formatRulesOf(file);
      const work = (length: number) => {
        const text = make(length);
        const sources = new Map([["a", text.replaceAll("a", "c")]]);
        const own = [text, `${text}</a>`, `<a>${text}</a>`, `<a>&lt;${text}`];
        return () => own.map((one) => [rules?.mayFail?.test(one), rules?.problemIn?.(one, "a", sources)]);
      };
      expect(leastGrowth(work, maxCheckedLength / 25)).toBeLessThan(mostGrowth);
    });
  });

  describe.each(syntaxNames)("%s", (syntax) => {
    // In more than proportion, the length of a legal text takes minutes where a regular expression goes back and forth.
    it.each(Object.entries(texts))("%s", { timeout: runaway }, (name, make) => {
      const work = (length: number) => {
        const text = make(length);
        const other = text.replaceAll("a", "c");
        const texts = [text, other, `${text} `, "x", "<b>%s {a} {{b}} :c %{d} $x</b>"];
        return () => {
          for (const one of texts) {
            checkTranslation(syntax, text, one, context);
            checkTranslation(syntax, one, text, context);
          }
          checkSource(syntax, text);
          checkStyle(text, other, context);
          partsOf(syntax, text, []);
          hiddenParts(syntax, text);
        };
      };
      expect(leastGrowth(work, lengthOf(name))).toBeLessThan(mostGrowth);
    });
  });
});

describe("texts are replaced, counted and made in proportion to their length", () => {
  const replacement = { find: "a", replace: "bb", isWholeWord: true, isCaseSensitive: false };

  // Others have no code but what a parser takes for arguments, which is measured above.
  const syntaxes = ["icu", "laravel", "rails"] as const;
  describe.each(syntaxes)("%s", (syntax) => {
    it.each(Object.entries(texts))("%s", { timeout: runaway }, (name, make) => {
      const work = (length: number) => {
        const text = make(length);
        return () => {
          codeIn(syntax, text);
          replaceIn(syntax, "fr", text, replacement);
          pseudoText("accents", syntax, text, () => true);
          const marked = markedText(syntax, text);
          marked?.join(marked.parts);
        };
      };
      expect(leastGrowth(work, lengthOf(name))).toBeLessThan(mostGrowth);
    });
  });

  it.each(Object.entries(texts))("words and characters of %s", { timeout: runaway }, (_, make) => {
    const work = (length: number) => {
      const text = make(length);
      return () => {
        wordCounter("fr")(text);
        for (const unit of ["characters", "columns"] satisfies LengthUnit[])
          checkLength({ most: 1, unit }, `\u4e00${text}`);
      };
    };
    expect(leastGrowth(work, maxCheckedLength / 25)).toBeLessThan(mostGrowth);
  });
});

// Each error has a stack, which takes much longer than reading on.
it.each(["a.xlf", "strings.xml"])("what is no markup is left at its first fault, for %s", (file) => {
  const rules = formatRulesOf(file);
  const errors = vi.spyOn(SaxesParser.prototype, "makeError");
  for (const unit of ['<a "', "<a ", "<!--", "<?", "<![CDATA[", "&a;<a>", "<1"]) {
    rules?.problemIn?.(`<b>${unit.repeat(1_000)}`, "a", new Map([["a", "<b>x</b>"]]));
    expect(errors.mock.calls.length, unit).toBeLessThan(20);
    errors.mockClear();
  }
});

describe("references of Fluent are found in proportion to a text", () => {
  it.each([
    ["references", numbered((i) => `{ -a${i} } `)],
    ["open braces and blanks", repeated("{ ")],
    ["quotation marks", repeated('\\"', '{ "')],
    ["open literals", repeated('{ "')],
    ["long names", repeated("a-", "{ ")],
  ])("%s", { timeout: runaway }, (_, make) => {
    const work = (length: number) => {
      const text = make(length);
      return () => unknownReferences(text, knownReferences(new Map([["a", `${text} `]])));
    };
    expect(leastGrowth(work, maxCheckedLength / 25)).toBeLessThan(mostGrowth);
  });
});

describe("terms are found in proportion to a text", () => {
  const nested = (word: string) =>
    Array.from({ length: Math.floor(maxSpelling / word.length) }, (_, i) => word.repeat(i + 1).trimEnd());
  const term = (source: string, i: number, more: Partial<Term> = {}): Term => ({
    id: `t${i}`,
    source,
    case: false,
    match: "word",
    keep: false,
    translations: new Map(),
    ...more,
  });
  const terms: readonly [string, (spelling: string, i: number) => Term, string][] = [
    ["nested terms", term, "a "],
    ["nested terms of punctuation", term, "."],
    ["nested terms in another case", (text, i) => term(text.toUpperCase(), i, { case: true }), "a "],
    ["nested beginnings of words", (text, i) => term(text, i, { match: "prefix" }), "a"],
  ];
  it.each(terms)("%s", (_, make, word) => {
    const index = new TermIndex([nested(word).map(make)], "en");
    const work = (length: number) => {
      const text = repeated(word)(length);
      return () => index.find(text);
    };
    expect(leastGrowth(work, maxSearched / 2)).toBeLessThan(mostGrowth);
  });

  it.each([
    ["nested terms", "word "],
    ["nested terms of a form", "words "],
  ])("%s in their other forms", (_, word) => {
    const index = new TermIndex([nested("word ").map((spelling, i) => term(spelling, i))], "en");
    const work = (length: number) => {
      const text = repeated(word)(length);
      return () => index.findForms(text);
    };
    expect(leastGrowth(work, maxSearched / 2)).toBeLessThan(mostGrowth);
  });

  it.each([
    ["a ", "a "],
    [".", "."],
    ["A ", "a "],
    ["ab", "a "],
    ["a", "&a; "],
  ])("the spellings of terms, as many of %j as there may be, in %j", (word, unit) => {
    const spellings = nested(word);
    const meaning = (i: number): ExpectedTerm => ({
      source: "x",
      case: i % 2 === 0,
      match: i % 3 === 0 ? "prefix" : "word",
      keep: false,
      spellings: spellings.slice(i % 90, (i % 90) + maxSpellings),
      forbidden: spellings.slice(i % 70, (i % 70) + maxSpellings),
    });
    const expected = Array.from({ length: 50 }, (_, i) =>
      Array.from({ length: 20 }, (_, j) => meaning(i * 20 + j)),
    );
    const work = (length: number) => {
      const text = repeated(unit)(length);
      return () => checkTerms(expected, "brace", text, "fr");
    };
    const length = maxSearched / 16;
    expect(leastGrowth(work, length)).toBeLessThan(mostGrowth);
    // As if at each place a spelling of each length were compared, however many spellings there are.
    expect(stepsOf(work(2 * length))).toBeLessThan(2 * length * maxSpelling * maxSpelling);
  });

  it("which pauses among texts that have very many spellings", async () => {
    const all = Array.from({ length: 50 }, (_, i) => `w${i}`);
    const french = {
      text: "x",
      accepted: nested("y ").slice(-maxSpellings),
      forbidden: nested("z ").slice(-maxSpellings),
      keep: false,
    };
    const index = new TermIndex(
      [all.map((word, i) => term(word, i, { translations: new Map([["fr", french]]) }))],
      "en",
    );
    const keys = all.slice(0, 20);
    const files = { "a.json": Object.fromEntries(keys.map((key) => [key, all.join(" ")])) };
    const { settings, source } = hiveOf({ locales: ["fr"], files, translations: {} });
    const name = fileNamed("a.json");
    const checker = new FileChecker(
      { rulesOf: formatRulesOf, settings, terms: index },
      name,
      source.get(name),
    );
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    await checker.checkAll(toLocale("fr").code, new Map(keys.map((key) => [key, "x"])), () => {});
    // Each text has more spellings than short items are worked on in one go.
    expect(clock.mock.calls.length).toBeGreaterThanOrEqual(keys.length - 1);
    clock.mockRestore();
  });
});

describe("a file is read in proportion to its size, or refused", async () => {
  const context = { locale: "fr", sourceLocale: "en" };
  const files: readonly [format: string, what: string, make: Make][] = [
    ["properties", "one key again and again", numbered((i) => `? a${i}\n`)],
    ["properties", "continued lines", repeated("a\\\n")],
    ["yaml", "open braces", repeated("{")],
    ["yaml", "open brackets", repeated("[")],
    ["yaml", "lists in lists on one line", repeated("- ")],
    ["yaml", "explicit keys in keys", repeated("? ")],
    ["yaml", "explicit keys", numbered((i) => `? a${i}\n: b\n`)],
    ["yaml", "names", numbered((i) => `a${i}: b\n`)],
    ["rails", "one key again and again", numbered((i) => `  a: ${i}\n`, "fr:\n")],
    ["php", "a heredoc", repeated("a", "<?php return ['a' => <<<", "\nx\n];")],
    ["php", "one key again and again", numbered((i) => `'a' => '${i}',\n`, "<?php return [\n", "];\n")],
    ["php", "comments", repeated("/* */ ", "<?php ", "return [];")],
    ["json", "one key again and again", numbered((i) => `"a": "${i}",\n`, "{", '"b": ""}')],
    ["strings", "one key again and again", numbered((i) => `"a" = "${i}";\n`)],
    ["json", "one line", numbered((i) => `"a${i}":"b",`, "{", '"b":""}')],
    ["json", "groups", numbered((i) => `"a${i}":{"b":"c"},`, "{", '"b":""}')],
    ["json", "open braces", repeated('{"a":')],
    ["arb", "descriptions", numbered((i) => `"a${i}":"b","@a${i}":{"description":"c"},`, "{", '"b":""}')],
    ["chrome", "messages", numbered((i) => `"a${i}":{"message":"b"},`, "{", '"b":{"message":""}}')],
    ["android", "texts", numbered((i) => `<string name="a${i}">b</string>`, "<resources>", "</resources>")],
    ["android", "open tags", repeated("<a>", "<resources>")],
    [
      "android",
      "one key again and again",
      numbered((i) => `<string name="a">${i}</string>\n`, "<resources>", "</resources>"),
    ],
    ["resx", "texts", numbered((i) => `<data name="a${i}"><value>b</value></data>`, "<root>", "</root>")],
    [
      "qt",
      "texts",
      numbered(
        (i) => `<message><source>a${i}</source><translation>b</translation></message>`,
        "<TS><context><name>c</name>",
        "</context></TS>",
      ),
    ],
    [
      "xliff",
      "texts",
      numbered(
        (i) => `<trans-unit id="a${i}"><source>b</source><target>c</target></trans-unit>`,
        '<xliff version="1.2"><file source-language="en" target-language="fr"><body>',
        "</body></file></xliff>",
      ),
    ],
    [
      "xliff",
      "groups",
      numbered(
        (i) =>
          `<group><group id="g${i}"><unit id="a${i}"><segment><source>b</source><target>c</target></segment></unit></group></group>`,
        '<xliff version="2.0" srcLang="en" trgLang="fr"><file id="f">',
        "</file></xliff>",
      ),
    ],
    ["xliff", "groups in groups", repeated("<group>", '<xliff version="2.0" srcLang="en"><file id="f">')],
    [
      "stringsdict",
      "texts",
      numbered(
        (i) => `<key>a${i}</key><dict><key>NSStringLocalizedFormatKey</key><string>b</string></dict>`,
        "<plist><dict>",
        "</dict></plist>",
      ),
    ],
    [
      "android",
      "escapes of escapes",
      repeated("amp;", '<resources><string name="a">&', "lt;b></string></resources>"),
    ],
    ["yaml", "comments", repeated("# a\n", "", "a: b\n")],
    ["yaml", "one line", numbered((i) => `a${i}: b, `, "{", "}")],
    ["toml", "tables", numbered((i) => `[a${i}]\nb = "c"\n`)],
    ["fluent", "junk", repeated("a\n")],
    ["fluent", "arguments", repeated("{ $b } ", "a = ")],
    ["po", "comments", repeated("# a\n")],
    ["strings", "comments", repeated("/* a */\n", "", '"a" = "b";')],
    ["properties", "comments", repeated("# a\n", "", "a = b")],
    ["properties", "blanks", repeated(" ", "a", "b")],
    ["csv", "rows", numbered((i) => `a${i},b,c\n`, "keys,en,fr\n")],
    ["csv", "columns", numbered((i) => `,a${i}`, "keys,en")],
    ["csv", "quotes", repeated('"', "keys,en\n")],
    ["csv", "open quotes", repeated('""', 'keys,en\na,"')],
    ["csv", "one key again and again", repeated("a,b\n", "keys,en\n")],
    ["go-i18n", "messages of YAML", numbered((i) => `- id: a${i}\n  translation: b\n`)],
    ["go-i18n", "dashes", repeated("- ")],
    ["ini", "names", numbered((i) => `a${i} = b\n`)],
    ["ini", "sections", numbered((i) => `; about\n[a${i}]\nb = "c"\n`)],
    ["ini", "comments", repeated("; a\n", "", "a = b")],
    ["ini", "blanks", repeated(" ", "a", "=b")],
    ["ini", "escapes", repeated(String.raw`\"`, 'a = "', '"')],
    ["ini", "open brackets", repeated("[")],
    ["ini", "one key again and again", repeated("a=b\n")],
    ["toml", "names", numbered((i) => `a${i} = "b"\n`)],
    ["fluent", "messages", numbered((i) => `a${i} = { $b }\n`)],
    ["po", "messages", numbered((i) => `msgid "a${i}"\nmsgstr "b"\n\n`)],
  ];
  for (const [name, what, make] of files) {
    const format = await formatNamed(name)?.load();
    it(`${name}: ${what}`, { timeout: runaway }, () => {
      const work = (length: number) => {
        const bytes = Buffer.from(make(length));
        return () => {
          try {
            void format?.parse(bytes, context).notes;
          } catch (error) {
            if (!(error instanceof FormatError)) throw error;
          }
        };
      };
      expect(leastGrowth(work, 25_000)).toBeLessThan(mostGrowth);
    });
  }
});

describe("a pattern of pictures is matched in proportion to the key, however long the pattern", () => {
  const longest = pictureLimits.pattern;
  it.each([
    ["stars and letters", "*a".repeat(longest / 2 - 1) + "*b"],
    ["a long piece", `*${"a".repeat(longest - 3)}b*`],
    ["a long piece that differs at its start", `*b${"a".repeat(longest - 3)}*`],
    ["a piece that repeats itself", `*${"ab".repeat(longest / 2 - 2)}aa*`],
  ])("%s", (_, pattern) => {
    const work = (length: number) => {
      const key = "ab".repeat(length / 4) + "a".repeat(length / 2);
      return () => starMatcher(pattern)(key);
    };
    expect(leastGrowth(work, maxKeyBytes / 2)).toBeLessThan(mostGrowth);
    // Not the product of both lengths, which is a hundred times as much.
    expect(stepsOf(work(maxKeyBytes))).toBeLessThan(20 * (maxKeyBytes + longest));
  });
});

it("the pictures of a string are found with pauses between patterns", async () => {
  const strings = Array.from({ length: pictureLimits.patterns }, (_, i) => `a.json:*${i}*`);
  const picture = (hash: string): Picture => ({
    hash,
    blob: toGitObject("blob", new Uint8Array()).oid,
    name: "a.png",
    type: "png",
    width: 1,
    height: 1,
    strings,
    boxes: [],
  });
  const pictures = new Map(
    Array.from({ length: pictureLimits.count }, (_, i) => [`${i}`, picture(`${i}`)] as const),
  );
  const find = pictureFinder(pictures);
  const key = "a".repeat(maxKeyBytes);
  const others: string[] = [];
  const finding = find({ file: fileNamed("a.json"), key }).then(() => others.push("found"));
  const ticks = (async () => {
    for (let i = 0; i < 5; i++) {
      await pause();
      others.push("another request");
    }
  })();
  await Promise.all([finding, ticks]);
  expect(others.at(-1)).toBe("found");
});
