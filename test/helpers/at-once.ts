/** The domain's work in steps, done at once: under the names of what it is made of, with long texts whole. */
import * as alignedTexts from "../../src/domain/strings/aligned-texts.ts";
import * as branchChanges from "../../src/domain/plans/branch-changes.ts";
import * as bundle from "../../src/domain/export/bundle-lines.ts";
import * as contentDiff from "../../src/domain/strings/content-diff.ts";
import * as exported from "../../src/domain/export/export.ts";
import * as groupEdit from "../../src/domain/strings/group-edit.ts";
import * as stats from "../../src/domain/strings/locale-stats.ts";
import type { FormatName, Shape } from "../../src/domain/export/formats/formats.ts";
import type { HiveContent } from "../../src/domain/strings/hive-content.ts";
import type { Locale } from "../../src/domain/hives/locale.ts";
import * as detection from "../../src/domain/moves/detection.ts";
import * as movedContent from "../../src/domain/moves/moved-content.ts";
import * as movingSync from "../../src/domain/plans/moving-sync.ts";
import * as nonTextValues from "../../src/domain/strings/non-text-values.ts";
import * as payload from "../../src/domain/strings/payload.ts";
import * as sourceImport from "../../src/domain/plans/source-import.ts";
import * as stale from "../../src/domain/strings/stale.ts";
import { finish, type Steps } from "../../src/domain/steps.ts";
import * as stringFile from "../../src/domain/strings/string-file.ts";
import * as textDiff from "../../src/domain/strings/text-diff.ts";
import * as translationImport from "../../src/domain/plans/translation-import.ts";
import * as untranslated from "../../src/domain/strings/untranslated.ts";
import * as merge from "../../src/domain/plans/merge.ts";
import * as undo from "../../src/domain/plans/undo.ts";

function atOnce<Parameters extends readonly unknown[], T>(
  work: (...parameters: Parameters) => Steps<T>,
): (...parameters: Parameters) => T {
  return (...parameters) => finish(work(...parameters));
}

export const alignTexts = atOnce(alignedTexts.alignTexts);
export const readAligned = atOnce(alignedTexts.readAligned);
export const bundleLines = atOnce(bundle.bundleLines);
export const diffContent = atOnce(contentDiff.diffContent);
export const addKeys = atOnce(groupEdit.addKeys);
export const project = atOnce(groupEdit.project);
export const removeKeys = atOnce(groupEdit.removeKeys);
export const replaceTexts = atOnce(groupEdit.replaceTexts);
export const translationFile = atOnce(groupEdit.translationFile);
export const localeStats = atOnce(stats.localeStats);
export const toSourceFiles = atOnce(payload.toSourceFiles);
export const toTranslationFiles = atOnce(payload.toTranslationFiles);
export const skipNonTextValues = atOnce(nonTextValues.skipNonTextValues);
export const planSourceImport = atOnce(sourceImport.planSourceImport);
export const updateStaleMarkers = atOnce(stale.updateStaleMarkers);
export const planConfirmation = atOnce(stale.planConfirmation);
export const validMarkers = atOnce(stale.validMarkers);
export const toMarkerWrite = atOnce(stale.toMarkerWrite);
export const staleOf = atOnce(stale.staleOf);
export const flatten = atOnce(stringFile.flatten);
export const fromGroup = atOnce(stringFile.fromGroup);
export const sameGroup = atOnce(stringFile.sameGroup);
export const toStringFile = atOnce(stringFile.toStringFile);
export const diffTexts = atOnce(textDiff.diffTexts);
export const planTranslationImport = atOnce(translationImport.planTranslationImport);
export const listUntranslated = atOnce(untranslated.listUntranslated);
export const listBranchChanges = atOnce(branchChanges.listBranchChanges);
export const planMerge = atOnce(merge.planMerge);
export const planUndo = atOnce(undo.planUndo);
export const detectMoves = atOnce(detection.detectMoves);
export const moveContent = atOnce(movedContent.moveContent);
export const moveMarkers = atOnce(movedContent.moveMarkers);
export const planMovingSync = atOnce(movingSync.planMovingSync);
export const planMovingSyncSince = atOnce(movingSync.planMovingSyncSince);

export function formatGroup(group: stringFile.Group): string {
  return finish(stringFile.formatGroup(group)).join("");
}

export function exportLocale(...parameters: Parameters<typeof exported.exportLocale>): Map<string, string> {
  const files = finish(exported.exportLocale(...parameters));
  return new Map(Array.from(files, ([name, content]) => [name, content.join("")]));
}

export function exportBundled(
  hive: HiveContent,
  locale: Locale,
  format: { readonly format: FormatName; readonly shape?: Shape },
  lines: () => bundle.BundleLines | undefined,
): Map<string, string | Uint8Array> {
  function* inSteps(): Steps<bundle.BundleLines | undefined> {
    yield;
    return lines();
  }
  const files = finish(exported.exportBundled(hive, locale, format, inSteps));
  return new Map(
    Array.from(files, ([name, content]) => [
      name,
      content instanceof Uint8Array ? content : content.join(""),
    ]),
  );
}
