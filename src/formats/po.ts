/**
 * gettext's `.po` and `.pot`. The key of a message is its `msgid`, after its context and U+0004 where it has one; a
 * message with a plural is a group of CLDR categories. Messages that are not translated stay in a file, as gettext's
 * own tools leave them.
 */
import type { AppNote } from "../domain/notes/note.ts";
import { pluralCategories } from "../domain/strings/plural-forms.ts";
import { childOf } from "../domain/strings/string-file.ts";
import { contextSeparator, excerpt, readableKey } from "../domain/text.ts";
import { FormatError, textFormat, type FileContext, type FileEdit } from "./format.ts";
import { SourceOrder } from "../domain/strings/source-order.ts";
import { joinNotes, textNote } from "./patch/notes.ts";
import { planEntries } from "./patch/plan-edit.ts";
import { SpliceWriter } from "./patch/splices.ts";
import {
  fileRoot,
  groupIn,
  otherNode,
  toParsedFile,
  type Entry,
  type GroupNode,
  type TreeNode,
} from "./patch/tree.ts";
import { formsOf, pluralFormsOf, type PluralForm } from "./gettext/gettext-plurals.ts";
import {
  readPoFile,
  writePoLines,
  writePoText,
  type PoFile,
  type PoMessage,
  type PoText,
} from "./gettext/po-file.ts";

export const po = textFormat({
  parse: (text, context) => toParsedFile(toTree(readChecked(text), text, context), text),
  write: (edit, context) => new PoWriter(edit, context).write(),
  unplaced: (edit, context) => new PoWriter(edit, context).unplaced(),
  problemIn: lineFeedProblem,
});

const formEnding = new RegExp(`\\.(?:${pluralCategories.join("|")})$`);

/** msgfmt refuses a whole file in which a text does not begin and end with line feeds as its `msgid` does. */
function lineFeedProblem(text: string, key: string): string | undefined {
  const id = key.slice(key.indexOf(contextSeparator) + 1).replace(formEnding, "");
  if (text === "" || id === "") return undefined;
  for (const [place, has] of [
    ["beginning", (one: string) => one.startsWith("\n")],
    ["end", (one: string) => one.endsWith("\n")],
  ] as const) {
    const [own, other] = has(text) ? ["a line feed", "none"] : ["no line feed", "one"];
    if (has(text) !== has(id))
      return `has ${own} at its ${place} and its msgid has ${other}, which msgfmt refuses`;
  }
  return undefined;
}

function readChecked(text: string): PoFile {
  const file = readPoFile(text);
  const charset = /charset=([\w-]+)/i.exec(headerField(file, "Content-Type") ?? "")?.[1] ?? "UTF-8";
  if (!["utf-8", "utf8", "us-ascii", "ascii", "charset"].includes(charset.toLowerCase())) {
    throw new FormatError(`is written in ${excerpt(charset)}; only UTF-8 can be read (msgconv converts it)`);
  }
  return file;
}

function headerField({ header }: PoFile, name: string): string | undefined {
  const lines = header?.forms[0]?.text.split("\n") ?? [];
  const line = lines.find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.slice(name.length + 1).trim();
}

/** The plural forms of a file. A template has a placeholder as its header, which counts as none. */
function formsIn(file: PoFile, { locale }: FileContext): readonly PluralForm[] {
  const header = headerField(file, "Plural-Forms");
  return formsOf(header?.includes("INTEGER") === true ? undefined : header, locale);
}

function hasPlurals({ messages }: PoFile): boolean {
  return messages.some(({ plural }) => plural !== undefined);
}

function toTree(file: PoFile, text: string, context: FileContext): GroupNode {
  const counted = hasPlurals(file) ? formsIn(file, context) : [];
  const isSource = context.locale === context.sourceLocale;
  const entries = file.messages.map((message): Entry => {
    const { key, plural, forms, isFuzzy, messageStart: start, end } = message;
    const place = { start, end };
    const textOf = (form: PoText, index: number): TreeNode =>
      isFuzzy && !isSource
        ? otherNode(place)
        : {
            kind: "text",
            // A guess of msgmerge is no text of the source either, which has the msgid then.
            text: (isFuzzy ? "" : form.text) || (isSource ? sourceText(message, index) : ""),
            start: form.start,
            end: form.end,
          };
    const [first] = forms;
    const note = () => noteOf(text.slice(message.start, start));
    if (plural === undefined && first !== undefined)
      return { name: key, ...place, node: textOf(first, 0), note };
    const inner = forms.map((form, index): Entry => {
      const counts = counted[index];
      const isHeld = counts?.holder === index;
      const name = isHeld ? counts.category : `msgstr[${index}]`;
      const node = isHeld ? textOf(form, index) : otherNode(place);
      return { name, start: form.start, end: form.end, node };
    });
    return { name: key, ...place, node: groupIn(place, inner), note };
  });
  return fileRoot(text, entries);
}

/** What programs, not translators, say about a message: `#.`, `#:`, and flags other than `fuzzy`. */
function noteOf(comments: string): AppNote | undefined {
  const lines = (mark: string): readonly string[] =>
    Array.from(comments.matchAll(new RegExp(`^[ \\t]*#${mark}(.*)$`, "gm")), ([, line = ""]) => line.trim());
  const flags = lines(",").flatMap((line) => line.split(",").map((flag) => flag.trim()));
  const [length] = flags.flatMap((flag) => /^max-length:\s*(\d+)$/.exec(flag)?.[1] ?? []);
  return joinNotes(textNote(lines(String.raw`\.`).join("\n")), {
    // A name with blanks stands between isolates.
    where: lines(":").flatMap((line) =>
      Array.from(line.matchAll(/\u2068([^\u2069]*)\u2069(\S*)|\S+/g), ([place, name, rest = ""]) =>
        name === undefined ? place : name + rest,
      ),
    ),
    tags: flags.filter((flag) => flag !== "" && flag !== "fuzzy" && !flag.startsWith("max-length:")),
    max_length: length === undefined ? undefined : Number(length),
  });
}

/** The text of a message of the source file if its `msgstr` is empty. */
function sourceText({ id, plural }: PoMessage, index: number): string {
  return index === 0 ? id : (plural ?? id);
}

class PoWriter extends SpliceWriter {
  readonly #context: FileContext;
  readonly #file: PoFile;
  readonly #isSource: boolean;
  #counted: readonly PluralForm[] | undefined;

  constructor(edit: FileEdit<string>, context: FileContext) {
    super(edit);
    this.#context = context;
    this.#file = readChecked(this.text);
    this.#isSource = context.locale === context.sourceLocale;
  }

  write(): string {
    if (this.edit.isSource) this.#makeHeader();
    const places = new Map<string, PoMessage>();
    for (const message of this.#file.messages) {
      if (this.#writeMessage(message)) places.set(message.key, message);
    }
    this.#addMessages(places);
    return this.end();
  }

  /** The keys of plural forms that the file has no place for. */
  unplaced(): readonly string[] {
    const { messages } = this.#file;
    const places = new Map(messages.map((message) => [message.key, message]));
    return [...this.edit.texts.keys()].filter((key) => {
      const base = this.#baseOf(key, places);
      return base !== undefined && this.#forms.every(({ category }) => key !== `${base}.${category}`);
    });
  }

  /** The plural forms of the file that is written. */
  get #forms(): readonly PluralForm[] {
    this.#counted ??= this.edit.isSource
      ? formsOf(pluralFormsOf(this.#context.locale), this.#context.locale)
      : formsIn(this.#file, this.#context);
    return this.#counted;
  }

  #makeHeader(): void {
    const { header } = this.#file;
    const hasForms = hasPlurals(this.#file);
    const [form] = header?.forms ?? [];
    if (header === undefined || form === undefined) {
      if (hasForms) throw new FormatError("has plural forms, but no header that says which");
      return;
    }
    const { locale } = this.#context;
    const fields = form.text.split("\n").map((line) => {
      if (/^language:/i.test(line)) return `Language: ${locale.replaceAll("-", "_")}`;
      const isCounted = /^plural-forms:/i.test(line) && (hasForms || line.includes("INTEGER"));
      if (isCounted) return `Plural-Forms: ${pluralFormsOf(locale)}`;
      return line.replace("charset=CHARSET", "charset=UTF-8");
    });
    if (headerField(this.#file, "Language") === undefined)
      fields.splice(-1, 0, `Language: ${locale.replaceAll("-", "_")}`);
    if (hasForms && headerField(this.#file, "Plural-Forms") === undefined)
      fields.splice(-1, 0, `Plural-Forms: ${pluralFormsOf(locale)}`);
    this.#dropFuzzy(header);
    const text = fields.join("\n");
    if (text !== form.text) this.replace(form, writePoLines(text, this.lineEnd));
  }

  /** @returns whether the message stays. */
  #writeMessage(message: PoMessage): boolean {
    const { key, plural, forms } = message;
    const keys = plural === undefined ? [key] : this.#forms.map(({ category }) => `${key}.${category}`);
    const { texts, removed } = this.edit;
    if (this.#isOutdated(message) || keys.every((one) => removed.has(one) && !texts.has(one))) {
      this.#removeMessage(message);
      return false;
    }
    for (const [index, one] of keys.entries()) {
      const form = forms[index];
      if (plural !== undefined && form !== undefined && this.#hasOwnText(form, index, forms)) continue;
      const wanted = texts.get(one) ?? (this.edit.isSource || removed.has(one) ? "" : undefined);
      if (wanted === undefined) continue;
      if (form === undefined)
        this.insert(message.end, `${this.lineEnd}msgstr[${index}] ${writePoText(wanted)}`);
      else if (wanted !== (form.text || (this.#isSource ? sourceText(message, index) : ""))) {
        this.replace(form, this.#literal(wanted, form));
      }
    }
    if (this.edit.isSource) this.#dropForms(message, keys.length);
    if (message.isFuzzy && keys.some((one) => texts.has(one))) this.#dropFuzzy(message);
    return true;
  }

  /** Whether a form has a text that is not its category's. */
  #hasOwnText({ text }: PoText, index: number, forms: readonly PoText[]): boolean {
    const { holder = index } = this.#forms[index] ?? {};
    return holder !== index && text !== "" && text !== forms[holder]?.text;
  }

  /** Writes a text that replaces another, on one line if the other is. */
  #literal(text: string, form: PoText): string {
    const isOneLine = !this.text.slice(form.start, form.end).includes("\n");
    return isOneLine ? writePoText(text) : writePoLines(text, this.lineEnd);
  }

  #dropForms({ forms }: PoMessage, count: number): void {
    const last = forms[count - 1];
    const end = forms.at(-1)?.end ?? 0;
    if (last !== undefined && end > last.end) this.replace({ start: last.end, end }, "");
  }

  #removeMessage({ start, end }: PoMessage): void {
    const rest = /^[ \t\r]*(?:\n(?:[ \t\r]*\n)?)?/.exec(this.text.slice(end, end + 1000))?.[0] ?? "";
    this.replace({ start, end: end + rest.length }, "");
  }

  /** Removes the fuzzy flag and the previous `msgid` of a message that is translated now. */
  #dropFuzzy({ start, messageStart }: PoMessage): void {
    const comments = this.text.slice(start, messageStart);
    const kept = comments
      .replaceAll(/^#\|.*\n/gm, "")
      .replaceAll(/^#,[ \t]*fuzzy[ \t]*\r?\n/gm, "")
      .replaceAll(/^(#,(?:.*,)?)[ \t]*fuzzy[ \t]*(?:,|(?=\r?$))/gm, "$1")
      .replaceAll(/^(#,.*),(?=\r?$)/gm, "$1");
    if (kept !== comments) this.replace({ start, end: messageStart }, kept);
  }

  /** Adds the messages that the file lacks. @param places those that stay. */
  #addMessages(places: ReadonlyMap<string, PoMessage>): void {
    const { texts, shape, order } = this.edit;
    const arePlurals = new Map<string, boolean>();
    for (const key of texts.keys()) {
      const base = this.#baseOf(key, places);
      arePlurals.set(base ?? key, base !== undefined);
    }
    const [first] = places.values();
    const inSource = new SourceOrder(order).namesIn(shape, "");
    for (const [after, keys] of planEntries(places, arePlurals.keys(), inSource)) {
      for (const key of keys) {
        const lines = arePlurals.get(key) === true ? this.#newPlural(key) : this.#newText(key);
        this.#insertMessage(lines.join(this.lineEnd), after ?? this.#file.header, first);
      }
    }
  }

  /** The key of the message that a form of a plural belongs to. */
  #baseOf(key: string, places: ReadonlyMap<string, PoMessage>): string | undefined {
    if (!key.includes(".") || places.has(key)) return undefined;
    const base = key.slice(0, key.lastIndexOf("."));
    const isPlural = typeof childOf(this.edit.shape, base) === "object";
    return isPlural || places.get(base)?.plural !== undefined ? base : undefined;
  }

  /** Whether either only a message or only its source has a plural. */
  #isOutdated({ key, plural }: PoMessage): boolean {
    const { texts, shape } = this.edit;
    const node = childOf(shape, key);
    if (plural !== undefined) return typeof node === "string" && texts.has(key);
    return typeof node === "object" && pluralCategories.some((category) => texts.has(`${key}.${category}`));
  }

  #newText(key: string): readonly string[] {
    return [...this.#idLines(key), `msgstr ${writePoLines(this.edit.texts.get(key) ?? "", this.lineEnd)}`];
  }

  #newPlural(key: string): readonly string[] {
    const { shape, texts } = this.edit;
    const group = childOf(shape, key);
    const plural = typeof group === "object" ? childOf(group, "other") : undefined;
    if (typeof plural !== "string")
      throw new FormatError(`cannot hold ${excerpt(readableKey(key))}, which has no text for other`);
    const forms = this.#forms.map(({ category }, index) => {
      const text = texts.get(`${key}.${category}`) ?? "";
      return `msgstr[${index}] ${writePoText(text)}`;
    });
    return [...this.#idLines(key), `msgid_plural ${writePoLines(plural, this.lineEnd)}`, ...forms];
  }

  #idLines(key: string): readonly string[] {
    const at = key.indexOf(contextSeparator);
    const id = `msgid ${writePoLines(key.slice(at + 1), this.lineEnd)}`;
    return at === -1 ? [id] : [`msgctxt ${writePoText(key.slice(0, at))}`, id];
  }

  #insertMessage(message: string, after: PoMessage | undefined, first: PoMessage | undefined): void {
    const gap = this.lineEnd + this.lineEnd;
    if (after !== undefined) this.insert(after.end, gap + message);
    else if (first !== undefined) this.insert(first.start, message + gap);
    else {
      const { length } = this.text;
      const isAtStart = this.text.trim() === "" || this.splices.length > 0;
      this.insert(length, (isAtStart ? "" : this.lineEnd) + message + this.lineEnd);
    }
  }
}
