/** Entries that describe others: `save__description` is about `save`, as `notes:` in `skep.yaml` says. */
import { pluralCategories } from "../../domain/strings/plural-forms.ts";
import { textNote } from "./notes.ts";
import { otherNode, type Entry, type GroupNode, type TextNode } from "./tree.ts";

/** The tree without such entries, which are notes about the others. @param suffix ends their names. */
export function describedTree(group: GroupNode, suffix: string): GroupNode {
  const about = new Map<string, TextNode>();
  for (const { name, node } of group.entries)
    if (name.endsWith(suffix) && node.kind === "text") about.set(name.slice(0, -suffix.length), node);
  const entries = group.entries.flatMap((entry): Entry | readonly Entry[] => {
    const { name, node } = entry;
    if (node.kind === "group") return { ...entry, node: describedTree(node, suffix) };
    if (name.endsWith(suffix)) return [];
    const own = about.get(name) ?? about.get(name.replace(pluralEnding, ""));
    return own === undefined ? entry : { ...entry, note: () => textNote(own.text) };
  });
  return { ...group, entries };
}

/** What i18next puts behind the name of a text to tell its plural forms apart. */
const pluralEnding = new RegExp(`_(?:ordinal_)?(?:${pluralCategories.join("|")})$`);

/** The tree in which such entries are no texts, so that an edit leaves them as they are. */
export function keptTree(group: GroupNode, suffix: string): GroupNode {
  const entries = group.entries.map((entry): Entry => {
    const { name, node } = entry;
    if (node.kind === "group") return { ...entry, node: keptTree(node, suffix) };
    return name.endsWith(suffix) ? { ...entry, node: otherNode(node) } : entry;
  });
  return { ...group, entries };
}
