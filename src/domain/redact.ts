/** Prepares the output of other programs for display and logs: removes credentials, and joins lines. */

/**
 * Tokens that are recognised by their form, anywhere in a text and also URL-encoded (`Bearer%20skep%5F…`): GitHub's,
 * GitLab's and Skep's own.
 */
const knownTokens =
  /(?:gh[opusr](?:_|%5f)|github(?:_|%5f)pat(?:_|%5f)|glpat-|skepf?(?:_|%5f)[0-9a-z-]+(?:_|%5f))(?:[0-9a-z_-]|%5f){16,}/i;

const maxLength = 400;
/**
 * Bounds for the output of other programs, because the search takes time that grows with the square of a line's length.
 */
const maxLines = 20;
const maxLineLength = 1_000;
const maxLoggedLines = 100;

/** Whether a text holds what looks like a token. */
export function holdsToken(text: string): boolean {
  return knownTokens.test(text);
}

/**
 * Joins lines into one of at most 400 characters, and removes possible credentials: users, passwords and queries of URLs,
 * authorization headers, and tokens. In case of doubt it removes too much.
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
 * Removes possible credentials from a text of several lines, such as a stack trace. Long lines and long texts are
 * truncated.
 */
export function withoutCredentials(text: string): string {
  return text
    .split("\n", maxLoggedLines)
    .map((line) => redacted(cut(line)))
    .join("\n");
}

/** Truncates a long line at a word boundary, because half a credential would not be recognised. */
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
