/** Compares the tags of HTML or XML, where the source text has tags that balance. */
import { nothing, type CheckFinding, type Comparison, type TextRange } from "./message.ts";

interface Tag {
  /** As it is compared: HTML's own names in lower case. */
  readonly name: string;
  readonly kind: "open" | "close" | "empty";
  readonly range: TextRange;
  /** Undefined where they cannot be read, as in `<a href=“x”>`. */
  readonly attributes: readonly Attribute[] | undefined;
}

interface Attribute {
  readonly name: string;
  readonly value: string;
}

const tag = /<(\/?)([A-Za-z][\w:.-]*|\d+)((?:[\s/][^<>]*)?)>/g;
// A name ends where it can, so that an unclosed one is not tried at each of its lengths.
const escapedTag = /&lt;(\/?)([A-Za-z][\w:.-]*(?![\w:.-])|\d+(?!\d))[^<>&]*(?:&gt;|>)/;
const attribute = /[\s/]+|([^\s"'<>=/“”„«»‘’]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`“”„«»‘’]+)))?/y;
/** HTML's elements without content. */
const empty: ReadonlySet<string> = new Set("br hr img input wbr col source meta link".split(" "));
/** HTML's elements that are used in texts. */
const html: ReadonlySet<string> = new Set(
  (
    "a abbr address article aside audio b bdi bdo big blockquote body br button caption center cite code col dd del " +
    "details dfn div dl dt em embed fieldset figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe " +
    "img input ins kbd label li link main mark meta nav object ol option p pre q s samp script section select small " +
    "source span strike strong style sub summary sup svg table tbody td textarea tfoot th thead time title tr tt u ul " +
    "var video wbr"
  ).split(" "),
);
/** Tags that browsers show like another. */
const equals: ReadonlyMap<string, string> = new Map([
  ["strong", "b"],
  ["em", "i"],
]);
/** Tags that may be left out or added: line breaks, and the marks that Android's tools alone read. */
const optional: ReadonlySet<string> = new Set(["br", "wbr", "xliff:g"]);

/** The first tag of a translation that looks like one of the source text and has another name. */
export function otherNamed(
  source: string,
  translation: string,
): { found: string; expected: string; range: TextRange } | undefined {
  if (!/<(?:b|i|strong|em)[\s>]/i.test(translation)) return undefined;
  const known = new Set(tagsIn(source).map(({ name }) => name));
  for (const { name, kind, range } of tagsIn(translation)) {
    const like = equals.get(name) ?? [...equals].find(([, other]) => other === name)?.[0];
    if (kind === "open" && like !== undefined && !known.has(name) && known.has(like))
      return { found: translation.slice(...range), expected: `<${like}>`, range };
  }
  return undefined;
}

/**
 * Compares the tags of translations with the tags of their source text. Where the source has no tags, only HTML's own are
 * found, and none in a text that the app escapes. An app that has tags in its source text does not escape it.
 * @param hasNamedTags whether `<strong>` cannot stand for `<b>`.
 */
export function markupComparison(source: string, hasNamedTags = false): Comparison {
  const closed = closedIn(source);
  const tagsOf = (text: string): readonly Tag[] => tagsIn(text, closed, hasNamedTags ? undefined : equals);
  const from = tagsOf(source);
  const isPart = unbalanced(from) !== undefined;
  return (translation, { isEscaped = false }) => {
    if (from.length === 0 && (isEscaped || !translation.includes("<"))) return nothing;
    const to = tagsOf(translation);
    // Of a part of a document, or of names such as <file>, nothing is known but that code does not belong there.
    if (isPart) return findCode(from, to, translation);
    const isSame =
      from.length === to.length &&
      from.every(({ name, kind }, i) => name === to[i]?.name && kind === to[i].kind);
    const findings = isSame ? nothing : compareTags(from, to, translation);
    if (findings.length > 0) return findings;
    return from.length > 0 ? compareAttributes(from, to, translation) : findCode(from, to, translation);
  };
}

function compareTags(from: readonly Tag[], to: readonly Tag[], translation: string): readonly CheckFinding[] {
  const known = new Set(from.map(({ name }) => name));
  const present = new Set(to.map(({ name }) => name));
  const escaped = escapedTag.exec(translation);
  const escapedName = escaped === null ? undefined : nameOf(escaped[2] ?? "");
  if (escaped !== null && escapedName !== undefined && known.has(escapedName) && !present.has(escapedName)) {
    const range = [escaped.index, escaped.index + escaped[0].length] as const;
    const message = `${escaped[0]} is escaped, and shown as it is`;
    return [{ check: "markup-escaped", severity: "error", message, found: escaped[0], range }];
  }
  const missing = [...known].filter((name) => !present.has(name) && !optional.has(name));
  let replaced = 0;
  const findings: CheckFinding[] = [];
  const reported = new Set<string>();
  for (const { name, range } of to) {
    if (known.has(name) || reported.has(name) || optional.has(name)) continue;
    if (from.length === 0 && !html.has(name)) continue;
    reported.add(name);
    const instead = missing[replaced++];
    const found = translation.slice(...range);
    const expected = instead === undefined ? undefined : `<${instead}>`;
    const message = `${found} is not in the source text${expected === undefined ? "" : `, which has ${expected}`}`;
    findings.push({
      check: "tag-extra",
      severity: "error",
      message,
      found,
      expected,
      range,
    });
  }
  if (from.length > 0 && findings.length === 0) {
    const open = unbalanced(to);
    if (open !== undefined) return [unclosed(translation, open)];
  }
  for (const name of missing.slice(replaced)) {
    const expected = `<${name}>`;
    const message = `${expected} of the source text is missing`;
    findings.push({ check: "tag-missing", severity: "warning", message, expected });
  }
  return findings;
}

/** Finds attributes that browsers read otherwise, and code that the source text does not run. */
function compareAttributes(
  from: readonly Tag[],
  to: readonly Tag[],
  translation: string,
): readonly CheckFinding[] {
  if (from.some(({ attributes }) => attributes === undefined)) return findCode(from, to, translation);
  const unread = to.flatMap(({ attributes, range }): readonly CheckFinding[] => {
    if (attributes !== undefined) return [];
    const found = translation.slice(...range);
    const message = `an attribute of ${found} does not stand between " or '`;
    return [{ check: "tag-unclosed", severity: "error", message, found, range }];
  });
  return [...unread, ...findCode(from, to, translation)];
}

/** Finds what is run as code, and what the source text does not run. */
function findCode(from: readonly Tag[], to: readonly Tag[], translation: string): readonly CheckFinding[] {
  const known = new Set(from.flatMap(codeIn));
  return to.flatMap((each): readonly CheckFinding[] => {
    const code = codeIn(each).find((name) => !known.has(name));
    if (code === undefined) return [];
    const found = translation.slice(...each.range);
    const message = `${code} is not in the source text`;
    return [{ check: "tag-extra", severity: "error", message, found, range: each.range }];
  });
}

/** Elements that run what is in them, or load what runs. */
const ofCode: ReadonlySet<string> = new Set(["script", "iframe", "object", "embed"]);

/** What of a tag is run as code: its name, and attributes by their names or values. */
function codeIn({ name: element, kind, attributes = [] }: Tag): readonly string[] {
  const own = kind !== "close" && ofCode.has(element) ? [`<${element}>`] : [];
  const inAttributes = attributes.flatMap(({ name, value }) => {
    if (/^on[a-z]+$/i.test(name)) return [name.toLowerCase()];
    return isCode(value) ? [`${name.toLowerCase()} with code`] : [];
  });
  return own.length > 0 ? [...own, ...inAttributes] : inAttributes;
}

/** Whether an address is code, as a browser reads it: it passes over some blanks, and characters may be references. */
function isCode(value: string): boolean {
  if (!/[:&]/.test(value)) return false;
  const read = value
    .slice(0, maxScheme)
    .replaceAll(reference, (_, hex?: string, number?: string, name = "") => {
      if (name !== "") return name.toLowerCase() === "colon" ? ":" : "\t";
      const code = hex === undefined ? Number(number) : Number.parseInt(hex, 16);
      return code < 0x80 ? String.fromCodePoint(code) : "\uFFFD";
    });
  return /^[\0- ]*(?:javascript|vbscript|data):/i.test(read.replaceAll(/[\t\n\r]/g, ""));
}

/** As many characters of an address may stand before the end of its scheme: each may be a reference. */
const maxScheme = 500;
const reference = /&(?:#x([\da-f]{1,8})|#(\d{1,8})|(colon|tab|newline));?/gi;

function attributesOf(text: string): readonly Attribute[] | undefined {
  const attributes: Attribute[] = [];
  for (let at = 0; at < text.length; at = attribute.lastIndex) {
    attribute.lastIndex = at;
    const match = attribute.exec(text);
    if (match === null) return undefined;
    const { 1: name, 2: double, 3: single, 4: bare = "" } = match;
    if (name !== undefined) attributes.push({ name, value: double ?? single ?? bare });
  }
  return attributes;
}

function unclosed(text: string, { name, kind, range }: Tag): CheckFinding {
  const found = text.slice(...range);
  const [message, expected] =
    kind === "open" ? [`${found} is not closed`, `</${name}>`] : [`${found} closes nothing`, `<${name}>`];
  return { check: "tag-unclosed", severity: "error", message, found, expected, range };
}

function nameOf(written: string): string {
  const lower = written.toLowerCase();
  return html.has(lower) ? lower : written;
}

/** The entities that machines write where nobody asked for HTML. */
const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|quot|apos|amp|lt|gt);/i;

/** Finds an entity in the translation of a text that has none, nor any tags: it is shown as it is. */
export function compareEntities(source: string, translation: string): readonly CheckFinding[] {
  if (!translation.includes("&")) return nothing;
  const match = entity.exec(translation);
  if (match === null || /&#?\w{1,30};/.test(source) || tagsIn(source).length > 0) return nothing;
  const range = [match.index, match.index + match[0].length] as const;
  const message = `${match[0]} is an entity of HTML, and the source text has none`;
  return [{ check: "markup-escaped", severity: "warning", message, found: match[0], range }];
}

/** The names of HTML's elements without content that have some in a text: an app has components of these names. */
function closedIn(text: string): ReadonlySet<string> {
  const names = Array.from(text.matchAll(/<\/([A-Za-z]+)\s*>/g), ([, name = ""]) => nameOf(name));
  return new Set(names.filter((name) => empty.has(name) && !optional.has(name)));
}

/**
 * @param closed the names of HTML's elements without content that have some here.
 * @param others names that are taken for others.
 */
function tagsIn(
  text: string,
  closed: ReadonlySet<string> = new Set(),
  others?: ReadonlyMap<string, string>,
): readonly Tag[] {
  if (!text.includes("<")) return noTags;
  const tags: Tag[] = [];
  tag.lastIndex = 0;
  for (let match = tag.exec(text); match !== null; match = tag.exec(text)) {
    const { 0: whole, 1: slash, 2: written = "", 3: rest = "", index } = match;
    const own = nameOf(written);
    const name = others?.get(own) ?? own;
    const isEmpty = rest.endsWith("/") || (empty.has(name) && !closed.has(name));
    const kind = isEmpty ? "empty" : slash === "/" ? "close" : "open";
    tags.push({ name, kind, range: [index, index + whole.length], attributes: attributesOf(rest) });
  }
  return tags;
}

const noTags: readonly Tag[] = [];

/** The first tag that is not closed, or that closes nothing. */
function unbalanced(tags: readonly Tag[]): Tag | undefined {
  const open: Tag[] = [];
  for (const each of tags) {
    if (each.kind === "open") open.push(each);
    else if (each.kind === "close" && open.pop()?.name !== each.name) return each;
  }
  return open[0];
}
