/**
 * XLIFF 1.2 and 2 as an app's own files, as Angular and Symfony have them. A text with inline elements (`<x id="…"/>`) is
 * shown as the XML that it is. Units without a translation are left out of files, since Symfony takes their source for one.
 * Where there are several `<file>` elements, as in Xcode's exports, each is a group with its `original`,
 * or its `id`, for a name.
 */
import { childOf as memberOf, fromGroup, type Texts } from "../domain/strings/string-file.ts";
import { excerpt } from "../domain/text.ts";
import { FormatError, textFormat, type FileContext, type FileEdit } from "./format.ts";
import { SourceEntries } from "./patch/copied-entry.ts";
import { blocksOf, type GapSyntax } from "./patch/gaps.ts";
import { layoutOf, patchPart, type FileLayout, type PatchSyntax } from "./patch/patch.ts";
import type { TreeEdit } from "./patch/plan-edit.ts";
import { indentOf, lineEndOf } from "./patch/source-text.ts";
import { splice, type Splice } from "./patch/splices.ts";
import { closingAt, fileRoot, isClosedAtOnce, toParsedFile, type GroupNode } from "./patch/tree.ts";
import { writeAttribute } from "./patch/xml-content.ts";
import { childElements, elementGroup, type XmlElement } from "./patch/xml-tree.ts";
import { xliffProblem } from "./xliff/xliff-content.ts";
import { documentIn, keysByFile, partsOf, type Part, type XliffDocument } from "./xliff/xliff-document.ts";
import { groupsIn, groupTags, inGroups, unitsOf, type SourceGroups } from "./xliff/xliff-groups.ts";
import type { XliffNames } from "./xliff/xliff-names.ts";
import { newUnit, prefixOf, UnitEntry } from "./xliff/xliff-unit.ts";

export const xliff = textFormat({
  parse(text, context) {
    const document = documentIn(text);
    return toParsedFile(keyedTree(document, partsOf(document, text, context)), text);
  },
  write: writeXliff,
  problemIn: xliffProblem,
});

/** What stands between units, and between `<file>` elements. */
const gaps: GapSyntax = { separator: "", comment: /<!--[^]*?-->/y };

function withoutGroups(tree: GroupNode): GroupNode {
  return { ...tree, entries: unitsOf(tree) };
}

/** The units of a document by their keys. */
function keyedTree({ root }: XliffDocument, parts: readonly Part[]): GroupNode {
  const [only] = parts;
  if (only?.prefix === "") return withoutGroups(only.units);
  const entries = parts.map((part) => {
    const { start, end } = part.file;
    return { name: part.name, start, end, node: withoutGroups(part.units) };
  });
  return elementGroup(root, entries);
}

/** The file that is changed; of a source file, with the language of the locale that it is for. */
function templateOf({ template, isSource, texts }: FileEdit<string>, { locale }: FileContext): string {
  const text = withBodies(template, texts);
  if (!isSource) return text;
  const { root, names, files } = documentIn(text);
  const named = names.languagesOf === "xliff" ? [root] : files.map(({ file }) => file);
  const tags = named.map((element) => {
    const { start } = element;
    const end = isClosedAtOnce(element) ? closingAt(element, text) : element.innerStart;
    return { start, end, by: withTarget(text.slice(start, end), names, locale) };
  });
  return splice(text, tags);
}

/** A file with a `<body>` in each `<file>` that lacks one and that may get texts. */
function withBodies(text: string, texts: Texts): string {
  const { files, names } = documentIn(text);
  const lacking = files.filter(({ body }) => body === undefined);
  if (lacking.length === 0) return text;
  const keys = keysByFile(texts.keys(), files);
  const lineEnd = lineEndOf(text);
  const bodies = lacking.flatMap(({ name, file }): Splice | readonly Splice[] => {
    if (files.length === 1 ? texts.size === 0 : !keys.has(name)) return [];
    const tag = prefixOf(file.tag, file.name) + (names.body ?? "");
    const last = childElements(file).at(-1);
    const gap = last === undefined ? "" : lineEnd + indentOf(text, last.start);
    if (!isClosedAtOnce(file)) {
      const start = last?.end ?? file.innerStart;
      return { start, end: start, by: `${gap}<${tag}></${tag}>` };
    }
    return { start: closingAt(file, text), end: file.end, by: `><${tag}></${tag}></${file.tag}>` };
  });
  return splice(text, bodies);
}

/** A start tag that has languages, with that of a locale. */
function withTarget(tag: string, { sourceLanguage, targetLanguage }: XliffNames, locale: string): string {
  const attribute = ` ${targetLanguage}="${writeAttribute(locale.replaceAll("_", "-"))}"`;
  const present = attributeNamed(targetLanguage);
  return present.test(tag)
    ? tag.replace(present, attribute)
    : tag.replace(attributeNamed(sourceLanguage), `$&${attribute}`);
}

/** An attribute with its value, and the blank before it. */
function attributeNamed(name: string): RegExp {
  return new RegExp(String.raw`\s${name}\s*=\s*(?:"[^"]*"|'[^']*')`);
}

/** The source file, for what is copied from it. */
interface XliffSource {
  readonly entries: SourceEntries;
  /** Where the units of the `<file>` of that name stand. */
  readonly groupsOf: (name: string) => SourceGroups | undefined;
}

/** @param version of the file that is changed: nothing is copied from a source of another one. */
function sourceOf(
  text: string | undefined,
  version: XliffNames,
  { sourceLocale }: FileContext,
  lineEnd: string,
): XliffSource {
  const document = text === undefined ? undefined : documentIn(text);
  if (text === undefined || document?.names !== version)
    return {
      entries: new SourceEntries(undefined, () => fileRoot("", []), lineEnd),
      groupsOf: () => undefined,
    };
  const parts = partsOf(document, text, { locale: sourceLocale, sourceLocale });
  const groups = new Map(parts.map(({ name, units }) => [name, groupsIn(units, text)]));
  const [only] = parts.length === 1 ? groups.values() : [];
  return {
    entries: new SourceEntries(text, () => keyedTree(document, parts), lineEnd),
    groupsOf: (name) => only ?? groups.get(name),
  };
}

function writeXliff(edit: FileEdit<string>, given: FileContext): string {
  const context = { ...given, sourceTexts: given.sourceTexts ?? fromGroup(edit.shape).texts };
  const text = templateOf(edit, context);
  const layout = layoutOf(text);
  const document = documentIn(text);
  const source = sourceOf(edit.source, document.names, context, layout.lineEnd);
  const { groupsOf } = source;
  const parts = partsOf(document, text, { ...context, isTemplate: edit.isSource, groupsOf });
  const [only] = parts;
  const writing = { text, document, source, layout };
  if (only?.prefix === "") return splice(text, [patchedPart(only, edit, writing)]);
  const keys = keysByFile(edit.texts.keys(), parts);
  const removed = keysByFile(edit.removed, parts);
  const order = edit.order && keysByFile(edit.order.keys(), parts);
  const splices = parts.map((part): Splice => {
    const { name } = part;
    const inPart = editOfPart(edit, name, {
      keys: keys.get(name) ?? [],
      removed: removed.get(name) ?? [],
      order: order?.get(name),
    });
    return patchedPart(part, inPart, writing);
  });
  const others = new Map((keys.get(undefined) ?? []).map((key) => [key, edit.texts.get(key) ?? ""] as const));
  const added = others.size === 0 ? [] : filesOfSource({ ...edit, texts: others }, document, context);
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

/** The `<file>` elements of the source file, with some of its texts alone. @throws FormatError when it lacks one. */
function filesOfSource(
  edit: FileEdit<string>,
  { names: version }: XliffDocument,
  context: FileContext,
): readonly SourceFile[] {
  const { source, texts } = edit;
  const document = source === undefined ? undefined : documentIn(source);
  const files = document?.names === version ? document.files : [];
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

/** What units are written with. */
interface Writing {
  readonly text: string;
  readonly document: XliffDocument;
  readonly source: XliffSource;
  readonly layout: FileLayout;
}

/** The units of a `<file>` after an edit. */
function patchedPart(part: Part, edit: TreeEdit, writing: Writing): Splice {
  const { text, document, layout } = writing;
  const { units } = part;
  const { start, end } = units;
  const [own, syntax] = changeOf(part, edit, writing);
  const by = patchPart(text, units, own, syntax, layout);
  const hasNone = edit.texts.size === 0 && units.entries.length > 0 && !hasUnits.test(by);
  // Symfony refuses a document of XLIFF 2 that has a `<file>` without units and groups.
  return { start, end, by: hasNone && document.names.body === undefined ? withGroup(by, part, writing) : by };
}

const hasUnits = /<(?:[\w.-]+:)?(?:unit|group)[\s/>]/;

/** A `<file>` that has lost its last unit, with an empty group. */
function withGroup(file: string, { units }: Part, { text, document: { root }, layout }: Writing): string {
  const [first] = units.entries;
  const end = file.lastIndexOf("</");
  const lines = layout.hasLines ? [first?.start ?? 0, units.start].map((at) => indentOf(text, at)) : [];
  const [before = "", after = ""] = lines.map((indent) => layout.lineEnd + indent);
  const group = `<${prefixOf(root.tag, root.name)}group id="none"/>`;
  return file.slice(0, end).trimEnd() + before + group + after + file.slice(end);
}

/** The change of a `<file>` in the groups of its units, and how it is written. */
function changeOf(part: Part, edit: TreeEdit, writing: Writing): readonly [TreeEdit, PatchSyntax] {
  const { text: file, document, source, layout } = writing;
  const { lineEnd } = layout;
  const present = groupsIn(part.units, file);
  const inSource = source.groupsOf(part.name);
  const isFlat = present.groups.size === 0 && (inSource?.groups.size ?? 0) === 0;
  const known = new Set(unitsOf(part.units).map(({ name }) => name));
  const prefixOfKey = (key: string): string => (known.has(key) ? present : inSource)?.prefixes.get(key) ?? "";
  const prefix = prefixOf(document.root.tag, document.root.name);
  const syntax: PatchSyntax = {
    ...gaps,
    isFlat,
    literal: (text, entry) => (entry instanceof UnitEntry ? entry.write(text, file, lineEnd) : ""),
    entry: (key, text, place) =>
      source.entries.copy(
        part.prefix + key,
        (entry, from, moved) => (entry instanceof UnitEntry ? entry.write(text, from, lineEnd, moved) : ""),
        file,
        place,
      ) ?? newUnit(document.names, prefix, key, text, lineEnd),
    group: (name, _, place) =>
      inSource === undefined
        ? ["", ""]
        : groupTags(inSource, `${place.prefix}${name}.`, place.indent, lineEnd),
  };
  return [isFlat ? edit : inGroups(edit, prefixOfKey), syntax];
}
