/**
 * Texts of Android's resources, as translators see them, and as they stand in a file. A text with markup (`<b>`,
 * `<xliff:g>`, CDATA) is shown as the XML that it is. Any other is shown plain, unless it would then look like markup:
 * `&lt;b>` in a file stays `&lt;b>`, and `a &lt; b` is `a < b`.
 */
import { escapeUnits } from "../../domain/text.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { markupProblem, readAs } from "../patch/source-markup.ts";
import { escapeXml, hasMarkup, looksLikeMarkup, unescapeXml } from "../patch/xml-markup.ts";

const token = /<!\[CDATA\[([^]*?)\]\]>|<!--[^]*?-->|<\?[^]*?\?>|<(?:[^<>"']|"[^"]*"|'[^']*')*>|[^<]+/g;
const entity = /&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(amp|lt|gt|quot|apos));/g;
const entityLike = /&(?=#?\w+;)/g;
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * Reads the content of an element.
 * @param raw as it stands between the element's tags.
 * @returns undefined when an escape is not whole.
 */
export function readAndroidText(raw: string): string | undefined {
  // Readers of XML see one character at the end of a line, whatever the file has.
  const read = raw.replaceAll(/\r\n?/g, "\n");
  if (read.includes("<")) return readMarkup(read);
  const plain = joined([{ text: withoutEntities(read) }]);
  return plain === undefined || !looksLikeMarkup(plain, isMarkup) ? plain : escapeXml(plain);
}

/** Writes the content of an element, so that {@link readAndroidText} gives the text. */
export function writeAndroidText(text: string): string {
  if (isMarkup(text)) return writeMarkup(text);
  const plain = looksLikeMarkup(text, isMarkup) ? unescapeXml(text) : text;
  return escapeXml(escaped([{ text: plain }]));
}

/** Writes a text between double quotes, where it has nothing that cannot stand there. */
export function writeQuotedText(text: string): string | undefined {
  if (looksLikeMarkup(text, isMarkup)) return undefined;
  const inner = text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll(control, escapeControl);
  return `"${escapeXml(inner)}"`;
}

/** Why a file cannot hold a text; see `problemIn` of a format. */
export function androidProblem(
  text: string,
  key: string,
  sourceTexts: Texts | undefined,
): string | undefined {
  return (
    markupProblem(text, key, sourceTexts, { isMarkup, always: ["<xliff:g>"] }) ??
    readAs(text, readAndroidText(writeAndroidText(text)))
  );
}

/** A part of an element's content. */
type Piece = { readonly text: string; readonly isData?: boolean } | { readonly tag: string };

function piecesOf(xml: string, toText: (part: string) => string): readonly Piece[] {
  return Array.from(xml.matchAll(token), ([whole, data]): Piece => {
    if (data !== undefined) return { text: data, isData: true };
    return whole.startsWith("<") ? { tag: whole } : { text: toText(whole) };
  });
}

function readMarkup(raw: string): string | undefined {
  return joined(piecesOf(raw, withoutEntities), shownXml);
}

function writeMarkup(text: string): string {
  return escaped(piecesOf(text, withoutEntities), escapeXml);
}

/** Whether a text is XML with markup, as {@link readAndroidText} shows it. */
function isMarkup(text: string): boolean {
  return hasMarkup(text) && readMarkup(writeMarkup(text)) === text;
}

function withoutEntities(xml: string): string {
  return xml.replaceAll(entity, (_, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return named[name] ?? "";
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}

/** A text beside markup, as translators see it. */
function shownXml(text: string): string {
  return text.replaceAll(entityLike, "&amp;").replaceAll("<", "&lt;").replaceAll("]]>", "]]&gt;");
}

const blank = /[ \t\n\r]/;
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t" };

/**
 * The pieces with Android's escapes resolved: blanks outside of quotes become one space, and none at the ends.
 * @param toXml gives a text beside markup.
 */
function joined(pieces: readonly Piece[], toXml = (text: string) => text): string | undefined {
  let result = "";
  let isQuoted = false;
  let isAfterBlank = true;
  /** Whether the last character is a space that ends the content if nothing follows. */
  let isLoose = false;
  for (const piece of pieces) {
    if ("tag" in piece) {
      result += piece.tag;
      isLoose = false;
      continue;
    }
    let text = "";
    const { text: from } = piece;
    for (let at = 0; at < from.length; at++) {
      const character = from[at] ?? "";
      if (!isQuoted && blank.test(character)) {
        if (!isAfterBlank) text += " ";
        isLoose ||= !isAfterBlank;
        isAfterBlank = true;
        continue;
      }
      isAfterBlank = false;
      isLoose = false;
      if (character === '"') isQuoted = !isQuoted;
      else if (character !== "\\") text += character;
      else if (from[at + 1] === "u") {
        const [code] = /^[0-9a-fA-F]{4}/.exec(from.slice(at + 2, at + 6)) ?? [];
        if (code === undefined) return undefined;
        text += String.fromCharCode(Number.parseInt(code, 16));
        at += 5;
      } else {
        const next = from[++at] ?? "";
        text += escapes[next] ?? next;
      }
    }
    if (isLoose && piece === pieces.at(-1)) text = text.slice(0, -1);
    result += piece.isData === true ? `<![CDATA[${text}]]>` : toXml(text);
  }
  return result;
}

/** Characters that XML does not have, or would read as blanks. */
const control = /[\p{Cc}\ufffe\uffff]/gu;

function escapeControl(character: string): string {
  if (character === "\n") return String.raw`\n`;
  if (character === "\t") return String.raw`\t`;
  return escapeUnits(character);
}

/** The pieces with Android's escapes. @param toXml gives a text beside markup. */
function escaped(pieces: readonly Piece[], toXml = (text: string) => text): string {
  let isAfterBlank = true;
  return pieces
    .map((piece, i) => {
      if ("tag" in piece) return piece.tag;
      let text = piece.text.replaceAll(/[\\'"]/g, String.raw`\$&`).replaceAll(control, escapeControl);
      if (i === 0) text = text.replace(/^[@?]/, String.raw`\$&`);
      const end = i === pieces.length - 1 ? text.length - 1 : undefined;
      text = text.replaceAll(/[^]/g, (character, at: number) => {
        isAfterBlank = character === " " && !isAfterBlank && at !== end;
        return character === " " && !isAfterBlank ? escapeUnits(" ") : character;
      });
      return piece.isData === true ? `<![CDATA[${text}]]>` : toXml(text);
    })
    .join("");
}
