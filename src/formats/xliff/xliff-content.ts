/** Texts of XLIFF as they stand in an element, and as translators see them. */
import type { Texts } from "../../domain/strings/string-file.ts";
import { FormatError } from "../patch/format-error.ts";
import { markupProblem, readAs } from "../patch/source-markup.ts";
import { plainTextOf, plainTextProblem, writePlainText } from "../patch/xml-content.ts";
import { escapeXml, hasMarkup, looksLikeMarkup, unescapeXml } from "../patch/xml-markup.ts";
import { readXmlTree, type XmlElement } from "../patch/xml-tree.ts";

/** The text of a `<source>` or `<target>`: with inline elements the XML that it is, else plain. @param file has the element. */
export function contentOf(element: XmlElement, file: string): string {
  const raw = file.slice(element.innerStart, element.innerEnd).replaceAll("\r\n", "\n");
  // An ampersand that begins no reference is shown as it is.
  if (raw.includes("<")) return raw.replaceAll(/&amp;(?!#?\w+;)/g, "&");
  const plain = plainTextOf(element);
  return looksLikeMarkup(plain, hasMarkup) ? escapeXml(plain) : plain;
}

/** Writes a text, so that {@link contentOf} gives it back. */
export function writeContent(text: string, lineEnd: string): string {
  if (hasMarkup(text)) return text.replaceAll(/&(?!#?\w+;)/g, "&amp;").replaceAll("\n", lineEnd);
  return writePlainText(looksLikeMarkup(text, hasMarkup) ? unescapeXml(text) : text, lineEnd);
}

/** Why a file cannot hold a text; see `problemIn` of a format. */
export function xliffProblem(text: string, key: string, sourceTexts: Texts | undefined): string | undefined {
  return (
    (hasMarkup(text) ? undefined : plainTextProblem(text)) ??
    markupProblem(text, key, sourceTexts, { isMarkup: hasMarkup, isStrict: true }) ??
    readAs(text, read(text))
  );
}

/** What the file would give for a text; undefined where it could not be read. */
function read(text: string): string | undefined {
  const file = `<r>${writeContent(text, "\n")}</r>`;
  try {
    return contentOf(readXmlTree(file), file);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
