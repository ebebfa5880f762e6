/** Translation memories as TMX 1.4b: all languages of a text in one unit, or two of them. */
import { writeAttribute, writePlainText } from "../patch/xml-content.ts";
import { childOf, childrenOf, readXmlTree, type XmlElement } from "../patch/xml-tree.ts";
import { decodeText } from "../exchange/unit.ts";
import { FormatError } from "../format.ts";

export interface TmxUnit {
  readonly id: string | undefined;
  /** By the codes that the file has for locales. */
  readonly texts: ReadonlyMap<string, string>;
  /** The code of its source locale. */
  readonly source: string | undefined;
}

/**
 * Reads the units of a memory. Codes of other programs in a text (`<bpt>`, `<ph>`) are part of it.
 * @throws FormatError when it is no TMX, or has an internal subset.
 */
export function readTmx(bytes: Uint8Array): readonly TmxUnit[] {
  const root = readXmlTree(decodeText(bytes), { takesDoctype: true });
  if (root.name !== "tmx") throw new FormatError("is not TMX", root.line);
  const header = childOf(root, "header")?.attributes.get("srclang");
  return childrenOf(childOf(root, "body"), "tu").map((unit) => {
    const texts = childrenOf(unit, "tuv").flatMap((variant) => {
      const code = variant.attributes.get("xml:lang") ?? variant.attributes.get("lang");
      const segment = childOf(variant, "seg");
      return code === undefined || segment === undefined ? [] : [[code, textOf(segment)] as const];
    });
    const source = unit.attributes.get("srclang") ?? header;
    return { id: unit.attributes.get("tuid"), texts: new Map(texts), source };
  });
}

/** The text of an element. What a subflow (`<sub>`) says within a code is no part of it. */
function textOf(element: XmlElement): string {
  return element.children
    .map((child) => (typeof child === "string" ? child : child.name === "sub" ? "" : textOf(child)))
    .join("");
}

export interface WrittenUnit {
  readonly id: string;
  readonly source: string;
  /** By the codes of the locales. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Writes a memory. Units with a character that XML has no spelling for are left out. */
export function writeTmx(units: Iterable<WrittenUnit>, sourceLocale: string): string {
  const source = writeAttribute(sourceLocale);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE tmx SYSTEM "tmx14.dtd">',
    '<tmx version="1.4">',
    `  <header creationtool="Skep" creationtoolversion="1" segtype="block" o-tmf="Skep" adminlang="en" srclang="${source}" datatype="plaintext"/>`,
    "  <body>",
  ];
  for (const unit of units) lines.push(...unitLines(unit, sourceLocale));
  return [...lines, "  </body>", "</tmx>", ""].join("\n");
}

function unitLines({ id, source, texts }: WrittenUnit, sourceLocale: string): readonly string[] {
  try {
    return [
      `    <tu tuid="${writeAttribute(id)}">`,
      ...[[sourceLocale, source] as const, ...texts].map(
        ([code, text]) =>
          `      <tuv xml:lang="${writeAttribute(code)}"><seg>${writePlainText(text, "\n")}</seg></tuv>`,
      ),
      "    </tu>",
    ];
  } catch (error) {
    if (error instanceof FormatError) return [];
    throw error;
  }
}
