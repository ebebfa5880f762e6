/** Finds places in a TOML file for texts that it lacks. */
import { append } from "../../domain/group-by.ts";
import { excerpt } from "../../domain/text.ts";
import { FormatError } from "../patch/format-error.ts";
import {
  pathKey,
  valuesIn,
  type Path,
  type TomlContainer,
  type TomlFile,
  type TomlMember,
  type TomlTable,
  type TomlValue,
} from "./toml-file.ts";
import { TakenPaths, TomlPlaces, type SourcePaths } from "./toml-places.ts";
import type { TomlLeaf } from "./toml-texts.ts";

/** A new key, with a text or the elements of an array. */
export interface NewLine {
  readonly path: Path;
  readonly content: string | string[];
}

/** A new table, and the one that it follows. */
export interface NewTable {
  readonly path: Path;
  readonly after: TomlTable | undefined;
  readonly lines: NewLine[];
}

/** A new line of a table, and the line that it follows. */
interface PlacedLine {
  readonly after: TomlMember | undefined;
  readonly line: NewLine;
}

/** The most empty elements that are written before an element. */
const maxGap = 1000;

/** New texts, by their places. Texts are given in the order of their keys: a new one stands behind the one before. */
export class TomlAdditions {
  readonly lines = new Map<TomlTable, PlacedLine[]>();
  readonly members = new Map<TomlContainer, NewLine[]>();
  readonly tables = new Map<string, NewTable>();
  readonly #lists = new Map<string, string[]>();
  readonly #places: TomlPlaces;
  readonly #paths: SourcePaths;
  readonly #taken = new TakenPaths();
  readonly #isMessage: (name: string) => boolean;
  /** The line of each table that was passed last. */
  readonly #passed = new Map<TomlTable, TomlMember>();
  #table: TomlTable | undefined;

  /**
   * @param removed the values that leave the file.
   * @param isMessage whether a path, as {@link pathKey} writes it, is a table of forms with one text.
   */
  constructor(
    file: TomlFile,
    paths: SourcePaths,
    removed: ReadonlySet<TomlValue>,
    isMessage: (name: string) => boolean,
  ) {
    this.#places = new TomlPlaces(file);
    this.#paths = paths;
    this.#isMessage = isMessage;
    for (const { path, lines } of file.tables) {
      if (lines.length === 0) this.#taken.addTable(path);
      for (const { node } of lines) {
        if (node.kind !== "value" && node.members.length === 0) this.#taken.addTable(node.path);
        for (const value of valuesIn(node)) if (!removed.has(value)) this.#taken.addValue(value.path);
      }
    }
  }

  /** Passes a text of the file. */
  pass({ table, line }: TomlLeaf): void {
    this.#table = table;
    this.#passed.set(table, line);
  }

  /** Adds a text. @throws FormatError when the file cannot hold it. */
  add(key: string, text: string): void {
    const named = this.#paths.of(key);
    const path = this.#isMessage(pathKey(named)) ? [...named, "other"] : named;
    const inTheWay = this.#taken.inTheWayOf(path);
    if (inTheWay !== undefined) {
      const other = excerpt(inTheWay.join("."));
      throw new FormatError(
        `cannot hold a text for ${excerpt(key)}, because it has another value for ${other}`,
      );
    }
    this.#taken.addValue(path);
    const list = path.slice(0, -1);
    const array = this.#places.arrayAt(list);
    if (array !== undefined) append(this.members, array, { path, content: text });
    else if (this.#paths.lists.has(pathKey(list))) this.#addElement(list, path, text);
    else this.#addLine({ path, content: text });
  }

  #addElement(list: Path, path: Path, text: string): void {
    const elements = this.#lists.get(pathKey(list)) ?? [];
    if (elements.length === 0) this.#addLine({ path: list, content: elements });
    this.#lists.set(pathKey(list), elements);
    fillList(elements, path, 0);
    elements.push(text);
  }

  #addLine(line: NewLine): void {
    const place = this.#places.placeFor(line.path);
    if (place === undefined) {
      const path = line.path.slice(0, -1);
      const known = this.tables.get(pathKey(path));
      if (known === undefined) this.tables.set(pathKey(path), { path, after: this.#table, lines: [line] });
      else known.lines.push(line);
    } else if ("container" in place) append(this.members, place.container, line);
    else append(this.lines, place.table, { after: place.after ?? this.#passed.get(place.table), line });
  }
}

/**
 * Adds empty elements before the one with a path.
 * @param from the index of the first element.
 * @throws FormatError when the path does not name an element, or one that is too far behind the others.
 */
export function fillList(elements: string[], path: Path, from: number): void {
  const index = /^(?:0|[1-9][0-9]{0,8})$/.test(path.at(-1) ?? "") ? Number(path.at(-1)) : Number.NaN;
  const missing = index - from - elements.length;
  if (!(missing >= 0 && missing <= maxGap)) {
    const key = excerpt(path.join("."));
    throw new FormatError(`cannot hold a text for ${key}, because the file has a list there`);
  }
  for (let i = 0; i < missing; i++) elements.push("");
}
