/** Reads the files that all tools export: texts in the formats of apps, XLIFF, glossaries and memories. */
import { pause } from "../../slices.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { FormatError } from "../format.ts";
import { formatOfPath } from "../formats.ts";
import { readTermsTbx } from "../exchange/term-tbx.ts";
import { readXliff } from "../exchange/xliff-read.ts";
import type { ReceivedUnit } from "../exchange/unit.ts";
import { readPoFile } from "../gettext/po-file.ts";
import { decodeUtf8 } from "../patch/source-text.ts";
import type { MovingContext, Placed } from "./context.ts";
import type { Moved, MovedText } from "./moved.ts";
import { forbiddenTerm, readTermTable, tableKind } from "./term-table.ts";
import { readTmx, type TmxUnit } from "./tmx.ts";
import type { ExportFiles } from "./zip.ts";

/** What a tool writes otherwise than all others. */
export interface Dialect {
  /**
   * Reads a file of the tool's own.
   * @returns whether it is one.
   */
  readonly read?: (path: string, bytes: Uint8Array, context: MovingContext, into: Moved) => boolean;
  /** Whether a key is a number of the tool's own, which tells nothing. */
  readonly isOwnNumber?: (key: string) => boolean;
  /** The Hive's file that a unit of a memory stands in, where the memory is a list of the texts themselves. */
  readonly fileOfUnit?: (unit: TmxUnit, context: MovingContext) => string | undefined;
}

const image = /\.(?:png|jpe?g|webp|gif)$/i;

/** Reads files; one that cannot be read is left out, with the reason. */
export async function readFiles(
  files: ExportFiles,
  context: MovingContext,
  dialect: Dialect,
  into: Moved,
): Promise<void> {
  const texts: TextFile[] = [];
  for (const [path, bytes] of files) {
    await pause();
    await guarded(path, into, () => {
      if (dialect.read?.(path, bytes, context, into) === true) return;
      if (/\.tmx$/i.test(path)) readMemory(bytes, context, dialect, into);
      else if (/\.tbx$/i.test(path)) readTerms(bytes, context, into);
      else if (/\.(?:csv|tsv)$/i.test(path) && tableKind(bytes).termColumn !== undefined)
        readTermTable(bytes, context, path, into);
      else if (/\.(?:csv|tsv)$/i.test(path) && tableKind(bytes).hasUnits)
        into.leave("file", "it is a table of texts of one language: take PO or XLIFF instead", path);
      else if (image.test(path))
        into.leave("picture", "the export does not say which strings it shows", path);
      else if (/\.(?:xlf|xliff)$/i.test(path)) readUnits(path, bytes, context, dialect, into, texts);
      else texts.push({ path, bytes, placed: context.place(path), states: undefined });
    });
  }
  await readTexts(texts, context, into);
}

/** A file in a format of apps. */
export interface TextFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly placed: ReturnType<MovingContext["place"]>;
  /** What is known of its translations, by key. */
  readonly states: ReadonlyMap<string, MovedText["state"]> | undefined;
}

/** Reads files of texts, those of the source locale first: in some formats they tell what the others are. */
export async function readTexts(
  texts: readonly TextFile[],
  context: MovingContext,
  into: Moved,
): Promise<void> {
  const isSource = ({ placed }: TextFile): boolean =>
    !("unknown" in placed) && placed.locale === context.source;
  const sources = new Map<string, Texts>();
  const read = new Map<string, string>();
  for (const file of [...texts.filter(isSource), ...texts.filter((one) => !isSource(one))]) {
    await pause();
    await guarded(file.path, into, () => readTextFile(file, context, { sources, read }, into));
  }
}

async function readTextFile(
  { path, bytes, placed, states }: TextFile,
  context: MovingContext,
  done: { readonly sources: Map<string, Texts>; readonly read: Map<string, string> },
  into: Moved,
): Promise<void> {
  if ("unknown" in placed) return into.leaveLocale("file", placed.unknown, path);
  const { file, locale, code, format } = placed;
  if (format === undefined)
    return into.leave("file", "it is in no format of texts that can be read here", path);
  const { parse, locales } = await format.load();
  if (locales !== undefined) {
    const found = locales(bytes);
    if (found.length === 0) into.leave("file", "it names no locale of its texts", path);
    for (const own of found) {
      const known = context.localeOf(own);
      if (known === undefined) into.leaveLocale("part of a file", own, path);
      else add(parse(bytes, { locale: own, sourceLocale: context.source }), known);
    }
    return undefined;
  }
  const before = done.read.get(`${file}\0${locale}`);
  if (before !== undefined)
    return into.leave("file", `by its name it is the same file of the Hive as ${before}`, path);
  done.read.set(`${file}\0${locale}`, path);
  const isSource = locale === context.source;
  const sourceLocale = isSource ? code : context.source;
  add(parse(bytes, { locale: code, sourceLocale, sourceTexts: done.sources.get(file) }), locale);
  if (format.name === "po") addFuzzy(decodeUtf8(bytes), { file, locale }, isSource, into);

  function add(parsed: ReturnType<typeof parse>, own: string): void {
    const isOwnSource = own === context.source;
    if (isOwnSource) {
      done.sources.set(file, parsed.texts);
      into.contents.set(file, parsed.content);
    }
    // Those of PO are fuzzy messages, which are read below.
    for (const key of format?.name === "po" ? [] : parsed.nonTextValues)
      into.leave("value", "it is no text, or none that is finished", `${file}: ${key}`);
    for (const [key, text] of parsed.texts) {
      const string = into.string(file, key);
      if (isOwnSource) string.source = text;
      else if (text !== "") string.translations.set(own, { text, state: states?.get(key) });
    }
    // Places in the code are for the app's files to say, at each push.
    if (isOwnSource)
      for (const [key, note] of parsed.notes) into.note(file, key, { ...note, where: undefined });
  }
}

/** What a PO file says beyond its finished texts: the source texts, and translations that somebody has to look at. */
function addFuzzy(
  text: string,
  { file, locale }: Pick<Placed, "file" | "locale">,
  isSource: boolean,
  into: Moved,
): void {
  if (isSource) return;
  for (const { key, id, plural, forms, isFuzzy } of readPoFile(text).messages) {
    if (plural !== undefined) {
      if (isFuzzy) into.leave("translation", "it is fuzzy and has plural forms", `${file}: ${key}`);
      continue;
    }
    const string = into.string(file, key);
    string.source ??= id;
    const draft = forms[0]?.text ?? "";
    if (isFuzzy && draft !== "") string.translations.set(locale, { text: draft, state: "review" });
  }
}

/** Reads XLIFF, in which each text has its state: as the app's own file, or as a list of texts of files. */
function readUnits(
  path: string,
  bytes: Uint8Array,
  context: MovingContext,
  { isOwnNumber }: Dialect,
  into: Moved,
  texts: TextFile[],
): void {
  const { units, refused, targetLocale } = readXliff(bytes);
  const locale = targetLocale === undefined ? context.source : context.localeOf(targetLocale);
  if (locale === undefined) return into.leaveLocale("file", targetLocale ?? "", path);
  const own = context.place(path, targetLocale ?? context.source);
  if (!("unknown" in own) && own.format?.name === "xliff" && isOfApp(own.file, units)) {
    const states = new Map(units.map(({ key, state }) => [key, state]));
    texts.push({ path, bytes, placed: { ...own, locale }, states });
    for (const { key, source, about } of units) {
      into.note(own.file, key, about);
      into.string(own.file, key).source ??= source;
    }
    return undefined;
  }
  const fileOf = (original: string): string => {
    const named = isNamed(original) ? context.place(original, targetLocale ?? context.source) : own;
    return "unknown" in named ? original : named.file;
  };
  for (const { file, key, line, reason } of refused)
    into.leave("text", `it ${reason}`, `${path}:${line}: ${file}: ${key}`);
  for (const unit of units) {
    const { key, source, translation, state, about } = unit;
    const file = fileOf(unit.file);
    if (isOwnNumber?.(key) === true) {
      if (translation !== undefined && source !== undefined && locale !== context.source)
        into.unkeyed.push({ file, source, locale, text: translation, state, note: about });
      continue;
    }
    const string = into.string(file, key);
    string.source ??= source;
    if (translation !== undefined && locale !== context.source)
      string.translations.set(locale, { text: translation, state });
    into.note(file, key, about);
  }
  return undefined;
}

/** Whether the name of a `<file>` is that of a file in a format of apps: tools name what they made the XLIFF of. */
function isNamed(original: string): boolean {
  const format = formatOfPath(original);
  return format !== undefined && format.name !== "xliff";
}

/** Whether XLIFF is the app's own file, and no list of texts from files of another format. */
function isOfApp(file: string, units: readonly ReceivedUnit[]): boolean {
  return formatOfPath(file)?.name === "xliff" && !units.some((unit) => isNamed(unit.file));
}

function readTerms(bytes: Uint8Array, context: MovingContext, into: Moved): void {
  const { terms, unknownLocales, forbidden } = readTermsTbx(bytes, context);
  for (const code of unknownLocales) into.leaveLocale("language of a glossary", code);
  for (const spelling of forbidden) into.leave("term", forbiddenTerm, spelling);
  into.terms.push(...terms);
}

function readMemory(bytes: Uint8Array, context: MovingContext, dialect: Dialect, into: Moved): void {
  for (const unit of readTmx(bytes)) {
    const texts = [...unit.texts];
    // A memory may be of another language than the texts: its text in theirs is what they are compared with.
    const sources = texts.filter(([code]) => isSourceCode(code));
    const own = sources.find(([code]) => code === unit.source) ?? sources[0];
    if (own === undefined) {
      into.leave("unit of the memory", "it has no text in the source language");
      continue;
    }
    const file = dialect.fileOfUnit?.(unit, context);
    for (const [code, text] of texts) {
      const locale = code === own[0] ? undefined : context.localeOf(code);
      if (locale === undefined || locale === context.source) continue;
      if (file === undefined) into.memory.push({ source: own[1], locale, text });
      else into.unkeyed.push({ file, source: own[1], locale, text, state: "approved" });
    }
  }

  function isSourceCode(code: string): boolean {
    return context.localeOf(code) === context.source;
  }
}

/** Does what may find a file at fault, which is then left out with its line. */
export async function guarded(path: string, into: Moved, run: () => Promise<void> | void): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const place = error.line === undefined ? path : `${path}:${error.line}`;
    into.leave("file", `it ${error.message}`, place);
  }
}
