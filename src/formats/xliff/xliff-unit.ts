/** The units of XLIFF as entries of a file, and their texts as they are written. */
import type { AppNote } from "../../domain/notes/note.ts";
import { excerpt } from "../../domain/text.ts";
import { joinNotes, textNote } from "../patch/notes.ts";
import { otherNode, type Entry, type TreeNode } from "../patch/nodes.ts";
import { errorAt } from "../patch/source-text.ts";
import { plainTextOf, writeAttribute, writePlainText } from "../patch/xml-content.ts";
import { childElements, childrenOf, ownElement, ownElements, type XmlElement } from "../patch/xml-tree.ts";
import { contentOf, writeContent } from "./xliff-content.ts";
import { idOf, type XliffNames } from "./xliff-names.ts";

/** How the text of a unit is read. */
export interface UnitContext {
  readonly names: XliffNames;
  /** Whether the file is of the source locale, so that a source without a target is the text. */
  readonly isOfSource: boolean;
  /** Whether the file is the source file, which stands in for the file of another locale. */
  readonly isTemplate: boolean;
  /** Whether `slr:sizeRestriction` of XLIFF 2 is a number of characters. */
  readonly hasSizesInCharacters: boolean;
}

/** The key of a unit; empty where it has none. */
export function keyOf({ attributes }: XmlElement, names: XliffNames): string {
  return attributes.get(names.key) || (attributes.get("id") ?? "");
}

/**
 * A unit with its key, and its text where that is written: at its target, or at its segment, which has the state of the
 * text.
 */
export class UnitEntry implements Entry {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly node: TreeNode;
  readonly #names: XliffNames;
  readonly #hasSizesInCharacters: boolean;
  readonly #unit: XmlElement;
  readonly #segment: XmlElement | undefined;
  readonly #source: XmlElement;
  readonly #target: XmlElement | undefined;

  /** @throws FormatError for a unit without an id or a source, or of several segments. */
  constructor(unit: XmlElement, text: string, context: UnitContext) {
    const { names, isOfSource, isTemplate } = context;
    ({ start: this.start, end: this.end } = unit);
    this.name = keyOf(unit, names);
    this.#names = names;
    this.#hasSizesInCharacters = context.hasSizesInCharacters;
    this.#unit = unit;
    this.#segment = segmentOf(unit, text, names);
    const holder = names.segments === undefined ? unit : this.#segment;
    const [source, target] = ["source", "target"].map((name) => holder && ownElement(holder, name));
    if (source === undefined || this.name === "")
      throw errorAt(text, unit.start, "has a unit without an id or a <source>");
    [this.#source, this.#target] = [source, target];
    const own = target === undefined ? "" : contentOf(target, text);
    const shown = own || (isOfSource ? contentOf(source, text) : "");
    const isDraft = !isOfSource && own !== "" && this.#isUnfinished;
    const { start: textStart, end } = target ?? source;
    const span = { start: this.#segment?.start ?? target?.start ?? end, end };
    // In a copy of the source file, an unfinished target is a gap, which goes with its unit or is filled.
    this.node =
      isDraft && !isTemplate
        ? otherNode(span)
        : { kind: "text", text: isDraft ? "" : shown, textStart, ...span };
  }

  get #isUnfinished(): boolean {
    const state = (this.#segment ?? this.#target)?.attributes.get("state") ?? "";
    return this.#names.unfinished.test(state);
  }

  /** What the unit says about its text: notes, the largest size in characters, and places in the code. */
  readonly note = (): AppNote | undefined => {
    const { notes: holder } = this.#names;
    const all = childrenOf(holder === undefined ? this.#unit : ownElement(this.#unit, holder), "note");
    const notes = all.filter((one) => !isPlace(one)).map((one) => textNote(plainTextOf(one)));
    const where = [...all.filter(isPlace).map(plainTextOf), ...placesOf(this.#unit)];
    return joinNotes(...notes, { where, max_length: this.#mostCharacters });
  };

  /** The largest size of the text, as version 1 or 2 has it. */
  get #mostCharacters(): number | undefined {
    const { attributes } = this.#unit;
    if (attributes.get("size-unit") === "char") return Number(attributes.get("maxwidth"));
    // A least size may stand before it.
    const restriction = this.#hasSizesInCharacters ? attributes.get("slr:sizeRestriction") : undefined;
    const [, most] = /^(?:\d+,)?(\d{1,6})$/.exec(restriction ?? "") ?? [];
    return most === undefined ? undefined : Number(most);
  }

  /**
   * What stands in the place of its text with another one.
   * @param file that has the unit.
   * @param moved lays out what stands there as the file that the unit comes into.
   */
  write(text: string, file: string, lineEnd: string, moved = (part: string) => part): string {
    const [segment, source, target] = [this.#segment, this.#source, this.#target];
    const content = writeContent(text, lineEnd);
    const slice = (from: number, to: number): string => moved(file.slice(from, to));
    const start = segment === undefined ? "" : this.#finished(slice(segment.start, segment.innerStart));
    if (target === undefined) {
      const between = segment === undefined ? "" : slice(segment.innerStart, source.end);
      return start + between + this.#newTarget(content, file, moved);
    }
    const between = segment === undefined ? "" : slice(segment.innerStart, target.start);
    const tag = slice(target.start, target.innerStart).replace(/\s*\/>$/, ">");
    const open = segment === undefined ? this.#finished(tag) : tag;
    return `${start}${between}${open}${content}</${target.tag}>`;
  }

  /** A target that follows the source as that follows what is above, with the same blanks. */
  #newTarget(content: string, file: string, moved: (part: string) => string): string {
    const { start, innerStart, tag } = this.#source;
    const before = file.slice((this.#segment ?? this.#unit).start, start);
    const [gap = ""] = /\r?\n[ \t]*$/.exec(before) ?? [];
    const [space = ""] = /\sxml:space=(?:"[^"]*"|'[^']*')/.exec(file.slice(start, innerStart)) ?? [];
    const name = prefixOf(tag, "source") + "target";
    return `${moved(gap)}<${name}${space}>${content}</${name}>`;
  }

  /** The start tag of an element whose state is that of a text that is finished. */
  #finished(tag: string): string {
    if (!this.#isUnfinished) return tag;
    // What is said beside the state is about the one that it had.
    return tag
      .replace(/(\sstate\s*=\s*)(["'])[^"']*\2/, "$1$2translated$2")
      .replace(/\ssubState\s*=\s*(?:"[^"]*"|'[^']*')/, "");
  }
}

/** The element of a unit that has its texts, where the unit does not have them itself. @throws FormatError for several. */
function segmentOf(unit: XmlElement, text: string, names: XliffNames): XmlElement | undefined {
  const { segments } = names;
  if (segments === undefined) return undefined;
  const found = ownElements(unit).filter(({ name }) => segments.includes(name));
  const [first, second] = found;
  if (second !== undefined) {
    const what = excerpt(keyOf(unit, names));
    throw errorAt(
      text,
      second.start,
      `has the text of the unit ${what} in several segments, which is not read`,
    );
  }
  return first;
}

/** Whether a note is a place in the code, as Angular writes them in XLIFF 2. */
function isPlace({ attributes }: XmlElement): boolean {
  return attributes.get("category") === "location";
}

/** The places in the code that a unit of XLIFF 1.2 names. */
function placesOf(unit: XmlElement): readonly string[] {
  return childrenOf(unit, "context-group").flatMap((group) => {
    if (group.attributes.get("purpose") !== "location") return [];
    const [file, line] = ["sourcefile", "linenumber"].map((type) =>
      childElements(group).find(({ attributes }) => attributes.get("context-type") === type),
    );
    return file === undefined ? [] : plainTextOf(file) + (line === undefined ? "" : `:${plainTextOf(line)}`);
  });
}

/** The prefix of a tag, with its colon. */
export function prefixOf(tag: string, name: string): string {
  return tag.slice(0, tag.length - name.length);
}

/**
 * A unit that the source file lacks. Its source is its key, which Symfony takes for one.
 * @param prefix of the document's elements.
 */
export function newUnit(
  { key: attribute, unit, segments = [] }: XliffNames,
  prefix: string,
  key: string,
  text: string,
  lineEnd: string,
): string {
  const [segment] = segments;
  // An id of XLIFF 2 is a single word.
  const id = segment === undefined ? key : idOf(key);
  const name = id === key ? "" : ` ${attribute}="${writeAttribute(key)}"`;
  const element = (tag: string, content: string, attributes = ""): string =>
    `<${prefix}${tag}${attributes}>${content}</${prefix}${tag}>`;
  const texts =
    element("source", writePlainText(key, lineEnd)) + element("target", writeContent(text, lineEnd));
  const content = segment === undefined ? texts : element(segment, texts);
  return element(unit, content, ` id="${writeAttribute(id)}"${name}`);
}
