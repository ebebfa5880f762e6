/**
 * XLIFF 1.2 as an app's own files, as Angular and Symfony have them. A text with inline elements (`<x id="…"/>`) is shown
 * as the XML that it is. Units without a translation are left out of files, since Symfony takes their source for one.
 * Where there are several `<file>` elements, as in Xcode's exports, each is a group with its `original` for a name.
 */
import { groupBy } from "../domain/group-by.ts";
import type { AppNote } from "../domain/notes/note.ts";
import { childOf as memberOf, fromGroup, type Texts } from "../domain/strings/string-file.ts";
import { excerpt } from "../domain/text.ts";
import { FormatError, textFormat, type FileContext, type FileEdit } from "./format.ts";
import { SourceEntries } from "./patch/copied-entry.ts";
import { blocksOf, type GapSyntax } from "./patch/gaps.ts";
import { joinNotes, textNote } from "./patch/notes.ts";
import { layoutOf, patch, patchPart, type PatchSyntax } from "./patch/patch.ts";
import type { TreeEdit } from "./patch/plan-edit.ts";
import { errorAt, indentOf, lineEndOf } from "./patch/source-text.ts";
import { splice, type Splice } from "./patch/splices.ts";
import {
  closingAt,
  isClosedAtOnce,
  otherNode,
  toParsedFile,
  type Entry,
  type GroupNode,
  type TreeNode,
} from "./patch/tree.ts";
import { plainTextOf, writeAttribute, writePlainText } from "./patch/xml-content.ts";
import {
  childElements,
  childOf,
  childrenOf,
  elementGroup,
  readXmlTree,
  type XmlElement,
} from "./patch/xml-tree.ts";
import { contentOf, writeContent, xliffProblem } from "./xliff/xliff-content.ts";

export const xliff = textFormat({
  parse: (text, context) => toParsedFile(toTree(text, context), text),
  write: writeXliff,
  problemIn: xliffProblem,
});

/** What stands between units, and between `<file>` elements. */
const gaps: GapSyntax = { separator: "", comment: /<!--[^]*?-->/y };

interface FileElement {
  /** Its `original`, which tells it from others in the document. */
  readonly name: string;
  readonly file: XmlElement;
  /** Undefined where it lacks one, as it has no units. */
  readonly body: XmlElement | undefined;
}

interface XliffDocument {
  readonly root: XmlElement;
  /** At least one. */
  readonly files: readonly FileElement[];
}

/** @throws FormatError when it is of another version, or has no files, or some that cannot be told apart. */
function documentIn(text: string): XliffDocument {
  const root = readXmlTree(text, { takesDoctype: true });
  const version = root.attributes.get("version");
  if (root.name !== "xliff") throw errorAt(text, root.start, "is not XLIFF, whose root is <xliff>");
  if (version !== "1.2") throw errorAt(text, root.start, `is XLIFF ${version ?? ""}; only 1.2 can be read`);
  const files = childrenOf(root, "file").map((file): FileElement => {
    return { name: file.attributes.get("original") ?? "", file, body: childOf(file, "body") };
  });
  if (files.length === 0) throw errorAt(text, root.start, "has no <file>");
  if (files.length > 1) checkNames(files, text);
  return { root, files };
}

/** @throws FormatError when the keys of one file could be those of another. */
function checkNames(files: readonly FileElement[], text: string): void {
  const names = new Set<string>();
  for (const { name, file } of files) {
    const problem =
      name === ""
        ? "one has no original"
        : names.has(name)
          ? `two have the original ${excerpt(name)}`
          : undefined;
    if (problem !== undefined)
      throw errorAt(text, file.start, `has several <file> elements that cannot be told apart: ${problem}`);
    names.add(name);
  }
  for (const { name, file } of files) {
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
      const other = name.slice(0, dot);
      if (!names.has(other)) continue;
      const originals = `${excerpt(name)} begins with ${excerpt(other)}`;
      throw errorAt(text, file.start, `has several <file> elements that cannot be told apart: ${originals}`);
    }
  }
}

/** A `<file>` with its units. */
interface Part extends FileElement {
  readonly units: GroupNode;
  /** The prefix of its keys; empty where it is the only one. */
  readonly prefix: string;
}

/** @param isSource whether the file is the source file, which stands in for the file of another locale. */
function partsOf(
  { files }: XliffDocument,
  text: string,
  context: FileContext,
  isSource = false,
): readonly Part[] {
  const sourceKeys = context.sourceTexts ?? new Map<string, string>();
  return files.map((one) => {
    const { file, body = { ...file, children: [] } } = one;
    const entries = childElements(body).flatMap((unit): Entry | readonly Entry[] => {
      if (unit.name === "group" && !hasUnits(unit)) return [];
      if (unit.name !== "trans-unit") throw errorAt(text, unit.start, `has a <${unit.tag}> among its units`);
      return toEntry(unit, text, context, isSource);
    });
    const prefix = `${one.name}.`;
    // A translation may have one of the several that the source file has.
    const isOneOfSeveral = () =>
      one.name !== "" &&
      [...sourceKeys.keys()].some((key) => key.startsWith(prefix)) &&
      !entries.some(({ name }) => sourceKeys.has(name));
    const isGroup = files.length > 1 || isOneOfSeveral();
    return { ...one, units: elementGroup(body, entries), prefix: isGroup ? prefix : "" };
  });
}

/** Whether a group has units, in groups within it too. */
function hasUnits(group: XmlElement): boolean {
  return childElements(group).some(
    (child) => child.name === "trans-unit" || child.name === "bin-unit" || hasUnits(child),
  );
}

function toTree(text: string, context: FileContext): GroupNode {
  const document = documentIn(text);
  const parts = partsOf(document, text, context);
  const [only] = parts;
  if (only?.prefix === "") return only.units;
  const entries = parts.map(({ name, file: { start, end }, units: node }) => ({ name, start, end, node }));
  return elementGroup(document.root, entries);
}

function toEntry(
  unit: XmlElement,
  text: string,
  { locale, sourceLocale }: FileContext,
  isSource: boolean,
): Entry {
  const { attributes, start, end } = unit;
  const name = attributes.get("resname") || (attributes.get("id") ?? "");
  const [source, target] = [childOf(unit, "source"), childOf(unit, "target")];
  if (source === undefined || name === "")
    throw errorAt(text, start, "has a unit without an id or a <source>");
  const { start: from, end: to } = target ?? { start: source.end, end: source.end };
  const own = target === undefined ? "" : contentOf(target, text);
  const shown = own || (locale === sourceLocale ? contentOf(source, text) : "");
  const isDraft = locale !== sourceLocale && own !== "" && isUnfinished(target);
  const span = { start: from, end: to };
  // In a copy of the source file, an unfinished target is a gap, which goes with its unit or is filled.
  const node: TreeNode =
    isDraft && !isSource ? otherNode(span) : { kind: "text", text: isDraft ? "" : shown, ...span };
  return { name, start, end, node, note: () => noteOf(unit) };
}

function isUnfinished(target: XmlElement | undefined): boolean {
  const state = target?.attributes.get("state") ?? "";
  return state === "new" || state.startsWith("needs-");
}

/** What a unit says about its text: notes, the largest size in characters, and places in the code. */
function noteOf(unit: XmlElement): AppNote | undefined {
  const notes = childrenOf(unit, "note").map((child) => textNote(plainTextOf(child)));
  const maxWidth = Number(unit.attributes.get("maxwidth"));
  const isInCharacters = unit.attributes.get("size-unit") === "char";
  const where = childrenOf(unit, "context-group").flatMap((group) => {
    if (group.attributes.get("purpose") !== "location") return [];
    const [file, line] = ["sourcefile", "linenumber"].map((type) =>
      childElements(group).find(({ attributes }) => attributes.get("context-type") === type),
    );
    return file === undefined ? [] : plainTextOf(file) + (line === undefined ? "" : `:${plainTextOf(line)}`);
  });
  return joinNotes(...notes, { where, max_length: isInCharacters ? maxWidth : undefined });
}

/** The file that is changed; of a source file, with the language of the locale that it is for. */
function templateOf({ template, isSource, texts }: FileEdit<string>, { locale }: FileContext): string {
  const text = withBodies(template, texts);
  if (!isSource) return text;
  const tags = documentIn(text).files.map(({ file }) => {
    const { start } = file;
    const end = isClosedAtOnce(file) ? closingAt(file, text) : file.innerStart;
    return { start, end, by: withTarget(text.slice(start, end), locale) };
  });
  return splice(text, tags);
}

/** A file with a `<body>` in each `<file>` that lacks one and that may get texts. */
function withBodies(text: string, texts: Texts): string {
  const { files } = documentIn(text);
  const lacking = files.filter(({ body }) => body === undefined);
  if (lacking.length === 0) return text;
  const keys = keysByFile(texts.keys(), files);
  const lineEnd = lineEndOf(text);
  const bodies = lacking.flatMap(({ name, file }): Splice | readonly Splice[] => {
    if (files.length === 1 ? texts.size === 0 : !keys.has(name)) return [];
    const last = childElements(file).at(-1);
    const gap = last === undefined ? "" : lineEnd + indentOf(text, last.start);
    if (!isClosedAtOnce(file)) {
      const start = last?.end ?? file.innerStart;
      return { start, end: start, by: `${gap}<body></body>` };
    }
    return { start: closingAt(file, text), end: file.end, by: `><body></body></${file.tag}>` };
  });
  return splice(text, bodies);
}

/** The start tag of a `<file>`, with the language of a locale. */
function withTarget(tag: string, locale: string): string {
  const attribute = ` target-language="${writeAttribute(locale.replaceAll("_", "-"))}"`;
  const present = /\starget-language=(?:"[^"]*"|'[^']*')/;
  return present.test(tag)
    ? tag.replace(present, attribute)
    : tag.replace(/\ssource-language=(?:"[^"]*"|'[^']*')/, `$&${attribute}`);
}

function writeXliff(edit: FileEdit<string>, given: FileContext): string {
  const context = { ...given, sourceTexts: given.sourceTexts ?? fromGroup(edit.shape).texts };
  const text = templateOf(edit, context);
  const { sourceLocale } = context;
  const layout = layoutOf(text);
  const { lineEnd } = layout;
  const entries = new SourceEntries(
    edit.source,
    (source) => toTree(source, { locale: sourceLocale, sourceLocale }),
    lineEnd,
  );
  const document = documentIn(text);
  const parts = partsOf(document, text, context, edit.isSource);
  const [only] = parts;
  if (only?.prefix === "") return patch(text, only.units, edit, syntaxOf(text, entries, "", lineEnd));
  const keys = keysByFile(edit.texts.keys(), parts);
  const removed = keysByFile(edit.removed, parts);
  const order = edit.order && keysByFile(edit.order.keys(), parts);
  const splices = parts.map(({ name, units, prefix }): Splice => {
    const own = editOfPart(edit, name, {
      keys: keys.get(name) ?? [],
      removed: removed.get(name) ?? [],
      order: order?.get(name),
    });
    const { start, end } = units;
    return { start, end, by: patchPart(text, units, own, syntaxOf(text, entries, prefix, lineEnd), layout) };
  });
  const others = new Map((keys.get(undefined) ?? []).map((key) => [key, edit.texts.get(key) ?? ""] as const));
  const added = others.size === 0 ? [] : filesOfSource({ ...edit, texts: others }, context);
  return splice(text, [...splices, ...placed(added, document.root, parts, text)]);
}

/** A `<file>` of the source file: its name, and itself where it comes into another file. */
interface SourceFile {
  readonly name: string;
  readonly code: string | undefined;
}

/** Places new `<file>` elements behind the one that precedes them in the source file, and else before the first that it has. */
function placed(
  files: readonly SourceFile[],
  root: XmlElement,
  parts: readonly Part[],
  text: string,
): readonly Splice[] {
  const lineEnd = lineEndOf(text);
  const indent = indentOf(text, parts[0]?.file.start ?? 0);
  const entries = parts.map(({ name, file, units: node }) => ({
    name,
    start: file.start,
    end: file.end,
    node,
  }));
  const blocks = blocksOf(elementGroup(root, entries), text, gaps);
  const byName = new Map(parts.map(({ name }, i) => [name, blocks[i]]));
  const first = files.map(({ name }) => byName.get(name)).find((block) => block !== undefined);
  let previous = first === undefined ? blocks.at(-1) : undefined;
  return files.flatMap(({ name, code }): Splice | readonly Splice[] => {
    previous = byName.get(name) ?? previous;
    const beside = previous ?? first;
    if (code === undefined || beside === undefined) return [];
    const file = code.replaceAll(/\r?\n/g, lineEnd);
    const at = previous === undefined ? beside.start : beside.end;
    const joint = lineEnd + indent;
    if (beside.ownsLines) return { start: at, end: at, by: indent + file + lineEnd };
    return { start: at, end: at, by: previous === undefined ? file + joint : joint + file };
  });
}

/** Keys by the names of the `<file>` elements that they belong to; undefined for those of none. */
function keysByFile(
  keys: Iterable<string>,
  files: readonly Pick<FileElement, "name">[],
): ReadonlyMap<string | undefined, readonly string[]> {
  const names = new Set(files.map(({ name }) => name));
  return groupBy(keys, (key) => {
    for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1))
      if (names.has(key.slice(0, dot))) return key.slice(0, dot);
    return undefined;
  });
}

/** The `<file>` elements of the source file, with some of its texts alone. @throws FormatError when it lacks one. */
function filesOfSource(edit: FileEdit<string>, context: FileContext): readonly SourceFile[] {
  const { source, texts } = edit;
  const files = source === undefined ? [] : documentIn(source).files;
  const names = keysByFile(texts.keys(), files);
  const [homeless] = names.get(undefined) ?? [];
  if (homeless !== undefined)
    throw new FormatError(`cannot hold a text for ${excerpt(homeless)}, which is in none of its <file>s`);
  const made = writeXliff({ ...edit, template: source ?? "", isSource: true }, context);
  return documentIn(made).files.map(({ name, file }) => ({
    name,
    code: names.has(name) ? made.slice(file.start, file.end) : undefined,
  }));
}

/** The keys of a `<file>`, as the whole document has them. */
interface PartKeys {
  readonly keys: readonly string[];
  readonly removed: readonly string[];
  readonly order: readonly string[] | undefined;
}

/** What an edit changes in a `<file>`. @param name of it. */
function editOfPart(
  { texts, shape, isSource }: TreeEdit,
  name: string,
  { keys, removed, order }: PartKeys,
): TreeEdit {
  const inFile = (key: string): string => key.slice(name.length + 1);
  const inner = memberOf(shape, name);
  return {
    isSource,
    texts: new Map(keys.map((key) => [inFile(key), texts.get(key) ?? ""])),
    removed: new Set(removed.map(inFile)),
    shape: typeof inner === "object" ? inner : {},
    order: order && new Set(order.map(inFile)),
  };
}

/** @param prefix of the keys of the part of the file that is changed. */
function syntaxOf(file: string, entries: SourceEntries, prefix: string, lineEnd: string): PatchSyntax {
  /** The `<target>` of a unit: it replaces the one that is there, or follows the `<source>` as that follows what is above. */
  const target = (text: string, { start, node }: Entry, from: string): string => {
    const content = writeContent(text, lineEnd);
    const old = from.slice(node.start, node.end);
    const [tag] = /^<[^>]*>/.exec(old) ?? [];
    if (tag === undefined) {
      const [, gap = "", space = ""] =
        /(\r?\n[ \t]*)?<(?:\w+:)?source\b(?:[^>]*?(\sxml:space=(?:"[^"]*"|'[^']*')))?/.exec(
          from.slice(start, node.start),
        ) ?? [];
      return `${gap.replace(/\r?\n/, lineEnd)}<target${space}>${content}</target>`;
    }
    const open = tag
      .replace(/\s*\/>$/, ">")
      .replace(/(\sstate=)(["'])(?:new|needs-[\w-]*)\2/, "$1$2translated$2");
    const [name = ""] = /^[^\s>]+/.exec(open.slice(1)) ?? [];
    return `${open}${content}</${name}>`;
  };
  return {
    ...gaps,
    isFlat: true,
    literal: (text, entry) => target(text, entry, file),
    entry: (name, text, { like }) =>
      entries.copy(prefix + name, (entry, from) => target(text, entry, from), file, like) ??
      `<trans-unit id="${writeAttribute(name)}"><source>${writePlainText(name, lineEnd)}</source><target>${writeContent(text, lineEnd)}</target></trans-unit>`,
  };
}
