/** Where terms stand in texts, against a search that tries every part of a text. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hiddenParts } from "../../../src/domain/glossary/term-findings.ts";
import { fold } from "../../../src/domain/glossary/searched-text.ts";
import { TermIndex } from "../../../src/domain/glossary/term-index.ts";
import type { Term } from "../../../src/domain/glossary/term.ts";
import { term } from "./terms.ts";
import { forAllSync } from "../../helpers/runs.ts";

function found(terms: readonly Term[], text: string, locale = "en"): readonly string[] {
  return new TermIndex([terms], locale)
    .find(text, hiddenParts("icu", text))
    .map(({ range }) => text.slice(...range));
}

describe("terms in a text", () => {
  it.each([
    ["a whole word", ["file"], "Open the File.", ["File"]],
    ["not a part of a word", ["file"], "Your profile and files", []],
    ["a word beside an apostrophe", ["user", "app"], "The user's l’app", ["user", "app"]],
    ["no part of a compound", ["add", "on", "line"], "Add-ons, an add-on and an on\u2011line add", ["add"]],
    ["a compound", ["add", "add-on"], "Add an add-on", ["Add", "add-on"]],
    ["a word beside a dash", ["add", "file"], "Add - file-", ["Add", "file"]],
    ["parts of compounds with names", ["account", "Konto"], "account-Git, Git-Konto", ["account", "Konto"]],
    ["a phrase rather than its words", ["sign", "in", "sign in"], "Sign in now", ["Sign in"]],
    ["the words of a phrase elsewhere", ["sign", "sign in"], "sign in, or sign", ["sign in", "sign"]],
    ["a phrase over a line break", ["sign in"], "Sign\nin", ["Sign\nin"]],
    ["a spelling with marks", ["C++", ".NET"], "C++ and .NET.", ["C++", ".NET"]],
    [
      "nothing in arguments",
      ["file"],
      "{file} or {n, plural, one {# file} other {the file}}",
      ["file", "file"],
    ],
    ["nothing in tags and entities", ["b", "amp"], '<b title="b">x</b> &amp; b', ["b"]],
    [
      "nothing in addresses",
      ["example"],
      "https://example.org/example, me@example.org, www.example.org example",
      ["example"],
    ],
  ])("are %s", (_, sources, text, expected) => {
    const terms = sources.map((source) => term({ source }));
    expect(found(terms, text)).toEqual(expected);
  });

  it("match by the beginning of a word where they say so", () => {
    const terms = [term({ source: "repositor", match: "prefix" })];
    expect(found(terms, "Repository, repositories, myrepository")).toEqual(["Repositor", "repositor"]);
  });

  it("match as they are written where case counts", () => {
    expect(found([term({ source: "Open", case: true })], "open Open")).toEqual(["Open"]);
    expect(found([term({ source: "Open", match: "exact" })], "open Open")).toEqual(["Open"]);
  });

  it("are words where a language writes no blanks", () => {
    expect(found([term({ source: "設定" })], "アカウントの設定を開く", "ja")).toEqual(["設定"]);
    expect(found([term({ source: "บัญชี" })], "ตั้งค่าบัญชีผู้ใช้", "th")).toEqual(["บัญชี"]);
  });

  it("are no parts of compounds, but what is no word may have a hyphen behind it", () => {
    expect(found([term({ source: "add" })], "add-on, add")).toEqual(["add"]);
    expect(found([term({ source: "C++" })], "C++-file")).toEqual(["C++"]);
  });

  it("have the lower case of their language", () => {
    expect(found([term({ source: "ısı" })], "ISI", "tr")).toEqual(["ISI"]);
    expect(found([term({ source: "isi" })], "ISI", "tr")).toEqual([]);
    // A capital I with a dot is two characters in lower case elsewhere.
    expect(found([term({ source: "file" })], "İ file", "en")).toEqual(["file"]);
  });

  it.each([
    ["a plural", ["file"], "Files, and a file", ["Files", "file"]],
    ["not a common word that looks like a singular", ["news"], "A new message, and news", ["news"]],
    ["a plural of -es and -ies", ["box", "entry"], "Boxes and entries", ["Boxes", "entries"]],
    ["a plural of -oes and -os", ["hero", "photo"], "Heroes, photos", ["Heroes", "photos"]],
    [
      "the singular of a plural",
      ["settings", "categories"],
      "A setting, a category",
      ["setting", "category"],
    ],
    ["the singular of a plural of -e", ["caches", "movies"], "A cache, a movie", ["cache", "movie"]],
    ["the last word of a phrase", ["source file"], "Two source files", ["source files"]],
    ["no part of what is a term itself", ["sign", "the sign in"], "The sign ins", ["sign"]],
    ["a term itself rather than a form", ["file", "files"], "Files", ["Files"]],
    ["no part of a longer word", ["file"], "Profiles, filesystem", []],
    ["no part of a compound", ["add"], "adds-on", []],
    ["no form of a short word", ["in"], "ins", []],
    ["nothing that has its s anyway", ["class", "status", "analysis"], "a clas, statu or analysi", []],
    ["nothing in arguments", ["file"], "{files}", []],
  ])("are shown in their forms: %s", (_, sources, text, expected) => {
    const terms = sources.map((source) => term({ source }));
    const shown = new TermIndex([terms], "en").findForms(text, hiddenParts("icu", text));
    expect(shown.map(({ range }) => text.slice(...range))).toEqual(expected);
  });

  it.each([
    [{ case: true }, "en"],
    [{ match: "exact" as const }, "en"],
    [{}, "fr"],
  ])("have no forms where they are written alike, or the language is not known: %j in %s", (rule, locale) => {
    const index = new TermIndex([[term({ source: "file", ...rule })]], locale);
    expect(index.findForms("files")).toEqual([]);
  });

  it("are not found in their forms where translations are checked", () => {
    expect(found([term({ source: "file" })], "files")).toEqual([]);
  });

  it("are found alike where no form of them stands", () => {
    const word = fc.constantFrom("file", "files", "sign", "in", "entry", "entries", "é", "the");
    const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((each) => each.join(" "));
    forAllSync(
      300,
      fc.array(words, { maxLength: 5 }),
      fc.array(words, { maxLength: 4 }),
      (sources, parts) => {
        const text = parts.join(" ");
        const index = new TermIndex([sources.map((source, i) => term({ id: String(i), source }))], "en");
        const shown = index.findForms(text);
        expect(shown).toEqual(expect.arrayContaining([...index.find(text)]));
        let end = 0;
        for (const { range } of shown) {
          expect(range[0]).toBeGreaterThanOrEqual(end);
          [, end] = range;
        }
      },
    );
  });

  it("are of the earlier glossary where two have a spelling", () => {
    const [own, used, other] = [
      term({ id: "1", source: "Open" }),
      term({ id: "2", source: "open" }),
      term({ id: "3", source: "file" }),
    ];
    const index = new TermIndex([[own], [used, other]], "en");
    expect(index.find("open file").map(({ terms }) => terms.map(({ id }) => id))).toEqual([["1"], ["3"]]);
  });

  it("are found as by a search of every part of the text", () => {
    const word = fc.constantFrom(
      "file",
      "sign",
      "in",
      "a",
      "é",
      "Straße",
      "İ",
      "don't",
      "l’a",
      "C++",
      "3.5",
      "設定",
      "画面",
      "บัญชี",
      "x-y",
      "_id",
    );
    const spelling = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
    const glue = fc.constantFrom(" ", "", ", ", ".", "\n", "'", "-", "  ");
    const text = fc.array(fc.tuple(word, glue), { maxLength: 8 }).map((parts) => parts.flat().join(""));
    const rule = fc.record({
      source: spelling,
      case: fc.boolean(),
      match: fc.constantFrom("word" as const, "prefix" as const, "exact" as const),
    });
    forAllSync(
      500,
      fc.array(rule, { maxLength: 6 }),
      text,
      fc.constantFrom("en", "tr", "ja"),
      (rules, searched, locale) => {
        const terms = rules.map((each, i) => term({ ...each, id: String(i) }));
        const actual = new TermIndex([terms], locale).find(searched);
        expect(actual.map(({ range, terms: own }) => [range[0], range[1], own.map(({ id }) => id)])).toEqual(
          reference(terms, searched, locale),
        );
      },
    );
  });
});

/** Every part of the text between two edges of words, the longest first. */
function reference(terms: readonly Term[], text: string, locale: string): unknown {
  const edges = new Set([text.length]);
  for (const { index } of new Intl.Segmenter(locale, { granularity: "word" }).segment(text)) edges.add(index);
  for (const { index } of text.matchAll(/['’]/g)) edges.add(index).add(index + 1);
  const all: [start: number, end: number, ids: string[]][] = [];
  for (const start of edges) {
    for (let end = start + 1; end <= text.length; end++) {
      const part = text.slice(start, end);
      const ids = terms.filter(({ source, match, ...rule }) => {
        if (
          rule.case || match === "exact"
            ? part !== source
            : fold(text, locale).slice(start, end) !== fold(source, locale)
        )
          return false;
        const whole = text.slice(0, start) + part.replaceAll("-", " ") + text.slice(end);
        const isInCompound = Array.from(whole.matchAll(/(?<=\p{L})-(?=\p{Ll})/gu)).some(
          ({ index }) => index === start - 1 || index === end,
        );
        if (isInCompound && !rule.case && match !== "exact") return false;
        return match === "prefix" || edges.has(end);
      });
      if (ids.length > 0) all.push([start, end, ids.map(({ id }) => id)]);
    }
  }
  const taken: typeof all = [];
  for (const one of all.toSorted((a, b) => b[1] - b[0] - (a[1] - a[0]) || a[0] - b[0])) {
    if (taken.every(([start, end]) => one[1] <= start || end <= one[0])) taken.push(one);
  }
  return taken.toSorted((a, b) => a[0] - b[0]);
}
