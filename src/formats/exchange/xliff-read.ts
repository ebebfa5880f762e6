/**
 * Reads XLIFF 1.x and 2.x as the tools of translators write it back. Inline elements that say which text they stand for
 * become that text; a unit with others is refused, as its text could only be guessed.
 */
import { cutNote } from "../../domain/notes/cut-note.ts";
import type { AppNote } from "../../domain/notes/note.ts";
import { FormatError } from "../format.ts";
import { plainTextOf } from "../patch/xml-content.ts";
import { ownElement, ownElements, readXmlTree, type XmlElement } from "../patch/xml-tree.ts";
import { characterId, nameOf, namesOfVersion, type XliffNames } from "../xliff/xliff-names.ts";
import { decodeText, UnitCollector, type ReceivedDocument, type TextState } from "./unit.ts";

/** @throws FormatError when the file is not XLIFF, or has several locales. */
export function readXliff(bytes: Uint8Array): ReceivedDocument {
  const root = readXmlTree(decodeText(bytes, declaredEncoding(bytes)));
  const names = namesOfVersion(root.attributes.get("version") ?? "");
  if (root.name !== "xliff" || names === undefined)
    throw new FormatError(`is not XLIFF 1 or 2: it begins with <${root.name}>`, root.line);
  const received = new UnitCollector();
  const locales = new Locales();
  const addLocales = ({ attributes, line }: XmlElement): void =>
    locales.add(attributes.get(names.sourceLanguage), attributes.get(names.targetLanguage), line);
  if (names.languagesOf === "xliff") addLocales(root);
  for (const file of ownElements(root)) {
    const { attributes } = file;
    if (names.languagesOf === "file") addLocales(file);
    const fileName = attributes.get("original") ?? nameOf(attributes.get("id") ?? "");
    const forms = new Set(pluralGroupsIn(file).flatMap((group) => unitsIn(group, names.unit)));
    for (const unit of unitsIn(file, names.unit)) {
      const { attributes: own } = unit;
      const key = own.get(names.key) ?? nameOf(own.get("id") ?? "");
      const place = { file: fileName, key, line: unit.line };
      if (forms.has(unit)) {
        received.refuse(place, "is a plural form by its number, which only a PO file explains");
        continue;
      }
      try {
        const texts = names.segments === undefined ? readTransUnit(unit) : readUnit(unit);
        received.add({ ...place, ...texts, state: stateOf(unit, names), about: aboutOf(unit, names) });
      } catch (error) {
        if (!(error instanceof InlineError)) throw error;
        received.refuse(place, error.message);
      }
    }
  }
  return received.end({ sourceLocale: locales.source, targetLocale: locales.target });
}

/** The encoding that the declaration names, which can be read as latin1 unless it is UTF-16 (known by its mark). */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 200)).toString("latin1");
  const encoding = /^<\?xml[^>]*\sencoding=["']([\w.:-]+)["']/.exec(start)?.[1];
  // A declaration that can be read as latin1 is not UTF-16: some tools declare that, and write UTF-8.
  return encoding?.toLowerCase().startsWith("utf-16") === true ? "utf-8" : encoding;
}

/** The units of a file, in groups too. */
function unitsIn(parent: XmlElement, name: string): readonly XmlElement[] {
  return ownElements(parent).flatMap((element) => (element.name === name ? element : unitsIn(element, name)));
}

/** The groups of gettext's plural forms, which are told apart by numbers alone. */
function pluralGroupsIn(parent: XmlElement): readonly XmlElement[] {
  return ownElements(parent).flatMap((element) =>
    element.attributes.get("restype") === "x-gettext-plurals" ? element : pluralGroupsIn(element),
  );
}

const approvedState = /^(?:final|signed-off|reviewed)$/;

/** What a unit says of its translation; undefined where it says nothing. Of several segments the least counts. */
function stateOf(unit: XmlElement, { segments, unfinished }: XliffNames): TextState | undefined {
  if (unit.attributes.get("approved") === "yes") return "approved";
  const holders = segments === undefined ? [ownElement(unit, "target")] : ownElements(unit);
  const states = holders.flatMap((holder) => holder?.attributes.get("state") ?? []);
  if (states.length === 0) return undefined;
  if (states.some((state) => unfinished.test(state))) return "review";
  return states.every((state) => approvedState.test(state)) ? "approved" : "translated";
}

/** What a unit says about its text: notes, a limit in characters, and that it is not to be translated. */
function aboutOf(unit: XmlElement, { notes }: XliffNames): AppNote | undefined {
  const { attributes } = unit;
  const holder = notes === undefined ? unit : ownElement(unit, notes);
  // Crowdin's context of a text stands beside the text itself.
  const texts = (holder === undefined ? [] : ownElements(holder)).filter(
    ({ name, attributes: own }) =>
      name === "note" || (name === "context" && own.get("context-type") === "context"),
  );
  const length = attributes.get("size-unit") === "char" ? Number(attributes.get("maxwidth")) : undefined;
  return cutNote({
    note: texts
      .map((note) => plainTextOf(note).trim())
      .filter((text) => text !== "")
      .join("\n"),
    max_length: length,
    keep: attributes.get("translate") === "no" ? true : undefined,
  });
}

/** The error for a text that cannot be determined from its elements. */
class InlineError extends Error {
  override readonly name = "InlineError";
}

/** The pair of locales, which must be one for the whole file. */
class Locales {
  source: string | undefined;
  target: string | undefined;

  add(source: string | undefined, target: string | undefined, line: number): void {
    if (this.target !== undefined && target !== undefined && target !== this.target) {
      throw new FormatError(`holds texts of several locales: ${this.target} and ${target}`, line);
    }
    this.source ??= source;
    this.target ??= target;
  }
}

interface UnitContent {
  readonly source: string | undefined;
  readonly translation: string | undefined;
}

function readTransUnit(unit: XmlElement): UnitContent {
  const target = ownElement(unit, "target");
  return {
    source: sourceText(ownElement(unit, "source"), textOf12),
    translation: (target && textOf12(target)) || undefined,
  };
}

/** The text of an XLIFF 1.2 element, whose inline elements contain the native code that they replace. */
function textOf12(element: XmlElement): string {
  return textOf(element, (inline) => {
    const { name } = inline;
    if (name === "mrk") return textOf12(inline);
    const character = characterId.exec(inline.attributes.get("id") ?? "")?.[1];
    if (name === "x" && character !== undefined) return String.fromCharCode(Number.parseInt(character, 16));
    const isCode = name === "bpt" || name === "ept" || name === "ph" || name === "it";
    const code = isCode && inline.children.every((part) => typeof part === "string");
    return code && inline.children.length > 0 ? inline.children.join("") : undefined;
  });
}

function readUnit(unit: XmlElement): UnitContent {
  const codes = new Map<string, string>();
  const originalData = ownElement(unit, "originalData");
  for (const data of originalData ? ownElements(originalData) : []) {
    codes.set(data.attributes.get("id") ?? "", textOf20(data, codes));
  }
  const text = (element: XmlElement) => textOf20(element, codes);
  const parts = ownElements(unit).filter(({ name }) => name === "segment" || name === "ignorable");
  return {
    source: sourceText(unit, () =>
      parts.map((part) => sourceText(ownElement(part, "source"), text) ?? "").join(""),
    ),
    translation: translationOf(parts, text),
  };
}

/** Joins the segments of a text in the order of their targets. */
function translationOf(
  parts: readonly XmlElement[],
  text: (element: XmlElement) => string,
): string | undefined {
  const targets = parts.map((part, i) => {
    const target = ownElement(part, "target");
    const order = Number(target?.attributes.get("order") ?? i + 1);
    const isKept = part.name === "ignorable" && target === undefined;
    const from = isKept ? ownElement(part, "source") : target;
    return { part, order, text: from ? text(from) : "" };
  });
  const ofSegments = targets.filter(({ part }) => part.name === "segment");
  const filled = ofSegments.filter((target) => target.text !== "");
  if (filled.length === 0) return undefined;
  if (filled.length < ofSegments.length) {
    throw new InlineError("is translated in only some of its segments");
  }
  return targets
    .toSorted((a, b) => a.order - b.order)
    .map((target) => target.text)
    .join("");
}

/** The text of an XLIFF 2 element, whose inline elements refer to the native code that they replace. */
function textOf20(element: XmlElement, codes: ReadonlyMap<string, string>): string {
  return textOf(element, (inline) => {
    const { name, attributes } = inline;
    const code = (attribute: string) => codes.get(attributes.get(attribute) ?? "");
    if (name === "cp") return characterOf(attributes.get("hex") ?? "");
    if (name === "mrk") return textOf20(inline, codes);
    if (name === "sm" || name === "em") return "";
    if (name === "ph" || name === "sc" || name === "ec") return code("dataRef");
    if (name !== "pc") return undefined;
    const start = code("dataRefStart");
    const end = code("dataRefEnd");
    if (start === undefined || end === undefined) return undefined;
    return start + textOf20(inline, codes) + end;
  });
}

function characterOf(hex: string): string | undefined {
  const code = /^[0-9A-Fa-f]{1,6}$/.test(hex) ? Number.parseInt(hex, 16) : Number.NaN;
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

function textOf(element: XmlElement, inlineText: (inline: XmlElement) => string | undefined): string {
  return element.children
    .map((part) => {
      if (typeof part === "string") return part;
      const text = part.namespace === element.namespace ? inlineText(part) : undefined;
      if (text === undefined) {
        throw new InlineError(`has the inline element <${part.name}>, whose text is not in the file`);
      }
      return text;
    })
    .join("");
}

/** A source text is only for comparison, so it may be missing, or have elements that cannot be read. */
function sourceText(
  source: XmlElement | undefined,
  text: (element: XmlElement) => string,
): string | undefined {
  try {
    return source && text(source);
  } catch (error) {
    if (error instanceof InlineError) return undefined;
    throw error;
  }
}
