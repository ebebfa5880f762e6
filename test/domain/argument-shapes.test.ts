import { describe, expect, it } from "vitest";
import { argumentShape } from "../../src/domain/argument-shapes.ts";
import { isFault } from "../../src/domain/checks/message.ts";
import { syntaxNames, type SyntaxName } from "../../src/domain/checks/syntax-names.ts";
import { syntaxes } from "../../src/domain/checks/syntaxes.ts";

const shaped = (text: string): readonly string[] =>
  Array.from(text.matchAll(argumentShape), ([part]) => part);

/** How each syntax writes arguments. */
const samples: Readonly<Record<SyntaxName, readonly string[]>> = {
  icu: ["{name}", "{n, number}", "{when, date, short}", "{عدد}"],
  flutter: ["{name}", "{n, number}"],
  "flutter-escaped": ["{name}"],
  i18next: ["{{name}}", "{{- name}}", "{{n, number}}", "$t(common.ok)"],
  laravel: [":name", ":Name"],
  rails: ["%{name}", "%<n>d", "%<price>.2f"],
  printf: ["%s", "%d", "%5.2f", "%(name)s", "%(n)d", "%2$s", "%lld", "%@"],
  android: ["%1$s", "%2$d", "%s"],
  brace: ["{name}", "{0}", "{0:C2}", "{{name}}", "@:common.ok"],
  fluent: ["{ $name }", "{ NUMBER($n) }"],
  java: ["{0}", "{1, number}", "{2, date, short}"],
  qt: ["%1", "%n", "%L1"],
  chrome: ["$NAME$", "$1"],
  symfony: ["%name%", "%user.name%"],
  text: [],
  none: [],
};

describe("the shapes of arguments", () => {
  it.each(syntaxNames)("are those of the syntax %s, among Arabic letters", (name) => {
    for (const sample of samples[name]) {
      const text = `مرحبا ${sample} بك`;
      const message = syntaxes[name].parse(text);
      if (isFault(message)) throw new Error(`${text} is no message`);
      // The sample is an argument of the syntax, unless it takes a text of another string.
      const found = message.arguments.map(({ range }) => text.slice(...range));
      expect([sample, found]).toEqual([sample, /^(\$t|@)/.test(sample) ? expect.anything() : [sample]]);
      expect([text, shaped(text)]).toEqual([text, [sample]]);
    }
  });

  it("are no words, and no sentences within a choice", () => {
    for (const text of [
      "100 % من",
      "مثال: نعم",
      "٥٠٪",
      "Note:done",
      "{count, plural, other {كتاب واحد هنا}}",
      "the {} and { }",
    ])
      expect([text, shaped(text).filter((part) => !/^\{ *\}$/.test(part))]).toEqual([text, []]);
  });
});
