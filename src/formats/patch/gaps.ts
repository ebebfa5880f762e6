/** The text between the entries of a group: separators, comments and line endings. */
import { matchEnd } from "../../domain/text.ts";
import type { GroupNode } from "./nodes.ts";

/** An entry with its separator, comments and lines. */
export interface Block {
  /**
   * Where the block starts: with the line, or the comments above it that belong to the entry, where it has lines of its
   * own.
   */
  readonly start: number;
  /** Where it ends: after its separator, the comment behind it and the end of its line, where it has lines of its own. */
  readonly end: number;
  /** Whether nothing else stands on its lines. */
  readonly ownsLines: boolean;
  /** Whether only blanks stand before it on its line. */
  readonly startsLine: boolean;
  /** The blanks before it, where it starts a line. */
  readonly indent: string;
  /** The separator after it. */
  readonly separator: { readonly start: number; readonly end: number } | undefined;
}

export interface GapSyntax {
  /** The text between two entries; empty where they are separated by lines. */
  readonly separator: string;
  /** A sticky expression for one comment without the end of its line, where there are comments. */
  readonly comment?: RegExp;
}

interface Gap {
  readonly separator: Block["separator"];
  /** Where the line of the entry before the gap ends; undefined where something else stands on it. */
  readonly lineEnd: number | undefined;
  /** Where the line of the entry after the gap starts; undefined where something else stands before it. */
  readonly lineStart: number | undefined;
  /** Where the comments directly above that line start. */
  readonly commentStart: number | undefined;
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\r";
}

function readGap(text: string, start: number, end: number, syntax: GapSyntax): Gap {
  const { separator, comment } = syntax;
  let separatorAt: number | undefined;
  let lineEnd: number | undefined;
  const isAtFileStart = start === 0;
  let lineStart = isAtFileStart || text[start - 1] === "\n" ? start : undefined;
  let isOnFirstLine = true;
  let hasComment = false;
  // A comment at the start of a file describes the file.
  let isHeader = isAtFileStart;
  let commentStart: number | undefined;
  for (let at = start; at < end;) {
    const character = text[at];
    if (isBlank(character)) at++;
    else if (character === "\n") {
      at++;
      if (isOnFirstLine) lineEnd = at;
      else if (!hasComment) commentStart = undefined;
      if (!hasComment) isHeader = false;
      isOnFirstLine = hasComment = false;
      lineStart = at;
    } else if (separator !== "" && text.startsWith(separator, at)) {
      separatorAt = at;
      at += separator.length;
      if (!isOnFirstLine) lineEnd = lineStart = undefined;
    } else {
      const commentEnd = comment === undefined ? undefined : matchEnd(comment, text, at);
      if (commentEnd === undefined)
        return { separator: undefined, lineEnd, ...afterOther(text, at, end, syntax) };
      if (!isOnFirstLine || isAtFileStart) {
        hasComment = true;
        if (!isHeader) commentStart ??= lineStart;
      }
      at = commentEnd;
    }
  }
  if (end === text.length && isOnFirstLine) lineEnd = end;
  const separatorPlace =
    separatorAt === undefined ? undefined : { start: separatorAt, end: separatorAt + separator.length };
  return { separator: separatorPlace, lineEnd, lineStart, commentStart };
}

/** How far before an entry its comments are looked for where something that is not read stands between. */
const maxComments = 1000;

/**
 * Reads the lines of a gap behind something that is not read, such as an element that holds no text.
 * @param at where that starts.
 */
function afterOther(
  text: string,
  at: number,
  end: number,
  syntax: GapSyntax,
): Pick<Gap, "lineStart" | "commentStart"> {
  const shared = { lineStart: undefined, commentStart: undefined };
  // Where entries have separators, what else stands between them is no line of its own.
  if (syntax.separator !== "") return shared;
  const next = text.indexOf("\n", Math.max(at, end - maxComments));
  if (next === -1 || next >= end) return shared;
  // What looks like a comment there may end nowhere, and is not sought behind the gap.
  const { lineStart, commentStart } = readGap(text.slice(0, end), next, end, syntax);
  return { lineStart, commentStart };
}

function skipBlanks(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isBlank(text[at])) at++;
  return at;
}

/** The blocks of a group's entries. */
export function blocksOf(group: GroupNode, text: string, syntax: GapSyntax): readonly Block[] {
  const { entries, innerStart, innerEnd } = group;
  let before = readGap(text, innerStart, entries[0]?.start ?? innerEnd, syntax);
  return entries.map((entry, i) => {
    const next = entries[i + 1]?.start ?? innerEnd;
    const after = readGap(text, entry.end, next, syntax);
    const { lineStart, commentStart } = before;
    const ownsLines = lineStart !== undefined && after.lineEnd !== undefined;
    const inlineEnd = after.separator === undefined ? entry.end : skipBlanks(text, after.separator.end, next);
    const block: Block = {
      start: ownsLines ? (commentStart ?? lineStart) : entry.start,
      end: ownsLines && after.lineEnd !== undefined ? after.lineEnd : inlineEnd,
      ownsLines,
      startsLine: lineStart !== undefined,
      indent: lineStart === undefined ? "" : text.slice(lineStart, skipBlanks(text, lineStart, entry.start)),
      separator: after.separator,
    };
    before = after;
    return block;
  });
}
