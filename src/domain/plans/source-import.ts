/** Plans imports and syncs of source strings. */
import type { SourceFiles, FileWrite, HiveContent, KeyChange, Plan } from "../strings/hive-content.ts";
import { Issues } from "../errors.ts";
import { addKeys, project, replaceTexts, translationFile } from "../strings/group-edit.ts";
import { keepsShape } from "../strings/group-shape.ts";
import type { PluralMode } from "../hives/hive-settings.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { checkClashes, type FileName } from "../names.ts";
import { LocalePlurals } from "../strings/plural-rules.ts";
import { filtered } from "../filtered.ts";
import type { Steps } from "../steps.ts";
import {
  fileProblem,
  fromGroup,
  noTexts,
  sameGroup,
  translatableTexts,
  type StringFile,
  type Texts,
} from "../strings/string-file.ts";

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
  readonly created: readonly KeyChange[];
  readonly updated: readonly KeyChange[];
  readonly deleted: readonly KeyChange[];
}

/**
 * Plans an import or a sync on the content of a Hive; the second time it plans nothing.
 * @throws SkepError `invalid` when files of the payload cannot lie beside those of the Hive.
 */
export function* planSourceImport(hive: HiveContent, request: SourceImport): Steps<Plan<SourceCounts>> {
  const locale = hive.settings.sourceLocale.code;
  const plans: FilePlan[] = [];
  for (const [file, payload] of request.files) {
    yield;
    plans.push(yield* planFile({ file, locale }, hive.source.get(file), payload, request.mode));
  }
  checkFiles(hive.source, plans);

  const writes: FileWrite[] = [];
  const changes: KeyChange[] = [];
  for (const plan of plans) {
    if (plan.after !== plan.before) writes.push({ locale, file: plan.file, content: plan.after });
    for (const some of [plan.created, plan.updated, plan.deleted]) {
      for (const change of some) changes.push(change);
    }
  }
  for (const plan of plans) {
    const follow = followerOf(plan, request.conflictStrategy, hive.settings.plurals);
    for (const [target, files] of hive.translations) {
      const texts = files.get(plan.file);
      if (texts === undefined || follow === undefined) continue;
      yield;
      const followed = yield* follow(target, texts);
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

function* planFile(
  at: Pick<KeyChange, "file" | "locale">,
  before: StringFile | undefined,
  payload: StringFile,
  mode: SourceImport["mode"],
): Steps<FilePlan> {
  const present = before?.texts ?? noTexts;
  const created: KeyChange[] = [];
  const updated: KeyChange[] = [];
  for (const [key, text] of payload.texts) {
    const old = present.get(key);
    if (old === undefined) created.push({ change: "created", ...at, key, after: text });
    else if (old !== text) updated.push({ change: "updated", ...at, key, before: old, after: text });
  }
  const deleted: KeyChange[] = [];
  for (const [key, text] of mode === "sync" ? present : []) {
    if (!payload.texts.has(key)) deleted.push({ change: "deleted", ...at, key, before: text });
  }
  yield;
  const after = mode === "sync" ? payload : yield* merged(before, payload, created, updated);
  yield;
  return { file: at.file, before, after: settled(before, after), created, updated, deleted };
}

/** The file after an import: present keys stay in place, new keys come at the end of their group. */
function* merged(
  before: StringFile | undefined,
  payload: StringFile,
  created: readonly KeyChange[],
  updated: readonly KeyChange[],
): Steps<StringFile> {
  if (before === undefined) return payload;
  if (created.length + updated.length === 0 && !payload.hasEmptyGroup) return before;
  const newKeys = keysOf(created);
  const group = updated.length > 0 ? replaceTexts(before.group, payload.texts) : before.group;
  yield;
  const hasNew = newKeys.size > 0 || payload.hasEmptyGroup;
  const after = hasNew ? addKeys(group, payload.group, (key) => newKeys.has(key)) : group;
  yield;
  return fromGroup(after);
}

/** Makes a file without keys undefined, and returns the same object for an unchanged file. */
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

function keysOf(changes: readonly KeyChange[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { key } of changes) keys.add(key);
  return keys;
}

type Follower = (
  locale: LocaleCode,
  texts: Texts,
) => Steps<{ readonly write?: FileWrite; readonly changes: readonly KeyChange[] }>;

/**
 * Makes a function that applies the change of a source file to the translations of a locale: translations of deleted
 * strings are removed, texts are cleared, and the shape follows. Undefined when nothing can change.
 */
function followerOf(
  { file, before, after, ...plan }: FilePlan,
  strategy: ConflictStrategy,
  mode: PluralMode | undefined,
): Follower | undefined {
  if (before === undefined || before === after) return undefined;
  let shapeKept: boolean | undefined;
  let forms: FormChanges | undefined;
  return function* follow(locale, texts) {
    const plurals = new LocalePlurals(locale, mode);
    const changes: KeyChange[] = [];
    function remove(some: readonly Pick<KeyChange, "key">[], change: "deleted" | "cleared"): void {
      for (const { key } of some) {
        const text = texts.get(key);
        if (text === undefined || (change === "deleted" && staysAsForm(key))) continue;
        changes.push({ change, locale, file, key, before: text });
      }
    }
    // Of a plural string that stays, a form which only the source has lost is one that the locale may have.
    const staysAsForm = (key: string): boolean =>
      after !== undefined &&
      plurals.accepts(after, key) &&
      (strategy === "keep" || translatableTexts(after).get(key) === before.texts.get(key));
    forms ??= formChanges(before, after);
    remove(plan.deleted, "deleted");
    remove(forms.deleted, "deleted");
    if (strategy === "clear") {
      remove(plan.updated, "cleared");
      remove(forms.updated, "cleared");
    }
    yield;
    // Computed only if a locale has the file, and once for all locales.
    shapeKept ??= after !== undefined && keepsShape(before, after);
    if (changes.length === 0 && shapeKept) return { changes };
    yield;
    const gone = keysOf(changes);
    const left = filtered(texts, (key) => !gone.has(key));
    yield;
    const content = translationFile(after, left);
    yield;
    const old = changes.length === 0 ? project(before, left) : undefined;
    if (old !== undefined && content !== undefined && sameGroup(old, content.group)) return { changes };
    return { write: { locale, file, content }, changes };
  };
}

/** What a change of a source file does to the plural forms that only translations have. */
interface FormChanges {
  /** Those that have gone with their strings. */
  readonly deleted: readonly Pick<KeyChange, "key">[];
  /** Those that have another source text. */
  readonly updated: readonly Pick<KeyChange, "key">[];
}

function formChanges(before: StringFile, after: StringFile | undefined): FormChanges {
  const deleted: { readonly key: string }[] = [];
  const updated: { readonly key: string }[] = [];
  const was = translatableTexts(before);
  const is = translatableTexts(after);
  for (const { added } of before.plurals?.strings.values() ?? []) {
    for (const key of added) {
      const text = is.get(key);
      if (text === undefined) deleted.push({ key });
      else if (text !== was.get(key)) updated.push({ key });
    }
  }
  return { deleted, updated };
}
