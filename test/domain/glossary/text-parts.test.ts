/** Source texts are split into arguments, terms and the rest. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { syntaxNames, type SyntaxName } from "../../../src/domain/checks/syntax-names.ts";
import { termsIn } from "../../../src/domain/glossary/expected-terms.ts";
import { TermIndex } from "../../../src/domain/glossary/term-index.ts";
import { partsOf, termsBetween } from "../../../src/domain/glossary/text-parts.ts";
import { term } from "./terms.ts";
import { forAllSync } from "../../helpers/runs.ts";

const index = new TermIndex([[term({ source: "file" }), term({ source: "café" })]], "en");

/** `{argument}` and `[term]` around parts. */
function shown(syntax: SyntaxName, text: string): string {
  const parts = partsOf(syntax, text, termsIn(index, syntax, text));
  return parts
    .map((part) =>
      part.argument !== undefined
        ? `«${part.text}»`
        : part.terms === undefined
          ? part.text
          : `[${part.text}]`,
    )
    .join("");
}

it.each<[SyntaxName, string, string]>([
  ["icu", "Open the file {name}", "Open the [file] «{name}»"],
  [
    "icu",
    "{n, plural, one {a file of {name}} other {# files}} {n}",
    "{n, plural, one {a [file] of «{name}»} other {# files}} «{n}»",
  ],
  ["icu", "a file that is {broken", "a [file] that is {broken"],
  ["i18next", "{{file}} in $t(file), file", "«{{file}}» in «$t(file)», [file]"],
  ["printf", "file %1$s of %2$d", "[file] «%1$s» of «%2$d»"],
  ["laravel", ":count File", "«:count» [File]"],
  ["rails", "%{file} file", "«%{file}» [file]"],
  ["none", "{file} file", "{[file]} [file]"],
  // In another normal form, places are others.
  ["none", "cafe\u0301 file", "cafe\u0301 file"],
  ["icu", "", ""],
])("in %s, %j is %s", (syntax, text, parts) => {
  expect(shown(syntax, text)).toBe(parts);
});

it("together they are the text, whatever it is", () => {
  const piece = fc.constantFrom(
    "file",
    "{",
    "}",
    "{n}",
    "{{",
    "}}",
    "%s",
    ":n",
    "%{n}",
    "plural, other ",
    "é",
    "😀",
    " ",
  );
  const some = fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 }).map((all) => all.join(""));
  forAllSync(200, fc.constantFrom(...syntaxNames), some, (syntax, text) => {
    const parts = partsOf(syntax, text, termsIn(index, syntax, text));
    expect(parts.map((part) => part.text).join("")).toBe(text);
  });
});

it("the terms of one form stand at their places in it", () => {
  const text = "one file|all files of a file";
  const [found] = termsBetween(termsIn(index, "none", text), [9, text.length]);
  expect(text.slice(9).slice(...(found?.range ?? [0, 0]))).toBe("file");
});
