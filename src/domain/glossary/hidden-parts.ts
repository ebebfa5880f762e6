/** The parts of a text that are not words of its language: arguments, tags, addresses. */
import { isFault, type TextRange } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { syntaxes } from "../checks/syntaxes.ts";

/** Whether there may be anything of {@link opaque}. */
const suspicious = /[<&@\]]|:\/\/|www\./i;
/** Tags, entities, CDATA, addresses of pages and of mail. Repetitions are bounded where they could begin at every place. */
const opaque =
  /<!\[CDATA\[|\]\]>|<\/?[a-z][^<>]*>|&#?\w+;|\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s<>"]+|\bwww\.[^\s<>"]+|[\w.+-]{1,64}@[\w-]+\.[\w.-]+/gi;
/** What stands for an argument in most syntaxes, where a text is no message of its own. */
const likelyArgument = /\{[^{}]*\}|%[-+#0-9.$]*[a-zA-Z@]/g;

/** The ranges of these parts, which may overlap. */
export function hiddenParts(syntax: SyntaxName, text: string): readonly TextRange[] {
  const hidden = suspicious.test(text) ? Array.from(text.matchAll(opaque), rangeOf) : [];
  if (syntax === "none" || !syntaxes[syntax].special.test(text)) return hidden;
  if (syntax === "icu") return [...hidden, ...icuSyntax(text)];
  const message = syntaxes[syntax].parse(text);
  const all = isFault(message)
    ? Array.from(text.matchAll(likelyArgument), rangeOf)
    : message.arguments.map(({ range }) => range);
  return [...hidden, ...all];
}

function rangeOf({ 0: found, index }: RegExpExecArray): TextRange {
  return [index, index + found.length];
}

/** In ICU messages, text and syntax alternate with the depth of braces: `{n, plural, one {text} other {text}}`. */
function* icuSyntax(text: string): Generator<TextRange> {
  let depth = 0;
  let start = 0;
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    const isText = depth % 2 === 0;
    if (brace === "{") depth++;
    else if (depth > 0) depth--;
    if (isText) start = index;
    else yield [start, index + 1];
  }
  if (depth % 2 === 1) yield [start, text.length];
}
