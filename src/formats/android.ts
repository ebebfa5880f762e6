/** Android's resources: `strings.xml` with texts, plurals and arrays of texts. */
import { childOf, isList } from "../domain/strings/string-file.ts";
import { excerpt } from "../domain/text.ts";
import { androidProblem, writeAndroidText, writeQuotedText } from "./android/android-text.ts";
import { readAndroidTree, type AndroidTree } from "./android/android-tree.ts";
import { FormatError, textFormat, type FileEdit } from "./format.ts";
import { notesIn } from "./patch/notes.ts";
import type { TreeEdit } from "./patch/plan-edit.ts";
import { patch, withoutEntries, type Place, type PatchSyntax } from "./patch/patch.ts";
import { toParsedFile, withEntries } from "./patch/tree.ts";
import { replaceContent } from "./patch/xml-content.ts";

export const android = textFormat({
  parse(text) {
    const { root, others } = readAndroidTree(text);
    return toParsedFile(root, text, () => notesIn(withEntries(root, others), text, syntaxOf(text)));
  },
  write(edit) {
    const text = templateOf(edit);
    const tree = readAndroidTree(text);
    const patched = patch(text, tree.root, withWholeArrays(edit, tree), syntaxOf(text));
    const usesXliff = patched.includes(xliffStart) && !text.includes(xliffStart);
    return usesXliff ? withXliff(patched) : patched;
  },
  problemIn: androidProblem,
});

const xliffStart = "<xliff:";

/** Declares the prefix of the first placeholders that come into a file, where it does not do so itself. */
function withXliff(text: string): string {
  return text.replace(
    /<resources\b(?![^>]*\sxmlns:xliff=)/,
    '$& xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2"',
  );
}

/** The file that is changed; a source file without the resources that are not translated. */
function templateOf({ template: text, isSource }: FileEdit<string>): string {
  if (!isSource) return text;
  const { root, others } = readAndroidTree(text);
  return withoutEntries(text, root, others, syntaxOf(text));
}

/**
 * An edit after which no array has gaps: Android takes arrays as a whole, so that the source text stands where there is
 * no translation.
 */
function withWholeArrays(edit: TreeEdit, { root }: AndroidTree): TreeEdit {
  const texts = new Map(edit.texts);
  const removed = new Set(edit.removed);
  const nodes = new Map(root.entries.map(({ name, node }) => [name, node]));
  for (const [name, source] of Object.entries(edit.shape)) {
    if (typeof source === "string" || !isList(source)) continue;
    const local = nodes.get(name);
    const present = local?.kind === "group" && !edit.isSource ? local.entries.length : 0;
    const keyOf = (i: number): string => `${name}.${i}`;
    const isThere = (i: number): boolean => texts.has(keyOf(i)) || (i < present && !removed.has(keyOf(i)));
    const last = Array.from({ length: Math.max(source.length, present) }, (_, i) => i).findLast(isThere);
    if (last === undefined) continue;
    const length = edit.isSource ? source.length : last;
    for (let i = 0; i < length; i++) {
      const text = childOf(source, String(i));
      if (isThere(i) || typeof text !== "string") continue;
      texts.set(keyOf(i), text);
      removed.delete(keyOf(i));
    }
  }
  return { ...edit, texts, removed };
}

const resourceName = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;
const quantities = new Set(["zero", "one", "two", "few", "many", "other"]);

function checkName(name: string): string {
  if (resourceName.test(name)) return name;
  throw new FormatError(
    `cannot have a text of the name ${excerpt(name)}: resources are named by letters, digits, _, . and -`,
  );
}

function checkQuantity(name: string): string {
  if (quantities.has(name)) return name;
  throw new FormatError(
    `cannot have a plural form ${excerpt(name)}: Android has ${[...quantities].join(", ")}`,
  );
}

function syntaxOf(file: string): PatchSyntax {
  return {
    separator: "",
    comment: /<!--[^]*?-->/y,
    literal: (text, entry) => {
      const { name, start, node } = entry;
      // A value that is not translated is a whole element.
      if (start === node.start) return elementOf(name, text, { isRoot: true, isInList: false });
      return replaceContent(contentOf(text, file.slice(node.start, node.end)), node, file);
    },
    entry: elementOf,
    group: (name, isArray) => {
      const element = isArray ? "string-array" : "plurals";
      return [`<${element} name="${checkName(name)}">`, `</${element}>`];
    },
  };
}

function elementOf(
  name: string,
  text: string,
  { isRoot, isInList }: Pick<Place, "isRoot" | "isInList">,
): string {
  const content = writeAndroidText(text);
  if (isRoot) return `<string name="${checkName(name)}">${content}</string>`;
  return isInList ? `<item>${content}</item>` : `<item quantity="${checkQuantity(name)}">${content}</item>`;
}

/** The content of an element in whose place other content comes: in quotes if that is. */
function contentOf(text: string, raw: string): string {
  const isQuoted = /^[ \t\r\n]*"[^"<]*"[ \t\r\n]*$/.test(raw) && !raw.includes('\\"');
  return (isQuoted ? writeQuotedText(text) : undefined) ?? writeAndroidText(text);
}
