/** What is read quickly is what the parser that knows all of XML reads; all else is left to that. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../../src/formats/patch/format-error.ts";
import { readAnyXml, readXmlTree, type XmlElement } from "../../../src/formats/patch/xml-tree.ts";
import { readPlainXml } from "../../../src/formats/xml/plain-xml.ts";
import { forAllSync } from "../../helpers/runs.ts";

/** What the other parser reads; its refusal where it refuses. */
function readAny(text: string, takesDoctype: boolean): XmlElement | FormatError {
  try {
    return readAnyXml(text, takesDoctype);
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

/** Whether a text is read quickly, and then as the other parser reads it. */
function isPlain(text: string, takesDoctype = true): boolean {
  const plain = readPlainXml(text, takesDoctype);
  if (plain !== undefined) expect(plain, JSON.stringify(text)).toEqual(readAny(text, takesDoctype));
  return plain !== undefined;
}

const fixtures = "test/fixtures/formats";
const files = readdirSync(fixtures, { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.(?:xml|xlf|resx|stringsdict)$/.test(path),
);

describe.each(files)("%s", (path) => {
  const text = readFileSync(join(fixtures, path), "utf8");

  it("is read as the other parser reads it, with the line ends of Unix and Windows", () => {
    const unix = text.replaceAll("\r\n", "\n");
    for (const given of [text, unix, unix.replaceAll("\n", "\r\n")]) {
      isPlain(given);
      expect(readXmlTree(given, { takesDoctype: true })).toEqual(readAny(given, true));
    }
  });

  it("is read so, or not at all, with a part gone or twice", () => {
    forAllSync(60, fc.nat(text.length), fc.nat(40), fc.boolean(), (at, length, isTwice) => {
      const part = text.slice(at, at + length);
      isPlain(text.slice(0, at) + (isTwice ? part + part : "") + text.slice(at + length));
    });
  });
});

it.each([
  "<a/>",
  '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n<TS version="2.1"\n  language="fr"><a>x &lt; &#233;&#x1F600; y</a>\n</TS>\n',
  "<?xml version='1.0'?><a b='&quot;\t\r\n' c = \"'&gt;>\">]] ><!-- x - y --> z<![CDATA[<&]] >]]>]]&gt;</a>\r\n<!---->",
  '<a xmlns="u" xmlns:b="v" b:c="d" xml:space="preserve"><b:c xmlns=""><d/></b:c\n><e/></a >',
])("%j is plain", (text) => {
  expect(isPlain(text)).toBe(true);
});

it.each([
  ["nothing", ""],
  ["two elements", "<a/><b/>"],
  ["text beside the element", "<a/>x"],
  ["an instruction", "<a><?b c?></a>"],
  ["a definition", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ["a type that is fetched", '<!DOCTYPE a SYSTEM "b"><a/>'],
  ["an unknown entity", "<a>&nbsp;</a>"],
  ["an ampersand", "<a>b & c</a>"],
  ["a character that there is not", "<a>&#0;</a>"],
  ["half of a pair", "<a>\uD800</a>"],
  ["a control character", "<a>\u000B</a>"],
  ["an attribute twice", '<a b="c" b="d"/>'],
  ["an attribute twice by its namespace", '<a xmlns:b="u" xmlns:c="u" b:d="" c:d=""/>'],
  ["a prefix that stands for nothing", "<b:a/>"],
  ["an attribute whose prefix stands for nothing", '<a b:c=""/>'],
  ["another end", "<a></b>"],
  ["no end", "<a><b></b>"],
  ["the end of CDATA in a text", "<a>]]></a>"],
  ["a bad comment", "<a><!-- b -- c --></a>"],
  ["elements too deep", "<a>".repeat(101) + "</a>".repeat(101)],
  ["another version", '<?xml version="1.1"?><a/>'],
])("%s is left to the other parser", (_, text) => {
  expect(isPlain(text)).toBe(false);
});

const pieces = [
  "<a>",
  "</a>",
  "<b:a>",
  "</b:a>",
  "<c/>",
  '<a xmlns="u">',
  '<a xmlns:b="v" b:c="d">',
  "<é>",
  "</é>",
  "x",
  " ",
  "\n",
  "\r\n",
  "\r",
  "\t",
  "&amp;",
  "&#10;",
  "&#xA;",
  "&#x110000;",
  "&x;",
  "&",
  "<",
  ">",
  "]]>",
  "]]",
  "<!-- c -->",
  "<!---->",
  "<!--->-->",
  "<!-- - -->",
  "<!-- -- -->",
  "<![CDATA[",
  "<![CDATA[]]>",
  "<![CDATA[<&>]]>",
  "<?x y?>",
  '<?xml version="1.0"?>',
  "<!DOCTYPE a>",
  "<!DOCTYPE a [>",
  "\uFEFF",
  "\uFFFE",
  "\uD83D\uDE00",
  "\uDE00",
  "\u0001",
  "<a b=\"1\" c='2'>",
  "<a b = '\n\t'\r\n>",
  '<a b="&lt;"/>',
  '<a b="<">',
  '<a xml:b="c">',
  '<a b="1"b="2">',
  "<a b>",
  "<a\n>",
];

it("any text is read as the other parser reads it, or left to that", () => {
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(""));
  const wrapped = text.map((inner) => `<a xmlns:b="v">${inner}</a>`);
  forAllSync(3_000, fc.oneof(text, wrapped), fc.boolean(), (given, takesDoctype) => {
    isPlain(given, takesDoctype);
  });
});

it("so is one of elements that are closed in order", () => {
  const { node } = fc.letrec<{ node: string; nodes: string }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("x", "\n", "\r\n", "&amp;", "&#233;", "<!-- c -->", "<![CDATA[<]]>", "<c/>", "é😀"),
      fc
        .tuple(
          fc.constantFrom("a", "b:a", "c"),
          fc.constantFrom("", ' d="e"', "\n", '\r\n xmlns="u"', " b:d='&lt;\n'"),
          tie("nodes"),
        )
        .map(([tag, given, inner]) => `<${tag}${given}>${inner}</${tag}>`),
    ),
    nodes: fc.array(tie("node"), { maxLength: 4 }).map((all) => all.join("")),
  }));
  forAllSync(500, fc.array(node, { maxLength: 4 }), (nodes) => {
    expect(isPlain(`<a xmlns:b="v">${nodes.join("")}</a>`)).toBe(true);
  });
});
