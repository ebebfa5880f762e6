/** The plan of an undo: one commit's changes of keys, taken back where nothing has happened to them since. */
import { diffContent, noTexts, translationAt, translationsAt } from "../strings/content-diff.ts";
import { invalid, SkepError } from "../errors.ts";
import { groupBy } from "../group-by.ts";
import { translationFile } from "../strings/group-edit.ts";
import {
  translationsOf,
  type FileWrite,
  type HiveContent,
  type KeyChange,
  type Plan,
} from "../strings/hive-content.ts";
import { localesOf, type HiveSettings } from "../hives/hive-settings.ts";
import { codeOf } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import type { StaleMarkers, MadeFor } from "../strings/stale.ts";
import { filtered, isStepDone, type Steps } from "../steps.ts";
import { diffTexts } from "../strings/text-diff.ts";
import { sameGroup, targetTexts, type StringFile } from "../strings/string-file.ts";
import { excerpt } from "../text.ts";
import { undoneFiles, type UndoContents } from "./undo-files.ts";

/** Source strings and translations, each counted for itself. */
export interface UndoCounts {
  /** Deleted ones that are there again. */
  readonly restored: number;
  /** Those that have their earlier text again. */
  readonly updated: number;
  /** Created ones that are gone again. */
  readonly deleted: number;
  /** Changes that could not be taken back. */
  readonly skipped: number;
}

export interface UndoPlan extends Plan<UndoCounts> {
  /** The commit's changes that cannot be taken back: something has happened to their keys since. */
  readonly conflicts: readonly KeyChange[];
}

/**
 * Plans to take back what a commit changed, key by key, and the order and shape of files. A change is taken back
 * where its key still has the text that the commit left, or still is not there. A string that the commit created must not have been translated since; a
 * translation comes back only with its source string.
 * @throws SkepError `invalid` on `commit` when it changed no key and no file's shape, when it changed shapes alone and
 * none of these files is as it left them, or when the source locale was another.
 */
export function* planUndo(contents: UndoContents): Steps<UndoPlan> {
  const { now, before, after } = contents;
  const source = now.settings.sourceLocale.code;
  if ([before, after].some(({ settings }) => settings.sourceLocale.code !== source)) {
    throw invalid("commit", "is from when the Hive had another source locale, or changed it");
  }
  const changes = yield* diffContent(before, after);
  const ofSource = changes.filter(({ locale }) => locale === source);
  const files = yield* undoneFiles(contents, ofSource, (change) => isAsLeft(contents, change));
  if (changes.length === 0 && files.after.size === 0) throw invalid("commit", yield* nothingToUndo(contents));
  const sourceAfter = new Map([...now.source, ...files.after]);
  const settled = new Map<FileName, Set<string>>();
  for (const { file, key, change } of files.blocked) {
    // The translations of a string that stays, or stays away, do so too.
    if (change === "updated") continue;
    settled.set(file, (settled.get(file) ?? new Set<string>()).add(key));
  }
  const blocked = new Set<KeyChange>(files.blocked);
  for (const change of changes) {
    if (isStepDone()) yield;
    const { locale, file, key, before: text } = change;
    if (locale === source) continue;
    const hasSource = targetTexts(sourceAfter.get(file)).has(key);
    const isPossible =
      isAsLeft(contents, change) && settled.get(file)?.has(key) !== true && (text === undefined || hasSource);
    if (!isPossible) blocked.add(change);
  }

  const taken: KeyChange[] = [];
  for (const change of changes) {
    if (isStepDone()) yield;
    if (!blocked.has(change)) taken.push(inverseOf(change));
  }
  return {
    counts: countsOf(taken, blocked.size),
    writes: [
      ...Array.from(files.after, ([file, content]): FileWrite => ({ locale: source, file, content })),
      ...(yield* translationWrites(now, {
        source: sourceAfter,
        reshaped: files.after.keys(),
        changes: taken,
      })),
    ],
    changes: taken,
    conflicts: changes.filter((change) => blocked.has(change)),
  };
}

function* nothingToUndo({ before, after }: UndoContents): Steps<string> {
  for (const [file, left] of after.source) {
    const former = before.source.get(file);
    if (former === undefined || (yield* sameGroup(former.group, left.group))) continue;
    return "changed only the order or nesting of files, and these have changed again since";
  }
  return (yield* changedTranslations(before, after))
    ? "changed only translations that have no source string, which count as not there"
    : "changed no source string and no translation";
}

/** Whether any stored translation differs, those without a source string too: git may have brought them. */
function* changedTranslations(before: HiveContent, after: HiveContent): Steps<boolean> {
  for (const locale of new Set([...before.translations.keys(), ...after.translations.keys()])) {
    const was = translationsOf(before, locale);
    const is = translationsOf(after, locale);
    for (const file of new Set([...was.keys(), ...is.keys()])) {
      const diffs = yield* diffTexts(was.get(file) ?? noTexts, is.get(file) ?? noTexts);
      if (diffs.length > 0) return true;
    }
  }
  return false;
}

/**
 * Whether a key still holds what the commit left there, and what would go with its change has no translation since: a
 * string that the commit created, and plural forms.
 */
function isAsLeft(
  { now, after }: UndoContents,
  { change, locale, file, key, after: left }: KeyChange,
): boolean {
  const { sourceLocale, targetLocales } = now.settings;
  if (locale !== sourceLocale.code) {
    const isKnown = targetLocales.some(({ code }) => code === locale);
    return isKnown && translationAt(now, locale, file, key) === left;
  }
  if (now.source.get(file)?.texts.get(key) !== left) return false;
  if (change === "updated") return true;
  const plurals = now.source.get(file)?.plurals;
  const keys =
    change === "created"
      ? [key, ...(plurals?.goingWith(key) ?? [])]
      : [...(plurals?.givingWayTo(key) ?? [])].filter((one) => one !== key);
  return targetLocales.every(({ code }) =>
    keys.every((one) => {
      const text = translationAt(now, code, file, one);
      return text === undefined || text === translationAt(after, code, file, one);
    }),
  );
}

function inverseOf({ locale, file, key, before, after }: KeyChange): KeyChange {
  const at = { locale, file, key };
  if (before === undefined)
    return { change: "deleted", ...at, ...(after === undefined ? {} : { before: after }) };
  if (after === undefined) return { change: "created", ...at, after: before };
  return { change: "updated", ...at, before: after, after: before };
}

function countsOf(taken: readonly KeyChange[], skipped: number): UndoCounts {
  const count = (kind: KeyChange["change"]): number => taken.filter(({ change }) => change === kind).length;
  return { restored: count("created"), updated: count("updated"), deleted: count("deleted"), skipped };
}

/** What an undo makes of the source files, and of single texts. */
interface UndoneTexts {
  readonly source: ReadonlyMap<FileName, StringFile | undefined>;
  /** The source files that change in any way. */
  readonly reshaped: Iterable<FileName>;
  readonly changes: readonly KeyChange[];
}

/** Translation files that have other texts, or whose source file has another shape. */
function* translationWrites(
  now: HiveContent,
  { source, reshaped, changes }: UndoneTexts,
): Steps<readonly FileWrite[]> {
  const writes: FileWrite[] = [];
  const byFile = groupBy(changes, ({ file }) => file);
  for (const file of new Set([...reshaped, ...byFile.keys()])) {
    const byLocale = groupBy(byFile.get(file) ?? [], ({ locale }) => locale);
    const shape = source.get(file);
    for (const { code } of now.settings.targetLocales) {
      const stored = now.translations.get(code)?.get(file);
      const own = byLocale.get(code) ?? [];
      if (stored === undefined && own.length === 0) continue;
      const present = yield* translationsAt(now, code, file);
      const keys = targetTexts(shape);
      const texts = yield* filtered(present, (key) => keys.has(key));
      for (const { key, after } of own) {
        if (isStepDone()) yield;
        if (after === undefined) texts.delete(key);
        else texts.set(key, after);
      }
      const old = yield* translationFile(now.source.get(file), present);
      const content = yield* translationFile(shape, texts);
      const hasOrphans = stored !== undefined && stored !== present;
      if (
        !hasOrphans &&
        (old === content ||
          (old !== undefined && content !== undefined && (yield* sameGroup(old.group, content.group))))
      )
        continue;
      writes.push({ locale: code, file, content });
    }
  }
  return writes;
}

/** What a translation was made for that has the text again which it had before the commit. */
export function madeForBefore(before: HiveContent, markers: StaleMarkers): MadeFor {
  return (locale, file, key, translation) => {
    if (translationAt(before, locale, file, key) !== translation) return undefined;
    return markers.get(locale)?.get(file)?.get(key) ?? targetTexts(before.source.get(file)).get(key);
  };
}

const maxListed = 100;

/** The error for an undo that was to be whole and cannot be: `undo-conflict`, naming the first. */
export function undoConflict(conflicts: readonly KeyChange[], settings: HiveSettings): SkepError {
  const codes = new Map(localesOf(settings).map((locale) => [locale.code, codeOf(locale)]));
  const listed = conflicts.slice(0, maxListed).map(({ locale, file, key }) => ({
    locale: codes.get(locale) ?? locale,
    file,
    key,
  }));
  const [first] = listed;
  const at = first === undefined ? "" : `${first.locale}: ${first.file}: ${excerpt(first.key)}`;
  const more = conflicts.length > 1 ? ` (and ${conflicts.length - 1} more)` : "";
  const message = `Changed since that commit, so nothing was undone: ${at}${more}`;
  return new SkepError("undo-conflict", message, { conflicts: listed, total: conflicts.length });
}
