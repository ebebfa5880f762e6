/** How YAML spells texts: which plain words are no texts, and how a text is written so that every reader takes it for one. */

/** Which plain scalars a reader of YAML takes for something else than a text. */
export type PlainRule = (plain: string) => boolean;

/** As YAML 1.2 has it. */
export const isOtherInYaml12: PlainRule = (plain) =>
  /^(?:|~|null|Null|NULL|true|True|TRUE|false|False|FALSE)$/.test(plain) ||
  /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/.test(plain) ||
  /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(plain) ||
  /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/.test(plain);

/** As Psych has it, with which Ruby reads YAML: words of YAML 1.1, symbols, dates, numbers by the clock. */
export const isOtherInRuby: PlainRule = (plain) =>
  /^(?:|~|null|yes|true|on|no|false|off|[-+]?\.inf|\.nan)$/i.test(plain) ||
  /^:./.test(plain) ||
  /^-?\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?)?$/.test(
    plain,
  ) ||
  /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}(?:\.[0-9_]*)?$/.test(plain) ||
  /^[-+]?(?:[0-9][0-9_,]*)?\.[0-9]*(?:[eE][-+][0-9]+)?$/.test(plain) ||
  /^[-+]?(?:0b[01_,]+|0[0-7_,]+|0|[1-9](?:[0-9]|,[0-9]|_[0-9])*|0x[0-9a-fA-F_,]+)$/.test(plain);

/** Whether a text can stand without quotes, for readers of YAML 1.1 and 1.2, outside and inside of brackets. */
function canBePlain(text: string, inFlow: boolean): boolean {
  return (
    /^[\p{L}\p{N}\p{So}\p{Sc}_(/.$^][^]*$/u.test(text) &&
    !/[\p{Cc}\p{Co}\p{Cn}\p{Zl}\p{Zp}\uFEFF]|:(?:\s|$)|\s#|\s$/u.test(text) &&
    !(inFlow && /[,[\]{}:]/.test(text)) &&
    // Whatever could be a number, a date or a time for somebody.
    !/^[-+.0-9][-+.,:_0-9a-fA-FxoTtZ\s]*$/.test(text) &&
    !/^(?:null|y|n|yes|no|true|false|on|off|\.inf|\.nan)$/i.test(text)
  );
}

/** The first character of what stands for a text: a quote, the sign of a block, or anything else for plain words. */
export type Style = "'" | '"' | "|" | ">" | "";

/** How the text that begins at an offset is written. */
export function styleAt(file: string, offset: number): Style {
  const character = file[offset];
  return character === "'" || character === '"' || character === "|" || character === ">" ? character : "";
}

/** Spells a text on one line, in a style as far as that can be. */
export function inlineText(text: string, style: Style, inFlow: boolean): string {
  // Both kinds of quotes fold lines; a block's sign would be an indicator.
  if (style === "'" && !/[\p{Cc}\p{Zl}\p{Zp}\uFEFF]/u.test(text)) return `'${text.replaceAll("'", "''")}'`;
  if (style !== '"' && canBePlain(text, inFlow)) return text;
  return doubleQuoted(text);
}

/** The spelling of a name. A long one is no name for readers of YAML; the caller sees to that. */
export function inlineKey(name: string, inFlow: boolean): string {
  return name !== "=" && name !== "<<" && canBePlain(name, inFlow) ? name : doubleQuoted(name);
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
 * Spells a text as a block, with its header; undefined where the text cannot stand so.
 * @param indent what stands before each line.
 */
export function blockText(
  text: string,
  style: "|" | ">",
  indent: string,
  lineEnd: string,
): string | undefined {
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  // The first line tells the indentation, and empty lines at the end are counted with those of the file.
  if (/^\s|\n$|^$/.test(body) || /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Cn}\uFEFF]/u.test(body)) return undefined;
  // Lines that are indented further, or end with blanks, are not folded as others are.
  if (style === ">" && /\n[ \t]|[ \t](?:\n|$)/.test(body)) return undefined;
  const folded = style === ">" ? body.replaceAll(/\n+/g, (lines) => `\n${lines}`) : body;
  const lines = folded.split("\n").map((line) => (line === "" ? "" : indent + line));
  return style + (text.endsWith("\n") ? "" : "-") + lineEnd + lines.join(lineEnd);
}
