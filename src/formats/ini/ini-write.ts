/** Writes the changes of an INI file: its lines and sections stay where they are. */
import { groupBy } from "../../domain/group-by.ts";
import { childOf, leavesOf } from "../../domain/strings/string-file.ts";
import { excerpt } from "../../domain/text.ts";
import { FormatError } from "../patch/format-error.ts";
import { planEntries, withLeading, type FileEdit } from "../patch/plan-edit.ts";
import { SectionPlan, SectionWriter } from "../patch/section-writer.ts";
import { readIniFile, readIniValue, type IniLine, type IniQuote, type IniSection } from "./ini-file.ts";

/** Why no INI holds a text; undefined when one may. */
export function iniProblem(text: string): string | undefined {
  return /[\r\n]/.test(text) ? "has a line end, which INI has no spelling for" : undefined;
}

/** What some reader or other takes for something else outside of quotes; PHP does so with " in apostrophes, too. */
const needsQuotes = /[;#"'{}|&~!()^=[\]\\$]|^\s|\s$/;

/** Where a key stands. */
interface Place {
  readonly key: string;
  /** Undefined for the root. */
  readonly section: string | undefined;
  readonly name: string;
}

interface NewLine extends Place {
  readonly text: string;
}

/** Stands for the root, in which no section can have it for a name. */
const rootName = "";

export class IniWriter extends SectionWriter<IniSection, NewLine> {
  readonly #named: ReadonlyMap<string | undefined, IniSection>;
  /** The spellings of texts that the file has. */
  readonly #quotes: readonly IniQuote[];
  readonly #like: IniLine | undefined;

  /** @throws FormatError when the file is no INI. */
  constructor(edit: FileEdit<string>) {
    super(edit, readIniFile(edit.template), "#;");
    this.#named = new Map(this.sections.map((section) => [section.name, section]));
    const lines = this.sections.flatMap((section) => section.lines);
    this.#like = lines[0];
    const hasQuotes = lines.length === 0 || lines.some(({ node }) => node.quote !== "");
    this.#quotes = hasQuotes ? ['"', "'", ""] : [""];
  }

  /** @throws FormatError when the file cannot hold a text. */
  write(): string {
    const { texts, removed, isSource } = this.edit;
    const present = new Map(
      this.sections.flatMap((section) =>
        section.lines.map((line) => [keyOf(section, line), { section, line }] as const),
      ),
    );
    const gone = new Set<IniLine>();
    for (const [key, { line }] of present) {
      const text = texts.get(key);
      if (text === undefined && (isSource || removed.has(key))) gone.add(line);
      else if (text !== undefined && text !== line.node.text)
        this.replace(line.node, this.#literal(key, text, line.node.quote));
    }
    const placeOf = (key: string): Place => {
      const found = present.get(key);
      return found === undefined
        ? this.#placeOf(key)
        : { key, section: found.section.name, name: found.line.name };
    };
    this.apply(this.#plan(placeOf, gone), (line) => gone.has(line));
    return this.end();
  }

  /** Where the lines and sections stand that the file lacks. @param gone the lines that leave it. */
  #plan(placeOf: (key: string) => Place, gone: ReadonlySet<IniLine>): SectionPlan<IniSection, NewLine> {
    const { texts, shape, order } = this.edit;
    const sourceKeys = order?.keys() ?? leavesOf(shape).map(([key]) => key);
    const bySection = (keys: Iterable<string>) =>
      groupBy(Array.from(keys, placeOf), ({ section = rootName }) => section);
    const [wanted, inSource] = [bySection(texts.keys()), bySection(sourceKeys)];
    const plan = new SectionPlan<IniSection, NewLine>();
    const kept = new Map<string, IniSection>();
    for (const section of this.sections) {
      const { name = rootName, lines } = section;
      const left = new Map(lines.flatMap((line) => (gone.has(line) ? [] : [[line.name, line] as const])));
      const own = new Map(wanted.get(name)?.map((place) => [place.name, place]));
      if (name === rootName || lines.length === 0 || left.size > 0 || own.size > 0) kept.set(name, section);
      const names = inSource.get(name)?.map((place) => place.name) ?? [];
      for (const [after, added] of planEntries(left, own.keys(), withLeading(own.keys(), names)))
        for (const line of this.#newLines(added.map((one) => own.get(one))))
          plan.addLine(section, line, after);
    }
    const sectionNames = withLeading(wanted.keys(), inSource.keys());
    for (const [after, names] of planEntries(kept, wanted.keys(), sectionNames)) {
      if (after !== undefined) plan.pass(after);
      for (const name of names)
        for (const line of this.#newLines(wanted.get(name) ?? [])) plan.addToNew(name, line);
    }
    return plan;
  }

  #newLines(places: readonly (Place | undefined)[]): readonly NewLine[] {
    return places.flatMap((place) =>
      place === undefined ? [] : { ...place, text: this.edit.texts.get(place.key) ?? "" },
    );
  }

  /** The section of a new key: as in the source file, or else one that the file has. */
  #placeOf(key: string): Place {
    const { shape } = this.edit;
    const dots = Array.from(key.matchAll(/\./g), ({ index }) => index);
    const isSection = (at: number): boolean => at > 0 && at < key.length - 1;
    const at =
      dots.find((dot) => isSection(dot) && typeof childOf(shape, key.slice(0, dot)) === "object") ??
      dots.findLast((dot) => isSection(dot) && this.#named.has(key.slice(0, dot)));
    return at === undefined
      ? { key, section: undefined, name: key }
      : { key, section: key.slice(0, at), name: key.slice(at + 1) };
  }

  protected override head([line]: readonly NewLine[]): readonly string[] {
    const name = line?.section ?? "";
    const header = `[${name}]`;
    const [, read] = safely(() => readIniFile(header)) ?? [];
    if (read?.name !== name) throw new FormatError(`cannot hold the section ${excerpt(name)}`);
    return [header];
  }

  protected override written({ key, name, text }: NewLine, like: IniLine | undefined): string {
    const style = like ?? this.#like;
    const before = style === undefined ? "" : this.text.slice(style.start, style.node.start);
    const [sign = "="] = /[ \t]*[=:][ \t]*$/.exec(before) ?? [];
    const line = name + sign + this.#literal(key, text, style?.node.quote ?? "");
    const [root] = safely(() => readIniFile(line)) ?? [];
    if (root?.lines.length !== 1 || root.lines[0]?.name !== name || root.lines[0].node.text !== text)
      throw new FormatError(`cannot hold the key ${excerpt(key)}`);
    return line;
  }

  /**
   * A text in the first spelling in which it is read as it was.
   * @param quote of the text in whose place or beside which it stands.
   */
  #literal(key: string, text: string, quote: IniQuote): string {
    // PHP joins what stands in quotes with constants between: "a"_QQ_"b".
    const isJoined = /^".*"$/.test(text);
    const isKept = quote === "" ? isJoined || !needsQuotes.test(text) : quote === '"' || !text.includes('"');
    const preferred = isKept ? [quote, ...this.#quotes] : this.#quotes;
    for (const one of preferred) {
      const literal = quoted(text, one);
      const read = iniProblem(text) === undefined ? readIniValue(literal, 0, literal.length) : undefined;
      if (read?.text === text && read.end === literal.length) return literal;
    }
    throw new FormatError(`cannot hold the text of ${excerpt(key)}`);
  }
}

function keyOf({ name }: IniSection, line: IniLine): string {
  return name === undefined ? line.name : `${name}.${line.name}`;
}

function quoted(text: string, quote: IniQuote): string {
  if (quote !== '"') return quote + text + quote;
  return `"${text.replaceAll(/\\(?=[\\"]|$)/g, String.raw`\\`).replaceAll('"', String.raw`\"`)}"`;
}

/** What a reader gives; undefined where it refuses its file. */
function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
