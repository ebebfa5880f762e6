/** Reads a file of Android's resources as a tree, with the place of each text. */
import { errorAt } from "../patch/source-text.ts";
import { otherNode, type Entry, type GroupNode, type TreeNode } from "../patch/tree.ts";
import { childElements, elementGroup, readXmlTree, type XmlElement } from "../patch/xml-tree.ts";
import { joinNotes, textNote } from "../patch/notes.ts";
import { readAndroidText } from "./android-text.ts";

export interface AndroidTree {
  readonly root: GroupNode;
  /** Resources that are not translated: they do not belong into files of other locales. */
  readonly others: readonly Entry[];
}

/** Attributes that Android ignores, in which apps describe their texts. */
const noteAttributes = ["comment", "description", "tools:comment", "tools:description"];

/** Values that stand for another resource. Other blanks than XML's are a text's own, as for aapt2. */
const reference =
  /^[ \t\r\n]*(?:@(?:null|empty|[+*]?(?:[\w.]+:)?\w+\/[\w.]+)|\?(?:[\w.]+:)?(?:\w+\/)?[A-Za-z][\w.]*)[ \t\r\n]*$/;

/** @throws FormatError when it cannot be read, or when two of its texts have one name. */
export function readAndroidTree(text: string): AndroidTree {
  const resources = readXmlTree(text);
  if (resources.tag !== "resources")
    throw errorAt(text, resources.start, "is not a file of Android's resources, whose root is <resources>");
  const entries: Entry[] = [];
  const others: Entry[] = [];
  const names = new Set<string>();
  for (const element of childElements(resources)) {
    const { start, end, attributes } = element;
    const name = attributes.get("name");
    const product = attributes.get("product") ?? "default";
    const node = name === undefined || product !== "default" ? undefined : nodeOf(element, text);
    if (name === undefined || node === undefined) {
      others.push({ name: "", start, end, node: otherNode(element) });
      continue;
    }
    if (names.has(name)) throw errorAt(text, start, `has a second text of the name ${name}`);
    names.add(name);
    if (node.kind === "other") others.push({ name, start, end, node });
    const note = () => joinNotes(...noteAttributes.map((attribute) => textNote(attributes.get(attribute))));
    entries.push({ name, start, end, node, note });
  }
  return { root: elementGroup(resources, entries), others };
}

/** The node of a resource; undefined when it has no text. */
function nodeOf(element: XmlElement, text: string): TreeNode | undefined {
  const { tag, attributes } = element;
  if (tag !== "string" && tag !== "plurals" && tag !== "string-array") return undefined;
  if (attributes.get("translatable") === "false") return otherNode(element);
  if (tag === "string") return valueOf(element, text);
  const isList = tag === "string-array";
  const entries = childElements(element).map((item, i): Entry => {
    const quantity = item.attributes.get("quantity");
    if (item.tag !== "item" || (!isList && quantity === undefined)) {
      throw errorAt(text, item.start, `has a <${item.tag}> where an <item> of ${tag} should be`);
    }
    const name = isList ? String(i) : (quantity ?? "");
    return { name, start: item.start, end: item.end, node: valueOf(item, text) };
  });
  return elementGroup(element, entries, isList);
}

function valueOf({ start, end, innerStart, innerEnd }: XmlElement, file: string): TreeNode {
  // An element without an end tag ends in `/>`, in whose place the text and an end tag come.
  if (innerEnd === end) return { kind: "text", text: "", start: end - 2, end };
  const raw = file.slice(innerStart, innerEnd);
  if (reference.test(raw)) return { kind: "other", start: innerStart, end: innerEnd };
  const text = readAndroidText(raw);
  if (text === undefined) throw errorAt(file, start, String.raw`has a \u without four hexadecimal digits`);
  return { kind: "text", text, start: innerStart, end: innerEnd };
}
