import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { proposePatterns } from "../../src/client/propose.ts";
import { settingsText } from "../../src/client/settings-text.ts";
import { parseConfig } from "../../src/client/tree/config.ts";
import { findTree } from "../../src/client/tree/tree.ts";
import { realFolder } from "../helpers/storage.ts";

/** Makes a tree of files; those without a content of their own are empty. */
function tree(files: readonly string[], contents: Readonly<Record<string, string>> = {}): string {
  const folder = realFolder();
  const usual = (file: string): string => (file.endsWith(".xlf") ? `<xliff version="1.2">` : "{}");
  const all = [...files.map((file) => [file, usual(file)] as const), ...Object.entries(contents)];
  for (const [file, content] of all) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  return folder;
}

const layouts: Readonly<Record<string, readonly [files: readonly string[], patterns: readonly unknown[]]>> = {
  "i18next, by folders": [
    [
      "public/locales/en/common.json",
      "public/locales/en/admin/menu.json",
      "public/locales/pt-BR/common.json",
    ],
    ["public/locales/{locale}/**/*.json"],
  ],
  "i18next, by files": [["src/i18n/en.json", "src/i18n/zh-Hans.json"], ["src/i18n/{locale}.json"]],
  "folders of translations in two parts of an app": [
    ["apps/web/locales/en/a.json", "apps/shop/locales/en/a.json", "apps/shop/locales/fr/a.json"],
    [
      "apps/shop/locales/{locale}/**/*.json",
      { path: "apps/web/locales/{locale}/**/*.json", name: "apps/web/**/*.json" },
    ],
  ],
  "a folder of translations with the name of a file in another": [
    ["crates/i18n/data/en.json", "messages/en.json", "translations/en.json", "translations/fr.json"],
    [
      "crates/i18n/data/{locale}.json",
      { path: "messages/{locale}.json", name: "messages/{locale}.json" },
      { path: "translations/{locale}.json", name: "translations/{locale}.json" },
    ],
  ],
  "a folder of translations with the name of a file in one with folders": [
    ["edit/i18n/en.json", "edit/i18n/api/en.json", "i18n/shop/en.json", "i18n/shop/fr.json"],
    ["edit/i18n/**/{locale}.json", { path: "i18n/shop/{locale}.json", name: "shop/{locale}.json" }],
  ],
  "a code in the folder and in the name": [
    ["locales/en/en.json", "locales/fr/fr.json"],
    ["locales/{locale}/{locale}.json"],
  ],
  "files in folders of their own below the folder of translations": [
    ["locale/admin/en.json", "locale/shop/en.json", "locale/shop/fr.json"],
    ["locale/**/{locale}.json"],
  ],
  "an extension's messages": [
    ["src/_locales/en/messages.json", "src/_locales/pt_BR/messages.json"],
    ["src/_locales/{locale}/messages.json"],
  ],
  "names before the code": [
    ["i18n/errors.en.json", "i18n/menu.en.json", "i18n/menu.pt_BR.json"],
    ["i18n/*.{locale}.json"],
  ],
  "texts in a folder called strings": [
    ["src/strings/en.json", "src/strings/de.json"],
    ["src/strings/{locale}.json"],
  ],
  "gettext in a folder whose name is a language, too": [
    ["src/oscar/locale/en/LC_MESSAGES/django.po", "src/oscar/locale/de/LC_MESSAGES/django.po"],
    ["src/oscar/locale/{locale}/LC_MESSAGES/*.po"],
  ],
  "formats that have nothing but translations, in any folder": [
    ["core/en/a.ftl", "core/fr/a.ftl", "lib/app_en.arb", "lib/app_fr.arb"],
    ["core/{locale}/**/*.ftl", "lib/app_{locale}.arb"],
  ],
  "INI, also with the code before the name, as in Joomla": [
    ["lang/en.ini", "lang/de.ini", "language/en/en.com_shop.ini", "language/fr/fr.com_shop.ini"],
    ["lang/{locale}.ini", "language/{locale}/**/{locale}.*.ini"],
  ],
  "one name before the code": [
    ["i18n/my_app_en.json", "i18n/my_app_pt_BR.json"],
    ["i18n/my_app_{locale}.json"],
  ],
};

it.each(Object.entries(layouts))("proposes patterns for %s", async (_, [files, patterns]) => {
  const folder = tree(files);
  const proposal = await proposePatterns(folder);
  const config = parseConfig(
    join(folder, "skep.yaml"),
    settingsText({ server: undefined, hive: "web" }, proposal),
  );
  expect(config.entries).toEqual(
    patterns.map((pattern) => (typeof pattern === "string" ? { path: pattern } : pattern)),
  );
  const { source } = proposal;
  expect(config).toMatchObject({ hive: "web", source: source.code });
  expect(config.server).toBeUndefined();
  // What is proposed finds every file of the source, each under a name of its own.
  const found = await findTree(config, { source, targets: [] });
  const expected = files.filter((file) => file.split(/[/._-]/).includes(source.code));
  expect(found.files.map((file) => file.source.path).toSorted()).toEqual(expected.toSorted());
});

it.each<[what: string, files: readonly string[], source: string | undefined]>([
  ["of the source language's main region", ["po/en_AU.po", "po/en_US.po", "po/fr.po"], "en_US"],
  ["of the only region", ["po/en_AU.po", "po/fr.po"], "en_AU"],
  ["of several regions", ["po/en_AU.po", "po/en_GB.po", "po/fr.po"], undefined],
  ["of another locale of the app", ["po/en_IN.po", "po/fr.po", "i18n/en-IN.json"], undefined],
  ["of Android", ["app/src/main/res/values-en-rGB/strings.xml"], undefined],
])("takes files %s for the source locale, or leaves them out", async (_, files, code) => {
  const proposal = await proposePatterns(tree(["i18n/en.json", "i18n/fr.json", ...files]));
  const [other, ...more] = proposal.patterns.filter(({ path }) => path !== "i18n/{locale}.json");
  expect([other?.locales?.en, more]).toEqual([code, []]);
  expect(proposal.withoutSource).toHaveLength(code === undefined ? 1 : 0);
});

it("proposes tables with a column for each locale", async () => {
  const content = "keys,en,pt_BR,fr,_notes\nA,a,b,,\n";
  const paths = ["game/localization/ui.csv", "game/texts.csv", "translations.csv"];
  const folder = tree(
    [],
    Object.fromEntries([...paths, "game/data/units.csv"].map((path) => [path, content])),
  );
  const { patterns, source, targets, unread } = await proposePatterns(folder);
  expect(patterns.map(({ path }) => path)).toEqual(paths);
  expect([source.code, targets.map(({ canonical }) => canonical), unread]).toEqual([
    "en",
    ["fr", "pt-BR"],
    [],
  ]);
});

it("proposes Qt's files in any folder, and no file of TypeScript", async () => {
  const folder = tree(["src/app/app_en.ts", "src/app/app_pt_BR.ts", "src/code_en.ts", "src/code_fr.ts"]);
  for (const code of ["en", "pt_BR"])
    writeFileSync(join(folder, `src/app/app_${code}.ts`), `<?xml version="1.0"?>\n<TS version="2.1">`);
  expect(await proposePatterns(folder)).toMatchObject({ patterns: [{ path: "src/app/app_{locale}.ts" }] });
});

it("proposes Android's folders, whose source has no code", async () => {
  const folder = tree([
    "app/src/main/res/values/strings.xml",
    "app/src/main/res/values/colors.xml",
    "app/src/main/res/values-pt-rBR/strings.xml",
    "app/src/main/res/values-b+zh+Hans/strings.xml",
    "app/src/main/res/values-night/strings.xml",
    "app/src/main/res/layout/en.xml",
    "locales/en.xml",
  ]);
  expect(await proposePatterns(folder)).toMatchObject({
    source: { code: "en" },
    targets: [
      { code: "pt-BR", canonical: "pt-BR" },
      { code: "zh-Hans", canonical: "zh-Hans" },
    ],
    patterns: [
      {
        path: "app/src/main/res/values-{locale}/strings.xml",
        source: "app/src/main/res/values/strings.xml",
        locales: undefined,
        sourceFiles: 1,
        codes: ["b+zh+Hans", "pt-rBR"],
      },
    ],
    withoutSource: [],
  });
});

it.each([
  ["above the translations", "src/messages.xlf", ["src/messages.xlf"]],
  ["in the root", "messages.xlf", ["messages.xlf", "other/messages.xlf"]],
  ["beside the translations", "src/locale/messages.xlf", ["messages.xlf", "src/locale/messages.xlf"]],
])("proposes Angular's files, with the source file %s", async (_, source, sources) => {
  const folder = tree([...sources, "src/locale/messages.de.xlf", "src/locale/messages.fr.xlf"]);
  const path = "src/locale/messages.{locale}.xlf";
  expect(await proposePatterns(folder)).toMatchObject({
    source: { code: "en" },
    patterns: [{ path, source, sourceFiles: 1, codes: ["de", "fr"] }],
    withoutSource: [],
  });
});

it("proposes Business Central's files, whose source file has no code", async () => {
  const unit = '<body><group id="body"><trans-unit id="a"><source>A</source></trans-unit></group></body>';
  const file = `<xliff version="1.2"><file source-language="en-US" original="a">${unit}</file></xliff>`;
  const names = ["Rentals.g.xlf", "Rentals.da-DK.xlf", "Rentals.de-DE.xlf"];
  const files = Object.fromEntries(names.map((name) => [`App/Translations/${name}`, file]));
  expect(await proposePatterns(tree([], files))).toMatchObject({
    source: { code: "en-US" },
    patterns: [
      {
        path: "App/Translations/Rentals.{locale}.xlf",
        source: "App/Translations/Rentals.g.xlf",
        codes: ["da-DK", "de-DE"],
      },
    ],
    withoutSource: [],
    unread: [],
  });
});

const res = (...codes: readonly string[]): readonly string[] =>
  codes.map((code) => `app/src/main/res/values${code}/strings.xml`);
const android = { path: res("-{locale}")[0], source: res("")[0] };

it.each(["en:\n  a: A\n", "---\nen:\n  a: A\n", "# en: no\n--- # yes\n'en':\n  a: 'x: y'\n"])(
  "knows the files of Rails by their root: %j",
  async (text) => {
    const folder = tree(["config/locales/en.yml"]);
    writeFileSync(join(folder, "config/locales/en.yml"), text);
    expect((await proposePatterns(folder)).patterns).toMatchObject([{ format: "rails" }]);
  },
);

const sentence =
  "Please give the name of the file to which your changes are to be written, and not of another file. ";
const german = "Bitte geben Sie den Namen der Datei an, in die Ihre Änderungen geschrieben werden sollen. ";
const english = {
  po: `msgid ""\nmsgstr ""\n\nmsgid "${sentence.repeat(3)}"\nmsgstr "${german.repeat(3)}"\n`,
};
const strings = (text: string): string =>
  `<resources><string name="a">${text.repeat(4)}</string></resources>\n`;
const xliff = (code: string): string =>
  `<xliff version="1.2"><file source-language="${code}" x="1"></file></xliff>`;
const xliff2 = (code: string): string =>
  `<xliff version="2.0" trgLang="fr" srcLang="${code}"><file id="f"></file></xliff>`;
const qt = (code: string): string =>
  `<!DOCTYPE TS>\n<TS version="2.1" language="fr" sourcelanguage="${code}"></TS>`;

describe("what shows the source locale", () => {
  type Shown = readonly [
    files: readonly string[],
    contents: Readonly<Record<string, string>>,
    string,
    string,
  ];
  const i18n = ["i18n/de.json", "i18n/fr.json"];
  const shown: Readonly<Record<string, Shown>> = {
    "source-language of XLIFF": [
      ["messages.xlf"],
      { "l10n/messages.fr.xlf": xliff("de"), "l10n/messages.en.xlf": xliff("de") },
      "de",
      "source-language of l10n/messages.en.xlf is it",
    ],
    "srcLang of XLIFF 2": [
      ["messages.xlf"],
      { "l10n/messages.fr.xlf": xliff2("de"), "l10n/messages.en.xliff": xliff2("de") },
      "de",
      "srcLang of l10n/messages.en.xliff is it",
    ],
    "sourcelanguage of Qt": [
      [],
      {
        "translations/app_fr.ts": qt("de_DE"),
        "translations/app_en.ts": qt("de_DE"),
        "translations/app_de_DE.ts": qt("de_DE"),
      },
      "de_DE",
      "sourcelanguage of translations/app_de_DE.ts is it",
    ],
    "sourceLanguage of Apple": [
      [],
      { "App/A.xcstrings": '{"sourceLanguage": "fr", "strings": {}, "version": "1.0"}' },
      "fr",
      "sourceLanguage of App/A.xcstrings is it",
    ],
    "the column of English": [
      [],
      { "i18n/texts.csv": "keys,de,en,fr\n" },
      "en",
      "a column of i18n/texts.csv is it",
    ],
    "the column of English, which has the keys": [
      [],
      { "i18n/texts.csv": "en,?context,fr,de\n" },
      "en",
      "a column of i18n/texts.csv is it",
    ],
    "the first column of a language": [
      [],
      { "i18n/texts.csv": '"keys";"de";"fr"\r\n' },
      "de",
      "a column of i18n/texts.csv is it",
    ],
    "a browser extension's default": [
      ["_locales/en/messages.json", "_locales/de/messages.json"],
      { "manifest.json": '{ "default_locale": "de" }' },
      "de",
      "manifest.json names it",
    ],
    "Flutter's template": [
      ["lib/l10n/app_en.arb", "lib/l10n/app_pt_BR.arb"],
      { "l10n.yaml": "arb-dir: lib/l10n\ntemplate-arb-file: app_pt_BR.arb\n" },
      "pt_BR",
      "l10n.yaml names it",
    ],
    "Angular's settings": [
      ["src/locale/messages.xlf", "src/locale/messages.en.xlf"],
      { "angular.json": '{"projects": {"a": {"i18n": {"sourceLocale": {"code": "de", "baseHref": ""}}}}}' },
      "de",
      "angular.json names it",
    ],
    "inlang's settings": [
      i18n,
      { "project.inlang/settings.json": '{"baseLocale": "fr"}' },
      "fr",
      "project.inlang/settings.json names it",
    ],
    "settings of Docusaurus": [
      ["i18n/en/code.json", "i18n/fr/code.json"],
      { "docusaurus.config.ts": "export default { i18n: { defaultLocale: 'fr', locales: ['fr', 'en'] } }" },
      "fr",
      "docusaurus.config.ts names it",
    ],
    "Rails' settings": [
      ["config/locales/en.yml", "config/locales/nl.yml"],
      {
        "config/application.rb": "  # config.i18n.default_locale = :de\n  config.i18n.default_locale = :nl\n",
      },
      "nl",
      "config/application.rb names it",
    ],
    "Laravel's settings": [
      ["lang/en/a.php", "lang/nl/a.php"],
      { "config/app.php": "<?php return ['fallback_locale' => env('APP_FALLBACK_LOCALE', 'nl')];" },
      "nl",
      "config/app.php names it",
    ],
    "Transifex' settings": [
      i18n,
      { ".tx/config": "[main]\n[o:a:p:b:r:c]\nsource_lang = de\n" },
      "de",
      ".tx/config names it",
    ],
    "a file that is called the default": [
      ["locales/en.json", "locales/de.default.json", "locales/fr.json"],
      {},
      "de",
      "locales/de.default.json is called the default",
    ],
    "texts in English without a code, of the files with the most translations": [
      ["app/res/values-fr/strings.xml", "app/res/values-de/strings.xml"],
      { "a/res/values/lorem.xml": strings(german), "app/res/values/strings.xml": strings(sentence) },
      "en",
      "app/res/values/strings.xml has no code, and its texts are English",
    ],
    "English texts in a file without a code": [
      [],
      { "res/values/strings.xml": strings(sentence), "res/values-en-rGB/strings.xml": strings(sentence) },
      "en",
      "res/values/strings.xml has no code, and its texts are English",
    ],
    "a file without a code": [
      ["src/A.properties", "src/A_fr.properties"],
      {},
      "en",
      "src/A.properties has no code, which mostly means English",
    ],
    "a template of gettext, and no translation into a kind of English": [
      ["po/a.pot", "po/de.po", "po/en_GB.po"],
      {},
      "en",
      "po/a.pot has no code, which mostly means English",
    ],
    "the code en": [["i18n/th.json", "i18n/en.json"], {}, "en", "i18n/en.json is there"],
    "Minecraft's English, and not that upside down": [
      ["assets/a/lang/en_ud.json", "assets/a/lang/en_us.json", "assets/a/lang/fr_fr.json"],
      {},
      "en_us",
      "assets/a/lang/en_us.json is there",
    ],
    "the only code of English": [
      ["i18n/en_EN.json", "i18n/de.json", "i18n/en_UD.json"],
      {},
      "en_EN",
      "i18n/en_EN.json is the only one in English",
    ],
    "the kind of English with the most files": [
      ["i18n/en-US/a.json", "i18n/en-GB/a.json", "i18n/en-GB/b.json", "i18n/fr/a.json"],
      {},
      "en-GB",
      "of the codes of English, it has the most files",
    ],
    "a region with more files than the code en": [
      ["a/i18n/en.json", "b/i18n/en_US.json", "c/i18n/en-US.json", "d/i18n/en_US.json"],
      {},
      "en_US",
      "of the codes of English, it has the most files",
    ],
    ...Object.fromEntries(
      (
        [
          ["i18n/{}.json", (key) => `"${key}": "A"`, ["{", ",", "}"]],
          ["i18n/{}.yml", (key) => `${key}: A\n`, ["{}:\n  ", "  ", ""]],
          ["lang/{}.php", (key) => `'${key}' => 'A',`, ["<?php return [", "", "];"]],
          ["i18n/{}.toml", (key) => `${key} = "A"\n`, ["", "", ""]],
          ["A/{}.lproj/L.strings", (key) => `"${key}" = "A";\n`, ["", "", ""]],
          ["locales/{}.ftl", (key) => `${key} = A\n`, ["", "", ""]],
        ] satisfies [string, (key: string) => string, [string, string, string]][]
      ).flatMap(([path, line, [start, between, end]]) => {
        const file = (code: string, count: number): [string, string] => [
          path.replace("{}", code),
          start.replace("{}", code) +
            Array.from({ length: count }, (_, i) => line(`k${i}`)).join(between) +
            end,
        ];
        const files = (...counts: readonly (readonly [code: string, count: number])[]) =>
          Object.fromEntries(counts.map(([code, count]) => file(code, count)));
        const most = "of the codes of English, it has the most keys";
        const rows: readonly (readonly [string, Shown])[] = [
          [
            `the kind of English with the most keys in ${path}`,
            [[], files(["en-US", 1], ["en-GB", 2], ["fr", 2]), "en-GB", most],
          ],
          [
            `a region whose file has much more than that of en in ${path}`,
            [[], files(["en", 1], ["en-US", 20]), "en-US", most],
          ],
          [
            `en, of which a translation has a former key in ${path}`,
            [[], files(["en", 20], ["en-GB", 21]), "en", `${path.replace("{}", "en")} is there`],
          ],
          [
            `en at equal evidence in ${path}`,
            [[], files(["en-GB", 3], ["en-US", 3], ["en", 3]), "en", `${path.replace("{}", "en")} is there`],
          ],
        ];
        return rows;
      }),
    ),
    "English msgids": [["po/fr.po"], { "po/de.po": english.po }, "en", "the msgids of po/de.po are English"],
    "the only code": [["i18n/de/a.json", "i18n/de/b.json"], {}, "de", "there are files in no other locale"],
  };

  it.each(Object.entries(shown))("is %s", async (_, [files, contents, code, reason]) => {
    expect(await proposePatterns(tree(files, contents))).toMatchObject({ source: { code }, reason });
  });

  const open: Readonly<
    Record<string, readonly [readonly string[], Readonly<Record<string, string>>, string]>
  > = {
    "many locales without English": [["i18n/de.json", "i18n/th.json", "i18n/th/a.json"], {}, "de, th"],
    "upside-down English alone": [["lang/en_ud.json", "lang/fr_fr.json"], {}, "en_ud, fr_fr"],
    "two kinds of English": [["lang/en-AU.json", "lang/en-GB.json"], {}, "en-AU, en-GB"],
    "texts in another language without a code": [
      ["res/values-fr/strings.xml"],
      { "res/values/strings.xml": strings(german) },
      "fr",
    ],
    "msgids in another language": [
      ["po/fr.po"],
      { "po/de.po": english.po.replace(sentence.repeat(3), german.repeat(4)) },
      "de, fr",
    ],
    "settings for a locale without files": [
      ["i18n/de.json", "i18n/fr.json"],
      { ".tx/config": "source_lang = es\n" },
      "de, fr",
    ],
  };

  it.each(Object.entries(open))("is not %s: the person is asked", async (_, [files, contents, found]) => {
    const folder = tree(files, contents);
    await expect(proposePatterns(folder)).rejects.toMatchObject({
      kind: "misuse",
      message: expect.stringContaining(`(found: ${found}); name it with --source-locale.`),
    });
    const asked: string[] = [];
    const proposal = await proposePatterns(folder, undefined, async (codes) => {
      asked.push(codes.join(", "));
      return codes[0];
    });
    expect([asked, proposal.reason]).toEqual([[found], "it was given"]);
    expect(asked[0]?.startsWith(proposal.source.code)).toBe(true);
  });
});

describe("a code", () => {
  it.each([
    ["of a folder", ["i18n/src/a.json", "i18n/pages/a.json"]],
    ["of a file", ["i18n/new.json", "i18n/settings.json"]],
    ["behind a name", ["i18n/texts_src.json", "i18n/index.json"]],
  ])("%s that is alone among other names is no locale", async (_, files) => {
    expect(await proposePatterns(tree(files))).toMatchObject({ patterns: [], withoutSource: [] });
    const more = files.flatMap((file) => (/src|new/.test(file) ? file.replace(/src|new/, "de") : []));
    expect((await proposePatterns(tree([...files, ...more]), "de")).patterns).toHaveLength(1);
  });

  it.each([
    ["qqq", ["i18n/en.json", "i18n/qqq.json", "i18n/fr.json"]],
    ["qq", ["values", "values-qq", "values-fr"].map((folder) => `app/src/main/res/${folder}/strings.xml`)],
  ])("%s of the notes about messages is no locale", async (_, files) => {
    const { targets } = await proposePatterns(tree(files), "en");
    expect(targets.map(({ code }) => code)).toEqual(["fr"]);
  });
});

describe("the source locale", () => {
  it.each<[string, readonly string[], string, ...object[]]>([
    ["a folder of Android without a code", res("", "-en-rGB", "-fr"), "en", android],
    ["the code en", ["i18n/en-GB.json", "i18n/en.json"], "en", { path: "i18n/{locale}.json" }],
    ["en-US before en-GB", ["i18n/en-GB.json", "i18n/en-US.json"], "en-US", { path: "i18n/{locale}.json" }],
    [
      "the fuller one of other codes of English",
      ["i18n/en-AU/a.json", "i18n/en-GB/a.json", "i18n/en-GB/b.json", "i18n/de/a.json"],
      "en-GB",
      { path: "i18n/{locale}/**/*.json" },
    ],
    [
      "Apple's Base where it has most files",
      ["A/Base.lproj/a.strings", "A/Base.lproj/b.strings", "A/en.lproj/a.strings"],
      "en",
      { path: "A/{locale}.lproj/*.strings", source: "A/Base.lproj/*.strings" },
    ],
    [
      "Java's bundle without a code, anywhere",
      ["src/main/Texts.properties", "src/main/Texts_fr.properties", "src/main/Texts_en.properties"],
      "en",
      { path: "src/main/Texts_{locale}.properties", source: "src/main/Texts.properties" },
    ],
    [
      ".NET's bundle, and not one beside which there is no other locale",
      ["src/Texts.resx", "src/Texts.fr.resx", "src/Form.Designer.resx", "src/Other.resx"],
      "en",
      { path: "src/Texts.{locale}.resx", source: "src/Texts.resx", sourceFiles: 1, codes: ["fr"] },
    ],
    [
      ".NET's bundles in several places",
      ["App/Texts.resx", "App/Texts.zh-CN.resx", "Forms/Main.resx", "Forms/Main.fr.resx", "Forms/Other.resx"],
      "en",
      { path: "**/*.{locale}.resx", source: "**/*.resx", sourceFiles: 3, codes: ["fr", "zh-CN"] },
    ],
    [
      "Apple's plurals beside texts",
      ["A/en.lproj/L.strings", "A/en.lproj/L.stringsdict", "A/fr.lproj/L.stringsdict"],
      "en",
      { path: "A/{locale}.lproj/*.strings", codes: [] },
      { path: "A/{locale}.lproj/*.stringsdict", codes: ["fr"] },
    ],
    [
      "Xcode's catalogs, each of which holds all locales",
      ["App/Localizable.xcstrings", "Widget/Localizable.xcstrings"],
      "en",
      { path: "App/Localizable.xcstrings", source: undefined, locales: undefined, sourceFiles: 1 },
      { path: "Widget/Localizable.xcstrings", name: "Widget/Localizable.xcstrings" },
    ],
    [
      "a template of gettext",
      ["po/app.pot", "po/de.po", "po/fr.po"],
      "en",
      { path: "po/{locale}.po", source: "po/app.pot" },
    ],
    [
      "a template of gettext in the folder of the app",
      ["messages.pot", "app/translations/de/LC_MESSAGES/messages.po"],
      "en",
      { path: "app/translations/{locale}/LC_MESSAGES/*.po", source: "*.pot" },
    ],
    [
      "the templates of gettext's domains",
      ["locale/a.pot", "locale/b.pot", "locale/de/LC_MESSAGES/a.po", "locale/de/LC_MESSAGES/b.po"],
      "en",
      { path: "locale/{locale}/LC_MESSAGES/*.po", source: "locale/*.pot" },
    ],
    [
      "the templates of gettext beside the folders of the locales, of which English has only some",
      ["l10n/a.pot", "l10n/b.pot", "l10n/de/a.po", "l10n/de/b.po", "l10n/en/a.po"],
      "en",
      { path: "l10n/{locale}/**/*.po", source: "l10n/**/*.pot", sourceFiles: 2, codes: ["de"] },
    ],
    [
      "the templates of gettext in a folder of their own",
      ["locale/templates/LC_MESSAGES/a.pot", "locale/de/LC_MESSAGES/a.po", "locale/fr/LC_MESSAGES/a.po"],
      "en",
      { path: "locale/{locale}/LC_MESSAGES/*.po", source: "locale/templates/LC_MESSAGES/*.pot" },
    ],
    [
      "Fluent's file without a code",
      ["i18n/app.ftl", "i18n/app_de.ftl", "i18n/app_fr.ftl"],
      "en",
      { path: "i18n/app_{locale}.ftl", source: "i18n/app.ftl", codes: ["de", "fr"] },
    ],
    [
      "the templates of Fluent in a folder of their own",
      ["core/templates/a.ftl", "core/templates/b.ftl", "core/de/a.ftl", "core/en-GB/a.ftl"],
      "en",
      {
        path: "core/{locale}/**/*.ftl",
        source: "core/templates/**/*.ftl",
        sourceFiles: 2,
        codes: ["de", "en-GB"],
      },
    ],
  ])("is that of %s", async (_, files, source, ...patterns) => {
    const proposal = await proposePatterns(tree(files));
    expect(proposal).toMatchObject({ source: { code: source }, patterns, withoutSource: [] });
  });

  it("may have another code in other files", async () => {
    expect(
      await proposePatterns(tree(["a/i18n/en.json", "b/i18n/en_US.json", "b/i18n/fr.json"])),
    ).toMatchObject({
      patterns: [
        { path: "a/i18n/{locale}.json" },
        { path: "b/i18n/{locale}.json", locales: { en: "en_US" } },
      ],
    });
  });

  it("leaves out Drupal's settings, whose source files do not say what is text", async () => {
    const sync = ["system.site.yml", "language/de/system.site.yml", "language/fr/system.site.yml"];
    const files = ["lang/en.json", ...sync.map((file) => `config/sync/${file}`)];
    const { patterns, withoutSource } = await proposePatterns(tree(files));
    expect(patterns.map(({ path }) => path)).toEqual(["lang/{locale}.json"]);
    expect(withoutSource).toEqual([
      {
        path: "config/sync/language/{locale}/**/*.yml",
        reason: expect.stringContaining("export its texts as .po"),
      },
    ]);
  });

  it("is missed where gettext's files have no template, with what makes one", async () => {
    const { withoutSource } = await proposePatterns(tree(["lang/en.json", "locale/de.po", "locale/fr.po"]));
    expect(withoutSource).toEqual([
      { path: "locale/{locale}.po", reason: expect.stringContaining("neither a template (locale/*.pot") },
    ]);
    expect(withoutSource[0]?.reason).toContain("msginit --no-translator --locale=en --output=locale/en.po");
  });

  it("is missed where a template in a folder above is of another program", async () => {
    const folder = tree(["lang/en.json", "tool.pot", "app/locale/de/LC_MESSAGES/app.po"]);
    const { withoutSource } = await proposePatterns(folder);
    expect(withoutSource).toEqual([
      expect.objectContaining({ path: "app/locale/{locale}/LC_MESSAGES/*.po" }),
    ]);
  });

  it("is not a translation of gettext's messages, whichever is the largest", async () => {
    const folder = tree(["po/de.po", "po/fr.po"], { "po/de.po": english.po });
    const { patterns, withoutSource } = await proposePatterns(folder);
    expect(patterns).toEqual([]);
    expect(withoutSource[0]?.reason).toMatch(/--locale=en --output=po\/en\.po;.*--source-locale$/);
    expect(await proposePatterns(folder, "de")).toMatchObject({ patterns: [{ path: "po/{locale}.po" }] });
  });
});

describe("codes of locales", () => {
  it("that the Hive would not give the files are written down", async () => {
    const folder = tree(res("", "-he", "-b+ast", "-kn-rIN"));
    symlinkSync("values-he", join(folder, "app/src/main/res/values-iw"));
    const proposal = await proposePatterns(folder);
    const text = settingsText({ server: undefined, hive: undefined }, proposal);
    expect(text).toContain("    locales:\n      ast: b+ast\n      he: he\n");
    const { source, targets } = proposal;
    const { foreign, present } = await findTree(parseConfig(join(folder, "skep.yaml"), text), {
      source,
      targets,
    });
    expect(foreign).toEqual([]);
    expect(present.get(android.path ?? "")).toEqual(new Set(["ast", "he", "kn-IN"]));
  });

  it("that are two of one language are both kept, or named", async () => {
    const folder = tree([
      "lang/en.json",
      "lang/tl.json",
      "lang/fil.json",
      "lang/pt-BR.json",
      "lang/pt_BR.json",
    ]);
    const proposal = await proposePatterns(folder);
    expect(proposal.targets.map(({ code }) => code)).toEqual(["fil", "fil-PH", "pt-BR"]);
    expect(proposal.patterns).toMatchObject([{ locales: { "fil-PH": "tl" } }]);
    expect(proposal.ambiguous).toEqual([{ pattern: "lang/{locale}.json", locale: "pt-BR", code: "pt_BR" }]);
  });
});

describe("what is no translation", () => {
  it("is TypeScript, whose ending Qt's files have, too", async () => {
    const folder = tree([
      "translations/app_en.ts",
      "translations/app_fr.ts",
      "src/i18n/en.ts",
      "src/i18n/fr.ts",
    ]);
    for (const code of ["en", "fr"])
      writeFileSync(join(folder, `translations/app_${code}.ts`), '<?xml version="1.0"?><TS></TS>');
    expect(await proposePatterns(folder)).toMatchObject({
      patterns: [{ path: "translations/app_{locale}.ts", codes: ["fr"] }],
      withoutSource: [],
    });
  });

  it("is not proposed", async () => {
    const folder = tree([
      "package.json",
      "tsconfig.json",
      "src/en.json",
      "config/en/settings.json",
      "node_modules/other/locales/en.json",
      ".cache/locales/en.json",
      "vendor/other/lang/en/auth.json",
      "mac/Other.framework/Resources/en.lproj/Other.strings",
      "about-new.ftl",
      "app/new.ftl",
      "lib/about_new.po",
    ]);
    symlinkSync(tree(["en.json"]), join(folder, "locales"));
    expect(await proposePatterns(folder)).toMatchObject({ patterns: [], withoutSource: [] });
  });

  it("a folder without the source locale is named", async () => {
    const folder = tree(["locales/en.json", "legacy/lang/de.json", "legacy/lang/fr.json"]);
    expect(await proposePatterns(folder)).toMatchObject({
      patterns: [{ path: "locales/{locale}.json", sourceFiles: 1, codes: [] }],
      withoutSource: [{ path: "legacy/lang/{locale}.json", reason: "it has no file in en" }],
    });
    expect(await proposePatterns(folder, "fr")).toMatchObject({
      source: { code: "fr" },
      patterns: [{ path: "legacy/lang/{locale}.json", sourceFiles: 1, codes: ["de"] }],
    });
  });
});

it("leaves what is not known yet to be filled in", () => {
  const text = settingsText(
    { server: undefined, hive: undefined },
    {
      source: { code: "no", canonical: "no" },
      patterns: [{ path: "lang/{locale}.json", sourceFiles: 1, codes: [] }],
      excluded: [],
    },
  );
  expect(text).toContain("# server: https://skep.example.org # or SKEP_SERVER\n# hive: web # or SKEP_HIVE\n");
  const config = parseConfig("skep.yaml", text);
  expect([config.source, config.server, config.hive]).toEqual(["no", undefined, undefined]);
});

describe("a layout of files with more than texts", () => {
  const pot = 'msgid ""\nmsgstr ""\n\nmsgid "Hi"\nmsgstr ""\n';
  const named = `${pot}\nmsgid "auth.login"\nmsgstr "%s"\n\nmsgid "auth.logout"\nmsgstr "%s"\n`;
  const described = '{"a": {"message": "A", "description": "About it."}, "b": {"message": "B"}}';
  const resources = (content: string): string => `<resources>${content}</resources>`;
  const kinds: Readonly<Record<string, readonly [Readonly<Record<string, string>>, ...object[]]>> = {
    WordPress: [
      {
        "languages/my-plugin.pot": pot,
        "languages/other.pot": pot,
        "languages/my-plugin-de_DE.po": pot,
        "languages/my-plugin-pt_BR.po": pot,
        "languages/my-plugin-de_DE-0123456789abcdef.json": "{}",
      },
      {
        path: "languages/my-plugin-{locale}.po",
        source: "languages/my-plugin.pot",
        codes: ["de_DE", "pt_BR"],
      },
    ],
    Drupal: [
      {
        "modules/a/translations/a.pot": pot,
        "modules/a/translations/a.de.po": pot,
        "modules/a/translations/a.pt-br.po": pot,
      },
      { path: "modules/a/translations/a.{locale}.po", source: "modules/a/translations/a.pot" },
    ],
    "gettext with names for msgids, whose texts are in the English file": [
      {
        "locale/a.pot": named.replaceAll("%s", ""),
        "locale/en/LC_MESSAGES/a.po": named.replace("%s", "Log in").replace("%s", "Log out"),
        "locale/fr/LC_MESSAGES/a.po": named.replace("%s", "Entrer").replace("%s", "Sortir"),
      },
      { path: "locale/{locale}/LC_MESSAGES/*.po", source: undefined, sourceFiles: 1, codes: ["fr"] },
    ],
    "gettext with texts for msgids, of which the English file changes one": [
      {
        "locale/a.pot": named.replaceAll("%s", ""),
        "locale/en_US.po": named.replace("%s", "Log in").replace("%s", ""),
        "locale/fr.po": named.replace("%s", "Entrer").replace("%s", "Sortir"),
      },
      { path: "locale/{locale}.po", source: "locale/a.pot", codes: ["en_US", "fr"] },
    ],
    "gettext with names for msgids, and files in two regions of English": [
      {
        "locale/a.pot": named.replaceAll("%s", ""),
        "locale/en_GB.po": named.replace("%s", "Log in").replace("%s", "Log off"),
        "locale/en_US.po": named.replace("%s", "Log in").replace("%s", "Log out"),
      },
      { path: "locale/{locale}.po", source: undefined, locales: { en: "en_US" }, codes: ["en_GB"] },
    ],
    "Visual Studio Code": [
      { "package.json": "{}", "package.nls.json": '{"a": "A"}', "package.nls.zh-cn.json": '{"a": "B"}' },
      { path: "package.nls.{locale}.json", source: "package.nls.json", codes: ["zh-cn"] },
    ],
    "Windows apps": [
      {
        "App/Strings/en-US/Resources.resw": '<root><data name="a"><value>A</value></data></root>',
        "App/Strings/de-DE/Resources.resw": '<root><data name="a"><value>B</value></data></root>',
      },
      { path: "App/Strings/{locale}/**/*.resw", codes: ["de-DE"] },
    ],
    Docusaurus: [
      {
        "i18n/en/code.json": described,
        "i18n/fr/code.json": described,
        "i18n/en/theme/navbar.json": described,
      },
      { path: "i18n/{locale}/**/*.json", format: "docusaurus", sourceFiles: 2 },
    ],
    Android: [
      {
        "res/values/strings.xml": resources('<string name="a">A</string>'),
        "res/values/arrays.xml": resources('<string-array name="a"><item>A</item></string-array>'),
        "res/values/colors.xml": resources('<color name="a">#fff</color>'),
        "res/values/donottranslate.xml": resources('<string name="a">A</string>'),
        "res/values-fr/arrays.xml": resources(""),
      },
      { path: "res/values-{locale}/arrays.xml", source: "res/values/arrays.xml", codes: ["fr"] },
      { path: "res/values-{locale}/strings.xml", source: "res/values/strings.xml", codes: [] },
    ],
    "go-i18n's lists": [
      { "i18n/en-us.all.json": '[{"id": "a", "translation": "A"}]', "i18n/pt-br.all.json": "[]" },
      { path: "i18n/{locale}.all.json", format: "go-i18n", codes: ["pt-br"] },
    ],
    "Laravel's texts as keys, which the source file lacks": [
      {
        "lang/en.json": '{"Sign in": "Sign in", "Total": "Total"}',
        "lang/fr.json": '{"Sign in": "Se connecter", "Forgot your password?": "Mot de passe oublié ?"}',
        "lang/de.json": "{}",
      },
      { path: "lang/{locale}.json", format: "laravel-json", codes: ["de", "fr"] },
    ],
    "texts as keys, all of which the source file has": [
      {
        "lang/en.json": '{"Sign in": "Sign in", "Sign out": "Sign out"}',
        "lang/fr.json": '{"Sign in": "Se connecter"}',
      },
      { path: "lang/{locale}.json", format: undefined },
    ],
    "names as keys, which the source file lacks": [
      { "lang/en.json": '{"a": "A"}', "lang/fr.json": '{"a": "B", "b": "C", "c": "D"}' },
      { path: "lang/{locale}.json", format: undefined },
    ],
    "Hugo's lists": [
      {
        "i18n/en.yaml": "# Texts\n\n- id: a\n  translation: A\n",
        "i18n/fr.yaml": "- translation: B\n  id: a\n",
      },
      { path: "i18n/{locale}.yaml", format: "go-i18n", codes: ["fr"] },
    ],
    Minecraft: [
      { "assets/m/lang/en_us.json": "{}", "assets/m/lang/zh_cn.json": "{}" },
      { path: "assets/m/lang/{locale}.json", codes: ["zh_cn"] },
    ],
    Shopify: [
      {
        "locales/en.default.json": "{}",
        "locales/en.default.schema.json": "{}",
        "locales/pt-BR.json": "{}",
        "locales/pt-BR.schema.json": "{}",
      },
      { path: "locales/{locale}.json", source: "locales/en.default.json", codes: ["pt-BR"] },
      { path: "locales/{locale}.schema.json", source: "locales/en.default.schema.json", codes: ["pt-BR"] },
    ],
    "a word behind the code, as Meteor has it": [
      { "imports/i18n/data/en.i18n.json": "{}", "imports/i18n/data/pt_BR.i18n.json": "{}" },
      { path: "imports/i18n/data/{locale}.i18n.json", codes: ["pt_BR"] },
    ],
    "a source file in another folder, known by its keys": [
      {
        "ui/src/i18n/en.json": '{"menu": {"a": "A", "b": "B"}, "c": "C", "d": "D"}',
        "help/i18n/en.json": '{"x": "X", "y": "Y", "z": "Z"}',
        "resources/i18n/de.json": '{"menu": {"a": "A", "b": "B"}, "c": "C", "old": "O"}',
        "resources/i18n/fr.json": "{}",
      },
      { path: "help/i18n/{locale}.json", codes: [] },
      { path: "resources/i18n/{locale}.json", source: "ui/src/i18n/en.json", codes: ["de", "fr"] },
    ],
    "Symfony's bundles, two of which have files of one name": [
      {
        "src/A/translations/messages.en.yml": "a: A",
        "src/A/translations/flashes.en.yml": "a: A",
        "src/B/translations/messages.en.yml": "a: A",
        "src/B/translations/messages.fr.yml": "a: A",
      },
      { path: "src/A/translations/*.{locale}.yml", name: undefined },
      { path: "src/B/translations/messages.{locale}.yml", name: "src/B/translations/messages.{locale}.yml" },
    ],
  };

  it.each(Object.entries(kinds))("is found: %s", async (_, [contents, ...patterns]) => {
    const proposal = await proposePatterns(tree([], contents));
    expect(proposal).toMatchObject({ patterns, withoutSource: [], unread: [] });
    expect(
      parseConfig("skep.yaml", settingsText({ server: undefined, hive: "web" }, proposal)).entries,
    ).toEqual(patterns.map((pattern) => expect.objectContaining({ path: Object.values(pattern)[0] })));
  });
});

describe("files of translations that are not offered", () => {
  const several = '<xliff version="1.2"><file original="a"></file><file original="b"></file></xliff>';
  it.each([
    ["src/locale/messages.xlf", '<xliff version="2.2" srcLang="en">', "XLIFF of another version: "],
    ["src/locale/messages.xlf", '<xliff version="1.1">', "let the app's tool write one of 1.2, 2.0, 2.1"],
    ["fr.xliff", several, "an export of Xcode"],
    ["locales/all.json", '{"en": {"a": "A"}, "fr": {"a": "B"}}', "one file with all locales"],
    ["config/i18n.yaml", "en:\n  a: A\nfr:\n  a: B\n", "one file with all locales"],
    ["languages/en.cfg", "[a]\nb=c\n", "format: ini"],
    ["src/i18n/en.ts", "export default { a: 'A' };", "program code"],
    ["src/locales/pt-BR.js", "module.exports = {};", "program code"],
    ["config/locales/de.rb", "{ de: {} }", "program code"],
  ])("are named with what to do: %s", async (path, content, advice) => {
    const { unread, patterns } = await proposePatterns(tree(["lang/en/a.json"], { [path]: content }));
    expect(unread).toEqual([{ paths: [path], advice: expect.stringContaining(advice) }]);
    expect(patterns).toHaveLength(1);
  });

  it.each(["config", "dtd", "json5", "jsonc", "lang", "neon", "plist", "txt"])(
    "are named where several are of a format that is not read: %s",
    async (ending) => {
      const files = ["en", "pt-BR"].map((code) => `src/_locales/${code}.${ending}`);
      const { unread } = await proposePatterns(tree(["lang/en/a.json", ...files]));
      expect(unread).toEqual([{ paths: files, advice: expect.stringContaining("docs/formats.md") }]);
    },
  );

  it("are named where their names are those of languages", async () => {
    const files = ["src/Assets/Languages/Chinese Simplified.json", "src/Assets/Languages/German.json"];
    const { unread } = await proposePatterns(tree(["lang/en/a.json", ...files]));
    expect(unread).toEqual([{ paths: files, advice: expect.stringContaining("de: German") }]);
  });

  it("are left out where two source files elsewhere have their keys", async () => {
    const texts = '{"a": "A", "b": "B", "c": "C"}';
    const contents = {
      "x/i18n/en.json": texts,
      "y/i18n/en.json": texts,
      "z/i18n/de.json": texts,
      "z/i18n/fr.json": texts,
    };
    const { patterns, withoutSource } = await proposePatterns(tree([], contents), "en");
    expect(patterns.map(({ path }) => path)).toEqual(["x/i18n/{locale}.json", "y/i18n/{locale}.json"]);
    expect(withoutSource.map(({ path }) => path)).toEqual(["z/i18n/{locale}.json"]);
  });

  it.each([
    ["locales/en.txt", ""],
    ["locales/german.json", "{}"],
    ["locales/readme.txt", ""],
    ["data/en.txt", ""],
    ["config/app.json", '{"en": {"a": "A"}, "server": {}}'],
    ["data/table.csv", "key,en,fr\n"],
    ["i18n/languages.csv", "code,name,is\nen,English,1\n"],
    ["i18n/de_DE.csv", '"Add","Hinzufügen"\n'],
    ["src/index.ts", "export {};"],
    ["public/plugins/editor/langs/de.js", ""],
    ["public/plugins/editor/langs/de.json", "{}"],
    ["test/fixtures/locales/de.json", "{}"],
  ])("are not named among others: %s", async (path, content) => {
    const { unread, patterns, withoutSource } = await proposePatterns(
      tree(["lang/en/a.json"], { [path]: content }),
    );
    expect([unread, patterns.length, withoutSource]).toEqual([[], 1, []]);
  });
});
