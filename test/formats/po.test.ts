import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formsOf, pluralFormsOf } from "../../src/formats/gettext/gettext-plurals.ts";
import { po } from "../../src/formats/po.ts";
import { text } from "../helpers/arbitraries.ts";
import {
  bytesOf,
  describeProperties,
  editOf,
  fileOf,
  textOf,
  textsOf,
} from "../helpers/format-properties.ts";

const english = { locale: "en", sourceLocale: "en" };
const french = { locale: "fr", sourceLocale: "en" };
const russian = { locale: "ru", sourceLocale: "en" };

function read(file: string, context = french): Record<string, string> {
  return Object.fromEntries(textsOf(po.parse(bytesOf(file), context)));
}

function written(file: string, texts: Record<string, string>, edit = {}, context = french): string {
  const template = bytesOf(file);
  const { content: shape } = po.parse(bytesOf(source), english);
  return textOf(
    po.write(editOf({ template, texts: new Map(Object.entries(texts)), shape, ...edit }), context),
  );
}

const source = `# A template
#, fuzzy
msgid ""
msgstr ""
"Language: \\n"
"Content-Type: text/plain; charset=CHARSET\\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"

#. About it
#: a.c:1
msgid "Hello. How are you?"
msgstr ""

msgctxt "menu"
msgid "Open"
msgstr ""

msgid "Open"
msgstr ""

#, c-format
msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
`;
const header = 'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=n > 1;\\n"\n';

const name = fc.oneof(fc.constantFrom("a", "a.b", "Hello. You?", '"', "\\", "menu\u0004Open"), text);
const content = fc
  .dictionary(
    name.filter((one) => one !== "" && one.split("\u0004").length < 3),
    text,
    { maxKeys: 6 },
  )
  .map(fileOf);

/** Whole numbers of Russian never have the category `other`. */
function canHold(key: string, locale: string): boolean {
  return !(locale === "ru" && key.endsWith(".other"));
}

describe("gettext", () => {
  describeProperties("po", po, {
    empties: [header, "", "# x\r\n"],
    content,
    wrapsLines: true,
    hasKeysAsTexts: true,
    canHold,
  });

  it("has contexts in keys, and plurals as groups, and the msgid where a source file has no msgstr", () => {
    expect(po.parse(bytesOf(source), english).content).toEqual({
      "Hello. How are you?": "Hello. How are you?",
      "menu\u0004Open": "Open",
      Open: "Open",
      "%d file": { one: "%d file", other: "%d files" },
    });
  });

  it("makes a file of a locale with as many forms as it has, and leaves what is not translated", () => {
    const texts = {
      "menu\u0004Open": "Открыть",
      "%d file.one": "%d файл",
      "%d file.few": "%d файла",
      "%d file.many": "%d файлов",
    };
    const made = written(source, texts, { isSource: true }, russian);
    expect(made).toBe(
      source
        .replace("#, fuzzy\n", "")
        .replace("Language: ", "Language: ru")
        .replace("CHARSET", "UTF-8")
        .replace("nplurals=INTEGER; plural=EXPRESSION;", pluralFormsOf("ru"))
        .replace('"Open"\nmsgstr ""', '"Open"\nmsgstr "Открыть"')
        .replace('[0] ""', '[0] "%d файл"')
        .replace('[1] ""', '[1] "%d файла"\nmsgstr[2] "%d файлов"'),
    );
    expect(made).toContain("#, c-format");
    const japanese = { locale: "ja", sourceLocale: "en" };
    const one = written(source, { "%d file.other": "%d" }, { isSource: true }, japanese);
    expect(one).toContain('msgid_plural "%d files"\nmsgstr[0] "%d"\n');
    expect(one).not.toContain("msgstr[1]");
  });

  it("keeps forms that Plural-Forms do not count", () => {
    const file = `${header.replace("2", "1").replace("n > 1", "0")}\nmsgid "a"\nmsgid_plural "b"\nmsgstr[0] "x"\nmsgstr[1] "y"\n`;
    expect(po.parse(bytesOf(file), french)).toMatchObject({
      content: { a: { other: "x" } },
      nonTextValues: ["a.msgstr[1]"],
    });
    expect(written(file, { "a.other": "z" })).toBe(file.replace('"x"', '"z"'));
  });

  it("keeps a form that has no category of its own, unless it has its category's text", () => {
    const welsh = { locale: "cy", sourceLocale: "en" };
    const forms = "nplurals=4; plural=(n==1) ? 0 : (n==2) ? 1 : (n != 8 && n != 11) ? 2 : 3;";
    const file = `msgid ""\nmsgstr "Plural-Forms: ${forms}\\n"\n\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "a"\nmsgstr[1] "b"\nmsgstr[2] "c"\nmsgstr[3] "d"\n`;
    expect(po.parse(bytesOf(file), welsh)).toMatchObject({
      content: { "%d file": { one: "a", two: "b", other: "c" } },
      nonTextValues: ["%d file.msgstr[3]"],
    });
    const texts = { "%d file.other": "C" };
    expect(written(file, texts, {}, welsh)).toBe(file.replace('"c"', '"C"'));
    const same = file.replace('"d"', '"c"');
    expect(written(same, texts, {}, welsh)).toBe(same.replaceAll('"c"', '"C"'));
    const empty = file.replace('"d"', '""');
    expect(written(empty, texts, {}, welsh)).toBe(file.replace('"c"', '"C"').replace('"d"', '"C"'));
  });

  it("names the plural forms that a file has no place for", () => {
    const texts = new Map(
      ["one", "few", "many", "other"].map((category) => [`%d file.${category}`, category]),
    );
    const { content: shape } = po.parse(bytesOf(source), english);
    const edit = editOf({ template: bytesOf(source), isSource: true, texts, shape });
    const czech = { locale: "cs", sourceLocale: "en" };
    expect(po.unplaced?.(edit, czech)).toEqual(["%d file.many"]);
    expect(textOf(po.write(edit, czech))).toContain('msgstr[0] "one"\nmsgstr[1] "few"\nmsgstr[2] "other"\n');
    expect(po.unplaced?.(edit, russian)).toEqual(["%d file.other"]);
  });

  it.each([
    ["a text", 'msgid "a"\nmsgstr "Guess"\n', { a: "a" }],
    [
      "a plural",
      'msgid "a"\nmsgid_plural "as"\nmsgstr[0] "G"\nmsgstr[1] "Gs"\n',
      { "a.one": "a", "a.other": "as" },
    ],
  ])("takes the msgid of a fuzzy message in the source file, and not the guess: %s", (_, message, texts) => {
    const own = { locale: "en", sourceLocale: "en" };
    const file = `${header.replace("n > 1", "n != 1")}\n#, fuzzy\n${message}`;
    expect(Object.fromEntries(po.parse(bytesOf(file), own).texts)).toEqual(texts);
  });

  it.each([
    ["without it", '"Project-Id-Version: x\\n"\n', "Language: pt_BR\\n"],
    ["with an empty one", '"Language: \\n"\n', "Language: pt_BR\\n"],
  ])("gives new files the header Language, of a template %s", (_, fields, wanted) => {
    const template = `msgid ""\nmsgstr ""\n${fields}"Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "a"\nmsgstr ""\n`;
    const edit = {
      template: bytesOf(template),
      isSource: true,
      texts: new Map([["a", "A"]]),
      removed: new Set<string>(),
      shape: { a: "a" },
    };
    const written = textOf(po.write(edit, { locale: "pt-BR", sourceLocale: "en" }));
    expect(written.match(/Language:.*(?=")/g)).toEqual([wanted]);
  });

  it.each(["; #-#-#  de.po  #-#-#", ";\\tX", ";;", "; plural=0;", " ; "])(
    "passes over what follows the expression of Plural-Forms: %s",
    (rest) => {
      const file = `msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n > 1${rest}\\n"\n\nmsgid "a"\nmsgid_plural "as"\nmsgstr[0] "A"\nmsgstr[1] "B"\n`;
      expect(Object.fromEntries(po.parse(bytesOf(file), { locale: "fr", sourceLocale: "en" }).texts)).toEqual(
        {
          "a.one": "A",
          "a.other": "B",
        },
      );
    },
  );

  it("neither sends nor touches fuzzy messages, until they are translated", () => {
    const file = `${header}\n#: a.c\n#, fuzzy, c-format\n#| msgid "x"\nmsgid "a"\nmsgstr "A"\n\n#, fuzzy\nmsgid "b"\nmsgstr "B"\n\n#~ msgid "c"\n#~ msgstr "C"\n`;
    const parsed = po.parse(bytesOf(file), french);
    expect(parsed).toMatchObject({ content: {}, nonTextValues: ["a", "b"] });
    expect(written(file, { a: "A" })).toBe(
      file.replace('#, fuzzy, c-format\n#| msgid "x"\n', "#, c-format\n"),
    );
    expect(written(file, { b: "B2" })).toBe(
      file.replace('#, fuzzy\nmsgid "b"\nmsgstr "B"', 'msgid "b"\nmsgstr "B2"'),
    );
  });

  it("adds messages behind their neighbours, and removes them with their comments", () => {
    const file = `${header}\n# one\nmsgid "Hello. How are you?"\nmsgstr "Salut"\n\n# old\nmsgid "old"\nmsgstr "vieux"\n\n#~ msgid "x"\n#~ msgstr "y"\n`;
    const texts = {
      "Hello. How are you?": "Salut",
      "menu\u0004Open": "Ouvrir",
      "%d file.one": "%d fichier",
      "%d file.other": "%d fichiers",
    };
    const removed = new Set(["old"]);
    expect(written(file, texts, { removed })).toBe(
      file.replace(
        '"Salut"\n\n# old\nmsgid "old"\nmsgstr "vieux"\n',
        '"Salut"\n\nmsgctxt "menu"\nmsgid "Open"\nmsgstr "Ouvrir"\n\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "%d fichier"\nmsgstr[1] "%d fichiers"\n',
      ),
    );
  });

  it("keeps lines as they are wrapped until their text changes", () => {
    const file = `${header}\nmsgid "a"\nmsgstr ""\n"one "\n"two\\n"\n\nmsgid "b"\nmsgstr "x\\ny"\n`;
    expect(read(file)).toEqual({ a: "one two\n", b: "x\ny" });
    expect(written(file, { b: "y\nz" })).toBe(file.replace("x\\ny", "y\\nz"));
    expect(written(file, { a: "1\n2\n" })).toBe(file.replace('"one "\n"two\\n"', '"1\\n"\n"2\\n"'));
  });

  it.each<[string, string, number | undefined]>([
    ['msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n', "the msgid a is already in line 1", 4],
    ['msgid "a"\n', "has no msgstr", 2],
    ['msgstr "a"\n', "has no msgid", 1],
    ['msgid "a"\nmsgid_plural "b"\nmsgstr "c"\n', "has no msgstr[0]", 3],
    ['msgid "a"\nmsgstr "b\n', "does not end on its line", 2],
    ['msgid "a"\nmsgstr "b" c\n', "has something behind a text", 2],
    ['msgid "a"\nmsgstr b\n', "has no text in double quotes", 2],
    ['msgid "a"\nmsgstr "\\351"\n', "not ASCII", 2],
    ['msgid "a"\nmsgstr "\\q"\n', "unknown", 2],
    ['domain "x"\n', "has no msgid", 1],
    [
      'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n',
      "is written in ISO-8859-1",
      undefined,
    ],
    [
      `${header.replace("n > 1", "system(1)")}msgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\n`,
      "Plural-Forms that cannot be read",
      undefined,
    ],
  ])("refuses %j", (file, message, line) => {
    const error = { name: "FormatError", message: expect.stringContaining(message), line };
    expect(() => read(file)).toThrow(expect.objectContaining(error));
  });
});

/** The category of each form; in brackets where another form has its text. */
function categoriesOf(header: string, locale: string): readonly string[] {
  return formsOf(header, locale).map(({ category, holder }, form) =>
    holder === form ? category : `(${category})`,
  );
}

describe("plural forms of gettext", () => {
  it.each<[string, string, readonly string[]]>([
    ["en", "nplurals=2; plural=(n != 1);", ["one", "other"]],
    ["fr", "nplurals=2; plural=(n > 1);", ["one", "other"]],
    [
      "fr",
      "nplurals=3; plural=(n == 0 || n == 1) ? 0 : n != 0 && n % 1000000 == 0 ? 1 : 2;",
      ["one", "many", "other"],
    ],
    ["ja", "nplurals=1; plural=0;", ["other"]],
    [
      "cs",
      "nplurals=4; plural=(n == 1 && n % 1 == 0) ? 0 : (n >= 2 && n <= 4 && n % 1 == 0) ? 1: (n % 1 != 0 ) ? 2 : 3;",
      ["one", "few", "many", "other"],
    ],
    ["lv", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);", ["one", "other", "zero"]],
    ["pt_BR", "nplurals=2; plural=(n > 1);", ["one", "other"]],
    [
      "sr@latin",
      "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
      ["one", "few", "other"],
    ],
    // Files count as their translators do, whatever the CLDR has for the language.
    ["tr", "nplurals=2; plural=(n > 1);", ["one", "other"]],
    ["tr", "nplurals=1; plural=0;", ["other"]],
    [
      "cy",
      "nplurals=4; plural=(n==1) ? 0 : (n==2) ? 1 : (n != 8 && n != 11) ? 2 : 3;",
      ["one", "two", "other", "(other)"],
    ],
    ["ja", "nplurals=2; plural=(n != 1);", ["(other)", "other"]],
    ["xx", "nplurals=2; plural=(n != 1);", ["one", "other"]],
  ])("of %s: %s", (locale, header, categories) => expect(categoriesOf(header, locale)).toEqual(categories));

  it.each([
    "fr",
    "ja",
    "ru",
    "uk",
    "pl",
    "cs",
    "sk",
    "lt",
    "lv",
    "ro",
    "sl",
    "ga",
    "ar",
    "cy",
    "he",
    "is",
    "mk",
    "gd",
    "mt",
    "de",
    "tr",
    "pt-BR",
    "hr",
    "it",
    "es",
  ])("are known of %s, one for each category", (locale) => {
    const categories = categoriesOf(pluralFormsOf(locale), locale);
    const rules = new Intl.PluralRules(locale);
    const wanted = new Set(Array.from({ length: 300 }, (_, n) => rules.select(n)));
    expect(new Set(categories)).toEqual(wanted);
  });

  it.each([
    ["nplurals=2; plural=n?;", "fr"],
    ["nplurals=2; plural=(n;", "fr"],
    ["nplurals=2; plural=n n;", "fr"],
    ["nplurals=2; plural=2;", "fr"],
    [`nplurals=2; plural=${"(".repeat(2000)}n${")".repeat(2000)};`, "fr"],
  ])("are refused: %.40s of %s", (header, locale) => {
    expect(() => categoriesOf(header, locale)).toThrow(expect.objectContaining({ name: "FormatError" }));
  });
});
