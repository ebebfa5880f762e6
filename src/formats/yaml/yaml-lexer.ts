/**
 * The lexemes of YAML, with quotes as the loaders of apps read them. Libyaml (Ruby, Go, Python) and Symfony go on to the
 * closing quote whatever the indentation of the lines between; the library ends a scalar at a line that is not indented
 * further than its name.
 */
import { Lexer } from "yaml";

/** Lexemes that are no part of the file: the start of a document, the end of brackets, and what precedes a scalar. */
const [startOfDocument, endOfFlow, beforeScalar] = ["\u0002", "\u0018", "\u001F"];

/** Splits a file into lexemes. */
export function* lexemesOf(text: string): Generator<string, void> {
  let from: number | undefined = 0;
  while (from !== undefined) from = yield* lexemesFrom(text, from);
}

/** @returns where to go on with a new lexer; undefined at the end. */
function* lexemesFrom(text: string, from: number): Generator<string, number | undefined> {
  let offset = from;
  let brackets = 0;
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text.slice(from))) {
    const isMark = !isScalar && [startOfDocument, endOfFlow, beforeScalar].includes(lexeme);
    if (isMark) {
      isScalar = lexeme === beforeScalar;
      if (from === 0 || lexeme !== startOfDocument) yield lexeme;
      continue;
    }
    const isQuoted = !isScalar && brackets === 0 && /^["']/.test(lexeme);
    const whole = isQuoted ? wholeQuoted(text, offset, offset + lexeme.length) : undefined;
    if (whole !== undefined) {
      yield* whole.lexemes;
      return whole.end;
    }
    if (!isScalar && /^[[{]$/.test(lexeme)) brackets++;
    if (!isScalar && /^[\]}]$/.test(lexeme)) brackets--;
    isScalar = false;
    offset += lexeme.length;
    yield lexeme;
  }
  return undefined;
}

/**
 * A quoted scalar that the lexer has ended too early, and the rest of its last line.
 * @returns undefined where the lexer has read it as a whole, and where nothing but blanks or a comment may not follow it, as
 * behind a quote that somebody forgot.
 */
function wholeQuoted(
  text: string,
  start: number,
  lexed: number,
): { readonly lexemes: readonly string[]; readonly end: number } | undefined {
  const close = endOfQuoted(text, start);
  if (close === undefined || close === lexed) return undefined;
  const scalar = text.slice(start, close);
  const behind = /([ \t]*)((?:(?<=\s)#[^\r\n]*)?)(\r?\n|$)(?![%\uFEFF])/y;
  behind.lastIndex = close;
  const found = behind.exec(text);
  if (found === null || /\n(?:---|\.\.\.)(?=\s)/.test(scalar)) return undefined;
  const [, ...parts] = found;
  return { lexemes: [scalar, ...parts.filter((part) => part !== "")], end: behind.lastIndex };
}

/** The end of a quoted scalar, behind its closing quote; undefined where it has none. */
function endOfQuoted(text: string, start: number): number | undefined {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\" && quote === '"') at++;
    else if (text[at] === quote && quote === "'" && text[at + 1] === quote) at++;
    else if (text[at] === quote) return at + 1;
  }
  return undefined;
}
