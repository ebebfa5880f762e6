/** The documents of XLIFF that apps have: their version, their `<file>` elements, and the units of each. */
import { groupBy } from "../../domain/group-by.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { excerpt } from "../../domain/text.ts";
import type { GroupNode } from "../patch/nodes.ts";
import { errorAt } from "../patch/source-text.ts";
import { childrenOf, ownElement, ownElements, readXmlTree, type XmlElement } from "../patch/xml-tree.ts";
import { unitsOf, unitTree, type SourceGroups } from "./xliff-groups.ts";
import { namesOfVersion, versionsOfApps, type XliffNames } from "./xliff-names.ts";
import { UnitEntry } from "./xliff-unit.ts";

export interface FileElement {
  /** What tells it from others in the document: its `original`, or its `id`. */
  readonly name: string;
  readonly file: XmlElement;
  /** The element that has its units; undefined where it lacks one, as it has no units. */
  readonly body: XmlElement | undefined;
}

export interface XliffDocument {
  readonly root: XmlElement;
  readonly names: XliffNames;
  /** At least one. */
  readonly files: readonly FileElement[];
}

/** @throws FormatError when it is of another version, or has no files, or some that cannot be told apart. */
export function documentIn(text: string): XliffDocument {
  const root = readXmlTree(text, { takesDoctype: true });
  const version = root.attributes.get("version") ?? "";
  const names = namesOfVersion(version);
  if (root.name !== "xliff") throw errorAt(text, root.start, "is not XLIFF, whose root is <xliff>");
  if (names === undefined || !versionsOfApps.includes(version)) {
    const known = versionsOfApps.join(", ").replace(/, (?=[^,]*$)/, " and ");
    throw errorAt(text, root.start, `is XLIFF ${version}; only ${known} can be read`);
  }
  const files = ownElements(root)
    .filter(({ name }) => name === "file")
    .map((file): FileElement => {
      const body = names.body === undefined ? file : ownElement(file, names.body);
      return { name: file.attributes.get(names.file) ?? "", file, body };
    });
  if (files.length === 0) throw errorAt(text, root.start, "has no <file>");
  if (files.length > 1) checkNames(files, names, text);
  return { root, names, files };
}

/** @throws FormatError when the keys of one file could be those of another. */
function checkNames(files: readonly FileElement[], { file: attribute }: XliffNames, text: string): void {
  const fail = ({ file }: FileElement, problem: string): never => {
    throw errorAt(text, file.start, `has several <file> elements that cannot be told apart: ${problem}`);
  };
  const names = new Set<string>();
  for (const one of files) {
    if (one.name === "") fail(one, `one has no ${attribute}`);
    if (names.has(one.name)) fail(one, `two have the ${attribute} ${excerpt(one.name)}`);
    names.add(one.name);
  }
  for (const one of files) {
    const { name } = one;
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
      const other = name.slice(0, dot);
      if (names.has(other)) fail(one, `${excerpt(name)} begins with ${excerpt(other)}`);
    }
  }
}

/** A `<file>` with its units. */
export interface Part extends FileElement {
  /** The units, in the groups that they stand in. */
  readonly units: GroupNode;
  /** The prefix of its keys; empty where it is the only one. */
  readonly prefix: string;
}

interface PartsContext {
  readonly locale: string;
  readonly sourceLocale: string;
  /** The texts of the source file, which tell the file of another locale that has one of its several `<file>` elements. */
  readonly sourceTexts?: Texts | undefined;
  /** Whether the file is the source file, which stands in for the file of another locale. */
  readonly isTemplate?: boolean;
  /** Where units stand in the `<file>` of that name of the source file. */
  readonly groupsOf?: (name: string) => SourceGroups | undefined;
}

/** @throws FormatError for a unit that cannot be read. */
export function partsOf(
  { files, names }: XliffDocument,
  text: string,
  { locale, sourceLocale, sourceTexts, isTemplate = false, groupsOf }: PartsContext,
): readonly Part[] {
  const sourceKeys = sourceTexts ?? new Map<string, string>();
  return files.map((one) => {
    const { name, file, body = { ...file, children: [] } } = one;
    const context = {
      names,
      isOfSource: locale === sourceLocale,
      isTemplate,
      hasSizesInCharacters: hasSizesInCharacters(file),
    };
    const toEntry = (unit: XmlElement) => new UnitEntry(unit, text, context);
    const units = unitTree(body, { text, names, toEntry, source: groupsOf?.(name) });
    const prefix = `${name}.`;
    // A translation may have one of the several that the source file has.
    const isOneOfSeveral = () =>
      name !== "" &&
      [...sourceKeys.keys()].some((key) => key.startsWith(prefix)) &&
      !unitsOf(units).some((unit) => sourceKeys.has(unit.name));
    const isGroup = files.length > 1 || isOneOfSeveral();
    return { ...one, units, prefix: isGroup ? prefix : "" };
  });
}

/** Whether XLIFF 2's restrictions of sizes count characters: else they are of a profile that only its makers know. */
function hasSizesInCharacters(file: XmlElement): boolean {
  return childrenOf(file, "profiles").some(
    ({ attributes }) => attributes.get("generalProfile") === "xliff:codepoints",
  );
}

/** Keys by the names of the `<file>` elements that they belong to; undefined for those of none. */
export function keysByFile(
  keys: Iterable<string>,
  files: readonly Pick<FileElement, "name">[],
): ReadonlyMap<string | undefined, readonly string[]> {
  const names = new Set(files.map(({ name }) => name));
  return groupBy(keys, (key) => {
    for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1))
      if (names.has(key.slice(0, dot))) return key.slice(0, dot);
    return undefined;
  });
}
