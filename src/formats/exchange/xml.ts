/** Reads the elements of an XML file, and keeps only those that are asked for. */
import { FormatError } from "../format.ts";
import { makeXmlParser, maxXmlDepth } from "../patch/xml-parser.ts";
import { decodeText } from "./unit.ts";

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  readonly namespace: string;
  /** Those without a prefix. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Filled while the element is read. */
  readonly children: (XmlElement | string)[];
  /** The line that its start tag begins on. */
  readonly line: number;
}

/** Takes each element when its start tag is read, and again when all of it is. */
export interface XmlVisitor {
  /** @returns whether its children are to be kept for `end`; those of a kept element are kept with it. */
  readonly start: (element: XmlElement, ancestors: readonly XmlElement[]) => boolean;
  /** Called for each kept element that is in no other kept one. */
  readonly end: (element: XmlElement, ancestors: readonly XmlElement[]) => void;
}

/** The encoding that the declaration names, which can be read as latin1 unless it is UTF-16 (known by its mark). */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 200)).toString("latin1");
  const encoding = /^<\?xml[^>]*\sencoding=["']([\w.:-]+)["']/.exec(start)?.[1];
  // What can be read so is not UTF-16, though some tools declare it of a file that they then write as UTF-8.
  return encoding?.toLowerCase().startsWith("utf-16") === true ? "utf-8" : encoding;
}

/**
 * Reads XML in the encoding that it declares.
 * @throws FormatError when it is not well-formed, has a document type, or is nested too deep.
 */
export function readXml(bytes: Uint8Array, visitor: XmlVisitor): void {
  const text = decodeText(bytes, declaredEncoding(bytes));
  const parser = makeXmlParser();
  const ancestors: XmlElement[] = [];
  /** How many of the ancestors stand outside of the kept element; undefined while there is none. */
  let kept: number | undefined;
  let line = 1;
  parser.on("opentagstart", () => {
    line = parser.line;
  });
  parser.on("opentag", (tag) => {
    if (ancestors.length === maxXmlDepth)
      throw new FormatError(`is nested deeper than ${maxXmlDepth} levels`, line);
    const attributes = new Map<string, string>();
    for (const { prefix, local, value } of Object.values(tag.attributes)) {
      if (prefix === "") attributes.set(local, value);
    }
    const element = { name: tag.local, namespace: tag.uri, attributes, children: [], line };
    if (kept === undefined) {
      if (visitor.start(element, ancestors)) kept = ancestors.length;
    } else ancestors.at(-1)?.children.push(element);
    ancestors.push(element);
  });
  const addText = (part: string) => {
    if (kept !== undefined) ancestors.at(-1)?.children.push(part);
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const element = ancestors.pop();
    if (element === undefined || kept !== ancestors.length) return;
    kept = undefined;
    visitor.end(element, ancestors);
  });
  parser.write(text).close();
}
