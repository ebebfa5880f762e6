/**
 * Reads the XML that nearly all files are: without errors, processing instructions and definitions, and with names of ASCII.
 * A parser that knows all of XML looks at each character in turn; here the next tag is searched for, which takes a fraction
 * of the time. Whatever is not plain is left to that parser, which also says what is wrong with it.
 */

export interface XmlElement {
  /** With its prefix. */
  readonly tag: string;
  /** Without its prefix. */
  readonly name: string;
  readonly namespace: string;
  /** By their names with the prefixes. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: (XmlElement | string)[];
  /** The line that its start tag begins on. */
  readonly line: number;
  readonly start: number;
  /** Where its start tag ends. */
  readonly innerStart: number;
  /** Where its end tag starts; the same as `end` where it has none. */
  innerEnd: number;
  end: number;
}

/** The deepest nesting of elements that is read. */
export const maxDepth = 100;

/** What XML cannot have, and a line feed that is none of Unix or Windows. */
// oxlint-disable-next-line no-control-regex -- what is looked for
const strange = /[\0-\u0008\u000B\u000C\u000E-\u001F\uFEFF\uFFFE\uFFFF]|\r(?!\n)/;

const name = String.raw`[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?`;
const attribute = String.raw`[ \t\r\n]+${name}[ \t\r\n]*=[ \t\r\n]*(?:"[^"<]*"|'[^'<]*')`;
const declaration =
  /<\?xml[ ]+version=(?:"1\.0"|'1\.0')(?:[ ]+encoding=(?:"[A-Za-z][\w.-]*"|'[A-Za-z][\w.-]*'))?(?:[ ]+standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?[ ]*\?>/y;
const documentType = /<!DOCTYPE[ ]+[A-Za-z][\w.-]*[ ]*>/y;
/** More attributes than this has no file that a person or a program wrote. */
const startTag = new RegExp(String.raw`<(${name})((?:${attribute}){0,50})[ \t\r\n]*(/?)>`, "y");
const endTag = new RegExp(String.raw`</(${name})[ \t\r\n]*>`, "y");
const attributes = new RegExp(String.raw`(${name})[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')`, "g");

const noAttributes: ReadonlyMap<string, string> = new Map();

/** The namespaces that XML itself has, which files only name in strange ways. */
const ownNamespaces: ReadonlySet<string> = new Set([
  "http://www.w3.org/XML/1998/namespace",
  "http://www.w3.org/2000/xmlns/",
]);

/** The namespaces of prefixes; that without a prefix is under the empty name. */
type Namespaces = ReadonlyMap<string, string>;

/**
 * Reads the elements of a file.
 * @param takesDoctype whether it may have a document type.
 * @returns undefined where it is not plain.
 */
export function readPlainXml(text: string, takesDoctype: boolean): XmlElement | undefined {
  return strange.test(text) || !text.isWellFormed() ? undefined : new PlainReader(text, takesDoctype).read();
}

class PlainReader {
  readonly #text: string;
  readonly #takesDoctype: boolean;
  readonly #open: XmlElement[] = [];
  readonly #namespaces: Namespaces[] = [new Map()];
  #root: XmlElement | undefined;
  #hasDoctype = false;
  #at = 0;
  #line = 1;
  /** The first line feed that is not counted; looked for once, as the next may be far. */
  #nextFeed: number;

  constructor(text: string, takesDoctype: boolean) {
    this.#text = text;
    this.#takesDoctype = takesDoctype;
    this.#nextFeed = feedFrom(text, 0);
  }

  read(): XmlElement | undefined {
    this.#matches(declaration);
    while (this.#at < this.#text.length) if (!this.#readText() || !this.#readMarkup()) return undefined;
    return this.#open.length > 0 ? undefined : this.#root;
  }

  /** Whether the text at this place matches, which then is behind it. */
  #matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  /** Reads up to the next markup. @returns whether it is plain. */
  #readText(): boolean {
    const next = this.#text.indexOf("<", this.#at);
    const end = next === -1 ? this.#text.length : next;
    if (end === this.#at) return true;
    const raw = this.#text.slice(this.#at, end);
    this.#at = end;
    const parent = this.#open.at(-1);
    if (parent === undefined) return /^[ \t\r\n]*$/.test(raw);
    const text = raw.includes("]]>") ? undefined : decoded(withLineFeeds(raw));
    if (text !== undefined) parent.children.push(text);
    return text !== undefined;
  }

  #readMarkup(): boolean {
    const text = this.#text;
    switch (text[this.#at + 1]) {
      case undefined:
        return this.#at === text.length;
      case "/":
        return this.#close();
      case "!":
        if (text.startsWith("<!--", this.#at)) return this.#passComment();
        return text.startsWith("<![CDATA[", this.#at) ? this.#readCdata() : this.#passDoctype();
      default:
        return this.#openElement();
    }
  }

  #passComment(): boolean {
    const from = this.#at + "<!--".length;
    const end = this.#text.indexOf("-->", from);
    const comment = this.#text.slice(from, end);
    this.#at = end + "-->".length;
    return end !== -1 && !comment.includes("--") && !comment.endsWith("-");
  }

  #readCdata(): boolean {
    const from = this.#at + "<![CDATA[".length;
    const end = this.#text.indexOf("]]>", from);
    const parent = this.#open.at(-1);
    parent?.children.push(withLineFeeds(this.#text.slice(from, end)));
    this.#at = end + "]]>".length;
    return end !== -1 && parent !== undefined;
  }

  #passDoctype(): boolean {
    const isFirst = this.#root === undefined && !this.#hasDoctype && this.#takesDoctype;
    this.#hasDoctype = true;
    return isFirst && this.#matches(documentType);
  }

  #close(): boolean {
    const start = this.#at;
    endTag.lastIndex = start;
    const [whole = "", tag] = endTag.exec(this.#text) ?? [];
    const element = this.#open.pop();
    if (element === undefined || element.tag !== tag) return false;
    this.#namespaces.pop();
    this.#at += whole.length;
    element.innerEnd = start;
    element.end = this.#at;
    return true;
  }

  #openElement(): boolean {
    const start = this.#at;
    startTag.lastIndex = start;
    const [whole, tag = "", given = "", slash] = startTag.exec(this.#text) ?? [];
    if (whole === undefined || this.#open.length === maxDepth) return false;
    if (this.#root !== undefined && this.#open.length === 0) return false;
    const own = given === "" ? noAttributes : readAttributes(given);
    const namespaces = own && this.#namespacesWith(own);
    const [prefix = "", local] = tag.includes(":") ? tag.split(":") : ["", tag];
    const namespace = namespaces?.get(prefix) ?? "";
    if (own === undefined || namespaces === undefined || (prefix !== "" && namespace === "")) return false;
    this.#at += whole.length;
    const ends = { innerStart: this.#at, innerEnd: this.#at, end: this.#at };
    const line = this.#lineBehind(start + 1 + tag.length);
    const element: XmlElement = {
      tag,
      name: local ?? tag,
      namespace,
      attributes: own,
      children: [],
      line,
      start,
      ...ends,
    };
    this.#open.at(-1)?.children.push(element);
    this.#root ??= element;
    if (slash === "/") return true;
    this.#open.push(element);
    this.#namespaces.push(namespaces);
    return true;
  }

  /** The namespaces in an element with these attributes; undefined where a prefix stands for none, or for a strange one. */
  #namespacesWith(own: ReadonlyMap<string, string>): Namespaces | undefined {
    const outer = this.#namespaces.at(-1) ?? new Map<string, string>();
    if (own.size === 0) return outer;
    let inner: Map<string, string> | undefined;
    const prefixed: string[] = [];
    for (const [key, value] of own) {
      const colon = key.indexOf(":");
      const prefix = key.slice(0, Math.max(0, colon));
      if (key === "xmlns" || prefix === "xmlns") {
        const declared = prefix === "" ? "" : key.slice(colon + 1);
        const isStrange = value.trim() !== value || ownNamespaces.has(value) || /^xml(?:ns)?$/.test(declared);
        if (isStrange || (value === "" && declared !== "")) return undefined;
        inner ??= new Map(outer);
        inner.set(declared, value);
      } else if (prefix !== "" && prefix !== "xml") prefixed.push(key);
    }
    const all = inner ?? outer;
    const locals = new Set(prefixed.map((key) => key.slice(key.indexOf(":") + 1)));
    const areKnown = prefixed.every((key) => all.has(key.slice(0, key.indexOf(":"))));
    return areKnown && locals.size === prefixed.length ? all : undefined;
  }

  /** The line of the character behind a name, as far as it is read: the next one, if that is a line feed. */
  #lineBehind(end: number): number {
    const text = this.#text;
    const until = end + (text.startsWith("\r\n", end) ? 2 : 1);
    for (; this.#nextFeed < until; this.#nextFeed = feedFrom(text, this.#nextFeed + 1)) this.#line++;
    return this.#line;
  }
}

/** Where the next line feed is; infinite where there is none. */
function feedFrom(text: string, at: number): number {
  const next = text.indexOf("\n", at);
  return next === -1 ? Infinity : next;
}

/** The attributes of a tag; undefined where one stands twice, or has a reference that is not plain. */
function readAttributes(given: string): ReadonlyMap<string, string> | undefined {
  const read = new Map<string, string>();
  for (const [, key = "", quoted, other = ""] of given.matchAll(attributes)) {
    const value = decoded((quoted ?? other).replaceAll(/\r\n|[\t\n]/g, " "));
    if (value === undefined || read.has(key)) return undefined;
    read.set(key, value);
  }
  return read;
}

function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
}

const entities = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** A text with its characters in the place of references; undefined where one stands for none. */
function decoded(raw: string): string | undefined {
  if (!raw.includes("&")) return raw;
  let isPlain = true;
  const text = raw.replaceAll(
    /&(?:([a-z]{2,4})|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));|&/g,
    (_, entity?: string, decimal?: string, hex?: string) => {
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      const character = entity === undefined ? characterOf(code) : entities.get(entity);
      isPlain &&= character !== undefined;
      return character ?? "";
    },
  );
  return isPlain ? text : undefined;
}

/** A character that XML has; undefined for another number. */
function characterOf(code: number): string | undefined {
  const isBlank = code === 9 || code === 10 || code === 13;
  const isInPlane = (code >= 0x20 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd);
  const isBeyond = code >= 0x1_0000 && code <= 0x10_ffff;
  return isBlank || isInPlane || isBeyond ? String.fromCodePoint(code) : undefined;
}
