/**
 * Fluent's `.ftl`. A text is a pattern as it is written, with its placeables and selectors, but without the indentation:
 * how many forms it chooses from is up to each translation, and is compared by the checks.
 */
import { noTexts, type Texts } from "../domain/strings/string-file.ts";
import { excerpt } from "../domain/text.ts";
import { readFluentFile, type FluentEntry, type FluentText } from "./fluent/fluent-file.ts";
import { FormatError, type FileEdit, type FileFormat } from "./format.ts";
import { indentOf } from "./patch/copied-entry.ts";
import { isFileStart, removedLines } from "./patch/gaps.ts";
import { textNote } from "./patch/notes.ts";
import { decodeUtf8, encodeUtf8, lineEndOf } from "./patch/source-text.ts";
import { splice, type Splice } from "./patch/splices.ts";
import { fileRoot, toParsedFile, type Entry } from "./patch/tree.ts";

export const fluent: FileFormat = {
  parse(bytes) {
    const text = decodeUtf8(bytes);
    const entries = readFluentFile(text).flatMap((entry) =>
      textsOf(entry).map(({ key, text: own, start, end }): Entry => {
        const node = { kind: "text", text: own, start, end } as const;
        return { name: key, start, end, node, note: () => textNote(entry.comment) };
      }),
    );
    return toParsedFile(fileRoot(text, entries), text);
  },
  write(edit) {
    return encodeUtf8(new FluentWriter(edit).write());
  },
  unplaced({ template, isSource, texts }) {
    const inFile = isSource ? [] : readFluentFile(decodeUtf8(template)).map(({ id }) => id);
    const terms = new Set([...inFile, ...texts.keys()].filter((id) => id.startsWith("-")));
    return [...texts].flatMap(([key, text]) => {
      const isOfNoTerm = key.startsWith("-") && !terms.has(idOf(key));
      return isOfNoTerm || (text !== "" && !canHold(text)) ? key : [];
    });
  },
};

function textsOf({ value, attributes }: FluentEntry): readonly FluentText[] {
  return value === undefined ? attributes : [value, ...attributes];
}

/** Whether a text is one pattern. */
function canHold(text: string): boolean {
  try {
    const [entry, ...others] = readFluentFile(`x =${written(text, "\n")}\n`);
    return others.length === 0 && entry?.attributes.length === 0 && entry.value?.text === text;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

const indent = "    ";

/** A text behind an equals sign: on that line, or on lines below it where all of these are indented anyway. */
function written(text: string, lineEnd: string, outer = ""): string {
  const [first = "", ...rest] = text.split("\n");
  const isBlock = rest.length > 0 && rest.every((line) => line === "" || line.startsWith(" "));
  const lines = rest.map((line) => (line === "" ? "" : outer + indent + line));
  return (isBlock ? lineEnd + outer + indent : " ") + [first, ...lines].join(lineEnd);
}

class FluentWriter {
  readonly #text: string;
  readonly #edit: FileEdit;
  readonly #entries: readonly FluentEntry[];
  readonly #lineEnd: string;
  /** The texts to write, by the message or term that they belong to. */
  readonly #byEntry = new Map<string, Map<string, string>>();
  /** Whether empty lines stand between entries. */
  readonly #isSpaced: boolean;
  readonly #splices: Splice[] = [];

  constructor(edit: FileEdit) {
    this.#text = decodeUtf8(edit.template);
    this.#edit = edit;
    this.#entries = readFluentFile(this.#text);
    this.#lineEnd = lineEndOf(this.#text);
    for (const [key, text] of edit.texts) {
      if (text === "") continue;
      const own = this.#byEntry.get(idOf(key)) ?? new Map<string, string>();
      this.#byEntry.set(idOf(key), own.set(key, text));
    }
    const gaps = this.#entries.map(({ end }) => /^\s*\n\s*\n/.test(this.#text.slice(end, end + 100)));
    this.#isSpaced = gaps.filter(Boolean).length * 2 > gaps.length;
  }

  write(): string {
    const { texts } = this.#edit;
    const wrong = [...texts].find(([, text]) => text !== "" && !canHold(text))?.[0];
    if (wrong !== undefined)
      throw new FormatError(`cannot hold the text of ${excerpt(wrong)}, which is no pattern of Fluent`);
    const kept = new Map<string, FluentEntry>();
    for (const entry of this.#entries) if (this.#writeEntry(entry)) kept.set(entry.id, entry);
    this.#addEntries(kept);
    return splice(this.#text, this.#splices);
  }

  /** @returns whether the entry stays. */
  #writeEntry(entry: FluentEntry): boolean {
    const { texts, removed, isSource } = this.#edit;
    const present = textsOf(entry);
    const isGone = ({ key }: FluentText): boolean => !texts.has(key) && (isSource || removed.has(key));
    const own = this.#byEntry.get(entry.id) ?? noTexts;
    const added = new Map([...own].filter(([key]) => present.every((one) => one.key !== key)));
    const left = present.filter((one) => !isGone(one));
    // A term is nothing without its value.
    const isTerm = entry.id.startsWith("-") && entry.value !== undefined && isGone(entry.value);
    if ((left.length === 0 && added.size === 0) || isTerm) {
      this.#removeEntry(entry);
      return false;
    }
    for (const one of present) {
      const text = texts.get(one.key);
      if (isGone(one)) this.#removeText(one);
      else if (text !== undefined && text !== one.text) this.#replace(one, text);
    }
    this.#addTexts(entry, added);
    return true;
  }

  #put(start: number, end: number, by: string): void {
    this.#splices.push({ start, end, by });
  }

  #replace({ start, end, valueStart }: FluentText, text: string): void {
    const isInLine = !text.includes("\n") && !/^[[*.}]/.test(text);
    if (isInLine) this.#put(start, end, text);
    else this.#put(valueStart, end, written(text, this.#lineEnd, indentOf(this.#text, valueStart)));
  }

  #removeText(text: FluentText): void {
    const { attributeStart, valueStart, end } = text;
    if (attributeStart === undefined) this.#put(valueStart, end, "");
    else this.#put(/\s*$/.exec(this.#text.slice(0, attributeStart))?.index ?? attributeStart, end, "");
  }

  /** Removes an entry, and the empty line behind it if there is one before it. */
  #removeEntry({ start, end }: FluentEntry): void {
    this.#splices.push(removedLines(this.#text, start, end));
  }

  /** Adds texts to an entry that is there. */
  #addTexts(entry: FluentEntry, added: Texts): void {
    const { value, attributes } = this.#parts(entry.id, added);
    if (value !== "") this.#put(entry.valueStart, entry.valueStart, value);
    if (attributes !== "") this.#put(entry.end, entry.end, attributes);
  }

  #parts(id: string, texts: Texts): { readonly value: string; readonly attributes: string } {
    const attributes = [...texts].filter(([key]) => key !== id);
    const value = texts.get(id);
    return {
      value: value === undefined ? "" : written(value, this.#lineEnd),
      attributes: attributes
        .map(([key, text]) => {
          const name = key.slice(id.length + 1);
          return `${this.#lineEnd}${indent}.${name} =${written(text, this.#lineEnd, indent)}`;
        })
        .join(""),
    };
  }

  /** Adds the entries that the file lacks, each behind the one that precedes it among the texts. */
  #addEntries(kept: ReadonlyMap<string, FluentEntry>): void {
    const { source } = this.#edit;
    const sourceText = source === undefined ? "" : decodeUtf8(source);
    const comments = new Map(
      readFluentFile(sourceText).map(({ id, start, nameStart }) => [id, sourceText.slice(start, nameStart)]),
    );
    let previous: FluentEntry | undefined;
    for (const [id, texts] of this.#byEntry) {
      const present = kept.get(id);
      if (present !== undefined) previous = present;
      else {
        const { value, attributes } = this.#parts(id, texts);
        const comment = (comments.get(id) ?? "").replaceAll(/\r?\n/g, this.#lineEnd);
        this.#insert(`${comment}${id} =${value}${attributes}`, previous, kept);
      }
    }
  }

  #insert(lines: string, previous: FluentEntry | undefined, kept: ReadonlyMap<string, FluentEntry>): void {
    const [first] = kept.values();
    const gap = this.#lineEnd.repeat(this.#isSpaced || lines.startsWith("#") ? 2 : 1);
    const { length } = this.#text;
    if (previous !== undefined) this.#put(previous.end, previous.end, gap + lines);
    else if (first !== undefined) this.#put(first.start, first.start, lines + gap);
    else {
      const isAtStart = isFileStart(this.#text, length) || this.#text.endsWith("\n");
      this.#put(length, length, (isAtStart ? "" : this.#lineEnd) + lines + this.#lineEnd);
    }
  }
}

/** The message or term of a key. */
function idOf(key: string): string {
  return key.split(".", 1)[0] ?? key;
}
