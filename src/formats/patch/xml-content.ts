/** Texts in XML that are plain texts there, without markup. */
import { excerpt } from "../../domain/text.ts";
import { FormatError } from "./format-error.ts";
import { closingAt, isClosedAtOnce, type Span, type TextNode } from "./nodes.ts";
import type { XmlElement } from "./xml-tree.ts";

/** Where the content of an element stands: for one without an end tag, at the `/>` that content would replace. */
function contentSpan(element: XmlElement, file: string): Span {
  const { end, innerStart, innerEnd } = element;
  return isClosedAtOnce(element)
    ? { start: closingAt(element, file), end }
    : { start: innerStart, end: innerEnd };
}

/** What replaces the content at such a place: with tags around it where the element had no end tag. */
export function replaceContent(
  content: string,
  { start, end }: { start: number; end: number },
  file: string,
): string {
  // Content follows the `>` of a start tag.
  if (file[start - 1] === ">" || !file.slice(start, end).endsWith("/>")) return content;
  const opening = file.lastIndexOf("<", start);
  const [tag = ""] = /^[^\s/>]+/.exec(file.slice(opening + 1, end)) ?? [];
  return `>${content}</${tag}>`;
}

/** The text of an element without its child elements. */
export function plainTextOf({ children }: XmlElement): string {
  return children.filter((part) => typeof part === "string").join("");
}

/** An element's text with its place. */
export function plainNode(element: XmlElement, file: string): TextNode {
  return { kind: "text", text: plainTextOf(element), ...contentSpan(element, file) };
}

/** A character that XML 1.0 has no spelling for. */
export const notXml = /(?![\t\n\r\u007F-\u009F])[\p{Cc}\uFFFE\uFFFF]/u;

/** Why a text cannot be the content of an element; undefined when it can. */
export function plainTextProblem(text: string): string | undefined {
  const [wrong] = notXml.exec(text) ?? [];
  return wrong === undefined ? undefined : `has a character that XML has no spelling for: U+${hexOf(wrong)}`;
}

/** Writes a text as the content of an element. @throws FormatError when XML has no spelling for a character. */
export function writePlainText(text: string, lineEnd: string): string {
  const [wrong] = notXml.exec(text) ?? [];
  if (wrong !== undefined)
    throw new FormatError(`cannot hold "${excerpt(text)}", as XML has no spelling for U+${hexOf(wrong)}`);
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;")
    .replaceAll("\n", lineEnd);
}

/**
 * Writes a text with something else for each character that XML has no spelling for.
 * @param write writes what stands between such characters.
 * @param replace gives the other thing by the hexadecimal number of a character.
 */
export function writeAround(
  text: string,
  write: (part: string) => string,
  replace: (hex: string) => string,
): string {
  const parts = text.split(new RegExp(`(${notXml.source})`, "u"));
  return parts.map((part, i) => (i % 2 === 0 ? write(part) : replace(hexOf(part)))).join("");
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
}

/** Writes a text as the value of an attribute, between double quotes. @throws FormatError as for a content. */
export function writeAttribute(text: string): string {
  return writePlainText(text, "&#10;").replaceAll('"', "&quot;").replaceAll("\t", "&#9;");
}
