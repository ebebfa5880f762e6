/**
 * Plain texts in the place of plurals. A file may have a text where the source file has forms: go-i18n, Hugo and Rails
 * then show it for all numbers, as the form `other`.
 */
import { findPluralForms, pluralCategories, type PluralForms } from "../../domain/strings/plural-forms.ts";
import { fromGroup, type Texts } from "../../domain/strings/string-file.ts";
import type { TreeEdit } from "./plan-edit.ts";
import { groupIn, type Entry, type GroupNode, type TextNode } from "./tree.ts";

/** Maps the plain texts of a tree that stand for plurals. @param source the texts of the source file. */
function mapPlainForms(
  tree: GroupNode,
  source: Texts | undefined,
  map: (entry: Entry, node: TextNode, key: string) => Entry,
): GroupNode {
  if (source === undefined) return tree;
  // Most files have none, and finding the plurals of the source takes longer than looking for one.
  let forms: PluralForms | undefined;
  const isPlural = (key: string): boolean => {
    if (source.has(key) || !source.has(`${key}.other`)) return false;
    forms ??= findPluralForms(source, Number.POSITIVE_INFINITY);
    return forms?.strings.has(`${key}.`) === true;
  };
  const visit = (group: GroupNode, prefix: string): GroupNode => {
    const entries = group.entries.map((entry): Entry => {
      const { name, node, effective } = entry;
      const key = prefix + name;
      if (node.kind === "group") return { ...entry, node: visit(node, `${key}.`) };
      return node.kind === "text" && effective === undefined && isPlural(key) ? map(entry, node, key) : entry;
    });
    return { ...group, entries };
  };
  return visit(tree, "");
}

/** A tree in which plain texts that stand for plurals are their forms `other`. @param source the texts of the source file. */
export function withPlainForms(tree: GroupNode, source: Texts | undefined): GroupNode {
  return mapPlainForms(tree, source, asOther);
}

function asOther(entry: Entry, node: TextNode): Entry {
  return { ...entry, node: groupIn(node, [{ ...entry, name: "other" }]) };
}

/**
 * The same for an edit: a plain text that gets other forms beside it gives way to a group.
 * @param source the texts of the source file, where they are known; else those of its shape.
 */
export function openPlainForms<E extends TreeEdit>(
  tree: GroupNode,
  edit: E,
  source: Texts = fromGroup(edit.shape).texts,
): readonly [GroupNode, E] {
  if (edit.isSource) return [tree, edit];
  const texts = new Map(edit.texts);
  const removed = new Set(edit.removed);
  const opened = mapPlainForms(tree, source, (entry, node, key) => {
    const hasOthers = pluralCategories.some(
      (category) => category !== "other" && (texts.get(`${key}.${category}`) ?? "") !== "",
    );
    if (!hasOthers) return asOther(entry, node);
    const other = `${key}.other`;
    if (!texts.has(other) && !removed.has(other)) texts.set(other, node.text);
    removed.add(key);
    return entry;
  });
  return [opened, { ...edit, texts, removed }];
}
