/**
 * What a stranger can send is worked on in proportion to its size: each row is the worst text or file of its kind, of which
 * twice as much may take no more than about twice the steps. Steps are counted, not timed.
 */
import { stepsOf } from "../helpers/steps.ts";
import { describe, expect, it } from "vitest";
import {
  checkSource,
  checkStyle,
  checkTranslation,
  maxCheckedLength,
} from "../../src/domain/checks/check-text.ts";
import { syntaxNames } from "../../src/domain/checks/syntax-names.ts";
import { partsOf } from "../../src/domain/glossary/text-parts.ts";
import { pictureFinder } from "../../src/domain/pictures/picture-strings.ts";
import { pictureLimits, type Picture } from "../../src/domain/pictures/picture.ts";
import { starMatcher } from "../../src/domain/pictures/star-pattern.ts";
import { maxKeyBytes } from "../../src/domain/strings/string-file.ts";
import { toGitObject } from "../../src/git/objects/git-object.ts";
import { pause } from "../../src/slices.ts";
import { fileNamed } from "../helpers/hive.ts";
import { hiddenParts } from "../../src/domain/glossary/term-findings.ts";

/** Makes a text of about that length. */
type Make = (length: number) => string;

function repeated(unit: string, start = "", end = ""): Make {
  return (length) => start + unit.repeat(Math.max(1, Math.floor(length / unit.length))) + end;
}

/** A text of parts that have numbers. */
function numbered(write: (i: number) => string, start = "", end = ""): Make {
  return (length) => {
    const parts: string[] = [];
    for (let i = 0, size = 0; size < length; size += parts.at(-1)?.length ?? 1) parts.push(write(i++));
    return start + parts.join("") + end;
  };
}

/** How the steps of work grow when its input is twice as large; 2 where they are in proportion. */
function growthOf(work: (length: number) => () => unknown, length: number): number {
  const [small, large] = [work(length), work(2 * length)];
  small();
  const [few, many] = [stepsOf(small), stepsOf(large)];
  return many / Math.max(few, length);
}

/** What sorts takes a little more than its input. */
const mostGrowth = 2.3;

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
  "|": repeated("|"),
  "$t(": repeated("$t("),
  "$t(a)": numbered((i) => `$t(a${i})`),
  "<": repeated("<"),
  "<a>": repeated("<a>"),
  "<a1>": numbered((i) => `<a${i}>`),
  "<a></a>": numbered((i) => `<a${i}></a${i}>`),
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
describe("a text is checked in proportion to its length", () => {
  const context = { locale: "fr", sourceLocale: "en" };

  describe.each(syntaxNames)("%s", (syntax) => {
    // In more than proportion, the length of a legal text takes minutes where a regular expression goes back and forth.
    it.each(Object.entries(texts))("%s", { timeout: 30_000 }, (_, make) => {
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
      expect(growthOf(work, maxCheckedLength / 5)).toBeLessThan(mostGrowth);
    });
  });
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
    expect(growthOf(work, maxKeyBytes / 2)).toBeLessThan(mostGrowth);
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
