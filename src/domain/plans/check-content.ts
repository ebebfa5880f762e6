/** Checks the content of a Hive: whole files, or what a write adds and changes. */
import type { HiveSettings } from "../hives/hive-settings.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import { isStepDone, type Steps } from "../steps.ts";
import type { KeyChange, TextAddress } from "../strings/hive-content.ts";
import { translatableTexts, type StringFile, type Texts } from "../strings/string-file.ts";
import { defaultChecks, syntaxOf } from "../checks/check-settings.ts";
import { checkSource, checkStyle, checkTranslation, type CheckedText } from "../checks/check-text.ts";
import type { CheckFinding, TextContext } from "../checks/message.ts";

/** A finding, and the text that has it. */
export interface LocatedFinding extends CheckFinding, TextAddress {
  /** The plural category, where the text is one form of a plural string. */
  readonly form?: string;
}

/** The texts that a finding is about; of a source text both are that text. */
export interface CheckedTexts {
  readonly source: string;
  readonly translation: string;
}

/** Findings in their order. */
export type Findings = ReadonlyMap<LocatedFinding, CheckedTexts>;

interface Checked {
  readonly settings: HiveSettings;
  /** Whether hints are found, too. */
  readonly withHints?: boolean;
}

/** Finds what is wrong in one file of one locale, in the order of the source file. */
export function* checkFile(
  checked: Checked,
  locale: LocaleCode,
  file: FileName,
  source: StringFile,
  texts: Texts,
): Steps<Findings> {
  const findings = new Map<LocatedFinding, CheckedTexts>();
  for (const key of translatableTexts(source).keys()) {
    if (isStepDone()) yield;
    const text = texts.get(key);
    if (text !== undefined) checkOne(checked, { locale, file, key }, source, text, findings);
  }
  return findings;
}

/**
 * Finds what is wrong in the texts that a write adds or changes.
 * @param sourceAfter the source files as the write leaves them.
 */
export function* checkChanges(
  checked: Checked,
  changes: readonly KeyChange[],
  sourceAfter: (file: FileName) => StringFile | undefined,
): Steps<Findings> {
  const findings = new Map<LocatedFinding, CheckedTexts>();
  for (const { locale, file, key, before, after } of changes) {
    if (isStepDone()) yield;
    const source = sourceAfter(file);
    if (after === undefined || after === before || source === undefined) continue;
    checkOne(checked, { locale, file, key }, source, after, findings);
  }
  return findings;
}

/** Checks one text, and adds what it finds. */
function checkOne(
  checked: Checked,
  at: TextAddress,
  file: StringFile,
  text: string,
  findings: Map<LocatedFinding, CheckedTexts>,
): void {
  const { settings } = checked;
  if (at.locale === settings.sourceLocale.code) {
    const syntax = syntaxOf(settings.checks ?? defaultChecks, at.file, file);
    const texts = { source: text, translation: text };
    for (const found of checkSource(syntax, text)) findings.set({ ...found, ...at }, texts);
    return;
  }
  const found = checkInto(checked, at, file, text);
  if (found === undefined) return;
  const texts = { source: found.source, translation: text };
  for (const each of found.findings) findings.set({ ...each, ...at, form: found.context.form }, texts);
}

/** Checks one translation. @returns undefined where there is no source text. */
export function checkInto(
  { settings, withHints }: Checked,
  at: TextAddress,
  file: StringFile,
  text: string,
): (CheckedText & { readonly source: string }) | undefined {
  const syntax = syntaxOf(settings.checks ?? defaultChecks, at.file, file);
  const source = translatableTexts(file).get(at.key);
  if (source === undefined) return undefined;
  const form = file.plurals?.formOf(at.key);
  const context: TextContext = {
    locale: at.locale,
    sourceLocale: settings.sourceLocale.code,
    key: at.key,
    form: form?.category,
    sourceOther: form?.string.text,
  };
  const found = checkTranslation(syntax, source, text, context);
  const findings = withHints === true ? [...found, ...checkStyle(source, text, context)] : found;
  return { syntax, source, context, findings };
}
