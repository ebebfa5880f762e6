import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkSource, checkTranslation, maxCheckedLength } from "../../../src/domain/checks/check-text.ts";
import type { CheckFinding } from "../../../src/domain/checks/message.ts";
import { syntaxNames, type SyntaxName } from "../../../src/domain/checks/syntax-names.ts";
import { syntaxes } from "../../../src/domain/checks/syntaxes.ts";
import { anyText } from "../../helpers/arbitraries.ts";
import { forAllSync } from "../../helpers/runs.ts";

type Severity = "error" | "warning";

/** How a syntax writes what the contract needs. */
interface Sample {
  /** An argument of that name, or at that position, counted from 0. */
  readonly write: (name: string, at: number) => string;
  /** The same argument of another kind; undefined where the syntax has no kinds. */
  readonly retype?: (name: string, at: number) => string;
  /** How bad it is that the argument at a position is missing, where others may come behind it. */
  readonly missing: Severity | ((isLast: boolean) => Severity);
  /** Whether arguments have no names. */
  readonly isCounted?: boolean;
  readonly malformed?: string;
}

const icu: Sample = {
  write: (name) => `{${name}}`,
  retype: (name) => `{${name}, date, short}`,
  missing: "error",
  malformed: "{name",
};

const samples: Readonly<Record<Exclude<SyntaxName, "text" | "none">, Sample>> = {
  icu,
  flutter: icu,
  "flutter-escaped": icu,
  i18next: {
    write: (name) => `{{${name}}}`,
    retype: (name) => `{{- ${name}}}`,
    missing: "warning",
    malformed: "{{name}",
  },
  laravel: { write: (name) => `:${name}`, missing: "warning" },
  rails: {
    write: (name) => `%{${name}}`,
    retype: (name) => `%<${name}>d`,
    missing: "warning",
    malformed: "%{name",
  },
  printf: { write: () => "%s", retype: () => "%d", missing: "error", isCounted: true },
  android: {
    write: (_, at) => `%${at + 1}$s`,
    retype: (_, at) => `%${at + 1}$d`,
    missing: "warning",
  },
  brace: {
    write: (name) => `{${name}}`,
    retype: (name) => `{{${name}}}`,
    missing: "warning",
    malformed: "{name",
  },
  fluent: { write: (name) => `{ $${name} }`, missing: "warning", malformed: "{ $name" },
  java: {
    write: (name) => `{${name}}`,
    retype: (name) => `{${name}, date, short}`,
    missing: "warning",
    malformed: "{name",
  },
  chrome: { write: (name) => `$${name}$`, missing: "warning" },
  symfony: { write: (name) => `%${name}%`, missing: "warning" },
  qt: { write: (_, at) => `%${at + 1}`, missing: (isLast) => (isLast ? "warning" : "error") },
};
const named = syntaxNames.filter((name): name is keyof typeof samples => name !== "text" && name !== "none");

const context = { locale: "de" };
/** Words that are no argument of any syntax, between blanks. */
const words = fc.stringMatching(/^[a-z]{2,8}$/);
/** Arguments that no other begins with, as Laravel replaces the beginning of a longer name. */
const names = fc.uniqueArray(fc.stringMatching(/^[a-m]{4}$/), { minLength: 1, maxLength: 4 });
const messages = fc.record({ names, word: words });

function textOf(parts: readonly string[], word: string): string {
  return [word, ...parts.map((part) => `${part} ${word}`)].join(" ");
}

function checksOf(findings: readonly CheckFinding[]): readonly string[] {
  return findings.map(({ check, severity }) => `${check} ${severity}`);
}

describe.each(named)("the syntax %s", (name) => {
  const { write, retype, missing, isCounted = false, malformed } = samples[name];
  const check = (source: string, translation: string) => checkTranslation(name, source, translation, context);
  const texts = messages.map((message) => ({
    names: message.names,
    source: textOf(message.names.map(write), message.word),
    translationOf: (parts: readonly string[]) => textOf(parts, "und"),
  }));

  it("finds nothing in a text that has the arguments of its source text", () => {
    forAllSync(75, texts, (message) => {
      expect(check(message.source, message.translationOf(message.names.map(write)))).toEqual([]);
    });
  });

  it("finds nothing in a text that is its own translation", () => {
    forAllSync(75, anyText(), (text) => {
      expect(check(text, text)).toEqual([]);
      expect(syntaxes[name].compareWith(text)(text, { locale: "en" })).toEqual([]);
    });
  });

  it.each(["__proto__", "constructor", "toString"])("reads %s as any other name and format", (word) => {
    for (const text of [
      write(word, 0),
      `{{a, ${word}}}`,
      `{a, ${word}}`,
      `{ ${word}($a) }`,
      `%{a} %<a>${word}`,
    ]) {
      const message = syntaxes[name].parse(text);
      if ("fault" in message) continue;
      for (const { name: own, kind } of message.arguments)
        expect([typeof own, typeof kind]).toEqual(["string", "string"]);
    }
  });

  it("finds a missing argument, and nothing else", () => {
    forAllSync(75, texts, fc.nat(), ({ names: all, source, translationOf }, at) => {
      const n = at % all.length;
      const parts = all.map(write).filter((_, i) => i !== n);
      const severity = typeof missing === "string" ? missing : missing(n === all.length - 1);
      expect(checksOf(check(source, translationOf(parts)))).toEqual([`argument-missing ${severity}`]);
    });
  });

  it("finds an argument that the source text lacks, and nothing else", () => {
    forAllSync(75, texts, ({ names: all, source, translationOf }) => {
      const parts = [...all.map(write), write("zzzz", all.length)];
      const findings = check(source, translationOf(parts));
      expect(checksOf(findings)).toEqual(["argument-extra error"]);
      expect(findings[0]?.found).toBe(parts.at(-1));
    });
  });

  it.skipIf(isCounted)("has one finding for a renamed argument", () => {
    forAllSync(75, texts, fc.nat(), ({ names: all, source, translationOf }, n) => {
      const at = n % all.length;
      const parts = all.map((each, i) => (i === at ? write("zzzz", 8) : write(each, i)));
      const findings = check(source, translationOf(parts));
      expect(checksOf(findings)).toEqual(["argument-extra error"]);
      expect(findings[0]?.expected).toBe(write(all[at] ?? "", at));
    });
  });

  it.skipIf(retype === undefined)("finds an argument of another kind, and nothing else", () => {
    forAllSync(75, texts, fc.nat(), ({ names: all, source, translationOf }, n) => {
      const at = n % all.length;
      const parts = all.map((each, i) => (i === at ? (retype?.(each, i) ?? "") : write(each, i)));
      expect(checksOf(check(source, translationOf(parts)))).toEqual(["argument-type error"]);
    });
  });

  it("finds a doubled argument where arguments have no names, and only there", () => {
    forAllSync(75, texts, fc.nat(), ({ names: all, source, translationOf }, n) => {
      const parts = all.flatMap((each, i) =>
        i === n % all.length ? [write(each, i), write(each, i)] : write(each, i),
      );
      expect(checksOf(check(source, translationOf(parts)))).toEqual(
        isCounted ? ["argument-extra error"] : [],
      );
    });
  });

  it.skipIf(malformed === undefined)("finds a text that is malformed, and says where", () => {
    const findings = check(`Hello ${write("name", 0)}`, `Hallo ${malformed ?? ""}`);
    expect(checksOf(findings)).toEqual(["syntax error"]);
    const [start = -1, end = -1] = findings[0]?.range ?? [];
    expect(start).toBeGreaterThanOrEqual("Hallo ".length);
    expect(end).toBeGreaterThan(start);
  });

  it("compares nothing with a source text that is malformed", () => {
    expect(check(malformed ?? "50 %", "Hallo")).toEqual([]);
  });

  it("never throws, and every range lies in the text", () => {
    const any = fc.oneof(
      anyText(),
      fc
        .array(
          fc.constantFrom(
            "{",
            "}",
            "{{",
            "%",
            "$",
            ":",
            "|",
            "<",
            ">",
            "/",
            "a",
            "1",
            "s",
            "#",
            "'",
            ",",
            " ",
            "plural",
            "other",
            "\u200F",
            "٣",
          ),
        )
        .map((parts) => parts.join("")),
    );
    forAllSync(300, any, any, fc.constantFrom(undefined, "one", "many"), (source, translation, form) => {
      checkSource(name, source);
      for (const { range, found } of checkTranslation(name, source, translation, {
        ...context,
        ...(form && { form }),
      })) {
        if (range === undefined) continue;
        expect(range[0]).toBeGreaterThanOrEqual(0);
        expect(range[1]).toBeLessThanOrEqual(translation.length);
        expect(translation.slice(...range).startsWith(found ?? "")).toBe(true);
      }
    });
  });

  // With quadratic behaviour this runs into the time limit of tests.
  it("takes time in proportion to the text", () => {
    for (const part of [
      "{",
      "}",
      "%",
      "{{",
      "$t(",
      ":a",
      "%(",
      "<a ",
      "&lt;a",
      "{a,plural,other{",
      "'",
      "|",
      "%1$",
      "%s",
    ]) {
      const text = part.repeat(Math.floor(maxCheckedLength / part.length));
      expect(check(`a ${write("name", 0)}`, text).length).toBeLessThan(30);
      expect(check(text, text.slice(1)).length).toBeLessThan(30);
    }
  });
});

it("tells what was found as it stands in the text, also where a tag of Android's is in it", () => {
  const [{ found, range } = {}] = checkTranslation("android", "%s", "a %<b>x</b>", { locale: "fr" });
  expect([found, range]).toEqual(["%<", [2, 4]]);
});

it("checks nothing where a file has no syntax", () => {
  expect(checkTranslation("none", "%s {a} <b>x</b>", "nothing", context)).toEqual([]);
});

it.each([
  ["<b>x</b>", "<b>x"],
  ["x", "<script>y()</script>"],
  ["<img src=a>", "<img src=a onerror=f()>"],
  ["<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"],
])("checks the tags of %j and %j where no text has an argument", (source, translation) => {
  expect(checkTranslation("text", source, `${translation} %s {a}`, context)).toHaveLength(1);
  expect(checkTranslation("text", `${source} {a}`, source, context)).toEqual([]);
});

describe("a source text", () => {
  it.each([
    ["icu", "{n, plural, one {x}}", ["branches error"]],
    ["icu", "{name", ["syntax error"]],
    ["i18next", "{{name}", ["syntax error"]],
    ["printf", "100% of %s", []],
    ["brace", "a } b", []],
  ] as const)("of the syntax %s, %j, has the findings %j", (syntax, text, expected) => {
    expect(checksOf(checkSource(syntax, text))).toEqual(expected);
  });
});
