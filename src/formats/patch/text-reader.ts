/** Reads the text of a file from its start to its end; the readers of several formats derive from it. */
import { excerpt } from "../../domain/text.ts";
import type { FormatError } from "./format-error.ts";
import { errorAt } from "./source-text.ts";

export class TextReader {
  protected readonly text: string;
  /** The offset of the next character. */
  protected at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Matches a sticky expression at the offset, and goes behind the match. */
  protected exec(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const match = expression.exec(this.text) ?? undefined;
    this.at += match?.[0].length ?? 0;
    return match;
  }

  protected match(expression: RegExp): string | undefined {
    return this.exec(expression)?.[0];
  }

  /** Reads a literal. @returns false when something else stands here. */
  protected take(literal: string): boolean {
    if (!this.text.startsWith(literal, this.at)) return false;
    this.at += literal.length;
    return true;
  }

  /** An error at the present offset, or another. */
  protected error(message: string, at = this.at): FormatError {
    return errorAt(this.text, at, message);
  }

  /** The error for an unexpected character at the offset. */
  protected unexpected(expected: string): FormatError {
    const code = this.text.codePointAt(this.at);
    const found = code === undefined ? "ends" : `has ${excerpt(String.fromCodePoint(code))}`;
    return this.error(`${found} where ${expected} should be`);
  }
}
