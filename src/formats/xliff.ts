/**
 * XLIFF 1.2 as an app's own files, as Angular and Symfony have them. A text with inline elements (`<x id="…"/>`) is shown
 * as the XML that it is. Units without a translation are left out of files, since Symfony takes their source for one.
 */
import type { AppNote } from "../domain/notes/note.ts";
import { textFormat, type FileContext, type FileEdit } from "./format.ts";
import { SourceEntries } from "./patch/copied-entry.ts";
import { joinNotes, textNote } from "./patch/notes.ts";
import { patch, type PatchSyntax } from "./patch/patch.ts";
import { errorAt, lineEndOf } from "./patch/source-text.ts";
import { splice } from "./patch/splices.ts";
import { otherNode, toParsedFile, type Entry, type GroupNode, type TreeNode } from "./patch/tree.ts";
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
  write(edit, context) {
    const text = templateOf(edit, context);
    return patch(text, toTree(text, context, edit.isSource), edit, syntaxOf(text, edit, context));
  },
  problemIn: xliffProblem,
});

/** The one file in a document. @throws FormatError when it is of another version, or has several. */
function fileIn(text: string): { readonly file: XmlElement; readonly body: XmlElement } {
  const root = readXmlTree(text, { takesDoctype: true });
  const version = root.attributes.get("version");
  if (root.name !== "xliff") throw errorAt(text, root.start, "is not XLIFF, whose root is <xliff>");
  if (version !== "1.2") throw errorAt(text, root.start, `is XLIFF ${version ?? ""}; only 1.2 can be read`);
  const [file, other] = childrenOf(root, "file");
  if (other !== undefined) throw errorAt(text, other.start, "has a second <file>");
  const body = childOf(file, "body");
  if (file === undefined || body === undefined || body.innerEnd === body.end)
    throw errorAt(text, root.start, "has no <file> with a <body>");
  return { file, body };
}

/** @param isSource whether the file is the source file, which stands in for the file of another locale. */
function toTree(text: string, context: FileContext, isSource = false): GroupNode {
  const { body } = fileIn(text);
  const entries = childElements(body).map((unit) => {
    if (unit.name !== "trans-unit") throw errorAt(text, unit.start, `has a <${unit.tag}> among its units`);
    return toEntry(unit, text, context, isSource);
  });
  return elementGroup(body, entries);
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
function templateOf({ template: text, isSource }: FileEdit<string>, { locale }: FileContext): string {
  if (!isSource) return text;
  const { start, innerStart: end } = fileIn(text).file;
  const tag = text.slice(start, end);
  const attribute = ` target-language="${writeAttribute(locale.replaceAll("_", "-"))}"`;
  const present = /\starget-language=(?:"[^"]*"|'[^']*')/;
  const named = present.test(tag)
    ? tag.replace(present, attribute)
    : tag.replace(/\ssource-language=(?:"[^"]*"|'[^']*')/, `$&${attribute}`);
  return splice(text, [{ start, end, by: named }]);
}

function syntaxOf(file: string, { source }: FileEdit<string>, context: FileContext): PatchSyntax {
  const lineEnd = lineEndOf(file);
  const { sourceLocale } = context;
  const entries = new SourceEntries(source, (text) => toTree(text, { locale: sourceLocale, sourceLocale }));
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
    separator: "",
    comment: /<!--[^]*?-->/y,
    isFlat: true,
    literal: (text, entry) => target(text, entry, file),
    entry: (name, text, { like }) =>
      entries.copy(name, (entry, from) => target(text, entry, from), file, like) ??
      `<trans-unit id="${writeAttribute(name)}"><source>${writePlainText(name, lineEnd)}</source><target>${writeContent(text, lineEnd)}</target></trans-unit>`,
  };
}
