/** A small file of each format, with texts of every layout that the format has, and texts that files break at. */
import fc from "fast-check";
import type { FileContext } from "../../../src/formats/format.ts";
import { formats } from "../../../src/formats/formats.ts";
import { bytesOf } from "../../helpers/format-properties.ts";

interface SmallFile {
  readonly file: string;
  /** The texts of the source file; equal to the file's own where they are of no matter. */
  readonly source?: Readonly<Record<string, string>>;
}

const xliffUnit = (id: string, source: string, target: string): string =>
  `<trans-unit id="${id}"><source>${source}</source>\n<target>${target}</target></trans-unit>`;

const xliff2Unit = (id: string, source: string, target: string): string =>
  `<unit id="${id}"><segment state="translated"><source>${source}</source>\n<target>${target}</target></segment></unit>`;

const plural = (name: string, format: string): string =>
  `<key>${name}</key><dict><key>NSStringLocalizedFormatKey</key><string>${format}</string><key>n</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>NSStringFormatValueTypeKey</key><string>d</string><key>one</key><string>un</string><key>other</key>\n<string>des</string></dict></dict>`;

const inCatalog = (value: string): string =>
  `{ "stringUnit": { "state": "translated", "value": "${value}" } }`;

/** By the name of the format; another file of a format has more words behind that. */
const smallFiles: Readonly<Record<string, SmallFile>> = {
  chrome: {
    file: '{\n  // About a.\n  "a": { "message": "un", "description": "About it." },\n  "b": { "message": "deux" }\n}\n',
  },
  docusaurus: {
    file: '{\n  "a": { "message": "un", "description": "About it." },\n  "b": { "message": "deux" }\n}\n',
  },
  "go-i18n": {
    file: '[\n  { "id": "a", "translation": "un" },\n  { "id": "b", "translation": { "one": "un", "other": "deux" } }\n]\n',
  },
  "laravel-json": { file: '{\n    "Sign in.": "un",\n    "b": "d\\u00e9\\/x"\n}\n' },
  json: { file: '{\n  "a": "un",\n  "g": { "b": "d\\u00e9\\/x", "l": ["un", "deux"] },\n  "n": 1\n}\n' },
  php: {
    file: "<?php\nreturn [\n  'a' => 'un',\n  'b' => \"deux\",\n  'g' => ['c' => 'trois', 'd' => <<<EOT\nquatre\nEOT],\n  'n' => 1,\n];\n",
  },
  arb: {
    file: '{\n  "@@locale": "fr",\n  "a": "un",\n  "@a": { "description": "About it." },\n  "b": "deux"\n}\n',
  },
  android: {
    file: '<resources>\n  <string name="a">un</string>\n  <string name="b"><b>deux</b> &amp; plus</string>\n  <string name="c">"trois"</string>\n  <string name="d"/>\n  <plurals name="p"><item quantity="one">un</item><item quantity="many">des</item></plurals>\n  <string-array name="l"><item>un</item><item>deux</item></string-array>\n</resources>\n',
    source: {
      a: "one",
      b: "<b>two</b>",
      c: "&lt;b>three&lt;/b>",
      d: "four",
      "p.one": "<b>one</b>",
      "p.other": "<i>x</i>",
    },
  },
  xcstrings: {
    file: `{ "sourceLanguage": "en", "strings": { "a": { "localizations": { "fr": ${inCatalog("un")} } }, "b": { "localizations": { "fr": { "variations": { "plural": { "one": ${inCatalog("un")}, "other": ${inCatalog("des")} } } } } } }, "version": "1.0" }`,
  },
  qt: {
    file: '<TS version="2.1" language="fr"><context><name>C</name>\n<message><source>a</source><translation>un</translation></message>\n<message numerus="yes"><source>b</source><translation><numerusform>un</numerusform><numerusform>des</numerusform></translation></message>\n</context></TS>\n',
  },
  resx: {
    file: '<root>\n  <data name="a" xml:space="preserve"><value>un</value></data>\n  <data name="b"><value/><comment>About it.</comment></data>\n</root>\n',
  },
  stringsdict: {
    file: `<plist version="1.0"><dict>\n${plural("a", "Reste : %#@n@")}\n${plural("b", "%#@n@")}\n${plural("c", "%#@n@")}</dict></plist>\n`,
    source: { "a.NSStringLocalizedFormatKey": "Left: %#@n@", "b.NSStringLocalizedFormatKey": "Left: %#@n@" },
  },
  strings: { file: '/* About it. */\n"a" = "un";\n"b" = "deux\\n";\n' },
  po: {
    file: 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: nplurals=2; plural=n > 1;\\n"\n\n# About it.\nmsgid "a"\nmsgstr "un"\n\nmsgid "b"\nmsgstr ""\n"deux\\n"\n"trois"\n\nmsgid "c"\nmsgid_plural "cs"\nmsgstr[0] "un"\nmsgstr[1] "des"\n\nmsgid "d\\n"\nmsgstr "quatre\\n"\n',
  },
  properties: { file: "# About it.\na = un\nb: deux \\\n   trois\n" },
  csv: {
    file: 'keys,en,_notes,fr\na,one,About it.,un\nb,"two",,"deux,\ntrois"\n,ignored,,\nc,three,,quatre\n',
  },
  ini: { file: "; About it.\na = un\nb=\"deux\" ; beside\n[g]\nc = 'trois'\nd=quatre\n" },
  toml: { file: 'a = "un"\nb = \'deux\'\nc = """\ntrois\n"""\nd = \'\'\'\nquatre\'\'\'\n[g]\ne = "cinq"\n' },
  fluent: {
    file: "# About it.\na = un\n    .title = deux\nb =\n    trois\n    quatre\n-t = cinq\nc = six\n",
  },
  xliff: {
    file: `<xliff version="1.2"><file original="x" source-language="en" target-language="fr"><body>\n${[
      xliffUnit("a", "one", "un"),
      xliffUnit("b", '<x id="1"/> two', '<x id="1"/> deux'),
      xliffUnit("c", "&lt;b&gt;three", "&lt;b&gt;trois"),
      `<group>${xliffUnit("d", "<![CDATA[four]]>", "<![CDATA[quatre]]>")}</group>`,
    ].join("\n")}</body></file></xliff>\n`,
    source: { a: "one", b: '<x id="1"/> two', c: "&lt;b>three", d: "<![CDATA[four]]>" },
  },
  "xliff 2": {
    file: `<xliff version="2.0" srcLang="en" trgLang="fr"><file id="x">\n${[
      xliff2Unit("a", "one", "un"),
      `<group id="g">${xliff2Unit("b", '<ph id="0" equiv="X" disp="&lt;"/> two', '<ph id="0"/> deux')}`,
      `${xliff2Unit("c", "&lt;b&gt;three", "&lt;b&gt;trois")}</group>`,
      xliff2Unit(
        "d",
        '<pc id="1">4</pc> <sc id="2"/><ec startRef="2"/><cp hex="0001"/><mrk id="m" type="term">5</mrk>',
        '<pc id="1">4</pc>',
      ),
      xliff2Unit("e", "<![CDATA[five]]>", "<![CDATA[cinq]]>"),
    ].join("\n")}</file></xliff>\n`,
    source: {
      a: "one",
      b: '<ph id="0" equiv="X" disp="&lt;"/> two',
      c: "&lt;b>three",
      d: '<pc id="1">4</pc> <sc id="2"/><ec startRef="2"/><cp hex="0001"/><mrk id="m" type="term">5</mrk>',
      e: "<![CDATA[five]]>",
    },
  },
  yaml: {
    file: "# About it.\na: un\nb: 'deux'\nc: \"trois\"\nd: |\n  quatre\n  cinq\ne: >-\n  six\n  sept\ng: { h: huit, l: [neuf, 'dix'] }\nn: 1\n",
  },
  rails: { file: "fr:\n  a: un\n  b: 'deux'\n  c: |-\n    trois\n    quatre\n" },
};

/** All formats, each once for every file of a table in which further files of a format have more words behind its name. */
export function formatsWith(files: Readonly<Record<string, unknown>>) {
  return formats.flatMap(({ name, extensions, load }) => {
    const own = Object.keys(files).filter((what) => what.split(" ")[0] === name);
    return (own.length === 0 ? [name] : own).map((what) => ({ name, what, extensions, load }));
  });
}

export const withSmallFiles = formatsWith(smallFiles);

/** The file of a format, and the locales and the source that it is read with. @throws Error for one without a file. */
export function smallFileOf(name: string): { readonly template: Uint8Array; readonly context: FileContext } {
  const small = smallFiles[name];
  if (small === undefined) throw new Error(`no small file of ${name}`);
  const source = small.source && new Map(Object.entries(small.source));
  return {
    template: bytesOf(small.file),
    context: { locale: "fr", sourceLocale: "en", sourceTexts: source },
  };
}

/** What files break at: markup, entities, quotes, escapes, delimiters, control characters, line ends, halves of characters. */
export const pieces: readonly string[] = [
  ...Array.from(
    "abé \t\n\r'\"\\/{}[]()<>&%#@!?*|-:;=,.~`$^_+1\0" +
      "\u0001\u000B\u000C\u001B\u007F\u0085\u00A0\u00AD\u200B\u200D\u200F\u2028\u2029\u202E\uFEFF\uFFFE\uFFFF" +
      "\u{1F41D}\u{10FFFF}e\u0301",
  ),
  "\uD800",
  "\uDC00",
  "  ",
  "\r\n",
  "\n\n",
  "\n  ",
  "<b>",
  "</b>",
  "<b>x</b>",
  "<i>x</i>",
  '<x id="1"/>',
  '<x id="2"/>',
  '<ph id="0"/>',
  '<pc id="1">x</pc>',
  '<ec startRef="2"/>',
  '<cp hex="0001"/>',
  '<x id="1" y="z">x</x>',
  '<a:b xmlns:a="x"/>',
  "<a:b/>",
  '<xliff:g id="1">x</xliff:g>',
  "<!-- x -->",
  "<!--",
  "<?php x ?>",
  "?>",
  "<![CDATA[x]]>",
  "<![CDATA[",
  "]]>",
  "<!DOCTYPE x>",
  "&amp;",
  "&lt;",
  "&lt;b>",
  "&nbsp;",
  "&#10;",
  "&#x0;",
  "&quot;",
  "</target>",
  "</string>",
  '<byte value="x1b"/>',
  String.raw`\n`,
  String.raw`\u0041`,
  String.raw`\u12`,
  String.raw`\x41`,
  String.raw`\101`,
  "{{x}}",
  "{ $x }",
  '{ "x" }',
  "{ $x ->\n  [one] x\n *[other] y\n }",
  "${x}",
  "{$x}",
  "%#@n@",
  "%1$s",
  "#{x}",
  "@string/a",
  "?attr/a",
  "'''",
  '"""',
  "\n.title = x",
  "\na = x",
  "\n# x",
  "\nEOT",
  '\nmsgid "x"',
  "*/",
  "/*",
  "//",
  "- x",
  "x: y",
  " #x",
  "&a ",
  "*a",
  "!!str ",
  "|",
  ">-",
  "---",
  "...",
  "null",
  "true",
  "1e3",
  "\n<<<<<<< HEAD\n",
  "\n=======\n",
  "\n>>>>>>> x\n",
];

/** A text that is hard to hold. */
export const nastyText: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 })
  .map((some) => some.join(""));
