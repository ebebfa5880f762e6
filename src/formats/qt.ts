/**
 * The `.ts` files of Qt's Linguist. Messages that are not translated stay in a file, as `lupdate` leaves them: unfinished
 * and empty. A translation that is unfinished is not sent.
 */
import { append } from "../domain/group-by.ts";
import type { AppNote } from "../domain/notes/note.ts";
import { noTexts } from "../domain/strings/string-file.ts";
import { textFormat, type FileContext, type FileEdit } from "./format.ts";
import type { PluralForm } from "./gettext/gettext-plurals.ts";
import { joinNotes, textNote } from "./patch/notes.ts";
import { blanksBefore, indentOf } from "./patch/source-text.ts";
import { SpliceWriter } from "./patch/splices.ts";
import {
  closingAt,
  fileRoot,
  groupIn,
  isClosedAtOnce,
  otherNode,
  toParsedFile,
  type Entry,
  type TreeNode,
} from "./patch/tree.ts";
import { writeAttribute, writeAround, writePlainText } from "./patch/xml-content.ts";
import { childOf, childrenOf, type XmlElement } from "./patch/xml-tree.ts";
import { readQtFile, textOf, type QtFile, type QtMessage } from "./qt/qt-file.ts";
import { qtFormsOf } from "./qt/qt-plurals.ts";

export const qt = textFormat({
  parse(text, context) {
    const forms = qtFormsOf(context.locale);
    const entries = readQtFile(text).messages.map((message) => toEntry(message, forms, context));
    return toParsedFile(fileRoot(text, entries), text);
  },
  write: (edit, context) => new QtWriter(edit, context).write(),
  unplaced: (edit, context) => new QtWriter(edit, context).unplaced(),
});

function toEntry(message: QtMessage, forms: readonly PluralForm[], context: FileContext): Entry {
  const { key: name, element, translation, hasForms, isUnfinished, source, effective } = message;
  const { start, end } = element;
  if (effective !== undefined) return { ...placeOf(message), effective: placeOf(effective) };
  const isSource = context.locale === context.sourceLocale;
  const note = () => noteOf(element);
  const written = childrenOf(translation, "numerusform");
  // A plural that lacks forms is unfinished because of these.
  const lacksForms = hasForms && forms.some((_, i) => textOf(written[i]) === "");
  const nodeOf = (holder: XmlElement | undefined): TreeNode => {
    const own = textOf(holder);
    if (isUnfinished && !isSource && own !== "" && !lacksForms) return otherNode(element);
    return { kind: "text", text: own || (isSource ? source : ""), start, end };
  };
  const hasVariants = translation?.attributes.get("variants") === "yes";
  if (hasVariants || childOf(translation, "lengthvariant") !== undefined)
    return { name, start, end, node: otherNode(element) };
  if (!hasForms) return { name, start, end, node: nodeOf(translation), note };
  const entries = Array.from({ length: Math.max(forms.length, written.length) }, (_, i): Entry => {
    const form = forms[i];
    if (form?.holder !== i) return { name: `numerusform[${i}]`, start, end, node: otherNode(element) };
    return { name: form.category, start, end, node: nodeOf(written[i]) };
  });
  return { name, start, end, node: groupIn(element, entries), note };
}

/** The place of a message that stands several times, where its translation is what tells it from the others. */
function placeOf({ key: name, element, translation = element }: QtMessage): Entry {
  return { name, start: element.start, end: element.end, node: otherNode(translation) };
}

/** What the app's code says about a message. */
function noteOf(element: XmlElement): AppNote | undefined {
  const texts = ["comment", "extracomment"].map((name) => textNote(textOf(childOf(element, name))));
  const where = childrenOf(element, "location").flatMap(({ attributes }) => {
    const [file, line] = [attributes.get("filename"), attributes.get("line")];
    return file === undefined ? [] : file + (line === undefined ? "" : `:${line}`);
  });
  return joinNotes(...texts, { where });
}

/** A context that the file lacks. */
interface NewContext {
  /** The message of the file that precedes it in the source file. */
  readonly after: QtMessage | undefined;
  readonly messages: string[];
}

class QtWriter extends SpliceWriter {
  readonly #file: QtFile;
  readonly #forms: readonly PluralForm[];
  readonly #context: FileContext;
  /** Quotation marks as the file has them. */
  readonly #quote: string;
  readonly #apostrophe: string;

  constructor(edit: FileEdit<string>, context: FileContext) {
    super(edit);
    this.#quote = this.text.includes("&quot;") ? "&quot;" : '"';
    this.#apostrophe = this.text.includes("&apos;") ? "&apos;" : "'";
    this.#context = context;
    this.#file = readQtFile(this.text);
    this.#forms = qtFormsOf(context.locale);
  }

  write(): string {
    if (this.edit.isSource) this.#makeHeader();
    for (const message of this.#file.messages) this.#writeMessage(message);
    this.#addMessages();
    return this.end();
  }

  /** The keys of plural forms that Qt does not have in the language. */
  unplaced(): readonly string[] {
    const plurals = [...this.#file.messages, ...this.#sourceMessages()].filter(({ hasForms }) => hasForms);
    const keys = new Set(plurals.map(({ key }) => key));
    const known = new Set<string>(this.#forms.map(({ category }) => category));
    return [...this.edit.texts.keys()].filter((key) => {
      const dot = key.lastIndexOf(".");
      return keys.has(key.slice(0, dot)) && !known.has(key.slice(dot + 1));
    });
  }

  #sourceMessages(): readonly QtMessage[] {
    return this.sourceText === "" ? [] : readQtFile(this.sourceText).messages;
  }

  #makeHeader(): void {
    const { root, gone } = this.#file;
    const tagEnd = isClosedAtOnce(root) ? closingAt(root, this.text) : root.innerStart;
    const tag = this.text.slice(root.start, tagEnd);
    const language = writeAttribute(this.#context.locale.replaceAll("-", "_"));
    const named = /\slanguage=(?:"[^"]*"|'[^']*')/.test(tag)
      ? tag.replace(/(\slanguage=)(?:"[^"]*"|'[^']*')/, `$1"${language}"`)
      : tag.replace(/^<TS/, `<TS language="${language}"`);
    this.replace({ start: root.start, end: tagEnd }, named);
    for (const { start, end } of gone) {
      const rest = /^[ \t]*\r?\n/.exec(this.text.slice(end, end + 100))?.[0].length ?? 0;
      this.replace({ start: blanksBefore(this.text, start, /[ \t]/), end: end + rest }, "");
    }
  }

  #writeMessage(message: QtMessage): void {
    const { removed } = this.edit;
    const { key, element, translation, hasForms, effective } = message;
    const keys = hasForms ? this.#forms.map(({ category }) => `${key}.${category}`) : [key];
    // One that does not count stays as it is, unless it would count without the other.
    if (effective !== undefined && !this.edit.isSource && !keys.some((one) => removed.has(one))) return;
    const texts = effective === undefined ? this.edit.texts : noTexts;
    const before = hasForms ? childrenOf(translation, "numerusform").map(textOf) : [textOf(translation)];
    const isSource = this.#context.locale === this.#context.sourceLocale;
    const shown = (i: number): string => before[i] || (isSource ? message.source : "");
    const after = keys.map((one, i) => {
      const isLost = this.edit.isSource || removed.has(one);
      return texts.get(one) ?? (isLost ? "" : (before[i] ?? ""));
    });
    const isChanged = keys.some((one, i) => {
      const text = texts.get(one);
      if (text === undefined) return after[i] !== (before[i] ?? "");
      return text !== shown(i) || (message.isUnfinished && !isSource && text !== "");
    });
    if (!isChanged && !this.edit.isSource) return;
    const further = this.edit.isSource ? [] : before.slice(keys.length);
    const written = this.#translation(message, hasForms ? [...after, ...further] : after);
    if (translation !== undefined) this.replace(translation, written);
    else {
      const at = blanksBefore(this.text, element.innerEnd);
      this.insert(at, `${this.lineEnd}${indentOf(this.text, element.start)}    ${written}`);
    }
  }

  /** The element with a message's texts, laid out as the one that it replaces. */
  #translation(
    { hasForms, translation }: Pick<QtMessage, "hasForms" | "translation">,
    texts: readonly string[],
  ): string {
    const isDone = texts.slice(0, hasForms ? this.#forms.length : 1).every((text) => text !== "");
    const open = isDone ? "<translation>" : '<translation type="unfinished">';
    if (!hasForms) return `${open}${this.#content(texts[0] ?? "")}</translation>`;
    const [first] = childrenOf(translation, "numerusform");
    const gap =
      translation === undefined || first === undefined
        ? ""
        : this.text.slice(translation.innerStart, first.start);
    const last = gap.replace(/[^\n]*$/, (indent) => indent.replace(/ {4}$|\t$/, ""));
    const forms = texts.map((text) => `${gap}<numerusform>${this.#content(text)}</numerusform>`);
    return `${open}${forms.join("")}${last}</translation>`;
  }

  #content(text: string): string {
    return writeAround(
      text,
      (part) =>
        writePlainText(part, this.lineEnd).replaceAll('"', this.#quote).replaceAll("'", this.#apostrophe),
      (hex) => `<byte value="x${hex.toLowerCase().replace(/^0+(?=.)/, "")}"/>`,
    );
  }

  /** Adds the messages of the source file that the file lacks, each behind the one that precedes it there. */
  #addMessages(): void {
    const { texts } = this.edit;
    const present = new Map(
      this.#file.messages.flatMap((message) =>
        message.effective === undefined ? [[message.key, message] as const] : [],
      ),
    );
    // Mostly a file has all messages, as lupdate leaves it: the source file, which is as large, is not read for nothing.
    if (this.#hasPlacesFor(texts.keys())) return;
    const { sourceText } = this;
    const inSource = this.#sourceMessages();
    const contexts = new Map<string, NewContext>();
    const opened = new Map<XmlElement, string[]>();
    let previous: QtMessage | undefined;
    for (const message of inSource) {
      const { key, context, element, hasForms, effective } = message;
      if (effective !== undefined) continue;
      const known = present.get(key);
      if (known !== undefined) previous = known;
      const keys = hasForms ? this.#forms.map(({ category }) => `${key}.${category}`) : [key];
      if (known !== undefined || keys.every((one) => !texts.has(one))) continue;
      const written = this.#translation(
        { hasForms, translation: undefined },
        keys.map((one) => texts.get(one) ?? ""),
      );
      const own = childOf(element, "translation");
      const [from, to] = own === undefined ? [element.innerEnd, element.innerEnd] : [own.start, own.end];
      const code = sourceText.slice(element.start, from) + written + sourceText.slice(to, element.end);
      const copy = code.replaceAll(/\r?\n/g, this.lineEnd);
      const parent = this.#file.contexts.get(context);
      const indent = indentOf(sourceText, element.start);
      if (previous?.context === context) this.insert(previous.element.end, `${this.lineEnd}${indent}${copy}`);
      else if (parent === undefined) {
        const added = contexts.get(context) ?? { after: previous, messages: [] };
        added.messages.push(`${indent}${copy}`);
        contexts.set(context, added);
      } else if (isClosedAtOnce(parent)) append(opened, parent, `${indent}${copy}`);
      else {
        const at = childOf(parent, "name")?.end ?? parent.innerStart;
        this.insert(at, `${this.lineEnd}${indent}${copy}`);
      }
    }
    for (const [parent, messages] of opened) this.#open(parent, messages);
    const [first] = inSource.flatMap(({ key }) => present.get(key) ?? []);
    this.#addContexts(contexts, first);
  }

  #hasPlacesFor(keys: Iterable<string>): boolean {
    const places = new Set<string>();
    for (const { key, hasForms } of this.#file.messages)
      if (!hasForms) places.add(key);
      else for (const { category } of this.#forms) places.add(`${key}.${category}`);
    return Array.from(keys).every((key) => places.has(key));
  }

  /**
   * Adds contexts, each behind that of the message that precedes it in the source file.
   * @param first the message that is the first there of those that the file has.
   */
  #addContexts(contexts: ReadonlyMap<string, NewContext>, first: QtMessage | undefined): void {
    const { root, contexts: known } = this.#file;
    const end = [...known.values()].at(-1);
    const last: string[] = [];
    for (const [name, { after, messages }] of contexts) {
      const lines = this.#newContext(name, messages);
      const message = after ?? first;
      const beside = message && known.get(message.context);
      if (beside === undefined || (after !== undefined && beside === end)) last.push(...lines);
      else if (after !== undefined) this.insert(beside.end, ["", ...lines].join(this.lineEnd));
      else this.insert(blanksBefore(this.text, beside.start, /[ \t]/), [...lines, ""].join(this.lineEnd));
    }
    if (last.length > 0 && isClosedAtOnce(root)) this.#open(root, last);
    else if (last.length > 0) this.insert(root.innerEnd, [...last, ""].join(this.lineEnd));
  }

  /** Gives an element without an end tag its first lines. */
  #open(element: XmlElement, lines: readonly string[]): void {
    const start = closingAt(element, this.text);
    const content = [">", ...lines, `</${element.tag}>`].join(this.lineEnd);
    this.replace({ start, end: element.end }, content);
  }

  #newContext(name: string, messages: readonly string[]): readonly string[] {
    return ["<context>", `    <name>${this.#content(name)}</name>`, ...messages, "</context>"];
  }
}
