/**
 * Which texts a file of an app can hold. One that would not be read again as it is must not be written: the app would show
 * another one, or could not read the file at all.
 */
import { leavesOf, noTexts, type Group, type Texts } from "../../domain/strings/string-file.ts";
import { excerpt, readableKey, textProblem } from "../../domain/text.ts";
import { FormatError, type FileContext, type FileEdit, type FileFormat, type ParsedFile } from "../format.ts";

/** A text that a file cannot hold, and why: `the text would be read as …`. */
export interface UnheldText {
  readonly key: string;
  readonly reason: string;
}

/** What an edit made of a file. */
export interface HeldEdit {
  readonly bytes: Uint8Array;
  /** The texts of the edit that the file has now. Where none is left, no file is made of a source file. */
  readonly texts: Texts;
  /** All texts of the file. */
  readonly after: Texts;
  readonly unheld: readonly UnheldText[];
}

/** What a file has before an edit. */
type Before = Pick<ParsedFile, "texts" | "nonTextValues">;

/** A file of a format in which a key has a text. */
export interface HoldingFile {
  readonly template: Uint8Array;
  readonly key: string;
  readonly context: FileContext;
}

/**
 * Why a file cannot hold a text in the place of another; undefined when it can.
 * @param file any that has the key. The source text comes with its context.
 * @throws FormatError when the file cannot be read.
 */
export function canHold(
  format: FileFormat,
  { template, key, context }: HoldingFile,
  text: string,
): string | undefined {
  const edit = {
    template,
    isSource: false,
    texts: new Map([[key, text]]),
    removed: new Set<string>(),
    shape: {},
  };
  return writeHeld(format, edit, context).unheld[0]?.reason;
}

/**
 * Makes an edit of the texts that the file can hold: all that it holds then is read as it was given, and no other text has
 * changed. In the place of a text that it cannot hold the file keeps what it had.
 * @param before what the file has; nothing where it is made of the source file.
 * @throws FormatError when the file cannot be edited at all.
 */
export function writeHeld(
  format: FileFormat,
  edit: FileEdit,
  context: FileContext,
  before: Before = edit.isSource ? nothing : format.parse(edit.template, context),
): HeldEdit {
  return new HeldWriter(format, edit, context, before).write();
}

/** How often an edit that fails is tried in halves; beyond, all texts of a part that fails are left out. */
const maxAttempts = 200;

const nothing: Before = { texts: noTexts, nonTextValues: [] };

interface Attempt {
  readonly bytes: Uint8Array;
  readonly after: Texts;
  readonly unheld: readonly UnheldText[];
}

class HeldWriter {
  readonly #format: FileFormat;
  readonly #edit: FileEdit;
  readonly #context: FileContext;
  readonly #before: Before;
  readonly #others: ReadonlySet<string>;
  readonly #sourceTexts: Texts;

  constructor(format: FileFormat, edit: FileEdit, context: FileContext, before: Before) {
    this.#format = format;
    this.#edit = edit;
    this.#context = context;
    this.#before = before;
    this.#others = new Set(before.nonTextValues);
    this.#sourceTexts = context.sourceTexts ?? textsOf(edit.shape);
  }

  write(): HeldEdit {
    const texts = new Map(this.#edit.texts);
    const unheld: UnheldText[] = [];
    const leaveOut = (found: readonly UnheldText[]): void => {
      for (const one of found) {
        unheld.push(one);
        texts.delete(one.key);
      }
    };
    leaveOut(
      Array.from(texts).flatMap(([key, text]) => {
        const reason = this.#isChange(key, text) ? this.#problemIn(text, key) : undefined;
        return reason === undefined ? [] : { key, reason };
      }),
    );
    for (;;) {
      if (this.#edit.isSource && texts.size === 0 && unheld.length > 0)
        return { bytes: this.#edit.template, after: noTexts, texts, unheld };
      const attempt = this.#attempt(texts);
      if (!(attempt instanceof FormatError) && attempt.unheld.length === 0)
        return { bytes: attempt.bytes, after: attempt.after, texts, unheld };
      const found = attempt instanceof FormatError ? this.#find(texts, attempt) : attempt.unheld;
      leaveOut(found);
    }
  }

  #isChange(key: string, text: string): boolean {
    return this.#before.texts.get(key) !== text;
  }

  #problemIn(text: string, key: string): string | undefined {
    const problem = textProblem(text) ?? this.#format.problemIn?.(text, key, this.#context.sourceTexts);
    return problem && `the text ${problem}`;
  }

  /** Finds the texts that an edit fails with, by halves. @throws FormatError when it is not a single text that fails. */
  #find(texts: Texts, failure: FormatError): readonly UnheldText[] {
    const same = [...texts].filter(([key, text]) => !this.#isChange(key, text));
    const changed = [...texts].filter(([key, text]) => this.#isChange(key, text));
    let attempts = 0;
    const search = (some: typeof changed, known?: FormatError): readonly UnheldText[] => {
      const chosen = new Set(some.map(([key]) => key));
      // In the order of the edit, which places new keys.
      const attempt =
        known ??
        this.#attempt(
          new Map([...texts].filter(([key, text]) => chosen.has(key) || !this.#isChange(key, text))),
        );
      if (!(attempt instanceof FormatError)) return attempt.unheld;
      const isEnd = some.length === 1 || ++attempts > maxAttempts;
      if (isEnd) return some.map(([key]) => ({ key, reason: `the file ${attempt.message}` }));
      const middle = Math.ceil(some.length / 2);
      return [...search(some.slice(0, middle)), ...search(some.slice(middle))];
    };
    const fails = changed.length === 0 || this.#attempt(new Map(same)) instanceof FormatError;
    const found = fails ? [] : search(changed, failure);
    if (found.length === 0) throw failure;
    return found;
  }

  /** Makes the edit with these texts, and reads the file. */
  #attempt(texts: Texts): Attempt | FormatError {
    const { template, isSource, removed } = this.#edit;
    try {
      const isNothing =
        !isSource && removed.size === 0 && [...texts].every(([key, text]) => !this.#isChange(key, text));
      if (isNothing) return { bytes: template, after: this.#before.texts, unheld: [] };
      const bytes = this.#format.write({ ...this.#edit, texts }, this.#context);
      const { texts: after } = this.#format.parse(bytes, this.#context);
      const wrong = [...texts].filter(([key, text]) => after.get(key) !== text);
      const other =
        wrong.find(([key, text]) => !this.#isChange(key, text))?.[0] ?? this.#disturbed(texts, after);
      if (other !== undefined)
        return new FormatError(`would not keep the text of ${excerpt(readableKey(other))}`);
      const unheld = wrong.map(([key]) => ({ key, reason: readAs(after.get(key)) }));
      return { bytes, after, unheld };
    } catch (error) {
      if (error instanceof FormatError) return error;
      throw error;
    }
  }

  /** A key besides those of an edit whose text has come, changed or gone with it. */
  #disturbed(texts: Texts, after: Texts): string | undefined {
    const { removed } = this.#edit;
    for (const [key, text] of after) {
      if (texts.has(key) || text === "") continue;
      const old = this.#before.texts.get(key);
      // What a text needs beside it is filled with the source's; a message that was a draft is none any more.
      const isFilled = text === this.#sourceTexts.get(key) || this.#others.has(key);
      if (text !== old && !removed.has(key) && !isFilled) return key;
    }
    let groups: ReadonlySet<string> | undefined;
    for (const [key, text] of this.#before.texts) {
      if (text === "" || after.has(key) || texts.has(key) || removed.has(key)) continue;
      // A text takes the place of the group that it once was, and a group that of a text.
      groups ??= groupKeys(texts);
      if (!hasOuter(key, texts) && !groups.has(key)) return key;
    }
    return undefined;
  }
}

/** The keys that texts are in a group of. */
function groupKeys(texts: Texts): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const key of texts.keys())
    for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1)) keys.add(key.slice(0, dot));
  return keys;
}

function hasOuter(key: string, texts: Texts): boolean {
  for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1))
    if (texts.has(key.slice(0, dot))) return true;
  return false;
}

function readAs(text: string | undefined): string {
  return text === undefined
    ? "the text would not be read as one"
    : `the text would be read as "${excerpt(text)}"`;
}

function textsOf(content: Group): Texts {
  const texts = new Map<string, string>();
  for (const [key, leaf] of leavesOf(content)) if (typeof leaf === "string") texts.set(key, leaf);
  return texts;
}
