/** New entries that are written as the source file has them, with what stands there beside their texts. */
import { indentOf } from "./source-text.ts";
import type { Place } from "./patch.ts";
import type { Entry, GroupNode } from "./tree.ts";

/** The entries of the source file, by their flattened keys. */
export class SourceEntries {
  readonly #text: string;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #lineEnd: string;

  /**
   * @param source the file; where there is none, there are no entries.
   * @param read reads its entries.
   * @param lineEnd of the file that they come into.
   */
  constructor(source: string | undefined, read: (text: string) => GroupNode, lineEnd: string) {
    this.#lineEnd = lineEnd;
    this.#text = source ?? "";
    this.#entries = source === undefined ? new Map() : new Map(keyedEntries(read(source), ""));
  }

  /**
   * Copies an entry of the source file.
   * @param content what stands in the place of its text; what it takes from the source file is moved to the file as well.
   * @param file the file that it comes into, and its place there.
   * @returns undefined where the source has no text of that key.
   */
  copy(
    key: string,
    content: (entry: Entry, file: string, moved: (part: string) => string) => string,
    file: string,
    { like, indent }: Pick<Place, "like" | "indent">,
  ): string | undefined {
    const entry = this.#entries.get(key);
    if (entry?.node.kind !== "text") return undefined;
    const { start, end, node } = entry;
    const [before, after] = [this.#text.slice(start, node.start), this.#text.slice(node.end, end)];
    const from = indentOf(this.#text, start);
    // An entry that starts no line is laid out as its neighbour.
    const to = indent === "" && like !== undefined ? indentOf(file, like.start) : indent;
    const moved = (part: string): string => movedTo(part, from, to, this.#lineEnd);
    return moved(before) + content(entry, this.#text, moved) + moved(after);
  }
}

/** A part of a file with the line ends and the indentation of another one. */
export function movedTo(part: string, from: string, to: string, lineEnd: string): string {
  return part.replaceAll(
    /\r?\n([ \t]*)/g,
    (_, indent: string) => lineEnd + (indent.startsWith(from) ? to + indent.slice(from.length) : indent),
  );
}

function* keyedEntries(group: GroupNode, prefix: string): Generator<readonly [key: string, entry: Entry]> {
  for (const entry of group.entries) {
    if (entry.effective !== undefined) continue;
    yield [prefix + entry.name, entry];
    if (entry.node.kind === "group") yield* keyedEntries(entry.node, `${prefix}${entry.name}.`);
  }
}
