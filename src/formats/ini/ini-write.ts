/** Writes the changes of an INI file: its lines and sections stay where they are. */
import { childOf } from "../../domain/strings/string-file.ts";
import { excerpt } from "../../domain/text.ts";
import { FormatError } from "../patch/format-error.ts";
import type { FileEdit } from "../patch/plan-edit.ts";
import { SectionPlan, SectionWriter } from "../patch/section-writer.ts";
import { readIniFile, readIniValue, type IniLine, type IniQuote, type IniSection } from "./ini-file.ts";

/** Why no INI holds a text; undefined when one may. */
export function iniProblem(text: string): string | undefined {
  return /[\r\n]/.test(text) ? "has a line end, which INI has no spelling for" : undefined;
}

/** What some reader or other takes for something else outside of quotes; PHP does so with " in apostrophes, too. */
const needsQuotes = /[;#"'{}|&~!()^=[\]\\$]|^\s|\s$/;

/** A new line, and the section that it stands in. */
interface NewLine {
  readonly key: string;
  /** Undefined for the root. */
  readonly section: string | undefined;
  readonly name: string;
  readonly text: string;
}

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
    const plan = new SectionPlan<IniSection, NewLine>();
    for (const [key, text] of texts) {
      const found = present.get(key);
      if (found === undefined) this.#add(key, text, plan);
      else {
        const { section, line } = found;
        plan.pass(section, line);
        if (line.node.text !== text) this.replace(line.node, this.#literal(key, text, line.node.quote));
      }
    }
    const gone = new Set<IniLine>();
    for (const [key, { line }] of present)
      if (!texts.has(key) && (isSource || removed.has(key))) gone.add(line);
    this.apply(plan, (line) => gone.has(line));
    return this.end();
  }

  #add(key: string, text: string, plan: SectionPlan<IniSection, NewLine>): void {
    const line = this.#placeOf(key, text);
    const section = this.#named.get(line.section);
    if (section === undefined) plan.addToNew(line.section ?? "", line);
    else {
      plan.addLine(section, line);
      plan.pass(section);
    }
  }

  /** The section of a new key: as in the source file, or else one that the file has. */
  #placeOf(key: string, text: string): NewLine {
    const { shape } = this.edit;
    const dots = Array.from(key.matchAll(/\./g), ({ index }) => index);
    const isSection = (at: number): boolean => at > 0 && at < key.length - 1;
    const at =
      dots.find((dot) => isSection(dot) && typeof childOf(shape, key.slice(0, dot)) === "object") ??
      dots.findLast((dot) => isSection(dot) && this.#named.has(key.slice(0, dot)));
    return at === undefined
      ? { key, section: undefined, name: key, text }
      : { key, section: key.slice(0, at), name: key.slice(at + 1), text };
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

  /** A text in the first spelling in which it is read as it was. @param quote of the text in whose place or beside which it stands. */
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
