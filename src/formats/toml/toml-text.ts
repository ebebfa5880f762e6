/** Strings and keys of TOML as they are written, in what every version of TOML reads. */

/** Writes a text in the quotes of another value, if they can hold it. @param like the value as it is written. */
export function writeTomlText(text: string, like: string, lineEnd: string): string {
  // Anything but a string is replaced in double quotes.
  const [quotes] = /^(?:"""|'''|"|')/.exec(like) ?? ['"'];
  const isLiteral = quotes.startsWith("'") && !/(?![\t\n])\p{Cc}|'''|'$/u.test(text);
  if (quotes.length === 1) {
    return isLiteral && !/[\n']/.test(text) ? `'${text}'` : `"${escaped(text, /["\\\p{Cc}]/gu)}"`;
  }
  const start = /^...(\r?\n)/.exec(like)?.[1] ?? (text.startsWith("\n") ? lineEnd : "");
  const marks = isLiteral ? "'''" : '"""';
  const inner = isLiteral ? text : escaped(text, /\\|"(?="")|"$|(?!\n)\p{Cc}/gu);
  return marks + start + inner.replaceAll("\n", lineEnd) + marks;
}

/** A name as a key, in quotes where TOML needs them. */
export function writeTomlName(name: string): string {
  return /^[\w-]+$/.test(name) ? name : `"${escaped(name, /["\\\p{Cc}]/gu)}"`;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', String.raw`\"`],
  ["\\", String.raw`\\`],
  ["\n", String.raw`\n`],
  ["\r", String.raw`\r`],
  ["\t", String.raw`\t`],
]);

function escaped(text: string, characters: RegExp): string {
  return text.replaceAll(
    characters,
    (character) => escapes.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
