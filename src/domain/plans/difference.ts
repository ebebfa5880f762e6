/**
 * Applies the difference between two contents of a Hive to a third: each change of a key is made if the key still has the
 * text that the difference started from.
 */
import { SkepError, type ConflictingText, type PublicCode } from "../errors.ts";
import { shownCodes, type HiveSettings } from "../hives/hive-settings.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { excerpt } from "../text.ts";
import { addressOf, diffContent, translationAt } from "../strings/content-diff.ts";
import type { FileWrite, KeyChange } from "../strings/hive-content.ts";
import { AddressMap } from "../move.ts";
import { type FileName, findClashes } from "../names.ts";
import type { Difference } from "../moves/alignment.ts";
import { isStepDone, pause } from "../../slices.ts";
import {
  translatableTexts,
  type StringFile,
  fromGroup,
  isList,
  isSameFile,
  noTexts,
  type Group,
} from "../strings/string-file.ts";
import { contentWrites } from "../strings/translation-writes.ts";
import { groupBy } from "../group-by.ts";
import { addKeys, editTexts, project } from "../strings/group-edit.ts";
import { withPluralForms } from "./plural-forms.ts";
import { restoreOrder } from "../strings/group-order.ts";
import { diffTexts } from "../strings/text-diff.ts";

export interface AppliedDifference {
  readonly writes: readonly FileWrite[];
  readonly changes: readonly KeyChange[];
  /** The changes that cannot be made, because their keys have changed meanwhile. */
  readonly conflicts: readonly KeyChange[];
  /** The source files that change; undefined for a file that is removed. */
  readonly files: ReadonlyMap<FileName, StringFile | undefined>;
}

/**
 * Applies a difference. A string is deleted only if its translations are those that the base has; a translation is added
 * only if its source string is there.
 */
export async function applyDifference(given: Difference): Promise<AppliedDifference> {
  const contents = withBlockedForms(given);
  const now = contents.ours.content;
  const source = now.settings.sourceLocale.code;
  const changes = await diffContent(contents.base.content, contents.theirs.content);
  await pause();
  const ofSource = changes.filter(({ locale }) => locale === source);
  const files = await changedFiles(contents, ofSource, (change) => isAsAtStart(contents, change));
  const sourceAfter = new Map([...now.source, ...files.after]);
  // Where a string cannot be added or deleted, its translations cannot either.
  const whole = new AddressMap<true>();
  for (const one of files.blocked) if (one.change !== "updated") whole.set(one, true);
  const resolved = withPluralForms(whole, contents);
  const blocked = new Set<KeyChange>(files.blocked);
  const made: KeyChange[] = [];
  for (const change of changes) {
    if (isStepDone()) await pause();
    const { locale, file, key, after: text } = change;
    if (locale !== source) {
      const hasSource = translatableTexts(sourceAfter.get(file)).has(key);
      const isPossible =
        isAsAtStart(contents, change) && !resolved.has(change) && (text === undefined || hasSource);
      if (!isPossible) blocked.add(change);
    }
    if (!blocked.has(change)) made.push(change);
  }
  return {
    writes: await contentWrites(now, files.after, made),
    changes: made,
    conflicts: [...changes.filter((change) => blocked.has(change)), ...unseenMoves(given, ofSource)],
    files: files.after,
  };
}

/** A difference of which the plural forms of blocked strings are blocked, too, also those that only translations have. */
export function withBlockedForms<T extends Difference>(contents: T): T {
  const { blocked } = contents;
  return blocked === undefined ? contents : { ...contents, blocked: withPluralForms(blocked, contents) };
}

/** The places of their blocked moves where no text differs, since another string with the same text has come there. */
function unseenMoves(
  { base, blocked, movedByTheirs }: Difference,
  changes: readonly KeyChange[],
): readonly KeyChange[] {
  const locale = base.content.settings.sourceLocale.code;
  const ofBlocked = [...(blocked?.files ?? [])];
  if (ofBlocked.length === 0) return [];
  const seen = new Set(changes.map(addressOf));
  const ends = ofBlocked.flatMap((file) =>
    Array.from(blocked?.of(file).keys() ?? [], (key): KeyChange => ({
      change: "updated",
      locale,
      file,
      key,
    })),
  );
  return ends.filter((end) => movedByTheirs?.has(end) === true && !seen.has(addressOf(end)));
}

/**
 * Whether a key still has the text that the difference starts from. A string that is deleted, and plural forms that a change
 * removes, must have no translation that came since.
 */
function isAsAtStart(
  { ours: { content: now }, base: { content: from }, blocked }: Difference,
  { change, locale, file, key, before: start }: KeyChange,
): boolean {
  if (blocked?.has({ file, key }) === true) return false;
  const { sourceLocale, targetLocales } = now.settings;
  if (locale !== sourceLocale.code) {
    const isKnown = targetLocales.some(({ code }) => code === locale);
    return isKnown && translationAt(now, locale, file, key) === start;
  }
  if (now.source.get(file)?.texts.get(key) !== start) return false;
  if (change === "updated") return true;
  const plurals = now.source.get(file)?.plurals;
  const keys =
    change === "deleted"
      ? [key, ...(plurals?.goingWith(key) ?? [])]
      : (plurals?.givingWayTo(key) ?? []).filter((one) => one !== key);
  return targetLocales.every(({ code }) =>
    keys.every((one) => {
      const text = translationAt(now, code, file, one);
      return text === undefined || text === translationAt(from, code, file, one);
    }),
  );
}

const maxListed = 100;

interface ConflictPlace {
  readonly locale: LocaleCode;
  readonly file: string;
  readonly key: string;
}

/**
 * The error `text-conflict` for a difference that must be applied completely and cannot be; it names the first conflict.
 * @param problem what happened, and what was therefore not done.
 * @param describe what is told of a conflict; only its place if not given.
 */
export function differenceConflict<T extends ConflictPlace>(
  conflicts: readonly T[],
  settings: HiveSettings,
  problem: string,
  publicCode: PublicCode<"text-conflict">,
  describe: (conflict: T, at: ConflictingText) => ConflictingText = (_, at) => at,
): SkepError {
  const shown = shownCodes(settings);
  const listed = conflicts.slice(0, maxListed).map((conflict) => {
    const { locale, file, key } = conflict;
    return describe(conflict, { locale: shown(locale), file, key });
  });
  const [first] = listed;
  const at = first === undefined ? "" : `${first.locale}: ${excerpt(first.file, 255)}: ${excerpt(first.key)}`;
  const more = conflicts.length > 1 ? ` (and ${conflicts.length - 1} more)` : "";
  const data = { conflicts: listed, total: conflicts.length };
  return new SkepError("text-conflict", `${problem}: ${at}${more}`, data, { publicCode });
}

export interface ChangedFiles {
  /** The files that change; undefined for a file that is removed. */
  readonly after: ReadonlyMap<FileName, StringFile | undefined>;
  readonly blocked: readonly KeyChange[];
  /** The new files that were left out, each with a present file beside which it cannot lie. */
  readonly clashes: ReadonlyMap<FileName, FileName>;
}

/**
 * Applies the changes of source strings that may be made. A new file that clashes with present ones is left out. A file in
 * which only the order, the nesting or the empty groups differ gets these if it is still what the difference started
 * from.
 * @param changes of source strings, from the base to their side.
 */
export async function changedFiles(
  { ours: { content: now }, base: { content: from }, theirs: { content: to } }: Difference,
  changes: readonly KeyChange[],
  mayApply: (change: KeyChange) => boolean,
): Promise<ChangedFiles> {
  const blocked: KeyChange[] = [];
  const files = new Map<FileName, StringFile | undefined>();
  const byFile = groupBy(changes, ({ file }) => file);
  for (const [file, all] of byFile) {
    await pause();
    const applied: KeyChange[] = [];
    for (const change of all) (mayApply(change) ? applied : blocked).push(change);
    if (applied.length === 0) continue;
    await pause();
    const present = now.source.get(file);
    const target = to.source.get(file);
    const start = from.source.get(file);
    const isWhole = isSameFile(present, start) && isDifference(applied, start, target);
    files.set(file, isWhole ? target : withChanges(present, target, applied));
  }
  for (const [file, start] of from.source) {
    const target = to.source.get(file);
    if (target === undefined || target === start || byFile.has(file)) continue;
    await pause();
    // Texts may differ, too: those whose change is not to be made.
    if (isSameFile(target, start) || !isDifference([], start, target)) continue;
    if (isSameFile(now.source.get(file), start)) files.set(file, target);
  }

  const names = new Set(now.source.keys());
  const added = new Set<FileName>();
  for (const [file, content] of files) {
    if (content === undefined) names.delete(file);
    else if (!names.has(file)) added.add(file);
  }
  const clashes = new Map<FileName, FileName>();
  for (const { file, other } of findClashes([...names, ...added], added)) {
    if (!files.delete(file)) continue;
    clashes.set(file, other);
    for (const change of byFile.get(file) ?? []) if (change.change === "created") blocked.push(change);
  }
  return { after: files, blocked, clashes };
}

/** Whether changes of one file make of its texts those of another one. */
function isDifference(
  changes: readonly KeyChange[],
  start: StringFile | undefined,
  target: StringFile | undefined,
): boolean {
  const differences = diffTexts(start?.texts ?? noTexts, target?.texts ?? noTexts);
  if (differences.length !== changes.length) return false;
  const wanted = new Map(differences.map(({ key, after }) => [key, after]));
  return changes.every(({ key, after }) => wanted.has(key) && wanted.get(key) === after);
}

/**
 * A file with some changes made; undefined when no key is left. New keys stand behind those they follow in `target`.
 */
export function withChanges(
  present: StringFile | undefined,
  target: StringFile | undefined,
  changes: readonly KeyChange[],
): StringFile | undefined {
  const gone = new Set<string>();
  const replaced = new Map<string, string>();
  const added = new Map<string, string>();
  for (const { change, key, after = "" } of changes) {
    if (change === "deleted") gone.add(key);
    else (change === "updated" ? replaced : added).set(key, after);
  }
  let group: Group = present?.group ?? (target !== undefined && isList(target.group) ? [] : {});
  if (gone.size + replaced.size > 0)
    group = editTexts(group, (key, text) => (gone.has(key) ? undefined : (replaced.get(key) ?? text)));
  if (added.size > 0 && target !== undefined) {
    const isNew = (key: string): boolean => added.has(key);
    const ranks = new Map<string, number>();
    for (const key of target.texts.keys()) ranks.set(key, ranks.size);
    const grown = addKeys(group, project(target, added) ?? [], isNew);
    group = restoreOrder(grown, { isBack: isNew, rankOf: (key) => ranks.get(key) });
  }
  const file = fromGroup(group);
  return file.texts.size === 0 ? undefined : file;
}
