/** Plans imports and syncs of source strings. */
import type { SourceFiles, HiveContent, KeyChange, Plan } from "../strings/hive-content.ts";
import { Issues } from "../errors.ts";
import { changeOf } from "../strings/content-diff.ts";
import { addKeys, editTexts } from "../strings/group-edit.ts";
import { checkClashes, type FileName } from "../names.ts";
import { LocalePlurals } from "../strings/plural-rules.ts";
import { pause } from "../../slices.ts";
import {
  fileProblem,
  fromGroup,
  noTexts,
  sameGroup,
  translatableTexts,
  type StringFile,
  type Texts,
} from "../strings/string-file.ts";
import { contentWrites } from "../strings/translation-writes.ts";

/** What happens to the translations of a source text that changes. */
export type SourceConflictStrategy = "keep" | "clear";

export interface SourceImport {
  readonly files: SourceFiles;
  /** `sync` deletes the strings of a named file that the payload does not have. */
  readonly mode: "import" | "sync";
  readonly conflictStrategy: SourceConflictStrategy;
}

export interface SourceCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly translationsCleared: number;
  readonly deleted: number;
}

interface StringChanges {
  readonly created: readonly KeyChange[];
  readonly updated: readonly KeyChange[];
  readonly deleted: readonly KeyChange[];
}

interface FilePlan extends StringChanges {
  readonly file: FileName;
  readonly before: StringFile | undefined;
  readonly after: StringFile | undefined;
}

/**
 * Plans an import or a sync on the content of a Hive; the second time it plans nothing.
 * @throws SkepError `invalid` when files of the payload cannot stand beside the files of the Hive.
 */
export async function planSourceImport(
  hive: HiveContent,
  request: SourceImport,
): Promise<Plan<SourceCounts>> {
  const locale = hive.settings.sourceLocale.code;
  const plans: FilePlan[] = [];
  for (const [file, payload] of request.files) {
    await pause();
    const before = hive.source.get(file);
    const changed = stringChanges({ file, locale }, before, payload, request.mode);
    await pause();
    const after = request.mode === "sync" ? payload : merged(before, payload, changed);
    await pause();
    plans.push({ file, before, after: normalised(before, after), ...changed });
  }
  await pause();
  checkFiles(hive.source, plans);

  const files = new Map<FileName, StringFile | undefined>();
  const changes: KeyChange[] = [];
  for (const { file, before, after, created, updated, deleted } of plans) {
    if (after !== before) files.set(file, after);
    for (const some of [created, updated, deleted]) for (const change of some) changes.push(change);
  }
  for (const plan of plans) {
    if (plan.before === undefined || plan.before === plan.after) continue;
    const lost = lostKeys(plan.before, plan, request.conflictStrategy);
    for (const [target, translated] of hive.translations) {
      const texts = translated.get(plan.file);
      if (texts === undefined) continue;
      await pause();
      const plurals = new LocalePlurals(target, hive.settings);
      for (const change of lostTranslations(plan, lost, texts, plurals)) changes.push(change);
    }
  }
  const writes = await contentWrites(hive, files, changes, "kept");

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
      translationsCleared: changes.filter(({ change }) => change === "cleared").length,
      deleted: total((plan) => plan.deleted.length),
    },
    writes,
    changes,
  };
}

function stringChanges(
  at: Pick<KeyChange, "file" | "locale">,
  file: StringFile | undefined,
  payload: StringFile,
  mode: SourceImport["mode"],
): StringChanges {
  const present = file?.texts ?? noTexts;
  const created: KeyChange[] = [];
  const updated: KeyChange[] = [];
  for (const [key, text] of payload.texts) {
    const before = present.get(key);
    if (before === text) continue;
    (before === undefined ? created : updated).push(changeOf({ key, before, after: text }, at, "deleted"));
  }
  const deleted: KeyChange[] = [];
  for (const [key, text] of mode === "sync" ? present : []) {
    if (!payload.texts.has(key))
      deleted.push(changeOf({ key, before: text, after: undefined }, at, "deleted"));
  }
  return { created, updated, deleted };
}

/** The file after an import: present keys stay in place, new keys come at the end of their group. */
function merged(
  before: StringFile | undefined,
  payload: StringFile,
  { created, updated }: StringChanges,
): StringFile {
  if (before === undefined) return payload;
  if (created.length + updated.length === 0 && !payload.hasEmptyGroup) return before;
  if (created.length === 0 && sameGroup(before.group, payload.group, "shape")) return payload;
  const newKeys = new Set(created.map(({ key }) => key));
  const group =
    updated.length > 0
      ? editTexts(before.group, (key, text) => payload.texts.get(key) ?? text)
      : before.group;
  const hasNew = newKeys.size > 0 || payload.hasEmptyGroup;
  return fromGroup(hasNew ? addKeys(group, payload.group, (key) => newKeys.has(key)) : group);
}

/** Makes a file without keys undefined, and returns the same object for an unchanged file. */
function normalised(before: StringFile | undefined, after: StringFile): StringFile | undefined {
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

/** The keys whose translations go with a change of a source file. */
interface LostKeys {
  readonly deleted: readonly string[];
  /** Those that are cleared because their source text is another one. */
  readonly cleared: readonly string[];
  /** The source texts that stay as they are. */
  readonly isSame: (key: string) => boolean;
}

function lostKeys(before: StringFile, plan: FilePlan, strategy: SourceConflictStrategy): LostKeys {
  const was = translatableTexts(before);
  const is = translatableTexts(plan.after);
  const forms = [...(before.plurals?.strings.values() ?? [])].flatMap(({ added }) => added);
  const deleted = [...plan.deleted.map(({ key }) => key), ...forms.filter((key) => !is.has(key))];
  const isSame = (key: string): boolean => strategy === "keep" || is.get(key) === was.get(key);
  const changed = [...plan.updated.map(({ key }) => key), ...forms.filter((key) => is.has(key))];
  return { deleted, cleared: changed.filter((key) => !isSame(key)), isSame };
}

/** What a change of a source file does to the translations of it into one locale. */
function lostTranslations(
  { file, after }: FilePlan,
  { deleted, cleared, isSame }: LostKeys,
  texts: Texts,
  plurals: LocalePlurals,
): readonly KeyChange[] {
  // A plural form that the source has lost may still be a form of this locale.
  const staysAsForm = (key: string): boolean =>
    after !== undefined && plurals.accepts(after, key) && isSame(key);
  const changes: KeyChange[] = [];
  const remove = (change: "deleted" | "cleared", key: string): void => {
    const before = texts.get(key);
    if (before !== undefined) changes.push({ change, locale: plurals.locale, file, key, before });
  };
  for (const key of deleted) if (!staysAsForm(key)) remove("deleted", key);
  for (const key of cleared) remove("cleared", key);
  return changes;
}
