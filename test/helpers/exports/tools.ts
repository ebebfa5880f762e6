/** Small exports of each tool, written after its published formats. */
import type { ToolName } from "../../../src/formats/moving/tool-names.ts";
import { png } from "../../domain/pictures/images.ts";

export interface Export {
  readonly tool: ToolName;
  /** What it is, as a title of a test. */
  readonly what: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** `file key: source | locale=text (state) | note #tag <length keep`, of each string. */
  readonly strings: readonly string[];
  readonly terms?: readonly string[];
  /** `what: reason` of what is left out, with its number. */
  readonly left?: readonly string[];
  readonly pictures?: readonly string[];
  readonly memory?: number;
}

const usual = {
  location: "",
  note: "",
  flags: "",
  previous_source: "",
  original_state: 0,
  details: {},
  position: 1,
  num_words: 1,
  priority: 100,
  pending: false,
  timestamp: "2026-01-01T00:00:00Z",
  extra_flags: "",
  explanation: "",
  labels: [],
  comments: [],
  checks: [],
  suggestions: [],
};
/** A text of a translation of Weblate. @param hash a letter, for the same text in all translations. */
const unit = (
  translation: number,
  hash: string,
  texts: { source: string; target?: string },
  more: object = {},
) => ({
  ...usual,
  translation_id: translation,
  id_hash: hash.repeat(16),
  context: "",
  target: texts.source,
  state: 30,
  ...texts,
  ...more,
});
const comment = {
  user: "ann",
  comment: "Is it a button?",
  timestamp: "2026-01-01T00:00:00Z",
  resolved: false,
};
const suggestion = { target: "Bonjour !", user: "bob", timestamp: "2026-01-01T00:00:00Z", votes: [] };
const plural = { source: 0, number: 2, formula: "n != 1", type: 1 };

const weblateComponent = {
  component: {
    name: "App",
    slug: "app",
    repo: "https://git.example.org/app.git",
    filemask: "locales/*.json",
    template: "locales/en.json",
    new_base: "",
    file_format: "json",
    source_language: "en",
    is_glossary: false,
  },
  translations: [
    { id: 1, language_code: "en", plural, revision: "", filename: "locales/en.json" },
    { id: 2, language_code: "fr", plural, revision: "", filename: "locales/fr.json" },
    { id: 3, language_code: "xh", plural, revision: "", filename: "locales/xh.json" },
  ],
  units: [
    unit(
      1,
      "a",
      { source: "Hello" },
      { context: "hello", explanation: "A greeting", labels: ["home"], extra_flags: "max-length:12" },
    ),
    unit(1, "b", { source: "Open" }, { context: "menu.open" }),
    unit(1, "c", { source: "Bye" }, { context: "bye", flags: "read-only" }),
    unit(2, "a", { source: "Hello", target: "Bonjour" }, { context: "hello", suggestions: [suggestion] }),
    unit(
      2,
      "b",
      { source: "Open", target: "Ouvrir" },
      { context: "menu.open", state: 10, comments: [comment] },
    ),
    unit(2, "c", { source: "Bye", target: "Au revoir" }, { context: "bye", state: 20 }),
  ],
  screenshots: [
    {
      name: "Home",
      image: "home.png",
      translation_id: 1,
      units: ["a".repeat(16)],
      timestamp: "2026-01-01T00:00:00Z",
      user: null,
    },
  ],
};

const weblateGlossary = {
  component: { ...weblateComponent.component, slug: "glossary", template: "", is_glossary: true },
  translations: [
    { id: 8, language_code: "en", plural, revision: "", filename: "" },
    { id: 9, language_code: "fr", plural, revision: "", filename: "fr.tbx" },
  ],
  units: [
    unit(8, "d", { source: "file" }, { state: 20, explanation: "A document" }),
    unit(9, "d", { source: "file", target: "fichier" }, { state: 20 }),
    unit(8, "e", { source: "Skep" }, { state: 100, extra_flags: "read-only" }),
    unit(9, "e", { source: "Skep" }, { state: 100 }),
    unit(9, "f", { source: "save", target: "sauver" }, { state: 20, extra_flags: "forbidden" }),
  ],
  screenshots: [],
};

const xliff12 = (original: string, target: string, units: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
  <file original="${original}" datatype="plaintext" source-language="en" target-language="${target}">
    <body>${units}</body>
  </file>
</xliff>
`;

const tbx = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en-US"><text><body>
  <termEntry id="c1">
    <langSet xml:lang="en-US"><ntig><termGrp><term>file</term><termNote type="partOfSpeech">noun</termNote></termGrp></ntig>
      <descripGrp><descrip type="definition">A document</descrip></descripGrp></langSet>
    <langSet xml:lang="fr"><ntig><termGrp><term>fichier</term></termGrp></ntig></langSet>
  </termEntry>
</body></text></martif>
`;

const tmx = (id: string, source: string, text: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header adminlang="en-US" creationtool="x" creationtoolversion="1" datatype="plaintext" segtype="sentence" o-tmf="x" srclang="en-US"/>
<body><tu tuid="${id}" srclang="en-US"><tuv xml:lang="en-US"><seg>${source}</seg></tuv><tuv xml:lang="fr"><seg>${text}</seg></tuv></tu></body></tmx>
`;

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export const exportsOfTools: readonly Export[] = [
  {
    tool: "weblate",
    what: "Weblate's backup of a project",
    files: {
      "weblate-backup.json": json({ metadata: {}, project: {}, labels: [] }),
      "weblate-memory.json": json([
        {
          source_language: "en",
          target_language: "fr",
          source: "Save",
          target: "Enregistrer",
          origin: "x",
          category: 1,
          status: 1,
        },
      ]),
      "components/app.json": json(weblateComponent),
      "components/glossary.json": json(weblateGlossary),
      "vcs/app/locales/en.json": json({ hello: "Hello", menu: { open: "Open" }, bye: "Bye" }),
      "vcs/app/locales/fr.json": json({ hello: "Salut", menu: { open: "Ouvre" } }),
      "vcs/app/src/index.json": json({ never: "read" }),
      "screenshots/home.png": png(80, 40),
    },
    strings: [
      "locales/en.json hello: Hello | fr=Bonjour (approved) | A greeting #home <12",
      "locales/en.json menu.open: Open | fr=Ouvrir (review) | ann: Is it a button?",
      "locales/en.json bye: Bye | fr=Au revoir (translated) | keep",
    ],
    terms: ["file: fr=fichier | A document", "Skep: keep", "save: fr=not sauver"],
    pictures: ["home.png locales/en.json:hello"],
    memory: 1,
    left: [
      "1 file: xh is no locale of the Hive; --create adds it",
      "1 suggestion: Skep keeps texts, and none beside them",
    ],
  },
  {
    tool: "weblate",
    what: "Weblate's backup of a project with gettext",
    files: {
      "weblate-backup.json": json({ metadata: {}, project: {}, labels: [] }),
      "components/app.json": json({
        component: {
          ...weblateComponent.component,
          template: "",
          new_base: "po/messages.pot",
          filemask: "po/*.po",
          file_format: "po",
        },
        translations: [
          { id: 1, language_code: "en", plural, revision: "", filename: "" },
          { id: 2, language_code: "fr", plural, revision: "", filename: "po/fr.po" },
        ],
        units: [
          unit(1, "a", { source: "Open" }, { context: "menu", state: 100, explanation: "A verb" }),
          unit(2, "a", { source: "Open", target: "Ouvrir" }, { context: "menu" }),
          unit(
            2,
            "b",
            { source: "%d file\u001e\u001e%d files", target: "%d fichier\u001e\u001e%d fichiers" },
            { state: 20 },
          ),
          unit(
            2,
            "c",
            { source: "%d day\u001e\u001e%d days", target: "%d jour\u001e\u001e%d jours" },
            { state: 20 },
          ),
        ],
        screenshots: [],
      }),
      "vcs/app/po/messages.pot": `msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

msgctxt "menu"
msgid "Open"
msgstr ""

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
`,
      "vcs/app/po/fr.po": `msgid ""
msgstr ""
"Language: fr\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=n > 1;\\n"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d fichier"
msgstr[1] "%d fichiers"
`,
    },
    strings: [
      "po/messages.po menu|Open: Open | fr=Ouvrir (approved) | A verb",
      "po/messages.po %d file.one: %d file | fr=%d fichier (none)",
      "po/messages.po %d file.other: %d files | fr=%d fichiers (none)",
    ],
    left: ["1 text: it has plural forms that no file of the backup has"],
  },
  {
    tool: "weblate",
    what: "Weblate's downloads in PO and XLIFF",
    files: {
      "app-fr.po": `msgid ""
msgstr ""
"Language: fr\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=n > 1;\\n"
"X-Generator: Weblate 5.13\\n"

#. A greeting
msgid "Hello"
msgstr "Bonjour"

#, fuzzy
msgctxt "menu"
msgid "Open"
msgstr "Ouvre"

msgid "Bye"
msgstr ""
`,
      "web-fr.xliff": xliff12(
        "locales/fr.json",
        "fr",
        `<trans-unit id="1" resname="save" approved="yes"><source>Save</source><target>Enregistrer</target><note>On the form</note></trans-unit>`,
      ),
    },
    strings: [
      "locales/en.json save: Save | fr=Enregistrer (approved) | On the form",
      "app.po Hello: Hello | fr=Bonjour (none)",
      "app.po Bye: Bye",
      "app.po menu|Open: Open | fr=Ouvre (review)",
    ],
  },
  {
    tool: "weblate",
    what: "Weblate's glossary, table and memory of another language",
    files: {
      "fr.tbx": `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif xmlns="urn:iso:std:iso:30042:ed-2" xml:lang="en" type="TBX"><text><body>
  <termEntry id="e1"><descrip type="Translation needed">Yes</descrip>
    <langSet xml:lang="en"><tig><term>data bus</term><termNote type="administrativeStatus">obsolete</termNote></tig></langSet>
    <langSet xml:lang="fr"><tig><term>bus de données</term></tig></langSet></termEntry>
  <termEntry id="e2"><descrip type="definition">A code</descrip><descrip type="Translation needed">No</descrip>
    <langSet xml:lang="en"><tig><term>SYS_ERR</term></tig></langSet>
    <langSet xml:lang="fr"><tig><term>SYS_ERR</term></tig></langSet></termEntry>
  <termEntry id="e3">
    <langSet xml:lang="en"><tig><term>save</term></tig></langSet>
    <langSet xml:lang="fr"><tig><term>sauver</term><termNote type="administrativeStatus">forbidden</termNote></tig></langSet></termEntry>
</body></text></martif>
`,
      "app-fr.csv": `"location","source","target","id","fuzzy","context","translator_comments","developer_comments"\n"","Hello","Bonjour","hello","False","","",""\n`,
      "memory.tmx": `<?xml version="1.0" encoding="utf-8"?>
<tmx version="1.4"><header adminlang="en" srclang="DE-DE"></header>
<body><tu><tuv xml:lang="DE-DE"><seg>Speichern</seg></tuv><tuv xml:lang="EN-US"><seg>Save</seg></tuv><tuv xml:lang="FR-FR"><seg>Enregistrer</seg></tuv></tu></body></tmx>
`,
    },
    strings: [],
    terms: ["SYS_ERR: A code keep", "save: fr=not sauver"],
    memory: 1,
    left: [
      "1 term: it is forbidden itself: a glossary of Skep forbids translations of a term",
      "1 file: it is a table of texts of one language: take PO or XLIFF instead",
    ],
  },
  {
    tool: "tolgee",
    what: "Tolgee's JSON, by namespace",
    files: {
      "en.json": json({ hello: "Hello", menu: { open: "Open" } }),
      "fr.json": json({ hello: "Bonjour", menu: { open: "Open" } }),
      "shop/en.json": json({ cart: "{n, plural, one {# item} other {# items}}" }),
      "shop/fr.json": json({ cart: "{n, plural, one {# article} other {# articles}}" }),
      "xh.json": json({ hello: "Molo" }),
      "glossary.csv": `term,description,translatable,casesensitive,abbreviation,forbidden,fr\nfile,A document,Yes,No,No,No,fichier\nAPI,,No,Yes,Yes,No,API\nfolder,,Yes,No,No,Yes,\n`,
    },
    strings: [
      "en.json hello: Hello | fr=Bonjour (none)",
      "en.json menu.open: Open | fr=Open (none)",
      "shop/en.json cart: {n, plural, one {# item} other {# items}} | fr={n, plural, one {# article} other {# articles}} (none)",
    ],
    terms: ["file: fr=fichier | A document", "API: keep case"],
    left: [
      "1 term: it is forbidden itself: a glossary of Skep forbids translations of a term",
      "1 file: xh is no locale of the Hive; --create adds it",
    ],
  },
  {
    tool: "tolgee",
    what: "Tolgee's XLIFF",
    files: {
      "en.xliff": xliff12(
        "",
        "en",
        `<trans-unit id="hello"><source>Hello</source><target>Hello</target><note>A greeting</note></trans-unit>`,
      ),
      "fr.xliff": xliff12(
        "",
        "fr",
        `<trans-unit id="hello"><source xml:space="preserve">Hello</source><target xml:space="preserve">Bonjour</target></trans-unit>`,
      ),
    },
    strings: ["en.xliff hello: Hello | fr=Bonjour (none) | A greeting"],
  },
  {
    tool: "crowdin",
    what: "Crowdin's XLIFF, by keys and by its own numbers",
    files: {
      "fr/en.json.xliff": xliff12(
        "/main/locales/en.json",
        "fr",
        `<trans-unit id="874396" resname="hello" maxwidth="20" size-unit="char"><source>Hello</source><target state="translated">Bonjour</target><note>A greeting</note></trans-unit>
         <trans-unit id="874397" resname="open" approved="yes"><source>Open</source><target>Ouvrir</target></trans-unit>
         <trans-unit id="874398" resname="bye"><source>Bye</source><target state="needs-translation"></target><context context-type="context">At the end</context></trans-unit>
         <trans-unit id="874399" translate="no" resname="api"><source>API</source><target state="final">API</target></trans-unit>
         <trans-unit id="874400"><source>Open</source><target state="final">Ouvrir</target></trans-unit>
         <group restype="x-gettext-plurals"><trans-unit id="9[0]"><source>%d file</source><target>%d fichier</target></trans-unit></group>`,
      ),
      "glossary.tbx": tbx,
      "memory.tmx": tmx("1", "Save", "Enregistrer"),
      "terms.csv": `"Term [en]","Description [en]","Term [fr]"\n"cart","A basket","panier"\n`,
    },
    strings: [
      "main/locales/en.json hello: Hello | fr=Bonjour (translated) | A greeting <20",
      "main/locales/en.json open: Open | fr=Ouvrir (approved)",
      "main/locales/en.json bye: Bye | At the end",
      "main/locales/en.json api: API | fr=API (approved) | keep",
    ],
    terms: ["file: fr=fichier | A document noun"],
    memory: 1,
    left: [
      "1 text: it is a plural form by its number, which only a PO file explains",
      "1 file: it names no locale of its texts",
    ],
  },
  {
    tool: "crowdin",
    what: "the files of a project from Crowdin",
    files: {
      "fr/lang/auth.php": "<?php\n\nreturn ['failed' => 'Faux'];\n",
      "en/lang/auth.php": "<?php\n\nreturn ['failed' => 'Wrong'];\n",
      "fr/lang/broken.php": "<?php\n\nreturn [foo()];\n",
    },
    strings: ["lang/auth.php failed: Wrong | fr=Faux (none)"],
    left: ["1 file: it has foo() where a text should be; only an array of plain texts can be read"],
  },
  {
    tool: "lokalise",
    what: "a bundle of Lokalise in structured JSON",
    files: {
      "locale/en.json": json({
        hello: { translation: "Hello", notes: "A greeting", context: "Home", limit: 12, tags: ["home"] },
        "menu::open": { translation: "Open", limit: "8" },
      }),
      "locale/fr.json": json({ hello: { translation: "Bonjour" }, "menu::open": { translation: "" } }),
      "glossary.csv": `term;description;casesensitive;translatable;forbidden;tags;en;en_description;fr;fr_description\nfile;A document;no;yes;no;;file;;fichier;\n`,
    },
    strings: [
      "en.json hello: Hello | fr=Bonjour (none) | A greeting\nHome #home <12",
      "en.json menu.open: Open | <8",
    ],
    terms: ["file: fr=fichier | A document"],
  },
  {
    tool: "lokalise",
    what: "Lokalise's XLIFF with states",
    files: {
      "fr.xliff": xliff12(
        "en.json",
        "fr",
        `<trans-unit id="hello"><source>Hello</source><target state="final">Bonjour</target></trans-unit>
         <trans-unit id="open"><source>Open</source><target state="needs-translation">Ouvre</target></trans-unit>`,
      ),
    },
    strings: ["en.json hello: Hello | fr=Bonjour (approved)", "en.json open: Open | fr=Ouvre (review)"],
  },
  {
    tool: "phrase",
    what: "Phrase's own JSON",
    files: {
      "app.json": json([
        {
          name: "hello",
          description: "A greeting",
          plural: false,
          max_characters_allowed: 12,
          tags: ["home"],
          translations: [
            { locale: "English", locale_code: "en", content: "Hello", state: "translated" },
            { locale: "French", locale_code: "fr-FR", content: "Bonjour", state: "reviewed" },
          ],
        },
        {
          name: "files",
          plural: true,
          tags: [],
          translations: [
            { locale: "en", content: { one: "%s file", other: "%s files" } },
            { locale: "fr", content: { one: "%s fichier", other: "%s fichiers" }, state: "unverified" },
            { locale: "xh", content: { other: "%s" } },
          ],
        },
      ]),
      "terms.csv": `term,case sensitive,translatable,description,en,fr\nfile,false,true,A document,file,fichier\n`,
    },
    strings: [
      "app.json hello: Hello | fr=Bonjour (approved) | A greeting #home <12",
      "app.json files.one: %s file | fr=%s fichier (review)",
      "app.json files.other: %s files | fr=%s fichiers (review)",
    ],
    terms: ["file: fr=fichier | A document"],
    left: ["1 translation: xh is no locale of the Hive; --create adds it"],
  },
  {
    tool: "phrase",
    what: "Phrase's XLIFF with states",
    files: {
      "en.json": json({ hello: "Hello" }),
      "fr-FR.xlf": xliff12(
        "global",
        "fr-FR",
        `<trans-unit id="hello" resname="hello"><source xml:lang="en">Hello</source><target xml:lang="fr-FR" state="signed-off">Bonjour</target></trans-unit>`,
      ),
    },
    strings: ["en.xlf hello: Hello | fr=Bonjour (approved)", "en.json hello: Hello"],
  },
  {
    tool: "pontoon",
    what: "Pontoon's files, memory and terms",
    files: {
      "en-US/app.ftl": "# A greeting\nhello = Hello\nbye = Bye\n",
      "fr/app.ftl": "hello = Bonjour\n",
      "fr.app.tmx": tmx("app:app.ftl:bye", "Bye", "Au revoir"),
      "fr.tbx": tbx,
      "shot.png": png(80, 40),
    },
    strings: ["app.ftl hello: Hello | fr=Bonjour (none) | A greeting", "app.ftl bye: Bye"],
    terms: ["file: fr=fichier | A document noun"],
    left: ["1 picture: the export does not say which strings it shows"],
  },
  {
    tool: "skep",
    what: "an export of Skep",
    files: {
      "locales/en/fr/menu.json.json": json({ open: "Open", files: { one: "%d file", other: "%d files" } }),
      "locales/fr/fr/menu.json.json": json({ open: "not read" }),
      "xliff/fr.xlf": xliff12(
        "fr/menu.json",
        "fr",
        `<trans-unit id="open" resname="open" approved="yes"><source>Open</source><target state="final">Ouvrir</target><note>not read</note></trans-unit>
         <trans-unit id="files.many" resname="files.many"><source>%d files</source><target state="needs-review-translation">%d de fichiers</target></trans-unit>`,
      ),
      "notes.json": json([
        { file: "fr/menu.json", key: "open", app: { note: "A verb" }, team: { tags: ["menu"] } },
      ]),
      "glossary.tbx": tbx,
      "pictures/pictures.json": json([{ file: "3f79/home.png", strings: ["fr/menu.json:*"], boxes: [] }]),
      "pictures/3f79/home.png": png(80, 40),
      "skep-export.json": json({
        version: 1,
        hive: "web",
        commit: "0a",
        source: "en",
        locales: ["fr"],
        files: ["fr/menu.json"],
      }),
    },
    strings: [
      "fr/menu.json open: Open | fr=Ouvrir (approved) | A verb #menu",
      "fr/menu.json files.one: %d file",
      "fr/menu.json files.other: %d files",
      "fr/menu.json files.many: undefined | fr=%d de fichiers (review)",
    ],
    terms: ["file: fr=fichier | A document noun"],
    pictures: ["home.png fr/menu.json:*"],
  },
];
