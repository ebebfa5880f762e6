/** YAML: `yaml` as Symfony, vue-i18n and others have it, and `rails` with the locale at its root. */
import { excerpt, lineAt } from "../domain/text.ts";
import { textFormat, type FileContext, type ParsedFile } from "./format.ts";
import type { Draft } from "./patch/draft.ts";
import { FormatError } from "./patch/format-error.ts";
import { notesIn } from "./patch/notes.ts";
import { openPlainForms, withPlainForms } from "./patch/plain-forms.ts";
import { planEdit, type FileEdit, type TreeEdit } from "./patch/plan-edit.ts";
import { columnOf, commentStart, errorAt } from "./patch/source-text.ts";
import { fileRoot, groupIn, toParsedFile, type Entry, type GroupNode } from "./patch/tree.ts";
import { childOf, type Group, type Texts } from "../domain/strings/string-file.ts";
import { YamlPatcher } from "./yaml/yaml-patch.ts";
import { inlineKey, isOtherInRuby, isOtherInYaml12 } from "./yaml/yaml-scalars.ts";
import { goneBy, spanFinder, type Splice } from "./patch/splices.ts";
import { isBlankValue, readYaml, type YamlFile } from "./yaml/yaml-tree.ts";

export const yaml = textFormat({
  parse: (text, { sourceTexts }) => parsedYaml(text, readYaml(text, isOtherInYaml12).root, sourceTexts),
  write(edit, context) {
    const { template: text } = edit;
    const file = readYaml(text, isOtherInYaml12);
    const { length: after } = text;
    const root = file.root ?? groupIn({ start: after, end: after }, []);
    return patched(file, { root, nameColumn: undefined, after, others: [] }, edit, context);
  },
});

export const rails = textFormat({
  parse(text, { locale, sourceLocale, sourceTexts }) {
    const { root } = readYaml(text, isOtherInRuby, true);
    const entry = root?.entries.find(({ name }) => name === locale);
    const names = root?.entries.map(({ name }) => excerpt(name)).slice(0, 5) ?? [];
    if (names.length > 0 && entry === undefined && locale === sourceLocale) {
      throw new FormatError(`has no ${locale} at its root, but ${names.join(", ")}`, 1);
    }
    return parsedYaml(text, entry && rootGroup(text, entry), sourceTexts);
  },
  write(edit, context) {
    const { template: text } = edit;
    const file = readYaml(text, isOtherInRuby, true);
    return patched(file, localeTree(text, file, edit, context), edit, context);
  },
});

/** What a file holds, with the comments above its texts. @param tree what it says, if it says anything. */
export function parsedYaml(text: string, tree = fileRoot("", []), sourceTexts?: Texts): ParsedFile {
  const root = withPlainForms(tree, sourceTexts);
  return toParsedFile(root, text, () => {
    /** Where the entry before it starts, of whatever group. */
    let last = -1;
    return notesIn(root, text, { separator: "", comment: /#[^\n]*/y }, ({ start }, before) => {
      const floor = before?.end ?? last;
      last = start;
      // Behind others on its line it has no comment; without a look at that line, which may be the whole file.
      const isFirst = floor === -1 || text.slice(floor, start).includes("\n");
      return isFirst ? commentStart(text, start, floor) : start;
    });
  });
}

/** The part of a file that holds the texts of a locale. */
interface LocaleTree {
  readonly root: GroupNode;
  /** The column of the name below which the first entries are added; undefined when there is no such name. */
  readonly nameColumn: number | undefined;
  /** The first entries are added after the line of this offset. */
  readonly after: number;
  /** A line to add before the first entries. */
  readonly title?: string;
  readonly renamed?: Splice;
  /** The other names at the root, which are removed. */
  readonly others: readonly Entry[];
}

function localeTree(
  text: string,
  { root }: YamlFile,
  { isSource }: TreeEdit,
  { locale, sourceLocale }: FileContext,
): LocaleTree {
  const named = (code: string) => root?.entries.find(({ name }) => name === code);
  const entry = (isSource ? named(sourceLocale) : undefined) ?? named(locale);
  const others = isSource ? (root?.entries.filter((other) => other !== entry) ?? []) : [];
  if (entry === undefined) {
    const { length: after } = text;
    const empty = groupIn({ start: after, end: after }, []);
    return { root: empty, nameColumn: 0, after, title: `${inlineKey(locale)}:`, others };
  }
  const isRenamed = entry.name !== locale;
  const keyEnd = entry.start + keyLength(text, entry);
  const quote = text[entry.start];
  const key = quote === '"' || quote === "'" ? quote + locale + quote : inlineKey(locale);
  return {
    root: rootGroup(text, entry) ?? groupIn({ start: entry.end, end: entry.end }, []),
    nameColumn: columnOf(text, entry.start),
    after: entry.end,
    ...(isRenamed ? { renamed: { start: entry.start, end: keyEnd, by: key } } : {}),
    others,
  };
}

/** The group of a locale's name at the root; undefined when it has no value. */
function rootGroup(text: string, { name, start, node }: Entry): GroupNode | undefined {
  if (isBlankValue(node)) return undefined;
  if (node.kind === "group" && !node.isList) return node;
  throw errorAt(text, start, `must have names and texts below ${excerpt(name)}`);
}

function keyLength(text: string, { start, end }: Entry): number {
  const key = text.slice(start, end);
  return /^(?:"(?:[^"\\]|\\[^])*"|'(?:[^']|'')*'|[^\s:]*)/.exec(key)?.[0].length ?? 0;
}

function patched(
  file: YamlFile,
  tree: LocaleTree,
  given: FileEdit<string>,
  { sourceTexts }: FileContext,
): string {
  const { template: text } = given;
  const [root, edit] = openPlainForms(openBlanks(text, tree.root, given.shape), given, sourceTexts);
  const draft = planEdit(root, edit);
  const patcher = patcherOf(edit, tree, draft, file);
  const dangling = danglingReferences(patcher.splices, file);
  if (dangling.length === 0) return patcher.end();
  removeAliases(text, draft, dangling, edit);
  return patcherOf(edit, tree, draft, file).end();
}

/** Takes an empty value or `~` as an empty group where the source has a group. */
function openBlanks(text: string, group: GroupNode, shape: Group): GroupNode {
  const entries = group.entries.map((entry): Entry => {
    const { name, node } = entry;
    const inSource = childOf(shape, name);
    if (inSource === undefined || typeof inSource === "string") return entry;
    if (node.kind === "group") return { ...entry, node: openBlanks(text, node, inSource) };
    const isOpen = isBlankValue(node) || text.slice(node.start, node.end) === "~";
    return isOpen ? { ...entry, node: groupIn(node, []) } : entry;
  });
  return { ...group, entries };
}

function patcherOf(edit: FileEdit<string>, tree: LocaleTree, draft: Draft, file: YamlFile): YamlPatcher {
  const patcher = new YamlPatcher(edit, file.root);
  if (tree.root.entries.length > 0) patcher.patchGroup(draft.root, tree.root);
  else {
    const column = tree.nameColumn === undefined ? 0 : tree.nameColumn + patcher.unit;
    const lines = patcher.linesOf(draft.root, column);
    const all = tree.title === undefined || lines.length === 0 ? lines : [tree.title, ...lines];
    const whole = isFlowRoot(file) ? file.root : undefined;
    if (whole !== undefined && whole.entries.length > 0 && lines.length > 0)
      throw new FormatError(
        "has its locales in brackets, to which texts cannot be added",
        lineAt(edit.template, whole.start),
      );
    const brackets = whole ?? tree.root;
    if (brackets.start < brackets.end) patcher.replaceEmpty(brackets, all);
    else patcher.addLines(all, tree.after);
  }
  if (tree.renamed !== undefined) patcher.splices.push(tree.renamed);
  removeOthers(patcher, tree, file);
  return patcher;
}

function isFlowRoot({ root }: YamlFile): boolean {
  return root !== undefined && root.start < root.innerStart;
}

/** Removes other locales from a copy of the source, except those with anchors that the rest refers to. */
function removeOthers(patcher: YamlPatcher, { others }: LocaleTree, file: YamlFile): void {
  if (others.length === 0) return;
  if (isFlowRoot(file))
    throw new FormatError("has several locales in brackets, of which one cannot be taken", 1);
  const left = new Set(others);
  const isGone = goneBy(patcher.splices);
  const holderOf = spanFinder(others);
  let size: number;
  do {
    ({ size } = left);
    for (const { alias, anchor } of file.references) {
      const holder = holderOf(anchor);
      const user = holderOf(alias);
      const isLeaving = user === undefined ? isGone(alias) : left.has(user);
      if (holder !== undefined && !isLeaving) left.delete(holder);
    }
  } while (left.size < size);
  for (const entry of left) patcher.removeLines(entry, -1);
}

/** The aliases that stay although their anchors are removed. */
function danglingReferences(splices: readonly Splice[], { references }: YamlFile): YamlFile["references"] {
  const isGone = goneBy(splices);
  return references.filter(({ alias, anchor }) => isGone(anchor) && !isGone(alias));
}

/** Removes aliases from a copy of the source when their anchors are not translated. */
function removeAliases(text: string, draft: Draft, dangling: YamlFile["references"], edit: TreeEdit): void {
  const aliases = new Map(dangling.map((reference) => [reference.alias, reference]));
  for (const [key, entry] of draft.leaves) {
    const reference = aliases.get(entry.original?.node.start ?? -1);
    if (reference === undefined) continue;
    if (!edit.isSource) {
      const message = `refers to *${reference.name} with ${excerpt(key)}, which would leave the file`;
      throw errorAt(text, reference.alias, message);
    }
    entry.isRemoved = true;
  }
}
