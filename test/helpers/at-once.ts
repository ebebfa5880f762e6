/** The domain's work on many files and locales, done without pauses. */
import * as contentDiff from "../../src/domain/strings/content-diff.ts";
import * as exported from "../../src/domain/export/export.ts";
import * as stats from "../../src/domain/strings/locale-stats.ts";
import * as detection from "../../src/domain/moves/detection.ts";
import * as movedContent from "../../src/domain/moves/moved-content.ts";
import * as sync from "../../src/domain/plans/sync.ts";
import * as nonTextValues from "../../src/domain/strings/non-text-values.ts";
import * as pushedContent from "../../src/domain/pushes/pushed-content.ts";
import * as payload from "../../src/domain/strings/payload.ts";
import * as sourceImport from "../../src/domain/plans/source-import.ts";
import * as stale from "../../src/domain/strings/stale.ts";
import type { HiveContent } from "../../src/domain/strings/hive-content.ts";
import type { Move } from "../../src/domain/move.ts";
import { finish, type Steps } from "../../src/domain/steps.ts";
import * as translationImport from "../../src/domain/plans/translation-import.ts";
import * as untranslated from "../../src/domain/strings/untranslated.ts";
import * as merge from "../../src/domain/plans/merge.ts";
import * as undo from "../../src/domain/plans/undo.ts";

function atOnce<Parameters extends readonly unknown[], T>(
  work: (...parameters: Parameters) => Steps<T>,
): (...parameters: Parameters) => T {
  return (...parameters) => finish(work(...parameters));
}

export const diffContent = atOnce(contentDiff.diffContent);
export const localeStats = atOnce(stats.localeStats);
export const toSourceFiles = atOnce(payload.toSourceFiles);
export const toTranslationFiles = atOnce(payload.toTranslationFiles);
export const skipNonTextValues = atOnce(nonTextValues.skipNonTextValues);
export const planSourceImport = atOnce(sourceImport.planSourceImport);
export const updateStaleMarkers = atOnce(stale.updateStaleMarkers);
export const staleOf = atOnce(stale.staleOf);
export const planTranslationImport = atOnce(translationImport.planTranslationImport);
export const listUntranslated = atOnce(untranslated.listUntranslated);
export const listBranchChanges = atOnce(merge.listBranchChanges);
export const planMerge = atOnce(merge.planMerge);
export const planUndo = atOnce(undo.planUndo);
export const detectMoves = atOnce(detection.detectMoves);
export const readPushedContent = atOnce(pushedContent.readPushedContent);

const noMarkers: stale.StaleMarkers = new Map();

export function moveContent(content: HiveContent, moves: readonly Move[], markers = noMarkers) {
  return finish(movedContent.moveContent({ content, markers }, moves));
}

export function planSync(content: HiveContent, request: sync.Sync, markers = noMarkers) {
  return finish(sync.planSync({ content, markers }, request));
}

export function exportLocale(...parameters: Parameters<typeof exported.exportLocale>): Map<string, string> {
  return joined(finish(exported.exportLocale(...parameters)));
}

export function exportBundled(...parameters: Parameters<typeof exported.exportBundled>): Map<string, string> {
  return joined(finish(exported.exportBundled(...parameters)));
}

function joined(files: exported.ExportedFiles): Map<string, string> {
  return new Map(Array.from(files, ([name, pieces]) => [name, pieces.join("")]));
}
