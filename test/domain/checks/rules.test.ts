/** Rules against false alarms, each learnt from one that another system raised; and faults that must be found. */
import { describe, expect, it } from "vitest";
import {
  checkSource,
  checkStyle,
  checkTranslation,
  maxCheckedLength,
} from "../../../src/domain/checks/check-text.ts";
import type { TextContext } from "../../../src/domain/checks/message.ts";
import type { SyntaxName } from "../../../src/domain/checks/syntax-names.ts";

type Case = readonly [
  why: string,
  syntax: SyntaxName,
  source: string,
  translation: string,
  found: readonly string[],
  context?: Partial<TextContext>,
];

function namesOf(
  findings: readonly { readonly check: string; readonly severity: string }[],
): readonly string[] {
  return findings.map(({ check, severity }) => `${check} ${severity}`);
}

const plural = "{n, plural, one {# file} other {# files}}";

const cases: readonly Case[] = [
  // Plural forms.
  [
    "a form is compared with the source's form of its category",
    "i18next",
    "One file",
    "Eine Datei",
    [],
    { form: "one", sourceOther: "{{count}} files" },
  ],
  [
    "a form may have the arguments of the source's other",
    "i18next",
    "One file",
    "{{count}} файл",
    [],
    { locale: "ru", form: "one", sourceOther: "{{count}} files" },
  ],
  ["the form one may leave out the number", "rails", "%{count} file", "ein Dokument", [], { form: "one" }],
  [
    "the form two may leave out the number",
    "printf",
    "%d files",
    "שני קבצים",
    [],
    { locale: "he", form: "two" },
  ],
  [
    "the form zero may leave out the number beside a name",
    "printf",
    "%1$d files in %2$s",
    "nichts in %2$s",
    [],
    { form: "zero" },
  ],
  [
    "the form few may not leave out the number",
    "printf",
    "%d files",
    "soubory",
    ["argument-missing error"],
    { locale: "cs", form: "few" },
  ],
  [
    "the form many may not leave out the number",
    "rails",
    "%{count} files",
    "файлов",
    ["argument-missing warning"],
    { locale: "ru", form: "many" },
  ],
  [
    "the form one may not leave out anything else",
    "rails",
    "%{count} file of %{user}",
    "eine Datei",
    ["argument-missing warning"],
    { form: "one" },
  ],
  [
    "a number may not be left out where the arguments behind it move",
    "printf",
    "%d files in %s",
    "eine Datei in %s",
    ["argument-missing error"],
    { form: "one" },
  ],
  ...(
    [
      ["rails", "%{user} likes this", "mag ich", "argument-missing warning"],
      ["i18next", "{{name}} likes this", "mag ich", "argument-missing warning"],
      ["brace", "{author} likes this", "mag ich", "argument-missing warning"],
      ["printf", "%(user)s likes this", "mag ich", "argument-missing warning"],
    ] as const
  ).map(([syntax, source, translation, found]): Case => {
    return ["a single argument that is no number", syntax, source, translation, [found], { form: "one" }];
  }),
  ...(
    [
      ["rails", "%{count} file", "файл", "argument-missing warning"],
      ["i18next", "{{fileCount}} file", "файл", "argument-missing warning"],
      ["brace", "{num_files} file", "файл", "argument-missing warning"],
      ["qt", "%n file(s)", "файл", "argument-missing warning"],
      ["printf", "%d file", "файл", "argument-missing error"],
      ["android", "%1$d file", "файл", "argument-missing warning"],
    ] as const
  ).flatMap(([syntax, source, translation, found]): readonly Case[] => [
    ["the form one is for 1 alone", syntax, source, translation, [], { form: "one" }],
    ["the form one is for 0 and 1", syntax, source, translation, [], { form: "one", locale: "fr" }],
    ["the form one is for 21, too", syntax, source, translation, [found], { form: "one", locale: "ru" }],
    ["the form two is for 102, too", syntax, source, translation, [found], { form: "two", locale: "sl" }],
    ["the form zero is for 10, too", syntax, source, translation, [found], { form: "zero", locale: "lv" }],
    [
      "the source's form one is for 1 alone, and the language's for 21, too",
      syntax,
      "One file",
      translation,
      ["argument-missing warning"],
      { form: "one", locale: "ru", sourceOther: source },
    ],
  ]),
  // ICU.
  [
    "branches may repeat an argument",
    "icu",
    "{name} has {n}",
    "{n, plural, one {{name}: #} other {{name}: #}}",
    [],
  ],
  ["a language without plurals may show the number alone", "icu", plural, "{n} 個", [], { locale: "ja" }],
  [
    "what an element of Angular stands for is no argument",
    "icu",
    'Save <x id="INTERPOLATION" equiv-text="{{view.name}}"/>',
    '<x id="INTERPOLATION" equiv-text="{{ other }}"/> sichern',
    [],
  ],
  ["exact numbers cover a category", "icu", plural, "{n, plural, =1 {eine Datei} other {# Dateien}}", []],
  [
    "a category that the language needs is missing",
    "icu",
    plural,
    "{n, plural, one {# файл} other {# файлов}}",
    ["branches error"],
    { locale: "ru" },
  ],
  [
    "a source text without the categories of its own language asks for none",
    "icu",
    "{n, plural, =5 {five} other {#}}",
    "{n, plural, =5 {пять} other {#}}",
    [],
    { locale: "ru" },
  ],
  [
    "a translated name of a branch",
    "icu",
    "{g, select, male {he} other {they}}",
    "{g, select, männlich {er} other {sie}}",
    ["branches error"],
  ],
  [
    "a branch that is missing in a selection",
    "icu",
    "{g, select, male {he} other {they}}",
    "{g, select, other {sie}}",
    ["branches error"],
  ],
  [
    "a branch that lacks the number",
    "icu",
    plural,
    "{n, plural, one {Datei} few {# x} many {# x} other {Dateien}}",
    ["argument-missing error"],
  ],
  [
    "a branch that lacks an argument of the source's branch",
    "icu",
    "{n, plural, one {{who}: #} other {{who}: #}}",
    "{n, plural, one {{who}: #} other {#}}",
    ["argument-missing error"],
  ],
  [
    "a plural that is a plain number in the source text",
    "icu",
    "{count} of {total}",
    "{count, plural, one {#} other {#}} von {total}",
    [],
  ],
  ["a date that became a text", "icu", "{at, date, short}", "{at}", ["argument-type error"]],
  ["a pipe between double braces is no message", "icu", "{{ x | strip }}", "{{ x | strip }} {", []],
  ["an apostrophe is one", "icu", "It is {name}", "C'est {name}", []],
  ["braces that are nested too deep", "icu", "{a}", "{a,plural,other{".repeat(60), ["syntax error"]],
  ["a comma of another script", "icu", plural, "{n، plural، other {#}}", ["syntax error"], { locale: "ar" }],
  [
    "an invisible mark in an argument",
    "icu",
    "Hi {name}",
    "Hi {\u2067name}",
    ["argument-extra error"],
    { locale: "ar" },
  ],
  // ICU as Flutter reads it.
  ...(["flutter", "flutter-escaped"] as const).flatMap((syntax): readonly Case[] => [
    [
      "exact numbers are Flutter's names of the categories",
      syntax,
      "{n, plural, =0 {none} =1 {{n} file} =2 {{n} files} other {{n} files}}",
      "{n, plural, =0 {нет} =1 {{n} файл} few {{n} файла} many {{n} файлов} other {{n} файла}}",
      [],
      { locale: "ru" },
    ],
    [
      "an exact number beside the category that it stands for",
      syntax,
      "{n, plural, one {{n} file of {who}} other {{n} files of {who}}}",
      "{n, plural, =1 {{n} Datei} other {{n} Dateien von {who}}}",
      ["argument-missing error"],
    ],
    [
      "a category that no exact number stands for",
      syntax,
      "{n, plural, =1 {{n} file} other {{n} files}}",
      "{n, plural, =1 {{n} файл} other {{n} файла}}",
      ["branches error"],
      { locale: "ru" },
    ],
    [
      "an exact number that the language uses for others",
      syntax,
      "{n, plural, =1 {{n} file} other {{n} files}}",
      "{n, plural, =1 {файл} few {{n} файла} many {{n} файлов} other {{n} файла}}",
      ["argument-missing error"],
      { locale: "ru" },
    ],
  ]),
  [
    "exact numbers are no categories elsewhere",
    "icu",
    "{n, plural, one {# file} other {# files}}",
    "{n, plural, =1 {# файл} few {# файла} many {# файлов} other {# файла}}",
    ["branches error"],
    { locale: "ru" },
  ],
  ["an apostrophe before an argument", "flutter", "Hi {name}", "L'{name}", [], { locale: "fr" }],
  ["apostrophes around an argument", "flutter", "Open {name}", "Ouvrir '{name}'", [], { locale: "fr" }],
  [
    "apostrophes around an argument, which quote",
    "flutter-escaped",
    "Open {name}",
    "Ouvrir '{name}'",
    ["syntax error"],
    { locale: "fr" },
  ],
  [
    "an apostrophe that is not doubled",
    "flutter-escaped",
    "Hi {name}",
    "L'{name}",
    ["syntax error"],
    { locale: "fr" },
  ],
  ["a doubled apostrophe", "flutter-escaped", "Hi {name}", "L''{name}", [], { locale: "fr" }],
  // printf.
  [
    "a percent sign in a text without directives",
    "printf",
    "50% off",
    "50 % de descuento",
    [],
    { locale: "es" },
  ],
  ["a percent sign before a number", "printf", "100% natural", "%100 doğal", [], { locale: "tr" }],
  ["a percent sign before letters", "printf", "50% more", "50%der", []],
  ["a directive that the source text has not", "printf", "Hello", "Hallo %s!", ["argument-extra error"]],
  ["a percent sign that is not doubled", "printf", "%d%% done", "%d% erledigt", ["syntax error"]],
  ["positions in place of an order", "printf", "%s of %s", "%2$s: %1$s", []],
  ["an order that swaps kinds", "printf", "%s: %d", "%d: %s", ["argument-type error"]],
  ["a length of an integer that differs", "printf", "%ld", "%d", ["argument-type error"]],
  ["Xcode's argument of a substitution for its number", "printf", "%arg of %@", "%lld %@", []],
  ["a missing argument of a substitution", "printf", "%arg files", "files", ["argument-missing error"]],
  [
    "a word behind a percent sign that begins as Xcode's argument",
    "printf",
    "100%arguments",
    "100%argumente",
    [],
  ],
  // Fluent.
  [
    "a form more than the source text has",
    "fluent",
    "{ $n } files",
    "{ $n ->\n    [one] { $n } file\n   *[other] { $n } files\n}",
    [],
  ],
  [
    "variants that the default one cannot stand for",
    "fluent",
    "{ $n ->\n    [one] a\n   *[other] { $n } b\n}",
    "{ $n ->\n    [one] A\n   *[other] { $n } b\n}",
    ["branches warning"],
    { locale: "ru" },
  ],
  [
    "the default variant in place of one category",
    "fluent",
    "{ $n ->\n    [one] a\n   *[other] { $n } b\n}",
    "{ $n ->\n    [one] a\n    [few] b\n   *[other] { $n } c\n}",
    [],
    { locale: "ru" },
  ],
  [
    "a plural without forms in a language that has none",
    "fluent",
    "{ $n ->\n    [one] a\n   *[other] { $n } b\n}",
    "{ $n } c",
    [],
    { locale: "ja" },
  ],
  ["a variable inside of a function", "fluent", 'On { DATETIME($date, month: "long") }', "{ $date }", []],
  ["another term", "fluent", "{ -brand-short } is fast", "{ -brand-full } ist schnell", []],
  ["a second message in a text", "fluent", "Hi { $a }", "Hallo { $a }\n.title = x", ["syntax error"]],
  [
    "a variable that has lost its sign",
    "fluent",
    "Hi { $name }",
    "Hallo { name }",
    ["argument-missing warning"],
  ],
  // Java's MessageFormat.
  ["an apostrophe in front of an argument", "java", "It is {0}", "C'est {0}", ["syntax error"]],
  ["two apostrophes in front of an argument", "java", "It is {0}", "C''est {0}", []],
  ["an apostrophe in a text without arguments", "java", "Not found", "N'existe pas", []],
  ["braces between apostrophes", "java", "Write '{0}' or {0}", "Schreibe '{0}' oder {0}", []],
  [
    "a choice with an argument in it",
    "java",
    "{0,choice,0#none|1<{0} files}",
    "{0,choice,0#keine|1<{0} Dateien}",
    [],
  ],
  ["a number with another style", "java", "{0} %", "{0,number,#.##} %", []],
  ["an argument that is not closed", "java", "{0} and {1}", "{0} und {1", ["syntax error"]],
  ["an argument without a number", "java", "{0} left", "{} übrig", ["syntax error"]],
  ["an object that became a string", "printf", "%@", "%s", ["argument-type error"]],
  ["names as Python has them", "printf", "%(n)s of %(total)d", "%(total)d: %(n)s", []],
  ["digits of another script in a position", "printf", "%1$s", "%١$s", ["syntax error"], { locale: "ar" }],
  ["a mark of direction in a directive", "printf", "%s", "%\u200Fs", ["syntax error"], { locale: "ar" }],
  ["a precision that takes an argument", "printf", "%.*f", "%f", ["argument-missing error"]],
  // Laravel.
  ["capital letters", "laravel", "The :attribute is wrong", ":Attribute ist falsch", []],
  ["letters behind a name", "laravel", "The :attribute", "Das :attributefeld", []],
  ["a time, an address and an emoji", "laravel", "At noon", "Um 12:30, http://a.b, :smile:", []],
  ["forms with conditions", "laravel", "{0} None|[1,*] :count files", "{0} Keine|[1,*] :count Dateien", []],
  [
    "too few forms for the language",
    "laravel",
    ":count file|:count files",
    ":count файл|:count файла",
    ["branches warning"],
    { locale: "ru" },
  ],
  [
    "one form for a language without plurals",
    "laravel",
    ":count file|:count files",
    ":count 個",
    [],
    { locale: "ja" },
  ],
  // Rails, i18next, braces.
  ["a missing percent sign", "rails", "Hi %{name}", "Hallo {name}", ["syntax error"]],
  ["a missing brace", "i18next", "Hi {{name}}", "Hallo {name}", ["syntax error"]],
  ["a format that differs", "i18next", "{{at, datetime}}", "{{at, number}}", ["argument-type error"]],
  ["a nesting that is missing", "i18next", "See $t(help)", "Siehe Hilfe", ["argument-missing warning"]],
  [
    "a nesting that the source text has not",
    "i18next",
    "See $t(help)",
    "Siehe $t(hilfe)",
    ["argument-extra error"],
  ],
  ["a literal of vue-i18n", "brace", "{account}{'@'}{domain}", "{domain}{'@'}{account}", []],
  ["formats of .NET", "brace", "{0:N2} of {1}", "{1}: {0}", []],
  // Markup.
  ["a tag that is not closed", "icu", "<b>a</b>", "<b>a", ["tag-unclosed error"]],
  ["a tag that the source text has not", "icu", "<b>a</b>", "<i>a</i>", ["tag-extra error"]],
  ["a tag that is missing", "icu", "<b>a</b> c", "a c", ["tag-missing warning"]],
  ["markup that came escaped", "icu", "<b>a</b>", "&lt;b&gt;a&lt;/b&gt;", ["markup-escaped error"]],
  ["a script in a text without tags", "icu", "a", "<script>x()</script>", ["tag-extra error"]],
  ["capital letters in tags", "rails", "<b>a</b><br>", "<B>a</B><br/>", []],
  ["a line break that is closed", "rails", "a<br></br>b", "a<br>b", []],
  ["a comparison is no tag", "icu", "a < b", "b > a und a<b", []],
  ["an attribute between other quotation marks", "rails", '<a href="%{u}">x</a>', "<a href='%{u}'>x</a>", []],
  [
    "typographic quotation marks around an attribute",
    "rails",
    '<a href="%{u}">x</a>',
    "<a href=“%{u}”>x</a>",
    ["tag-unclosed error"],
  ],
  [
    "an attribute that is not closed",
    "rails",
    '<a href="%{u}">x</a>',
    '<a href="%{u}>x</a>',
    ["tag-unclosed error"],
  ],
  ["attributes that are written as in code", "printf", '<a href=\\"%s\\">x</a>', '<a href=\\"%s>x</a>', []],
  ["blanks in an attribute", "rails", '<a href="/">x</a>', '<a href = "/" >x</a>', []],
  ["an attribute more", "rails", '<a href="/">x</a>', '<a href="/" title="y" lang=de>x</a>', []],
  ["an argument among attributes", "brace", "<a {attributes}>x</a>", "<a {attributes}>y</a>", []],
  [
    "code in an attribute",
    "icu",
    '<a href="/">x</a>',
    '<a href="/" onclick="f()">x</a>',
    ["tag-extra error"],
  ],
  ["code in an address", "icu", '<a href="/">x</a>', '<a href=" JavaScript:f()">x</a>', ["tag-extra error"]],
  ["code of the source text", "icu", '<a onclick="f()">x</a>', '<a onclick="f()">y</a>', []],
  ["blanks in an argument are one fault", "rails", "Hi %{name}", "Hallo %{ name }", ["syntax error"]],
  ["an apostrophe before an argument", "icu", "Hi {name}", "L'{name}", ["syntax error"], { locale: "fr" }],
  ["tags by number", "i18next", "<0>a</0> <1/>", "<1/> <0>a</0>", []],
  ["a tag that closes itself is missing", "icu", "a <Icon/> b", "a b", ["tag-missing warning"]],
  ["a number that closes itself is another", "icu", "a <0/> b", "a <1/> b", ["tag-extra error"]],
  ["a tag that closes itself in a text without tags", "icu", "a", "a <img/>", ["tag-extra error"]],
  ["a tag that closes itself, with a blank and without", "icu", "a <Icon /> b", "a <Icon/> b", []],
  ["a line break that closes itself is optional", "icu", "a<br/>b <b>c</b>", "a b <b>c</b>", []],
  [
    "marks for Android's tools",
    "android",
    'Hi <xliff:g id="n" example="5%d">%1$s</xliff:g>',
    "Hallo %1$s",
    [],
  ],
  ["a source text whose tags do not balance", "icu", "<b>a", "a", []],
  ["a tag in a text that the app escapes", "rails", "Bold", "<b>Fett", [], { isEscaped: true }],
  [
    "tags of a source text in a key that is not marked as HTML",
    "rails",
    "<b>a</b>",
    "<b>a",
    ["tag-unclosed error"],
    { isEscaped: true },
  ],
  ...(["rails", "laravel", "printf", "android", "brace", "fluent"] as const).flatMap(
    (syntax): readonly Case[] => [
      ["an element that looks the same", syntax, "<b>a</b> <em>c</em>", "<strong>A</strong> <i>C</i>", []],
      ["one that looks otherwise", syntax, "<b>a</b>", "<em>A</em>", ["tag-extra error"]],
      ["one that is not closed", syntax, "<b>a</b>", "<strong>A", ["tag-unclosed error"]],
      ["one with code", syntax, "<b>a</b>", '<strong onclick="f()">A</strong>', ["tag-extra error"]],
    ],
  ),
  ...(["icu", "flutter", "i18next"] as const).map((syntax): Case => {
    return ["an app knows it by name", syntax, "<b>a</b>", "<strong>A</strong>", ["tag-extra error"]];
  }),
  // What programs cannot read, or do not read as a tag or an argument.
  ["a conversion that Python has not", "printf", "%(x)s", "%(x)S", ["argument-type error"]],
  ["Python's representation of an object", "printf", "%(x)r", "%(x)r!", []],
  ["Apple's wide texts", "printf", "%s", "%S", []],
  ...(["<b>", "</b>", '<a href="/">'] as const).map((tag): Case => {
    const [source, translation] = [
      `<b>a</b> <a href="/">c</a>`,
      `<b>a</b> <a href="/">c</a>`.replace(tag, `'${tag}`),
    ];
    return ["an apostrophe before a tag", "icu", source, translation, ["syntax error"]];
  }),
  ["two apostrophes before a tag", "icu", "<b>a</b>", "l''<b>a</b>", []],
  ["an apostrophe before a tag of the source text", "icu", "'<b>a</b>'", "'<b>c</b>'", []],
  ["an apostrophe before a tag by number", "icu", "<0>a</0>", "l'<0>a</0>", []],
  ...['<x id="A"/>', '<ph id="0" equiv="A"/>', '<sc id="0"/>', '<cp hex="1"/>'].map((one): Case => [
    "an apostrophe before an element of XLIFF",
    "icu",
    `a ${one}`,
    `l'${one}`,
    [],
  ]),
  [
    "what elements of XLIFF 2 show",
    "icu",
    'a <ph id="0" equiv="ICU" disp="{n, plural, other {...}}"/> <pc id="1" dispStart="{{a" dispEnd="}">b</pc>',
    '<ph id="0" equiv="ICU" disp="{n, plural, other {…}}"/> <pc id="1" dispStart="{a" dispEnd="">b</pc> a',
    [],
  ],
  ["an apostrophe before a tag in Flutter", "flutter", "<b>a</b>", "l'<b>a</b>", []],
  ...(["icu", "flutter"] as const).flatMap((syntax): readonly Case[] => [
    [
      "a plural that is dropped",
      syntax,
      "{n, plural, one {{n} file} other {{n} files}}",
      "{n} файлов",
      ["branches warning"],
      { locale: "ru" },
    ],
    ["a plural with one form", syntax, "{n, plural, other {{n} files}}", "{n} файлов", [], { locale: "ru" }],
  ]),
  ["a component called link", "icu", "See <link>this</link>", "Siehe <link>das</link>", []],
  [
    "a component called link that is not closed",
    "icu",
    "See <link>this</link>",
    "Siehe <link>das",
    ["tag-unclosed error"],
  ],
  [
    "a component called link that closes nothing",
    "i18next",
    "See <link>this</link>",
    "Siehe das</link>",
    ["tag-unclosed error"],
  ],
  [
    "two components of elements without content",
    "rails",
    "<col>a</col> <input/>",
    "<input/> <col>b</col>",
    [],
  ],
  ["a void element", "rails", 'a <img src="/"> b', '<img src="/"> a b', []],
  ["two places without numbers", "android", "%1$s of %2$s", "%s von %s", ["syntax error"]],
  ["two places without numbers of the source text", "android", "%s of %s", "%s von %s", []],
  ["one place without a number", "android", "%1$s", "%s", []],
  ["a percent sign beside a place without a number", "android", "%1$s %%", "%s %%", []],
  [
    "one form where the source has several",
    "laravel",
    ":count file|:count files",
    ":count Datei",
    ["branches warning"],
  ],
  [
    "one form for conditions",
    "laravel",
    "{0} None|[1,*] :count files",
    ":count Dateien",
    ["branches warning"],
  ],
  [
    "one form for conditions, without plurals",
    "laravel",
    "{0} None|[1,*] :count files",
    ":count 個",
    [],
    { locale: "ja" },
  ],
  ["a title", "laravel", "Step 1 | Settings", "Schritt 1 – Einstellungen", []],
  ["a bare @ of vue-i18n", "brace", "a{'@'}b", "a@b", ["syntax error"]],
  ["a bare @ beside a link", "brace", "See @:help", "Siehe @:help @ home", ["syntax error"]],
  ["a quoted @ beside a link", "brace", "See @:help", "Siehe @:help {'@'} home", []],
  ["an @ of other programs", "brace", "Mail {a}@b.c", "Mail an {a}@b.c", []],
  ...["@:help", "@:(help)", "@:{'help'}", "@.lower:help"].flatMap((link): readonly Case[] => [
    ["a link that is lost", "brace", `See ${link} {a}`, "Siehe Hilfe {a}", ["argument-missing warning"]],
    ["a link that stays", "brace", `See ${link} {a}`, "{a}: @:help", []],
    ["another link", "brace", `See ${link}`, "Siehe @:hilfe", ["argument-extra error"]],
  ]),
  ...["{ 0}", "{0 }", "{ 0 }", "{ 0:N2}", "{ 0,5}", "{ 0 ,5:N2}"].map((found): Case => {
    return ["blanks beside a number", "brace", "Hi {0}", `Hallo ${found}`, ["syntax error"]];
  }),
  ["blanks behind a number that has a format", "brace", "Hi {0:N2}", "Hallo {0 ,5:N2}", []],
  ["blanks beside a number of the source text", "brace", "Hi { 0 }", "Hallo { 0 }!", []],
  ["blanks beside a name", "brace", "Hi {a}", "Hallo { a }", []],
  ...(["icu", "i18next", "printf", "laravel", "brace", "text"] as const).flatMap(
    (syntax): readonly Case[] => [
      ["an entity of a machine", syntax, "Don't", "N&#39;oubliez", ["markup-escaped warning"]],
      ["an ampersand", syntax, "Don't & do", "A & B&C; &x", []],
      ["an entity of the source text", syntax, "a &amp; b", "a &quot;b&quot;", []],
      ["an entity beside tags", syntax, "<b>a's</b>", "<b>a&#39;s</b>", []],
    ],
  ),
  ["an entity in a key that is HTML", "rails", "Don't", "N&#39;oubliez", [], { isEscaped: false }],
  [
    "an entity in a key that is not",
    "rails",
    "Don't",
    "N&#39;oubliez",
    ["markup-escaped warning"],
    { isEscaped: true },
  ],
  // Java's styles, as java.text.MessageFormat of version 17 takes or refuses them.
  ...[
    "0#a|1#b",
    "0#a|1#b|1<c",
    "0#a|0<b",
    "0#a|",
    "0#a|b",
    "0\u2264a|\u221E<b",
    "-1#a|1.5<b",
    " 0# a | 1# b",
    "0#a|1#b {0}|2#c",
    "0#'a|b#'",
  ].map((style): Case => ["a choice", "java", "{0}", `{0,choice,${style}} x`, []]),
  ...["a", "0#a|x#b", "1#a|0#b", "0#a|0#b", "", "|0#a", "0#a#b|1#c", "0<a<b", "0:keine|1:eine"].map(
    (style): Case => ["no choice", "java", "{0}", `{0,choice,${style}} x`, ["syntax error"]],
  ),
  ["a choice without limits", "java", "{0}", "{0,choice} x", ["syntax error"]],
  ...["short", "dd.MM.yyyy", "dd 'von' MM", " short ", "SHORT", ""].flatMap((style): readonly Case[] => [
    ["a style of dates", "java", "{0,date}", `{0,date,${style}} x`, []],
    ["a style of times", "java", "{0,time}", `{0,time,${style}} x`, []],
  ]),
  ...["kurz", "jj", "dd von MM", "HH:mm Uhr", "T"].flatMap((style): readonly Case[] => [
    ["no style of dates", "java", "{0,date}", `{0,date,${style}} x`, ["syntax error"]],
    ["no style of times", "java", "{0,time}", `{0,time,${style}} x`, ["syntax error"]],
  ]),
  ...[
    "#.##",
    "#,##0.00",
    "0.###E0",
    "#,##0;(#)",
    "# ##0,00",
    "'#'#,##0 €",
    "Integer",
    " percent ",
    "0.0x#",
    ".00",
  ].map((style): Case => ["a style of numbers", "java", "{0}", `{0,number,${style}} x`, []]),
  ...["#.##0,00", "#.#.#", "0#", "#0.#0", "#E", "0E0x0E0", "#,", "#;#;#", "a;b", "#%%"].map((style): Case => {
    return ["no style of numbers", "java", "{0}", `{0,number,${style}} x`, ["syntax error"]];
  }),
  ["a kind that was translated", "java", "{0,number}", "{0,zahl}", ["syntax error"]],
  ["a kind in capital letters", "java", "{0,number}", "{0,Number}!", []],
  // gettext's files.
  ...(["printf", "icu", "brace", "text"] as const).flatMap((syntax): readonly Case[] =>
    (
      [
        ["a\n", "b"],
        ["a", "b\n"],
        ["\na", "b"],
        ["a", "\nb"],
        ["\na\n", "b\n"],
      ] as const
    ).flatMap(([source, translation]): readonly Case[] => [
      [
        "a line break at one end of two texts",
        syntax,
        source,
        translation,
        ["ends error"],
        { isGettext: true },
      ],
      ["a line break in other files", syntax, source, translation, []],
      [
        "a line break in both texts",
        syntax,
        source,
        `${source.startsWith("\n") ? "\n" : ""}c${source.endsWith("\n") ? "\n" : ""}`,
        [],
        { isGettext: true },
      ],
    ]),
  ),
  // Browser extensions, and Symfony.
  ["a name in another case", "chrome", "Hi $NAME$", "Hallo $name$", []],
  ["a price", "chrome", "Hi $NAME$, pay $$5", "Hallo $NAME$, zahle $$5", []],
  ["a name that was translated", "chrome", "Hi $NAME$", "Hallo $ИМЯ$", ["argument-missing warning"]],
  ["a name of other letters", "chrome", "Hi $NAME$", "Hallo $NOM$", ["argument-extra error"]],
  ["blanks inside of a name", "chrome", "Hi $NAME$", "Hallo $ NAME $", ["syntax error"]],
  ["a sign that is missing", "chrome", "Hi $NAME$!", "Hallo $NAME!", ["syntax error"]],
  ["a place that is missing", "chrome", "$1 of $2", "$1", ["argument-missing warning"]],
  ["a place of which the sign stands behind", "chrome", "$1 files", "1$ Dateien", ["syntax error"]],
  ["a name that was translated", "symfony", "Hi %name%", "Hallo %nom%", ["argument-extra error"]],
  ["blanks inside of a name", "symfony", "Hi %name%", "Hallo % name %", ["syntax error"]],
  ["a sign that is missing", "symfony", "Hi %name%!", "Hallo %name!", ["syntax error"]],
  ["percent signs", "symfony", "50% or 60% of %total%", "50 % oder 60 % von %total%", []],
  ["an argument of its validators", "symfony", "Max {{ limit }}", "Höchstens {{ limit }}", []],
  [
    "one that was translated",
    "symfony",
    "Max {{ limit }}",
    "Höchstens {{ grenze }}",
    ["argument-extra error"],
  ],
  ["one that is missing", "symfony", "Max {{ limit }}", "Höchstens", ["argument-missing warning"]],
  ...["{{limit}}", "{ limit }", "{{ limit }", "{limit}", "｛｛ limit ｝｝"].map((found): Case => {
    return ["one with other blanks or braces", "symfony", "Max {{ limit }}", found, ["syntax error"]];
  }),
  ["braces of a template", "symfony", "a {b} {% c %} {# d #}", "{b} e {% c %}", []],
  // Arguments by number.
  ["the percent sign in front of its number", "qt", "10% off", "%10 indirim", [], { locale: "tr" }],
  ["the percent sign in front, beside an argument", "qt", "10 % of %1", "%1: %10", [], { locale: "tr" }],
  ["a number of an argument that is no percentage", "qt", "100% of %1", "%1: %10", ["argument-extra error"]],
  ["a percentage in place of an argument", "qt", "10% of %1", "%10", ["argument-missing warning"]],
  ["a number by the rules of the language", "qt", "%1 of %2", "%L2 के %1", []],
  ["percent signs and addresses", "qt", "100% of https://a.b/%20c", "100 % von https://a.b/%20c", []],
  ["an argument before which others move", "qt", "%1 of %2", "%2", ["argument-missing error"]],
  ["the last argument is missing", "qt", "%1 of %2", "%1", ["argument-missing warning"]],
  ["the form one may leave out the number", "qt", "%n file(s)", "eine Datei", [], { form: "one" }],
  ["the form other may not", "qt", "%n file(s)", "Dateien", ["argument-missing warning"], { form: "other" }],
  [
    "a blank in an argument",
    "qt",
    "Limit: %1, IP: %2",
    "Límite:% 1, IP:% 2",
    ["syntax error", "syntax error"],
  ],
  ["an argument that is turned round", "qt", "There are %1 more", "Есть ещё 1%", ["syntax error"]],
  ["a percent sign of another script", "qt", "File: %1", "ملف: ٪1", ["syntax error"], { locale: "ar" }],
  ["a digit of another script", "qt", "Line %1", "سطر %١", ["syntax error"], { locale: "ar" }],
  [
    "a directive without a number beside one with a number",
    "printf",
    "Followed by %1$@, and another",
    "%1$@ и ещё %ld человек",
    [],
    { locale: "ru", form: "one", sourceOther: "Followed by %1$@, and %ld others" },
  ],
  ["a substitution of its own", "printf", "%#@arg1@ new", "%#@count_posts@ neu", ["argument-extra warning"]],
  ["a name that was translated", "brace", "{count} videos", "{عدد} فيديو", ["argument-extra error"]],
  ["a pattern that begins with a bracket", "fluent", "[{ $type } Annotation]", "[Notiz: { $type }]", []],
  ["a fault behind a bracket", "fluent", "[{ $type } a]", "[{ $type }\n{ $typ", ["syntax error"]],
  [
    "a number that decides and is not shown",
    "fluent",
    "{ $n ->\n  [one] Comment\n *[other] Comments\n}",
    "コメント",
    [],
    { locale: "ja" },
  ],
  [
    "a plural whose number is not shown",
    "icu",
    "{n, plural, one {Comment} other {Comments}}",
    "コメント",
    [],
    { locale: "ja" },
  ],
  [
    "a gender that the language has not",
    "icu",
    "{g, select, male {he} other {she}} {n}",
    "hän {n}",
    [],
    { locale: "fi" },
  ],
  ["a plural whose number is shown", "icu", plural, "ファイル", ["argument-missing error"], { locale: "ja" }],
  [
    "an argument in a branch",
    "icu",
    "{g, select, male {he and {n}} other {she and {n}}}",
    "hän",
    ["argument-missing error"],
    { locale: "fi" },
  ],
  [
    "branches of Go's templates",
    "i18next",
    "{{ .Count }} minutes",
    "{{ .Count }} {{ if lt .Count 20 }}minute{{ else }}de minute{{ end }}",
    [],
    { locale: "ro" },
  ],
  [
    "the end of a span",
    "i18next",
    "from {{start}} to {{end}}",
    "von {{start}}",
    ["argument-missing warning"],
  ],
  [
    "what Rails gives to errors",
    "rails",
    "must be accepted",
    "%{attribute} fehlt",
    [],
    { given: ["attribute"] },
  ],
  // Laravel's pipes.
  [
    "Laravel's three forms of Polish",
    "laravel",
    "one file|:count files",
    "plik|:count pliki|:count plików",
    [],
    { locale: "pl" },
  ],
  [
    "Laravel's two forms of Hebrew",
    "laravel",
    "one file|:count files",
    "קובץ|:count קבצים",
    [],
    { locale: "he" },
  ],
  ["a title with a pipe is no plural", "laravel", "Step 1 | Access", "שלב 1 | גישה", [], { locale: "he" }],
  [
    "forms with blanks around the pipe",
    "laravel",
    ":count file | :count files",
    ":count soubor | :count souborů",
    ["branches warning"],
    { locale: "cs" },
  ],
];

describe("checkTranslation", () => {
  for (const [why, syntax, source, translation, found, context] of cases) {
    it(`${why}: ${syntax}`, () => {
      const findings = checkTranslation(syntax, source, translation, { locale: "de", ...context });
      expect(namesOf(findings)).toEqual(found);
    });
  }

  const code = [
    '<x onfocus="f()">',
    "<x/onfocus=f()>",
    '<img src="y" onerror="f()">',
    '<img/src="y"/onerror=f()>',
    "<script>f()</script>",
    '<iframe src="y"></iframe>',
    '<a href="javascript:f()">',
    '<a href=" java\tscript:f()">',
    '<a href="&#106;avascript&colon;f()">',
    '<a href="java&Tab;script&#x3A;f()">',
  ];
  const harmless = [
    "<datei>",
    '<x title="javascript">',
    '<x title="a: b &amp; c">',
    "<x title='a'/>",
    "<y/z>",
  ];

  it.each(["a", "<b>a</b>", "<b>a", "Use <file>", "a</p>", "<a b=“c”>d</a>"])(
    "finds code whatever tags the source text has: %s",
    (source) => {
      const found = (added: string) =>
        namesOf(checkTranslation("icu", source, source + added, { locale: "de" })).filter((name) =>
          /^tag-.* error$/.test(name),
        );
      for (const one of code) expect(found(one), one).toHaveLength(1);
      // Where all its tags are known, another one is told.
      for (const one of harmless) expect(found(one), one).toHaveLength(/<\/[ab]>$/.test(source) ? 1 : 0);
      for (const one of code) expect(checkTranslation("icu", one, `${one} b`, { locale: "de" })).toEqual([]);
    },
  );

  it("names the character of another script", () => {
    const [finding] = checkTranslation("icu", plural, "{n، plural، other {#}}", { locale: "ar" });
    expect(finding?.message).toContain("U+060C");
    const [extra] = checkTranslation("icu", "Hi {name}", "Hi {\u2067name}", { locale: "ar" });
    expect(extra?.message).toContain("an invisible mark of text direction (U+2067)");
  });

  it("leaves very long source texts alone", () => {
    expect(checkTranslation("icu", "{".repeat(200_000), "{a}", { locale: "de" })).toEqual([]);
  });

  it.each([
    ["with an argument that the source text has not", "Hi", "{bad}"],
    ["without the argument of the source text", "Hi {a}", "x"],
    ["with a tag", "Hi", "<script>"],
  ])("refuses a text %s that is too long to be checked", (_, source, start) => {
    const longest = start.padEnd(maxCheckedLength);
    const found = (text: string) => namesOf(checkTranslation("icu", source, text, { locale: "de" }));
    expect(found(longest)).not.toContain("unchecked error");
    expect(found(`${longest} `)).toEqual(["unchecked error"]);
  });

  it.each(["none", "icu"] as const)(
    "of the syntax %s, long texts that have nothing to check are right",
    (syntax) => {
      const text = "x".repeat(maxCheckedLength + 1);
      expect(checkTranslation(syntax, "Hi", text, { locale: "de" })).toEqual([]);
      expect(checkSource(syntax, text)).toEqual([]);
    },
  );

  it.each<[SyntaxName, string]>([
    ["icu", "{a}".padEnd(maxCheckedLength + 1)],
    ["printf", "%s".padEnd(maxCheckedLength + 1)],
    ["laravel", ":a ".repeat(501)],
    ["printf", "%s".repeat(501)],
  ])(
    "tells that translations are not compared with a source text of %s that is too large",
    (syntax, source) => {
      expect(namesOf(checkSource(syntax, source))).toEqual(["unchecked warning"]);
    },
  );

  it("leaves out warnings before errors where there are very many", () => {
    const source = Array.from({ length: 30 }, (_, i) => `%(a${i})s`).join(" ");
    const found = namesOf(checkTranslation("printf", source, "<script>", { locale: "de" }));
    expect(found).toHaveLength(20);
    expect(found).toContain("tag-extra error");
  });
});

describe("checkStyle", () => {
  it.each([
    ["blanks at the end", "a b ", "a b", "de", ["ends hint"]],
    ["line breaks at the beginning", "\na b", "a b c", "de", ["ends hint"]],
    ["doubled blanks", "a b.", "a  c.", "de", ["blanks hint"]],
    ["the same text", "Save file", "Save file", "de", ["same-as-source hint"]],
    ["the same text in the same language", "Save file", "Save file", "en-GB", []],
    ["a name", "GitHub", "GitHub", "de", []],
    ["another mark at the end", "Done.", "Fertig", "de", ["punctuation hint"]],
    ["the mark of the language", "Done.", "完了。", "ja", []],
    ["a question in Greek", "Done?", "Έτοιμο;", "el", []],
    ["no mark where the language has none", "Done.", "เสร็จแล้ว", "th", []],
    ["a mark inside a tag", "See <a href='x.'>", "Siehe <a href='x?'>", "de", []],
    ["an argument at the end", "Hi %s.", "Hallo %s.", "de", []],
  ])("%s: %j and %j in %s", (_why, source, translation, locale, found) => {
    expect(namesOf(checkStyle(source, translation, { locale }))).toEqual(found);
  });

  it.each([
    ["rails", ["tag-extra hint"]],
    ["icu", []],
  ] as const)("an element that looks the same is a hint in %s: %j", (syntax, found) => {
    for (const [source, translation] of [
      ["<b>a</b>", "<strong>A</strong>"],
      ["<em>a</em>", "<i>A</i>"],
    ] as const)
      expect(namesOf(checkStyle(source, translation, { locale: "de" }, syntax))).toEqual(found);
  });

  // Milliseconds in linear time; in quadratic time twenty seconds and more.
  it.each(["{", "<", "%", "%0", "a", "a:", "{a", "}", "<!", " "])(
    "long runs of %j take linear time",
    { timeout: 120_000 },
    (part) => {
      const text = part.repeat(maxCheckedLength / part.length);
      expect(namesOf(checkStyle(text, text, { locale: "de" })).length).toBeLessThan(2);
    },
  );

  it("words in nested braces are no words of the text", () => {
    expect(checkStyle("{{first name}} %s", "{{first name}} %s", { locale: "de" })).toEqual([]);
  });
});
