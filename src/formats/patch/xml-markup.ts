/** Texts that may have markup: one that has is shown as the XML that it is, and any other plain. */
import { SaxesParser } from "saxes";

/** A text as the content of an element. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("]]>", "]]&gt;");
}

/** The reverse of {@link escapeXml}. */
export function unescapeXml(text: string): string {
  return text.replaceAll("]]&gt;", "]]>").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}

/** What markup begins with. */
const opening = /<[A-Za-z_:!?\u{80}-\u{10ffff}]/u;

/** Ends the reading of a text at its first fault: the parser would go on, and make an error with its stack for each. */
class NotMarkup extends Error {}

function stop(): never {
  throw new NotMarkup();
}

/** Whether a text has markup, and could be the content of an element. */
export function hasMarkup(text: string): boolean {
  if (!opening.test(text)) return false;
  const parser = new SaxesParser();
  parser.on("error", stop);
  parser.on("doctype", stop);
  try {
    parser.write(asDocument(text)).close();
    return true;
  } catch (error) {
    if (error instanceof NotMarkup) return false;
    throw error;
  }
}

/** A text with markup as a document, whose element is around it. A bare ampersand is shown as it is. */
export function asDocument(text: string): string {
  return `<r>${text.replaceAll(/&(?!#?\w+;)/g, "&amp;")}</r>`;
}

/** Whether a text is markup, or escaped markup, however often. */
export function looksLikeMarkup(text: string, isMarkup: (text: string) => boolean): boolean {
  for (let at = text; ;) {
    if (isMarkup(at)) return true;
    const outer = withoutLevels(at);
    const inner = unescapeXml(outer);
    if (inner === outer || escapeXml(inner) !== outer) return false;
    at = inner;
  }
}

/** A text without the levels of escapes that all of it has but the last, which show no markup: one at a time takes too long. */
function withoutLevels(text: string): string {
  let levels = Number.POSITIVE_INFINITY;
  for (const [, escapes = ""] of text.matchAll(/&((?:amp;)*)/g))
    levels = Math.min(levels, escapes.length / "amp;".length);
  if (levels < 2 || !Number.isFinite(levels)) return text;
  return text.replaceAll(`&${"amp;".repeat(levels - 1)}`, "&");
}
