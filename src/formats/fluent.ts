/**
 * Fluent's `.ftl`. A text is a pattern as it is written, with its placeables and selectors, but without the indentation:
 * how many forms it chooses from is up to each translation, and is compared by the checks.
 */
import { noTexts, type Texts } from "../domain/strings/string-file.ts";
import { excerpt } from "../domain/text.ts";
import { fluentProblem, indent, oddBlank, written } from "./fluent/fluent-text.ts";
import { readFluentFile, type FluentEntry, type FluentText } from "./fluent/fluent-file.ts";
import { FormatError, textFormat, type FileEdit } from "./format.ts";
import { textNote } from "./patch/notes.ts";
import { planEntries, withLeading } from "./patch/plan-edit.ts";
import { blanksBefore, indentOf } from "./patch/source-text.ts";
import { removedLines, SpliceWriter } from "./patch/splices.ts";
import { fileRoot, toParsedFile, type Entry } from "./patch/tree.ts";

export const fluent = textFormat({
  parse(text) {
    const entries = readFluentFile(text).flatMap((entry) =>
      textsOf(entry).map(({ key, text: own, start, end }): Entry => {
        const node = { kind: "text", text: own, start, end } as const;
        return { name: key, start, end, node, note: () => textNote(entry.comment) };
      }),
    );
    return toParsedFile(fileRoot(text, entries), text);
  },
  write: (edit) => new FluentWriter(edit).write(),
  unplaced({ template, isSource, texts }) {
    const inFile = isSource ? [] : readFluentFile(template).map(({ id }) => id);
    const terms = new Set([...inFile, ...texts.keys()].filter((id) => id.startsWith("-")));
    return [...texts.keys()].flatMap((key) => {
      const isOfNoTerm = key.startsWith("-") && !terms.has(idOf(key));
      return isOfNoTerm ? key : [];
    });
  },
  problemIn: fluentProblem,
});

function textsOf({ value, attributes }: FluentEntry): readonly FluentText[] {
  return value === undefined ? attributes : [value, ...attributes];
}

class FluentWriter extends SpliceWriter {
  readonly #entries: readonly FluentEntry[];
  /** The texts to write, by the message or term that they belong to. */
  readonly #byEntry = new Map<string, Map<string, string>>();
  /** Whether empty lines stand between entries. */
  readonly #isSpaced: boolean;

  constructor(edit: FileEdit<string>) {
    super(edit);
    this.#entries = readFluentFile(this.text);
    for (const [key, text] of edit.texts) {
      if (text === "") continue;
      const own = this.#byEntry.get(idOf(key)) ?? new Map<string, string>();
      this.#byEntry.set(idOf(key), own.set(key, text));
    }
    const gaps = this.#entries.map(({ end }) => /^\s*\n\s*\n/.test(this.text.slice(end, end + 100)));
    this.#isSpaced = gaps.filter(Boolean).length * 2 > gaps.length;
  }

  write(): string {
    const { texts } = this.edit;
    const wrong = [...texts].find(([, text]) => fluentProblem(text) !== undefined)?.[0];
    if (wrong !== undefined)
      throw new FormatError(`cannot hold the text of ${excerpt(wrong)}, which is no pattern of Fluent`);
    const kept = new Map<string, FluentEntry>();
    for (const entry of this.#entries) if (this.#writeEntry(entry)) kept.set(entry.id, entry);
    this.#addEntries(kept);
    return this.end();
  }

  /** @returns whether the entry stays. */
  #writeEntry(entry: FluentEntry): boolean {
    const { texts, removed, isSource } = this.edit;
    const present = textsOf(entry);
    const isGone = ({ key }: FluentText): boolean => !texts.has(key) && (isSource || removed.has(key));
    const own = this.#byEntry.get(entry.id) ?? noTexts;
    const known = new Set(present.map(({ key }) => key));
    const added = new Map([...own].filter(([key]) => !known.has(key)));
    const left = present.filter((one) => !isGone(one));
    // A term is nothing without its value.
    const isTerm = entry.id.startsWith("-") && entry.value !== undefined && isGone(entry.value);
    if ((left.length === 0 && added.size === 0) || isTerm) {
      this.splices.push(removedLines(this.text, entry.start, entry.end));
      return false;
    }
    for (const one of present) {
      const text = texts.get(one.key);
      if (isGone(one)) this.#removeText(one);
      else if (text !== undefined && text !== one.text) this.#replace(one, text);
    }
    const { value, attributes } = this.#parts(entry.id, added);
    this.insert(entry.valueStart, value);
    this.insert(entry.end, attributes);
    return true;
  }

  #replace({ start, end, valueStart }: FluentText, text: string): void {
    const isInLine = !text.includes("\n") && !/^[[*.}]/.test(text) && !oddBlank.test(text);
    if (isInLine) this.replace({ start, end }, text);
    else
      this.replace({ start: valueStart, end }, written(text, this.lineEnd, indentOf(this.text, valueStart)));
  }

  #removeText(text: FluentText): void {
    const { attributeStart, valueStart, end } = text;
    const before = attributeStart && blanksBefore(this.text, attributeStart);
    this.replace({ start: before ?? valueStart, end }, "");
  }

  #parts(id: string, texts: Texts): { readonly value: string; readonly attributes: string } {
    const value = texts.get(id);
    const attributes = [...texts].filter(([key]) => key !== id);
    const lines = attributes.map(([key, text]) => {
      const name = key.slice(id.length + 1);
      return `${this.lineEnd}${indent}.${name} =${written(text, this.lineEnd, indent)}`;
    });
    return { value: value === undefined ? "" : written(value, this.lineEnd), attributes: lines.join("") };
  }

  /** Adds the entries that the file lacks. @param kept those that stay. */
  #addEntries(kept: ReadonlyMap<string, FluentEntry>): void {
    const { sourceText } = this;
    const comments = new Map(
      readFluentFile(sourceText).map(({ id, start, nameStart }) => [id, sourceText.slice(start, nameStart)]),
    );
    const [first] = kept.values();
    const wanted = [...this.#byEntry.keys()];
    const inSource = withLeading(wanted, Object.keys(this.edit.shape).map(idOf));
    for (const [after, ids] of planEntries(kept, wanted, inSource)) {
      for (const id of ids) {
        const { value, attributes } = this.#parts(id, this.#byEntry.get(id) ?? noTexts);
        const comment = (comments.get(id) ?? "").replaceAll(/\r?\n/g, this.lineEnd);
        this.#insertEntry(`${comment}${id} =${value}${attributes}`, after, first);
      }
    }
  }

  #insertEntry(lines: string, after: FluentEntry | undefined, first: FluentEntry | undefined): void {
    const gap = this.lineEnd.repeat(this.#isSpaced || lines.startsWith("#") ? 2 : 1);
    const { length } = this.text;
    if (after !== undefined) this.insert(after.end, gap + lines);
    else if (first !== undefined) this.insert(first.start, lines + gap);
    else {
      const isAtStart = length === 0 || this.text.endsWith("\n");
      this.insert(length, (isAtStart ? "" : this.lineEnd) + lines + this.lineEnd);
    }
  }
}

/** The message or term of a key. */
function idOf(key: string): string {
  return key.split(".", 1)[0] ?? key;
}
