/** Trees of other formats go to the Hive and come back as they were. */
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";

const trees: readonly {
  readonly name: string;
  readonly pattern: string;
  readonly source: readonly [path: string, content: string];
  readonly target: readonly [path: string, content: string];
  /** Where the first translation ends up in a locale that has no file yet. */
  readonly fresh: readonly [path: string, content: string];
  readonly file: string;
  readonly key: string;
}[] = [
  {
    name: "Rails",
    pattern: "{ path: 'config/locales/{locale}.yml', format: rails, locales: { pt-BR: pt } }",
    source: [
      "config/locales/en.yml",
      '# Ours\nen:\n  greeting: Hello\n  menu:\n    home: "Home" # first\n    count: 3\n',
    ],
    target: ["config/locales/fr.yml", "fr:\n  menu:\n    home: 'Accueil'\n  greeting: Bonjour\n"],
    fresh: ["config/locales/pt.yml", "# Ours\npt:\n  greeting: Olá\n  menu:\n    count: 3\n"],
    file: "en.yml",
    key: "greeting",
  },
  {
    name: "Flutter",
    pattern: "lib/l10n/app_{locale}.arb",
    source: [
      "lib/l10n/app_en.arb",
      '{\n  "@@locale": "en",\n  "greeting": "Hello",\n  "@greeting": {\n    "description": "A greeting"\n  }\n}\n',
    ],
    target: ["lib/l10n/app_fr.arb", '{\n  "@@locale": "fr",\n  "greeting": "Bonjour"\n}\n'],
    fresh: ["lib/l10n/app_pt_BR.arb", '{\n  "@@locale": "pt_BR",\n  "greeting": "Olá"\n}\n'],
    file: "app_en.arb",
    key: "greeting",
  },
  {
    name: "Android",
    pattern:
      "{ path: 'app/src/main/res/values-{locale}/strings.xml', source: app/src/main/res/values/strings.xml }",
    source: [
      "app/src/main/res/values/strings.xml",
      '<resources>\n    <!-- Hi -->\n    <string name="greeting">Hello</string>\n    <string name="id" translatable="false">x</string>\n    <string-array name="days">\n        <item>Mo</item>\n        <item>Tu</item>\n    </string-array>\n</resources>\n',
    ],
    target: [
      "app/src/main/res/values-fr/strings.xml",
      `<resources>\n    <string name="greeting">"J'ai"</string>\n</resources>\n`,
    ],
    fresh: [
      "app/src/main/res/values-pt-rBR/strings.xml",
      '<resources>\n    <!-- Hi -->\n    <string name="greeting">Olá</string>\n</resources>\n',
    ],
    file: "strings.xml",
    key: "greeting",
  },
  {
    name: "browser extension's",
    pattern: "_locales/{locale}/messages.json",
    source: [
      "_locales/en/messages.json",
      '{\n  "greeting": {\n    "message": "Hello",\n    "description": "Hi"\n  },\n  "b": { "message": "B" }\n}\n',
    ],
    target: ["_locales/fr/messages.json", '{"greeting":{"message":"Bonjour"}}'],
    fresh: [
      "_locales/pt_BR/messages.json",
      '{\n  "greeting": {\n    "message": "Olá",\n    "description": "Hi"\n  }\n}\n',
    ],
    file: "messages.json",
    key: "greeting",
  },
  {
    name: "Joomla",
    pattern: "{ path: 'language/{locale}/{locale}.*.ini', locales: { en: en-GB, fr: fr-FR, pt-BR: pt-BR } }",
    source: [
      "language/en-GB/en-GB.com_shop.ini",
      '; A shop\n\nGREETING="Hello"\n; A question\nDELETE="Delete \\"%s\\"?"\n\n[mail]\nSUBJECT="Order"\n',
    ],
    target: ["language/fr-FR/fr-FR.com_shop.ini", 'GREETING = "Bonjour" ; !\n'],
    fresh: ["language/pt-BR/pt-BR.com_shop.ini", '; A shop\n\nGREETING="Olá"\n'],
    file: "en.com_shop.ini",
    key: "GREETING",
  },
  {
    name: "Hugo",
    pattern: "i18n/{locale}.toml",
    source: [
      "i18n/en.toml",
      '[greeting]\nother = "Hello"\n\n[items]\none = "one item"\nother = "{{ .Count }} items"\n',
    ],
    // What is one text and what a plural is as in the source file.
    target: [
      "i18n/fr.toml",
      '[items]\nother = "{{ .Count }} articles"\n\n[greeting]\none = "Salut"\nother = "Bonjour"\n',
    ],
    fresh: ["i18n/pt_BR.toml", '[greeting]\nother = "Olá"\n'],
    file: "en.toml",
    key: "greeting",
  },
  {
    name: ".NET",
    pattern: "{ path: 'src/*.{locale}.resx', source: 'src/*.resx' }",
    source: [
      "src/Texts.resx",
      '<root>\r\n  <data name="greeting"><value>Hello</value></data>\r\n  <data name="i" type="x"><value>1</value></data>\r\n</root>',
    ],
    target: ["src/Texts.fr.resx", '<root><data name="greeting"><value>Bonjour</value></data></root>'],
    fresh: ["src/Texts.pt_BR.resx", '<root>\r\n  <data name="greeting"><value>Olá</value></data>\r\n</root>'],
    file: "Texts.resx",
    key: "greeting",
  },
  {
    name: "Angular",
    pattern: "{ path: 'src/locale/messages.{locale}.xlf', source: src/locale/messages.xlf }",
    source: ["src/locale/messages.xlf", xliff2("", ["greeting", "Hello"], ["bye", "Bye"])],
    target: ["src/locale/messages.fr.xlf", xliff2(' trgLang="fr"', ["bye", "Bye", "Au revoir"])],
    fresh: ["src/locale/messages.pt_BR.xlf", xliff2(' trgLang="pt-BR"', ["greeting", "Hello", "Olá"])],
    file: "messages.xlf",
    key: "greeting",
  },
  {
    name: "Business Central",
    pattern: "{ path: 'Translations/Rentals.{locale}.xlf', source: Translations/Rentals.g.xlf }",
    source: ["Translations/Rentals.g.xlf", groupedXliff("en", ["greeting", "Hello"], ["bye", "Bye"])],
    target: ["Translations/Rentals.fr.xlf", groupedXliff("fr", ["bye", "Bye", "Au revoir"])],
    fresh: ["Translations/Rentals.pt_BR.xlf", groupedXliff("pt-BR", ["greeting", "Hello", "Olá"])],
    file: "Rentals.g.xlf",
    key: "greeting",
  },
  {
    name: "Xcode's exports",
    pattern: "'x/{locale}.xcloc/Localized Contents/{locale}.xliff'",
    source: [
      "x/en.xcloc/Localized Contents/en.xliff",
      exportOf("en", ["App/en.lproj/A.strings", "Hello"], ["App/Info.plist", "App"]),
    ],
    target: [
      "x/fr.xcloc/Localized Contents/fr.xliff",
      exportOf("fr", ["App/en.lproj/A.strings", "Hello", "Bonjour"], ["App/Info.plist", "App"]),
    ],
    fresh: [
      "x/pt_BR.xcloc/Localized Contents/pt_BR.xliff",
      exportOf("pt-BR", ["App/en.lproj/A.strings", "", ""], ["App/Info.plist", "App", "Olá"]),
    ],
    file: "en.xliff",
    key: "App/Info.plist.a.text",
  },
];

type Unit = readonly [id: string, source: string, target?: string];

/** The units of a file, on lines of their own. */
function unitsOf(
  units: readonly Unit[],
  indent: string,
  unit: readonly [open: string, close: string],
): string {
  return units
    .map(([id, source, target]) => {
      const texts = [
        `<source>${source}</source>`,
        ...(target === undefined ? [] : [`<target>${target}</target>`]),
      ];
      const [open, close] = unit;
      return `${indent}${open.replace("?", id)}\n${texts.map((text) => `${indent}  ${text}\n`).join("")}${indent}${close}\n`;
    })
    .join("");
}

/** A file of Angular in XLIFF 2. */
function xliff2(target: string, ...units: readonly Unit[]): string {
  const inner = unitsOf(units, "    ", ['<unit id="?"><segment>', "</segment></unit>"]);
  return `<?xml version="1.0" encoding="UTF-8" ?>\n<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en"${target}>\n  <file original="ng.template" id="ngi18n">\n${inner}  </file>\n</xliff>`;
}

/** A file of Business Central, whose units are in a group. */
function groupedXliff(locale: string, ...units: readonly Unit[]): string {
  const inner = unitsOf(units, "        ", ['<trans-unit id="?">', "</trans-unit>"]);
  return `<xliff version="1.2">\n  <file source-language="en" target-language="${locale}" original="Rentals">\n    <body>\n      <group id="body">\n${inner}      </group>\n    </body>\n  </file>\n</xliff>\n`;
}

/** An export of Xcode; a `<file>` without a source text has no unit. */
function exportOf(
  locale: string,
  ...files: readonly (readonly [original: string, source: string, target?: string])[]
): string {
  const unit = (source: string, target?: string): string =>
    `      <trans-unit id="a.text">\n        <source>${source}</source>\n${target === undefined ? "" : `        <target>${target}</target>\n`}      </trans-unit>\n`;
  const parts = files.map(
    ([original, source, target]) =>
      `  <file original="${original}" source-language="en" target-language="${locale}" datatype="plaintext">\n    <body>\n${source === "" ? "" : unit(source, target)}    </body>\n  </file>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2">\n${parts.join("")}</xliff>\n`;
}

it("a string catalog gets the texts of all its locales in one pull, each in its own locale", async () => {
  const path = "App/Localizable.xcstrings";
  const unit = (value: string) => `{ "stringUnit" : { "state" : "translated", "value" : "${value}" } }`;
  const catalog = (localizations: string): string =>
    `{\n  "sourceLanguage" : "en",\n  "strings" : {\n    "Hi" : {\n      "comment" : "c",\n      "localizations" : {\n${localizations}\n      }\n    }\n  },\n  "version" : "1.0"\n}`;
  const app = await makeApp({ patterns: [path], locales: ["fr", "pt-BR", "de"] });
  const french = catalog(`        "fr" : ${unit("Salut")}`);
  app.write({ [path]: french });
  expect(await app.run("push", "--translations", "--strict")).toMatchObject({ code: 0 });
  expect(await app.texts("fr")).toEqual({ "Localizable.xcstrings": { Hi: "Salut" } });
  await app.translate("pt-BR", { "Localizable.xcstrings": { Hi: "Oi" } });
  await app.translate("de", { "Localizable.xcstrings": { Hi: "Hallo" } });
  const pulled = await app.run("pull", "--prune");
  expect(pulled).toMatchObject({ code: 0, stderr: "" });
  for (const code of ["de", "pt-BR"]) expect(pulled.stdout).toContain(`${path} (${code}): 1 created\n`);
  const written = (value: string): string =>
    `{\n          "stringUnit" : {\n            "state" : "translated",\n            "value" : "${value}"\n          }\n        }`;
  expect(app.read(path)).toBe(
    catalog(
      `        "de" : ${written("Hallo")},\n        "fr" : ${unit("Salut")},\n        "pt-BR" : ${written("Oi")}`,
    ),
  );
  expect((await app.run("pull", "--prune")).stdout).toContain("0 files changed");
  // A locale that the Hive lacks is found in the file.
  app.write({ [path]: catalog(`        "fr" : ${unit("Salut")},\n        "it" : ${unit("Ciao")}`) });
  const { stdout } = await app.run("push", "--dry-run", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ missing_locales: ["it"], unsent: ["fr"] });
});

it("a table has all locales, and is written without any other change", async () => {
  const path = "i18n/texts.csv";
  const app = await makeApp({ patterns: [path], locales: ["fr", "de"] });
  const table = (de: string, ...last: readonly string[]): string =>
    `keys,en,fr,_notes${last[0] ?? ""}\r\nHI,"Hi, %s",${de},Above all${last[1] ?? ""}\r\n\r\nBYE,Bye,,${last[2] ?? ""}\r\n`;
  app.write({ [path]: table("Salut %s") });
  expect(await app.run("push", "--translations", "--strict")).toMatchObject({ code: 0 });
  expect(await app.texts("en")).toEqual({ "texts.csv": { HI: "Hi, %s", BYE: "Bye" } });
  expect(await app.texts("fr")).toEqual({ "texts.csv": { HI: "Salut %s" } });
  expect(await app.run("pull", "--prune")).toMatchObject({ code: 0, stderr: "" });
  expect(app.read(path)).toBe(table("Salut %s"));
  await app.translate("fr", { "texts.csv": { HI: "Coucou, %s" } });
  await app.translate("de", { "texts.csv": { HI: "Hallo %s", BYE: "Tschüss" } });
  const pulled = await app.run("pull", "--prune");
  expect(pulled).toMatchObject({ code: 0, stderr: "" });
  expect(app.read(path)).toBe(table('"Coucou, %s"', ",de", ',"Hallo %s"', ",Tschüss"));
  expect((await app.run("pull", "--prune")).stdout).toContain("0 files changed");
  expect(JSON.parse((await app.run("push", "--translations", "--json")).stdout)).toMatchObject({
    result: { created: 0, updated: 0, deleted: 0 },
  });
});

it("an array of Android is pulled as a whole, and its gaps are never sent", async () => {
  const app = await makeApp({
    patterns: ["{ path: 'res/values-{locale}/a.xml', source: res/values/a.xml }"],
  });
  const array = (...items: readonly string[]): string =>
    `<resources>\n    <string-array name="d">${items.map((item) => `<item>${item}</item>`).join("")}</string-array>\n</resources>\n`;
  app.write({ "res/values/a.xml": array("1", "2", "3") });
  await app.run("push");
  await app.translate("fr", { "a.xml": { "d.0": "un", "d.1": "deux" } });
  await app.run("pull");
  expect(app.read("res/values-fr/a.xml")).toBe(array("un", "deux", "3"));
  await app.run("push", "--translations");
  expect((await app.texts("fr"))["a.xml"]).toEqual({ "d.0": "un", "d.1": "deux" });
  expect(await app.run("pull", "--prune")).toMatchObject({ code: 0, stderr: "" });
  expect(app.read("res/values-fr/a.xml")).toMatch(/<item>un<\/item><item>deux<\/item>/);
});

it("gettext files keep forms that a Hive cannot have, and a Hive keeps forms that a file cannot have", async () => {
  const app = await makeApp({ patterns: ["po/{locale}.po"], locales: ["cs", "cy", "cs-CZ"] });
  const po = (forms: string, ...texts: readonly string[]): string =>
    `msgid ""\nmsgstr "Plural-Forms: ${forms}\\n"\n\nmsgid "%d file"\nmsgid_plural "%d files"\n${texts.map((text, i) => `msgstr[${i}] "${text}"\n`).join("")}`;
  const czech = po("nplurals=4; plural=n==1 ? 0 : n>=2 && n<=4 ? 1 : n%1 ? 2 : 3;", "a", "b", "c", "d");
  const welsh = po(
    "nplurals=4; plural=n==1 ? 0 : n==2 ? 1 : (n != 8 && n != 11) ? 2 : 3;",
    "a",
    "b",
    "c",
    "d",
  );
  app.write({
    "po/en.po": po("nplurals=2; plural=n != 1;", "", ""),
    "po/cs.po": czech,
    "po/cy.po": welsh,
  });
  const pushed = await app.run("push", "--translations", "--strict", "--verbose");
  expect(pushed).toMatchObject({ code: 0 });
  expect(pushed.stdout).toContain(
    "cy: not sent, because they are not translations: en.po: %d file.msgstr[3]\n",
  );
  const forms = { one: "a", few: "b", many: "c", other: "d" };
  const texts = Object.fromEntries(Object.entries(forms).map(([form, text]) => [`%d file.${form}`, text]));
  expect((await app.texts("cs"))["en.po"]).toEqual(texts);
  await app.translate("cs-CZ", { "en.po": texts });
  const pulled = await app.run("pull");
  expect(pulled.code).toBe(0);
  expect(pulled.stderr).toContain(
    "po/cs-CZ.po: kept in the Hive, because the file has no place for them: %d file.many.\n",
  );
  expect(app.read("po/cs-CZ.po")).toContain('msgstr[0] "a"\nmsgstr[1] "b"\nmsgstr[2] "d"\n');
  expect([app.read("po/cs.po"), app.read("po/cy.po")]).toEqual([czech, welsh]);
  const { files } = JSON.parse((await app.run("status", "--json")).stdout);
  for (const { local } of files) expect(local).toEqual({ ahead: 0, behind: 0, different: 0 });
});

it.each(trees)("a $name tree", async ({ pattern, source, target, fresh, file, key }) => {
  const app = await makeApp({ patterns: [pattern] });
  app.write(Object.fromEntries([source, target]));
  const pushed = await app.run("push", "--translations", "--strict");
  expect(pushed).toMatchObject({ code: 0 });
  expect(Object.keys(await app.texts("en"))).toEqual([file]);
  await app.translate("pt-BR", { [file]: { [key]: "Olá" } });
  expect(await app.run("pull")).toMatchObject({ code: 0, stderr: "" });
  expect(app.read(source[0])).toBe(source[1]);
  expect(app.read(target[0])).toBe(target[1]);
  expect(app.read(fresh[0])).toBe(fresh[1]);
  // What was pulled is what the Hive has: a push changes nothing.
  const again = await app.run("push", "--translations", "--strict", "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({
    result: { created: 0, updated: 0, deleted: 0 },
    translations: [
      { locale: "fr", created: 0, updated: 0, unknown: 0 },
      { locale: "pt_BR", created: 0, updated: 0, unknown: 0 },
    ],
  });
});

it("keys that describe others go to the Hive as notes, and stay in the files", async () => {
  const app = await makeApp({ patterns: ["{ path: 'l/{locale}.json', notes: __description }"] });
  const source = '{\n  "save": "Save",\n  "save__description": "On a button"\n}\n';
  app.write({ "l/en.json": source, "l/fr.json": source.replace('"Save"', '"Garder"') });
  expect(await app.run("push", "--translations", "--strict")).toMatchObject({ code: 0 });
  expect(await app.texts("en")).toEqual({ "en.json": { save: "Save" } });
  expect(await app.texts("fr")).toEqual({ "en.json": { save: "Garder" } });
  expect((await app.run("note", "en.json:save")).stdout).toContain("On a button");
  await app.translate("fr", { "en.json": { save: "Enregistrer" } });
  expect(await app.run("pull", "--prune")).toMatchObject({ code: 0, stderr: "" });
  expect(app.read("l/fr.json")).toBe(source.replace('"Save"', '"Enregistrer"'));
});

const qt = (source: string, message: string): string =>
  `<!DOCTYPE TS>\n<TS version="2.1" language="${source}" sourcelanguage="en">\n<context>\n    <name>menu</name>\n    <message>\n        <source>Open %1</source>\n        <translation>${message}</translation>\n    </message>\n</context>\n</TS>\n`;
const po = (text: string): string =>
  `msgid ""\nmsgstr "Language: fr\\n"\n\nmsgctxt "menu"\nmsgid "Open %1"\nmsgstr "${text}"\n`;

const contextFormats: Readonly<
  Record<string, readonly [file: string, write: (locale: string, text: string) => string, twice: string]>
> = {
  po: ["po/{locale}.po", (_, text) => po(text), po("") + po("").slice(po("").indexOf("msgctxt"))],
  qt: [
    "i18n/app_{locale}.ts",
    qt,
    qt("en", "A").replace(/<message>[^]*<\/message>/, (message) => message + message.replace(">A<", ">B<")),
  ],
};

it.each(Object.entries(contextFormats))(
  "keys of %s with a context are readable in whatever a command prints",
  async (format, [pattern, write, twice]) => {
    const key = "menu\u0004Open %1";
    const app = await makeApp({
      patterns: [pattern],
      locales: ["fr", "de"],
      abilities: ["read", "write", "admin"],
      settings: "source: en\nchecks: { syntax: [{ files: '*', syntax: qt }] }\n",
    });
    const [en, fr] = ["en", "fr"].map((code) => pattern.replace("{locale}", code));
    const name = pattern.replace("{locale}", "en").replace(/^.*\//, "");
    app.write({ [en ?? ""]: write("en", "Open %1"), [fr ?? ""]: write("fr", "Ouvrir %2") });
    const commands: readonly (readonly [command: string, ...flags: string[]])[] = [
      ["check", "--source", "en"],
      ["check", "--source", "en", "--format", "github"],
      ["check", "--source", "en", "--format", "sarif"],
      ["push", "--dry-run", "--verbose"],
      ["push", "--verbose", "--translations"],
      ["untranslated", "de"],
      ["check", "--hive", "web"],
      ["note", `${name}:${key}`, "--ask", "Which?"],
    ];
    const printed = new Map<string, string>();
    const run = async (command: string, ...flags: readonly string[]): Promise<void> => {
      const { stdout, stderr } = await app.run(command, ...flags);
      printed.set([command, ...flags].join(" "), stdout + stderr);
    };
    for (const command of commands) await run(...command);
    app.write({ [fr ?? ""]: write("fr", "Ouvre %1") });
    await run("diff");
    await run("pull", "--verbose");
    app.write({ [en ?? ""]: twice });
    await run("check", "--source", "en", "--locale", "fr");
    // The file is refused; findings have keys as they are.
    if (format === "po") await run("check", "--source", "en", "--json");
    for (const [command, text] of printed) {
      expect(text, command).toContain("menu|Open %");
      for (const sign of ["\u0004", "\ufffd", String.raw`\u0004`]) expect(text, command).not.toContain(sign);
    }
  },
);

describe("a key with a context may be given as it is shown", () => {
  const shown = "en.po:menu|Open %1";
  const own = "en.po:menu\u0004Open %1";
  let app: AppTree;

  beforeEach(async () => {
    app = await makeApp({
      patterns: ["po/{locale}.po"],
      locales: ["fr"],
      abilities: ["read", "write", "approve", "admin"],
      settings: "checks: { syntax: [{ files: '*', syntax: qt }] }\n",
    });
    app.write({ "po/en.po": po("Open %1") });
    await app.run("push");
    await app.manage("PATCH", "", { checks: { syntax: [{ files: "*.po", syntax: "qt" }] } });
    await app.translate("fr", { "en.po": { "menu\u0004Open %1": "Ouvrir" } });
  });

  const accept = ["--hive", "web", "--check", "argument-missing", "--locale", "fr"];
  it.each<[command: string, argv: (name: string) => readonly string[]]>([
    ["note", (name) => [name, "On a button"]],
    ["note", (name) => [name]],
    ["check", (name) => [...accept, "--accept", name]],
    ["move", (name) => [name, name.replace("Open", "Close")]],
    ["move", (name) => [name, name.replace("Open", "Close"), "--dry-run"]],
  ])("skep %s: %#", async (command, argv) => {
    const { stdout, ...ended } = await app.run(command, ...argv(shown));
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(stdout).not.toContain("\u0004");
  });

  it("skep move gives it another text in the same context", async () => {
    await app.run("move", shown, "en.po:menu|Close | %1");
    expect(await app.texts("fr")).toEqual({ "en.po": { "menu\u0004Close | %1": "Ouvrir" } });
    await app.run("move", "en.po:menu\u0004Close | %1", "en.po:a|b");
    expect(await app.texts("fr")).toEqual({ "en.po": { "a|b": "Ouvrir" } });
  });

  it("skep review approve and list", async () => {
    await app.manage("PATCH", "/locales/fr", { review: "all" });
    await app.translate("fr", { "en.po": { "menu\u0004Open %1": "Ouvrir %1" } });
    expect((await app.run("review list", shown)).stderr).toBe("1 translation waits.\n");
    expect((await app.run("review approve", "--locale", "fr", shown)).code).toBe(0);
    expect((await app.run("review list", own)).stderr).toContain("does not wait");
  });

  it("where no key has that bar itself", async () => {
    await app.sync({ "en.po": { "menu|Open %1": "Open %1", "menu\u0004Open %1": "Open %1" } });
    await app.run("move", shown, "en.po:moved");
    expect(Object.keys((await app.texts("en"))["en.po"] ?? {})).toEqual(["moved", "menu\u0004Open %1"]);
  });
});

it.each<[format: string, ending: string, source: string, target: string]>([
  ["json", "json", '{"a": {"one": "A file", "other": "Files"}}', '{"a": "Fichiers"}'],
  ["toml", "toml", '[a]\none = "A file"\nother = "Files"\n', 'a = "Fichiers"\n'],
  ["yaml", "yaml", "a:\n  one: A file\n  other: Files\n", "a: Fichiers\n"],
  ["rails", "yml", "en:\n  a:\n    one: A file\n    other: Files\n", "fr:\n  a: Fichiers\n"],
])(
  "a plain text in the place of a plural of %s goes to the Hive as its form other, and comes back plain",
  async (format, ending, source, target) => {
    const app = await makeApp({
      patterns: [`{ path: 'l/{locale}.${ending}', format: ${format} }`],
      locales: ["fr"],
    });
    app.write({ [`l/en.${ending}`]: source, [`l/fr.${ending}`]: target });
    const pushed = await app.run("push", "--translations", "--strict");
    expect(pushed).toMatchObject({ code: 0, stderr: "This was the first push into web.\n" });
    expect(await app.texts("fr")).toEqual({ [`en.${ending}`]: { "a.other": "Fichiers" } });
    expect((await app.run("pull")).code).toBe(0);
    expect(app.read(`l/fr.${ending}`)).toBe(target);
  },
);
