/** The strings of an `.xcstrings` file: all locales are in one file, below the key of each string. */
import { pluralCategories } from "../../domain/strings/plural-forms.ts";
import { readJsonTree } from "../patch/json-tree.ts";
import { errorAt, noteKey } from "../patch/source-text.ts";
import type { Entry, GroupNode, TreeNode } from "../patch/tree.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";

/** The names that lead from the object of a locale to one with a `stringUnit`: `variations`, `plural`, `one`. */
export type UnitPath = readonly string[];

/** One text of a string in a locale. */
export interface CatalogUnit {
  readonly key: string;
  readonly path: UnitPath;
  readonly value: TreeNode;
  /** Where it says whether the text is translated. */
  readonly state: TreeNode | undefined;
  readonly isTranslated: boolean;
}

export interface CatalogString {
  readonly name: string;
  readonly entry: Entry;
  readonly object: GroupNode;
}

export interface Catalog {
  readonly root: GroupNode;
  readonly strings: readonly CatalogString[];
}

/** The last catalog: it is read for each of its locales. */
let last: { readonly text: string; readonly catalog: Catalog } | undefined;
moduleCache({ clear: () => (last = undefined) });

/** @throws FormatError when it is not JSON, or not a string catalog. */
export function readCatalog(text: string): Catalog {
  if (last?.text !== text) last = { text, catalog: parseCatalog(text) };
  return last.catalog;
}

function parseCatalog(text: string): Catalog {
  const root = readJsonTree(text);
  refuseRepeated(root, text);
  const strings = objectIn(root, "strings");
  if (strings === undefined || textIn(root, "sourceLanguage") === undefined)
    throw errorAt(text, 0, "is not a string catalog, which has sourceLanguage and strings");
  return {
    root,
    strings: strings.entries.flatMap((entry) => {
      // Xcode keeps an entry without a name for empty texts in code.
      const object = entry.name === "" ? undefined : objectNode(entry.node);
      return object === undefined ? [] : { name: entry.name, entry, object };
    }),
  };
}

/** Members of one name: Xcode writes no such file. @throws FormatError */
function refuseRepeated({ entries }: GroupNode, text: string): void {
  const places = new Map<string, number>();
  for (const { name, start, node } of entries) {
    noteKey(places, name, text, start);
    if (node.kind === "group") refuseRepeated(node, text);
  }
}

/** The members of objects by their names; a catalog has no two of one name. */
const members = moduleCache(new WeakCache<GroupNode, ReadonlyMap<string, Entry>>());

/** The member of an object; undefined also without an object. */
export function memberOf(object: GroupNode | undefined, name: string): Entry | undefined {
  if (object === undefined) return undefined;
  let own = members.get(object);
  if (own === undefined) members.set(object, (own = new Map(object.entries.map((one) => [one.name, one]))));
  return own.get(name);
}

/** The member of an object if it is an object. */
export function objectIn(object: GroupNode | undefined, name: string): GroupNode | undefined {
  return objectNode(memberOf(object, name)?.node);
}

/** The member of an object if it is a text. */
export function textIn(object: GroupNode | undefined, name: string): string | undefined {
  const node = memberOf(object, name)?.node;
  return node?.kind === "text" ? node.text : undefined;
}

/** What a string has for a locale, by the code in the file. */
export function localizationOf({ object }: CatalogString, locale: string): GroupNode | undefined {
  return objectIn(objectIn(object, "localizations"), locale);
}

/** The codes of the locales for which some string has a localization. */
export function localesIn({ strings }: Catalog): readonly string[] {
  const codes = strings.flatMap(({ object }) => objectIn(object, "localizations")?.entries ?? []);
  return [...new Set(codes.map(({ name }) => name))];
}

/** The names of variations: a text for each plural form, each device, or each form on each device. */
const kinds = ["plural", "device"] as const;

/** The texts of a string in a locale, in the order of the file. */
export function unitsOf(
  key: string,
  localization: GroupNode | undefined,
  path: UnitPath = [],
): readonly CatalogUnit[] {
  if (localization === undefined) return [];
  const substitutions = objectIn(localization, "substitutions")?.entries ?? [];
  return [
    ...unitIn(key, localization, path),
    ...kinds.flatMap((kind) =>
      (objectIn(objectIn(localization, "variations"), kind)?.entries ?? []).flatMap(({ name, node }) =>
        unitsOf(`${key}.${name}`, objectNode(node), [...path, "variations", kind, name]),
      ),
    ),
    ...substitutions.flatMap(({ name, node }) =>
      unitsOf(`${key}.${name}`, objectNode(node), [...path, "substitutions", name]),
    ),
  ];
}

/**
 * The texts of a string in a locale, by the keys of the source: where that has plural forms or devices and the locale has one
 * text for all of them, it is the text of `other`.
 */
export function translatedUnits(
  string: CatalogString,
  locale: string,
  source: readonly CatalogUnit[],
): readonly CatalogUnit[] {
  const units = unitsOf(string.name, localizationOf(string, locale));
  const other = `${string.name}.other`;
  const [only] = units;
  const isForAll = units.length === 1 && only?.path.length === 0 && source.some(({ key }) => key === other);
  return isForAll && !source.some(({ key }) => key === only.key) ? [{ ...only, key: other }] : units;
}

function objectNode(node: TreeNode | undefined): GroupNode | undefined {
  return node?.kind === "group" && !node.isList ? node : undefined;
}

function unitIn(key: string, parent: GroupNode, path: UnitPath): readonly CatalogUnit[] {
  const unit = objectIn(parent, "stringUnit");
  const value = memberOf(unit, "value")?.node;
  if (value?.kind !== "text") return [];
  const state = memberOf(unit, "state")?.node;
  const isTranslated = state === undefined || (state.kind === "text" && state.text === "translated");
  return [{ key, path, value, state, isTranslated }];
}

/**
 * The keys that translations of a string may have, with the places of their texts: those of the source, and in plurals
 * all forms that a language can have.
 */
export function placesOf(units: readonly CatalogUnit[]): ReadonlyMap<string, UnitPath> {
  const places = new Map<string, UnitPath>();
  for (const { key, path } of units) {
    places.set(key, path);
    if (path.at(-2) !== "plural") continue;
    const stem = key.slice(0, key.lastIndexOf(".") + 1);
    for (const category of pluralCategories) places.set(stem + category, [...path.slice(0, -1), category]);
  }
  return places;
}
