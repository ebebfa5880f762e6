/** Texts of every syntax, with prose and code in them. */
import fc from "fast-check";
import { isFault } from "../../../src/domain/checks/message.ts";
import type { SyntaxName } from "../../../src/domain/checks/syntax-names.ts";
import { syntaxes } from "../../../src/domain/checks/syntaxes.ts";

/** What stands in texts of each syntax: code that is to stay, with words in it that are prose elsewhere. */
const icu = [
  "{file}",
  "{n, plural, one {# file} other {# files}}",
  "{file, select, file {a file} other {{n} files}}",
  "'{file}'",
  "it''s",
];
const pieces: Readonly<Record<SyntaxName, readonly string[]>> = {
  icu,
  flutter: ["{file}", "{n, plural, =1{# file} other{# files}}"],
  "flutter-escaped": icu,
  i18next: ["{{file}}", "{{- file}}", "{{n, number}}", "$t(file)", "$t(file, { n })"],
  laravel: [":file", ":File", "{0} no file|[1,*] :n files", "|"],
  rails: ["%{file}", "%<file>d", "%%"],
  printf: ["%s", "%1$d", "%(file)s", "%#@file@", "100%%"],
  android: ["%1$s", "%2$d", "<b>%3$s</b>", "100%%"],
  brace: ["{file}", "{0}", "{'@'}", "a | b", "@:file"],
  fluent: [
    "{ $file }",
    "{ -file }",
    '{ "file" }',
    "{ $n ->\n    [one] { $n } file\n   *[other] { $n } files\n}",
  ],
  java: ["{0}", "{1,number,#.#}", "{0,choice,0#no file|1#a file}", "'{file}'", "it''s"],
  qt: ["%1", "%L2", "%n"],
  chrome: ["$FILE$", "$1", "$$"],
  symfony: ["%file%", "%%", "{0} no file|]1,Inf] files"],
  text: ["file", "<file>"],
  none: ["file", "<file>"],
};
const common = ["<file>", "</file>", '<a href="/file">', "<file/>", "<!-- file -->", "&file;", "&amp;"];
const prose = fc.constantFrom(
  "file ",
  " files",
  "File",
  "a",
  "e",
  " ",
  "İ",
  "ß",
  "é",
  "e\u0301",
  "Σ",
  "ς",
  "文",
  "👩‍👧",
  "l'",
);

/** Texts of a syntax, put together from prose and from its code. */
export function textsOf(syntax: SyntaxName): fc.Arbitrary<string> {
  return fc
    .array(fc.oneof(prose, fc.constantFrom(...pieces[syntax], ...common)), { maxLength: 8 })
    .map((parts) => parts.join(""));
}

/** The names and kinds of arguments, the branches of choices, and the tags of a text. */
export function structureOf(syntax: SyntaxName, text: string): unknown {
  const message = syntaxes[syntax].parse(text);
  if (isFault(message)) return undefined;
  const { arguments: all, choices = [] } = message;
  return {
    arguments: all.map(({ name, kind }) => `${name} ${kind}`),
    choices: choices.map(({ name, kind, branches }) => [name, kind, Array.from(branches.keys())]),
    tags: text.match(/<\/?[A-Za-z\d][^<>]*>/g),
  };
}
