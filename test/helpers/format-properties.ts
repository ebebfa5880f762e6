/** What holds for every format of an app's files, on files of real projects and on generated ones. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileURLToPath } from "node:url";
import type { FileContext, FileEdit, FileFormat, ParsedFile } from "../../src/formats/format.ts";
import {
  leavesOf,
  type Group,
  type StringFile,
  type Texts,
  toStringFile,
} from "../../src/domain/strings/string-file.ts";
import { Issues } from "../../src/domain/errors.ts";
import { stringFile } from "./arbitraries.ts";
import { runs } from "./runs.ts";

const fixtures = fileURLToPath(new URL("../fixtures/formats", import.meta.url));

/** Encodes a file of a test. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A file as text, with its byte order mark. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** The texts of a parsed file by flattened key. */
export function textsOf({ content }: Pick<ParsedFile, "content">): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [key, leaf] of leavesOf(content)) if (typeof leaf === "string") texts.set(key, leaf);
  return texts;
}

/** An edit with everything that a test does not name left out. */
export function editOf(edit: Partial<FileEdit> & Pick<FileEdit, "template">): FileEdit {
  return { isSource: false, texts: new Map(), removed: new Set(), shape: {}, ...edit };
}

/** Reads the texts of files of a format, and writes texts into its files. Files may be text or bytes. */
export function readAndWrite(format: FileFormat, context: FileContext) {
  const toBytes = (file: string | Uint8Array): Uint8Array =>
    typeof file === "string" ? bytesOf(file) : file;
  return {
    read: (file: string | Uint8Array): Record<string, string> =>
      Object.fromEntries(textsOf(format.parse(toBytes(file), context))),
    write: (file: string | Uint8Array, texts: Record<string, string>, edit: Partial<FileEdit> = {}) => {
      const template = toBytes(file);
      const { content: shape } = format.parse(template, context);
      return format.write(
        editOf({ template, texts: new Map(Object.entries(texts)), shape, ...edit }),
        context,
      );
    },
  };
}

/** A file of texts by their names, none of which is in a group. */
export function fileOf(texts: Record<string, string>): StringFile {
  // Through JSON, as the server sends it: `__proto__` is a name like any other.
  const entries = Object.keys(texts).map((name) => `${JSON.stringify(name)}:${JSON.stringify(texts[name])}`);
  return toStringFile(JSON.parse(`{${entries.join(",")}}`), "file", new Issues());
}

interface Fixture {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly context: FileContext;
  /** The source file's bytes. */
  readonly source: Uint8Array;
}

interface FixturePair {
  readonly project: string;
  readonly source: Fixture;
  readonly targets: readonly Fixture[];
}

/**
 * The files of real projects in `test/fixtures/formats/<format>/<project>`: `source.en.json` and `target.fr.json`, for
 * example.
 */
export function fixturesOf(format: string): readonly FixturePair[] {
  const folder = join(fixtures, format);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((project) => {
    const names = readdirSync(join(folder, project)).toSorted();
    const sourceName = names.find((name) => name.startsWith("source.")) ?? "";
    const sourceLocale = sourceName.split(".")[1] ?? "";
    const toFixture = (name: string): Fixture => ({
      name: `${project}/${name}`,
      bytes: readFileSync(join(folder, project, name)),
      context: { locale: name.split(".")[1] ?? "", sourceLocale },
      source: readFileSync(join(folder, project, sourceName)),
    });
    const targets = names.filter((name) => name.startsWith("target.")).map(toFixture);
    return { project, source: toFixture(sourceName), targets };
  });
}

interface Options {
  /** Files of the format without any text. */
  readonly empties: readonly [string, ...string[]];
  /** Generates what the format can hold; anything nested if not given. */
  readonly content?: fc.Arbitrary<StringFile>;
  /** Whether a text may be wrapped to several lines that it is not written in again. */
  readonly wrapsLines?: boolean;
  /** Whether a source file may say its texts by its keys alone, so that it cannot lose them. */
  readonly hasKeysAsTexts?: boolean;
  /** Whether a new file of a locale has a place for a key. */
  readonly canHold?: (key: string, locale: string) => boolean;
  /** Whether an element of a list that is missing has its source text. */
  readonly fillsLists?: boolean;
  /** Whether files of other locales are made without notes. */
  readonly dropsNotes?: boolean;
  readonly decode?: (bytes: Uint8Array) => string;
  readonly encode?: (text: string) => Uint8Array;
}

const context: FileContext = { locale: "fr", sourceLocale: "en" };

/** Declares the tests of the properties that every format has. @param name of the folder of its fixtures. */
export function describeProperties(name: string, format: FileFormat, options: Options): void {
  const { decode = textOf, content = stringFile } = options;
  const { parse, write } = format;
  const { empties, encode = bytesOf } = options;

  function shapeOf(source: Uint8Array, { sourceLocale }: FileContext): Group {
    return parse(source, { locale: sourceLocale, sourceLocale }).content;
  }

  /** A file of the format with that content. */
  function made(file: StringFile): Uint8Array {
    const empty = empties[file.texts.size % empties.length] ?? empties[0];
    return write(editOf({ template: encode(empty), texts: file.texts, shape: file.group }), context);
  }

  describe("files of real projects", () => {
    const pairs = fixturesOf(name).map(({ source, targets }) => {
      // Some formats tell by the source what a text of another locale is.
      const { texts: sourceTexts } = parse(source.bytes, source.context);
      const known = (file: Fixture): Fixture => ({ ...file, context: { ...file.context, sourceTexts } });
      return { source: known(source), targets: targets.map(known) };
    });
    const files = pairs.flatMap(({ source, targets }) => [source, ...targets]);

    it("are there", () => expect(files.length).toBeGreaterThan(0));

    it.each(files)("$name has texts, and stays byte by byte when nothing changes", ({ bytes, context }) => {
      const parsed = parse(bytes, context);
      const { texts } = parsed;
      expect(texts).toEqual(textsOf(parsed));
      expect(texts.size).toBeGreaterThan(0);
      for (const edit of [{}, { texts }]) {
        expect(decode(write(editOf({ template: bytes, ...edit }), context))).toBe(decode(bytes));
      }
    });

    it.each(files)("$name changes in one line when one text does", ({ bytes, context, source }) => {
      const before = textsOf(parse(bytes, context));
      const shape = shapeOf(source, context);
      fc.assert(
        fc.property(fc.constantFrom(...before.keys()), fc.constantFrom("x", "Ünï 'q\" \\ %"), (key, text) => {
          const isOneLine = before.get(key)?.includes("\n") !== true;
          const bytesAfter = write(
            editOf({ template: bytes, texts: new Map([[key, text]]), shape }),
            context,
          );
          expect(textsOf(parse(bytesAfter, context))).toEqual(new Map(before).set(key, text));
          if (isOneLine && options.wrapsLines !== true)
            expect(changedLines(decode(bytes), decode(bytesAfter))).toBeLessThanOrEqual(1);
        }),
        { numRuns: runs(10) },
      );
    });

    it.each(files)(
      "$name has notes about its texts, which stay when one changes",
      ({ bytes, context, source }) => {
        const { texts, notes } = parse(bytes, context);
        const shape = shapeOf(source, context);
        expect([...notes.keys()].filter((key) => !texts.has(key))).toEqual([]);
        for (const key of [...notes.keys()].slice(0, 5)) {
          const changed = write(editOf({ template: bytes, texts: new Map([[key, "x"]]), shape }), context);
          expect(parse(changed, context).notes).toEqual(notes);
        }
      },
    );

    // How files are decoded is the same for all files of a format.
    it.each(files.slice(0, 1))(
      "$name with a merge conflict is refused with its line",
      ({ bytes, context }) => {
        const lines = decode(bytes).split("\n");
        fc.assert(
          fc.property(fc.nat(lines.length - 1), fc.constantFrom("", "\r"), (at, end) => {
            const sides = ["<<<<<<< HEAD", lines[at] ?? "", "=======", lines[at] ?? "", ">>>>>>> theirs"];
            const conflict = lines.toSpliced(at, 1, ...sides.map((line) => line + end)).join("\n");
            const error = { message: "has a merge conflict that is not resolved", line: at + 1 };
            expect(() => parse(encode(conflict), context)).toThrow(expect.objectContaining(error));
          }),
          { numRuns: runs(3) },
        );
      },
    );

    it.each(files.slice(0, 1))("$name in UTF-16 is read, or refused as that", ({ bytes, context }) => {
      const text = decode(bytes).replace(/^\ufeff/, "");
      for (const mark of ["\ufeff", ""]) {
        const unicode = Buffer.from(mark + text, "utf16le");
        for (const encoded of [unicode, Buffer.from(unicode).swap16()]) {
          let result: unknown;
          try {
            result = textsOf(parse(encoded, context));
          } catch (error) {
            result = error;
          }
          if (result instanceof Error) expect(result.message).toContain("is written in UTF-16");
          else expect(result).toEqual(textsOf(parse(bytes, context)));
        }
      }
    });

    const changeable = options.hasKeysAsTexts === true ? pairs.flatMap(({ targets }) => targets) : files;
    it.each(changeable)("$name loses keys and gets them back", ({ bytes, context, source }) => {
      const { nonTextValues, ...parsed } = parse(bytes, context);
      const shape = shapeOf(source, context);
      const all = textsOf(parsed);
      fc.assert(
        fc.property(fc.subarray([...all.keys()]), (removed) => {
          const less = write(editOf({ template: bytes, removed: new Set(removed), shape }), context);
          const left = new Map([...all].filter(([key]) => !removed.includes(key)));
          const filled =
            options.fillsLists === true ? textsOf({ content: shape }) : new Map<string, string>();
          for (const [key, text] of textsOf(parse(less, context))) {
            if (removed.includes(key) && text === filled.get(key)) left.set(key, text);
          }
          expectTexts(parse(less, context), left);
          const again = write(editOf({ template: less, texts: all, shape }), context);
          expectTexts(parse(again, context), all);
          expect(parse(again, context).nonTextValues.every((key) => nonTextValues.includes(key))).toBe(true);
        }),
        { numRuns: runs(8) },
      );
    });

    const translated = pairs.flatMap(({ source, targets }) => targets.map((target) => ({ source, target })));
    it.each(translated)("$target.name can be made of its source", ({ source, target }) => {
      const shape = parse(source.bytes, source.context).content;
      const translations = textsOf(parse(target.bytes, target.context));
      const known = [...textsOf({ content: shape }).keys()].filter(
        (key) => translations.get(key) && options.canHold?.(key, target.context.locale) !== false,
      );
      const kept = new Map(known.map((key) => [key, translations.get(key) ?? ""]));
      const edit = editOf({ template: source.bytes, isSource: true, texts: kept, shape });
      const made = parse(write(edit, target.context), target.context);
      expectTexts(made, kept);
      const { notes } = parse(source.bytes, source.context);
      const copied = [...notes].filter(([key]) => options.dropsNotes !== true && made.texts.has(key));
      for (const [key, note] of copied) expect(made.notes.get(key)).toEqual(note);
    });
  });

  describe("any file", () => {
    it("holds the texts that it was given", () => {
      fc.assert(
        fc.property(content, (file) => expectTexts(parse(made(file), context), file.texts)),
        { numRuns: runs(75) },
      );
    });

    it("stays byte by byte when nothing changes", () => {
      fc.assert(
        fc.property(content, (file) => {
          const bytes = made(file);
          const { content: shape } = parse(bytes, context);
          const same = write(editOf({ template: bytes, texts: file.texts, shape }), context);
          expect(decode(same)).toBe(decode(bytes));
        }),
        { numRuns: runs(75) },
      );
    });

    it("holds after an edit what it had, without what was removed, and what came", () => {
      const example = content.chain((file) =>
        fc.record({
          file: fc.constant(file),
          other: content,
          removed: fc.subarray([...file.texts.keys()]),
          isSource: fc.boolean(),
        }),
      );
      fc.assert(
        fc.property(example, ({ file, other, removed, isSource }) => {
          // What is removed has left the source file.
          const gone = new Set(isSource ? [] : removed.filter((key) => !other.texts.has(key)));
          const template = made(file);
          const texts = new Map([...other.texts].filter(([, text]) => text !== ""));
          const expected = new Map([...file.texts].filter(([key]) => !isSource && !gone.has(key)));
          for (const [key, text] of texts) expected.set(key, text);
          // A plain text where the source has a plural is its form `other`, and stays plain; also where that form is empty.
          const isForm = [...file.texts.keys()].some((key) => other.texts.has(`${key}.other`));
          if (isForm || !isNestable(expected)) return;
          const edit = { template, isSource, texts, removed: gone, shape: other.group };
          const bytes = write(edit, context);
          expectTexts(parse(bytes, context), expected);
          expect(decode(write({ ...edit, template: bytes, isSource: false }, context))).toBe(decode(bytes));
        }),
        { numRuns: runs(75) },
      );
    });
  });
}

/** Whether no key is the start of another, which not every file can hold. */
function isNestable(texts: Texts): boolean {
  const keys = [...texts.keys()];
  return keys.every((key) => !keys.some((other) => other.startsWith(`${key}.`)));
}

/** An empty text holds the place of one: it is as good as none. */
function expectTexts(parsed: ParsedFile, expected: Texts): void {
  expect(parsed.texts).toEqual(textsOf(parsed));
  const found = [...textsOf(parsed)].filter(([, text]) => text !== "");
  const wanted = [...expected].filter(([, text]) => text !== "");
  expect(new Map(found.toSorted())).toEqual(new Map(wanted.toSorted()));
}

function changedLines(before: string, after: string): number {
  const old = before.split("\n");
  const now = after.split("\n");
  if (old.length !== now.length) return Number.POSITIVE_INFINITY;
  return old.filter((line, i) => line !== now[i]).length;
}
