/** Adds members to the objects of a JSON file, and removes them, in the order and style of Xcode. */
import { lineEndOf, indentOf } from "../patch/source-text.ts";
import type { Splice } from "../patch/splices.ts";
import type { Entry, GroupNode } from "../patch/tree.ts";

/** What a new member holds. */
export type JsonValue = string | number | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

interface Change {
  readonly added: Map<string, JsonValue>;
  readonly removed: Set<Entry>;
}

export class JsonMembers {
  readonly #text: string;
  readonly #colon: string;
  readonly #lineEnd: string;
  readonly #unit: string;
  readonly #changes = new Map<GroupNode, Change>();

  constructor(text: string) {
    this.#text = text;
    this.#colon = /"sourceLanguage"(\s*:\s*)/.exec(text)?.[1] ?? " : ";
    this.#lineEnd = lineEndOf(text);
    this.#unit = /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
  }

  add(object: GroupNode, name: string, value: JsonValue): void {
    this.#changeOf(object).added.set(name, value);
  }

  remove(object: GroupNode, entry: Entry): void {
    this.#changeOf(object).removed.add(entry);
  }

  /** Forgets the changes of an object if nothing is left of it. @returns whether that is so. */
  dropEmptied(object: GroupNode): boolean {
    const change = this.#changes.get(object);
    const isEmptied = change?.added.size === 0 && change.removed.size === object.entries.length;
    if (isEmptied) this.#changes.delete(object);
    return isEmptied;
  }

  #changeOf(object: GroupNode): Change {
    const change = this.#changes.get(object) ?? {
      added: new Map<string, JsonValue>(),
      removed: new Set<Entry>(),
    };
    this.#changes.set(object, change);
    return change;
  }

  splices(): readonly Splice[] {
    return Array.from(this.#changes).flatMap(([object, change]) => this.#spliced(object, change));
  }

  #spliced(object: GroupNode, { added, removed }: Change): readonly Splice[] {
    const { start, innerStart, innerEnd, entries } = object;
    const kept = entries.filter((entry) => !removed.has(entry));
    const [first] = kept;
    const outer = indentOf(this.#text, start);
    if (first === undefined) {
      const members = [...added]
        .toSorted(byName)
        .map(([name, value]) => this.#member(name, value, outer + this.#unit));
      const inner = members.map((member) => `${this.#lineEnd}${outer}${this.#unit}${member}`).join(",");
      return [{ start: innerStart, end: innerEnd, by: `${inner || this.#lineEnd}${this.#lineEnd}${outer}` }];
    }
    const indent = indentOf(this.#text, first.start);
    const splices: Splice[] = [];
    const lastBefore = finderOfLastBefore(kept);
    for (const [name, value] of [...added].toSorted(byName)) {
      const before = lastBefore(name);
      const member = this.#member(name, value, indent);
      const [at, by] =
        before === undefined
          ? [first.start, `${member},${this.#lineEnd}${indent}`]
          : [before.end, `,${this.#lineEnd}${indent}${member}`];
      splices.push({ start: at, end: at, by });
    }
    let isBehindKept = false;
    for (const [i, entry] of entries.entries()) {
      if (!removed.has(entry)) isBehindKept = true;
      else if (isBehindKept)
        splices.push({ start: entries[i - 1]?.end ?? innerStart, end: entry.end, by: "" });
      else splices.push({ start: entry.start, end: entries[i + 1]?.start ?? innerEnd, by: "" });
    }
    return splices;
  }

  #member(name: string, value: JsonValue, indent: string): string {
    return JSON.stringify(name) + this.#colon + this.#value(value, indent);
  }

  #value(value: JsonValue, indent: string): string {
    if (typeof value !== "object") return JSON.stringify(value);
    const inner = indent + this.#unit;
    const members = Object.entries(value)
      .toSorted(byName)
      .map(([name, one]) => inner + this.#member(name, one, inner));
    return `{${this.#lineEnd}${members.join(`,${this.#lineEnd}`)}${this.#lineEnd}${indent}}`;
  }
}

/** Gives a function that finds the last of some entries whose name is before a name, in whatever order they are. */
function finderOfLastBefore(entries: readonly Entry[]): (name: string) => Entry | undefined {
  /** The first name among an entry and those behind it. */
  const least = entries.map(({ name }) => name);
  for (let i = least.length - 2; i >= 0; i--) {
    const [own = "", next = ""] = [least[i], least[i + 1]];
    if (next < own) least[i] = next;
  }
  return (name) => {
    let [low, high] = [0, least.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((least[middle] ?? "") < name) low = middle + 1;
      else high = middle;
    }
    return entries[low - 1];
  };
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
