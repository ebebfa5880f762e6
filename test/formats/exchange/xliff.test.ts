import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ExchangeUnit, ReceivedUnit } from "../../../src/formats/exchange/unit.ts";
import { idOf, nameOf } from "../../../src/formats/xliff/xliff-names.ts";
import { readXliff } from "../../../src/formats/exchange/xliff-read.ts";
import { writeXliff } from "../../../src/formats/exchange/xliff-write.ts";
import { FormatError } from "../../../src/formats/format.ts";
import { exchangeUnits, hostileText } from "./arbitraries.ts";

const versions = ["1.2", "2.1"] as const;
const locales = { sourceLocale: "en", targetLocale: "pt-BR" };

function read(text: string) {
  return readXliff(Buffer.from(text));
}

/** A file with one unit, whose target has this content. */
function xliff12(target: string): string {
  return `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a.json" datatype="plaintext" source-language="en" target-language="fr"><body>
<trans-unit id="1" resname="b"><source>s</source><target>${target}</target></trans-unit>
</body></file></xliff>`;
}

function xliff20(segments: string, data = ""): string {
  return `<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="fr">
<file id="f" original="a.json"><unit id="u" name="b">${data}${segments}</unit></file></xliff>`;
}

/** What comes back of a unit. */
function content({ file, key, source, translation }: ExchangeUnit | ReceivedUnit) {
  return { file, key, source, translation: translation || undefined };
}

/** The line and message of the error that reading gives. */
function failure(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof FormatError) return `${error.line}: ${error.message}`;
    throw error;
  }
  throw new Error("The file was read.");
}

describe("writing XLIFF", () => {
  const units: readonly ExchangeUnit[] = [
    { file: "auth.php", key: "log in", source: "Log <b>in</b>", state: "missing" },
    {
      file: "auth.php",
      key: "out",
      source: "Log out",
      translation: "Sair",
      state: "stale",
      notes: ['was made for "Sign out"'],
    },
    { file: "en.json", key: "x", source: "a\r\n\tb\u{1B}", translation: "c", state: "missing" },
  ];

  test("1.2: a file for each of the Hive's, a unit for each key", () => {
    expect(writeXliff({ ...locales, units })).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="auth.php" datatype="plaintext" source-language="en" target-language="pt-BR">
    <body>
      <trans-unit id="log_x0020_in" resname="log in" xml:space="preserve">
        <source>Log &lt;b&gt;in&lt;/b&gt;</source>
        <target state="new"></target>
      </trans-unit>
      <trans-unit id="out" resname="out" xml:space="preserve">
        <source>Log out</source>
        <target state="needs-review-translation">Sair</target>
        <note>was made for &quot;Sign out&quot;</note>
      </trans-unit>
    </body>
  </file>
  <file original="en.json" datatype="plaintext" source-language="en" target-language="pt-BR">
    <body>
      <trans-unit id="x" resname="x" xml:space="preserve">
        <source>a&#13;
\tb<x id="c1-U001B"/></source>
        <target state="new">c</target>
      </trans-unit>
    </body>
  </file>
</xliff>
`);
  });

  test("2.1: the same", () => {
    expect(writeXliff({ ...locales, units }, "2.1")).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="pt-BR">
  <file id="auth.php" original="auth.php" canResegment="no">
    <unit id="log_x0020_in" name="log in" xml:space="preserve">
      <segment state="initial">
        <source>Log &lt;b&gt;in&lt;/b&gt;</source>
        <target></target>
      </segment>
    </unit>
    <unit id="out" name="out" xml:space="preserve">
      <notes>
        <note>was made for &quot;Sign out&quot;</note>
      </notes>
      <segment state="initial" subState="skep:stale">
        <source>Log out</source>
        <target>Sair</target>
      </segment>
    </unit>
  </file>
  <file id="en.json" original="en.json" canResegment="no">
    <unit id="x" name="x" xml:space="preserve">
      <segment state="initial">
        <source>a&#13;
\tb<cp hex="001B"/></source>
        <target>c</target>
      </segment>
    </unit>
  </file>
</xliff>
`);
  });

  test("an id is an NMTOKEN, and the only one of its name", () => {
    fc.assert(
      fc.property(hostileText(), (name) => {
        expect(idOf(name)).toMatch(/^[A-Za-z0-9._:-]+$/);
        expect(nameOf(idOf(name))).toBe(name);
      }),
    );
  });
});

describe("reading XLIFF", () => {
  test.each(versions)("%s: any units come back as they were", (version) => {
    fc.assert(
      fc.property(exchangeUnits(), (units) => {
        const received = read(writeXliff({ ...locales, units }, version));
        expect(received).toMatchObject({ ...locales, refused: [] });
        const byFile = [...new Set(units.map(({ file }) => file))].flatMap((file) =>
          units.filter((each) => each.file === file),
        );
        expect(received.units.map(content)).toEqual(byFile.map(content));
        const approved = ({ state }: { readonly state?: string }): boolean => state === "approved";
        expect(received.units.map(approved)).toEqual(byFile.map(approved));
        expect(received.units.every(({ state }) => state === "approved" || state === "review")).toBe(true);
      }),
    );
  });

  test.each(versions)("%s: a key is found by its id where a tool has dropped the name", (version) => {
    const units: ExchangeUnit[] = [{ file: "a", key: "très bien", source: "s", state: "missing" }];
    const text = writeXliff({ ...locales, units }, version).replace(/ (?:res)?name="[^"]*"/, "");
    expect(read(text).units[0]?.key).toBe("très bien");
  });

  test("1.2 as a tool gives it back: prefixes, own elements, segments, proposals, groups, comments, CDATA", () => {
    const { units, refused } = read(`<?xml version="1.0" encoding="utf-8"?>
<!-- made by a tool -->
<x:xliff version="1.2" xmlns:x="urn:oasis:names:tc:xliff:document:1.2" xmlns:t="urn:tool" t:version="9">
 <x:file original="a.json" source-language="en" target-language="fr" datatype="plaintext" t:id="1">
  <x:header><x:note>target</x:note><t:settings><t:target>no</t:target></t:settings></x:header>
  <x:body><x:group id="g"><x:group>
   <x:trans-unit resname="second" t:locked="no" approved="yes" id="7"
     t:percent="100">
    <x:source>s</x:source>
    <x:seg-source><x:mrk mtype="seg" mid="1">s</x:mrk></x:seg-source>
    <x:alt-trans><x:source>q</x:source><x:target>proposal</x:target></x:alt-trans>
    <x:target state="translated"><x:mrk mtype="seg" mid="1">One.</x:mrk> <x:mrk mtype="seg" mid="2">Two <![CDATA[<b>]]>&amp;&#x2014;<!-- not text --></x:mrk></x:target>
    <t:target>no</t:target>
   </x:trans-unit></x:group></x:group>
   <x:trans-unit id="first"><x:source/><x:target/></x:trans-unit>
  </x:body>
 </x:file>
</x:xliff>`);
    expect(refused).toEqual([]);
    expect(units).toEqual([
      {
        file: "a.json",
        key: "second",
        source: "s",
        translation: "One. Two <b>&—",
        state: "approved",
        line: 7,
      },
      { file: "a.json", key: "first", source: "", line: 15 },
    ]);
  });

  test("1.2: inline elements that hold native code are that code", () => {
    const { units } = read(
      xliff12(
        '<bpt id="1">&lt;b></bpt>gras<ept id="1">&lt;/b></ept> <ph id="2">{n}</ph><it id="3" pos="open">[</it>',
      ),
    );
    expect(units[0]?.translation).toBe("<b>gras</b> {n}[");
  });

  test.each([
    ['<g id="1">x</g>', "g"],
    ['<x id="1"/>', "x"],
    ['a<ph id="1"/>', "ph"],
    ['<ph id="1">a<sub>b</sub></ph>', "ph"],
    ['<mrk mtype="seg"><bx id="1"/></mrk>', "bx"],
    ['<ph xmlns="urn:tool">a</ph>', "ph"],
  ])("1.2: a unit with %s is refused by its key, and others are read", (target, name) => {
    const more = '<trans-unit id="c"><source>s</source><target>t</target></trans-unit></body>';
    const { units, refused } = read(xliff12(target).replace("</body>", more));
    expect(units.map(({ key }) => key)).toEqual(["c"]);
    const reason = `has the inline element <${name}>, whose text is not in the file`;
    expect(refused).toEqual([{ file: "a.json", key: "b", line: 3, reason }]);
  });

  test("2.x: inline elements that refer to native code are that code", () => {
    const data =
      '<originalData><data id="d1">&lt;b></data><data id="d2">&lt;/b></data><data id="d3">{n}<cp hex="0007"/></data></originalData>';
    const target =
      '<pc id="1" dataRefStart="d1" dataRefEnd="d2">gras</pc> <ph id="2" dataRef="d3"/><mrk id="m" type="term">m</mrk><sm id="n"/><em startRef="n"/><sc id="3" dataRef="d1"/><ec startRef="3" dataRef="d2"/>';
    const { units } = read(xliff20(`<segment><source/><target>${target}</target></segment>`, data));
    expect(units[0]?.translation).toBe("<b>gras</b> {n}\u{7}m<b></b>");
  });

  test.each([
    ['<pc id="1">x</pc>', "pc"],
    ['<ph id="1" dataRef="none"/>', "ph"],
    ['<cp hex="110000"/>', "cp"],
    ['<cp hex="zz"/>', "cp"],
  ])("2.x: a unit with %s is refused by its key", (target, name) => {
    const { units, refused } = read(xliff20(`<segment><source/><target>${target}</target></segment>`));
    expect(units).toEqual([]);
    expect(refused).toMatchObject([{ key: "b", reason: expect.stringContaining(`<${name}>`) }]);
  });

  test("2.x: characters that cannot be stored are refused", () => {
    const { refused } = read(xliff20('<segment><source/><target><cp hex="0000"/></target></segment>'));
    expect(refused).toMatchObject([{ reason: "must not contain a NUL character" }]);
  });

  test("2.x: segments are joined in the order of their targets, with what stands between them", () => {
    const { units } = read(
      xliff20(
        '<segment state="final"><source>A.</source><target order="3">Un.</target></segment><ignorable><source> </source></ignorable><segment state="translated"><source>B.</source><target order="1">Deux.</target></segment>',
      ),
    );
    expect(units).toMatchObject([{ source: "A. B.", translation: "Deux. Un." }]);
  });

  test("2.x: a text of which only some segments are translated is refused", () => {
    const { refused } = read(
      xliff20("<segment><source>A</source><target>a</target></segment><segment><source>B</source></segment>"),
    );
    expect(refused).toMatchObject([{ key: "b", reason: "is translated in only some of its segments" }]);
  });

  test("2.x: proposals of the matches module are no translations", () => {
    const matches =
      '<m:matches xmlns:m="urn:oasis:names:tc:xliff:matches:2.0"><m:match><source>s</source><target>no</target></m:match></m:matches>';
    const { units } = read(xliff20("<segment><source>s</source></segment>", matches));
    expect(units).toMatchObject([{ translation: undefined }]);
  });

  test("a file without a namespace, and one in UTF-16 or another encoding that it declares", () => {
    const plain = xliff12("été").replace(/ xmlns="[^"]*"/, "");
    expect(read(plain).units[0]?.translation).toBe("été");
    const utf16 = `\u{FEFF}<?xml version="1.0" encoding="UTF-16"?>${plain}`;
    expect(readXliff(Buffer.from(utf16, "utf16le")).units[0]?.translation).toBe("été");
    expect(readXliff(Buffer.from(utf16, "utf16le").swap16()).units[0]?.translation).toBe("été");
    expect(read(utf16.slice(1)).units[0]?.translation).toBe("été");
    const latin = `<?xml version="1.0" encoding="ISO-8859-1"?>${plain}`;
    expect(readXliff(Buffer.from(latin, "latin1")).units[0]?.translation).toBe("été");
  });

  test.each([
    ["", "1: is not well-formed XML"],
    ["{}", "1: is not well-formed XML"],
    ["<a/>", "1: is not XLIFF 1 or 2: it begins with <a>"],
    ['<xliff version="3.0"/>', "1: is not XLIFF 1 or 2"],
    [xliff12("a").replace("</body>", ""), "4: is not well-formed XML: unexpected close tag"],
    [xliff12("&nbsp;"), "3: is not well-formed XML: undefined entity"],
    [xliff12("<a:b/>"), "3: is not well-formed XML: unbound namespace prefix"],
    [
      `\n<!DOCTYPE xliff [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>${xliff12("&c;")}`,
      "2: has a document type (<!DOCTYPE>), which is not read",
    ],
    ['<!DOCTYPE xliff SYSTEM "file:///etc/passwd"><xliff/>', "1: has a document type"],
    [xliff12("<mrk>".repeat(100_000)), "3: is nested deeper than 100 levels"],
    [
      xliff12("a").replace("</xliff>", '<file original="b" target-language="de"/></xliff>'),
      "4: holds texts of several locales: fr and de",
    ],
    ['<?xml version="1.0" encoding="klingon"?><xliff/>', "undefined: has an unknown encoding (klingon)"],
  ])("a file that cannot be read is refused with its line (%#)", (text, message) => {
    expect(failure(text)).toContain(message);
  });

  test("any cut of a file is refused", () => {
    const text = writeXliff({
      ...locales,
      units: [{ file: "a", key: "b", source: "s", translation: "t", state: "stale", notes: ["n"] }],
    }).trimEnd();
    fc.assert(
      fc.property(fc.nat(text.length - 1), (end) => {
        expect(() => read(text.slice(0, end))).toThrow(FormatError);
      }),
    );
  });
});
