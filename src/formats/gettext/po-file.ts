/** The messages of a gettext file with their places. */
import { contextSeparator, excerpt, lineAt, readableKey } from "../../domain/text.ts";
import { asciiOf, controlEscapes, escapeByName, unescape, type NamedEscapes } from "../patch/escapes.ts";
import type { FormatError } from "../patch/format-error.ts";
import type { Span } from "../patch/nodes.ts";
import { TextReader } from "../patch/text-reader.ts";

/** A text with its place, from its first quote to after its last. */
export interface PoText extends Span {
  readonly text: string;
}

export interface PoMessage {
  /** The `msgid`, after the context if there is one. */
  readonly key: string;
  readonly id: string;
  /** The `msgid_plural`. */
  readonly plural: string | undefined;
  /** The texts of its `msgstr`, which are counted where there is a plural. */
  readonly forms: readonly PoText[];
  readonly isFuzzy: boolean;
  /** The start of the line of its first comment, or of itself. */
  readonly start: number;
  /** Where its comments end and it starts itself. */
  readonly messageStart: number;
  /** The end of its last text. */
  readonly end: number;
}

export interface PoFile {
  /** The header: the message with an empty id. */
  readonly header: PoMessage | undefined;
  readonly messages: readonly PoMessage[];
}

/** @throws FormatError with the line that is not valid gettext. */
export function readPoFile(text: string): PoFile {
  return new PoReader(text).readFile();
}

const keyword = /[ \t]*(msgctxt|msgid_plural|msgid|msgstr)(?:\[([0-9])\])?(?=[ \t\r\n"])/y;
const flagsPattern = /^#,(?:.*,)?[ \t]*fuzzy[ \t]*(?:,|$)/m;

class PoReader extends TextReader {
  readFile(): PoFile {
    const messages: PoMessage[] = [];
    const places = new Map<string, number>();
    let header: PoMessage | undefined;
    for (;;) {
      const start = this.#skipComments();
      if (this.at >= this.text.length) break;
      const message = this.#readMessage(start);
      const other = places.get(message.key);
      if (other !== undefined) {
        const problem = `the msgid ${excerpt(readableKey(message.key))} is already in line ${lineAt(this.text, other)}`;
        throw this.error(problem, message.messageStart);
      }
      places.set(message.key, message.messageStart);
      if (message.key === "") header = message;
      else messages.push(message);
    }
    return { header, messages };
  }

  /** Goes to the next message. @returns where the comments that belong to it start. */
  #skipComments(): number {
    let start: number | undefined;
    for (;;) {
      const lineStart = this.at;
      const line = this.match(/[^\n]*/y) ?? "";
      const trimmed = line.trim();
      const isComment = trimmed.startsWith("#");
      if (!isComment && trimmed !== "") {
        this.at = lineStart;
        return start ?? lineStart;
      }
      // Obsolete messages stay where they are.
      start = isComment && !trimmed.startsWith("#~") ? (start ?? lineStart) : undefined;
      if (this.match(/\n/y) === undefined) return this.at;
    }
  }

  #readMessage(start: number): PoMessage {
    const messageStart = this.at;
    const context = this.#readField("msgctxt")?.text;
    const id = this.#readField("msgid");
    if (id === undefined) throw this.error("has no msgid where one should be");
    const plural = this.#readField("msgid_plural")?.text;
    const forms: PoText[] = [];
    for (;;) {
      const form = this.#readField("msgstr", plural === undefined ? undefined : forms.length);
      if (form === undefined) break;
      forms.push(form);
      if (plural === undefined) break;
    }
    const last = forms.at(-1);
    if (last === undefined)
      throw this.error(`has no ${plural === undefined ? "msgstr" : "msgstr[0]"} where one should be`);
    for (const part of [context ?? "", id.text]) {
      if (part.includes(contextSeparator)) throw this.error("has U+0004 in a msgid or msgctxt", messageStart);
    }
    const key = context === undefined ? id.text : context + contextSeparator + id.text;
    const isFuzzy = flagsPattern.test(this.text.slice(start, messageStart).replaceAll("\r", ""));
    return { key, id: id.text, plural, forms, isFuzzy, start, messageStart, end: last.end };
  }

  #readField(name: string, index?: number): PoText | undefined {
    const from = this.at;
    this.match(/\s*/y);
    const [, found, number] = this.exec(keyword) ?? [];
    if (found !== name || number !== (index === undefined ? undefined : String(index))) {
      this.at = from;
      return undefined;
    }
    return this.#readStrings();
  }

  #readStrings(): PoText {
    const pieces: string[] = [];
    let start: number | undefined;
    let end = this.at;
    for (;;) {
      this.match(/\s*/y);
      if (this.text[this.at] !== '"') break;
      start ??= this.at;
      pieces.push(this.#readString());
      end = this.at;
    }
    if (start === undefined) throw this.error("has no text in double quotes where one should be");
    this.at = end;
    const rest = this.match(/[ \t\r]*(?=\n|$)/y);
    if (rest === undefined) throw this.error("has something behind a text");
    const text = pieces.join("");
    return { text, start, end };
  }

  #readString(): string {
    const text = this.text;
    const start = this.at;
    let at = start + 1;
    while (at < text.length && text[at] !== '"' && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
    if (text[at] !== '"') throw this.error("has a text that does not end on its line", start);
    this.at = at + 1;
    const value = readText(text.slice(start + 1, at));
    if (value === undefined)
      throw this.error("has an escape of a character that is not ASCII, or unknown", start);
    return value;
  }

  /** @param at the present offset, after blanks, if not given. */
  protected override error(message: string, at?: number): FormatError {
    if (at === undefined) this.match(/\s*/y);
    return super.error(message, at);
  }
}

const namedEscapes: NamedEscapes = new Map([
  ...controlEscapes,
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
  ["?", "?"],
]);

const escape = /\\(?:([0-7]{1,3})|x([0-9A-Fa-f]+)|([^]))/g;

/** @returns undefined when an escape is unknown, or is a number above ASCII, whose encoding is unknown. */
function readText(inner: string): string | undefined {
  return unescape(inner, escape, (octal, hexadecimal, character = "") => {
    if (octal !== undefined) return asciiOf(octal, 8);
    return hexadecimal === undefined ? namedEscapes.get(character) : asciiOf(hexadecimal, 16);
  });
}

/** Writes a text on one line, in quotes. */
export function writePoText(text: string): string {
  const escaped = text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll(/[\p{Cc}]/gu, (control) => {
    const code = control.charCodeAt(0);
    if (code > 127) return control;
    return escapeByName(controlEscapes, control) ?? `\\${code.toString(8).padStart(3, "0")}`;
  });
  return `"${escaped}"`;
}

/** Writes a text with one string for each of its lines, as gettext's tools do. */
export function writePoLines(text: string, lineEnd: string): string {
  const lines = text.split(/(?<=\n)/);
  return lines.length < 2 ? writePoText(text) : ['""', ...lines.map(writePoText)].join(lineEnd);
}
