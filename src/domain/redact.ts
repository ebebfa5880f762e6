/** What other programs say, made fit to be shown: one line, without credentials. */

/**
 * Tokens that can be told by their form, wherever they begin and also as URLs have them (`Bearer%20skep%5F…`): GitHub's,
 * GitLab's and Skep's own.
 */
const knownTokens =
  /(?:gh[opusr](?:_|%5f)|github(?:_|%5f)pat(?:_|%5f)|glpat-|skep(?:_|%5f)[0-9a-z]+(?:_|%5f))(?:[0-9a-z_-]|%5f){16,}/i;

const maxLength = 400;
/** What another program says may be long, and what is looked for takes time that grows with the square of a line. */
const maxLines = 20;
const maxLineLength = 1_000;
const maxLoggedLines = 100;

/** Whether a text holds something that can be told for a token. */
export function holdsToken(text: string): boolean {
  return knownTokens.test(text);
}

/**
 * Several lines as one of at most 400 characters, without what may be a credential: the users, passwords and queries
 * of addresses, headers of authorization, and tokens. It takes more than need be rather than less.
 */
export function toOneLine(lines: readonly string[]): string {
  const text = lines
    .slice(0, maxLines)
    .map((line) =>
      redacted(
        cut(line)
          .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
          .trim(),
      ),
    )
    .filter((line) => line !== "")
    .join("; ");
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}

/**
 * A text of several lines, such as a stack, without what may be a credential. Long lines lose their end, long texts
 * theirs.
 */
export function withoutCredentials(text: string): string {
  return text
    .split("\n", maxLoggedLines)
    .map((line) => redacted(cut(line)))
    .join("\n");
}

/** A long line without its end, nor the word that the cut is in: half a credential would not be told for one. */
function cut(line: string): string {
  return line.length > maxLineLength ? line.slice(0, maxLineLength).replace(/\S*$/, "…") : line;
}

function redacted(line: string): string {
  return line
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s'"]*@/gi, "$1")
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s'"?#]*)[?#][^\s'"]*/gi, "$1")
    .replaceAll(/[^\s'"/]+@(?=[\w[])/g, "")
    .replaceAll(/\b((?:proxy-)?authorization:|basic|bearer)\s+.*$/gi, "$1 ***")
    .replaceAll(/\b((?:password|passwd|token|secret)\s*[=:]\s*)[^\s'"]+/gi, "$1***")
    .replaceAll(new RegExp(knownTokens, "gi"), "***");
}
