/** YAML scalars: which plain scalars are not strings, and how to write a string so that every reader takes it as one. */

/** Whether a reader takes a plain scalar as something other than a string. */
export type PlainRule = (plain: string) => boolean;

/** The rule of YAML 1.2. */
export const isOtherInYaml12: PlainRule = (plain) =>
  /^(?:|~|null|Null|NULL|true|True|TRUE|false|False|FALSE)$/.test(plain) ||
  /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/.test(plain) ||
  /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(plain) ||
  /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/.test(plain);

/** The rule of Psych, Ruby's YAML reader: also YAML 1.1 booleans, symbols, dates and base-60 numbers. */
export const isOtherInRuby: PlainRule = (plain) =>
  /^(?:|~|null|yes|true|on|no|false|off|[-+]?\.inf|\.nan)$/i.test(plain) ||
  /^:./.test(plain) ||
  /^-?\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?)?$/.test(
    plain,
  ) ||
  /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}(?:\.[0-9_]*)?$/.test(plain) ||
  /^[-+]?(?:[0-9][0-9_,]*)?\.[0-9]*(?:[eE][-+][0-9]+)?$/.test(plain) ||
  /^[-+]?(?:0b[01_,]+|0[0-7_,]+|0|[1-9](?:[0-9]|,[0-9]|_[0-9])*|0x[0-9a-fA-F_,]+)$/.test(plain);

/** Whether a text needs no quotes for readers of YAML 1.1 and 1.2. @param inFlow whether it is inside brackets. */
function canBePlain(text: string, inFlow: boolean): boolean {
  return (
    /^[\p{L}\p{N}\p{So}\p{Sc}_(/.$^][^]*$/u.test(text) &&
    !/[\p{Cc}\p{Co}\p{Cn}\p{Zl}\p{Zp}\uFEFF]|:(?:\s|$)|\s#|\s$/u.test(text) &&
    // Readers of YAML 1.1 take a question mark inside brackets for an indicator.
    !(inFlow && /[,[\]{}:?]/.test(text)) &&
    // Anything that some reader could take as a number, a date or a time.
    !/^[-+.0-9][-+.,:_0-9a-fA-FxoTtZ\s]*$/.test(text) &&
    !/^(?:null|y|n|yes|no|true|false|on|off|\.inf|\.nan)$/i.test(text)
  );
}

/** The style of a scalar, named by its first character: a quote or a block indicator; empty for a plain scalar. */
export type Style = "'" | '"' | "|" | ">" | "";

/** How the scalar at an offset is written: by its quote or block sign; empty for a plain one. */
export function styleAt(file: string, offset: number): Style {
  const character = file[offset];
  return character === "'" || character === '"' || character === "|" || character === ">" ? character : "";
}

/** Writes a text on one line, in the given style if possible. */
export function inlineText(text: string, style: Style, inFlow: boolean): string {
  // Single quotes cannot escape what readers refuse; a block style needs lines of its own.
  if (style === "'" && !/[\p{Cc}\p{Zl}\p{Zp}\uFEFF\uFFFE\uFFFF]/u.test(text))
    return `'${text.replaceAll("'", "''")}'`;
  if (style !== '"' && canBePlain(text, inFlow)) return text;
  return doubleQuoted(text);
}

/** A name as a key on one line, in quotes where YAML would read it as something else. */
export function inlineKey(name: string): string {
  return name !== "=" && name !== "<<" && canBePlain(name, false) ? name : doubleQuoted(name);
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function doubleQuoted(text: string): string {
  const quoted = text.replace(/["\\\p{Cc}\p{Zl}\p{Zp}\p{Cn}\uFEFF]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16).toUpperCase();
    return (
      escapes[character] ?? (code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`)
    );
  });
  return `"${quoted}"`;
}

/**
 * Writes a text as a block scalar with its header.
 * @param indent the blanks before each line.
 * @returns undefined when a block cannot hold the text.
 */
export function blockText(
  text: string,
  style: "|" | ">",
  indent: string,
  lineEnd: string,
): string | undefined {
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  // Readers take the indentation from the first line, and cannot tell empty lines at the end of the text from empty
  // lines of the file.
  if (/^\s|\n$|^$/.test(body) || /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Cn}\uFEFF]/u.test(body)) return undefined;
  // Lines that are indented further, or end with blanks, are not folded as others are.
  if (style === ">" && /\n[ \t]|[ \t](?:\n|$)/.test(body)) return undefined;
  const folded = style === ">" ? body.replaceAll(/\n+/g, (lines) => `\n${lines}`) : body;
  const lines = folded.split("\n").map((line) => (line === "" ? "" : indent + line));
  return style + (text.endsWith("\n") ? "" : "-") + lineEnd + lines.join(lineEnd);
}
