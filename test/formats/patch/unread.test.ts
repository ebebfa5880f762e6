/** New texts beside what formats pass over in a file: they get lines as others have them. */
import { describe, expect, it } from "vitest";
import { formatNamed } from "../../../src/formats/formats.ts";
import { bytesOf, editOf, textOf } from "../../helpers/format-properties.ts";

interface Row {
  readonly format: string;
  /** The start and the end of a file. */
  readonly frame: readonly [start: string, end: string];
  readonly text: (name: string) => string;
  /** Something between texts that is none. */
  readonly other: string;
}

const rows: readonly Row[] = [
  {
    format: "android",
    frame: ["<resources>\n", "</resources>\n"],
    text: (name) => `    <string name="${name}">x</string>\n`,
    other: '    <integer name="n">1</integer>\n',
  },
  {
    format: "resx",
    frame: ["<root>\n", "</root>\n"],
    text: (name) => `  <data name="${name}">\n    <value>x</value>\n  </data>\n`,
    other: '  <resheader name="version">\n    <value>2.0</value>\n  </resheader>\n',
  },
  {
    format: "xliff",
    frame: [
      '<xliff version="1.2"><file original="f" source-language="en" target-language="fr">\n  <body>\n',
      "  </body>\n</file></xliff>\n",
    ],
    text: (name) => `    <trans-unit id="${name}"><source>x</source><target>x</target></trans-unit>\n`,
    other: '    <group id="g">\n    </group>\n',
  },
  {
    format: "xliff",
    frame: [
      '<xliff version="1.2"><file original="f" source-language="en" target-language="fr">\n  <body>\n',
      "  </body>\n</file></xliff>\n",
    ],
    text: (name) => `    <trans-unit id="${name}"><source>x</source><target>x</target></trans-unit>\n`,
    other: "    <?other?>\n",
  },
  {
    format: "xliff",
    frame: [
      '<xliff version="1.2"><file original="f" source-language="en" target-language="fr"><body>\n  <group id="f">\n',
      "  </group>\n</body></file></xliff>\n",
    ],
    text: (name) => `    <trans-unit id="${name}"><source>x</source><target>x</target></trans-unit>\n`,
    other: '    <group id="g">\n      <note>n</note>\n    </group>\n',
  },
  ...['    <m:files xmlns:m="m">\n    </m:files>\n', '    <group id="g">\n    </group>\n'].map(
    (other): Row => ({
      format: "xliff",
      frame: ['<xliff version="2.0" srcLang="en" trgLang="fr">\n  <file id="f">\n', "  </file>\n</xliff>\n"],
      text: (name) =>
        `    <unit id="${name}">\n      <segment><source>x</source><target>x</target></segment>\n    </unit>\n`,
      other,
    }),
  ),
];

describe("new texts beside what is no text", () => {
  it.each(rows)("$format: $other", async ({ format: name, frame: [start, end], text, other }) => {
    const format = await formatNamed(name)?.load();
    if (format === undefined) throw new Error(`no format ${name}`);
    const context = { locale: "fr", sourceLocale: "en" };
    const source = bytesOf(start + ["a", "b", "c"].map(text).join("") + end);
    const { content: shape, texts } = format.parse(source, context);
    const [a, b, c] = [text("a"), text("b"), text("c")];
    const comment = "    <!-- About b -->\n";
    for (const [before, gone, wanted] of [
      [other + b, [], other + a + b + c],
      [b + other, [], a + b + c + other],
      [a + other + c, [], a + b + other + c],
      [other + b + other, [], other + a + b + c + other],
      [a + other + b, [], a + other + b + c],
      [other + comment + b, [], other + a + comment + b + c],
      [a + other + b + other + c, ["b"], a + other + other + c],
      [a + other + comment + b + c, ["b"], a + other + c],
    ] as const) {
      const removed = new Set<string>(gone);
      const given = new Map([...texts].filter(([key]) => !removed.has(key)));
      const edit = editOf({ template: bytesOf(start + before + end), source, shape, texts: given, removed });
      expect(textOf(format.write(edit, context))).toBe(start + wanted + end);
    }
  });
});
