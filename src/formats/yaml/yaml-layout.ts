/** The layout of a YAML file, so that new entries are written like the existing ones. */
import type { DraftEntry, DraftGroup } from "../patch/draft.ts";
import { areIndices, type GroupNode } from "../patch/tree.ts";
import { columnOf } from "../patch/source-text.ts";

/** Whether a group is written as a list: it was one, or is new and one in the source. */
export function isListDraft(group: DraftGroup, kept: readonly DraftEntry[]): boolean {
  const isList = group.original === undefined || group.original.entries.length === 0;
  return (
    (isList ? group.isList || group.isListInSource : group.isList) &&
    kept.length > 0 &&
    (areIndices(kept.map(({ name }) => name)) ||
      kept.every(({ name }) => /^(?:0|[1-9][0-9]{0,8})$/.test(name)))
  );
}

/** By how much the first group (or list) in blocks is indented further than its name; undefined when there is none. */
export function stepOf(tree: GroupNode | undefined, text: string, ofLists: boolean): number | undefined {
  for (const { start, node } of tree?.entries ?? []) {
    if (node.kind !== "group" || node.start < node.innerStart || node.entries.length === 0) continue;
    if (node.isList === ofLists && tree?.isList === false) {
      return columnOf(text, node.start) - columnOf(text, start);
    }
    const inner = stepOf(node, text, ofLists);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** The anchor and the tag that belong to the value at an offset, with the blanks behind them. */
export function propertiesBefore(text: string, offset: number): string {
  const before = text.slice(Math.max(0, offset - 200), offset);
  return /(?:[!&][^\s,[\]{}]*[ \t]+)+$/.exec(before)?.[0] ?? "";
}
