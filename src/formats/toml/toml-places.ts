/** Where the texts that a TOML file lacks can stand in it. */
import { childOf, isList, type Group } from "../../domain/strings/string-file.ts";
import {
  pathKey,
  type Path,
  type TomlContainer,
  type TomlFile,
  type TomlMember,
  type TomlTable,
} from "./toml-file.ts";

/** A place for a line or a member whose table is there. */
export type TomlPlace =
  | { readonly table: TomlTable; readonly after: TomlMember | undefined }
  | { readonly container: TomlContainer };

/** The tables of a file by their paths: those with headers, those in braces, and those that dotted keys make. */
export class TomlPlaces {
  readonly #tables = new Map<string, TomlTable>();
  readonly #others = new Map<string, TomlPlace>();

  constructor({ tables }: TomlFile) {
    for (const table of tables) {
      this.#tables.set(pathKey(table.path), table);
      for (const line of table.lines) {
        const { path } = line.node;
        for (let i = table.path.length + 1; i < path.length; i++)
          this.#others.set(pathKey(path.slice(0, i)), { table, after: line });
        this.#addContainers(line.node);
      }
    }
  }

  #addContainers(node: TomlMember["node"]): void {
    if (node.kind === "value") return;
    this.#others.set(pathKey(node.path), { container: node });
    for (const member of node.members) this.#addContainers(member.node);
  }

  arrayAt(path: Path): TomlContainer | undefined {
    const found = this.#others.get(pathKey(path));
    return found !== undefined && "container" in found && found.container.kind === "array"
      ? found.container
      : undefined;
  }

  /** The place for a value; undefined where it needs a new table. */
  placeFor(path: Path): TomlPlace | undefined {
    const table = this.#tables.get(pathKey(path.slice(0, -1)));
    if (table !== undefined) return { table, after: undefined };
    for (let i = path.length - 1; i > 0; i--) {
      // Tables that have no header of their own cannot get one.
      const other = this.#others.get(pathKey(path.slice(0, i)));
      if (other !== undefined) return other;
    }
    return undefined;
  }
}

/** The paths of the source file's texts by their keys, and of the groups around them. */
export class SourcePaths {
  readonly texts = new Map<string, string>();
  /** The paths of lists of texts. */
  readonly lists = new Set<string>();
  readonly #paths = new Map<string, Path>();
  readonly #groups = new Map<string, Path>();

  constructor(shape: Group) {
    this.#visit(shape, []);
  }

  #visit(group: Group, path: Path): void {
    if (path.length > 0) this.addGroup(path);
    const names = Object.keys(group);
    if (isList(group) && names.every((name) => typeof childOf(group, name) === "string"))
      this.lists.add(pathKey(path));
    for (const name of names) {
      const node = childOf(group, name);
      const inner = [...path, name];
      if (typeof node === "string") {
        this.#paths.set(inner.join("."), inner);
        this.texts.set(inner.join("."), node);
      } else if (node !== undefined) this.#visit(node, inner);
    }
  }

  addGroup(path: Path): void {
    const key = path.join(".");
    if (!this.#groups.has(key)) this.#groups.set(key, path);
  }

  /** The path of a key: as the source has it, else in the innermost group that it can stand in. */
  of(key: string): Path {
    const known = this.#paths.get(key);
    if (known !== undefined) return known;
    for (let dot = key.lastIndexOf("."); dot > 0; dot = key.lastIndexOf(".", dot - 1)) {
      const group = this.#groups.get(key.slice(0, dot));
      if (group !== undefined) return [...group, key.slice(dot + 1)];
    }
    return [key];
  }
}

/** Which names of a file are taken: by values, and by tables around them. */
export class TakenPaths {
  readonly #values = new Set<string>();
  readonly #tables = new Set<string>();

  addTable(path: Path): void {
    for (let i = 1; i <= path.length; i++) this.#tables.add(pathKey(path.slice(0, i)));
  }

  addValue(path: Path): void {
    this.addTable(path.slice(0, -1));
    this.#values.add(pathKey(path));
  }

  /** The path of the value in whose place a table would be needed, or of the table in whose place the value. */
  inTheWayOf(path: Path): Path | undefined {
    if (this.#tables.has(pathKey(path))) return path;
    for (let i = 1; i < path.length; i++) {
      if (this.#values.has(pathKey(path.slice(0, i)))) return path.slice(0, i);
    }
    return undefined;
  }
}
