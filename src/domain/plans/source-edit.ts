/** What edits of single source strings send: an import or a sync of their file, or moves. */
import { failure, Issues } from "../errors.ts";
import type { StringAddress } from "../move.ts";
import { fileNameProblem, isFileName, type FileName } from "../names.ts";
import { editTexts, nest } from "../strings/group-edit.ts";
import type { SourceFiles } from "../strings/hive-content.ts";
import {
  childOf,
  emptyFile,
  fromGroup,
  keyProblem,
  maxDepth,
  type StringFile,
} from "../strings/string-file.ts";
import { textProblem } from "../text.ts";
import type { NamedMove } from "./moves.ts";
import type { SourceConflictStrategy, SourceImport } from "./source-import.ts";

/** A string by its names as somebody wrote them. */
interface NamedString {
  readonly file: string;
  readonly key: string;
}

export type SourceEdit =
  | ({ readonly kind: "add"; readonly text: string } & NamedString)
  | {
      readonly kind: "change";
      readonly file: string;
      /** The new texts by their keys: of one string, or of the forms of a plural. */
      readonly texts: ReadonlyMap<string, string>;
      readonly conflictStrategy: SourceConflictStrategy;
    }
  | { readonly kind: "move"; readonly from: NamedString; readonly to: NamedString }
  | ({ readonly kind: "remove" } & NamedString);

/**
 * The write that an edit is. A plural string is renamed and removed with all of its forms.
 * @throws SkepError `invalid` on `file`, `key` or a text; `not-found` for a string that is not there.
 */
export function plannedEdit(
  source: SourceFiles,
  edit: SourceEdit,
): { readonly moves: readonly NamedMove[] } | { readonly sent: SourceImport } {
  if (edit.kind === "move") return { moves: movesOf(source, edit) };
  const conflictStrategy = edit.kind === "change" ? edit.conflictStrategy : "keep";
  const [file, content] =
    edit.kind === "add"
      ? added(source, edit)
      : edit.kind === "change"
        ? changed(source, edit)
        : without(source, edit);
  const mode = edit.kind === "remove" ? "sync" : "import";
  return { sent: { files: new Map([[file, content]]), mode, conflictStrategy } };
}

function added(
  source: SourceFiles,
  { file, key, text }: SourceEdit & { readonly kind: "add" },
): readonly [FileName, StringFile] {
  const issues = new Issues();
  const wrong = fileNameProblem(file);
  if (wrong !== undefined) issues.add("file", wrong);
  const present = isFileName(file) ? source.get(file) : undefined;
  const problem = present?.texts.has(key) === true ? "is there already" : keyProblem(key);
  if (problem !== undefined) issues.add("key", problem);
  checkText(text, "text", issues);
  issues.throwIfAny();
  if (!isFileName(file)) throw new Error("a file name without a problem is one");
  return [file, fromGroup(nest([{ ...spelled(key, present), text }]))];
}

/** Dots of a key lead into groups where its file has any: other files have them in the names of their texts. */
function spelled(key: string, present: StringFile | undefined) {
  const group = present?.group ?? {};
  const hasGroups = Object.keys(group).some((name) => typeof childOf(group, name) === "object");
  const parts = key.split(".");
  const isNested = hasGroups && !parts.includes("") && parts.length <= maxDepth;
  const names = isNested ? parts : [key];
  return { names, inList: names.map(() => false) };
}

function changed(
  source: SourceFiles,
  { file: named, texts }: SourceEdit & { readonly kind: "change" },
): readonly [FileName, StringFile] {
  const issues = new Issues();
  const group: Record<string, string> = Object.create(null);
  const { file } = stringIn(source, { file: named, key: [...texts.keys()][0] ?? "" });
  for (const [key, text] of texts) {
    stringIn(source, { file: named, key });
    checkText(text, `text.${key}`, issues);
    group[key] = text;
  }
  issues.throwIfAny();
  return [file, fromGroup(group)];
}

function without(source: SourceFiles, named: NamedString): readonly [FileName, StringFile] {
  const { file, present, keys } = stringIn(source, named);
  const gone = new Set(keys);
  const left = fromGroup(editTexts(present.group, (key, text) => (gone.has(key) ? undefined : text)));
  return [file, left.texts.size === 0 ? emptyFile : left];
}

/** The forms of a plural follow where the new key ends with the same category as the old one. */
function movesOf(source: SourceFiles, { from, to }: SourceEdit & { readonly kind: "move" }): NamedMove[] {
  const { present, keys, key } = stringIn(source, from);
  const form = present.plurals?.formOf(key);
  const stem = form?.string.stem ?? "";
  const isForm = form !== undefined && to.key.endsWith(key.slice(stem.length));
  if (!isForm) return [{ from, to }];
  const newStem = to.key.slice(0, to.key.length - (key.length - stem.length));
  return keys.map((own) => ({
    from: { file: from.file, key: own },
    to: { file: to.file, key: newStem + own.slice(stem.length) },
  }));
}

function checkText(text: string, field: string, issues: Issues): void {
  const problem = textProblem(text);
  if (problem !== undefined) issues.add(field, problem);
}

/** A string of the source, with the keys of all forms of its plural. @throws SkepError `not-found`. */
function stringIn(
  source: SourceFiles,
  { file, key }: NamedString,
): StringAddress & { readonly present: StringFile; readonly keys: readonly string[] } {
  const present = isFileName(file) ? source.get(file) : undefined;
  if (!isFileName(file) || present?.texts.has(key) !== true)
    throw failure("not-found", "This Hive has no such string; it may have been renamed or removed.");
  return { file, key, present, keys: present.plurals?.formOf(key)?.string.own ?? [key] };
}
