/** The plans of an import and of a sync of source strings. */
import type { SourceFiles, FileWrite, HiveContent, KeyChange, Plan } from "./hive-content.ts";
import { Issues } from "./errors.ts";
import { addKeys, project, replaceTexts, translationFile } from "./group-edit.ts";
import type { LocaleCode } from "./locale.ts";
import { checkClashes, type FileName } from "./names.ts";
import {
  childOf,
  fileProblem,
  fromGroup,
  isList,
  sameGroup,
  type Group,
  type StringFile,
  type Texts,
} from "./string-file.ts";

/** What happens to the translations of a source text that changes. */
export type ConflictStrategy = "keep" | "clear";

export interface SourceImport {
  readonly files: SourceFiles;
  /** `sync` deletes the strings of a named file that the payload does not have. */
  readonly mode: "import" | "sync";
  readonly conflictStrategy: ConflictStrategy;
}

export interface SourceCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly translationsCleared: number;
}

/** What happens to one source file. */
interface FilePlan {
  readonly file: FileName;
  readonly before: StringFile | undefined;
  readonly after: StringFile | undefined;
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
}

const noTexts: Texts = new Map();

/**
 * Plans an import or a sync on the content of a Hive; the second time it plans nothing.
 * @throws SkepError `invalid` when files of the payload cannot lie beside those of the Hive.
 */
export function planSourceImport(hive: HiveContent, request: SourceImport): Plan<SourceCounts> {
  const plans = [...request.files].map(([file, payload]) =>
    planFile(file, hive.source.get(file), payload, request.mode),
  );
  checkFiles(hive.source, plans);

  const locale = hive.settings.sourceLocale.code;
  const writes: FileWrite[] = [];
  const changes: KeyChange[] = [];
  for (const plan of plans) {
    if (plan.after !== plan.before) writes.push({ locale, file: plan.file, content: plan.after });
    for (const change of sourceChanges(plan, locale)) changes.push(change);
  }
  for (const plan of plans) {
    const follow = followerOf(plan, request.conflictStrategy);
    for (const [target, files] of hive.translations) {
      const texts = files.get(plan.file);
      if (texts === undefined || follow === undefined) continue;
      const followed = follow(target, texts);
      if (followed.write !== undefined) writes.push(followed.write);
      for (const change of followed.changes) changes.push(change);
    }
  }

  const total = (count: (plan: FilePlan) => number): number =>
    plans.reduce((sum, plan) => sum + count(plan), 0);
  const created = total((plan) => plan.created.length);
  const updated = total((plan) => plan.updated.length);
  const sent = [...request.files.values()].reduce((sum, file) => sum + file.texts.size, 0);
  return {
    counts: {
      created,
      updated,
      unchanged: sent - created - updated,
      deleted: total((plan) => plan.deleted.length),
      translationsCleared: changes.filter(({ change }) => change === "cleared").length,
    },
    writes,
    changes,
  };
}

function planFile(
  file: FileName,
  before: StringFile | undefined,
  payload: StringFile,
  mode: SourceImport["mode"],
): FilePlan {
  const present = before?.texts ?? noTexts;
  const created: string[] = [];
  const updated: string[] = [];
  for (const [key, text] of payload.texts) {
    const old = present.get(key);
    if (old === undefined) created.push(key);
    else if (old !== text) updated.push(key);
  }
  const deleted = mode === "sync" ? [...present.keys()].filter((key) => !payload.texts.has(key)) : [];
  const after = mode === "sync" ? payload : merged(before, payload, created, updated);
  return { file, before, after: settled(before, after), created, updated, deleted };
}

/** The file after an import: present keys at their place, new ones after those of their group. */
function merged(
  before: StringFile | undefined,
  payload: StringFile,
  created: readonly string[],
  updated: readonly string[],
): StringFile {
  if (before === undefined) return payload;
  if (created.length + updated.length === 0 && !payload.hasEmptyGroup) return before;
  const newKeys = new Set(created);
  const group = updated.length > 0 ? replaceTexts(before.group, payload.texts) : before.group;
  const after = addKeys(group, payload.group, (key) => newKeys.has(key));
  return fromGroup(after);
}

/** A file without keys is no file, and one that is as it was is the same object. */
function settled(before: StringFile | undefined, after: StringFile): StringFile | undefined {
  if (after.texts.size === 0) return undefined;
  return before !== undefined && sameGroup(before.group, after.group) ? before : after;
}

function checkFiles(source: SourceFiles, plans: readonly FilePlan[]): void {
  const names = new Set(source.keys());
  for (const plan of plans) {
    if (plan.after === undefined) names.delete(plan.file);
    else names.add(plan.file);
  }
  const issues = new Issues();
  for (const { file, before, after } of plans) {
    const problem = after === undefined || after === before ? undefined : fileProblem(after);
    if (problem !== undefined) issues.add(`files.${file}`, problem);
  }
  const added = plans.filter(({ before, after }) => before === undefined && after !== undefined);
  checkClashes(names, new Set(added.map(({ file }) => file)), issues);
  issues.throwIfAny();
}

function sourceChanges(plan: FilePlan, locale: LocaleCode): readonly KeyChange[] {
  const { file } = plan;
  const before = (key: string): string => plan.before?.texts.get(key) ?? "";
  const after = (key: string): string => plan.after?.texts.get(key) ?? "";
  return [
    ...plan.created.map((key): KeyChange => ({ change: "created", locale, file, key, after: after(key) })),
    ...plan.updated.map((key): KeyChange => {
      return { change: "updated", locale, file, key, before: before(key), after: after(key) };
    }),
    ...plan.deleted.map((key): KeyChange => ({ change: "deleted", locale, file, key, before: before(key) })),
  ];
}

type Follower = (
  locale: LocaleCode,
  texts: Texts,
) => { readonly write?: FileWrite; readonly changes: readonly KeyChange[] };

/**
 * What a change of a source file does to its translations, locale by locale: strings go, texts are cleared, shape
 * follows. Undefined when nothing can change.
 */
function followerOf(
  { file, before, after, ...plan }: FilePlan,
  strategy: ConflictStrategy,
): Follower | undefined {
  if (before === undefined || before === after) return undefined;
  let shapeKept: boolean | undefined;
  return (locale, texts) => {
    const gone = (keys: readonly string[], change: "deleted" | "cleared"): KeyChange[] =>
      keys.flatMap((key) => {
        const text = texts.get(key);
        return text === undefined ? [] : [{ change, locale, file, key, before: text }];
      });
    const changes = [
      ...gone(plan.deleted, "deleted"),
      ...(strategy === "clear" ? gone(plan.updated, "cleared") : []),
    ];
    // Looked at only once there is a locale that has the file, and once for all of them.
    shapeKept ??= after !== undefined && keepsShape(before, after);
    if (changes.length === 0 && shapeKept) return { changes };
    const left = new Map(texts);
    for (const { key } of changes) left.delete(key);
    const content = translationFile(after, left);
    const old = changes.length === 0 ? project(before.group, left) : undefined;
    if (old !== undefined && content !== undefined && sameGroup(old, content.group)) return { changes };
    return { write: { locale, file, content }, changes };
  };
}

/** Whether the keys that both versions have lie in the same shape and order, so that no translation file moves. */
function keepsShape(before: StringFile, after: StringFile): boolean {
  return (
    isList(before.group) === isList(after.group) &&
    sameOutline(outline(before.group, after.texts), outline(after.group, before.texts))
  );
}

/**
 * The shape of the part of a group that has some keys. Unlike a projection it tells a list from an object even where
 * both would come out alike: of some other keys they would not.
 */
function outline(group: Group, keys: Texts, prefix = ""): readonly unknown[] {
  const parts: unknown[] = [];
  for (const name of Object.keys(group)) {
    const node = childOf(group, name);
    if (node === undefined) continue;
    if (typeof node === "string") {
      if (keys.has(prefix + name)) parts.push(name);
      continue;
    }
    const inner = outline(node, keys, `${prefix + name}.`);
    if (inner.length > 0) parts.push(name, isList(node), inner);
  }
  return parts;
}

function sameOutline(a: readonly unknown[], b: readonly unknown[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
