/** Reads XML of strangers as a tree: no entities that multiply or fetch, and no endless nesting. */
import { SaxesParser } from "saxes";
import { FormatError } from "./format-error.ts";
import { maxDepth, readPlainXml, type XmlElement } from "../xml/plain-xml.ts";
import { isClosedAtOnce, type Entry, type GroupNode } from "./nodes.ts";

export type { XmlElement };

/**
 * Reads the elements of a file.
 * @param options.takesDoctype whether it may have a document type, which never defines anything: one with an internal subset
 * is refused, nothing is fetched, and entities besides XML's own are not well-formed.
 * @throws FormatError when it is not well-formed, has a document type, or is nested too deep.
 */
export function readXmlTree(
  text: string,
  { takesDoctype = false }: { readonly takesDoctype?: boolean } = {},
): XmlElement {
  return readPlainXml(text, takesDoctype) ?? readAnyXml(text, takesDoctype);
}

/** The same by a parser that knows all of XML, and what is wrong with it. @throws as {@link readXmlTree} does. */
export function readAnyXml(text: string, takesDoctype: boolean): XmlElement {
  const parser = new SaxesParser({ xmlns: true, fileName: "" });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let [start, line] = [0, 1];
  parser.on("error", ({ message }) => {
    const [, reason = message] = /^\d*:?\d+:\d+: ([^]*)$/.exec(message) ?? [];
    throw new FormatError(`is not well-formed XML: ${reason}`, parser.line);
  });
  parser.on("doctype", (doctype) => {
    if (takesDoctype && !doctype.includes("[")) return;
    throw new FormatError("has a document type (<!DOCTYPE>), which is not read", parser.line);
  });
  parser.on("opentagstart", () => {
    start = text.lastIndexOf("<", parser.position - 1);
    ({ line } = parser);
  });
  parser.on("opentag", ({ name: tag, local: name, uri: namespace, attributes: given }) => {
    if (open.length === maxDepth) throw new FormatError(`is nested deeper than ${maxDepth} levels`, line);
    const attributes = new Map<string, string>();
    for (const { name: attribute, value } of Object.values(given)) attributes.set(attribute, value);
    const { position: end } = parser;
    const ends = { innerStart: end, innerEnd: end, end };
    const element: XmlElement = { tag, name, namespace, attributes, children: [], line, start, ...ends };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  const addText = (part: string) => void open.at(-1)?.children.push(part);
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", ({ isSelfClosing }) => {
    const element = open.pop();
    if (element === undefined) return;
    element.end = parser.position;
    element.innerEnd = isSelfClosing ? element.end : text.lastIndexOf("</", parser.position - 1);
  });
  parser.write(text).close();
  if (root === undefined) throw new FormatError("is not well-formed XML: it has no element");
  return root;
}

/** The elements in an element, without its text. */
export function childElements({ children }: XmlElement): readonly XmlElement[] {
  return children.filter((child) => typeof child !== "string");
}

/** The elements in an element that are of its namespace; others are a program's own. */
export function ownElements(parent: XmlElement): readonly XmlElement[] {
  return childElements(parent).filter(({ namespace }) => namespace === parent.namespace);
}

/** The first element of a name in another, in that one's namespace. */
export function ownElement(parent: XmlElement, name: string): XmlElement | undefined {
  return ownElements(parent).find((element) => element.name === name);
}

/** The elements of a name in an element; none without an element. */
export function childrenOf(parent: XmlElement | undefined, name: string): readonly XmlElement[] {
  return parent === undefined ? [] : childElements(parent).filter((child) => child.name === name);
}

/** The first child element of a name. */
export function childOf(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return childrenOf(parent, name)[0];
}

/** An element whose content is entries. */
export function elementGroup(element: XmlElement, entries: readonly Entry[], isList = false): GroupNode {
  const { start, end, innerStart, innerEnd, tag } = element;
  const group = { kind: "group", isList, start, end, innerStart, innerEnd, entries } as const;
  return isClosedAtOnce(element) ? { ...group, emptyTag: tag } : group;
}
