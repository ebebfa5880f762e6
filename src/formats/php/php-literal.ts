/**
 * Texts as PHP literals. What is written here is code that others run: nothing leaves its quotes, since every character
 * that PHP reads as more than itself in them is escaped.
 */
import { escapeByName, pickEscapes, type NamedEscapes } from "../patch/escapes.ts";

/** A text in single quotes, or in double quotes where these were before or it has control characters. */
export function writePhpText(text: string, quote: "'" | '"'): string {
  if (quote === "'" && !/\p{Cc}/u.test(text)) return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
  const escaped = text.replaceAll(/[\\"$]/g, String.raw`\$&`);
  return `"${escaped.replaceAll(/\p{Cc}/gu, escapeControl)}"`;
}

const namedEscapes: NamedEscapes = new Map([
  ...pickEscapes("ntrvf"),
  ["e", "\u001b"],
  ["\\", "\\"],
  ["$", "$"],
]);

function escapeControl(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return escapeByName(namedEscapes, character) ?? `\\u{${code}}`;
}

/** The text between single quotes, as PHP reads it. */
export function readSingleQuoted(inner: string): string {
  return inner.replaceAll(/\\([\\'])/g, "$1");
}

/** Whether PHP would insert a variable into a text between double quotes or in a heredoc. */
export function isInterpolated(inner: string): boolean {
  const bare = inner.replaceAll(/\\[^]/g, "");
  return /\$[A-Za-z_\u0080-\u{10ffff}]|\{\$|\$\{/u.test(bare);
}

const escape = /\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u\{([0-9A-Fa-f]+)\}|([^]))/gu;

/**
 * Reads the inside of double quotes or of a heredoc as PHP does.
 * @param quote the character that needs an escape, if any.
 * @returns undefined when its bytes are not UTF-8, or an escape stands for no character.
 */
export function readDoubleQuoted(inner: string, quote: '"' | ""): string | undefined {
  if (!inner.includes("\\")) return inner;
  const pieces: Uint8Array[] = [];
  const encoder = new TextEncoder();
  let at = 0;
  for (const match of inner.matchAll(escape)) {
    const [whole, octal, hexadecimal, codePoint, character = ""] = match;
    pieces.push(encoder.encode(inner.slice(at, match.index)));
    at = match.index + whole.length;
    // PHP keeps the low eight bits of a higher octal number.
    if (octal !== undefined) pieces.push(Uint8Array.of(Number.parseInt(octal, 8)));
    else if (hexadecimal !== undefined) pieces.push(Uint8Array.of(Number.parseInt(hexadecimal, 16)));
    else if (codePoint !== undefined) {
      const code = Number.parseInt(codePoint, 16);
      if (code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
      pieces.push(encoder.encode(String.fromCodePoint(code)));
    } else if (character === quote) pieces.push(encoder.encode(character));
    else pieces.push(encoder.encode(namedEscapes.get(character) ?? whole));
  }
  pieces.push(encoder.encode(inner.slice(at)));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces));
  } catch {
    return undefined;
  }
}
