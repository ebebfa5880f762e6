/** What is found about the terms of a translation. */
import { describe, expect, it } from "vitest";
import { expectedTerms, termsIn } from "../../../src/domain/glossary/expected-terms.ts";
import { checkTerms } from "../../../src/domain/glossary/term-findings.ts";
import { TermIndex } from "../../../src/domain/glossary/term-index.ts";
import type { Term } from "../../../src/domain/glossary/term.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { term } from "./terms.ts";

const fr = toLocale("fr").code;

function check(terms: readonly Term[], source: string, translation: string): readonly string[] {
  const index = new TermIndex([terms], "en");
  const found = checkTerms(expectedTerms(termsIn(index, "icu", source), fr), "icu", translation, fr);
  for (const { severity, range, found: part } of found) {
    expect(severity).toBe("warning");
    if (range !== undefined) expect(translation.slice(...range)).toBe(part);
  }
  return found.map(({ check: name, found: part, expected }) => `${name} ${part ?? ""}|${expected ?? ""}`);
}

const file = term({
  source: "file",
  fr: { text: "fichier", accepted: ["document"], forbidden: ["archive"] },
});

describe("the terms of a translation", () => {
  it.each([
    ["are there", "Open the file", "Ouvrir le fichier", []],
    ["are there by another spelling that is accepted", "Open the file", "Ouvrir le Document", []],
    ["are missing", "Open the file", "Ouvrir la chose", ["term-missing |fichier, document"]],
    [
      "are forbidden, which is told alone",
      "Open the file",
      "Ouvrir l'archive",
      ["term-forbidden archive|fichier, document"],
    ],
    [
      "are forbidden beside the right one",
      "A file",
      "Un fichier, une archive",
      ["term-forbidden archive|fichier, document"],
    ],
    ["are not forbidden where the source has no such term", "Archive", "Une archive", []],
    ["are not found in arguments", "The {file}", "Le {file}", []],
    [
      "are missing where only an argument has their name",
      "The file",
      "Le {fichier}",
      ["term-missing |fichier, document"],
    ],
    [
      "are not found where they are a part of a word",
      "A file",
      "Un fichierx",
      ["term-missing |fichier, document"],
    ],
    [
      "are looked for once, however often they stand there",
      "file, file",
      "x",
      ["term-missing |fichier, document"],
    ],
  ])("%s", (_, source, translation, expected) => {
    expect(check([file], source, translation)).toEqual(expected);
  });

  it("are right by either of two meanings", () => {
    const [open, state] = [
      term({ id: "1", source: "Open", meaning: "verb", fr: { text: "Ouvrir", forbidden: ["Ouvert"] } }),
      term({ id: "2", source: "Open", meaning: "state", fr: "Ouvert" }),
    ];
    expect(check([open, state], "Open", "Ouvrir")).toEqual([]);
    expect(check([open, state], "Open", "Ouvert")).toEqual([]);
    expect(check([open, state], "Open", "Fermer")).toEqual(["term-missing |Ouvrir, Ouvert"]);
    expect(check([open, term({ id: "3", source: "Open", meaning: "other" })], "Open", "x")).toEqual([]);
  });

  it("are kept as they are in all locales, or in one", () => {
    expect(check([term({ source: "Skep", keep: true })], "Ask Skep", "Demander")).toEqual([
      "term-missing |Skep",
    ]);
    expect(check([term({ source: "Skep", keep: true })], "Ask Skep", "Demander à Skep")).toEqual([]);
    expect(check([term({ source: "Skep", fr: { keep: true } })], "Skep", "Ruche")).toEqual([
      "term-missing |Skep",
    ]);
  });

  it("match in both texts by the rule of the term", () => {
    const prefix = term({ source: "delet", match: "prefix", fr: "supprim" });
    expect(check([prefix], "Deleted", "Supprimé")).toEqual([]);
    const exact = term({ source: "Git", match: "exact", fr: "Git" });
    expect(check([exact], "Git", "git")).toEqual(["term-missing |Git"]);
    expect(check([exact], "git", "x")).toEqual([]);
  });

  it("do not forbid a part of what is accepted, nor what another term demands", () => {
    const mail = term({ source: "mail", fr: { text: "courrier électronique", forbidden: ["électronique"] } });
    expect(check([mail], "A mail", "Un courrier électronique")).toEqual([]);
    const archive = term({ source: "archive", fr: "archive" });
    expect(check([file, archive], "A file of the archive", "Un fichier de l'archive")).toEqual([]);
  });

  it("are found in texts with decomposed characters, without a range", () => {
    const name = term({ source: "name", fr: { text: "prénom", forbidden: ["clé"] } });
    expect(check([name], "name", "pre\u0301nom")).toEqual([]);
    expect(check([name], "name", "cle\u0301")).toEqual(["term-forbidden clé|prénom"]);
  });

  it("are looked for in bounded time, whatever the texts are", () => {
    const all = Array.from({ length: 10_000 }, (_, i) => term({ source: `a${i}`, fr: "b" }));
    for (const source of [
      "a".repeat(20_000),
      "a.".repeat(9_000),
      "{".repeat(20_000),
      "<".repeat(20_000),
      "a@".repeat(9_000),
    ])
      expect(check(all, source, source)).toEqual([]);
  });
});
