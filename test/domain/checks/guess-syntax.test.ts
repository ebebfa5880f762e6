import { expect, it } from "vitest";
import { syntaxByFlags } from "../../../src/domain/checks/guess-syntax.ts";

it.each([
  [["python-brace-format"], "brace"],
  [["perl-brace-format"], "brace"],
  [["csharp-format"], "brace"],
  [["java-format"], "java"],
  [["java-printf-format"], "printf"],
  [["kde-format"], "qt"],
  [["kde-kuit-format"], "qt"],
  [["typescript-format"], "printf"],
  [["sh-printf-format"], "printf"],
  [["scheme-format"], "text"],
  [["boost-format"], "text"],
  [["qt-format"], "qt"],
  [["qt-plural-format"], "qt"],
  [["ruby-format"], "rails"],
  [["c-format"], "printf"],
  [["no-c-format"], "text"],
  [["no-c-format", "python-brace-format"], "brace"],
  [["no-wrap"], undefined],
  [["wrap", "range: 0..10"], undefined],
  [[], undefined],
])("the flags %j are of the syntax %s", (flags, syntax) => {
  expect(syntaxByFlags(flags)).toBe(syntax);
});
