/** The domain's work in steps, done at once: under the names of what it is made of, with long texts whole. */
import * as alignedTexts from "../../src/domain/aligned-texts.ts";
import * as bundle from "../../src/domain/bundle-lines.ts";
import * as contentDiff from "../../src/domain/content-diff.ts";
import * as exported from "../../src/domain/export.ts";
import * as groupEdit from "../../src/domain/group-edit.ts";
import * as stats from "../../src/domain/locale-stats.ts";
import type { FormatName } from "../../src/domain/formats/formats.ts";
import type { HiveContent } from "../../src/domain/hive-content.ts";
import type { Locale } from "../../src/domain/locale.ts";
import * as otherLeaves from "../../src/domain/other-leaves.ts";
import * as payload from "../../src/domain/payload.ts";
import * as sourceImport from "../../src/domain/source-import.ts";
import * as stale from "../../src/domain/stale.ts";
import { finish, type Steps } from "../../src/domain/steps.ts";
import * as stringFile from "../../src/domain/string-file.ts";
import * as textDiff from "../../src/domain/text-diff.ts";
import * as translationImport from "../../src/domain/translation-import.ts";
import * as undo from "../../src/domain/undo.ts";

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
export const skipLeaves = atOnce(otherLeaves.skipLeaves);
export const planSourceImport = atOnce(sourceImport.planSourceImport);
export const followMarks = atOnce(stale.followMarks);
export const planConfirmation = atOnce(stale.planConfirmation);
export const validMarks = atOnce(stale.validMarks);
export const toMarkWrite = atOnce(stale.toMarkWrite);
export const staleOf = atOnce(stale.staleOf);
export const flatten = atOnce(stringFile.flatten);
export const fromGroup = atOnce(stringFile.fromGroup);
export const sameGroup = atOnce(stringFile.sameGroup);
export const toStringFile = atOnce(stringFile.toStringFile);
export const diffFromAll = atOnce(textDiff.diffFromAll);
export const diffTexts = atOnce(textDiff.diffTexts);
export const planTranslationImport = atOnce(translationImport.planTranslationImport);
export const planUndo = atOnce(undo.planUndo);

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
  format: FormatName,
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
