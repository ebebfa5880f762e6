/** The `.resx` files of .NET. What is no text (pictures, sizes, what Windows Forms keeps) stays, and is never sent. */
import { FormatError, textFormat, type FileEdit } from "./format.ts";
import { SourceEntries } from "./patch/copied-entry.ts";
import { notesIn, textNote } from "./patch/notes.ts";
import { patch, withoutEntries, type PatchSyntax } from "./patch/patch.ts";
import { errorAt, lineEndOf, indentOf } from "./patch/source-text.ts";
import {
  otherNode,
  toParsedFile,
  withEntries,
  withRepeated,
  type Entry,
  type GroupNode,
} from "./patch/tree.ts";
import {
  plainNode,
  plainTextOf,
  plainTextProblem,
  replaceContent,
  writeAttribute,
  writePlainText,
} from "./patch/xml-content.ts";
import { childElements, childOf, elementGroup, readXmlTree, type XmlElement } from "./patch/xml-tree.ts";

export const resx = textFormat({
  parse(text) {
    const { root, others } = readResx(text);
    return toParsedFile(root, text, () => notesIn(withEntries(root, others), text, syntaxOf(text, {})));
  },
  write(edit) {
    const text = templateOf(edit);
    return patch(text, readResx(text).root, edit, syntaxOf(text, edit));
  },
  problemIn: plainTextProblem,
});

interface ResxFile {
  readonly root: GroupNode;
  /** What no file of another locale needs. */
  readonly others: readonly Entry[];
}

function readResx(text: string): ResxFile {
  const element = readXmlTree(text);
  const { name, start } = element;
  if (name !== "root") throw errorAt(text, start, "is not a .resx file, whose root is <root>");
  const entries: Entry[] = [];
  const others: Entry[] = [];
  for (const child of childElements(element)) {
    const entry = child.name === "data" ? entryOf(child, text) : undefined;
    if (entry !== undefined) entries.push(entry);
    if (entry?.node.kind === "other" || child.name === "metadata" || child.name === "assembly")
      others.push({ name: "", start: child.start, end: child.end, node: otherNode(child) });
  }
  // ResGen warns of a name that stands again, and passes over it.
  return { root: elementGroup(element, withRepeated(entries, "first")), others };
}

/** Windows Forms keeps the names and parents of controls under such names. */
const designName = ">>";

function entryOf(data: XmlElement, text: string): Entry | undefined {
  const { attributes, start, end } = data;
  const name = attributes.get("name");
  if (name === undefined) return undefined;
  const [value, comment] = [childOf(data, "value"), childOf(data, "comment")];
  const isOther = attributes.has("type") || attributes.has("mimetype") || name.startsWith(designName);
  if (isOther || value === undefined) return { name, start, end, node: otherNode(data) };
  const note = () => comment && textNote(plainTextOf(comment));
  return { name, start, end, node: plainNode(value, text), note };
}

/** The file that is changed; a source file without what only it needs. */
function templateOf(edit: FileEdit<string>): string {
  const { template, isSource } = edit;
  const { root, others } = readResx(template);
  return isSource ? withoutEntries(template, root, others, syntaxOf(template, edit)) : template;
}

function syntaxOf(file: string, { source }: Pick<FileEdit<string>, "source">): PatchSyntax {
  const lineEnd = lineEndOf(file);
  const entries = new SourceEntries(source, (text) => readResx(text).root, lineEnd);
  const literal = (text: string): string => writePlainText(text, lineEnd);
  const written = (name: string, text: string, indent: string): string =>
    [
      `<data name="${writeAttribute(name)}" xml:space="preserve">`,
      `${indent}  <value>${literal(text)}</value>`,
      `${indent}</data>`,
    ].join(lineEnd);
  return {
    separator: "",
    comment: /<!--[^]*?-->/y,
    isFlat: true,
    literal: (text, { name, node }) => {
      if (node.kind === "other")
        throw new FormatError(`cannot hold a text for ${name}, which is not a text there`);
      return replaceContent(literal(text), node, file);
    },
    entry: (name, text, place) => {
      const content = ({ node }: Entry, from: string): string => replaceContent(literal(text), node, from);
      return (
        entries.copy(name, content, file, place) ??
        written(name, text, place.like === undefined ? "  " : indentOf(file, place.like.start))
      );
    },
  };
}
