/** A text of several lines is the same whether its file was saved with `\n` or `\r\n`, where the app's own reader says so. */
import { expect, it } from "vitest";
import { formatNamed } from "../../../src/formats/formats.ts";
import { bytesOf } from "../../helpers/format-properties.ts";

const context = { locale: "fr", sourceLocale: "en" };

/** Files with texts of two lines, and what the texts are; PHP and Apple take the characters of the file. */
const files: readonly (readonly [format: string, file: string, text: string, withCrlf: string])[] = [
  ["csv", 'keys,en,fr\na,"x\ny","x\ny"\n', "x\ny", "x\ny"],
  ["yaml", "a: |-\n  x\n  y\n", "x\ny", "x\ny"],
  ["rails", "fr:\n  a: |-\n    x\n    y\n", "x\ny", "x\ny"],
  ["toml", 'a = """x\ny"""\n', "x\ny", "x\ny"],
  ["fluent", "a =\n    x\n    y\n", "x\ny", "x\ny"],
  [
    "po",
    'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "a"\nmsgstr ""\n"x\\n"\n"y"\n',
    "x\ny",
    "x\ny",
  ],
  ["android", '<resources>\n<string name="a">"x\ny"</string>\n</resources>\n', "x\ny", "x\ny"],
  [
    "android",
    '<resources>\n<string name="a"><![CDATA["x\ny"]]></string>\n</resources>\n',
    "<![CDATA[x\ny]]>",
    "<![CDATA[x\ny]]>",
  ],
  ["resx", '<root>\n<data name="a"><value>x\ny</value></data>\n</root>\n', "x\ny", "x\ny"],
  [
    "xliff",
    '<xliff version="1.2"><file source-language="en" target-language="fr" original="f"><body>\n' +
      '<trans-unit id="a"><source>a</source><target>x\ny</target></trans-unit></body></file></xliff>\n',
    "x\ny",
    "x\ny",
  ],
  [
    "qt",
    "<TS><context><name>c</name>\n<message><source>a</source><translation>x\ny</translation></message></context></TS>\n",
    "x\ny",
    "x\ny",
  ],
  ["php", "<?php\nreturn ['a' => 'x\ny'];\n", "x\ny", "x\r\ny"],
  ["strings", '"a" = "x\ny";\n', "x\ny", "x\r\ny"],
];

it.each(files)("a file of %s: %j", async (name, file, text, withCrlf) => {
  const format = await formatNamed(name)?.load();
  const textsOf = (content: string) => [...(format?.parse(bytesOf(content), context).texts.values() ?? [])];
  expect(textsOf(file)).toEqual([text]);
  expect(textsOf(file.replaceAll("\n", "\r\n"))).toEqual([withCrlf]);
});
